"""The store's cache: bare mirrors of public repositories, cloned when first asked for.

repos/owner__name.git      a whole mirror: every branch and tag, and commits fetched by id under refs/gitgoodbench/
repos/.locks/              one lock per repository, for threads and processes alike
repos/.incoming/           clones under way; one that was killed is removed by the next clone of that repository
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gitgoodbench.errors import InfrastructureFailed, SetupFailed
from gitgoodbench.files import locked, write_atomically
from gitgoodbench.git.mirror import Mirror, UnreadableRepositoryError
from gitgoodbench.workspace.commits import CommitProblem, commit_problems
from gitgoodbench.workspace.network import Network, RemoteRefusedError

GITHUB: Final = "https://github.com"


@dataclass(frozen=True)
class Mirrors:
    """A folder of mirrors of `{base_url}/owner/name.git`. `offline`: what is not there is not to be had."""

    folder: Path
    base_url: str = GITHUB
    offline: bool = False
    network: Network = field(default_factory=Network)

    def mirror(self, name: str, commits: Sequence[str]) -> Mirror:
        """See `RepositoryStore.mirror`."""
        mirror = mirror_folder(self.folder, name)
        if mirror.is_dir() and not _problems(mirror, commits):
            return Mirror(mirror)
        if self.offline:
            self._complete(name, mirror, commits)
            return Mirror(mirror)
        try:
            (self.folder / ".locks").mkdir(parents=True, exist_ok=True)
            lock = self.folder / ".locks" / mirror.name
            with locked(lock, lambda _: self.network.report(name, "waiting: it is being fetched elsewhere")):
                self._complete(name, mirror, commits)
        except OSError as problem:
            raise InfrastructureFailed(f"{name}: the cache {self.folder} cannot be used: {problem}") from problem
        return Mirror(mirror)

    def _complete(self, name: str, mirror: Path, commits: Sequence[str]) -> None:
        """Make sure of the mirror and of the commits in it. Online, the caller holds the lock."""
        if not mirror.is_dir():
            self._refuse_offline(f"{name} is not in the cache {self.folder}")
            self._clone(name, mirror)
        for problem in _problems(mirror, commits):
            if problem.absent:
                self._refuse_offline(f"{name}: commit {problem.commit} is not in the cached mirror {mirror}")
                self._fetch(name, mirror, problem.commit)
        for problem in _problems(mirror, commits):
            raise SetupFailed(f"{name}: commit {problem} in {mirror}")

    def _refuse_offline(self, what: str) -> None:
        if self.offline:
            raise SetupFailed(f"{what}, and offline was asked for")

    def _clone(self, name: str, mirror: Path) -> None:
        incoming = self.folder / ".incoming"
        incoming.mkdir(exist_ok=True)
        for leftover in incoming.glob(f"{mirror.name}.*"):
            shutil.rmtree(leftover, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{mirror.name}.", dir=incoming))
        url = f"{self.base_url}/{name}.git"

        def arguments() -> list[str]:
            shutil.rmtree(folder / "mirror", ignore_errors=True)
            return ["clone", "--bare", "--template=", "--progress", "--", url, str(folder / "mirror")]

        self.network.report(name, f"cloning {url}")
        try:
            self.network.run(folder, name, url, arguments)
            (folder / "mirror").rename(mirror)
            self.network.report(name, "cloned")
        except RemoteRefusedError as problem:
            raise SetupFailed(f"{name} cannot be cloned from {url}: {problem}") from problem
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _fetch(self, name: str, mirror: Path, commit: str) -> None:
        """Fetch a commit that no branch or tag reaches, under a ref that keeps it; Git runs in a borrower."""
        self.network.report(name, f"fetching commit {commit}")
        options = ("--no-tags", "--no-write-fetch-head", "--progress")
        url = f"{self.base_url}/{name}.git"
        git = Mirror(mirror).borrow(refs=True)
        try:
            self.network.run(
                Path(git.git_dir), name, url,
                lambda: ["fetch", *options, "--", url, f"{commit}:refs/gitgoodbench/{commit}"],
                GIT_OBJECT_DIRECTORY=str(mirror / "objects"),
            )  # fmt: skip
        except RemoteRefusedError as problem:
            raise SetupFailed(
                f"{name}: commit {commit} is on no branch or tag and cannot be fetched from {url}: {problem}"
            ) from problem
        keeper = mirror / "refs" / "gitgoodbench" / commit
        keeper.parent.mkdir(exist_ok=True)
        write_atomically(keeper, f"{commit}\n".encode("ascii"))


def mirror_folder(folder: Path, name: str) -> Path:
    """Where the mirror of `owner/name` lies in the cache."""
    return folder / f"{name.replace('/', '__')}.git"


def _problems(mirror: Path, commits: Sequence[str]) -> list[CommitProblem]:
    try:
        return commit_problems(Mirror(mirror), commits)
    except UnreadableRepositoryError as problem:
        raise InfrastructureFailed(f"the cached mirror {mirror} is damaged ({problem}): delete it") from problem
