"""What the pictures of the Models page show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from app.gui.controllers.models import ModelsController, RemoteJudgement, Suggestions
from app.gui.models.page import ModelsPage
from app.models.approximate import approximate_facts
from app.models.catalog import load_catalog
from app.models.host import HostMemory
from app.models.library import LibraryEntry
from app.models.pairing import PairVerdict, Suggestion
from app.models.remedies import Remedy
from devtools.window import screenshot_script as script

if TYPE_CHECKING:
    from app.models.download import DownloadState

SHOWN = "qwen2.5-coder-7b-instruct"
_SOURCES = ("Slipstream", "LM Studio", "Hugging Face", "Slipstream", "Ollama")


def prepare(models: ModelsController) -> None:
    """Scripted models and memory, and the real catalog."""
    models.catalog = load_catalog()
    models.measure = lambda: HostMemory(11_200_000_000, 16_000_000_000)
    models.entries = [
        LibraryEntry(entry.path, source, entry.facts, entry.part_paths)
        for entry, source in zip(script.entries(), _SOURCES, strict=True)
    ]
    models.entries_changed.emit()


def suggestions(models: ModelsController) -> Suggestions:
    """As the picker has them, the draft with what it gained here."""
    first, *rest = script.suggestions()
    gained = Suggestion(first.facts, first.verdict, True, 2.1, 3.1, [
        "On this computer, answers with it were 2.1× as fast as without (14 answers).", *first.notes], 2.1)
    return Suggestions(script.TARGET.path, [gained, *rest])


def show_library(page: ModelsPage, models: ModelsController) -> None:
    page.show_view("here")
    page.chooser.draft_path = script.DRAFT.path
    models.suggestions_ready.emit(suggestions(models))
    page.downloads.show_states(downloads())


def show_more(page: ModelsPage, models: ModelsController) -> None:
    """The catalog with a model of it, whose header was read."""
    page.show_view("more")
    page.downloads.show_states(downloads()[:1])
    catalog = models.catalog
    if catalog is None:
        return
    page.more.listing.chosen.emit(f"catalog:{SHOWN}")
    page.more.listing.show_rows(page.more.listing.rows(), f"catalog:{SHOWN}")
    model = catalog.model(SHOWN)
    facts = msgspec.structs.replace(approximate_facts(model, model.files[0]), architecture="qwen2")
    drafts = [Suggestion(script.DRAFT, PairVerdict(True, "Same vocabulary."), True, 1.0, 15.4,
                         ["It is 15 times smaller than the target."])]
    page.more.details.show_verdict(RemoteJudgement("", None, drafts), facts, script.TARGET.name)


def ways() -> list[Remedy]:
    """What the memory banner offers besides."""
    return [Remedy(kind="context", needed_bytes=22_100_000_000, ctx_tokens=8192,
                   text="Shorten the context to 8,192 tokens: 22.1 GB.")]


def downloads() -> list[DownloadState]:
    from app.models.download import DownloadState

    return [
        DownloadState(
            id="1", repo="bartowski/Qwen2.5-Coder-7B-Instruct-GGUF", file="Qwen2.5-Coder-7B-Instruct-Q4_K_M.gguf",
            path="/models/7b.gguf", status="running", done_bytes=2_941_000_000, total_bytes=4_683_074_336,
            bytes_per_second=38_400_000, seconds_left=45.4,
        ),
        DownloadState(
            id="2", repo="meta-llama/Llama-3.2-1B-Instruct-GGUF", file="Llama-3.2-1B-Instruct-Q4_K_M.gguf",
            path="/models/1b.gguf", status="paused", done_bytes=212_000_000, total_bytes=807_694_464,
        ),
    ]
