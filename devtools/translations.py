"""Texts of the window for translators (``resources/translations/*.ts``), and what Qt loads of them (``*.qm``)."""

from __future__ import annotations

import subprocess
import tempfile
import xml.etree.ElementTree as Xml
from dataclasses import dataclass
from pathlib import Path

from app.errors import Code, SlipstreamError

LANGUAGES = ("vi",)
COMPLETE: tuple[str, ...] = ("vi",)
"""Languages whose every text must be translated; ``dev.py check`` fails where one is not."""

ROOMS = ("gui", "settings")
"""Rooms of ``app`` that hold texts for translators."""


@dataclass(frozen=True)
class Tools:
    """Qt's ``lupdate`` and ``lrelease`` as PySide6 brings them."""

    lupdate: Path
    lrelease: Path


@dataclass(frozen=True)
class Count:
    texts: int
    unfinished: int


def source_file(root: Path, language: str) -> Path:
    return root / "resources" / "translations" / f"slipstream_{language}.ts"


def update(root: Path, tools: Tools) -> dict[str, Count]:
    """Take new texts of ``app/gui`` into the files, drop those that are gone, and make what Qt loads.

    Raises:
        SlipstreamError: ``FILE`` when one of Qt's tools fails.
    """
    counts = {}
    for language in LANGUAGES:
        file = source_file(root, language)
        file.parent.mkdir(parents=True, exist_ok=True)
        _extract(root, tools, file, language)
        _compile(tools, file, file.with_suffix(".qm"))
        counts[language] = count(file)
    return counts


def find_faults(root: Path, tools: Tools, languages: tuple[str, ...] = COMPLETE) -> list[str]:
    """What is wrong with the translations, in words; nothing where they are whole and up to date.

    Raises:
        SlipstreamError: ``FILE`` when one of Qt's tools fails.
    """
    faults = []
    for language in languages:
        file = source_file(root, language)
        if not file.is_file():
            faults.append(f"{file.name} is missing")
            continue
        with tempfile.TemporaryDirectory() as folder:
            fresh = Path(folder) / file.name
            fresh.write_bytes(file.read_bytes())
            _extract(root, tools, fresh, language)
            missing = count(fresh)
            if texts_of(fresh) != texts_of(file):
                faults.append(f"{file.name} does not hold the texts of app/gui; run “python3 dev.py translations”")
            if missing.unfinished:
                faults.append(f"{file.name} lacks {missing.unfinished} of {missing.texts} translations")
            made = fresh.with_suffix(".qm")
            _compile(tools, file, made)
            compiled = file.with_suffix(".qm")
            if not compiled.is_file() or compiled.read_bytes() != made.read_bytes():
                faults.append(f"{compiled.name} is not what {file.name} gives; run “python3 dev.py translations”")
    return faults


def count(file: Path) -> Count:
    """Texts in ``file``, and those without a finished translation."""
    messages = _read(file).findall(".//message")
    return Count(len(messages), sum(not _is_finished(message) for message in messages))


def texts_of(file: Path) -> set[tuple[str, str]]:
    """Context and text of every message."""
    return {
        (context.findtext("name", ""), message.findtext("source", ""))
        for context in _read(file).findall("context") for message in context.findall("message")
    }


def _is_finished(message: Xml.Element) -> bool:
    translation = message.find("translation")
    if translation is None or translation.get("type") == "unfinished":
        return False
    forms = translation.findall("numerusform")
    return all((form.text or "").strip() for form in forms) if forms else bool((translation.text or "").strip())


def _read(file: Path) -> Xml.Element:
    try:
        return Xml.parse(file).getroot()
    except (OSError, Xml.ParseError) as error:
        raise SlipstreamError(
            Code.FILE, f"{file.name} cannot be read: {error}.", "Mend it, or take it from git."
        ) from error


def _extract(root: Path, tools: Tools, file: Path, language: str) -> None:
    _run([
        str(tools.lupdate), "-silent", "-extensions", "py", "-no-obsolete", "-locations", "none",
        "-tr-function-alias", "translate+=_translate,translate+=marked",
        "-source-language", "en", "-target-language", language,
        *(str(folder) for name in ROOMS if (folder := root / "app" / name).is_dir()), "-ts", str(file),
    ])


def _compile(tools: Tools, file: Path, compiled: Path) -> None:
    _run([str(tools.lrelease), "-silent", str(file), "-qm", str(compiled)])


def _run(command: list[str]) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        words = (result.stderr or result.stdout).strip().splitlines()
        raise SlipstreamError(
            Code.FILE, f"{Path(command[0]).name} failed: {words[-1] if words else 'it said nothing'}.",
            "Run “python3 dev.py setup”; the tools come with PySide6.",
        )
