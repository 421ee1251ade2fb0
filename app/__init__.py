"""Slipstream: chat with local GGUF models, made faster by speculative decoding."""

__version__ = "0.1.0"
