"""The virtual environment: made once, synchronised with ``uv.lock``, and left alone while nothing changed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from app.errors import Code, SlipstreamError
from app.files import write_whole
from devtools import llama, packages, proof, proven
from devtools.console import moving, say

UV_VERSION = "0.13.9"
STAMP_NAME = "slipstream-setup.json"
SECOND_ENGINE = "ik-llama-cpp-python"
EXTRAS = ("ik",)
"""What ``--without`` can leave out."""
CERTIFICATE_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)


@dataclass(frozen=True)
class Stamp:
    """What the environment was made from; equal stamps mean that there is nothing to do."""

    root: str
    locked: str
    llama: str
    cmake_arguments: str
    developer: bool
    without: str = ""
    """The extra that is left out, "" for none."""


@dataclass(frozen=True)
class Layout:
    """Where the environment's programs are, on every system."""

    root: Path

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        return self.program("python")

    @property
    def stamp(self) -> Path:
        return self.venv / STAMP_NAME

    def program(self, name: str) -> Path:
        if sys.platform == "win32":
            return self.venv / "Scripts" / f"{name}.exe"
        return self.venv / "bin" / name


def locked_digest(root: Path) -> str:
    """SHA-256 over what decides the environment's content."""
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "uv.lock"):
        digest.update(name.encode() + b"\0" + (root / name).read_bytes() + b"\0")
    return digest.hexdigest()


def locked_package(root: Path, name: str) -> dict[str, object]:
    """The entry of ``name`` in ``uv.lock``. Raises ``SlipstreamError`` when there is none."""
    packages = tomllib.loads((root / "uv.lock").read_text(encoding="utf-8"))["package"]
    for package in packages:
        if package["name"] == name:
            return dict(package)
    raise SlipstreamError(Code.FILE, f"uv.lock has no entry for {name}.", "Get the file again from the repository.")


