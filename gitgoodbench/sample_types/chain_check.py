"""Whether a row about a file-commit chain says what the repository has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gitgoodbench.dataset.findings import Finding, Kind
from gitgoodbench.git.process import Git
from gitgoodbench.mining.diffs import read_diffs, status
from gitgoodbench.sample_types.chains import Window, count_lines
from gitgoodbench.sample_types.specs import FileCommitChainSpec
from gitgoodbench.workspace.scratch import ScratchRepository

CHAIN: Final = "not the chain it lists"
PURITY: Final = "other purity"

_PURITY_OFF_BY = 0.0101
"""Rows round to two places, and not all in the same way."""


def check_chain(mirror: Git, spec: FileCommitChainSpec) -> Iterator[Finding]:
    """What is wrong with the row: its commits, the file, the purity."""
    count = spec.times_seen_consecutively
    listed = mirror.run(
        "rev-list", "--first-parent", "--parents", f"--max-count={count}", "--end-of-options", spec.newest_commit
    )
    lines = [line.split() for line in listed.decode("ascii").split("\n")[:-1]]
    flaws = list(_flaws(mirror, spec, lines))
    yield from flaws
    if not flaws:
        commits = [commit for commit, *_ in reversed(lines)]
        with ScratchRepository(mirror) as scratch:
            yield from _content(scratch.git, spec, commits, lines[-1][1])


def _flaws(mirror: Git, spec: FileCommitChainSpec, lines: Sequence[Sequence[str]]) -> Iterator[Finding]:
    """What is wrong with the commits; `lines` has them, newest first, with their parents."""
    count = spec.times_seen_consecutively
    if len(lines) < count:
        yield _other_chain(f"only {len(lines)} of {count} commits: history ends there")
        return
    merges = [commit for commit, *parents in lines if len(parents) > 1]
    if merges:
        yield _other_chain(f"not linear: {merges[0]} is a merge")
    if len(lines[-1]) == 1:
        yield _other_chain(f"no base: {lines[-1][0]} has no parent")
    if lines[-1][0] != spec.oldest_commit:
        related = mirror.execute("merge-base", "--is-ancestor", spec.oldest_commit, spec.newest_commit).returncode == 0
        where = (
            f"{count - 1} first parents before the newest is {lines[-1][0]}" if related else "no ancestor of the newest"
        )
        yield _other_chain(f"oldest_commit {spec.oldest_commit} is not the oldest: {where}")


def _other_chain(reason: str) -> Finding:
    return Finding(CHAIN, reason, unplayable=True)


def _content(git: Git, spec: FileCommitChainSpec, commits: Sequence[str], base: str) -> Iterator[Finding]:
    path = spec.file.encode("utf-8", "surrogateescape")
    for commit, diff in zip(commits, read_diffs(git, commits), strict=True):
        if diff is None:
            yield Finding(Kind.SETUP, f"an object that commit {commit} needs is missing")
            return
        found = next((status(header) for header, changed in diff.changes if changed == path), None)
        if found != "M":
            what = {None: "does not touch", "A": "adds", "D": "deletes", "T": "changes the type of"}[found]
            yield _other_chain(f"commit {commit} {what} {spec.file}")
            return
    (chain,) = count_lines(git, [Window(path, base, tuple(commits), 0, 0)])
    if chain is not None and abs(chain.purity - spec.purity) > _PURITY_OFF_BY:
        yield Finding(PURITY, f"purity {spec.purity:g} is listed, {chain.purity:g} counted")
