from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import msgspec
import pytest

from app.errors import Code, SlipstreamError
from app.methods import parse_method
from app.records import LoadSettings, Sampling
from app.settings.ranges import check
from app.settings.scopes import AnswerChoice
from app.settings.settings import Settings, SettingsFile, Speculation, TargetSettings


def test_round_trip(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "deep" / "settings.json")
    settings = Settings(
        theme="dark", tint_drafted=True, target_path="/models/Ünïcode 模型.gguf",
        targets={"/models/Ünïcode 模型.gguf": TargetSettings(
            draft_path="/d.gguf", speculation=Speculation(mode="fixed", max_draft=6, p_min=0.6),
            plain_tokens_per_second=14.8,
        )},
        sampling=Sampling(temperature=0.2, seed=7), load=LoadSettings(ctx_tokens=8192), system_prompt="Be brief.",
    )
    file.save(settings)
    assert file.load() == (settings, "")
    assert [path.name for path in file.path.parent.iterdir()] == ["settings.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
def test_only_the_owner_can_read_them(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "conf" / "settings.json")
    file.save(Settings(system_prompt="private"))
    assert stat.S_IMODE(file.path.stat().st_mode) & 0o077 == 0


def test_missing_file_gives_defaults(tmp_path: Path) -> None:
    assert SettingsFile(tmp_path / "none.json").load() == (Settings(), "")


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b"[]", b'{"theme": "pink"}', b"[" * 5000])
def test_a_damaged_file_is_kept_aside(tmp_path: Path, damage: bytes) -> None:
    file = SettingsFile(tmp_path / "settings.json")
    for number in (1, 2):
        file.path.write_bytes(damage)
        settings, sentence = file.load()
        assert settings == Settings()
        assert "damaged" in sentence
        kept = [path for path in tmp_path.iterdir() if path.name != "settings.json"]
        assert len(kept) == number
        assert all(path.read_bytes() == damage for path in kept)


def test_newer_fields_are_ignored(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "settings.json")
    file.path.write_bytes(b'{"theme": "dark", "from_the_future": [1]}')
    assert file.load() == (Settings(theme="dark"), "")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="says what root sees")
def test_a_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "conf").write_text("")
    with pytest.raises(SlipstreamError) as raised:
        SettingsFile(tmp_path / "conf" / "settings.json").save(Settings())
    assert raised.value.code is Code.FILE


@pytest.mark.parametrize(("speculation", "method"), [
    (Speculation(mode="off"), "off"), (Speculation(), "auto"),
    (Speculation(mode="fixed"), "draft"), (Speculation(mode="fixed", max_draft=8, min_draft=1, p_min=0.6),
                                           "draft:max=8,min=1,p_min=0.6"),
    (Speculation(mode="fixed", drafter="ngram-simple"), "ngram-simple"),
])
def test_the_switch_as_a_method(speculation: Speculation, method: str) -> None:
    assert str(parse_method(speculation.method())) == method


def test_ranges_are_checked() -> None:
    check(Settings())
    target = TargetSettings(speculation=Speculation(max_draft=0))
    with pytest.raises(SlipstreamError, match="max draft tokens"):
        check(msgspec.structs.replace(Settings(), targets={"t": target}))


def test_values_outside_their_ranges_are_brought_in_and_said(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / "settings.json")
    file.path.write_bytes(b"""{
        "theme": "dark", "max_tokens": 0, "sampling": {"temperature": 99, "top_k": 7}, "load": {"threads": -3},
        "presets": [{"name": "Mine", "choice": {"top_p": 7, "seed": -1}}],
        "targets": {"/t": {"answers": {"min_p": -1}, "draft_load": {"gpu_layers": -9},
                           "speculation": {"mode": "fixed", "max_draft": 99}},
                    "/u": {"speculation": {"mode": "fixed", "drafter": "of the future"}}}}""")
    settings, sentence = file.load()
    assert settings.theme == "dark"
    assert (settings.max_tokens, settings.sampling.temperature, settings.sampling.top_k) == (1, 5, 7)
    assert settings.load.threads == 0
    assert settings.presets[0].choice == AnswerChoice(top_p=1, seed=-1)
    assert (settings.targets["/t"].answers.min_p, settings.targets["/t"].draft_load.gpu_layers) == (0, -1)
    assert settings.targets["/t"].speculation == Speculation(mode="fixed", max_draft=64)
    assert settings.targets["/u"].speculation == Speculation()
    assert "temperature 5" in sentence
    check(settings)
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]
