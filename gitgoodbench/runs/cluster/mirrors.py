"""Repositories that a worker cannot fetch are sent to it, and kept there by what they hold (see `workspace.room`).

cache/sent/<hash>.git   a bare repository: the commits that the sender's refs reach, and those that were asked for
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gitgoodbench.errors import EpisodeError, InfrastructureFailed, SetupFailed, UserError
from gitgoodbench.files import locked
from gitgoodbench.folders import make_folder, remove_folder
from gitgoodbench.git.mirror import Mirror, UnreadableRepositoryError
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.runs.cluster.link import Link
from gitgoodbench.workspace.commits import commit_problems
from gitgoodbench.workspace.history import PackedHistory, pack_history
from gitgoodbench.workspace.room import INCOMING, make_room, sent_folder
from gitgoodbench.workspace.store import BUILT_IN, RepositoryStore, open_store

PIECE: Final = 4 * 1024 * 1024
"""Bytes that are sent at a time."""


@dataclass(frozen=True)
class Parcel:
    """A repository as it is sent. tips: what refs are made of. size: of the pack, in bytes."""

    digest: str
    algorithm: str
    tips: tuple[str, ...]
    boundary: tuple[str, ...]
    size: int


@dataclass
class Sender:
    """Packs repositories of a store, each once, and reads the packs piece by piece; `close` removes them."""

    store: RepositoryStore
    _folder: Path | None = None
    _packed: dict[str, tuple[Parcel, Path]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def pack(self, name: str, commits: Sequence[str]) -> Parcel:
        """
        Raises:
            EpisodeError: as `RepositoryStore.mirror`.
        """
        mirror = self.store.mirror(name, commits)
        try:
            git = mirror.borrow(refs=True)
            tips = _tips(git, commits)
            algorithm = git.line("rev-parse", "--show-object-format")
        except (UnreadableRepositoryError, GitError) as problem:
            raise SetupFailed(f"{name}: it cannot be sent to a worker: {problem}") from problem
        digest = hashlib.sha256("\n".join((algorithm, *tips)).encode()).hexdigest()
        with self._lock:  # one at a time: packing takes all cores
            if digest not in self._packed:
                self._folder = self._folder or make_folder("sending", large=True)
                place = self._folder / digest
                place.mkdir()
                packed = pack_history(git, tips, place)
                self._packed[digest] = _parcel(digest, algorithm, tips, packed), packed.pack
            return self._packed[digest][0]

    def piece(self, digest: str, start: int) -> bytes:
        with self._packed[digest][1].open("rb") as file:
            file.seek(start)
            return file.read(PIECE)

    def close(self) -> None:
        if self._folder is not None:
            with suppress(OSError):
                remove_folder(self._folder)


def _parcel(digest: str, algorithm: str, tips: tuple[str, ...], packed: PackedHistory) -> Parcel:
    return Parcel(digest, algorithm, tips, packed.boundary, packed.pack.stat().st_size)


def _tips(git: Git, commits: Sequence[str]) -> tuple[str, ...]:
    """Every commit that a ref names, and those of `commits` that none of them reaches."""
    listing = git.run("for-each-ref", "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname)").decode()
    found = set()
    for line in listing.splitlines():
        words = line.split()
        found |= {words[at + 1] for at in range(0, len(words), 2) if words[at] == "commit"}
    asked = "".join(f"{commit}\n" for commit in commits) + "".join(f"^{tip}\n" for tip in found)
    loose = git.run("rev-list", "--no-walk", "--stdin", stdin=asked.encode()).decode().split() if commits else []
    return tuple(sorted(found | set(loose)))


@dataclass(frozen=True)
class FarStore:
    """Repositories that this machine has or can fetch (own; None: the folder that was named is not here), else sent."""

    own: RepositoryStore | None
    link: Callable[[], Link]

    def mirror(self, name: str, commits: Sequence[str]) -> Mirror:
        """See `RepositoryStore.mirror`. What the sender says of a repository that nobody has is what counts."""
        own = open_store() if self.own is None and name.startswith(BUILT_IN) else self.own
        if own is not None:
            try:
                return own.mirror(name, commits)
            except EpisodeError:
                if name.startswith(BUILT_IN):
                    raise
        link = self.link()
        parcel: Parcel = link.call("mirror", name, tuple(commits))
        try:
            return _received(parcel, name, commits, lambda start: link.call("piece", parcel.digest, start))
        except (OSError, GitError, UnreadableRepositoryError, UserError) as problem:
            raise InfrastructureFailed(f"{name}: what was sent cannot be kept here: {problem}") from problem


def _received(parcel: Parcel, name: str, commits: Sequence[str], piece: Callable[[int], bytes]) -> Mirror:
    folder = sent_folder()
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{parcel.digest}.git"
    with locked(folder / ".lock", lambda _: None):
        mirror = Mirror(place)
        if not place.is_dir() or commit_problems(mirror, commits):
            shutil.rmtree(place, ignore_errors=True)
            _unpack(parcel, folder, place, piece)
            make_room(place)
        for problem in commit_problems(mirror, commits):
            raise SetupFailed(f"{name}: commit {problem} in what was sent")
        os.utime(place)
    return mirror


def _unpack(parcel: Parcel, folder: Path, place: Path, piece: Callable[[int], bytes]) -> None:
    incoming = Path(tempfile.mkdtemp(prefix=f"{INCOMING}-", dir=folder))
    try:
        git = Git(incoming)
        git.run("init", "--quiet", "--bare", "--template=", f"--object-format={parcel.algorithm}", str(incoming))
        pack = incoming / "objects" / "pack" / "pack-sent.pack"
        with pack.open("wb") as file:
            while file.tell() < parcel.size:
                file.write(piece(file.tell()))
        git.run("index-pack", str(pack))
        refs = "".join(f"{tip} refs/gitgoodbench/{tip}\n" for tip in parcel.tips)
        (incoming / "packed-refs").write_text(f"# pack-refs with: peeled fully-peeled sorted \n{refs}", "ascii")
        if parcel.boundary:
            (incoming / "shallow").write_text("".join(f"{commit}\n" for commit in parcel.boundary), "ascii")
        incoming.rename(place)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)
