"""Files of a run that are damaged: they are named, and what was paid for is scored again or kept aside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gitgoodbench.runs.paths import EpisodePaths, RunPaths
from gitgoodbench.runs.result import Damaged, Result, examine, saved_outcome


def damaged_results(paths: RunPaths) -> Iterator[Damaged]:
    """Every result.json of a run that cannot be read."""
    for path in paths.result_files():
        result = examine(path)
        if isinstance(result, Damaged):
            yield result


def find_damage(files: EpisodePaths, key: tuple[str, str, int]) -> Damaged | None:
    """What is wrong with the result.json of the episode `key`; None where nothing is, or where it is absent."""
    result = examine(files.result)
    if isinstance(result, Result) and result.key != key:
        return Damaged(files.result, f"it is the result of {'/'.join(map(str, result.key))}")
    return result if isinstance(result, Damaged) else None


def unscored_of(files: EpisodePaths) -> Result | None:
    """The episode in outcome.json, if what its agent left is there and whole."""
    result = examine(files.unscored)
    return result if isinstance(result, Result) and saved_outcome(files, result) is not None else None


def set_aside(files: EpisodePaths) -> Path:
    """Rename the folder of an episode that must be played again, so that nothing in it is lost; returns the new one.

    Raises:
        OSError: it cannot be renamed.
    """
    names = (f"{files.folder.name}.damaged{'' if n == 1 else f'-{n}'}" for n in range(1, 1_000_000))
    aside = next(path for path in map(files.folder.with_name, names) if not path.exists())
    files.folder.rename(aside)
    return aside
