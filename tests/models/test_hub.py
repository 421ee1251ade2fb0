from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import Code, SlipstreamError
from app.models.catalog import CatalogFile
from app.models.facts import read_facts
from app.models.hub import Hub, read_quantisation
from app.models.pairing import check_pair
from app.models.vocabulary import read_vocabulary
from tests.models import gguf_writer as writer
from tests.models.hub_imitation import COMMIT, Fault, HubImitation, Repository, behind_a_proxy, running_hub


@pytest.fixture
def imitation() -> Iterator[HubImitation]:
    with running_hub() as hub:
        yield hub


@pytest.fixture
def hub(imitation: HubImitation) -> Hub:
    return Hub(imitation.endpoint, offline=False)


@pytest.fixture
def model(tmp_path: Path) -> bytes:
    return writer.write_model(tmp_path / "m.gguf", "Remote Model").read_bytes()


def failure(hub: Hub, repo: str) -> SlipstreamError:
    with pytest.raises(SlipstreamError) as caught:
        hub.list_files(repo)
    assert caught.value.hint
    return caught.value


def test_search(imitation: HubImitation, hub: Hub) -> None:
    imitation.repositories = {"a/Qwen-GGUF": Repository(downloads=5), "b/Llama-GGUF": Repository(gated=True)}
    assert [(found.repo, found.downloads, found.gated) for found in hub.search("qwen")] == [("a/Qwen-GGUF", 5, False)]
    path, headers = imitation.hub_requests[0]
    assert "filter=gguf" in path
    assert "authorization" not in {key.lower() for key in headers}
    assert [found.gated for found in hub.search("llama")] == [True]
    assert hub.search("nothing") == []


def test_files_with_size_hash_and_quantisation(imitation: HubImitation, hub: Hub) -> None:
    imitation.repositories["some/model"] = Repository({
        "README.md": b"x", "m-Q8_0.gguf": b"12345678", "m-Q4_K_M.gguf": b"1234", "mmproj-m-f16.gguf": b"12",
        "big/m-BF16-00002-of-00002.gguf": b"123456", "big/m-BF16-00001-of-00002.gguf": b"123456",
        "m-Q5_K_M-00001-of-00003.gguf": b"1",
    })
    listing = hub.list_files("some/model")
    assert (listing.revision, listing.licence, listing.gated) == (COMMIT, "apache-2.0", False)
    files = {file.file: file for file in listing.files}
    assert [file.bytes for file in listing.files] == sorted(file.bytes for file in listing.files)
    assert files["m-Q4_K_M.gguf"].quantisation == "Q4_K_M"
    assert len(files["m-Q4_K_M.gguf"].sha256) == 64
    split = files["big/m-BF16-00001-of-00002.gguf"]
    assert split.bytes == 12
    assert [path for path, _, _ in split.part_files] == [
        "big/m-BF16-00001-of-00002.gguf", "big/m-BF16-00002-of-00002.gguf"
    ]
    assert files["m-Q5_K_M-00001-of-00003.gguf"].missing_parts == ["part 2 of 3", "part 3 of 3"]
    assert files["mmproj-m-f16.gguf"].sidecar
    assert not files["m-Q8_0.gguf"].sidecar
    assert "README.md" not in files


@pytest.mark.parametrize(("name", "quantisation"), [
    ("Qwen2.5-7B-Instruct-Q4_K_M.gguf", "Q4_K_M"), ("qwen2.5-0.5b-instruct-q8_0.gguf", "Q8_0"),
    ("SmolLM2-135M-Instruct.Q4_1.gguf", "Q4_1"), ("m-UD-Q4_K_XL.gguf", "UD-Q4_K_XL"), ("m-IQ4_XS.gguf", "IQ4_XS"),
    ("gpt-oss-20b-MXFP4.gguf", "MXFP4"), ("BF16/m-BF16-00001-of-00002.gguf", "BF16"), ("notes/model.gguf", ""),
])
def test_quantisation_from_a_name(name: str, quantisation: str) -> None:
    assert read_quantisation(name) == quantisation


def test_the_header_is_read_before_the_download(imitation: HubImitation, hub: Hub, model: bytes) -> None:
    imitation.repositories["some/model"] = Repository({"m-Q4_K_M.gguf": model + bytes(20_000_000)})
    file = hub.list_files("some/model").files[0]
    header = hub.read_header(file)
    assert read_facts(header).name == "Remote Model"
    assert check_pair(read_vocabulary(header), read_vocabulary(header)).compatible
    assert len(imitation.storage_requests) == 1
    assert imitation.storage_requests[0]["range"] == "bytes=0-2097151"


