"""The window. PySide6 is imported here alone; the engine never: it is asked through ``client``.
The rooms and their order stand in pyproject.toml, a sentence on each in its ``__init__``.
"""
