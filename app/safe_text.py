"""Text from strangers (models, files, hubs) made safe to show: what would act, or lie about order, becomes visible.

A terminal acts on escapes, and bidirectional controls can make ``exe.gguf`` read ``fugg.exe``. Letters, emoji and the
joiners that scripts need stay as they are.
"""

from __future__ import annotations

import re

_REPLACEMENT = "\ufffd"
_PICTURES = 0x2400
# Overrides, embeddings and isolates; separators that break lines; tags; interlinear and deprecated format characters.
_INVISIBLE = re.compile(
    "[\u202a-\u202e\u2066-\u2069\u2028\u2029\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
_KEPT_IN_TEXT = "\n\t"


def neutralise(text: str) -> str:
    """``text`` for a terminal: line breaks and tabs stay, other controls show as pictures (␛) or as �."""
    if text.isascii() and text.isprintable():
        return text
    return _INVISIBLE.sub(_REPLACEMENT, _CONTROLS.sub(lambda match: _picture(match.group(), _KEPT_IN_TEXT), text))


def one_line(text: str, longest: int = 200) -> str:
    """``text`` for a title, a list or a message: one line, at most ``longest`` characters, nothing that acts."""
    shown = text[: 4 * longest]
    if not (shown.isascii() and shown.isprintable()):
        shown = " ".join(shown.split())
        shown = _INVISIBLE.sub(_REPLACEMENT, _CONTROLS.sub(lambda match: _picture(match.group(), ""), shown))
    shown = " ".join(shown.split())
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def _picture(control: str, kept: str) -> str:
    if control in kept:
        return control
    code = ord(control)
    if code < 0x20:
        return chr(_PICTURES + code)
    return chr(0x2421) if code == 0x7F else _REPLACEMENT
