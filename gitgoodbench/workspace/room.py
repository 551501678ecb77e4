"""How much the cache keeps prepared: samples (`packs`), and repositories that were sent to this machine (`sent`).

Each is an entry: a folder that appears whole, and whose time says when it was last used. Together they take no more
than the cache may; those that were not used for longest go first.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.cache import DEFAULT_CACHE_GIB, cache_home

INCOMING: Final = ".incoming"
"""How names of what is being made begin, in `packs` of a folder of such."""

_GIB: Final = 1024**3

_IN_USE_S: Final = 3600.0
"""Seconds after its last use in which an entry does not go."""

_LOOK_AFTER: Final = 64
"""The part of the cache that a process adds before it looks through all entries again."""

_most_bytes = int(DEFAULT_CACHE_GIB * _GIB)
_added: int | None = None
"""Bytes that this process has added since it last looked; None: it never has."""


def keep_at_most(gib: float) -> None:
    """Let this process keep so many GiB of entries. Those that were not used for longest go first."""
    global _most_bytes
    _most_bytes = int(gib * _GIB)


def packs_folder() -> Path:
    """Where prepared samples are.

    Raises:
        UserError: there is no folder for a cache.
    """
    return cache_home() / "packs"


def sent_folder() -> Path:
    """Where repositories are that were sent to this machine.

    Raises:
        UserError: as for `packs_folder`.
    """
    return cache_home() / "sent"


@dataclass(frozen=True)
class Kept:
    """What one folder of the cache keeps. stale: what killed processes have left."""

    folder: Path
    entries: int
    bytes: int
    stale: int


def describe_kept() -> tuple[Kept, Kept]:
    """What the cache keeps at this moment: samples, and repositories that were sent.

    Raises:
        UserError: there is no folder for a cache.
    """
    return _described(packs_folder()), _described(sent_folder())


def _described(folder: Path) -> Kept:
    entries = _entries(folder)
    return Kept(folder, len(entries), sum(map(_size, entries)), len(_stale(folder)))


def remove_stale() -> list[Path]:
    """Remove what killed processes have left of entries that they were making; the paths.

    Raises:
        UserError: there is no folder for a cache.
    """
    gone = [left for folder in (packs_folder(), sent_folder()) for left in _stale(folder)]
    for left in gone:
        shutil.rmtree(left, ignore_errors=True)
    return gone


def make_room(added: Path) -> None:
    """Remove entries until the others take no more than what the cache may, and what killed processes have left.

    To look through thousands of entries for each that is added would take longer and longer, so that is done now and
    then: each process may exceed what the cache may take by a 64th of it.

    Raises:
        UserError: there is no folder for a cache.
    """
    global _added
    if _added is not None and (_added := _added + _size(added)) <= _most_bytes // _LOOK_AFTER:
        return
    _added = 0
    used: dict[Path, float] = {}
    for entry in (*_entries(packs_folder()), *_entries(sent_folder())):
        with contextlib.suppress(OSError):  # another process makes room, too
            used[entry] = entry.stat().st_mtime
    sizes = {entry: _size(entry) for entry in used}
    now, total = time.time(), sum(sizes.values())
    for entry in sorted(used, key=used.__getitem__):
        if total <= _most_bytes or now - used[entry] < _IN_USE_S:
            break
        shutil.rmtree(entry, ignore_errors=True)
        total -= sizes[entry]
    remove_stale()


def _entries(folder: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return [entry for entry in folder.iterdir() if not entry.name.startswith(".")]
    return []


def _stale(folder: Path) -> list[Path]:
    """Folders of entries that were begun, and last written to, so long ago that nobody is still at it."""
    with contextlib.suppress(OSError):
        begun = [*_folders(folder / INCOMING), *folder.glob(f"{INCOMING}-*")]
        return [left for left in begun if time.time() - _last_written(left) > _IN_USE_S]
    return []


def _folders(folder: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        yield from (entry for entry in folder.iterdir() if entry.is_dir())


def _last_written(folder: Path) -> float:
    times = [time.time()]
    with contextlib.suppress(OSError):
        times = [folder.stat().st_mtime, *(file.stat().st_mtime for file in _files(folder))]
    return max(times)


def _size(entry: Path) -> int:
    with contextlib.suppress(OSError):
        return sum(file.stat().st_size for file in _files(entry))
    return 0


def _files(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder):
        yield from (Path(parent, name) for name in names)
