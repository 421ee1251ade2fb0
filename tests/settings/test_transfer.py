from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from app.errors import Code, SlipstreamError
from app.records import Sampling
from app.settings.scopes import AnswerChoice, LoadChoice, Preset, Speculation
from app.settings.settings import Settings, TargetSettings, WindowSettings
from app.settings.transfer import FORMAT, MOST_BYTES, export_settings, import_settings

SETTINGS = Settings(
    theme="dark", sampling=Sampling(temperature=0.3, seed=9), system_prompt="Ngắn gọn.", thinking="off",
    presets=[Preset(name="Mine", choice=AnswerChoice(top_k=3))], target_path="/m/t.gguf", model_folders=["/m"],
    window=WindowSettings(width=700),
    targets={"/m/t.gguf": TargetSettings(load=LoadChoice(ctx_tokens=1024), draft_path="/m/d.gguf",
                                         speculation=Speculation(mode="fixed", drafter="suffix"))},
)


def test_round_trip_keeps_what_belongs_to_the_computer(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    export_settings(SETTINGS, file)
    assert [path.name for path in tmp_path.iterdir()] == ["s.json"]
    assert b"model_folders\": []" in file.read_bytes()
    present = Settings(target_path="/here.gguf", model_folders=["/here"], window=WindowSettings(width=900),
                       targets={"/here.gguf": TargetSettings(draft_path="/d.gguf")})
    found = import_settings(file, present)
    assert (found.target_path, found.model_folders, found.window.width) == ("/here.gguf", ["/here"], 900)
    assert found.targets == {**present.targets, **SETTINGS.targets}
    assert (found.sampling, found.presets, found.thinking) == (SETTINGS.sampling, SETTINGS.presets, "off")


def _wrapped(settings: str, version: int = 1, name: str = FORMAT) -> bytes:
    return f'{{"format": "{name}", "version": {version}, "settings": {settings}}}'.encode()


@pytest.mark.parametrize(("content", "reason"), [
    (b"", "damaged"), (b"\xff\xfe{}", "damaged"), (b"[" * 100_000, "damaged"), (b'{"theme": "dark"}', "damaged"),
    (_wrapped("[]"), "damaged"), (_wrapped('{"theme": "pink"}'), "damaged"),
    (_wrapped("{}", name="other"), "no settings"),
    (_wrapped("{}", version=99), "newer version"), (_wrapped('{"max_tokens": 0}'), "answer length"),
    (_wrapped('{"sampling": {"temperature": 1e300}}'), "temperature"),
    (_wrapped('{"sampling": {"temperature": NaN}}'), "damaged"),
    (_wrapped('{"targets": {"a": {"speculation": {"mode": "fixed", "drafter": "rm -rf"}}}}'), "speculation"),
    (_wrapped('{"presets": [{"name": "x", "choice": {"top_p": 7}}]}'), "top-p"),
    (_wrapped('{"load": {"gpu_layers": -9}}'), "GPU layers"), (b" " * (MOST_BYTES + 1), "4 MB"),
])
def test_hostile_files_are_refused_in_words(tmp_path: Path, content: bytes, reason: str) -> None:
    file = tmp_path / "s.json"
    file.write_bytes(content)
    with pytest.raises(SlipstreamError) as raised:
        import_settings(file, Settings())
    assert raised.value.code is Code.FILE
    assert reason in raised.value.message
    assert "s.json" in raised.value.message
    assert raised.value.hint


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(SlipstreamError, match="could not be read"):
        import_settings(tmp_path / "none", Settings())
    with pytest.raises(SlipstreamError, match="could not be written"):
        export_settings(Settings(), tmp_path / "no folder" / "s.json")
    assert msgspec.json.decode(msgspec.json.encode(Settings()), type=Settings) == Settings()
