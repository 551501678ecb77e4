"""What the reflogs tell: commits that were made without a hook, and rewrites that no hook was told of.

The logs of HEAD of every working tree, and those of branches, since the former goes with its working tree. They are
read as files: Git's own listing stops at an entry whose commit is gone. A repository whose refs are a reftable has
none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_ENTRY: Final = re.compile(
    rb"(?P<old>[0-9a-f]{40}(?:[0-9a-f]{24})?) (?P<new>[0-9a-f]{40}(?:[0-9a-f]{24})?) [^\n]*?> (?P<time>\d+) [+-]\d{4}"
    rb"(?:\t(?P<message>[^\n]*))?"
)
_MADE: Final = re.compile(
    rb"(?:commit|revert|cherry-pick|am)\b|(?:pull\b[^:]*)?\bmerge\b.*: Merge made|pull\b.*: Merge made"
    rb"|(?:pull .*)?rebase(?: -i)? \((?:pick|reword|edit|squash|fixup|continue|amend)\)|rebase: |filter-branch: "
)
_OF_HOOKS: Final = re.compile(rb"(?:commit|revert|cherry-pick)\b")


@dataclass(frozen=True)
class Entry:
    """A step of a ref. old: None where the ref began. root: the working tree whose HEAD it is of; None: not known."""

    old: str | None
    new: str
    time: int
    message: bytes
    root: Path | None

    @property
    def makes_commit(self) -> bool:
        """Whether the commit was made in this repository, and not fetched, checked out or reset to."""
        return _MADE.match(self.message) is not None

    @property
    def hooked(self) -> bool:
        """Whether a hook would have been called."""
        return _OF_HOOKS.match(self.message) is not None

    @property
    def amends(self) -> bool:
        """Whether the new commit takes the place of the old one."""
        return self.message.startswith(b"commit (amend)")


def read_reflogs(common: Path, roots: Iterable[Path], since: float) -> list[Entry]:
    """The steps that make commits, of all logs, each commit once, in the order of their times."""
    found: dict[str, Entry] = {}
    by_folder: dict[Path | None, Path] = {_git_dir_of(root): root for root in roots}
    for file, folder in _logs(common):
        for entry in _entries(file, by_folder.get(folder)):
            if entry.time >= since and entry.makes_commit and (entry.new not in found or entry.hooked):
                found.setdefault(entry.new, entry)
    return sorted(found.values(), key=lambda entry: entry.time)


def _logs(common: Path) -> Iterator[tuple[Path, Path | None]]:
    """The logs, with the Git directory of the working tree whose HEAD they are of."""
    yield common / "logs" / "HEAD", common
    for folder in sorted((common / "worktrees").glob("*")):
        yield folder / "logs" / "HEAD", folder
    for parent, _, names in os.walk(common / "logs" / "refs" / "heads"):
        for name in sorted(names):
            yield Path(parent, name), None


def _entries(file: Path, root: Path | None) -> Iterator[Entry]:
    try:
        content = file.read_bytes()
    except OSError:
        return
    for line in content.split(b"\n"):
        found = _ENTRY.fullmatch(line)
        if found is not None:
            old, new = found["old"].decode("ascii"), found["new"].decode("ascii")
            yield Entry(old if old.strip("0") else None, new, int(found["time"]), found["message"] or b"", root)


def _git_dir_of(root: Path) -> Path:
    """The Git directory of a working tree."""
    file = root / ".git"
    if not file.is_file():
        return file
    said = os.fsdecode(file.read_bytes()).removeprefix("gitdir: ").removesuffix("\n")
    return Path(os.path.realpath(root / said))
