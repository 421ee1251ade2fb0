"""What the window asks of the model hub: searching, files of a repository, headers. Only when a person asks."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal

from app.errors import SlipstreamError
from app.gui.controllers.network import Network
from app.models.catalog import CatalogFile
from app.models.facts import ModelFile, read_facts
from app.models.hub_token import TokenStore
from app.models.vocabulary import Vocabulary, read_vocabulary
from app.settings.settings import HubSettings

if TYPE_CHECKING:
    # The hub's library takes half a second to import, which only those who go online should wait for.
    from app.models.hub import Hub, HubFile, HubListing, HubRepository

PUBLIC_HUB = "https://huggingface.co"


@dataclass(frozen=True)
class RemoteModel:
    """A file on the hub with what its header says. ``vocabulary`` is None when it has none that is known."""

    file: HubFile
    facts: ModelFile
    vocabulary: Vocabulary | None


class HubController(QObject):
    searched = Signal(str, object)
    """The words and the ``HubRepository`` found for them."""
    listed = Signal(object)
    """A ``HubListing``."""
    header_read = Signal(object)
    """A ``RemoteModel``."""
    failed = Signal(str, object)
    """What was asked (``search``, ``list`` or ``header``) and the ``SlipstreamError``."""
    settings_changed = Signal()
    token_kept = Signal(bool)
    """A token was stored: in the keyring, or (False) for this run alone."""

    def __init__(self, network: Network, settings: HubSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._network = network
        self._settings = settings
        self._tokens = TokenStore()
        self._made: Hub | None = None
        self._tickets: dict[str, int] = {}

    @property
    def settings(self) -> HubSettings:
        return self._settings

    @property
    def endpoint(self) -> str:
        return (self._settings.endpoint or os.environ.get("HF_ENDPOINT") or PUBLIC_HUB).rstrip("/")

    @property
    def host(self) -> str:
        return urlsplit(self.endpoint).netloc or self.endpoint

    def set_settings(self, settings: HubSettings) -> None:
        if settings != self._settings:
            self._settings = settings
            self._made = None
            self.settings_changed.emit()

    def store_token(self, token: str) -> None:
        """Keep an access token for the present host; "" forgets it."""
        host = self.host

        def stored(kept: bool) -> None:
            self._made = None
            self.settings_changed.emit()
            self.token_kept.emit(kept)

        self._network.run(lambda: self._tokens.store(host, token.strip()), stored, lambda error: None)

    def make_hub(self) -> Hub:
        """The hub as it is set; for a thread, since it imports the library and may ask the keyring."""
        from app.models.hub import Hub

        made = self._made
        if made is None:
            made = Hub(self._settings.endpoint, self._tokens.read(self.host), True if self._settings.offline else None)
            self._made = made
        return made

    def search(self, words: str) -> None:
        def work() -> list[HubRepository]:
            return self.make_hub().search(words)

        self._ask("search", work, lambda found: self.searched.emit(words, found))

    def list_files(self, repo: str) -> None:
        def work() -> HubListing:
            return self.make_hub().list_files(repo)

        self._ask("list", work, self.listed.emit)

    def read_header(self, file: HubFile) -> None:
        """Read what the file says of itself, a few megabytes at most."""
        self._ask("header", lambda: self._read(file), self.header_read.emit)

    def read_catalog_header(self, wanted: CatalogFile) -> None:
        """The same for a file of the catalog, as the hub has it now."""
        self._ask("header", lambda: self._read(self.make_hub().resolve(wanted)), self.header_read.emit)

    def forget(self, what: str) -> None:
        self._network.forget(self._tickets.pop(what, 0))

    def is_asking(self, what: str) -> bool:
        return what in self._tickets

    def _read(self, file: HubFile) -> RemoteModel:
        header = self.make_hub().read_header(file)
        try:
            vocabulary = read_vocabulary(header)
        except SlipstreamError:
            vocabulary = None
        facts = read_facts(header)
        return RemoteModel(file, facts, vocabulary)

    def _ask(self, what: str, work: Callable[[], Any], on_done: Callable[[Any], None]) -> None:
        """The newest question of a kind is the one that counts."""
        self.forget(what)

        def done(result: Any) -> None:
            self._tickets.pop(what, None)
            on_done(result)

        def failed(error: SlipstreamError) -> None:
            self._tickets.pop(what, None)
            self.failed.emit(what, error)

        self._tickets[what] = self._network.run(work, done, failed)
