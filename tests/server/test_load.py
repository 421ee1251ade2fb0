"""32 clients at once for ten minutes: no error but 429, memory flat, cancelled requests gone at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.load import run_load


@pytest.mark.long
@pytest.mark.model
@pytest.mark.timeout(1200)
def test_thirty_two_clients_for_ten_minutes(smollm: Path) -> None:
    figures = run_load(str(smollm), 600.0)
    assert set(figures["statuses"]) <= {"200", "429", "cancelled"}, figures
    assert figures["statuses"]["200"] > 100, figures
    assert figures["cancelled"] > 20, figures
    assert figures["cancel_seconds_max"] < 0.5, figures
    assert figures["engine_restarts"] == 0
    for name in ("server_rss_mib", "worker_rss_mib"):
        first, last = figures[name]
        assert last <= first * 1.05 + 8, figures
