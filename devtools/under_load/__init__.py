"""The engine beside busy processes: ``dev.py bench --under-load``."""
