"""The engine's process: commands in, engine, events out. The only one that imports ``engine``; no Qt."""
