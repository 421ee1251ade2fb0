"""Which engines are installed here, and what their proofs said (app/engine/proof.py makes them).

A proof is kept by processor, package and library files. Nothing here imports an engine, or reads its libraries.
"""

from __future__ import annotations

import hashlib
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import msgspec

from app.files import try_to_write
from app.machine.processor import processor_features
from app.paths import cache_dir
from app.records import Record

PACKAGES = {"llama": "llama_cpp", "ik": "ik_llama_cpp"}
"""The Python packages of the engines."""
DISTRIBUTIONS = {"llama": "llama-cpp-python", "ik": "ik-llama-cpp-python"}
TITLES = {"llama": "llama.cpp", "ik": "ik_llama.cpp"}
PROOF = 1
"""Raised whenever the proof changes, so that what was proven by another one is proven again."""
_LIBRARIES = (".so", ".dll", ".dylib")


class Finding(Record, frozen=True, kw_only=True):
    """What came out for one type of weights: ``trouble`` in words, "" where all passes are right.

    ``longest`` is the number of rows up to which passes are right, 0 where none is known to be. ``difference`` is the
    largest that was seen (total variation, 0 to 1).
    """

    kind: str
    longest: int = 0
    difference: float = 0.0
    trouble: str = ""

    @property
    def is_sound(self) -> bool:
        return not self.trouble


class Proof(Record, frozen=True, kw_only=True):
    """How an engine may be used here. ``refused`` says in words why not at all, "" where it may.

    ``before`` says why the engine does not run as it is, but without extra buffers (llama.cpp's repacking and AMX).
    ``unproven`` says why nothing could be tried; the engine is then used as it is, and such a record is not kept.
    """

    engine: str
    extra_buffers: bool = True
    before: str = ""
    refused: str = ""
    unproven: str = ""
    findings: list[Finding] = msgspec.field(default_factory=list)

    def trouble_with(self, kind: str) -> str:
        """What goes wrong with weights of the type ``kind``, in words; "" where nothing is known to."""
        return next((found.trouble for found in self.findings if found.kind == kind), "")

    @property
    def unsound(self) -> list[Finding]:
        return [found for found in self.findings if not found.is_sound]


def installed_engines() -> dict[str, str]:
    """The engines whose packages are there, the first engine first, with package and version. Imports none of them."""
    found = {}
    for name, module in PACKAGES.items():
        if find_spec(module) is not None:
            try:
                found[name] = f"{DISTRIBUTIONS[name]} {metadata.version(DISTRIBUTIONS[name])}"
            except metadata.PackageNotFoundError:
                found[name] = DISTRIBUTIONS[name]
    return found


def library_files(engine: str) -> list[Path]:
    """The native libraries of an engine's package, found without importing it."""
    spec = find_spec(PACKAGES[engine])
    if spec is None or spec.origin is None:
        return []
    package = Path(spec.origin).parent
    # wheels that were repaired carry what they need in a folder beside
    folders = [package, package / "lib", *package.parent.glob(f"{PACKAGES[engine]}*.libs")]
    found = (path for folder in folders if folder.is_dir() for path in folder.iterdir())
    return sorted(path for path in found if any(ending in path.name for ending in _LIBRARIES))


def library_identity(engine: str) -> str:
    """A text that changes when the libraries do: names, sizes and times, for reading them would take too long."""
    parts = []
    for path in library_files(engine):
        try:
            facts = path.stat()
        except OSError:
            continue  # it is being replaced; what takes its place has an identity of its own
        parts.append(f"{path.name} {facts.st_size} {facts.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def proof_file(folder: Path, engine: str, version: str) -> Path:
    """``version``: package and version, as ``installed_engines`` has them."""
    identity = [str(PROOF), engine, version, processor_features(), library_identity(engine)]
    return folder / f"proof-{engine}-{hashlib.sha256(chr(10).join(identity).encode()).hexdigest()[:24]}.json"


def read_proof(path: Path, engine: str) -> Proof | None:
    """None where there is none; a half-written one is as good as none."""
    try:
        proof = msgspec.json.decode(path.read_bytes(), type=Proof)
    except (OSError, msgspec.DecodeError):
        return None
    return proof if proof.engine == engine and (proof.refused or proof.findings) else None


def known_proofs() -> dict[str, Proof]:
    """What is known of the installed engines on this processor."""
    folder = proofs_dir()
    found = {
        name: read_proof(proof_file(folder, name, version), name) for name, version in installed_engines().items()
    }
    return {name: proof for name, proof in found.items() if proof is not None}


def proofs_dir() -> Path:
    return cache_dir() / "tuning"


def write_proof(path: Path, proof: Proof) -> None:
    """Best effort: on a disk that takes nothing, the next start proves again."""
    try_to_write(path, msgspec.json.encode(proof))
