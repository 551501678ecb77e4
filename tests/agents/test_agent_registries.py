"""Packages of agents from a registry: found by the user's configuration, checked, kept; and what is said when not."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitgoodbench.agents.images import npm_config
from gitgoodbench.agents.images.locks import LockedTarball, LockedWheel, write_requirements
from gitgoodbench.agents.images.npm import NpmRegistry
from gitgoodbench.agents.images.npm_config import NpmConfig
from gitgoodbench.agents.images.wheels import download_wheels
from gitgoodbench.errors import UserError
from tests.support.registries import Registries, integrity, pure_wheel, serve_registries, tarball

DATA = tarball({"package/bin/tool": b"#!/bin/sh\necho 1.2.3\n"}, programs=("package/bin/tool",))
TOOL = LockedTarball("@maker/tool", "1.2.3", hashlib.sha512(DATA).hexdigest())
PATH = "/@maker/tool/-/tool-1.2.3.tgz"


@pytest.fixture
def registries() -> Iterator[Registries]:
    with serve_registries() as served:
        yield served


def registry(served: Registries, folder: Path, **settings: str) -> NpmRegistry:
    return NpmRegistry(NpmConfig({"registry": served.url, **settings}), folder)


def ignore(_line: str) -> None:
    pass


def test_a_tarball_is_fetched_once_and_kept_by_its_checksum(registries: Registries, tmp_path: Path) -> None:
    registries.add_npm("@maker/tool", "1.2.3", DATA)
    said: list[str] = []
    first = registry(registries, tmp_path).fetch(TOOL, said.append)
    assert first.read_bytes() == DATA
    assert registry(registries, tmp_path).fetch(TOOL, said.append) == first
    assert (registries.asked, said) == ([(PATH, None)], ["downloading @maker/tool@1.2.3"])


def test_a_kept_tarball_that_was_changed_is_fetched_again(registries: Registries, tmp_path: Path) -> None:
    registries.add_npm("@maker/tool", "1.2.3", DATA)
    registry(registries, tmp_path).fetch(TOOL, ignore).write_bytes(b"changed")
    assert registry(registries, tmp_path).fetch(TOOL, ignore).read_bytes() == DATA
    assert len(registries.asked) == 2


def test_another_file_than_the_locks_is_refused_with_both_checksums(registries: Registries, tmp_path: Path) -> None:
    other = tarball({"package/bin/tool": b"another\n"})
    registries.add_npm("@maker/tool", "1.2.3", other)
    wanted = f"@maker/tool@1.2.3 from {registries.url}{PATH} is not the file of the lock: expected {TOOL.integrity}, "
    with pytest.raises(UserError, match=re.escape(f"{wanted}got {integrity(other)}; nothing is installed")):
        registry(registries, tmp_path).fetch(TOOL, ignore)
    assert list(tmp_path.iterdir()) == []


def test_a_download_that_breaks_off_is_tried_again_and_then_told(registries: Registries, tmp_path: Path) -> None:
    registries.add_npm("@maker/tool", "1.2.3", DATA)
    registries.short.add(PATH)
    with pytest.raises(
        UserError, match=r"@maker/tool@1\.2\.3: http.*tgz broke off after \d+.*, 3 times: check the net"
    ):
        registry(registries, tmp_path).fetch(TOOL, ignore)
    assert len(registries.asked) == 3
    assert list(tmp_path.iterdir()) == []


def test_a_registry_with_tarballs_elsewhere_is_asked_where(registries: Registries, tmp_path: Path) -> None:
    registries.add_npm("@maker/tool", "1.2.3", DATA, place="/elsewhere/tool.tgz")
    assert registry(registries, tmp_path).fetch(TOOL, ignore).read_bytes() == DATA
    assert [path for path, _ in registries.asked] == [PATH, "/@maker/tool", "/elsewhere/tool.tgz"]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (404, "the npm registry has no http://127.0.0.1:\\d+/@maker%2Ftool"),
        (403, "answers 403 Forbidden: check the net"),
    ],
)
def test_a_registry_that_refuses_is_named(registries: Registries, tmp_path: Path, status: int, reason: str) -> None:
    registries.statuses |= {PATH: status, "/@maker/tool": status}
    with pytest.raises(UserError, match=reason):
        registry(registries, tmp_path).fetch(TOOL, ignore)


def test_no_registry_at_all_is_named_without_its_password(tmp_path: Path) -> None:
    silent = NpmRegistry(NpmConfig({"registry": "http://me:secret@127.0.0.1:9/npm"}), tmp_path)
    with pytest.raises(
        UserError, match=r"the npm registry http://127\.0\.0\.1:9/npm/.* does not answer .*refused"
    ) as told:
        silent.fetch(TOOL, ignore)
    assert "secret" not in str(told.value)
    assert "NPM_CONFIG_REGISTRY" in str(told.value)


def test_a_token_goes_only_where_it_belongs(registries: Registries, tmp_path: Path) -> None:
    registries.add_npm("@maker/tool", "1.2.3", DATA)
    host = registries.url.removeprefix("http:")
    registry(registries, tmp_path / "a", **{f"{host}/@maker/:_authToken": "mine"}).fetch(TOOL, ignore)
    registry(registries, tmp_path / "b", **{f"{host}/@other/:_authToken": "mine"}).fetch(TOOL, ignore)
    registry(registries, tmp_path / "c", **{f"{host}/:_auth": "bWU6bWluZQ=="}).fetch(TOOL, ignore)
    assert [who for _, who in registries.asked] == ["Bearer mine", None, "Basic bWU6bWluZQ=="]


def test_configuration_is_read_as_npm_reads_it(tmp_path: Path) -> None:
    (tmp_path / ".npmrc").write_text(
        "; comment\nregistry = https://a.invalid/npm/\n@maker:registry=\"https://b.invalid\"\n"
        "//b.invalid/:_authToken=${TOKEN}\nhttps-proxy=http://proxy.invalid:1\ncafile=/ca.pem\n"
    )  # fmt: skip
    home = {"HOME": str(tmp_path), "TOKEN": "t"}
    config = NpmConfig.of_user(home)
    assert config.registry_of("tool") == "https://a.invalid/npm/"
    assert config.registry_of("@maker/tool") == "https://b.invalid/"
    assert config.headers_for("https://b.invalid/@maker/tool/-/t.tgz") == {"Authorization": "Bearer t"}
    assert config.headers_for("https://a.invalid/npm/tool") == {}
    assert (config.proxies, config.certificates) == ({"https": "http://proxy.invalid:1"}, "/ca.pem")
    own = NpmConfig.of_user({**home, "NPM_CONFIG_REGISTRY": "https://c.invalid"})
    assert own.registry_of("tool") == "https://c.invalid/"


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("echo https://own.invalid", "https://own.invalid/"),
        ("echo undefined", "no npm registry is known: install npm, or name one by the variable npm_config_registry"),
        (None, "no npm registry is known: install npm"),
    ],
)
def test_npm_itself_is_asked_where_nothing_names_a_registry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str | None, told: str
) -> None:
    if program is not None:
        (tmp_path / "npm").write_text(f'#!/bin/sh\n[ "$*" = "config get registry" ] && {program}\n')
        (tmp_path / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}")
    npm_config.ask_npm.cache_clear()
    config = NpmConfig.of_user({"NPM_CONFIG_GLOBALCONFIG": "/none"})
    try:
        if told.startswith("https"):
            assert config.registry_of("@x/y") == told
        else:
            with pytest.raises(UserError, match=told):
                config.registry_of("@x/y")
    finally:
        npm_config.ask_npm.cache_clear()


@pytest.fixture
def index(registries: Registries, monkeypatch: pytest.MonkeyPatch) -> Registries:
    """The server as the only index that pip knows."""
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", f"{registries.url}/simple/")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    return registries


def lock_of(folder: Path, *wheels: LockedWheel) -> Path:
    path = folder / "tool.requirements.txt"
    path.write_text(write_requirements(wheels))
    return path


def test_wheels_are_downloaded_as_the_lock_says(index: Registries, tmp_path: Path) -> None:
    data = pure_wheel("tool", "1.2", {"tool.py": "x = 1\n"})
    locked = LockedWheel("tool", "1.2", frozenset({index.add_wheel("tool", "1.2", data)}))
    lock = lock_of(tmp_path, locked)
    (got,) = download_wheels(lock, [locked], "linux/arm64", "3.11", tmp_path / "wheels", ignore)
    assert got.read_bytes() == data


def test_another_wheel_than_the_locks_is_refused_with_both_checksums(index: Registries, tmp_path: Path) -> None:
    digest = index.add_wheel("tool", "1.2", pure_wheel("tool", "1.2", {"tool.py": "x = 2\n"}))
    locked = LockedWheel("tool", "1.2", frozenset({"0" * 64}))
    told = rf"tool==1\.2.* is not the file of the lock: expected sha256:{'0' * 64}, got sha256:{digest}; nothing is"
    with pytest.raises(UserError, match=told):
        download_wheels(lock_of(tmp_path, locked), [locked], "linux/amd64", "3.11", tmp_path / "wheels", ignore)


@pytest.mark.usefixtures("index")
def test_no_index_at_all_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")
    locked = LockedWheel("tool", "1.2", frozenset({"0" * 64}))
    with pytest.raises(UserError, match=r"the wheels of tool\.requirements\.txt cannot be downloaded: .*PIP_INDEX_URL"):
        download_wheels(lock_of(tmp_path, locked), [locked], "linux/amd64", "3.11", tmp_path / "wheels", ignore)
