"""The other end of the worker: no Qt, no engine."""
