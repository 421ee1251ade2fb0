"""The Compare page and ``slipstream bench`` on the real pair: known verdicts, and the same from both.

With llama.cpp, whose kernels the verdicts are known for: with ik_llama.cpp the same draft gains where it loses here.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.compare.interval import Estimate
from app.gui.controllers.compare_choice import SideChoice
from app.settings.settings import Speculation
from tests.gui.conftest import MakeProgram

ROOT = Path(__file__).resolve().parents[3]
WAIT_MS = 900_000
TOKENS = 32
"""Short, for many pairs in three minutes: single answers scatter by a tenth on a shared machine."""

pytestmark = [pytest.mark.model, pytest.mark.long, pytest.mark.timeout(2400)]


def ask_panel(make_program: MakeProgram, qtbot: QtBot, target: Path, draft: Path, speculation: Speculation,
              prompts: int) -> tuple[str, Estimate, str]:
    """Kind of the verdict, speed-up and headline, from the page as a person uses it."""
    program = make_program(load=False)
    program.window.show_page(1)
    page = program.window.compare_page
    page.setup.show_sides(SideChoice(str(target), str(draft), speculation, engine="llama"), [])
    form = page.setup.prompts_card
    form.tokens.setValue(TOKENS)
    qtbot.mouseClick(form.source.button("shipped"), Qt.MouseButton.LeftButton)
    for box in form.kinds:
        box.setChecked(box.property("kind") == "code")
    form.per_kind.setValue(prompts)
    started = time.monotonic()
    qtbot.mouseClick(page.setup.start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.verdict.isVisible() or page.banner.isVisible(), timeout=WAIT_MS)
    assert page.verdict.isVisible(), page.banner.text.text()
    sys.stderr.write(f"\npanel, {time.monotonic() - started:.0f} s: {page.verdict.headline.text()}; "
                     f"{page.verdict.sentence.text()} {page.verdict.basis.text()}\n")
    estimate = page.verdict.bar.estimates[0]
    assert estimate is not None
    words = page.verdict.headline.text()
    kind = "slower" if "slower" in words else "other" if "sure" in words or "no faster" in words else "faster"
    return kind, estimate, words


def ask_command(tmp_path: Path, target: Path, draft: Path, method: str, prompts: int) -> tuple[str, Estimate]:
    """The same from the command line."""
    out = tmp_path / "out.json"
    command = [sys.executable, "-m", "app", "bench", "--model", str(target), "--draft", str(draft), "--kinds", "code",
               "--engine", "llama", "--limit", str(prompts), "--max-tokens", str(TOKENS), "--methods", "off", method,
               "--minutes", "3", "--json", str(out)]
    started = time.monotonic()
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    report = json.loads(out.read_text())
    verdict = report["verdicts"][0]
    sys.stderr.write(f"\ncommand, {time.monotonic() - started:.0f} s: {verdict['sentence']}\n")
    return verdict["kind"], Estimate(**report["result"]["overall"]["sides"][1]["speedup"])


def agree(one: Estimate, other: Estimate) -> bool:
    """Whether the intervals share a value."""
    assert None not in (one.low, one.high, other.low, other.high)
    return (one.low or 0) <= (other.high or 0) and (other.low or 0) <= (one.high or 0)


@pytest.mark.parametrize(
    ("target", "speculation", "prompts", "kind"),
    [
        ("target_bf16", Speculation(mode="fixed", max_draft=8, p_min=0.6), 2, "faster"),
        ("target_q4", Speculation(mode="fixed", max_draft=6), 2, "slower"),
    ],
)
def test_panel_and_command_give_the_known_verdict(
    make_program: MakeProgram, qtbot: QtBot, tmp_path: Path, request: pytest.FixtureRequest, draft_q4_0: Path,
    target: str, speculation: Speculation, prompts: int,
    kind: str,
) -> None:
    path: Path = request.getfixturevalue(target)
    found, panel, words = ask_panel(make_program, qtbot, path, draft_q4_0, speculation, prompts)
    assert found == kind, words
    verdict, command = ask_command(tmp_path, path, draft_q4_0, speculation.method(), prompts)
    assert verdict == kind
    assert agree(panel, command)
