"""An OpenAI-compatible server over an ``EngineClient``: no engine, no window."""
