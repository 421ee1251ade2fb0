"""Which library runs the models of this process: llama.cpp or ik_llama.cpp, one at a time for target and draft."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from app.engine.backend import AbortFlag, Library, Model, Progress
from app.errors import Code, SlipstreamError
from app.terms import LoadSettings

TITLES = {"llama": "llama.cpp", "ik": "ik_llama.cpp"}
_PACKAGES = {"llama": "llama_cpp", "ik": "ik_llama_cpp"}


def installed_engines() -> list[str]:
    """Names of the engines whose packages are there, the first engine first. Imports none of them."""
    return [name for name, package in _PACKAGES.items() if find_spec(package) is not None]


class Engines:
    """A ``Library`` that is one of several, imported when it is first needed."""

    def __init__(self, on_log: Callable[[str], None]) -> None:
        self._on_log = on_log
        self._libraries: dict[str, Library] = {}
        self._current = next(iter(installed_engines()), "llama")

    @property
    def name(self) -> str:
        return self._current

    def describe(self) -> str:
        return self._get(self._current).describe()

    def choose(self, path: str, settings: LoadSettings) -> None:
        """Settle which engine runs the target at ``path`` and its draft. Raises ``SlipstreamError``."""
        name = "llama" if settings.engine == "auto" else settings.engine
        if name not in installed_engines():
            raise SlipstreamError(
                Code.SETTINGS_INVALID, f"The engine {TITLES[name]} is not installed.", "Take the other one."
            )
        self._get(name)
        self._current = name

    def load(
        self, path: str, settings: LoadSettings, max_rows: int, abort: AbortFlag, on_progress: Progress
    ) -> Model:
        return self._get(self._current).load(path, settings, max_rows, abort, on_progress)

    def quantize(self, source: str, destination: str, kind: str, *, whole: bool = False, threads: int = 0) -> None:
        self._get(self._current).quantize(source, destination, kind, whole=whole, threads=threads)

    def _get(self, name: str) -> Library:
        if name not in self._libraries:
            self._libraries[name] = _open(name, self._on_log)
        return self._libraries[name]


def _open(name: str, on_log: Callable[[str], None]) -> Library:
    if name == "ik":
        from app.engine.ik_llama import IkLibrary

        return IkLibrary(on_log)
    from app.engine import llama

    return llama.Library(on_log)
