"""The scenarios of a small repository: its conflicting merges and its file-commit chains.

Meant for repositories of dozens of commits, all of which are wanted at once; mining streams through big ones.
The rules are those of GitGoodBench (arXiv 2505.22583, section 3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from gitgoodbench.dataset.story_merge import Conflict, merge_automatically, split_conflicts
from gitgoodbench.dataset.tree_files import read_files
from gitgoodbench.git.process import Git

SOURCE_SUFFIXES: Final = (b".py", b".java", b".kt")
_SIZES: Final = (("tiny", 1_000), ("small", 10_000), ("medium", 100_000), ("large", 1_000_000))


@dataclass(frozen=True, slots=True)
class ConflictedFile:
    """A path that the automatic merge left open; without regions where there is no text to show."""

    path: bytes
    regions: tuple[Conflict, ...]
    kinds: tuple[str, ...]

    @property
    def conflicts(self) -> int:
        """How many conflicts it counts as."""
        return max(1, len(self.regions))


@dataclass(frozen=True, slots=True)
class Merge:
    """A two-parent merge and its conflicts (none: it merged cleanly)."""

    oid: str
    parents: tuple[str, str]
    files: tuple[ConflictedFile, ...]

    @property
    def conflicts(self) -> int:
        return sum(file.conflicts for file in self.files)

    @property
    def difficulty(self) -> str:
        if len(self.files) > 1:
            return "hard"
        return "easy" if self.conflicts == 1 else "medium"

    @property
    def objection(self) -> str | None:
        """Why it is no sample of the benchmark."""
        if not self.files:
            return "no conflict"
        if not all(file.path.endswith(SOURCE_SUFFIXES) for file in self.files):
            return "a conflict outside .py, .java and .kt"
        return "more than 8 conflicts" if self.conflicts > 8 else None


@dataclass(frozen=True, slots=True)
class Chain:
    """A maximal run of commits that all modify one file; ``commits`` from the oldest to the newest."""

    path: bytes
    commits: tuple[str, ...]
    purity: Decimal

    @property
    def difficulty(self) -> str:
        if self.purity >= 1:
            return "easy"
        return "medium" if self.purity >= Decimal("0.75") else "hard"

    @property
    def objection(self) -> str | None:
        """Why it is no sample of the benchmark."""
        if not 3 <= len(self.commits) <= 6:
            return f"{len(self.commits)} commits, not 3 to 6"
        return "purity below 0.5" if self.purity < Decimal("0.5") else None


@dataclass(frozen=True, slots=True)
class _FileChange:
    status: str
    old: str
    new: str
    lines: int


@dataclass(frozen=True, slots=True)
class History:
    """Every commit of a repository, oldest first, with what the single-parent ones changed."""

    git: Git
    parents: Mapping[str, tuple[str, ...]]
    changes: Mapping[str, Mapping[bytes, _FileChange]]

    @classmethod
    def of(cls, git: Git) -> History:
        """Read the history of all branches, in two processes."""
        listed = git.run("rev-list", "--branches", "--topo-order", "--reverse", "--parents").decode("ascii")
        lines = [line.split(" ") for line in listed.split("\n") if line]
        parents = {oid: tuple(above) for oid, *above in lines}
        single = "".join(f"{oid}\n" for oid, above in parents.items() if len(above) == 1).encode("ascii")
        options = ("-r", "-z", "--raw", "--numstat", "--find-renames=50%")
        output = git.run("diff-tree", "--stdin", *options, stdin=single)
        return cls(git, parents, _parse_changes(output))

    def merges(self) -> Iterator[Merge]:
        """Every two-parent merge, replayed."""
        for oid, above in self.parents.items():
            if len(above) == 2:
                yield Merge(oid, (above[0], above[1]), _conflicts(self.git, *above))

    def chains(self) -> Iterator[Chain]:
        """Every maximal run of at least two commits, by its newest commit and then by path."""
        children: dict[str, list[str]] = {}
        for oid in self.changes:
            children.setdefault(self.parents[oid][0], []).append(oid)
        for oid in self.changes:
            for path in sorted(self.changes[oid]):
                if not self._links(oid, path) or any(self._links(c, path) for c in children.get(oid, ())):
                    continue
                run = [oid]
                while self._links(above := self.parents[run[-1]][0], path):
                    run.append(above)
                if len(run) > 1:
                    commits = tuple(reversed(run))
                    yield Chain(path, commits, self._purity(path, commits))

    def _links(self, oid: str, path: bytes) -> bool:
        """Whether a commit may stand in a chain of ``path``."""
        changed = self.changes.get(oid, {})
        sources_only = all(other.endswith(SOURCE_SUFFIXES) for other in changed)
        return sources_only and path in changed and changed[path].status == "M"

    def _purity(self, path: bytes, commits: tuple[str, ...]) -> Decimal:
        lines: dict[bytes, int] = {}
        first: dict[bytes, str] = {}
        last: dict[bytes, str] = {}
        for oid in commits:
            for changed, change in self.changes[oid].items():
                lines[changed] = lines.get(changed, 0) + change.lines
                first.setdefault(changed, change.old)
                last[changed] = change.new
        lasting = {changed: count for changed, count in lines.items() if first[changed] != last[changed]}
        total = sum(lasting.values())
        if not total or path not in lasting:
            return Decimal(0)
        return (Decimal(lasting[path]) / total).quantize(Decimal("0.01"), ROUND_HALF_UP)


def lines_of_code(git: Git, branch: str = "main") -> int:
    """The lines of all source files at a branch's tip."""
    files = read_files(git, f"refs/heads/{branch}")
    return sum(data.count(b"\n") for path, (_, data) in files.items() if path.endswith(SOURCE_SUFFIXES))


def project_size(git: Git, branch: str = "main") -> str:
    """The published name for that many lines of code."""
    count = lines_of_code(git, branch)
    return next((size for size, limit in _SIZES if count < limit), "huge")


def _conflicts(git: Git, ours: str, theirs: str) -> tuple[ConflictedFile, ...]:
    merge = merge_automatically(git, ours, theirs)
    if not merge.stages:
        return ()
    found: list[ConflictedFile] = []
    for path in sorted(merge.stages):
        _, data = merge.files.get(path, (b"", b""))
        regions = tuple(part for part in split_conflicts(data) if isinstance(part, Conflict))
        found.append(ConflictedFile(path, regions, merge.kinds.get(path, ())))
    return tuple(found)


def _parse_changes(output: bytes) -> dict[str, dict[bytes, _FileChange]]:
    """Read `diff-tree --stdin -z --raw --numstat`: per commit its id, raw records, then line counts."""
    commits: dict[str, dict[bytes, _FileChange]] = {}
    changes: dict[bytes, _FileChange] = {}
    fields = iter(output.split(b"\0"))
    for field in fields:
        if field.startswith(b":"):
            _, _, old, new, status = field[1:].decode("ascii").split(" ")
            path, nothing = next(fields), "0" * len(old)
            if status[0] == "R":  # a deletion and an addition, but for the lines
                changes[path] = _FileChange("D", old, nothing, 0)
                path, status, old = next(fields), "A", nothing
            changes[path] = _FileChange(status, old, new, 0)
        elif b"\t" in field:
            added, removed, path = field.split(b"\t", 2)
            if not path:
                _, path = next(fields), next(fields)
            count = 0 if added == b"-" else int(added) + int(removed)
            changes[path] = replace(changes[path], lines=count)
        elif field:
            changes = {}
            commits[field.decode("ascii").strip()] = changes
    return commits
