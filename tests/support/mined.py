"""Small repositories that hold one of everything that mining looks for, and mined rows without a repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel

from gitgoodbench.mining.project import Project
from gitgoodbench.mining.records import Candidate, MinedRow
from gitgoodbench.sample_types.chains import ChainColumns
from gitgoodbench.sample_types.conflicting import ConflictedFile
from gitgoodbench.sample_types.merges import MergeColumns
from gitgoodbench.sample_types.specs import FileCommitChainSpec, MergeSpec
from tests.support.repositories import RepositoryBuilder


def lines(*numbers: object) -> bytes:
    """A file with a line for each value."""
    return b"".join(f"value_{number} = {number}\n".encode() for number in numbers)


def mixed_repository(path: Path, mark: str = "x") -> RepositoryBuilder:
    """A history of `src/main.py`: three commits, a fork, a merge that conflicts, and a cherry-pick from a third side.

    The three commits and either side make a chain of four, so there are two.

    `mark` makes the contents, and so the ids, those of this repository alone.
    """
    builder = RepositoryBuilder(path)
    other = {b"src/other.py": lines(mark, 1, 2, 3)}
    tip = builder.commit({b"src/main.py": lines(mark, 0), **other})
    for number in range(2, 5):
        tip = builder.commit({b"src/main.py": lines(mark, *range(number)), **other}, [tip])
    ours = builder.commit({b"src/main.py": lines(mark, 0, 1, 2, "ours"), **other}, [tip])
    theirs = builder.commit({b"src/main.py": lines(mark, 0, 1, 2, "theirs"), **other}, [tip])
    merge = builder.commit({b"src/main.py": lines(mark, 0, 1, 2, "both"), **other}, [ours, theirs])
    at_tip, third = {b"src/main.py": lines(mark, *range(4))}, b"src/third.py"
    aside = builder.commit({**at_tip, b"src/other.py": lines(mark, 1, 2, 4), third: b"1\n"}, [tip])
    picked = builder.commit({**at_tip, b"src/other.py": lines(mark, 1, 2, 5, "picking"), third: b"2\n"}, [aside])
    message = f"Again\n\n(cherry picked from commit {picked})\n".encode()
    both = {b"src/main.py": lines(mark, 0, 1, 2, "both"), b"src/other.py": lines(mark, 1, 2, 3, 5, "picking")}
    last = builder.commit(both, [merge], message)
    builder.branch("main", last)
    builder.branch("side", theirs)
    builder.branch("aside", picked)
    return builder


def project(name: str = "acme/tool", **changes: Any) -> Project:
    """A project that passes every published filter."""
    facts: dict[str, Any] = {
        "name": name,
        "programming_language": "python",
        "default_branch": "main",
        "license": "MIT License",
        "stargazers": 1000,
        "created_at": "2020-01-01T00:00:00",
        "topics": "git;merge",
        "is_fork": False,
        "is_archived": False,
        "branches": 5,
        "contributors": 10,
        "last_commit": "2025-06-30T12:00:00",
        "code_lines": 999,
    }
    return Project(**{**facts, **changes})


def merge_candidate(number: int = 0, **changes: Any) -> Candidate:
    """A merge of one conflict in `a.py`; its ids are made of the number."""
    paths = changes.pop("paths", ("a.py",))
    conflicts = changes.pop("conflicts", 1)
    fields: dict[str, Any] = {
        "spec": MergeSpec(
            merge_commit_hash=f"{number:040x}",
            parents=(f"a{number:039x}", f"b{number:039x}"),
            number_of_files_with_merge_conflict=len(paths),
            total_number_of_merge_conflicts=conflicts,
            files_in_merge_conflict=paths,
        ),
        "language": "python",
        "difficulty": "easy",
        "committed": 1_700_000_000,
    }
    columns: dict[str, Any] = {
        "attainable": True,
        "files": tuple(ConflictedFile(path=path, kinds=("content",), regions=1) for path in paths),
    }
    return _candidate(MergeColumns, fields, columns, changes)


def chain_candidate(number: int = 0, **changes: Any) -> Candidate:
    """A chain of three commits of `a.py`."""
    length = changes.pop("length", 3)
    purity = changes.pop("purity", 1.0)
    commits = tuple(f"c{1000 * number + position:039x}" for position in range(1, length + 1))
    fields: dict[str, Any] = {
        "spec": FileCommitChainSpec(
            file="a.py",
            branch="main",
            times_seen_consecutively=length,
            purity=purity,
            newest_commit=commits[-1],
            oldest_commit=commits[0],
        ),
        "language": "python",
        "difficulty": "easy" if purity == 1 else "medium" if purity >= 0.75 else "hard" if purity >= 0.5 else None,
        "committed": 1_700_000_000,
    }
    columns: dict[str, Any] = {
        "base": f"c{1000 * number:039x}",
        "commits": commits,
        "file_lines": 10,
        "all_lines": 10,
        "sources_only": True,
    }
    return _candidate(ChainColumns, fields, columns, changes)


def _candidate(
    kind: type[BaseModel], fields: dict[str, Any], columns: dict[str, Any], changes: dict[str, Any]
) -> Candidate:
    own = {name: changes.pop(name) for name in columns.keys() & changes.keys()}
    return Candidate(**{**fields, "columns": kind(**{**columns, **own}), **changes})


def mined_row(candidate: Candidate, of: Project | None = None, row_id: str = "acme_tool_merge_0000") -> MinedRow:
    return MinedRow(row_id, of or project(), candidate)
