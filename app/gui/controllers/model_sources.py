"""Where models come from: the hub, the downloads, and what the person has set for both."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QObject

from app.gui.controllers.downloads import DownloadsController
from app.gui.controllers.hub import HubController
from app.gui.controllers.models import ModelsController
from app.gui.controllers.network import Network
from app.gui.controllers.settings_keeper import SettingsKeeper
from app.settings.settings import HubSettings


class ModelSources(QObject):
    def __init__(self, models: ModelsController, keeper: SettingsKeeper, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models, self._keeper = models, keeper
        self.network = Network(self)
        self.hub = HubController(self.network, keeper.settings.hub, self)
        self.downloads = DownloadsController(self.network, self.hub, parent=self)
        self.downloads.finished.connect(lambda _: models.rescan())

    def set_hub(self, settings: HubSettings) -> None:
        """Reach the hub in this way from now on."""
        self._keeper.replace(msgspec.structs.replace(self._keeper.settings, hub=settings))
        self.hub.set_settings(settings)

    def set_folders(self, folders: list[str]) -> None:
        """Search these folders for models as well."""
        self._keeper.replace(msgspec.structs.replace(self._keeper.settings, model_folders=folders))
        self._models.set_folders(folders)

    def close(self) -> None:
        """Downloads pause, and what is being asked is forgotten."""
        self.network.close()
        self.downloads.close()
