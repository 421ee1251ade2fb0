"""Small records of the settings that the parts for models speak in."""

from __future__ import annotations

from app.records import Record


class MeasuredGain(Record, frozen=True, kw_only=True):
    """How many times as fast answers with a draft were as plain ones on this computer, over ``answers`` of them."""

    factor: float
    answers: int = 1


class HubSettings(Record, frozen=True, kw_only=True):
    """How the model hub is reached: ``endpoint`` "" takes ``HF_ENDPOINT`` or the public hub, ``offline`` none."""

    endpoint: str = ""
    offline: bool = False
