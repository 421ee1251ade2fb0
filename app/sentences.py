"""A sentence for people: its template and what stands in the template's places travel together.

``str`` of it is the English text, so logs, the command line and other programs take it as any other; the window has a
translation of the template and puts the values into that (``app/gui/words/messages.py``). ``say`` is how one is said,
and what translators' texts are gathered by (``devtools/translations.py``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

_PLACE = re.compile(r"\{(\w+)\}")
MOST_CHARACTERS = 1_000_000
"""Of a sentence that is read: a short record could name a long value many times."""


class Sentence(str):
    """English text made of a ``template`` with ``{names}`` and their ``values``, which may be sentences as well.

    A text from outside is a template without places. What is made of a sentence by ``str``'s methods is a plain text:
    ``joined`` keeps what several are made of.
    """

    template: str
    values: Mapping[str, str]

    def __new__(cls, template: str, values: Mapping[str, str] | None = None) -> Sentence:
        made = super().__new__(cls, fill(template, values) if values else template)
        made.template = template
        made.values = values or {}
        return made


if TYPE_CHECKING:
    Text = str
else:
    Text = Sentence
"""The type of a message's field that holds a sentence: any ``str`` may be put in, and msgspec asks ``read`` for it."""


def say(template: str, /, **values: object) -> Text:
    """A sentence in words of this program. ``template`` is written out where this is called, for translators."""
    return Sentence(template, {name: value if isinstance(value, str) else str(value) for name, value in values.items()})


def joined(parts: Iterable[str], between: str = " ") -> Text:
    """The texts that are not empty, one after another."""
    wanted = [part for part in parts if part]
    names = [f"part{index}" for index in range(len(wanted))]
    return Sentence(between.join(f"{{{name}}}" for name in names), dict(zip(names, wanted, strict=True)))


def mapped(text: str, change: Callable[[str], str]) -> Text:
    """``text`` with ``change`` done to what does not come from its template; to all of it where it has none."""
    if isinstance(text, Sentence) and text.values:
        return Sentence(text.template, {name: mapped(value, change) for name, value in text.values.items()})
    return change(text)


def fill(template: str, values: Mapping[str, str], change: Callable[[str], str] = str) -> str:
    """``template`` with every place that has a value filled in, each value ``change``d before."""
    return _PLACE.sub(lambda place: change(values[place[1]]) if place[1] in values else place[0], template)


def as_record(value: object) -> object:
    """A sentence with values as an object, one without as its text. Also msgspec's ``enc_hook`` for messages."""
    if isinstance(value, Sentence) and value.values:
        return {"template": value.template, "values": {name: as_record(each) for name, each in value.values.items()}}
    if isinstance(value, str):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} is no part of a message")


def as_text(value: object) -> object:
    """msgspec's ``enc_hook`` for what people and other programs read: the English text."""
    if isinstance(value, Sentence):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} is no part of a message")


def sentence_of(record: object) -> Sentence:
    """What ``as_record`` wrote, or any text. Raises ``ValueError`` for anything else."""
    match record:
        case str(text):
            return Sentence(text)
        case {"template": str(template), "values": dict(values)}:
            known = {str(name): sentence_of(value) for name, value in values.items()}
            length = len(template) + sum(len(known.get(name, "")) for name in _PLACE.findall(template))
            if length > MOST_CHARACTERS:
                raise ValueError("a sentence is too long")
            return Sentence(template, known)
    raise ValueError("a text or a sentence was expected")


def read(kind: type, value: Any) -> Any:
    """msgspec's ``dec_hook`` for a ``Text``."""
    if kind is not Sentence:
        raise NotImplementedError(f"{kind.__name__} is no part of a message")
    return sentence_of(value)
