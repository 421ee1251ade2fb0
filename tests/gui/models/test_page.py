"""The Models page through its widgets, with a scripted worker and an imitation of the hub."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app import paths
from app.gui.controllers.engine import EngineState
from app.gui.models.connection import ConnectionDialog
from app.gui.models.lists import ModelList, ModelRow
from app.gui.models.page import ModelsPage
from app.gui.models.picker import ModelPicker
from app.gui.program import Program
from app.models.catalog import CatalogFile, load_catalog
from app.models.host import HostMemory
from app.models.memory import CacheSettings, estimate_kv
from app.protocol import Device
from app.settings.scopes import LoadChoice
from app.settings.settings import HubSettings, MeasuredGain, Settings, SettingsFile, TargetSettings
from tests.gui.conftest import MakeProgram
from tests.models import gguf_writer as writer
from tests.models.hub_imitation import Fault, HubImitation, Repository, running_hub
from tests.scripted_worker import scripted_worker_command

WAIT_MS = 20_000
TARGET_BYTES = 4_000_000
CATALOG = """
version = 1
starter = "big"
first_target = "big"
first_draft = "small"
[[model]]
id = "big"
name = "Big 7B"
family = "Big"
licence = "apache-2.0"
parameters_b = 7.0
vocab_size = 64
caution = "The catalog's caution."
[[model.files]]
quantisation = "Q4_K_M"
repo = "some/big"
file = "big-q4_k_m.gguf"
bytes = {big}
[[model]]
id = "small"
name = "Small 0.5B"
family = "Big"
licence = "mit"
parameters_b = 0.5
vocab_size = 64
[[model.files]]
quantisation = "Q4_K_M"
repo = "some/small"
file = "small-q4_k_m.gguf"
bytes = {small}
[[model]]
id = "locked"
name = "Locked 70B"
family = "Locked"
licence = "llama3.1"
gated = true
parameters_b = 70.0
[[model.files]]
quantisation = "Q4_K_M"
repo = "some/locked"
file = "locked-q4_k_m.gguf"
[[draft_head]]
target = "small"
name = "Small Head"
method = "draft-eagle3"
[draft_head.file]
quantisation = "Q8_0"
repo = "some/heads"
file = "eagle3-small.gguf"
[[pair]]
target = "big"
draft = "small"
caution = "Others found it slow."
"""


def padded(path: Path, size: int) -> bytes:
    """A sound model of ``size`` bytes without a repeating pattern."""
    content = path.read_bytes()
    salt = b"".join(hashlib.sha256(f"{path.name}{i}".encode()).digest() for i in range((size - len(content)) // 32 + 1))
    return (content + salt)[:size]


@pytest.fixture
def small(tmp_path: Path) -> bytes:
    return padded(writer.write_model(tmp_path / "made" / "small.gguf", "Small Draft", layers=2), 1_000_000)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """The program's own folder, with the catalog's target in it."""
    folder = tmp_path / "models"
    folder.mkdir()
    made = writer.write_model(tmp_path / "made" / "big.gguf", "Big Target", layers=40)
    (folder / "big.gguf").write_bytes(padded(made, TARGET_BYTES))
    return folder


@pytest.fixture
def imitation(small: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubImitation]:
    for name in ("HF_ENDPOINT", "HF_TOKEN", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    with running_hub() as hub:
        hub.repositories["some/small"] = Repository({"small-q4_k_m.gguf": small}, licence="mit")
        yield hub


@pytest.fixture
def page(make_program: MakeProgram, models: Path, imitation: HubImitation, small: bytes, tmp_path: Path, qtbot: QtBot
         ) -> ModelsPage:
    return open_page(make_program, imitation, small, tmp_path, qtbot)


def open_page(make_program: MakeProgram, imitation: HubImitation, small: bytes, tmp_path: Path, qtbot: QtBot,
              settings: Settings | None = None) -> ModelsPage:
    """A program with the catalog above, its models found, the page shown."""
    given = settings or Settings(hub=HubSettings(endpoint=imitation.endpoint))
    program = make_program(settings=given, load=False)
    catalog = tmp_path / "catalog.toml"
    catalog.write_text(CATALOG.format(big=TARGET_BYTES, small=len(small)), encoding="utf-8")
    program.models.catalog = load_catalog(catalog)
    program.models.rescan()
    qtbot.waitUntil(lambda: program.models.scanned, timeout=WAIT_MS)
    program.window.show_page(2)
    # The page is made when it is first wanted, and shown a moment later.
    qtbot.waitUntil(program.window.models_page.isVisible, timeout=WAIT_MS)
    return program.window.models_page


def program_of(page: ModelsPage) -> Program:
    window = page.window()
    program = getattr(window, "_chat").parent()  # noqa: B009 - the window does not offer its owner
    assert isinstance(program, Program)
    return program


def press(qtbot: QtBot, button: object) -> None:
    assert isinstance(button, QPushButton) or hasattr(button, "isEnabled")
    assert button.isEnabled()  # type: ignore[union-attr]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)  # type: ignore[arg-type]


def pick(listing: ModelList, path: str) -> None:
    """Choose the row of ``path`` as the arrow keys do."""
    for index, row in enumerate(listing.rows()):
        if row.path == path:
            listing.setCurrentRow(index)
            return
    raise AssertionError(f"{path} is not among {[row.path for row in listing.rows()]}")


def row_of(listing: ModelList, title: str) -> ModelRow:
    return next(row for row in listing.rows() if row.title == title)


def wait_for_row(qtbot: QtBot, listing: ModelList, title: str) -> ModelRow:
    qtbot.waitUntil(lambda: any(row.title == title for row in listing.rows()), timeout=WAIT_MS)
    return row_of(listing, title)


def hold_after(imitation: HubImitation, sent_bytes: int) -> threading.Event:
    gate = threading.Event()
    imitation.before_block = lambda sent: None if sent < sent_bytes else (gate.wait(30), None)[1]
    return gate


def test_what_is_here_and_where_from(page: ModelsPage, models: Path, tmp_path: Path, qtbot: QtBot) -> None:
    """C17 and C26: a projector and a broken model are listed with their reason, and cannot be chosen."""
    writer.write_model(models / "mmproj-big.gguf", "Projector", extra={"general.type": "mmproj"})
    writer.write_model(models / "part-00002-of-00003.gguf", "Parts", extra={"split.no": 1, "split.count": 3})
    (models / "broken.gguf").write_bytes(b"GGUF" + bytes(3))
    wait_for_row(qtbot, page.chooser.targets, "broken")
    big = row_of(page.chooser.targets, "big")
    assert big.enabled
    assert big.detail.splitlines()[0].endswith("Slipstream")
    assert "4 MB" in big.detail
    assert "The catalog's caution." in big.detail
    assert "projector" in row_of(page.chooser.targets, "mmproj-big").detail
    parts = row_of(page.chooser.targets, "part-00001-of-00003")
    assert "part-00001-of-00003.gguf" in parts.detail
    assert not row_of(page.chooser.targets, "broken").enabled
    assert not parts.enabled
    (models / "mmproj-big.gguf").unlink()
    qtbot.waitUntil(lambda: all(row.title != "mmproj-big" for row in page.chooser.targets.rows()), timeout=WAIT_MS)


def test_the_missing_draft_is_one_click_away(page: ModelsPage, models: Path, qtbot: QtBot) -> None:
    """C07: no draft is here; the right one is offered, comes, is chosen and is used."""
    writer.write_model(models / "stranger.gguf", "Stranger", tokens=writer.words(64, salt="x"), layers=2)
    qtbot.waitUntil(lambda: len(page.chooser.drafts.rows()) == 2, timeout=WAIT_MS)
    stranger = row_of(page.chooser.drafts, "stranger")
    assert not stranger.enabled
    assert "Token 5" in stranger.detail
    qtbot.waitUntil(lambda: bool(page.chooser.offers), timeout=WAIT_MS)
    (offer,) = page.chooser.offers
    assert "Small 0.5B" in offer.text.text()
    assert "licence mit" in offer.text.text()
    assert "Others found it slow." in offer.text.text()
    press(qtbot, offer.button)
    qtbot.waitUntil(lambda: page.chooser.draft_path.endswith("small-q4_k_m.gguf"), timeout=WAIT_MS)
    assert page.use.text() == "Use with this draft"
    program = program_of(page)
    press(qtbot, page.use)
    qtbot.waitUntil(lambda: program.engine.draft is not None and program.engine.state is EngineState.READY,
                    timeout=WAIT_MS)
    assert program.engine.draft is not None
    assert program.engine.draft.path.endswith("some/small/small-q4_k_m.gguf")
    assert program.window.pages.currentIndex() == 0


def test_what_was_said_for_another_target_is_not_shown(page: ModelsPage, models: Path, small: bytes, qtbot: QtBot
                                                       ) -> None:
    (models / "small.gguf").write_bytes(small)
    wait_for_row(qtbot, page.chooser.drafts, "small")
    page.chooser.choose("", "")
    assert [row.title for row in page.chooser.drafts.rows()] == ["No draft"]


def test_a_draft_whose_name_only_the_hub_knows_is_chosen_when_it_is_here(page: ModelsPage, qtbot: QtBot) -> None:
    page.get_draft(CatalogFile(quantisation="Q4_K_M", repo="some/small", file="*-q4_k_m.gguf"))
    qtbot.waitUntil(lambda: page.chooser.draft_path.endswith("some/small/small-q4_k_m.gguf"), timeout=WAIT_MS)


def test_without_a_draft_it_says_use_this_model(page: ModelsPage, qtbot: QtBot) -> None:
    assert page.use.text() == "Use this model"
    press(qtbot, page.use)
    program = program_of(page)
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    assert program.engine.draft is None


def test_nothing_is_asked_before_a_person_asks(page: ModelsPage, imitation: HubImitation, qtbot: QtBot) -> None:
    press(qtbot, page.tabs.button("more"))
    assert page.more.isVisible()
    assert row_of(page.more.listing, "Big 7B").badge == "here"
    assert row_of(page.more.listing, "Locked 70B").badge in ("gated", "too large here")
    qtbot.keyClicks(page.more.search, "small")
    assert [row.title for row in page.more.listing.rows()] == ["Small 0.5B"]
    pick(page.more.listing, "catalog:small")
    assert "licence mit" in page.more.details.line.text()
    assert page.more.details.stack.places
    assert "Small Head (draft-eagle3)" in page.more.details.heads.text()
    assert all("eagle3" not in row.title for row in page.more.listing.rows())
    qtbot.wait(200)
    assert imitation.hub_requests == []
    assert imitation.storage_requests == []


def test_a_file_is_checked_before_it_is_downloaded(page: ModelsPage, imitation: HubImitation, small: bytes,
                                                   qtbot: QtBot) -> None:
    press(qtbot, page.tabs.button("more"))
    pick(page.more.listing, "catalog:small")
    press(qtbot, page.more.details.check)
    verdict = page.more.details.verdict
    qtbot.waitUntil(lambda: "may draft for Big Target" in verdict.text(), timeout=WAIT_MS)
    assert "Same vocabulary of 64 tokens" in verdict.text()
    assert sum(int(r["range"].split("-")[1]) - int(r["range"].split("-")[0].removeprefix("bytes=")) + 1
               for r in imitation.storage_requests) <= len(small)
    imitation.repositories["some/small"].files["small-q4_k_m.gguf"] = b"<html>" * 2000
    page.more.details.show_nothing_checked()
    press(qtbot, page.more.details.check)
    qtbot.waitUntil(lambda: "cannot be read as a model" in verdict.text(), timeout=WAIT_MS)


def test_search_download_pause_resume_and_use(page: ModelsPage, imitation: HubImitation, models: Path, qtbot: QtBot
                                              ) -> None:
    press(qtbot, page.tabs.button("more"))
    qtbot.keyClicks(page.more.search, "SMALL")
    qtbot.keyClick(page.more.search, Qt.Key.Key_Return)
    wait_for_row(qtbot, page.more.listing, "some/small")
    pick(page.more.listing, "hub:some/small")
    details = page.more.details
    qtbot.waitUntil(lambda: details.get.isVisible() and "may draft for" in details.verdict.text(), timeout=WAIT_MS)
    gate = hold_after(imitation, 400_000)
    press(qtbot, details.get)
    qtbot.waitUntil(lambda: len(page.downloads.rows) == 1, timeout=WAIT_MS)
    (row,) = page.downloads.rows.values()
    qtbot.waitUntil(lambda: row.bar.value() > 300, timeout=WAIT_MS)
    assert "of 1 MB" in row.words.text()
    assert details.get.text() == "downloading"
    assert not details.get.isEnabled()
    assert not list(models.rglob("small-q4_k_m.gguf"))
    press(qtbot, row.pause)
    qtbot.waitUntil(lambda: "paused" in row.words.text(), timeout=WAIT_MS)
    gate.set()
    press(qtbot, row.resume)
    qtbot.waitUntil(lambda: "whole and checked" in row.words.text(), timeout=WAIT_MS)
    assert [path.name for path in models.rglob("small-q4_k_m.gguf")] == ["small-q4_k_m.gguf"]
    wait_for_row(qtbot, page.chooser.targets, "small-q4_k_m")
    press(qtbot, row.use)
    program = program_of(page)
    qtbot.waitUntil(lambda: program.pairs.draft_path.endswith("small-q4_k_m.gguf"), timeout=WAIT_MS)
    press(qtbot, row.cancel)
    qtbot.waitUntil(lambda: page.downloads.rows == {}, timeout=WAIT_MS)
    assert list(models.rglob("small-q4_k_m.gguf")), "taking it off the list leaves the model"


def test_cancel_removes_what_arrived(page: ModelsPage, imitation: HubImitation, models: Path, qtbot: QtBot) -> None:
    gate = hold_after(imitation, 400_000)
    press(qtbot, page.tabs.button("more"))
    pick(page.more.listing, "catalog:small")
    press(qtbot, page.more.details.get)
    qtbot.waitUntil(lambda: any(row.bar.value() > 300 for row in page.downloads.rows.values()), timeout=WAIT_MS)
    (row,) = page.downloads.rows.values()
    press(qtbot, row.cancel)
    gate.set()
    qtbot.waitUntil(lambda: page.downloads.rows == {}, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not list(models.rglob("*.part")), timeout=WAIT_MS)


def test_a_download_survives_quitting(make_program: MakeProgram, models: Path, imitation: HubImitation, small: bytes,
                                      tmp_path: Path, qtbot: QtBot) -> None:
    """C16: the next start lists it, paused, and goes on where it stopped."""
    gate = hold_after(imitation, 400_000)
    page = open_page(make_program, imitation, small, tmp_path, qtbot)
    press(qtbot, page.tabs.button("more"))
    pick(page.more.listing, "catalog:small")
    press(qtbot, page.more.details.get)
    qtbot.waitUntil(lambda: any(row.bar.value() > 300 for row in page.downloads.rows.values()), timeout=WAIT_MS)
    threading.Timer(0.2, gate.set).start()
    program_of(page).window.close()
    assert not list(models.rglob("small-q4_k_m.gguf"))
    second = open_page(make_program, imitation, small, tmp_path, qtbot)
    before = len(imitation.storage_requests)
    program_of(second).market.downloads.restore()
    qtbot.waitUntil(lambda: len(second.downloads.rows) == 1, timeout=WAIT_MS)
    (row,) = second.downloads.rows.values()
    assert "paused" in row.words.text()
    assert len(imitation.storage_requests) == before, "nothing is fetched before the person resumes it"
    press(qtbot, row.resume)
    qtbot.waitUntil(lambda: "whole and checked" in row.words.text(), timeout=WAIT_MS)
    assert imitation.storage_requests[-1]["range"].startswith("bytes=")


def test_a_damaged_download_says_so_and_can_be_begun_again(page: ModelsPage, imitation: HubImitation, models: Path,
                                                           qtbot: QtBot) -> None:
    imitation.faults = [Fault(corrupt=True)]
    press(qtbot, page.tabs.button("more"))
    pick(page.more.listing, "catalog:small")
    press(qtbot, page.more.details.get)
    qtbot.waitUntil(lambda: any("SHA-256" in row.words.text() for row in page.downloads.rows.values()), timeout=WAIT_MS)
    assert not list(models.rglob("small-q4_k_m.gguf*"))
    (row,) = page.downloads.rows.values()
    press(qtbot, row.resume)
    qtbot.waitUntil(lambda: "whole and checked" in row.words.text(), timeout=WAIT_MS)


def test_a_gated_model_is_explained_and_comes_with_a_token(
    page: ModelsPage, imitation: HubImitation, small: bytes, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    imitation.repositories["some/locked"] = Repository({"locked-q4_k_m.gguf": small}, gated=True)
    imitation.token = "hf_secret"
    press(qtbot, page.tabs.button("more"))
    pick(page.more.listing, "catalog:locked")
    assert "gated" in page.more.details.line.text()
    press(qtbot, page.more.details.get)
    qtbot.waitUntil(lambda: any(row.token.isVisible() for row in page.downloads.rows.values()), timeout=WAIT_MS)
    (row,) = page.downloads.rows.values()
    assert "asks for your agreement" in row.words.text()
    press(qtbot, row.token)
    dialog = next(d for d in page.findChildren(ConnectionDialog) if d.isVisible())
    qtbot.keyClicks(dialog.token, "hf_secret")
    press(qtbot, dialog.buttons.button(dialog.buttons.StandardButton.Ok))
    qtbot.waitUntil(lambda: "access token is kept" in page.banner.text.text(), timeout=WAIT_MS)
    press(qtbot, row.resume)
    qtbot.waitUntil(lambda: "whole and checked" in row.words.text(), timeout=WAIT_MS)
    assert all("authorization" not in request for request in imitation.storage_requests)


def test_offline_and_a_mirror(page: ModelsPage, imitation: HubImitation, qtbot: QtBot) -> None:
    press(qtbot, page.tabs.button("more"))
    press(qtbot, page.more.connection)
    dialog = next(d for d in page.findChildren(ConnectionDialog) if d.isVisible())
    dialog.offline.setChecked(True)
    dialog.endpoint.setText("not an address")
    press(qtbot, dialog.buttons.button(dialog.buttons.StandardButton.Ok))
    assert "https://" in dialog.words.text()
    dialog.endpoint.setText(imitation.endpoint)
    press(qtbot, dialog.buttons.button(dialog.buttons.StandardButton.Ok))
    assert "Offline" in page.more.status.text()
    press(qtbot, page.more.ask)
    qtbot.waitUntil(lambda: "Offline mode is on" in page.more.status.text(), timeout=WAIT_MS)
    assert imitation.hub_requests == []
    assert program_of(page).keeper.settings.hub == HubSettings(endpoint=imitation.endpoint, offline=True)
    with running_hub() as mirror:
        mirror.repositories["mirror/model"] = Repository({})
        program_of(page).market.set_hub(HubSettings(endpoint=mirror.endpoint))
        press(qtbot, page.more.ask)
        wait_for_row(qtbot, page.more.listing, "mirror/model")
    assert imitation.hub_requests == []


def test_a_hub_that_is_silent_is_said_where_it_was_asked(page: ModelsPage, qtbot: QtBot) -> None:
    program_of(page).market.set_hub(HubSettings(endpoint="http://127.0.0.1:9"))
    press(qtbot, page.tabs.button("more"))
    press(qtbot, page.more.ask)
    qtbot.waitUntil(lambda: "cannot be reached" in page.more.status.text(), timeout=WAIT_MS)
    pick(page.more.listing, "catalog:small")
    press(qtbot, page.more.details.get)
    qtbot.waitUntil(page.banner.isVisible, timeout=WAIT_MS)
    assert "cannot be reached" in page.banner.text.text()


def test_a_folder_is_added_and_its_changes_are_noticed(page: ModelsPage, tmp_path: Path, qtbot: QtBot) -> None:
    """C28: a folder and files with spaces, accents and Chinese."""
    folder = tmp_path / "Modèles 模型 của tôi"
    folder.mkdir()
    writer.write_model(folder / "tiếng Việt 模型.gguf", "Anywhere", layers=2)
    page.folders.add(str(folder))
    row = wait_for_row(qtbot, page.chooser.targets, "tiếng Việt 模型")
    assert row.detail.splitlines()[0].endswith("Modèles 模型 của tôi")
    assert program_of(page).keeper.settings.model_folders == [str(folder)]
    writer.write_model(folder / "sub" / "second.gguf", "Second", layers=2)
    wait_for_row(qtbot, page.chooser.targets, "second")
    pick(page.chooser.targets, str(folder / "tiếng Việt 模型.gguf"))
    press(qtbot, page.use)
    program = program_of(page)
    qtbot.waitUntil(lambda: program.engine.target is not None
                    and program.engine.target.path == str(folder / "tiếng Việt 模型.gguf"), timeout=WAIT_MS)
    page.folders.fill()
    remove = next(action for action in page.folders.entries.actions() if action.text().startswith("Remove"))
    remove.trigger()
    qtbot.waitUntil(lambda: all(row.title != "second" for row in page.chooser.targets.rows()), timeout=WAIT_MS)


def test_a_program_that_is_installed_later_is_found_on_coming_back(page: ModelsPage, tmp_path: Path, qapp: QApplication,
                                                                   qtbot: QtBot) -> None:
    """A folder that was not there when the folders were read cannot have been watched."""
    folder = tmp_path / ".lmstudio" / "models" / "publisher" / "repo"
    writer.write_model(folder / "later.gguf", "Later", layers=2)
    qtbot.wait(1500)
    assert all(row.title != "later" for row in page.chooser.targets.rows())
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    row = wait_for_row(qtbot, page.chooser.targets, "later")
    assert row.detail.splitlines()[0].endswith("LM Studio")


def test_a_copy_in_progress_becomes_a_model_when_it_is_whole(page: ModelsPage, models: Path, small: bytes, qtbot: QtBot
                                                             ) -> None:
    with (models / "copied.gguf").open("wb") as file:
        file.write(small[:500])
        file.flush()
        assert not wait_for_row(qtbot, page.chooser.targets, "copied").enabled
        file.write(small[500:])
    qtbot.waitUntil(lambda: row_of(page.chooser.targets, "copied").enabled, timeout=WAIT_MS)


def test_what_was_measured_here_takes_the_place_of_the_caution(
    make_program: MakeProgram, models: Path, imitation: HubImitation, small: bytes, tmp_path: Path, qtbot: QtBot
) -> None:
    draft = models / "small.gguf"
    draft.write_bytes(small)
    target = str(models / "big.gguf")
    page = open_page(make_program, imitation, small, tmp_path, qtbot)
    qtbot.waitUntil(lambda: len(page.chooser.drafts.rows()) == 2, timeout=WAIT_MS)
    assert "Others found it slow." in row_of(page.chooser.drafts, "small").detail
    program = program_of(page)
    remembered = TargetSettings(gains={str(draft): MeasuredGain(factor=1.83, answers=12)})
    program.keeper.replace_target(target, remembered)
    page.choose(target, "", program.keeper.settings.load)
    qtbot.waitUntil(lambda: row_of(page.chooser.drafts, "small").badge == "1.8× here", timeout=WAIT_MS)
    detail = row_of(page.chooser.drafts, "small").detail
    assert "12 answers" in detail
    assert "Others found it slow." not in detail


def test_too_little_memory_is_said_with_what_helps(
    make_program: MakeProgram, models: Path, imitation: HubImitation, small: bytes, tmp_path: Path, qtbot: QtBot
) -> None:
    """C18 and C20: both models are counted; the ways out come in order, and one may go on anyway."""
    (models / "small.gguf").write_bytes(small)
    page = open_page(make_program, imitation, small, tmp_path, qtbot)
    program = program_of(page)
    qtbot.waitUntil(lambda: len(page.chooser.drafts.rows()) == 2, timeout=WAIT_MS)
    pick(page.chooser.drafts, str(models / "small.gguf"))
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    program.models.held_bytes = 0
    whole = page.chooser.stack.places[0].needed_bytes
    kinds = {part.kind for part in page.chooser.stack.places[0].parts}
    assert {"target-weights", "target-cache", "target-work", "draft-weights", "draft-cache", "draft-work"} <= kinds
    program.models.measure = lambda: HostMemory(whole - 1, whole)
    page.chooser.choose(page.chooser.target_path, str(models / "small.gguf"), program.keeper.settings.load)
    assert "You can try it anyway" in page.chooser.memory.text()
    assert page.chooser.memory.isVisible()
    texts = [button.text() for button in page.chooser.ways.buttons]
    assert "N-gram" in texts[0]
    order = [next(i for i, text in enumerate(texts) if word in text) for word in ("N-gram", "context", "8 bits")]
    assert order == sorted(order)
    shorten = next(button for button in page.chooser.ways.buttons if "context" in button.text())
    press(qtbot, shorten)
    target = str(models / "big.gguf")
    qtbot.waitUntil(lambda: program.engine.draft is not None, timeout=WAIT_MS)
    ctx = program.keeper.settings.for_target(target).load.ctx_tokens
    assert ctx is not None
    assert ctx < 4096
    assert program.engine.wanted is not None
    assert program.engine.wanted.settings.ctx_tokens == ctx


def test_the_targets_own_settings_are_judged(page: ModelsPage, models: Path, small: bytes, qtbot: QtBot) -> None:
    """What is shown is what will be loaded, also of a target and a draft with settings of their own."""
    (models / "small.gguf").write_bytes(small)
    wait_for_row(qtbot, page.chooser.targets, "small")
    program = program_of(page)
    target, draft = str(models / "big.gguf"), str(models / "small.gguf")
    own = TargetSettings(load=LoadChoice(ctx_tokens=16_384), draft_load=LoadChoice(cache_type_k="q8_0"))
    program.keeper.replace_target(target, own)

    def cache_bytes(kind: str) -> int:
        return next(part.size_bytes for part in page.chooser.stack.places[0].parts if part.kind == kind)

    page.chooser.choose(draft, "")
    before = cache_bytes("target-cache")
    pick(page.chooser.targets, target)
    qtbot.waitUntil(lambda: len(page.chooser.drafts.rows()) == 2, timeout=WAIT_MS)
    pick(page.chooser.drafts, draft)
    facts = program.models.facts(draft)
    assert facts is not None
    shape = CacheSettings(ctx_tokens=16_384, cache_type_k="q8_0")
    assert cache_bytes("draft-cache") == estimate_kv(facts, shape) != before


def test_what_the_loaded_model_frees_is_counted(page: ModelsPage, models: Path, qtbot: QtBot) -> None:
    """C19."""
    program = program_of(page)
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    places = page.chooser.stack.places
    program.models.measure = lambda: HostMemory(places[0].needed_bytes - 1000, 8_000_000_000)
    program.models.held_bytes = 0
    program.models.room_changed.emit()
    assert "only" in page.chooser.memory.text()
    program.models.held_bytes = 2000
    program.models.room_changed.emit()
    assert "only" not in page.chooser.memory.text()
    assert "nan" not in page.chooser.stack.toolTip().lower()


def test_the_picker_offers_the_same(page: ModelsPage, qtbot: QtBot) -> None:
    program = program_of(page)
    program.window.show_page(0)
    program.window.open_picker()
    picker = next(d for d in program.window.findChildren(ModelPicker) if d.isVisible())
    qtbot.waitUntil(lambda: bool(picker.chooser.offers), timeout=WAIT_MS)
    press(qtbot, picker.chooser.offers[0].button)
    qtbot.waitUntil(lambda: any(row.title == "small-q4_k_m" and row.enabled for row in picker.chooser.drafts.rows()),
                    timeout=WAIT_MS)
    picker.close()


def test_a_file_that_is_no_model_is_shown_with_its_reason(page: ModelsPage, models: Path, small: bytes, tmp_path: Path,
                                                          qtbot: QtBot) -> None:
    for number in range(12):
        (models / f"small-{number}.gguf").write_bytes(small)
    wait_for_row(qtbot, page.chooser.targets, "small-11")
    program = program_of(page)
    program.window.show_page(0)
    program.window.open_picker()
    picker = next(d for d in program.window.findChildren(ModelPicker) if d.isVisible())
    broken = tmp_path / "elsewhere" / "zz-broken.gguf"
    broken.parent.mkdir()
    broken.write_bytes(small[:500])
    picker.add_file(str(broken))
    row = wait_for_row(qtbot, picker.chooser.targets, "zz-broken")
    assert not row.enabled
    assert "cannot be read as a model" in row.detail
    targets = picker.chooser.targets
    last = targets.item(targets.count() - 1)
    qtbot.waitUntil(lambda: targets.viewport().rect().intersects(targets.visualItemRect(last)), timeout=WAIT_MS)
    picker.close()


def test_the_first_model_is_got_from_an_empty_window(make_program: MakeProgram, imitation: HubImitation, small: bytes,
                                                     tmp_path: Path, qtbot: QtBot) -> None:
    page = open_page(make_program, imitation, small, tmp_path, qtbot)
    program = program_of(page)
    qtbot.waitUntil(page.chooser.empty.isVisible, timeout=WAIT_MS)
    assert not page.chooser.targets.isVisible(), "the words stand where the list would begin"
    assert not page.use.isEnabled()
    program.window.show_page(0)
    buttons = {button.text(): button for button in program.window.welcome.findChildren(QPushButton)}
    press(qtbot, buttons["Look for others…"])
    assert program.window.pages.currentIndex() == 2
    assert page.more.isVisible()
    pick(page.more.listing, "catalog:small")
    press(qtbot, page.more.details.get)
    qtbot.waitUntil(lambda: any(row.use.isVisible() for row in page.downloads.rows.values()), timeout=WAIT_MS)
    (row,) = page.downloads.rows.values()
    press(qtbot, row.use)
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)


def test_nothing_is_cut_off_in_a_small_window(page: ModelsPage, qtbot: QtBot) -> None:
    window = program_of(page).window
    window.resize(800, 600)
    for key in ("here", "more"):
        press(qtbot, page.tabs.button(key))
        if key == "more":
            pick(page.more.listing, "catalog:big")
            assert page.more.details.with_draft.isVisible()
            page.more.details.with_draft.setText("with its draft DeepSeek R1 Distill Qwen 1.5B, which has a long name")
        qtbot.wait(50)
        if key == "more":
            assert page.more.listing.width() >= 200, "the list of models keeps its room"
        assert window.width() == 800
        for button in page.findChildren(QPushButton):
            if button.isVisible():
                right = button.mapTo(page, button.rect().bottomRight())
                assert page.rect().contains(right), button.text()


def test_cache_types_that_the_engine_would_refuse_are_said_before(page: ModelsPage, qtbot: QtBot) -> None:
    """C27."""
    program = program_of(page)
    load = msgspec.structs.replace(program.keeper.settings.load, flash_attn="off", cache_type_v="q8_0")
    page.choose(page.chooser.target_path, "", load)
    assert page.chooser.memory.isVisible()
    assert "needs flash attention" in page.chooser.memory.text()
    page.choose(page.chooser.target_path, "", program.keeper.settings.load)
    assert not page.chooser.memory.isVisible()


def test_a_draft_that_is_gone_is_said_and_not_forgotten(
    make_program: MakeProgram, models: Path, imitation: HubImitation, small: bytes, tmp_path: Path, qtbot: QtBot
) -> None:
    """C06 and C21: the target works without it, and once it is back it is its draft again."""
    target, draft = str(models / "big.gguf"), models / "small.gguf"
    settings = Settings(target_path=target, targets={target: TargetSettings(draft_path=str(draft))})
    page = open_page(make_program, imitation, small, tmp_path, qtbot, settings)
    program = program_of(page)
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    assert program.engine.draft is None
    banner = program.window.page.problem_banner
    assert "small is not there any more" in banner.text.text()
    assert program.keeper.settings.for_target(target).draft_path == str(draft)
    program.window.close()
    draft.write_bytes(small)
    second = program_of(open_page(make_program, imitation, small, tmp_path, qtbot, program.keeper.settings))
    qtbot.waitUntil(lambda: second.engine.draft is not None, timeout=WAIT_MS)


def test_a_damaged_draft_is_refused_with_its_reason(page: ModelsPage, models: Path, small: bytes, qtbot: QtBot) -> None:
    """C06."""
    (models / "cut.gguf").write_bytes(small[:5000])
    wait_for_row(qtbot, page.chooser.drafts, "cut")
    row = row_of(page.chooser.drafts, "cut") if page.chooser.drafts.rows() else None
    assert row is not None
    assert not row.enabled
    assert "cut short" in row.detail


def test_the_window_outlives_a_load_that_ends_the_engine(make_program: MakeProgram, models: Path, tmp_path: Path,
                                                         qtbot: QtBot) -> None:
    """C20."""
    program = make_program("--die-while-loading", "--signal", "9", "--once", str(tmp_path / "once"), load=False)
    program.pairs.use(str(models / "big.gguf"), "")
    banner = program.window.page.problem_banner
    qtbot.waitUntil(banner.isVisible, timeout=WAIT_MS)
    assert program.window.isVisible()
    program.pairs.use(str(models / "big.gguf"), "")
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)


def test_a_draft_that_ends_the_engine_leaves_the_target(make_program: MakeProgram, models: Path, small: bytes,
                                                        tmp_path: Path, qtbot: QtBot) -> None:
    """C20: the target comes back by itself, without the draft."""
    program = make_program("--die-while-loading", "--signal", "9", "--once", str(tmp_path / "once"), load=False)
    (tmp_path / "once").touch()
    program.pairs.use(str(models / "big.gguf"), "")
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    (tmp_path / "once").unlink()
    program.pairs.use(str(models / "big.gguf"), str(models / "small.gguf"))
    banner = program.window.page.problem_banner
    qtbot.waitUntil(banner.isVisible, timeout=WAIT_MS)
    assert "target answers alone" in banner.text.text()
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    assert program.engine.target is not None
    assert program.engine.draft is None


def test_the_memory_banner_holds_a_draft_back_and_offers_the_ways(
    make_program: MakeProgram, models: Path, imitation: HubImitation, small: bytes, tmp_path: Path, qtbot: QtBot
) -> None:
    """C18, C19 and C20: warned before loading, in words that fit, with every way out."""
    (models / "small.gguf").write_bytes(small)
    page = open_page(make_program, imitation, small, tmp_path, qtbot)
    program = program_of(page)
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    program.window.show_page(0)
    program.models.held_bytes = 0
    target, draft = str(models / "big.gguf"), str(models / "small.gguf")
    judgement = program.models.judge_memory(target, draft, program.keeper.settings.load)
    assert judgement is not None
    free = judgement.needed_bytes - 1000
    program.models.measure = lambda: HostMemory(free, free)
    program.pairs.use(target, draft)
    banner = program.window.page.memory_banner
    assert banner.isVisible()
    assert program.pairs.draft_path == ""
    ways = [action.text() for action in banner.menu.actions()]
    assert any("context" in way for way in ways)
    assert not any("N-gram" in way for way in ways)
    program.window.resize(1280, 800)
    qtbot.wait(50)
    lines = banner.text.height() / banner.text.fontMetrics().lineSpacing()
    assert lines < 3.5, "the text is squeezed beside its buttons"
    action = next(action for action in banner.menu.actions() if "context" in action.text())
    action.trigger()
    qtbot.waitUntil(lambda: program.engine.draft is not None, timeout=WAIT_MS)
    assert not banner.isVisible()


def test_the_engine_is_asked_where_memory_is_tight(page: ModelsPage, qtbot: QtBot) -> None:
    program = program_of(page)
    qtbot.waitUntil(lambda: program.engine.state is EngineState.READY, timeout=WAIT_MS)
    program.models.held_bytes = 0
    before = page.chooser.stack.places[0]
    program.probe.command = scripted_worker_command()
    program.probe.enabled = True
    program.models.measure = lambda: HostMemory(before.needed_bytes + 1000, before.needed_bytes + 1000)
    program.models.room_changed.emit()

    def cache_bytes() -> int:
        return next((part.size_bytes for part in page.chooser.stack.places[0].parts if part.kind == "target-cache"), 0)

    qtbot.waitUntil(lambda: cache_bytes() == 112 * 2**20, timeout=WAIT_MS)


def test_the_engine_is_asked_of_a_draft_as_it_will_be_loaded(page: ModelsPage, models: Path, small: bytes, qtbot: QtBot
                                                             ) -> None:
    (models / "small.gguf").write_bytes(small)
    wait_for_row(qtbot, page.chooser.drafts, "small")
    program = program_of(page)
    target, draft = page.chooser.target_path, str(models / "small.gguf")
    own = TargetSettings(draft_load=LoadChoice(cache_type_k="q8_0"))
    program.keeper.replace_target(target, own)
    program.probe.command = scripted_worker_command()
    program.probe.enabled = True
    program.models.measure = lambda: HostMemory(1000, 1000)
    page.chooser.choose(target, draft)

    def draft_cache() -> int:
        return next((part.size_bytes for part in page.chooser.stack.places[0].parts if part.kind == "draft-cache"), 0)

    qtbot.waitUntil(lambda: draft_cache() == 112 * 2**20, timeout=WAIT_MS)


def test_graphics_cards_are_asked_for_and_shown(page: ModelsPage, qtbot: QtBot) -> None:
    program = program_of(page)
    qtbot.waitUntil(lambda: bool(program.models.devices), timeout=WAIT_MS)
    assert [device.kind for device in program.models.devices] == ["cpu"]
    card = Device(name="CUDA0", description="Some Card", kind="gpu", free_bytes=1_000_000, total_bytes=8_000_000_000)
    program.models.held_paths = ()
    program.models.take_devices([card])
    memory, graphics = page.chooser.stack.places
    assert (memory.name, graphics.name) == ("", "Some Card")
    assert not graphics.fits
    assert "graphics memory" in page.chooser.memory.text()


PROGRAM = """
import os, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from PySide6.QtCore import QTimer
from app.gui.program import Program
from app.gui.start import make_application
from app.gui.controllers.worker_process import WorkerProcess
from app.models.catalog import CatalogFile
from app.settings.settings import SettingsFile
from tests.scripted_worker import scripted_worker_command
application = make_application(["program"])
program = Program(application, SettingsFile(Path(sys.argv[2])), WorkerProcess(scripted_worker_command()))
program.start()
program.market.downloads.get(CatalogFile(quantisation="Q4_K_M", repo="some/small", file="small-q4_k_m.gguf"))
def look():
    if any(state.done_bytes >= 400_000 for state in program.market.downloads.states):
        print("there", flush=True)
        timer.stop()
