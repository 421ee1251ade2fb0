"""The engine's process: commands in, engine, events out. The only one that imports ``engine``; no Qt.
Imports ``models`` and what lies below as well.
"""
