"""Phosphor icons in a theme's colours."""

from __future__ import annotations

import qtawesome
from PySide6.QtGui import QIcon

from app.gui.theme import Colours


def icon(name: str, colours: Colours, colour: str = "") -> QIcon:
    """The Phosphor icon ``name`` (without prefix); ``colour`` is a colour value, the secondary text's by default."""
    made: QIcon = qtawesome.icon(
        f"ph.{name}", color=colour or colours.secondary, color_active=colour or colours.text,
        color_disabled=colours.border_strong,
    )
    return made