timer = QTimer()
timer.timeout.connect(look)
timer.start(20)
application.exec()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_the_whole_program_killed_and_the_download_resumed(
    make_program: MakeProgram, models: Path, imitation: HubImitation, small: bytes, tmp_path: Path, qtbot: QtBot
) -> None:
    """C16: kill −9 of the program in the middle; nothing half-done is a model, and nothing is fetched twice."""
    gate = hold_after(imitation, 400_000)
    file = SettingsFile(tmp_path / "killed.json")
    file.save(Settings(hub=HubSettings(endpoint=imitation.endpoint)))
    command = [sys.executable, "-c", PROGRAM, str(paths.program_root()), str(file.path)]
    # The fixture has set the folders of the program that is made below; this one shall have the same.
    program = make_program(settings=file.load()[0], load=False)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
    gate.set()
    program.models.rescan()
    qtbot.waitUntil(lambda: program.models.scanned, timeout=WAIT_MS)
    assert [entry.path.name for entry in program.models.entries] == ["big.gguf"]
    asked = len(imitation.storage_requests)
    program.market.downloads.restore()
    program.window.show_page(2)
    page = program.window.models_page
    qtbot.waitUntil(lambda: len(page.downloads.rows) == 1, timeout=WAIT_MS)
    (row,) = page.downloads.rows.values()
    assert "paused" in row.words.text()
    assert len(imitation.storage_requests) == asked
    press(qtbot, row.resume)
    qtbot.waitUntil(lambda: "whole and checked" in row.words.text(), timeout=WAIT_MS)
    assert int(imitation.storage_requests[-1]["range"].removeprefix("bytes=").removesuffix("-")) >= 400_000
    assert next(models.rglob("small-q4_k_m.gguf")).read_bytes() == small
