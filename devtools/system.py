"""System libraries and programs: what is missing, and how this system installs it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from enum import Flag, auto
from pathlib import Path

from app import sentences
from app.errors import Code, SlipstreamError
from devtools.console import complain, moving, say

# Sonames that PySide6's own libraries and its X11 plugin ask the system for, and the Debian package of each.
# Renamed packages of newer releases (libglib2.0-0t64) still answer to these names.
WINDOW_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
FONT_SUFFIXES = {".ttf", ".otf", ".ttc"}
GPU_TOOLS = {
    "cuda": ("nvcc", "the CUDA toolkit"),
    "vulkan": ("glslc", "the Vulkan development files (libvulkan-dev and glslc)"),
    "rocm": ("hipcc", "the ROCm development packages"),
}


# Programs and headers that an AppImage is made with, and the Debian package of each.
APPIMAGE_FILES = {
    "/usr/bin/mksquashfs": "squashfs-tools",
    "/usr/include/squashfuse/ll.h": "libsquashfuse-dev",
    "/usr/include/fuse3/fuse_lowlevel.h": "libfuse3-dev",
    "/usr/include/zstd.h": "libzstd-dev",
    "/usr/include/zlib.h": "zlib1g-dev",
    "/usr/include/lzma.h": "liblzma-dev",
    "/usr/include/lz4.h": "liblz4-dev",
    "/usr/include/lzo/lzo1x.h": "liblzo2-dev",
}


class Need(Flag):
    """What a verb is about to do."""

    VENV = auto()
    BUILD = auto()
    WINDOW = auto()
    TESTS = auto()
    APPIMAGE = auto()


def library_names(listing: str) -> set[str]:
    """The sonames in what ``ldconfig -p`` prints."""
    return {line.split()[0] for line in listing.splitlines() if " => " in line}


def installed_libraries() -> set[str] | None:
    """The sonames the dynamic linker knows, or None where it cannot be asked."""
    tool = shutil.which("ldconfig") or shutil.which("ldconfig", path="/sbin:/usr/sbin")
    if tool is None:
        return None
    answer = subprocess.run([tool, "-p"], capture_output=True, text=True, check=False)
    return library_names(answer.stdout) if answer.returncode == 0 else None


def has_fonts() -> bool:
    folders = (Path(folder).expanduser() for folder in FONT_FOLDERS)
    if any(file.suffix.lower() in FONT_SUFFIXES for folder in folders for file in folder.rglob("*")):
        return True
    lister = shutil.which("fc-list")
    return lister is not None and bool(subprocess.run([lister], capture_output=True, check=False).stdout.strip())


def has_display() -> bool:
    """Whether a window can open: always on macOS and Windows, by the environment elsewhere."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def missing_packages(need: Need) -> list[str]:
    """Debian names of what ``need`` lacks on this Linux, sorted."""
    missing: set[str] = set()
    if Need.VENV in need and importlib.util.find_spec("ensurepip") is None:
        missing.add(f"python{sys.version_info.major}.{sys.version_info.minor}-venv")
    if Need.BUILD in need:
        if shutil.which(os.environ.get("CC", "cc")) is None:
            missing.add("gcc")
        if shutil.which(os.environ.get("CXX", "c++")) is None:
            missing.add("g++")
    if Need.WINDOW in need:
        known = installed_libraries()
        if known is not None:
            missing.update(package for soname, package in WINDOW_LIBRARIES.items() if soname not in known)
        if not has_fonts():
            missing.update(("fontconfig", "fonts-dejavu-core"))
    if Need.TESTS in need:
        missing.update(package for program, package in (("Xvfb", "xvfb"), ("xdotool", "xdotool"))
                       if shutil.which(program) is None)  # fmt: skip
    if Need.APPIMAGE in need:
        missing.update(package for place, package in APPIMAGE_FILES.items() if not Path(place).exists())
    return sorted(missing)


def is_apt_system() -> bool:
    return shutil.which("apt-get") is not None


def is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def install_line(packages: Iterable[str]) -> str:
    """The one line that installs ``packages`` on Debian and Ubuntu."""
    return "sudo apt-get update && sudo apt-get install -y --no-install-recommends " + " ".join(packages)


def provide(need: Need, essential: Need) -> None:
    """Install what is missing, or say the line that does.

    Raises ``SlipstreamError`` when something in ``essential`` stays missing.
    """
    if not sys.platform.startswith("linux"):
        if Need.BUILD in need:
            _require_compiler()
        return
    missing = missing_packages(need)
    if not missing:
        return
    if is_apt_system() and is_root():
        say(f"Installing {len(missing)} system packages: {' '.join(missing)}")
        with moving("  apt-get works …"):
            failure = install_with_apt(missing)
        if not failure:
            return
        complain(failure)
    blocking = missing_packages(essential)
    count, names = len(missing), " ".join(missing)
    message = (sentences.say("{count} system packages are missing: {names}.", count=count, names=names) if count > 1
               else sentences.say("{count} system package is missing: {names}.", count=count, names=names))
    hint = sentences.say("Run this, then start again: {line}", line=install_line(missing))
    if not is_apt_system():
        hint = "These are their names on Debian; install the same with this system's package manager, then start again."
    if blocking:
        raise SlipstreamError(Code.FILE, message, hint)
    complain(f"{message} The window needs them, the command line does not. {hint}")


def install_with_apt(packages: list[str]) -> str:
    """Install as root; the package lists are fetched only when the first try fails. Returns "" or why it failed."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    environment["PATH"] = environment.get("PATH", "") + os.pathsep + "/usr/sbin" + os.pathsep + "/sbin"
    install = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    output = ""
    for command in (install, ["apt-get", "update"], install):
        answer = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        output = answer.stdout
        if answer.returncode == 0 and command is install:
            return ""
    return "\n".join(output.splitlines()[-8:])


def _require_compiler() -> None:
    if sys.platform == "darwin":
        answer = subprocess.run(["xcode-select", "-p"], capture_output=True, check=False)
        if answer.returncode != 0:
            raise SlipstreamError(
                Code.FILE, "The C++ compiler is missing.", "Run  xcode-select --install  and start again."
            )
    elif sys.platform == "win32" and shutil.which("cl") is None:
        programs = os.environ.get("ProgramFiles(x86)", r"C:\Program Files (x86)")  # noqa: SIM112
        if not (Path(programs) / "Microsoft Visual Studio" / "Installer" / "vswhere.exe").exists():
            raise SlipstreamError(
                Code.FILE,
                "The C++ compiler is missing.",
                "Install the Visual Studio Build Tools with 'Desktop development with C++' and start again.",
            )


def require_gpu_tools(gpu: str) -> None:
    """Raises ``SlipstreamError`` when the compiler of ``gpu`` is missing: better now than after minutes of building."""
    program, words = GPU_TOOLS.get(gpu, ("", ""))
    if program and shutil.which(program) is None:
        raise SlipstreamError(
            Code.FILE,
            f"A build for {gpu} needs {words}; the program {program} was not found.",
            f"Install them and make sure that {program} is on the PATH, or take a ready wheel as the README says.",
        )
