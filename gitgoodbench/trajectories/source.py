"""A run whose episodes are read one after the other: ten thousand results take more memory than their rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gitgoodbench.errors import UserError
from gitgoodbench.runs.manifest import Manifest, read_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Damaged, Result, examine
from gitgoodbench.runs.trajectories import Conversation, read_conversation


@dataclass(frozen=True)
class Source:
    """The folder of a run, and its manifest."""

    paths: RunPaths
    manifest: Manifest

    @classmethod
    def of(cls, folder: Path) -> Source:
        """A run, finished or not.

        Raises:
            UserError: the folder is none's.
        """
        paths = RunPaths(folder)
        return cls(paths, read_manifest(paths))

    @property
    def id(self) -> str:
        return self.manifest.run_id

    def results(self) -> Iterator[Result]:
        """Every result, in the order of files; copies that lie elsewhere than an episode's result do not count.

        Raises:
            UserError: one is damaged.
        """
        for path in self.paths.result_files():
            found = examine(path)
            if isinstance(found, Damaged):
                raise UserError(f"{found}: `gitgoodbench resume {self.paths.folder}` scores it again")
            if found is not None and self.paths.episode(*found.key).result == path:
                yield found

    def conversation(self, result: Result) -> Conversation | None:
        """What was said in an episode; None where nothing was."""
        return read_conversation(self.paths.episode(*result.key))
