"""From tokens to text: unfinished characters and possible stop texts are held back until they are decided."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from app.records import Piece


class TextAssembler:
    """Turns token bytes into pieces of text, one per token, and finds stop texts."""

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._stop = [text for text in stop if text]
        self._held: list[Piece] = []
        self._text: list[str] = []
        self.stopped = False

    @property
    def text(self) -> str:
        """All text given out so far."""
        return "".join(self._text)

    def push(self, raw: bytes, drafted: bool) -> list[Piece]:
        """Take one token's bytes; return the pieces that are decided now. Nothing more after ``stopped``."""
        if self.stopped:
            return []
        return self._decide(Piece(text=self._decoder.decode(raw), drafted=drafted), final=False)

    def finish(self) -> list[Piece]:
        """The answer has ended: give out what was held back (an unfinished character becomes U+FFFD)."""
        if self.stopped:
            return []
        return self._decide(Piece(text=self._decoder.decode(b"", final=True)), final=True)

    def _decide(self, piece: Piece, final: bool) -> list[Piece]:
        self._held.append(piece)
        held_text = "".join(p.text for p in self._held)
        # the one that is complete first, as it would be found letter by letter: not where tokens happen to be cut
        found = [(at + len(stop), at) for stop in self._stop if (at := held_text.find(stop)) >= 0]
        if found:
            self.stopped = True
            return self._release(min(found)[1], drop_rest=True)
        keep_back = 0 if final else _longest_start(held_text, self._stop)
        return self._release(len(held_text) - keep_back, drop_rest=False)

    def _release(self, length: int, drop_rest: bool) -> list[Piece]:
        """Give out the first ``length`` characters of what is held, cut at piece borders where possible."""
        out: list[Piece] = []
        rest: list[Piece] = []
        for piece in self._held:
            given, kept = piece.text[:length], piece.text[length:]
            length -= len(given)
            if given:
                out.append(Piece(text=given, drafted=piece.drafted))
            if kept:
                rest.append(Piece(text=kept, drafted=piece.drafted))
        self._held = [] if drop_rest else rest
        self._text.extend(piece.text for piece in out)
        return out


def _longest_start(text: str, stops: Sequence[str]) -> int:
    """Length of the longest end of ``text`` that a stop text starts with."""
    for size in range(min(len(text), max((len(s) - 1 for s in stops), default=0)), 0, -1):
        if any(stop.startswith(text[-size:]) for stop in stops):
            return size
    return 0
