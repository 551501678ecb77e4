"""What became of lines since they were committed: which of them still stand at a branch's tip, and which commits were
undone. Git's own blame tells lines from each other: it follows renames, and merges on all their sides."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gitgoodbench.git.paths import parse_path
from gitgoodbench.git.process import Git

SLACK: Final = 86_400
"""Seconds by which clocks of those who commit may differ; history is read that much further back."""

_GROUP: Final = re.compile(rb"([0-9a-f]{40,64}) (\d+) \d+ (\d+)")
_REVERTS: Final = re.compile(rb"This reverts commit ([0-9a-f]{7,64})")
_MOST_COMPARED: Final = 20


@dataclass(frozen=True)
class Passage:
    """A commit of a branch's history. paths: of the files it changed; renames: old and new paths."""

    commit: str
    message: bytes
    paths: frozenset[bytes]
    renames: tuple[tuple[bytes, bytes], ...]


def reachable(git: Git, tips: Iterable[str], wanted: Collection[str], since: int) -> set[str]:
    """Which of the wanted commits, none older than `since`, the tips lead to."""
    missing = set(wanted)
    with git.stream("rev-list", f"--max-age={since - SLACK}", "--end-of-options", *tips, "--") as process:
        assert process.stdout is not None
        for line in process.stdout:
            missing.discard(line.decode("ascii").strip())
            if not missing:
                break
    return set(wanted) - missing


def read_passages(git: Git, tip: str, since: int) -> list[Passage]:
    """The history of a tip back to a time, the newest first. A merge changes what differs from its first parent."""
    output = git.run(
        "log", "-z", f"--max-age={since - SLACK}", "--topo-order", "--format=%x01%H%x00%B%x00", "--name-status",
        "--find-renames=50%", "--diff-merges=first-parent", "--no-ext-diff", "--end-of-options", tip, "--",
    )  # fmt: skip
    tokens = iter(output.split(b"\0"))
    passages: list[Passage] = []
    commit, message, paths, renames = b"", b"", list[bytes](), list[tuple[bytes, bytes]]()
    for token in tokens:
        token = token.lstrip(b"\n")
        if token.startswith(b"\1"):
            if commit:
                passages.append(Passage(commit.decode("ascii"), message, frozenset(paths), tuple(renames)))
            commit, message, paths, renames = token[1:], next(tokens), [], []
        elif token[:1] in (b"R", b"C"):
            old, new = next(tokens), next(tokens)
            paths += [old, new]
            renames.append((old, new))
        elif token:
            paths.append(next(tokens))
    if commit:
        passages.append(Passage(commit.decode("ascii"), message, frozenset(paths), tuple(renames)))
    return passages


def later_names(passages: Iterable[Passage], paths: Iterable[bytes]) -> set[bytes]:
    """The paths, and all that their files may have been renamed to since."""
    becomes: dict[bytes, set[bytes]] = defaultdict(set)
    for passage in passages:
        for old, new in passage.renames:
            becomes[old].add(new)
    found, left = set[bytes](), list(paths)
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += becomes[path]
    return found


def standing_lines(
    git: Git, tip: str, paths: Iterable[bytes], wanted: Collection[str], since: int
) -> dict[str, dict[bytes, set[int]]]:
    """Lines of files at a tip that came from the wanted commits, none older than `since`.

    By commit and path there, the numbers the lines had there.
    """
    found: dict[str, dict[bytes, set[int]]] = defaultdict(lambda: defaultdict(set))
    for path in paths:
        for commit, origin, start, count in _blame(git, tip, path, since):
            if commit in wanted:
                found[commit][origin].update(range(start, start + count))
    return found


def _blame(git: Git, tip: str, path: bytes, since: int) -> Iterator[tuple[str, bytes, int, int]]:
    """Commit, path and first line there, and number of lines. A file that is not at the tip has none."""
    output = git.run(
        "blame", "--incremental", "--no-textconv", "--ignore-revs-file=", f"--max-age={since - SLACK}", tip, "--", path,
        check=False,
    )  # fmt: skip
    group: re.Match[bytes] | None = None
    for line in output.split(b"\n"):
        if group is None:
            group = _GROUP.fullmatch(line)
        elif line.startswith(b"filename "):
            name = line.removeprefix(b"filename ")
            origin = parse_path(name.decode("utf-8", "surrogateescape"))
            yield group[1].decode("ascii"), origin, int(group[2]), int(group[3])
            group = None


def named_as_reverted(passages: Iterable[Passage], wanted: Iterable[str]) -> set[str]:
    """Which of the commits a later one says it reverts, and was not reverted itself."""
    commits, undone = set(wanted), set[str]()
    for passage in passages:  # the newest first: what undoes is known before what is undone
        if any(passage.commit.startswith(name) for name in undone):
            continue
        undone.update(name.decode("ascii") for name in _REVERTS.findall(passage.message))
    return {commit for commit in commits if any(commit.startswith(name) for name in undone)}


def is_undone(git: Git, commit: str, passages: Iterable[Passage]) -> bool:
    """Whether a later commit makes exactly the reverse change, whatever it says, and none after it the change again."""
    newer: list[Passage] = []
    for passage in passages:
        if passage.commit == commit:
            break
        newer.append(passage)
    else:
        return False
    same = [one.commit for one in newer if one.paths == passage.paths][:_MOST_COMPARED]
    change, reverse = (_patch_id(git, commit, *options) for options in ((), ("-R",)))
    known = (found for found in (_patch_id(git, one) for one in same) if found in (change, reverse))
    return change is not None and next(known, change) == reverse


def _patch_id(git: Git, commit: str, *options: str) -> bytes | None:
    diff = git.run(
        "diff-tree", "-p", "--root", "--no-prefix", "--no-renames", "--no-ext-diff", "--no-textconv", *options,
        "--end-of-options", commit,
    )  # fmt: skip
    words = git.run("patch-id", "--stable", stdin=diff.partition(b"\n")[2]).split()
    return words[0] if words else None