def read_stamp(layout: Layout) -> Stamp | None:
    """The stamp of the last finished set-up, or None when there is none that can be read."""
    try:
        return Stamp(**json.loads(layout.stamp.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_stamp(layout: Layout, stamp: Stamp) -> None:
    write_whole(layout.stamp, json.dumps(asdict(stamp), indent=1).encode())


def wanted_stamp(
    layout: Layout, developer: bool, gpu: str | None, index: str | None, without: str | None = None
) -> Stamp:
    """What the environment should be now, given what it is and what was asked for.

    ``without`` names an extra to leave out, "none" for none; None leaves it as it is.
    """
    old = read_stamp(layout)
    remembered = old.cmake_arguments if old else ""
    arguments = llama.cmake_arguments(gpu, os.environ.get("CMAKE_ARGS", ""), remembered)
    if index:
        key = llama.index_key(index)
    elif old and llama.is_index_key(old.llama) and gpu is None and arguments == remembered:
        key = old.llama
    else:
        key = llama.wheel_key(arguments)
    return Stamp(
        root=str(layout.root),
        locked=locked_digest(layout.root),
        llama=key,
        cmake_arguments=arguments,
        developer=developer or bool(old and old.developer),
        without=(old.without if old else "") if without is None else without.replace("none", ""),
    )


def is_current(layout: Layout, wanted: Stamp) -> bool:
    return read_stamp(layout) == wanted and layout.python.exists()


def is_unfinished(layout: Layout) -> bool:
    """Whether a set-up has begun here and not ended."""
    return layout.python.exists() and not layout.stamp.exists()


def child_environment(layout: Layout) -> dict[str, str]:
    """The environment for children: ours alone, whatever virtual environment the caller stands in."""
    dropped = {"VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH", "UV_PYTHON", "CONDA_PREFIX"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    kept["UV_PROJECT_ENVIRONMENT"] = str(layout.venv)
    kept["UV_SYSTEM_CERTS"] = "1"
    kept["UV_PYTHON_DOWNLOADS"] = "never"
    kept["PIP_USER"] = "0"
    kept["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    return kept


def run_step(command: list[str], layout: Layout, trouble: str) -> None:
    """Run one step of the set-up with its output in view. Raises ``SlipstreamError`` with ``trouble``."""
    answer = subprocess.run(command, cwd=layout.root, env=child_environment(layout), check=False)
    if answer.returncode != 0:
        raise SlipstreamError(Code.NETWORK, trouble, "The lines above say why; start again when that is solved.")


def synchronise(layout: Layout, wanted: Stamp) -> None:
    """Bring the packages to ``wanted``, all but llama-cpp-python. The stamp goes until ``finish``."""
    if not layout.python.exists() or _was_moved(layout):
        _make_venv(layout)
    layout.stamp.unlink(missing_ok=True)
    if not _has_uv(layout.program("uv")):
        _install_uv(layout)
    if wanted.without != "ik":
        if _install_locked(layout, wanted, second_engine=True):
            return
        say(f"  {SECOND_ENGINE} could not be installed here, so llama.cpp will be the only engine.")
    if not _install_locked(layout, wanted, second_engine=False):
        raise SlipstreamError(Code.NETWORK, "The dependencies could not be installed.",
                              "The lines above say why; start again when that is solved.")


def _install_locked(layout: Layout, wanted: Stamp, second_engine: bool) -> bool:
    """Whether it went well; if not, uv's reason stands in the terminal."""
    command = sync_command(layout, wanted, second_engine)
    words = "Installing the locked dependencies …"
    return packages.install(words, command, layout.root, child_environment(layout)) == 0


def sync_command(layout: Layout, wanted: Stamp, second_engine: bool) -> list[str]:
    """The second engine comes as a ready wheel or not at all: it is not worth a build."""
    command = [str(layout.program("uv")), "sync", "--frozen", "--python", str(layout.python)]
    command += ["--no-install-package", "llama-cpp-python", "--group", "tools"]
    command += [] if wanted.developer else ["--no-dev"]
    command += ["--extra", "ik", "--no-build-package", SECOND_ENGINE] if second_engine else []
    return command


def has_second_engine(layout: Layout) -> bool:
    """Whether it is there and can be loaded on this machine."""
    command = [str(layout.python), "-c", "import ik_llama_cpp"]
    try:
        with moving("Trying ik_llama.cpp, the second engine …", at_once=False):
            return subprocess.run(command, cwd=layout.venv, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def finish(layout: Layout, wanted: Stamp) -> None:
    """Install llama-cpp-python, building it where need be, and stamp last, so that what broke off is continued."""
    entry = locked_package(layout.root, "llama-cpp-python")
    tools = llama.Tools(layout.root, layout.python, layout.program("uv"), child_environment(layout))
    surroundings = child_environment(layout)
    proven.install_proven(
        tools, llama.Source.from_lock(entry), wanted.llama, wanted.cmake_arguments,
        lambda: proof.prove(layout.python, layout.root, surroundings, "llama"), lambda: has_second_engine(layout),
    )
    if wanted.without != "ik" and has_second_engine(layout):
        second = proof.prove(layout.python, layout.root, surroundings, "ik")
        if second.reason:
            say(f"  ik_llama.cpp: {second.reason}; llama.cpp runs what it cannot.")
    if not layout.program("slipstream").exists():
        raise SlipstreamError(Code.FILE, "The set-up ended without the slipstream command.", "Remove .venv and retry.")
    write_stamp(layout, wanted)


def _was_moved(layout: Layout) -> bool:
    """Scripts of an environment name their interpreter by its full path: a moved folder needs a new one."""
    stamp = read_stamp(layout)
    return stamp is not None and stamp.root != str(layout.root)


def _make_venv(layout: Layout) -> None:
    base = getattr(sys, "_base_executable", sys.executable)
    command = [base, "-m", "venv", "--clear", str(layout.venv)]
    with moving("Creating .venv …"):
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        reason = (answer.stdout + answer.stderr).strip().splitlines()
        raise SlipstreamError(
            Code.FILE,
            f"Python could not create .venv: {reason[-1] if reason else 'no reason given'}",
            f"Install python{sys.version_info.major}.{sys.version_info.minor}-venv or a Python with ensurepip.",
        )


def _has_uv(uv: Path) -> bool:
    if not uv.exists():
        return False
    answer = subprocess.run([str(uv), "--version"], capture_output=True, text=True, check=False)
    return answer.stdout.split()[1:2] == [UV_VERSION]


def _install_uv(layout: Layout) -> None:
    entry = locked_package(layout.root, "uv")
    files = entry["wheels"]
    assert isinstance(files, list)
    hashes = " ".join(f"--hash={file['hash']}" for file in files)
    with tempfile.TemporaryDirectory() as folder:
        requirement = Path(folder) / "uv.txt"
        requirement.write_text(f"uv=={UV_VERSION} {hashes}\n", encoding="utf-8")
        command = [str(layout.python), "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"]
        command += ["--require-hashes", "--requirement", str(requirement)]
        with moving(f"Installing uv {UV_VERSION} …"):
            output = _run_pip(command, layout)
    if output:
        raise SlipstreamError(
            Code.NETWORK, f"uv could not be installed: {output}", "Is the network there? Start again."
        )


def _run_pip(command: list[str], layout: Layout) -> str:
    """Run pip, a second time with the system's certificates if its own do not do. Returns "" or the reason."""
    environment = child_environment(layout)
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    bundle = next((path for path in CERTIFICATE_BUNDLES if Path(path).exists()), "")
    if answer.returncode != 0 and "CERTIFICATE_VERIFY_FAILED" in answer.stdout + answer.stderr and bundle:
        environment["PIP_CERT"] = bundle
        answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return "" if answer.returncode == 0 else pip_reason(answer.stderr or answer.stdout)


def pip_reason(output: str) -> str:
    """Why pip failed: what broke its connection, which it says before an ending that speaks of versions alone."""
    broken = re.findall(r"connection broken by '(.*)': /", output)
    lines = output.strip().splitlines()
    return str(broken[-1]) if broken else (lines[-1] if lines else "no reason given")
