"""The model hub: searching, files of a repository, and headers of files that are not downloaded yet.

Metadata come through huggingface-hub, which knows proxies, mirrors (``HF_ENDPOINT``), tokens and offline mode. It takes
a moment to import, so only what goes online imports this. Nothing is sent but search words and the names asked for.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2
import msgspec
from huggingface_hub import HfApi, constants, get_session, get_token, hf_raise_for_status
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
)
from huggingface_hub.hf_api import ModelInfo, RepoSibling

from app.errors import Code, SlipstreamError
from app.models.catalog import CatalogFile
from app.models.gguf import GgufHeader, parse_header
from app.records import Record
from app.sentences import say

TIMEOUT_S = 15.0
MAX_RESULTS = 100
_HEADER_BLOCK_BYTES = 2 * 1024 * 1024
_PART_NAME = re.compile(r"^(?P<prefix>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf$", re.IGNORECASE)
_QUANTISATION = re.compile(
    r"(?:^|[-._/])((?:UD-)?(?:I?Q\d(?:_[0-9A-Z]+)*|TQ\d_\d|MXFP4|NVFP4|BF16|F16|FP16|F32))(?=[-._/]|$)", re.IGNORECASE
)
_SIDECAR = re.compile(r"(?:^|/)(?:mmproj|mtp|dflash\d*|dspark|eagle3?)[-._]|(?:^|[-._/])(?:mmproj|imatrix)(?=[-._]|$)",
                      re.IGNORECASE)


class HubRepository(Record, frozen=True, kw_only=True):
    """One answer of a search."""

    repo: str
    downloads: int = 0
    likes: int = 0
    gated: bool = False
    updated: str = ""
    tags: list[str] = msgspec.field(default_factory=list)


class HubFile(Record, frozen=True, kw_only=True):
    """One GGUF model in a repository; a split one is one. ``part_files`` holds every path with its size and SHA-256 (""
    unknown), first part first. ``sidecar``: by its name it goes with another model and is not one itself."""

    repo: str
    revision: str
    file: str
    bytes: int
    quantisation: str
    part_files: list[tuple[str, int, str]]
    missing_parts: list[str] = msgspec.field(default_factory=list)
    sidecar: bool = False

    @property
    def sha256(self) -> str:
        return self.part_files[0][2]


class HubListing(Record, frozen=True, kw_only=True):
    """A repository's models. ``revision`` is the commit they were seen at; ``licence`` "" if it names none."""

    repo: str
    revision: str
    gated: bool
    licence: str
    files: list[HubFile]


