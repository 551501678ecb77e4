"""Whether a repository holds the commits that a sample names. Reads only, and never asks another repository."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.process import Git

_OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True)
class CommitProblem:
    """Why a commit cannot be used. absent: the repository lacks the commit, so that it may be fetched."""

    commit: str
    reason: str
    absent: bool = False

    def __str__(self) -> str:
        return f"{self.commit} {self.reason}"


def commit_problems(mirror: Mirror, commits: Sequence[str]) -> list[CommitProblem]:
    """The commits that are not there as commits with their top-level trees, in order.

    Raises:
        UnreadableRepositoryError: the repository cannot be read at all.
    """
    git = mirror.borrow()
    specs = [spec for commit in commits if _OBJECT_ID.fullmatch(commit) for spec in (commit, f"{commit}^{{tree}}")]
    answers = dict(zip(specs, _look_up(git, specs), strict=True))
    return [problem for commit in commits if (problem := _problem(commit, answers)) is not None]


def _problem(commit: str, answers: dict[str, tuple[str, str] | None]) -> CommitProblem | None:
    if commit not in answers:
        return CommitProblem(commit, "is not a commit id")
    found = answers[commit]
    if found is None or found[0] != commit:  # 40 digits may also abbreviate an id of 64
        return CommitProblem(commit, "is missing", absent=True)
    if found[1] != "commit":
        return CommitProblem(commit, f"is a {found[1]}, not a commit")
    if answers[f"{commit}^{{tree}}"] is None:
        return CommitProblem(commit, "is there, but the tree of its files is missing")
    return None


def _look_up(git: Git, specs: Sequence[str]) -> Iterator[tuple[str, str] | None]:
    """Id and type of each object, None for a missing one."""
    result = _batch_check(git, specs)
    if result is not None:
        yield from result
        return
    for spec in specs:  # Git stops at the first object that is damaged
        yield (_batch_check(git, [spec]) or [None])[0]


def _batch_check(git: Git, specs: Sequence[str]) -> list[tuple[str, str] | None] | None:
    stdin = "".join(f"{spec}\n" for spec in specs).encode()
    result = git.execute("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=stdin)
    if result.returncode != 0:
        return None
    lines = [line.rpartition(" ") for line in result.stdout.decode("ascii").split("\n")[:-1]]
    return [None if kind in ("missing", "ambiguous") else (name, kind) for name, _, kind in lines]
