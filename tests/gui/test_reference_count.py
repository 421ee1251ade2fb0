"""PySide6 6.12.0 loses a reference to None in every call on Python 3.10 and 3.11; the version we pin must not."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QLabel


def test_calls_keep_the_references_to_none(qapp: QApplication) -> None:
    label, thing = QLabel(), QObject()
    before = sys.getrefcount(None)
    for number in range(10_000):
        label.setText(str(number))
        label.update()
        thing.setObjectName("name")
        thing.parent()
    assert abs(sys.getrefcount(None) - before) < 100