class Hub:
    """A model hub. Calls block for up to ``TIMEOUT_S`` a request and raise ``SlipstreamError``: ``NETWORK`` when it
    cannot be reached or offline mode is on, ``GATED`` when an agreement or a token is missing, ``MODEL_NOT_FOUND``.

    Args:
        endpoint: address of the hub or a mirror; "" takes ``HF_ENDPOINT`` or the public hub.
        token: access token; None takes the one that is stored on this machine, for the public hub only, or
            ``HF_TOKEN`` for a mirror: a stored token is not handed to another host unasked.
        offline: no request leaves; None asks ``HF_HUB_OFFLINE``.
    """

    def __init__(self, endpoint: str = "", token: str | None = None, offline: bool | None = None) -> None:
        self.endpoint = (endpoint or os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")
        self.offline = bool(constants.HF_HUB_OFFLINE) if offline is None else offline
        self._token = token
        self._api = HfApi(endpoint=self.endpoint)

    @property
    def host(self) -> str:
        return urlsplit(self.endpoint).netloc

    def token(self) -> str | None:
        """The token that requests carry."""
        if self._token is not None:
            return self._token or None
        host = (urlsplit(self.endpoint).hostname or "").lower()
        if host in ("huggingface.co", "hf.co") or host.endswith(".huggingface.co"):
            return get_token()
        return os.environ.get("HF_TOKEN") or None

    def search(self, words: str, limit: int = 30) -> list[HubRepository]:
        """GGUF repositories for some words, the most downloaded first."""
        # The library's own search tries a silent host five times over half a minute, which nobody would wait for.
        parameters: list[tuple[str, str | int | float | bool | None]] = [
            ("filter", "gguf"), ("sort", "downloads"), ("limit", str(min(limit, MAX_RESULTS))),
            *(("expand", field) for field in ("downloads", "likes", "gated", "lastModified", "tags")),
        ]
        if words.strip():
            parameters.append(("search", words.strip()))
        with self._asking(words):
            response = get_session().get(
                f"{self.endpoint}/api/models", params=parameters, timeout=TIMEOUT_S,
                headers=self.headers(),
            )
            hf_raise_for_status(response)
            return [_to_repository(_to_info(found)) for found in response.json()]

    def list_files(self, repo: str, revision: str | None = None) -> HubListing:
        """The GGUF files of a repository with sizes and hashes, the smallest first."""
        with self._asking(repo):
            info = self._api.model_info(
                repo, revision=revision, files_metadata=True, timeout=TIMEOUT_S, token=self.token() or False
            )
        commit = info.sha or revision or "main"
        files = _gather_files(repo, commit, info.siblings or [])
        return HubListing(
            repo=repo, revision=commit, gated=bool(info.gated), licence=_read_licence(info), files=files
        )

    def resolve(self, wanted: CatalogFile) -> HubFile:
        """The catalog's file as the hub has it now: size and hash are the hub's, a ``*`` in the name is filled in."""
        listing = self.list_files(wanted.repo)
        for file in listing.files:
            if file.file == wanted.file or fnmatch.fnmatchcase(file.file, wanted.file):
                return file
        raise SlipstreamError(
            Code.MODEL_NOT_FOUND,
            say("The repository {repository} has no file “{name}” any more.", repository=wanted.repo, name=wanted.file),
            say("Search the hub for the model, or choose another quantisation."),
        )

    def url(self, repo: str, revision: str, file: str) -> str:
        """Where a file is fetched from; the hub answers with a redirect."""
        return f"{self.endpoint}/{repo}/resolve/{quote(revision, safe='')}/{quote(file)}"

    def headers(self) -> dict[str, str]:
        token = self.token()
        agent = {"user-agent": "slipstream"}
        return {**agent, "authorization": f"Bearer {token}"} if token else agent

    def read_header(self, file: HubFile, *, with_tokens: bool = True) -> GgufHeader:
        """Header of a file that stays where it is: a few megabytes by range requests. Raises ``MODEL_UNREADABLE`` as
        ``gguf.read_header`` does."""
        path, size, _ = file.part_files[0]
        self.check_online()
        with self._asking(file.repo), httpx2.Client(follow_redirects=True, timeout=TIMEOUT_S) as client:
            source = _RangeSource(client, self.url(file.repo, file.revision, path), self.headers(), size)
            return parse_header(source.read_at, size, f"{file.repo}/{path}", with_tokens=with_tokens)

    def check_online(self) -> None:
        if self.offline:
            raise SlipstreamError(
                Code.NETWORK, say("Offline mode is on, so the model hub is not asked."),
                say("Switch offline mode off (HF_HUB_OFFLINE) to search and download."),
            )

    @contextmanager
    def _asking(self, about: str) -> Iterator[None]:
        self.check_online()
        try:
            yield
        except HFValidationError as error:
            raise SlipstreamError(
                Code.MODEL_NOT_FOUND, say("“{name}” is not the name of a repository.", name=about[:80]),
                say("Names look like publisher/model."),
            ) from error
        except GatedRepoError as error:
            raise self.explain_gate(about) from error
        except RepositoryNotFoundError as error:
            raise SlipstreamError(
                Code.MODEL_NOT_FOUND, say("The hub has no repository “{name}”, or it is private.", name=about[:80]),
                say("Check the name; for a private one, store an access token."),
            ) from error
        except OfflineModeIsEnabled as error:
            raise SlipstreamError(
                Code.NETWORK, say("Offline mode is on, so the model hub is not asked."),
                say("Switch offline mode off (HF_HUB_OFFLINE) to search and download."),
            ) from error
        except HfHubHTTPError as error:
            raise self.explain_status(error.response.status_code, about) from error
        except httpx2.HTTPStatusError as error:
            raise self.explain_status(error.response.status_code, about) from error
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise self.explain_silence(str(error)) from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise SlipstreamError(
                Code.NETWORK, say("{host} answered in a form that this program does not know.", host=self.host),
                say("Try again later; if a mirror is set (HF_ENDPOINT), try without it."),
            ) from error

    def explain_gate(self, repo: str) -> SlipstreamError:
        """Why a gated repository refuses, and the two steps that open it."""
        return SlipstreamError(
            Code.GATED, say("The publisher of {name} asks for your agreement before the first download.", name=repo),
            say(
                "Accept the terms on {address}, make an access token on {tokens}, and store it with “hf auth login” "
                "or in HF_TOKEN.",
                address=f"{self.endpoint}/{repo}", tokens=f"{self.endpoint}/settings/tokens",
            ),
        )

    def explain_status(self, status: int, about: str) -> SlipstreamError:
        if status in (401, 403):
            return self.explain_gate(about)
        if status == 404:
            return SlipstreamError(
                Code.MODEL_NOT_FOUND, say("{host} does not have “{name}”.", host=self.host, name=about[:80]),
                say("Check the name, or search for it."),
            )
        if status == 429:
            return SlipstreamError(
                Code.NETWORK, say("{host} asks to wait: too many requests came from here.", host=self.host),
                say("Try again in a few minutes; signing in with a token raises the limit."),
            )
        return SlipstreamError(
            Code.NETWORK, say("{host} answered with status {status}.", host=self.host, status=status),
            say("Try again in a few minutes."),
        )

    def explain_silence(self, detail: str) -> SlipstreamError:
        known = bool(detail) and len(detail) < 120
        return SlipstreamError(
            Code.NETWORK, say("{host} cannot be reached ({reason}).", host=self.host, reason=detail)
            if known else say("{host} cannot be reached.", host=self.host),
            say(
                "Check the connection and the proxy; a mirror can be set in HF_ENDPOINT. Models on disk work without "
                "it."
            ),
        )


class _RangeSource:
    """Bytes of a remote file by range requests, read in blocks and kept."""

    def __init__(self, client: httpx2.Client, url: str, headers: dict[str, str], size: int) -> None:
        self._client, self._url, self._headers, self._size = client, url, headers, size
        self._data = b""

    def read_at(self, offset: int, length: int) -> bytes:
        while offset + length > len(self._data) and len(self._data) < self._size:
            start = len(self._data)
            end = min(max(offset + length, start + _HEADER_BLOCK_BYTES), self._size)
            self._data += self._fetch(start, end)
        return self._data[offset : offset + length]

    def _fetch(self, start: int, end: int) -> bytes:
        headers = {**self._headers, "range": f"bytes={start}-{end - 1}", "accept-encoding": "identity"}
        with self._client.stream("GET", self._url, headers=headers) as response:
            response.raise_for_status()
            if response.status_code != 206:
                raise ValueError("the server does not answer range requests")
            block = b""
            for chunk in response.iter_bytes():
                block += chunk
                if len(block) > end - start:
                    raise ValueError("the server sent more than was asked for")
        if len(block) != end - start:
            raise httpx2.RemoteProtocolError("the answer was cut short")
        return block


def read_quantisation(file: str) -> str:
    """``models/Qwen2.5-7B-Q4_K_M-00001-of-00002.gguf`` → ``Q4_K_M``; "" when a file name tells none."""
    found = _QUANTISATION.findall(file.removesuffix(".gguf"))
    return str(found[-1]).upper() if found else ""


def _to_info(found: dict[str, Any]) -> ModelInfo:
    return ModelInfo(**{"siblings": None, **found})  # type: ignore[no-untyped-call]


def _to_repository(info: ModelInfo) -> HubRepository:
    return HubRepository(
        repo=info.id, downloads=info.downloads or 0, likes=info.likes or 0, gated=bool(info.gated),
        updated=info.last_modified.date().isoformat() if info.last_modified else "", tags=list(info.tags or []),
    )


def _read_licence(info: ModelInfo) -> str:
    for key in ("license_name", "license"):
        given = getattr(info.card_data, key, None)
        if isinstance(given, str) and given:
            return given
    return next((tag.removeprefix("license:") for tag in info.tags or [] if tag.startswith("license:")), "")


def _gather_files(repo: str, revision: str, siblings: list[RepoSibling]) -> list[HubFile]:
    groups: dict[str, dict[int, tuple[str, int, str]]] = {}
    counts: dict[str, int] = {}
    for sibling in siblings:
        if not sibling.rfilename.lower().endswith(".gguf"):
            continue
        match = _PART_NAME.match(sibling.rfilename)
        name = f"{match['prefix']}/{match['count']}" if match else sibling.rfilename
        number = int(match["number"]) if match else 1
        counts[name] = min(int(match["count"]), 9999) if match else 1
        sha256 = sibling.lfs.sha256 if sibling.lfs else ""
        groups.setdefault(name, {})[number] = (sibling.rfilename, sibling.size or 0, sha256)
    files = [_to_file(repo, revision, parts, counts[name]) for name, parts in groups.items()]
    return sorted(files, key=lambda file: (file.bytes, file.file))


def _to_file(repo: str, revision: str, parts: dict[int, tuple[str, int, str]], count: int) -> HubFile:
    ordered = [parts[number] for number in sorted(parts)]
    missing = [f"part {number} of {count}" for number in range(1, count + 1) if number not in parts]
    first = ordered[0][0]
    return HubFile(
        repo=repo, revision=revision, file=first, bytes=sum(size for _, size, _ in ordered),
        quantisation=read_quantisation(first), part_files=ordered, missing_parts=missing,
        sidecar=_SIDECAR.search(first) is not None,
    )
