"""What the engine, the models and the files say, in the window's language.

Below the window all is said in English, since logs, the command line and other programs hold it too. A ``Sentence``
brings its template, which has a translation here; so has a plain text that is a template by itself.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.errors import SlipstreamError
from app.sentences import Sentence, fill

_translate = QCoreApplication.translate


def localise(text: str) -> str:
    """``text`` in the window's language, with its values; words of others stay as they are."""
    if not isinstance(text, Sentence):
        return _translate("Messages", text)
    return fill(_translate("Messages", text.template), text.values, localise)


def words_of(error: SlipstreamError) -> str:
    """What happened and what to do."""
    return localise(error.words)
