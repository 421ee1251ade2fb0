"""What packaging does besides calling others: links for copies, and the tree of the Debian package."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage, QImageReader

from devtools.debian import make_deb, needed_libc
from devtools.packaging import PORTABLE_ARGUMENTS, folder_bytes, gather_variants, link_copies, portable_arguments

ROOT = Path(__file__).resolve().parents[2]
linux = pytest.mark.skipif(sys.platform != "linux", reason="packages of Debian are made on Linux")


def frozen(folder: Path) -> Path:
    libraries = folder / "_internal" / "llama_cpp" / "lib"
    libraries.mkdir(parents=True)
    for name in ("libggml.so", "libggml.so.0", "libggml.so.0.25.3"):
        (libraries / name).write_bytes(b"same" * 1000)
    (libraries / "libllama.so").write_bytes(b"other" * 1000)
    (folder / "_internal" / "libggml.so").write_bytes(b"same" * 1000)
    program = folder / "slipstream"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return folder


@linux
def test_copies_beside_each_other_become_links_and_others_stay(tmp_path: Path) -> None:
    folder = frozen(tmp_path / "slipstream")
    before = folder_bytes(folder)
    assert link_copies(folder) == 8000 == before - folder_bytes(folder)
    libraries = folder / "_internal" / "llama_cpp" / "lib"
    for name in ("libggml.so.0", "libggml.so.0.25.3"):
        assert os.readlink(libraries / name) == "libggml.so"
        assert (libraries / name).read_bytes() == b"same" * 1000
    assert not (folder / "_internal" / "libggml.so").is_symlink()
    assert link_copies(folder) == 0


def test_variants_of_the_processors_part_move_to_the_library_that_looks_for_them(tmp_path: Path) -> None:
    libraries = tmp_path / "llama_cpp" / "lib"
    libraries.mkdir(parents=True)
    assert gather_variants(tmp_path) == 0
    (tmp_path / "bin").mkdir()
    for name in ("libggml-cpu-haswell.so", "libggml-cpu-x64.so", "convert_hf_to_gguf.py"):
        (tmp_path / "bin" / name).write_text(name)
    assert gather_variants(tmp_path) == 2
    assert sorted(path.name for path in libraries.iterdir()) == ["libggml-cpu-haswell.so", "libggml-cpu-x64.so"]
    assert [path.name for path in (tmp_path / "bin").iterdir()] == ["convert_hf_to_gguf.py"]


def test_the_c_library_is_the_newest_that_a_file_asks_for(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.so").write_bytes(b"\x7fELF\0GLIBC_2.9\0GLIBC_2.36\0GLIBC_2.4\0")
    (tmp_path / "b.so").write_bytes(b"\x7fELF\0GLIBC_2.17\0GLIBC_2.2.5\0GLIBCXX_3.4.90\0GLIBC_PRIVATE\0")
    (tmp_path / "words.txt").write_bytes(b"GLIBC_2.99\0")
    (tmp_path / "plain").write_bytes(b"\x7fELF\0nothing")
    assert needed_libc(tmp_path) == "2.36"


@linux
def test_the_debian_package_holds_what_a_desktop_looks_for(tmp_path: Path) -> None:
    assert shutil.which("dpkg-deb"), "dpkg-deb comes with every Debian"
    package = make_deb(ROOT, frozen(tmp_path / "slipstream"), tmp_path / "out")
    listed = subprocess.run(["dpkg-deb", "--contents", str(package)], capture_output=True, text=True, check=True).stdout
    rows = {row.split(maxsplit=5)[5]: row.split() for row in listed.splitlines()}
    for place in (
        "./usr/share/applications/slipstream.desktop",
        "./usr/share/metainfo/io.github.slipstream.Slipstream.metainfo.xml",
        "./usr/share/mime/packages/slipstream.xml",
        "./usr/share/icons/hicolor/scalable/apps/slipstream.svg",
        "./usr/share/doc/slipstream/copyright",
    ):
        assert rows[place][0] == "-rw-r--r--", place
    assert "./usr/bin/slipstream -> ../lib/slipstream/slipstream" in rows
    assert rows["./usr/lib/slipstream/slipstream"][0] == "-rwxr-xr-x"
    assert all(row[1] == "root/root" for row in rows.values())
    control = subprocess.run(["dpkg-deb", "--field", str(package)], capture_output=True, text=True, check=True).stdout
    assert "Package: slipstream\n" in control
    assert "libegl1" in control
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [package.name]


def test_a_package_for_cards_still_suits_any_processor() -> None:
    assert portable_arguments("none") == PORTABLE_ARGUMENTS
    for_cards = portable_arguments("cuda").split()
    assert {"-DGGML_CUDA=on", "-DGGML_NATIVE=OFF", "-DGGML_CPU_ALL_VARIANTS=ON"} <= set(for_cards)


def test_the_icon_is_drawn_for_windows_and_macos(tmp_path: Path) -> None:
    icons = runpy.run_path(str(ROOT / "packaging" / "icons.py"))
    svg = ROOT / "resources" / "icons" / "slipstream.svg"
    read = QImageReader(str(icons["make_ico"](svg, tmp_path / "deep" / "slipstream.ico")))
    assert [read.size().width() for number in range(read.imageCount()) if read.jumpToImage(number)] == [
        16, 24, 32, 48, 64, 128, 256]
    image = QImage(str(tmp_path / "deep" / "slipstream.ico"))
    assert len({image.pixel(x, image.height() // 2) for x in range(image.width())}) > 1
    large = QImageReader(str(icons["make_icns"](svg, tmp_path / "slipstream.icns")))
    assert large.canRead()
    assert large.imageCount() == 7
