"""What is said of a model in one line."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.gui.words import figures
from app.gui.words.messages import localise
from app.models.catalog import Catalog, CatalogModel
from app.models.facts import ModelFile, is_unquantised
from app.models.library import LibraryEntry

_translate = QCoreApplication.translate


def entry_title(entry: LibraryEntry) -> str:
    """The name that its program gives it, else its file's."""
    return entry.label or figures.short_name(entry.path.name)


def entry_detail(entry: LibraryEntry, catalog: Catalog | None = None) -> str:
    """Size, quantisation, context and where it is from; below, what speaks against it."""
    facts = entry.facts
    parts = [figures.size(entry.file_bytes)] if entry.file_bytes else []
    if facts is not None:
        parts += [part for part in (facts.quantisation, context(facts.ctx_train_tokens)) if part]
    if entry.source:
        parts.append(entry.source)
    reason = localise(entry.trouble or entry.note)
    lines = [" · ".join(parts), reason]
    if facts is not None and not reason:
        lines.append(caution(facts, catalog.recognise(facts) if catalog is not None else None))
    return "\n".join(line for line in lines if line)


def caution(facts: ModelFile, known: CatalogModel | None = None) -> str:
    """One sentence on what a person should know before choosing it; "" if nothing."""
    if facts.kind == "base":
        return _translate("Models", "It continues text and was not made to chat.")
    if is_unquantised(facts):
        return _translate("Models", "It is not quantised, so it is slower than its quantised forms.")
    if known is not None and known.caution:
        return localise(known.caution)
    if facts.recurrent or facts.hybrid:
        return _translate("Models", "It keeps a recurrent state, so drafting often gains little with it.")
    if facts.experts:
        return _translate("Models", "It is a mixture of experts, so drafting often gains little with it.")
    return ""


def context(tokens: int) -> str:
    """``32768`` → "32k context"; "" while unknown."""
    if tokens <= 0:
        return ""
    count = f"{tokens / 1024:.0f}k" if tokens >= 1024 else str(tokens)
    return _translate("Models", "{count} context").format(count=count)


def parameters(thousand_millions: float) -> str:
    """``0.494`` → "494M", ``7.62`` → "7.6B"."""
    if thousand_millions < 1:
        return f"{thousand_millions * 1000:.0f}M"
    return f"{thousand_millions:.1f}B" if thousand_millions < 10 else f"{thousand_millions:.0f}B"
