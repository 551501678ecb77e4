"""Which episodes of a run there are files of, and which of them are being worked on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gitgoodbench.files import holder
from gitgoodbench.runs.activity import ENDS, paths_of
from gitgoodbench.runs.paths import EpisodePaths, RunPaths, folder_name
from gitgoodbench.runs.tail import Tail


@dataclass(frozen=True)
class Begun:
    """An episode that has a folder. id: `mcr/owner_name_merge_0001/1`."""

    id: str
    files: EpisodePaths


def begun_of(paths: RunPaths, sample: str) -> list[Begun]:
    """The episodes of a sample, which is a sample id, `SCENARIO/SAMPLE` or `SCENARIO/SAMPLE/EPOCH`."""
    exact = paths_of(paths, sample)
    if exact is not None and exact.folder.is_dir():
        return [Begun(sample, exact)]
    return list(_of_sample(paths, sample))


def _of_sample(paths: RunPaths, sample: str) -> Iterator[Begun]:
    scenarios = sorted(path.name for path in paths.samples.iterdir()) if paths.samples.is_dir() else []
    for scenario in scenarios:
        for name in dict.fromkeys((sample, sample.removeprefix(f"{scenario}/"))):
            folder = paths.samples / scenario / folder_name(name)
            if not name or not folder.is_dir():
                continue
            epochs = sorted(int(path.name) for path in folder.iterdir() if path.name.isdecimal())
            yield from (Begun(f"{scenario}/{name}/{n}", paths.episode(scenario, name, n)) for n in epochs)


class UnderWay:
    """The episodes that a process works on, by what run.log says."""

    def __init__(self, paths: RunPaths) -> None:
        self._paths = paths
        self._log = Tail(paths.log)
        self._open: set[str] = set()

    def episodes(self) -> set[str]:
        """The ids of those that have begun and not ended; also where the process that began them is gone."""
        for event in self._log.lines():
            episode = str(event.get("episode"))
            if event.get("event") == "session_started":
                self._open.clear()
            elif event.get("event") == "episode_started":
                self._open.add(episode)
            elif event.get("event") in ENDS:
                self._open.discard(episode)
        return set(self._open)

    def worker(self) -> str | None:
        """The process that works on the run; None where none does."""
        return holder(self._paths.lock)
