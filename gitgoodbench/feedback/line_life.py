"""What became of lines since they were committed: which of them still stand at a branch's tip, and which commits were
undone. Git's own blame tells lines from each other: it follows renames, and merges on all their sides."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.git.paths import parse_path
from gitgoodbench.git.process import Git

SLACK: Final = 86_400
"""Seconds by which clocks of those who commit may differ; history is read that much further back."""

_GROUP: Final = re.compile(rb"([0-9a-f]{40,64}) (\d+) \d+ (\d+)")
_REVERTS: Final = re.compile(rb"This reverts commit ([0-9a-f]{7,64})")
_MOST_COMPARED: Final = 20
"""Later commits that may be the reverse of one: the next ones that change the same files."""
_AT_ONCE: Final = 200


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


def undone(git: Git, commits: Collection[str], passages: Sequence[Passage]) -> set[str]:
    """Which of the commits a later one undoes by exactly the reverse change, and none after that makes it again."""
    positions = {passage.commit: position for position, passage in enumerate(passages)}
    by_paths: dict[frozenset[bytes], list[int]] = defaultdict(list)
    for position, passage in enumerate(passages):
        by_paths[passage.paths].append(position)
    later: dict[str, list[str]] = {}
    for commit in commits:
        if commit in positions:
            own = positions[commit]
            same = by_paths[passages[own].paths]
            later[commit] = [passages[one].commit for one in same if one < own][-_MOST_COMPARED:]
    some = [commit for commit, others in later.items() if others]
    changes = _patch_ids(git, dict.fromkeys([*some, *(one for commit in some for one in later[commit])]))
    reverses = _patch_ids(git, some, "-R")
    found = set()
    for commit in some:
        change, reverse = changes.get(commit), reverses.get(commit)
        known = (changes.get(one) for one in later[commit] if changes.get(one) in (change, reverse))
        if change is not None and next(known, change) == reverse:
            found.add(commit)
    return found


def _patch_ids(git: Git, commits: Iterable[str], *options: str) -> dict[str, bytes]:
    """What identifies the changes of commits, wherever in a file they are. Merges have none."""
    found: dict[str, bytes] = {}
    left = list(commits)
    while left:
        batch, left = left[:_AT_ONCE], left[_AT_ONCE:]
        diffs = git.run(
            "diff-tree", "--stdin", "-p", "--root", "--no-prefix", "--no-renames", "--no-ext-diff", "--no-textconv",
            *options, stdin="".join(f"{commit}\n" for commit in batch).encode("ascii"),
        )  # fmt: skip
        for line in git.run("patch-id", "--stable", stdin=diffs).split(b"\n"):
            identity, _, commit = line.partition(b" ")
            if identity:
                found[commit.decode("ascii")] = identity
    return found
