"""An AppImage is made of a folder, and run: mounted where there is FUSE, unpacked where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from devtools.appimage import make_appimage
from devtools.system import Need, missing_packages

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """#!/bin/sh
echo "$APPDIR $APPIMAGE $(cat "$APPDIR/usr/lib/slipstream/words") $*"
exit 7
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if sys.platform != "linux" or (missing := missing_packages(Need.APPIMAGE)):
        pytest.skip(f"an AppImage is made with: {' '.join(missing) if sys.platform == 'linux' else 'Linux'}")
    frozen = tmp_path_factory.mktemp("frozen") / "slipstream"
    frozen.mkdir()
    (frozen / "slipstream").write_text(PROGRAM)
    (frozen / "slipstream").chmod(0o755)
    (frozen / "words").write_text("carried")
    (frozen / "large").write_bytes(os.urandom(3_000_000))
    (frozen / "empty").touch()
    (frozen / "link").symlink_to("words")
    return make_appimage(ROOT, frozen, tmp_path_factory.mktemp("out"))


def run(image: Path, *arguments: str, home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("APPIMAGE", "XDG_"))}
    return subprocess.run([image, *arguments], capture_output=True, text=True, check=False, cwd=home, timeout=60,
                          env={**environment, "HOME": str(home), "TMPDIR": str(home), **more})


def test_it_is_one_file_with_the_mark_of_its_kind(image: Path) -> None:
    assert [path.name for path in image.parent.iterdir()] == [image.name]
    assert image.read_bytes()[:11] == b"\x7fELF\x02\x01\x01\x00AI\x02"


def test_it_starts_the_program_with_its_arguments_and_ends_as_it_does(image: Path, tmp_path: Path) -> None:
    done = run(image, "a b", "--appimage-extract", home=tmp_path)
    place, named, words, *rest = done.stdout.split()
    assert (done.returncode, named, words, rest) == (7, str(image), "carried", ["a", "b", "--appimage-extract"])
    assert place.startswith(str(tmp_path))


def test_without_fuse_it_is_unpacked_once_and_an_older_one_is_cleared_away(image: Path, tmp_path: Path) -> None:
    folder = tmp_path / ".cache" / "slipstream" / "appimage"
    first = run(image, "x", home=tmp_path, APPIMAGE_EXTRACT_AND_RUN="1")
    assert first.returncode == 7
    assert "Unpacking" in first.stderr
    place = Path(first.stdout.split()[0])
    assert place.parent == folder
    assert first.stdout.split()[2:] == ["carried", "x"]
    assert (place / "usr/lib/slipstream/large").read_bytes() in image.read_bytes()
    second = run(image, "--appimage-extract-and-run", "x", home=tmp_path)
    assert (second.stdout, second.stderr) == (first.stdout, "")
    os.utime(image, (1, 1))
    third = run(image, "--appimage-extract-and-run", "x", home=tmp_path)
    assert third.returncode == 7
    assert [path for path in folder.iterdir() if path.is_dir()] == [Path(third.stdout.split()[0])] != [place]


def test_a_portable_one_is_unpacked_beside_itself(image: Path, tmp_path: Path) -> None:
    carried = tmp_path / "stick" / image.name
    carried.parent.mkdir()
    carried.write_bytes(image.read_bytes())
    carried.chmod(0o755)
    (carried.parent / "portable").touch()
    done = run(carried, "--appimage-extract-and-run", home=tmp_path)
    assert Path(done.stdout.split()[0]).parent == carried.parent / "slipstream-data" / "cache" / "appimage"
    assert not (tmp_path / ".cache").exists()


def test_it_can_be_looked_into(image: Path, tmp_path: Path) -> None:
    assert run(image, "--appimage-extract", home=tmp_path).returncode == 0
    tree = tmp_path / "squashfs-root"
    assert (tree / "AppRun").resolve() == tree / "usr/lib/slipstream/slipstream"
    assert (tree / "usr/lib/slipstream/link").readlink() == Path("words")
    assert (tree / "usr/lib/slipstream/empty").read_bytes() == b""
    assert "Exec=slipstream %f" in (tree / "slipstream.desktop").read_text(encoding="utf-8")
    assert (tree / ".DirIcon").resolve() == tree / "slipstream.svg"
    offset = int(run(image, "--appimage-offset", home=tmp_path).stdout)
    assert image.read_bytes()[offset : offset + 4] == b"hsqs"


def test_a_damaged_one_says_so(image: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.AppImage"
    cut.write_bytes(image.read_bytes()[: int(run(image, "--appimage-offset", home=tmp_path).stdout) + 50_000])
    cut.chmod(0o755)
    done = run(cut, "--appimage-extract-and-run", home=tmp_path)
    assert done.returncode == 1
    assert "AppImage" in done.stderr
