"""Before a link that a model wrote opens, the person sees where it leads."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget

_OPENED = {"http", "https", "mailto"}
_LONGEST = 400


def ask_to_open(parent: QWidget, address: str) -> QMessageBox:
    """Show the whole address; open it in the browser only when the person says so."""
    translate = QCoreApplication.translate
    url = QUrl.fromEncoded(address.encode(), QUrl.ParsingMode.StrictMode)
    box = QMessageBox(parent)
    box.setWindowTitle(translate("Link", "Open this link?"))
    box.setText(translate("Link", "The model wrote this link. It leads to {host}.").format(host=_host(url)))
    shown = "".join(c for c in address[:_LONGEST] if c.isprintable())
    box.setInformativeText(shown + ("…" if len(address) > _LONGEST else ""))
    copy = box.addButton(translate("Link", "Copy address"), QMessageBox.ButtonRole.ActionRole)
    copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(address))
    box.addButton(QMessageBox.StandardButton.Cancel)
    if url.isValid() and url.scheme().lower() in _OPENED:
        opens = box.addButton(translate("Link", "Open in the browser"), QMessageBox.ButtonRole.AcceptRole)
        opens.clicked.connect(lambda: QDesktopServices.openUrl(url))
    box.open()
    return box


def _host(url: QUrl) -> str:
    # The ASCII form shows look-alike letters for what they are.
    host = url.host(QUrl.ComponentFormattingOption.FullyEncoded)
    return host or url.scheme() or QCoreApplication.translate("Link", "an unknown place")
