"""Settings as a file to take to another computer: one JSON object, described in docs/settings.md.

``format`` is "slipstream-settings", ``version`` that of the settings, ``settings`` what a person has set. What belongs
to one computer (window, folders, the last model) stays there.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from app.errors import Code, SlipstreamError
from app.files import write_whole
from app.records import Record
from app.sentences import say
from app.settings.ranges import check
from app.settings.settings import VERSION, HubSettings, Settings, WindowSettings

FORMAT = "slipstream-settings"
MOST_BYTES = 4 * 1024 * 1024
MOST_TARGETS = 2000


class SettingsExport(Record, frozen=True, kw_only=True):
    format: str
    version: int
    settings: Settings


def export_settings(settings: Settings, path: Path) -> None:
    """Raises ``SlipstreamError`` (``FILE``)."""
    portable = msgspec.structs.replace(
        settings, window=WindowSettings(), model_folders=[], target_path="", hub=HubSettings()
    )
    export = SettingsExport(format=FORMAT, version=VERSION, settings=portable)
    try:
        write_whole(path, msgspec.json.format(msgspec.json.encode(export), indent=2))
    except (OSError, ValueError) as error:
        raise SlipstreamError(
            Code.FILE,
            say("The settings could not be written to {name} ({reason}).", name=path.name, reason=_reason(error)),
            say("Choose another folder."),
        ) from error


def import_settings(path: Path, present: Settings) -> Settings:
    """``present`` with everything that the file at ``path`` says.

    Raises:
        SlipstreamError: ``FILE`` when the file cannot be read, is none of ours, or holds values that cannot be.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise _refuse(path, "it is larger than 4 MB")
        data = path.read_bytes()
    except OSError as error:
        raise SlipstreamError(
            Code.FILE, say("The file {name} could not be read ({reason}).", name=path.name, reason=_reason(error)),
            say("Check the file."),
        ) from error
    try:
        export = msgspec.json.decode(data, type=SettingsExport)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _refuse(path, "it holds no settings of this program, or is damaged") from error
    if export.format != FORMAT:
        raise _refuse(path, "it holds no settings of this program")
    if export.version > VERSION:
        raise _refuse(path, "a newer version of this program wrote it")
    if len(export.settings.targets) > MOST_TARGETS:
        raise _refuse(path, f"it names more than {MOST_TARGETS} models")
    try:
        check(export.settings)
    except SlipstreamError as error:
        raise _refuse(path, f"{error.message[:-1]}: {error.hint[:1].lower()}{error.hint[1:-1]}") from error
    return msgspec.structs.replace(
        export.settings, version=VERSION, window=present.window, model_folders=present.model_folders,
        target_path=present.target_path, hub=present.hub, targets={**present.targets, **export.settings.targets},
    )


def _refuse(path: Path, reason: str) -> SlipstreamError:
    return SlipstreamError(
        Code.FILE, say("The settings in {name} were not taken: {reason}.", name=path.name, reason=reason),
        say("Take a file that “Export…” in the settings has written."),
    )


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
