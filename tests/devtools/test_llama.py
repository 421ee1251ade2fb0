from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from devtools import llama
from devtools.environment import locked_package

ROOT = Path(__file__).resolve().parents[2]


def test_the_reason_of_a_failed_build_is_found() -> None:
    lines = ["-- The C compiler identification", "[3/140] c++ -Werror x.cpp", "x.cpp:1: fatal error: no y.h", "stopped"]
    assert llama.build_reason(lines) == "x.cpp:1: fatal error: no y.h"
    lines = ["-- Warning: ccache not found", "CMake Error in ggml/CMakeLists.txt:", "  no GPU was detected.", "", "end"]
    assert llama.build_reason(lines) == "CMake Error in ggml/CMakeLists.txt: no GPU was detected."
    assert llama.build_reason(["one", "two", ""]) == "two"
    assert llama.build_reason([]) == "it printed nothing"


@pytest.mark.parametrize(
    ("gpu", "given", "remembered", "expected"),
    [
        (None, "", "", "-DLLAVA_BUILD=OFF"),
        ("cuda", "", "", "-DLLAVA_BUILD=OFF -DGGML_CUDA=on"),
        ("vulkan", "-DX=1", "-DOLD=1", "-DLLAVA_BUILD=OFF -DGGML_VULKAN=on -DX=1"),
        (None, "-DX=1", "-DOLD=1", "-DLLAVA_BUILD=OFF -DX=1"),
        (None, "", "-DLLAVA_BUILD=OFF -DGGML_CUDA=on", "-DLLAVA_BUILD=OFF -DGGML_CUDA=on"),
        ("none", "", "-DLLAVA_BUILD=OFF -DGGML_CUDA=on", "-DLLAVA_BUILD=OFF"),
        (None, "-DLLAVA_BUILD=ON", "", "-DLLAVA_BUILD=ON"),
    ],
)
def test_what_was_asked_for_last_is_what_is_built(gpu: str | None, given: str, remembered: str, expected: str) -> None:
    assert llama.cmake_arguments(gpu, given, remembered) == expected


def test_the_key_parts_processors_arguments_and_compilers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "g++")
    keys = [llama.wheel_key("", "avx2"), llama.wheel_key("", "avx2 avx512f"), llama.wheel_key("-DGGML_CUDA=on", "avx2")]
    monkeypatch.setenv("CXX", "clang++")
    keys.append(llama.wheel_key("", "avx2"))
    assert len(set(keys)) == 4
    assert llama.wheel_key("", "avx2") == keys[-1]
    assert all(key.replace("-", "").replace("_", "").replace(".", "").isalnum() for key in keys), "a folder's name"


def test_a_build_that_dies_of_amx_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wheels of before the mended header lie under other names, on processors with AMX and in packages alone."""
    keys = [llama.wheel_key("", features) for features in ("avx2", "amx_tile avx2", llama.PORTABLE)]
    monkeypatch.setattr(llama, "AMX_RECIPE", "amx-tiles-0")
    others = [llama.wheel_key("", features) for features in ("avx2", "amx_tile avx2", llama.PORTABLE)]
    assert [key == other for key, other in zip(keys, others, strict=True)] == [True, False, False]


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("g++") is None, reason="the header is for GCC on Linux")
def test_the_header_gives_the_compiler_the_whole_tile_configuration(tmp_path: Path) -> None:
    """What is stored behind the first eight bytes of it must not be taken for useless."""
    tools = llama.Tools(ROOT, Path("python"), Path("uv"), {"CXXFLAGS": "-O3 -mamx-tile -mamx-int8"})
    source = tmp_path / "tiles.cpp"
    source.write_text(
        "#include <immintrin.h>\n"
        "void set() { alignas(64) unsigned char tc[64] = {}; tc[0] = 1; tc[48] = 77; _tile_loadconfig(tc); }\n",
        encoding="ascii",
    )
    command = ["g++", *shlex.split(llama.cxx_flags(tools)), "-S", "-o", "-", str(source)]
    assembly = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "ldtilecfg" in assembly
    assert "$77" in assembly


def test_a_kept_wheel_is_used_only_when_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama, "cache_dir", lambda: tmp_path)
    assert llama.must_build("0.3.36", "key")
    folder = llama.wheels_dir("0.3.36", "key")
    folder.mkdir(parents=True)
    wheel = folder / "llama_cpp_python-0.3.36-py3-none-any.whl"
    wheel.write_bytes(b"PK half a wheel")
    assert llama.must_build("0.3.36", "key")
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("llama_cpp/__init__.py", "")
    assert llama.kept_wheel("0.3.36", "key") == wheel
    assert not llama.must_build("0.3.36", "key")
    assert llama.must_build("0.3.37", "key")
    assert not llama.must_build("0.3.37", llama.index_key("https://wheels.example"))


def test_the_source_package_is_locked_by_hash() -> None:
    source = llama.Source.from_lock(locked_package(ROOT, "llama-cpp-python"))
    assert source.url.startswith("https://files.pythonhosted.org/")
    assert source.url.endswith(f"llama_cpp_python-{source.version}.tar.gz")
    assert len(bytes.fromhex(source.sha256)) == 32
    assert source.size > 10_000_000
