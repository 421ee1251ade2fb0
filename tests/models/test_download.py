from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from huggingface_hub import try_to_load_from_cache

from app import paths
from app.errors import Code, SlipstreamError
from app.models.download import Downloads, DownloadState
from app.models.hub import Hub, HubFile
from app.models.hub_cache import forget_file
from app.models.library import ModelLibrary, Source
from app.models.transfer import Pace
from tests.models import gguf_writer as writer
from tests.models.hub_imitation import COMMIT, Fault, HubImitation, Repository, behind_a_proxy, running_hub

HASTE = Pace(first_s=0.01, longest_s=0.05, attempts=4, timeout_s=5.0)
REPO, NAME = "some/model", "m-Q4_K_M.gguf"


@pytest.fixture
def imitation(model: bytes) -> Iterator[HubImitation]:
    with running_hub() as hub:
        hub.repositories[REPO] = Repository({NAME: model})
        yield hub


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A sound model of about 1 MB, of no repeating pattern where it counts: every block has its own content."""
    content = bytearray(writer.write_model(tmp_path_factory.mktemp("m") / "m.gguf", "Downloaded").read_bytes())
    content += b"".join(hashlib.sha256(str(i).encode()).digest() for i in range((1_000_000 - len(content)) // 32))
    return bytes(content)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def downloads(imitation: HubImitation, folder: Path) -> Iterator[Downloads]:
    made = make(imitation, folder)
    yield made
    made.close()


def make(imitation: HubImitation, folder: Path, **options: object) -> Downloads:
    hub = Hub(imitation.endpoint, token=imitation.token, offline=False)
    return Downloads(folder, hub, **{"pace": HASTE, "reserve_bytes": 0, **options})  # type: ignore[arg-type]


def look_up(imitation: HubImitation, repo: str = REPO) -> HubFile:
    return Hub(imitation.endpoint, offline=False).list_files(repo).files[0]


def wait_until(done: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.005)


def state(downloads: Downloads, job: str) -> DownloadState:
    return next(found for found in downloads.states() if found.id == job)


def finish(downloads: Downloads, job: str) -> DownloadState:
    wait_until(lambda: state(downloads, job).status in ("done", "failed", "paused"))
    return state(downloads, job)


def models_in(folder: Path) -> list[str]:
    return [entry.name for entry in ModelLibrary([Source("Test", folder)]).scan()]


def hold_after(imitation: HubImitation, sent_bytes: int) -> threading.Event:
    """Let the storage host wait after so many bytes of each answer until the event is set."""
    gate = threading.Event()
    imitation.before_block = lambda sent: None if sent < sent_bytes else (gate.wait(20), None)[1]
    return gate


def test_a_download_appears_under_its_name_when_it_is_whole(
    imitation: HubImitation, downloads: Downloads, folder: Path, model: bytes
) -> None:
    gate = hold_after(imitation, 400_000)
    job = downloads.start(look_up(imitation))
    wait_until(lambda: state(downloads, job).done_bytes >= 300_000)
    final = Path(state(downloads, job).path)
    assert not final.exists()
    assert models_in(folder) == []
    assert state(downloads, job).status == "running"
    gate.set()
    done = finish(downloads, job)
    assert (done.status, done.done_bytes, done.total_bytes) == ("done", len(model), len(model))
    assert final == folder / "some" / "model" / NAME
    assert final.read_bytes() == model
    assert models_in(folder) == ["Downloaded"]
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == [NAME]


def test_a_cut_at_40_percent_is_resumed_by_range(
    imitation: HubImitation, downloads: Downloads, model: bytes
) -> None:
    """C16."""
    cut = int(0.4 * len(model))
    imitation.faults = [Fault(cut_after=cut)]
    done = finish(downloads, downloads.start(look_up(imitation)))
    assert done.status == "done"
    assert Path(done.path).read_bytes() == model
    assert [request.get("range") for request in imitation.storage_requests] == [None, f"bytes={cut}-"]


@pytest.mark.parametrize("faults", [
    [Fault(status=429, retry_after="0")], [Fault(status=503)],
    [Fault(status=500), Fault(status=502), Fault(status=504)],
    [Fault(status=403)], [Fault(status=401), Fault(status=410)], [Fault(cut_after=0)],
    [Fault(cut_after=500_000), Fault(ignore_range=True)], [Fault(cut_after=500_000), Fault(status=416)],
])
def test_passing_trouble_is_passed(imitation: HubImitation, downloads: Downloads, model: bytes, faults: list[Fault]
                                   ) -> None:
    imitation.faults = list(faults)
    done = finish(downloads, downloads.start(look_up(imitation)))
    assert (done.status, done.message) == ("done", "")
    assert Path(done.path).read_bytes() == model
    assert imitation.faults == []


def test_a_redirect_that_expired_is_asked_for_again(imitation: HubImitation, downloads: Downloads) -> None:
    imitation.faults = [Fault(cut_after=300_000), Fault(status=403)]
    assert finish(downloads, downloads.start(look_up(imitation))).status == "done"
    asked = [path for path, _ in imitation.hub_requests if "/resolve/" in path]
    assert len(asked) == 3


def test_lasting_trouble_ends_in_words_and_keeps_what_arrived(
    imitation: HubImitation, downloads: Downloads, folder: Path, model: bytes
) -> None:
    imitation.faults = [Fault(cut_after=600_000)]
    imitation.always = Fault(status=503)
    job = downloads.start(look_up(imitation))
    failed = finish(downloads, job)
    assert (failed.status, failed.code) == ("failed", Code.NETWORK)
    assert "600,000" in failed.message
    assert "503" in failed.message
    assert failed.hint
    assert models_in(folder) == []
    imitation.always = Fault()
    downloads.resume(job)
    done = finish(downloads, job)
    assert done.status == "done"
    assert imitation.storage_requests[-1]["range"] == "bytes=600000-"
    assert Path(done.path).read_bytes() == model


def test_a_wrong_hash_is_never_a_model(imitation: HubImitation, downloads: Downloads, folder: Path) -> None:
    """C16."""
    imitation.faults = [Fault(corrupt=True)]
    job = downloads.start(look_up(imitation))
    failed = finish(downloads, job)
    assert (failed.status, failed.code) == ("failed", Code.CHECKSUM)
    assert "SHA-256" in failed.message
    assert [path for path in folder.rglob("*.gguf*") if path.is_file()] == []
    downloads.resume(job)
    assert finish(downloads, job).status == "done"


def test_a_damaged_part_on_disk_is_found_out(imitation: HubImitation, downloads: Downloads, folder: Path) -> None:
    part = folder / "some/model" / f"{NAME}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(bytes(500_000))
    assert finish(downloads, downloads.start(look_up(imitation))).code == Code.CHECKSUM
    assert not part.exists()


def test_a_part_longer_than_the_file_is_begun_anew(imitation: HubImitation, downloads: Downloads, folder: Path) -> None:
    part = folder / "some/model" / f"{NAME}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(bytes(3_000_000))
    assert finish(downloads, downloads.start(look_up(imitation))).status == "done"


def test_another_file_than_described_is_refused(imitation: HubImitation, downloads: Downloads) -> None:
    file = look_up(imitation)
    imitation.always = Fault(other_bytes=b"x" * 2_000_000)
    failed = finish(downloads, downloads.start(file))
    assert (failed.status, failed.code) == ("failed", Code.CHECKSUM)
    assert "2,000,000" in failed.message


def test_what_is_no_gguf_file_is_not_published(imitation: HubImitation, downloads: Downloads, folder: Path) -> None:
    imitation.repositories[REPO].files[NAME] = b"<html>" * 1000
    failed = finish(downloads, downloads.start(look_up(imitation)))
    assert (failed.status, failed.code) == ("failed", Code.MODEL_UNREADABLE)
    assert models_in(folder) == []


def test_pause_and_resume(imitation: HubImitation, downloads: Downloads, model: bytes) -> None:
    gate = hold_after(imitation, 400_000)
    job = downloads.start(look_up(imitation))
    wait_until(lambda: state(downloads, job).done_bytes >= 400_000)
    downloads.pause(job)
    paused = finish(downloads, job)
    assert paused.status == "paused"
    gate.set()
    assert 0 < paused.done_bytes < len(model)
    downloads.resume(job)
    assert finish(downloads, job).status == "done"
    assert imitation.storage_requests[-1]["range"].startswith("bytes=")


def test_resumed_while_it_still_stops(imitation: HubImitation, downloads: Downloads, model: bytes) -> None:
    gate = hold_after(imitation, 400_000)
    job = downloads.start(look_up(imitation))
    wait_until(lambda: state(downloads, job).done_bytes >= 400_000)
    downloads.pause(job)
    downloads.resume(job)
    gate.set()
    wait_until(lambda: state(downloads, job).status == "done")
    assert Path(state(downloads, job).path).read_bytes() == model


def test_cancel_removes_what_arrived(imitation: HubImitation, downloads: Downloads, folder: Path) -> None:
    gate = hold_after(imitation, 400_000)
    job = downloads.start(look_up(imitation))
    wait_until(lambda: state(downloads, job).done_bytes >= 400_000)
    downloads.cancel(job)
    gate.set()
    assert downloads.states() == []
    wait_until(lambda: not any(files for _, _, files in os.walk(folder)))  # bears folders that go meanwhile
    again = downloads.start(look_up(imitation))
    assert finish(downloads, again).status == "done"


def test_a_waiting_pause_between_attempts_ends_at_once(imitation: HubImitation, folder: Path) -> None:
    downloads = make(imitation, folder, pace=Pace(first_s=500.0, longest_s=500.0))
    imitation.always = Fault(status=503)
    job = downloads.start(look_up(imitation))
    wait_until(lambda: state(downloads, job).status == "retrying")
    assert "503" in state(downloads, job).message
    assert "next attempt in" in state(downloads, job).message
    downloads.pause(job)
    assert finish(downloads, job).status == "paused"
    downloads.close()


def test_several_at_once_and_the_rest_waits(imitation: HubImitation, folder: Path, model: bytes) -> None:
    for number in range(4):
        imitation.repositories[f"some/m{number}"] = Repository({NAME: model})
    gate = hold_after(imitation, 100_000)
    downloads = make(imitation, folder, at_once=2)
    jobs = [downloads.start(look_up(imitation, f"some/m{number}")) for number in range(4)]
    wait_until(lambda: sum(state(downloads, job).done_bytes > 50_000 for job in jobs) == 2)
    assert [found.status for found in downloads.states()].count("waiting") == 2
    gate.set()
    wait_until(lambda: all(found.status == "done" for found in downloads.states()))
    assert len(models_in(folder)) == 4
    downloads.close()


def test_progress_with_speed_and_time_left(imitation: HubImitation, downloads: Downloads) -> None:
    imitation.always = Fault(block_pause_s=0.1)
    job = downloads.start(look_up(imitation))
    wait_until(lambda: state(downloads, job).bytes_per_second > 0)
    shown = state(downloads, job)
    assert shown.seconds_left is not None
    assert shown.seconds_left == pytest.approx((shown.total_bytes - shown.done_bytes) / shown.bytes_per_second)
    done = finish(downloads, job)
    assert (done.bytes_per_second, done.seconds_left) == (0.0, None)


def test_a_split_model_appears_when_all_parts_are_there(imitation: HubImitation, folder: Path, tmp_path: Path) -> None:
    parts = {}
    for number in (1, 2):
        name = f"big-{number:05}-of-00002.gguf"
        path = writer.write_model(tmp_path / name, "Split", extra={"split.no": number - 1, "split.count": 2})
        parts[f"sub/{name}"] = path.read_bytes()
    imitation.repositories["some/split"] = Repository(parts)
    imitation.faults = [Fault(), Fault(status=404), *[Fault(status=503)] * 4]
    downloads = make(imitation, folder)
    job = downloads.start(look_up(imitation, "some/split"))
    assert finish(downloads, job).status == "failed"
    assert models_in(folder) == []
    imitation.faults = []
    downloads.resume(job)
    done = finish(downloads, job)
    assert done.status == "done"
    (entry,) = ModelLibrary([Source("Test", folder)]).scan()
    assert entry.offered
    assert str(entry.path) == done.path
    downloads.close()


def test_a_gated_model_explains_itself(imitation: HubImitation, downloads: Downloads) -> None:
    imitation.repositories[REPO].gated = True
    failed = finish(downloads, downloads.start(look_up(imitation)))
    assert (failed.status, failed.code) == ("failed", Code.GATED)
    assert "token" in failed.hint


def test_a_gated_model_comes_with_the_token_which_goes_nowhere_else(imitation: HubImitation, folder: Path) -> None:
    imitation.repositories[REPO].gated = True
    imitation.token = "hf_secret"
    downloads = make(imitation, folder)
    assert finish(downloads, downloads.start(look_up(imitation))).status == "done"
    assert all("authorization" not in request for request in imitation.storage_requests)
    assert "hf_secret" not in "".join(p.read_text(errors="ignore") for p in folder.rglob("*.json"))
    downloads.close()


def test_a_download_through_a_proxy(monkeypatch: pytest.MonkeyPatch, imitation: HubImitation, folder: Path, model: bytes
                                    ) -> None:
    with behind_a_proxy(imitation, monkeypatch) as address:
        hub = Hub(address, offline=False)
        downloads = Downloads(folder, hub, pace=HASTE, reserve_bytes=0)
        done = finish(downloads, downloads.start(hub.list_files(REPO).files[0]))
        downloads.close()
    assert done.status == "done"
    assert Path(done.path).read_bytes() == model
    assert all(path.startswith(address) for path, _ in imitation.hub_requests)


def test_too_small_a_disk_is_said_before_anything_is_fetched(imitation: HubImitation, folder: Path) -> None:
    downloads = make(imitation, folder, reserve_bytes=2**62)
    with pytest.raises(SlipstreamError) as caught:
        downloads.start(look_up(imitation))
    assert caught.value.code == Code.DISK_FULL
    assert imitation.storage_requests == []
    assert downloads.states() == []


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.geteuid() != 0, reason="mounting needs root on Linux")
def test_a_disk_that_fills_up_keeps_the_part(imitation: HubImitation, tmp_path: Path, model: bytes) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1536k", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("no mounting in this container")
    try:
        gate = hold_after(imitation, 200_000)
        downloads = make(imitation, small)
        job = downloads.start(look_up(imitation))
        wait_until(lambda: state(downloads, job).done_bytes >= 200_000)
        ballast = small / "ballast"
        with ballast.open("wb") as file:
            file.write(bytes(900_000))
        gate.set()
        failed = finish(downloads, job)
        assert (failed.status, failed.code) == ("failed", Code.DISK_FULL)
        assert models_in(small) == []
        ballast.unlink()
        downloads.resume(job)
        done = finish(downloads, job)
        assert done.status == "done"
        assert Path(done.path).read_bytes() == model
        downloads.close()
    finally:
        subprocess.run(["umount", str(small)], check=True)


@pytest.mark.parametrize("name", [
    "../../evil.gguf", "/etc/evil.gguf", "a\\b.gguf", "con:fig.gguf", "x\x00.gguf", "e\nx.gguf",
])
def test_names_that_lead_out_of_the_folder_are_refused(downloads: Downloads, name: str) -> None:
    file = HubFile(repo=REPO, revision=COMMIT, file=name, bytes=1, quantisation="", part_files=[(name, 1, "")])
    with pytest.raises(SlipstreamError) as caught:
        downloads.start(file)
    assert caught.value.code == Code.FILE


def test_an_incomplete_repository_is_refused(imitation: HubImitation, downloads: Downloads) -> None:
    imitation.repositories["some/half"] = Repository({"m-00002-of-00003.gguf": b"x"})
    with pytest.raises(SlipstreamError) as caught:
        downloads.start(look_up(imitation, "some/half"))
    assert "part 1 of 3" in caught.value.message


def test_the_hub_cache_sees_the_file_without_a_second_copy(
    imitation: HubImitation, folder: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "hub"
    downloads = make(imitation, folder, cache_dir=cache)
    done = finish(downloads, downloads.start(look_up(imitation)))
    found = try_to_load_from_cache(REPO, NAME, cache_dir=cache)
    assert isinstance(found, str)
    assert os.path.samefile(found, done.path)
    assert len(ModelLibrary([Source("Own", folder), Source("Hugging Face", cache, "hub")]).scan()) == 1
    forget_file(cache, Path(done.path))
    assert os.stat(done.path).st_nlink == 1
    downloads.close()


def test_the_programs_end_keeps_downloads_for_the_next_start(
    imitation: HubImitation, folder: Path, model: bytes
) -> None:
    gate = hold_after(imitation, 400_000)
    first = make(imitation, folder)
    job = first.start(look_up(imitation))
    wait_until(lambda: state(first, job).done_bytes >= 400_000)
    closing = threading.Thread(target=first.close)
    closing.start()
    gate.set()
    closing.join()
    second = make(imitation, folder)
    second.restore()
    restored = state(second, job)
    assert restored.status == "paused"
    assert 0 < restored.done_bytes < len(model)
    second.resume(job)
    done = finish(second, job)
    assert done.status == "done"
    assert Path(done.path).read_bytes() == model
    third = make(imitation, folder)
    third.restore()
    assert third.states() == []
    second.close()


def test_a_note_that_is_damaged_is_passed_over(imitation: HubImitation, folder: Path) -> None:
    (folder / ".downloads").mkdir(parents=True)
    (folder / ".downloads/x.json").write_bytes(b"{")
    downloads = make(imitation, folder)
    downloads.restore()
    assert downloads.states() == []


KILLED = """
import sys, time
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from app.models.download import Downloads
from app.models.hub import Hub
hub = Hub(sys.argv[2], offline=False)
downloads = Downloads(Path(sys.argv[3]), hub, reserve_bytes=0)
job = downloads.start(hub.list_files("some/model").files[0])
while downloads.states()[0].done_bytes < 400_000:
    time.sleep(0.005)
print("there", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_killed_and_resumed(imitation: HubImitation, folder: Path, model: bytes) -> None:
    """C16."""
    gate = hold_after(imitation, 400_000)
    command = [sys.executable, "-c", KILLED, str(paths.program_root()), imitation.endpoint, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        assert models_in(folder) == []
        other = make(imitation, folder)
        other.restore()
        (waiting,) = other.states()
        other.resume(waiting.id)
        busy = finish(other, waiting.id)
        assert (busy.status, busy.code) == ("failed", Code.BUSY)
        process.send_signal(signal.SIGKILL)
        process.wait()
    gate.set()
    assert models_in(folder) == []
    other.resume(waiting.id)
    done = finish(other, waiting.id)
    assert done.status == "done"
    assert Path(done.path).read_bytes() == model
    assert imitation.storage_requests[-1]["range"].startswith("bytes=")
    other.close()


def test_changes_are_told(imitation: HubImitation, folder: Path) -> None:
    told = threading.Event()
    downloads = make(imitation, folder, on_change=told.set)
    finish(downloads, downloads.start(look_up(imitation)))
    assert told.wait(5)
    downloads.close()
