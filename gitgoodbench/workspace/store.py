"""The repository store: where the history of a sample comes from.

Repositories of the built-in suite are built on this machine. All others come from the folder that the user names, and
from there alone; or else from a cache of mirrors that are cloned on demand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit

from gitgoodbench.cache import cache_home
from gitgoodbench.errors import InfrastructureFailed, SetupFailed, UserError
from gitgoodbench.git.mirror import Mirror, UnreadableRepositoryError
from gitgoodbench.workspace.commits import commit_problems
from gitgoodbench.workspace.local import LocalRepositories
from gitgoodbench.workspace.mirrors import GITHUB, Mirrors, mirror_folder
from gitgoodbench.workspace.network import Network, Progress

BUILT_IN: Final = "mini/"
"""What names of repositories of the built-in suite start with."""

_NAME: Final = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


class RepositoryStore(Protocol):
    """Finds or fetches repositories."""

    def mirror(self, name: str, commits: Sequence[str]) -> Mirror:
        """The repository `owner/name`, holding the given commits.

        Raises:
            SetupFailed: the repository or a commit cannot be had, with the reason.
            InfrastructureFailed: the network, the cache or the disk failed.
        """
        ...


@dataclass(frozen=True)
class _Store:
    others: RepositoryStore
    cache_dir: Path | None

    def mirror(self, name: str, commits: Sequence[str]) -> Mirror:
        """See `RepositoryStore.mirror`."""
        if not _NAME.fullmatch(name) or {".", ".."} & set(name.split("/")):
            raise SetupFailed(f"{name!r} is not a repository name (owner/name)")
        if not name.startswith(BUILT_IN):
            return self.others.mirror(name, commits)
        from gitgoodbench.stories.suite import repository_path

        mirror = Mirror(repository_path(name, self.cache_dir))
        try:
            problems = commit_problems(mirror, commits)
        except UnreadableRepositoryError as problem:
            raise InfrastructureFailed(f"{name}: {mirror.git_dir} is damaged ({problem}): delete it") from problem
        if problems:
            raise SetupFailed(f"{name}: commit {problems[0]} in the built-in suite")
        return mirror


def open_store(
    repos: Path | None = None,
    cache_dir: Path | None = None,
    offline: bool = False,
    progress: Progress | None = None,
    *,
    base_url: str = GITHUB,
) -> RepositoryStore:
    """The store of a run. Nothing is fetched before a repository is asked for.

    Args:
        repos: folder of local repositories (see `workspace.local.LAYOUTS`), used instead of the cache and the network.
        cache_dir: the harness's cache, None for `cache.cache_home()`; mirrors go to its folder `repos`. Also used by
            the built-in suite, whatever `repos` says.
        offline: never touch the network.
        progress: told what is being cloned and fetched, from the thread that needs it.
        base_url: where `owner/name.git` is cloned from: https, http or file, without user name and password.

    Raises:
        UserError: `repos` is no folder, or `base_url` is none of these.
    """
    if repos is not None:
        if not repos.is_dir():
            raise UserError(f"--repos {repos} is not a folder")
        return _Store(LocalRepositories(repos.absolute()), cache_dir)
    url = urlsplit(base_url)
    if url.scheme not in ("https", "http", "file") or "@" in url.netloc:
        raise UserError("repositories are cloned from a https, http or file URL without user name and password")
    folder = (cache_home() if cache_dir is None else cache_dir.absolute()) / "repos"
    return _Store(Mirrors(folder, base_url.rstrip("/"), offline, Network(progress)), cache_dir)


def needs_cache(names: Iterable[str], repos: Path | None) -> bool:
    """Whether one of these repositories is still to be put into the cache."""
    from gitgoodbench.stories.suite import is_built, repository_names

    def absent(name: str) -> bool:
        if name.startswith(BUILT_IN):
            return name in repository_names() and not is_built(name)
        return repos is None and not mirror_folder(cache_home() / "repos", name).is_dir()

    return any(map(absent, names))
