"""The files of pages, made when they are asked for, and made anew when the files of their run have changed."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from gitgoodbench.errors import UserError
from gitgoodbench.reporting.pages.page import PAGES, asset_files, render_page
from gitgoodbench.reporting.pages.script import data_script
from gitgoodbench.reporting.pages.shown import LoadedRun, Shown, shown_runs
from gitgoodbench.reporting.pages.site import EPISODE_DATA, File, data_file, episode_file
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.underway import UnderWay

_LOOK_EVERY_S: Final = 1.0
_REST: Final = 5
"""Runs are read again after at least as many times what reading them took."""
_KEPT_BYTES: Final = 64 * 1024 * 1024

Signature = tuple[tuple[str, int, int], ...]


class LivePages:
    """Pages of some runs. `file` may be called by any thread.

    load: reads the run in a folder.
    """

    def __init__(self, folders: Sequence[Path], load: Callable[[Path], LoadedRun]) -> None:
        self._folders = list(folders)
        self._load = load
        self._lock = threading.Lock()
        self._signatures: dict[Path, Signature] = {}
        self._runs: dict[Path, LoadedRun] = {}
        self._shown: tuple[Shown, ...] = ()
        self._episodes: dict[str, tuple[str, Shown, Result]] = {}
        self._worked_on: list[bool] = []
        self._version = ""
        self._next_look = 0.0
        self._fixed = {page.file: render_page(page, live=True) for page in PAGES} | dict(asset_files())
        self._data = {data_file(key): (key, make) for page in PAGES for key, make in page.data.items()}
        self._made = _Made()
        with self._lock:
            self._look()

    def file(self, name: str) -> bytes | None:
        """A file of the site; None where there is none of that name."""
        if name in self._fixed:
            return self._fixed[name]
        with self._lock:
            self._look()
            shown, version = self._shown, self._version
            episode = self._episodes.get(name)
            running = sum(self._worked_on)
        if name == data_file("live"):
            return data_script("live", {"version": version, "running": running})
        if name in self._data:
            key, make = self._data[name]
            return self._made.get(name, version, lambda: data_script(key, make(shown)))
        if episode is None:
            return None
        room, of, result = episode
        files = of.paths.episode(*result.key).folder
        return self._made.get(name, str(_signature(files.iterdir())), lambda: _content(episode_file(room, of, result)))

    def _look(self) -> None:
        """Read again the runs whose files have changed."""
        began = time.monotonic()
        if began < self._next_look:
            return
        worked_on = [UnderWay(RunPaths(folder)).worker() is not None for folder in self._folders]
        changed = worked_on != self._worked_on
        self._worked_on = worked_on
        for folder in self._folders:
            paths = RunPaths(folder)
            signature = _signature([paths.manifest, *paths.result_files()])
            if signature == self._signatures.get(folder):
                continue
            try:
                self._runs[folder] = self._load(folder)
            except UserError:
                if folder not in self._runs:
                    raise
                continue  # it is being written, or was taken away: what was read before is shown
            self._signatures[folder] = signature
            changed = True
        if changed:
            self._shown = shown_runs([self._runs[folder] for folder in self._folders])
            self._episodes = {
                data_file(f"{room}/{each.key(result)}"): (room, each, result)
                for room in EPISODE_DATA
                for each in self._shown
                for result in each.run.results
            }
            self._version = hashlib.sha256(repr((self._signatures, worked_on)).encode()).hexdigest()[:16]
        took = time.monotonic() - began
        self._next_look = began + max(_LOOK_EVERY_S, _REST * took)


def _content(file: File | None) -> bytes:
    """Of a file that is not there, an empty script: whoever asked for it finds nothing in it."""
    return b"" if file is None else file[1]


def _signature(paths: Any) -> Signature:
    """What tells whether files have changed: names, times and sizes of those that are there."""
    found = []
    for path in sorted(paths):
        try:
            status = path.stat()
        except OSError:
            continue
        found.append((str(path), status.st_mtime_ns, status.st_size))
    return tuple(found)


class _Made:
    """Files that were made, as long as what they were made of is the same; the least used go first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[str, bytes]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, name: str, version: str, make: Callable[[], bytes]) -> bytes:
        with self._lock:
            known = self._kept.get(name)
            if known is not None and known[0] == version:
                self._kept.move_to_end(name)
                return known[1]
        content = make()
        with self._lock:
            former = self._kept.pop(name, None)
            self._bytes += len(content) - (0 if former is None else len(former[1]))
            self._kept[name] = version, content
            while self._bytes > _KEPT_BYTES and len(self._kept) > 1:
                _, (_, oldest) = self._kept.popitem(last=False)
                self._bytes -= len(oldest)
        return content
