"""Tarballs of the npm registry, fetched without npm: kept in the cache by their checksums, and checked at each use."""

from __future__ import annotations

import contextlib
import hashlib
import os
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit, urlunsplit

import requests
from requests.adapters import HTTPAdapter

from gitgoodbench.agents.images.locks import LockedTarball, integrity_of
from gitgoodbench.agents.images.npm_config import NpmConfig
from gitgoodbench.cache import cache_home
from gitgoodbench.errors import UserError
from gitgoodbench.files import make_durably, replacing

Progress = Callable[[str], None]

_ATTEMPTS: Final = 3
_TIMEOUT_S: Final = (15.0, 60.0)
_PIECE: Final = 1024 * 1024
_ABBREVIATED: Final = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8"
_WAYS: Final = (
    "check the network; NPM_CONFIG_REGISTRY or ~/.npmrc name a mirror, HTTPS_PROXY a proxy, "
    "NODE_EXTRA_CA_CERTS the certificates of one that signs itself"
)


class _Broken(Exception):
    """A download that ended early: it may be tried again."""


@dataclass
class NpmRegistry:
    """The registry, or several, as a configuration names them. folder: of the kept tarballs."""

    config: NpmConfig = field(default_factory=NpmConfig.of_user)
    folder: Path = field(default_factory=lambda: cache_home() / "agents")

    def __post_init__(self) -> None:
        self._session = requests.Session()
        self._session.mount("https://", _Trusting(self.config.certificates or os.environ.get("NODE_EXTRA_CA_CERTS")))
        self._session.auth = _no_netrc

    def fetch(self, package: LockedTarball, progress: Progress) -> Path:
        """The package's tarball, as the lock has it.

        Raises:
            UserError: no registry answers, it has no such package, or what it has is another file.
        """
        place = self.folder / f"{package.sha512[:64]}.tgz"
        try:
            make_durably(self.folder)
            if place.is_file() and _digest(place) == package.sha512:
                return place
            with replacing(place) as partial:
                self._download(package, partial, progress)
        except OSError as problem:
            if isinstance(problem, requests.RequestException):
                raise
            raise UserError(f"{package} cannot be kept in {self.folder}: {problem.strerror or problem}") from problem
        return place

    def metadata(self, name: str, version: str) -> Any:
        """What the registry says of one version of a package.

        Raises:
            UserError: it does not answer, or has none.
        """
        url = f"{self.config.registry_of(name)}{quote(name, safe='@')}"
        with self._asking(url, Accept=_ABBREVIATED) as response:
            versions = response.json()["versions"]
        if version not in versions:
            raise UserError(f"{shown(url)} has no version {version} of {name}")
        return versions[version]

    def newest(self, name: str) -> str:
        """The version that the registry calls the latest."""
        url = f"{self.config.registry_of(name)}{quote(name, safe='@')}"
        with self._asking(url, Accept=_ABBREVIATED) as response:
            return str(response.json()["dist-tags"]["latest"])

    def _download(self, package: LockedTarball, place: Path, progress: Progress) -> None:
        plain = package.name.rpartition("/")[2]
        url = f"{self.config.registry_of(package.name)}{package.name}/-/{plain}-{package.version}.tgz"
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                progress(f"downloading {package}")
                got = self._save(url, package, place)
                break
            except _Broken as problem:
                if attempt == _ATTEMPTS:
                    raise UserError(f"{package}: {problem}, {_ATTEMPTS} times: {_WAYS}") from problem
        if got != package.sha512:
            raise UserError(
                f"{package} from {shown(url)} is not the file of the lock: expected {package.integrity}, "
                f"got {integrity_of(got)}; nothing is installed. Try again; if it stays so, "
                "the registry or a proxy gives out another file, so find out why before you use it"
            )

    def _save(self, url: str, package: LockedTarball, place: Path) -> str:
        """Write the tarball; its SHA-512."""
        digest = hashlib.sha512()
        size = 0
        with self._tarball(url, package) as response, place.open("wb") as file:
            promised = response.headers.get("Content-Length")
            try:
                for piece in response.iter_content(_PIECE):
                    digest.update(piece)
                    size += file.write(piece)
            except requests.RequestException as problem:
                raise _Broken(f"{shown(url)} broke off after {size} bytes") from problem
        if promised is not None and "Content-Encoding" not in response.headers and size != int(promised):
            raise _Broken(f"{shown(url)} broke off after {size} of {promised} bytes")
        return digest.hexdigest()

    @contextlib.contextmanager
    def _tarball(self, url: str, package: LockedTarball) -> Iterator[requests.Response]:
        """Ask where tarballs usually are, and where the registry says that this one is if it is not there."""
        try:
            with self._asking(url) as response:
                yield response
                return
        except _Absent:
            pass
        with self._asking(str(self.metadata(package.name, package.version)["dist"]["tarball"])) as response:
            yield response

    @contextlib.contextmanager
    def _asking(self, url: str, **headers: str) -> Iterator[requests.Response]:
        try:
            response = self._session.get(
                url, headers=headers | self.config.headers_for(url), stream=True, timeout=_TIMEOUT_S,
                proxies=self.config.proxies or None,
            )  # fmt: skip
        except requests.RequestException as problem:
            raise UserError(f"the npm registry {shown(url)} does not answer ({_reason(problem)}): {_WAYS}") from problem
        with response:
            if response.status_code == 404:
                raise _Absent(f"the npm registry has no {shown(url)}")
            if response.status_code != 200:
                raise UserError(
                    f"the npm registry {shown(url)} answers {response.status_code} {response.reason}: {_WAYS}"
                )
            yield response


class _Absent(UserError):
    """The registry has no such thing."""


class _Trusting(HTTPAdapter):
    """Trusts what requests does, what this machine does, and a file of further certificates."""

    def __init__(self, further: str | None) -> None:
        self._further = further
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **settings: Any) -> None:
        super().init_poolmanager(*arguments, **settings, ssl_context=self._context())

    def proxy_manager_for(self, proxy: str, **settings: Any) -> Any:
        return super().proxy_manager_for(proxy, **settings, ssl_context=self._context())

    def _context(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if self._further:
            try:
                context.load_verify_locations(self._further)
            except OSError as problem:
                raise UserError(f"the file of certificates {self._further} cannot be read: {problem}") from problem
        return context


def _no_netrc(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Keep requests from putting a password of ~/.netrc in: npm would not."""
    return request


def shown(url: str) -> str:
    """An address without user, password and query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha512").hexdigest()


def _reason(problem: BaseException) -> str:
    """The innermost cause."""
    reason: object = problem
    while isinstance(reason, BaseException) and reason.args:
        inner = getattr(reason, "reason", None) or next(
            (part for part in reason.args if isinstance(part, BaseException)), None
        )
        if inner is None or inner is reason:
            break
        reason = inner
    return " ".join(str(getattr(reason, "strerror", None) or reason).split())[:200]
