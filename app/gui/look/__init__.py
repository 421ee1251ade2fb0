"""Colours, icons and the small widgets that every page uses. Imports ``words``."""
