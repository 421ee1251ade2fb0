"""The texts of the table of settings in the window's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def words_of(text: str) -> str:
    """A label, an explanation, a unit or a choice of ``app.settings.table``."""
    return QCoreApplication.translate("SettingsGroups", text)
