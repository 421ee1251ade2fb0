"""Tries ``auto`` on recorded answers, without a model: ``python -m devtools.replay``."""
