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
from app.settings.settings import Settings, SettingsFile, Speculation, TargetSettings, check


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


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b"[]", b'{"theme": "pink"}', b'{"max_tokens": 0}',
                                    b"[" * 5000, b'{"sampling": {"temperature": 99}}'])
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
