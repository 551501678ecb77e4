"""The store of `--repos DIR`: repositories that are already on this machine, in any of the usual layouts. Only read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.mirror import Mirror, UnreadableRepositoryError, shared_git_dir
from gitgoodbench.workspace.commits import commit_problems

LAYOUTS = ("{owner}/{name}", "{owner}/{name}.git", "{owner}__{name}", "{owner}__{name}.git", "{owner}+{name}/repo")
"""Where a repository may lie below the folder; the first that is one counts. Each may be bare or a work tree."""


@dataclass(frozen=True)
class LocalRepositories:
    """A folder of repositories. As on GitHub, names may differ in case; exact ones go first."""

    folder: Path

    def mirror(self, name: str, commits: Sequence[str]) -> Mirror:
        """See `RepositoryStore.mirror`."""
        tried: list[str] = []
        for place in self._places(name):
            git_dir = shared_git_dir(place)
            if flaw := _flaw(place, git_dir):
                tried.append(f"{place} ({flaw})")
                continue
            try:
                problems = commit_problems(Mirror(git_dir), commits)
            except UnreadableRepositoryError as problem:
                raise SetupFailed(f"{name}: Git cannot read {git_dir}: {problem}") from problem
            if problems:
                hint = "; fetch it there, or run without --repos" if problems[0].absent else ""
                raise SetupFailed(f"{name}: commit {problems[0]} in {git_dir}{hint}")
            return Mirror(git_dir)
        looked = ", ".join(tried or [layout.format(**_parts(name)) for layout in LAYOUTS])
        raise SetupFailed(f"{name} is not in {self.folder}: tried {looked}")

    def _places(self, name: str) -> Iterator[Path]:
        """What exists of the layouts: spelled exactly, then in any case."""
        layouts = [Path(layout.format(**_parts(name))) for layout in LAYOUTS]
        exact = [self.folder / layout for layout in layouts]
        yield from (place for place in exact if place.exists())
        for layout in layouts:
            yield from (place for place in _any_case(self.folder, layout.parts) if place not in exact)


def _parts(name: str) -> dict[str, str]:
    owner, _, repository = name.partition("/")
    return {"owner": owner, "name": repository}


def _any_case(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    if not parts:
        yield folder
        return
    try:
        entries = sorted(entry for entry in folder.iterdir() if entry.name.casefold() == parts[0].casefold())
    except OSError:
        return
    for entry in entries:
        yield from _any_case(entry, parts[1:])


def _flaw(place: Path, git_dir: Path) -> str | None:
    """Why there is no Git directory."""
    if not git_dir.is_dir():
        return "no folder" if git_dir == place else f"its .git points to {git_dir}, which is no folder"
    for part in ("HEAD", "objects", "refs"):
        if not os.path.lexists(git_dir / part):
            return f"not a Git repository: it has no {part}"
    return None
