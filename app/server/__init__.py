"""An OpenAI-compatible server over an ``EngineClient``: no engine, no window.
Imports ``client`` and what lies below."""