@pytest.mark.parametrize(("fault", "code"), [
    (Fault(other_bytes=b"<html>" * 10), Code.MODEL_UNREADABLE), (Fault(ignore_range=True), Code.NETWORK),
    (Fault(cut_after=100), Code.NETWORK), (Fault(status=503), Code.NETWORK),
])
def test_a_header_that_cannot_be_read_is_said(imitation: HubImitation, hub: Hub, model: bytes, fault: Fault, code: Code
                                              ) -> None:
    imitation.repositories["some/model"] = Repository({"m-Q4_K_M.gguf": model})
    file = hub.list_files("some/model").files[0]
    if fault.other_bytes:
        imitation.repositories["some/model"].files["m-Q4_K_M.gguf"] = bytes(len(model))
        fault = Fault()
    imitation.always = fault
    with pytest.raises(SlipstreamError) as caught:
        hub.read_header(file)
    assert caught.value.code == code


def test_a_catalog_entry_is_found_by_name_or_pattern(imitation: HubImitation, hub: Hub) -> None:
    imitation.repositories["some/model"] = Repository({"m-Q4_K_M.gguf": b"1234", "m-UD-Q4_K_XL.gguf": b"123"})
    for wanted in ("m-Q4_K_M.gguf", "*-Q4_K_M.gguf"):
        found = hub.resolve(CatalogFile(quantisation="Q4_K_M", repo="some/model", file=wanted))
        assert found.file == "m-Q4_K_M.gguf"
    with pytest.raises(SlipstreamError) as caught:
        hub.resolve(CatalogFile(quantisation="Q8_0", repo="some/model", file="m-Q8_0.gguf"))
    assert caught.value.code == Code.MODEL_NOT_FOUND


def test_failures_in_words(imitation: HubImitation, hub: Hub) -> None:
    assert failure(hub, "no/where").code == Code.MODEL_NOT_FOUND
    assert "publisher/model" in failure(hub, "not a name !").hint
    offline = failure(Hub(imitation.endpoint, offline=True), "some/model")
    assert offline.code == Code.NETWORK
    assert "Offline" in offline.message


def test_a_gated_repository_explains_its_steps(imitation: HubImitation, hub: Hub, model: bytes) -> None:
    imitation.repositories["meta/gated"] = Repository({"m-Q4_K_M.gguf": model}, gated=True)
    listing = hub.list_files("meta/gated")
    assert listing.gated
    with pytest.raises(SlipstreamError) as caught:
        hub.read_header(listing.files[0])
    assert caught.value.code == Code.GATED
    assert f"{imitation.endpoint}/meta/gated" in caught.value.hint
    assert "settings/tokens" in caught.value.hint
    imitation.token = "hf_secret"
    header = Hub(imitation.endpoint, token="hf_secret", offline=False).read_header(listing.files[0])
    assert read_facts(header).name == "Remote Model"
    assert all("authorization" not in request for request in imitation.storage_requests)


def test_a_stored_token_goes_to_no_other_host(monkeypatch: pytest.MonkeyPatch, imitation: HubImitation) -> None:
    monkeypatch.setattr("app.models.hub.get_token", lambda: "hf_stored")
    monkeypatch.delenv("HF_TOKEN", raising=False)
    assert Hub(imitation.endpoint).token() is None
    assert Hub("https://huggingface.co.evil.example").token() is None
    assert Hub("https://huggingface.co").token() == "hf_stored"
    monkeypatch.setenv("HF_TOKEN", "hf_for_mirror")
    assert Hub(imitation.endpoint).token() == "hf_for_mirror"


def test_the_systems_proxy_is_used(monkeypatch: pytest.MonkeyPatch, imitation: HubImitation, model: bytes) -> None:
    imitation.repositories["some/model"] = Repository({"m-Q4_K_M.gguf": model})
    with behind_a_proxy(imitation, monkeypatch) as address:
        hub = Hub(address, offline=False)
        assert [found.repo for found in hub.search("model")] == ["some/model"]
        assert read_facts(hub.read_header(hub.list_files("some/model").files[0])).name == "Remote Model"
    asked = [path for path, _ in imitation.hub_requests]
    assert len(asked) == 3
    assert all(path.startswith(address) for path in asked), "asked as a proxy is asked"


def test_a_silent_host_is_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    error = failure(Hub(f"http://127.0.0.1:{port}", offline=False), "some/model")
    assert error.code == Code.NETWORK
    assert f"127.0.0.1:{port}" in error.message


def test_the_mirror_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example/")
    assert Hub().url("a/b", "main", "sub dir/m.gguf") == "https://mirror.example/a/b/resolve/main/sub%20dir/m.gguf"
