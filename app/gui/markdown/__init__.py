"""Markdown of models as documents of Qt: blocks, code, formulas. Imports ``look`` and ``controllers``."""
