"""Temporary folders on this machine that `gitgoodbench clean` finds again."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import stat
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gitgoodbench.owner import Owner

MARKER: Final = "gitgoodbench-owner.json"
"""File in every such folder that names its owner."""

PREFIX: Final = "gitgoodbench-"
"""What the names of all of them begin with."""

_LARGE: Final = Path("/var/tmp")


class _Live:
    """The folders of this process. A thread that is given up when a run is interrupted does not end its own."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.folders: dict[Path, int] = {}
        self.ending = False


_LIVE: Final = _Live()


def make_folder(purpose: str, *, large: bool = False) -> Path:
    """A fresh folder in the system's place for temporary files, marked as this process's; `remove_folder` ends it.

    `large`: in /var/tmp, which does not lie in memory and lets programs run.
    """
    place = _LARGE if large else None
    with _LIVE.lock:
        if _LIVE.ending:
            raise RuntimeError("no temporary folder can be made while the process ends")
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}-", dir=place)).resolve()
        _LIVE.folders[folder] = os.getpid()
    (folder / MARKER).write_text(json.dumps(Owner.current().labels()), "utf-8")
    return folder


@contextlib.contextmanager
def temporary_folder(purpose: str, *, large: bool = False) -> Iterator[Path]:
    """A folder of `make_folder` for as long as the block lasts."""
    folder = make_folder(purpose, large=large)
    try:
        yield folder
    finally:
        remove_folder(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder with everything in it, whatever its permissions. An absent folder is no error.

    Raises:
        OSError: something in it cannot be removed.
    """
    _LIVE.folders.pop(folder, None)
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except PermissionError:
        _open_up(folder)
        shutil.rmtree(folder)
    except RecursionError:  # folders in folders, deeper than Python follows
        removed = subprocess.run(["rm", "-rf", "--", str(folder)], capture_output=True, check=False)
        if removed.returncode != 0:
            raise OSError(removed.stderr.decode("utf-8", "replace").strip()[:500]) from None


def tie_folder(folder: Path, owner: object) -> None:
    """Remove a folder of `make_folder` when `owner` is no longer used, in this process and not in its forks."""
    weakref.finalize(owner, _remove_in, folder, os.getpid())


def _remove_in(folder: Path, process: int) -> None:
    if os.getpid() == process:
        _remove_at_last(folder)


@atexit.register
def _remove_what_is_left() -> None:
    """Remove the folders that are left when the process ends, unless another process made them (a fork)."""
    with _LIVE.lock:
        _LIVE.ending = True
        own = [folder for folder, process in _LIVE.folders.items() if process == os.getpid()]
    for folder in own:
        _remove_at_last(folder)


def _remove_at_last(folder: Path) -> None:
    """Remove it where nobody is left to hear of an error. A thread that was given up may still write into it."""
    for _ in range(3):
        with contextlib.suppress(OSError):
            remove_folder(folder)
            return


def find_folders() -> Iterator[tuple[Path, Owner | None]]:
    """Every folder of this user that has a marker, with its owner (None: the marker does not say)."""
    for place in {Path(tempfile.gettempdir()).resolve(), _LARGE.resolve()}:
        for folder in sorted(place.glob(f"{PREFIX}*")):
            try:
                facts = folder.lstat()
            except FileNotFoundError:
                continue
            if stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and (folder / MARKER).is_file():
                yield folder, _read_owner(folder / MARKER)


def _read_owner(marker: Path) -> Owner | None:
    try:
        labels = json.loads(marker.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return Owner.from_labels(labels) if isinstance(labels, dict) else None


def _open_up(folder: Path) -> None:
    """Give back the owner's rights on every folder below."""
    folder.chmod(0o700)
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            _open_up(Path(entry.path))
