"""A folder of pages, or the same in a zip file: what it holds, and how it is put in place beside other files."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path, PurePosixPath
from typing import Any, Final

from gitgoodbench.errors import UserError
from gitgoodbench.reporting.pages.episode import AMONG_MANY, episode_record, episode_trees
from gitgoodbench.reporting.pages.page import PAGES, asset_files, render_page
from gitgoodbench.reporting.pages.script import data_script
from gitgoodbench.reporting.pages.shown import LoadedRun, Shown, shown_runs
from gitgoodbench.runs.result import Result

MARKER: Final = "gitgoodbench-pages.json"
"""Says that a folder is of pages, and which files in it are theirs."""

_FORMAT = 1
_ALONE = 200
"""Episodes that one process writes as soon as several would have started."""
_CHUNK = 25
_MANY = 1000
"""Episodes beyond which syntax trees are compared within narrower limits."""

File = tuple[str, bytes]


def write_site(runs: Sequence[LoadedRun], folder: Path) -> int:
    """Write pages of the runs; returns how many files there are. Files in the folder that are not of pages stay.

    Raises:
        UserError: the folder is there, and not of pages, or cannot be written.
    """
    before = _files_of_before(folder)
    try:
        written = _write_files(site_files(shown_runs(runs)), folder)
        for name in before - written:
            (folder / name).unlink(missing_ok=True)
    except OSError as problem:
        raise UserError(f"{folder} cannot be written ({problem.strerror}): name a folder that is yours") from problem
    return len(written)


def write_bundle(runs: Sequence[LoadedRun], file: Path) -> int:
    """Write the same as a zip file, in one folder of its name; returns how many files there are.

    Raises:
        UserError: the file is there, and not such a bundle, or cannot be written.
    """
    _check_bundle(file)
    part = file.with_name(f".{file.name}.part")
    count = 0
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as bundle:
            for name, content in site_files(shown_runs(runs)):
                entry = zipfile.ZipInfo(f"{file.stem}/{name}", (1980, 1, 1, 0, 0, 0))
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                bundle.writestr(entry, content)
                count += 1
        part.replace(file)
    except OSError as problem:
        raise UserError(
            f"{file} cannot be written ({problem.strerror}): name a file in a folder that is yours"
        ) from problem
    finally:
        part.unlink(missing_ok=True)
    return count


def site_files(shown: Sequence[Shown]) -> Iterator[File]:
    """Every file of the site, by its name; the marker last."""
    names = []
    for name, content in _contents(shown):
        names.append(name)
        yield name, content
    marker = {"made by": "gitgoodbench", "format": _FORMAT, "files": sorted([*names, MARKER])}
    yield MARKER, json.dumps(marker, indent=1).encode() + b"\n"


def _contents(shown: Sequence[Shown]) -> Iterator[File]:
    for page in PAGES:
        yield page.file, render_page(page)
    yield from asset_files()
    for page in PAGES:
        for key, make in page.data.items():
            yield data_file(key), data_script(key, make(shown))
    yield from _episodes(shown)


def data_file(key: str) -> str:
    """Where the script with some data is."""
    return f"data/{key}.js"


EpisodeData = Mapping[str, Callable[[Shown, Result], Any]]

EPISODE_DATA: Final[EpisodeData] = {"episodes": episode_record, "trees": episode_trees}
"""What is made of each episode, each in a script of its own that is loaded when it is shown; by folder."""
_OF_MANY: Final[EpisodeData] = {**EPISODE_DATA, "trees": partial(episode_trees, limits=AMONG_MANY)}


def episode_file(room: str, shown: Shown, result: Result, data: EpisodeData = EPISODE_DATA) -> File | None:
    """The script of one episode in a folder of `EPISODE_DATA`; None where nothing is to be said."""
    key = f"{room}/{shown.key(result)}"
    record = data[room](shown, result)
    return None if record is None else (data_file(key), data_script(key, record))


def _episode_files(shown: Shown, result: Result, data: EpisodeData = EPISODE_DATA) -> list[File]:
    return [file for room in data if (file := episode_file(room, shown, result, data)) is not None]


def _episodes(shown: Sequence[Shown]) -> Iterator[File]:
    """In several processes where there are many."""
    every = [(each, result) for each in shown for result in each.run.results]
    if len(every) < _ALONE or (os.cpu_count() or 1) == 1:
        for each, result in every:
            yield from _episode_files(each, result)
        return
    chunks = [
        (number, start) for number in range(len(shown)) for start in range(0, len(shown[number].run.results), _CHUNK)
    ]
    with ProcessPoolExecutor(initializer=_remember, initargs=(tuple(shown),), mp_context=get_context("fork")) as pool:
        for files in pool.map(_chunk, chunks):
            yield from files


_SHOWN: list[Shown] = []
"""Of a process that makes episodes for another."""


def _remember(shown: Sequence[Shown]) -> None:
    _SHOWN[:] = shown


def _chunk(chunk: tuple[int, int]) -> list[File]:
    number, start = chunk
    shown = _SHOWN[number]
    data = _OF_MANY if sum(len(each.run.results) for each in _SHOWN) > _MANY else EPISODE_DATA
    return [file for one in shown.run.results[start : start + _CHUNK] for file in _episode_files(shown, one, data)]


def _write_files(files: Iterator[File], folder: Path) -> set[str]:
    written: set[str] = set()
    made: set[Path] = set()
    for name, content in files:
        path = folder / name
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
        path.write_bytes(content)
        written.add(name)
    return written


def _files_of_before(folder: Path) -> set[str]:
    """Names of the files that pages of before left in the folder.

    Raises:
        UserError: the folder holds something else.
    """
    if not folder.exists() and not folder.is_symlink():
        return set()
    if not folder.is_dir():
        raise UserError(f"{folder} is a file: name a folder for --html")
    if not any(folder.iterdir()):
        return set()
    names = _marked((folder / MARKER).read_bytes()) if (folder / MARKER).is_file() else None
    if names is None:
        raise UserError(
            f"{folder} is there and holds something else than pages of gitgoodbench: name a new folder for --html"
        )
    return names


def _marked(text: bytes) -> set[str] | None:
    """The files that a marker names, all of them below its folder; None where it is no marker."""
    try:
        names = json.loads(text)["files"]
        paths = {name: PurePosixPath(name) for name in names}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return {name for name, path in paths.items() if not path.is_absolute() and ".." not in path.parts}


def _check_bundle(file: Path) -> None:
    """Whether a bundle may be written there.

    Raises:
        UserError: something else is there.
    """
    if not file.exists() and not file.is_symlink():
        return
    try:
        with zipfile.ZipFile(file) as bundle:
            ours = any(name.endswith(f"/{MARKER}") for name in bundle.namelist())
    except (OSError, zipfile.BadZipFile):
        ours = False
    if not ours:
        raise UserError(f"{file} is there and is no bundle of gitgoodbench: name a new file for --bundle")
