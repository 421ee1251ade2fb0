"""Figures in words: numbers rounded to what is known, with their units."""

from __future__ import annotations

from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication

from app.chat.answer import Answer, AnswerState
from app.client.remote_paths import split_path
from app.gui.words.messages import localise
from app.records import REMOTE

_translate = QCoreApplication.translate


def rate(tokens_per_second: float) -> str:
    """``31.0 tokens/s``; an em dash while unknown."""
    if tokens_per_second <= 0:
        return "—"
    return _translate("Figures", "{n} tokens/s").format(n=rate_number(tokens_per_second))


def rate_number(tokens_per_second: float) -> str:
    if tokens_per_second <= 0:
        return "—"
    return f"{tokens_per_second:.0f}" if tokens_per_second >= 100 else f"{tokens_per_second:.1f}"


def duration(seconds: float) -> str:
    if seconds < 0.995:
        return _translate("Figures", "{n} ms").format(n=round(seconds * 1000))
    if seconds < 9.95:
        return _translate("Figures", "{n} s").format(n=f"{seconds:.1f}")
    if seconds < 120:
        return _translate("Figures", "{n} s").format(n=round(seconds))
    return _translate("Figures", "{m} min").format(m=round(seconds / 60))


def share(fraction: float) -> str:
    return f"{fraction * 100:.0f}%"


def size(count: float) -> str:
    """Bytes as people read them on the box: 1.1 GB, 398 MB."""
    if count >= 1e9:
        return f"{count / 1e9:.1f} GB"
    return f"{count / 1e6:.0f} MB"


def gain(factor: float) -> str:
    """``2.1×``; empty while unknown."""
    return f"{factor:.1f}×" if factor > 0 else ""


def stop_reason(answer: Answer) -> str:
    """Why the answer ended, in a few words; empty when it simply was finished."""
    return {
        "eos": "",
        "stop": _translate("Figures", "ended at a stop text"),
        "length": _translate("Figures", "cut at the length limit"),
        "context": _translate("Figures", "context full"),
        "aborted": _translate("Figures", "stopped"),
        "cut": _translate("Figures", "cut off when the program ended"),
    }.get(answer.reason, "")


def answer_line(answer: Answer) -> str:
    """The line under an answer."""
    if answer.state is AnswerState.WAITING or answer.skippable:
        return localise(answer.waiting_for) or _translate("Figures", "Waiting for the engine…")
    if answer.state is AnswerState.READING and answer.prefill is not None:
        prefill = answer.prefill
        words = _translate("Figures", "Reading the prompt: {done} of {total} tokens")
        return words.format(done=f"{prefill.done_tokens:,}", total=f"{prefill.total_tokens:,}")
    parts = []
    if answer.emitted_tokens:
        count = answer.emitted_tokens
        parts.append(_translate("Figures", "1 token") if count == 1
                     else _translate("Figures", "{n} tokens").format(n=count))
        if answer.tokens_per_second > 0:
            parts.append(rate(answer.tokens_per_second))
    if answer.time_to_first_token_s > 0:
        first = duration(answer.time_to_first_token_s)
        parts.append(_translate("Figures", "first after {time}").format(time=first))
    if answer.num_draft_tokens:
        parts.append(_translate("Figures", "{share} accepted").format(share=share(answer.accepted_share)))
    if answer.num_draft_tokens and answer.is_over and answer.mean_acceptance_length > 1:
        length = f"{answer.mean_acceptance_length:.1f}"
        parts.append(_translate("Figures", "{n} per step").format(n=length))
    if answer.speed_up > 0 and answer.is_over:
        parts.append(_translate("Figures", "{gain} speed-up").format(gain=gain(answer.speed_up)))
    if answer.is_disturbed:
        words = _translate("Figures", "other programs: {used} of {cores} cores")
        parts.append(words.format(used=f"{answer.other_cores:.1f}", cores=answer.cores))
    reason = stop_reason(answer)
    if reason:
        parts.append(reason)
    return " · ".join(parts)


def short_name(name: str) -> str:
    """A model's name without a path, an ending or a run of separators; of a server's model, the server with it."""
    if name.startswith(REMOTE):
        _, url, model = split_path(name)
        return " ".join(filter(None, [short_name(model) if model else "", f"({urlsplit(url).netloc})"]))
    plain = name.replace("\\", "/").rsplit("/", 1)[-1]
    plain = plain[:-5] if plain.lower().endswith(".gguf") else plain
    return "".join(c for c in plain if c.isprintable()) or _translate("Figures", "unnamed model")
