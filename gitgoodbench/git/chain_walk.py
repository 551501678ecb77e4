"""A chain of commits as the states that it goes through: which commits change anything, and which lead nowhere.

A state stands for what a commit's tree holds. Two states are equal exactly where `git diff` shows nothing between the
trees, so modes that Git reads alike and folders without files make no difference. The chain may be hostile: what is
read of it is bounded.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from gitgoodbench.git.process import ExecResult, Git, GitError

MAX_CHANGES_BYTES: Final = 64 * 1024 * 1024
"""Bytes of the list of entries that all commits of a chain change."""

_TIMEOUT_S: Final = 60.0
_SIZE: Final = 2**256
_NO_ENTRY: Final = b"000000"


@dataclass(frozen=True)
class Step:
    """A commit and the state that it leaves."""

    commit: str
    state: int


@dataclass(frozen=True)
class ChainWalk:
    """A chain of commits, oldest first. The state below it is 0, so walks from the same base can be compared."""

    every: tuple[Step, ...]

    @property
    def end(self) -> int:
        """The state after the last commit."""
        return self.every[-1].state if self.every else 0

    @property
    def detour(self) -> int:
        """How many commits lead nowhere."""
        return len(self.every) - len(self.steps)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The commits that lead on, oldest first; no two of them leave the same state.

        The last of them is the first commit that left the state at the end. Before it comes the first one that left the
        state which that one began with, and so on down to the base. All others lead nowhere: empty commits, a commit
        and its revert, whatever goes round and comes back.
        """
        states = [0, *(step.state for step in self.every)]
        first: dict[int, int] = {}
        for number, state in enumerate(states):
            first.setdefault(state, number)
        path: list[Step] = []
        number = first[self.end]
        while number:
            path.append(self.every[number - 1])
            number = first[states[number - 1]]
        return tuple(reversed(path))


def walk_chain(git: Git, base: str | None, commits: Sequence[str]) -> ChainWalk:
    """The states of a chain above `base`, or above nothing.

    Raises:
        GitError: an object is missing, or the list of what changes is too long or takes too long.
    """
    below = [git.line("hash-object", "-t", "tree", "--stdin")] if base is None else _trees(git, [base])
    pairs = list(pairwise(below + _trees(git, commits)))
    changes = iter(_changes(git, [pair for pair in pairs if pair[0] != pair[1]]))
    state, steps = 0, []
    for commit, (before, after) in zip(commits, pairs, strict=True):
        if before != after:
            state = (state + next(changes)) % _SIZE
        steps.append(Step(commit, state))
    return ChainWalk(tuple(steps))


def same_content(git: Git, first: str, second: str) -> bool:
    """Whether `git diff` shows nothing between two commits; False where one cannot be read."""
    try:
        trees = _trees(git, [first, second])
        return trees[0] == trees[1] or _changes(git, [(trees[0], trees[1])]) == [0]
    except GitError:
        return False


def _trees(git: Git, commits: Sequence[str]) -> list[str]:
    """The ids of the commits' trees."""
    command = ("cat-file", "--batch-check=%(objectname)")
    output = git.run(*command, stdin="".join(f"{commit}^{{tree}}\n" for commit in commits).encode())
    found = output.decode("ascii").splitlines()
    missing = next((line for line in found if line.endswith(" missing")), None)
    if missing is not None:
        raise GitError(command, ExecResult(128, stderr=missing.encode()))
    return found


def _changes(git: Git, pairs: Sequence[tuple[str, str]]) -> list[int]:
    """By how much the state changes from the first tree of each pair to the second.

    The state is a sum of digests, one of each entry: a change takes the old entry's away and adds the new one's.
    """
    output = _listed(git, "".join(f"{before} {after}\n" for before, after in pairs).encode()) if pairs else b""
    changes: list[int] = []
    at = 0
    while at < len(output):
        if output[at : at + 1] != b":":  # the ids of the pair
            changes.append(0)
            at = output.index(b"\n", at) + 1
            continue
        modes_end = output.index(b"\0", at)
        path_end = output.index(b"\0", modes_end + 1)
        old_mode, new_mode, old, new, _ = output[at + 1 : modes_end].split(b" ")
        path = output[modes_end + 1 : path_end]
        changes[-1] += _digest(new_mode, new, path) - _digest(old_mode, old, path)
        at = path_end + 1
    return changes


def _digest(mode: bytes, oid: bytes, path: bytes) -> int:
    if mode == _NO_ENTRY:
        return 0
    return int.from_bytes(hashlib.sha256(b"%s %s %s" % (mode, oid, path)).digest(), "big")


def _listed(git: Git, pairs: bytes) -> bytes:
    """What `git diff-tree` lists for pairs of trees, each after a line with its ids."""
    command = ("diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")
    with tempfile.TemporaryFile() as asked:
        asked.write(pairs)
        asked.seek(0)
        with git.stream(*command, stdin=asked) as process:
            assert process.stdout is not None
            timer = threading.Timer(_TIMEOUT_S, process.kill)
            timer.start()
            try:
                output = process.stdout.read(MAX_CHANGES_BYTES + 1)
                if len(output) > MAX_CHANGES_BYTES:
                    reason = b"more than %d bytes of changes are listed" % MAX_CHANGES_BYTES
                    raise GitError(command, ExecResult(-1, stderr=reason))
                if process.wait() != 0:
                    raise GitError(command, ExecResult(process.returncode))
            finally:
                timer.cancel()
    return output
