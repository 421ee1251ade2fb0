"""Slipstream: chat with local GGUF models, made faster by speculative decoding.

What lives where, and what may import what: docs/architecture.md, “The house”; each package says the same of itself.
"""

__version__ = "0.1.0"
