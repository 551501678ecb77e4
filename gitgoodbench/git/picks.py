"""A cherry-pick or a revert as Git makes it: a three-way merge whose base is not where two histories met.

`git cherry-pick X` merges X into HEAD with the parent of X as the base; `git revert X` merges that parent with X as the
base. `git merge-tree` finds its bases itself, so it is given commits made for it: their trees are those of the three
commits, and one is the parent of the other two. Git then says what it would say, except for the labels of the other
side, which are written in afterwards.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.commits import Commit, read_commits, write_commit
from gitgoodbench.git.conflict_text import Region, split_conflicts
from gitgoodbench.git.objects import Entry, read_blobs, read_tree, stage, write_blob
from gitgoodbench.git.process import Git
from gitgoodbench.git.replay import Notice, Replay, Stages

Operation = Literal["pick", "revert"]

ABBREVIATION: Final = 7
"""Digits by which labels name a commit. Git takes more where the repository is large; here a label is always the same.
"""

STAND_IN: Final = "gitgoodbench-7f3a-incoming"
"""The branch that `git merge-tree` takes its label of the other side from."""

_EMPTY: Final = "(empty tree)"


class NotPickable(GitGoodBenchError):
    """A commit that cannot be picked as asked: a merge without a mainline, or a mainline that it does not have."""


@dataclass(frozen=True)
class PickedCommit:
    """A commit to be applied somewhere else (`pick`), or undone (`revert`).

    parent: against which it is a change; None for a root commit.
    """

    operation: Operation
    commit: Commit
    parent: str | None

    @property
    def oid(self) -> str:
        return self.commit.oid

    @property
    def base(self) -> str | None:
        """The base of the merge; None where that is nothing."""
        return self.parent if self.operation == "pick" else self.oid

    @property
    def other(self) -> str | None:
        """What is merged into HEAD; None where that is nothing."""
        return self.oid if self.operation == "pick" else self.parent

    @property
    def subject(self) -> bytes:
        """The first line of the message, as Git shows it."""
        return self._text.partition(b"\n")[0]

    @property
    def label(self) -> bytes:
        """What markers call the other side."""
        name = b"%s (%s)" % (self.oid[:ABBREVIATION].encode(), self.subject)
        if self.other is None:
            return _EMPTY.encode()
        return name if self.operation == "pick" else b"parent of " + name

    @property
    def message(self) -> bytes:
        """What Git puts into the message of the new commit."""
        if self.operation == "pick":
            return self._text
        said = b'Revert "%s"\n\nThis reverts commit %s' % (self.subject, self.oid.encode())
        if len(self.commit.parents) > 1:
            said += b", reversing\nchanges made to %s" % (self.parent or "").encode()
        return said + b".\n"

    @property
    def _text(self) -> bytes:
        """The message without blank lines before it."""
        text = self.commit.message
        while (line := text.partition(b"\n"))[1] and not line[0].strip():
            text = line[2]
        return text


def read_picked(git: Git, operation: Operation, commit: str, mainline: int | None) -> PickedCommit:
    """Read the commit. mainline: for a merge, the number of the parent that it is a change against, from 1 on.

    Raises:
        NotPickable: a merge without a mainline, or a mainline that is not there.
        GitGoodBenchError: the commit is missing.
    """
    (read,) = read_commits(git, [commit])
    return picked(operation, read, mainline)


def picked(operation: Operation, commit: Commit, mainline: int | None) -> PickedCommit:
    """As `read_picked`, of a commit that is known."""
    count = len(commit.parents)
    if mainline is None and count > 1:
        raise NotPickable(f"{commit.oid} is a merge: a mainline must say against which parent it is a change")
    if mainline is not None and not (count > 1 and 1 <= mainline <= count):
        raise NotPickable(f"{commit.oid} has {count} parents, and no mainline {mainline}")
    parent = commit.parents[(mainline or 1) - 1] if commit.parents else None
    return PickedCommit(operation, commit, parent)


@dataclass(frozen=True)
class ThreeWay:
    """Commits made for a merge of three trees: `base` is the parent of the other two, and has none."""

    base: str
    local: str
    other: str


def write_three_way(git: Git, base: str | None, local: str, other: str | None) -> ThreeWay:
    """Make the commits of which `git merge-tree` merges the trees; None is nothing."""
    nothing = git.line("hash-object", "-t", "tree", "-w", "--stdin", stdin=b"")
    names = [name for name in (base, local, other) if name is not None]
    found = dict(zip(names, read_commits(git, names), strict=True))
    trees = {name: nothing if name is None else found[name].tree for name in (base, local, other)}
    root = write_commit(git, trees[base], [], b"base\n")
    return ThreeWay(
        root, write_commit(git, trees[local], [root], b"local\n"), write_commit(git, trees[other], [root], b"other\n")
    )


def with_label(git: Git, replay: Replay, label: bytes) -> Replay:
    """A replay of which the other side was called `STAND_IN`, with `label` in its place: in the lines of markers, in
    the names of files that were put aside, and in what Git says.
    """
    automatic = read_tree(git, replay.tree)
    aside = _paths_aside(replay, label)
    oids = {entry.oid for path in replay.conflicted if (entry := automatic.get(path)) and entry.is_file}
    oids |= {entry.oid for stages in replay.conflicted.values() for entry in stages.entries if entry.is_file}
    texts = _relabelled(read_blobs(git, sorted(oids)), replay.marker_size, label)
    written = {oid: write_blob(git, text) for oid, text in texts.items()}

    def named(entry: Entry) -> Entry:
        return replace(entry, oid=written.get(entry.oid, entry.oid))

    conflicted = {aside.get(path, path): _each(stages, named) for path, stages in replay.conflicted.items()}
    changes: dict[bytes, Entry | None] = {path: None for path in aside if path in automatic}
    for path, entry in automatic.items():
        if path in aside or (path in replay.conflicted and entry.oid in written):
            changes[aside.get(path, path)] = named(entry)
    tree = _with_changes(git, replay.tree, changes) if changes else replay.tree
    notices = tuple(
        Notice(one.kind, tuple(aside.get(path, path) for path in one.paths), _renamed(one.text, aside, label))
        for one in replay.notices
    )
    return replace(
        replay, tree=tree, conflicted=dict(sorted(conflicted.items())), notices=notices, labels=(b"HEAD", label)
    )


def _each(stages: Stages, change: Callable[[Entry], Entry]) -> Stages:
    """Stages that are changed one by one: of a file that both sides renamed, Git puts what it merged into them."""
    base, local, incoming = (
        None if entry is None else change(entry) for entry in (stages.base, stages.local, stages.incoming)
    )
    return Stages(base, local, incoming)


def _paths_aside(replay: Replay, label: bytes) -> dict[bytes, bytes]:
    """Paths that Git made of the stand-in, and what they are called with the label: in it `/` is `_`."""
    mark = b"~" + STAND_IN.encode()
    named = {*replay.conflicted, *(path for notice in replay.notices for path in notice.paths)}
    return {path: path.replace(mark, b"~" + label.replace(b"/", b"_")) for path in named if mark in path}


def _renamed(text: bytes, aside: Mapping[bytes, bytes], label: bytes) -> bytes:
    for old, new in aside.items():
        text = text.replace(old, new)
    return text.replace(STAND_IN.encode(), label)


def _relabelled(blobs: Mapping[str, bytes | None], size: int, label: bytes) -> dict[str, bytes]:
    """The files that have conflict regions, with the label in the lines that close these."""
    found = {}
    for oid, content in blobs.items():
        if content is None or STAND_IN.encode() not in content:
            continue
        for candidate in (size, size + 1):  # one longer in a file that both sides renamed
            try:
                segments = split_conflicts(content, candidate)
            except ValueError:
                continue
            if len(segments) > 1:
                old = b">" * candidate + b" " + STAND_IN.encode()
                found[oid] = b"".join(
                    _with_closing(segment, old, b">" * candidate + b" " + label) for segment in segments
                )
                break
    return found


def _with_closing(segment: bytes | Region, old: bytes, new: bytes) -> bytes:
    if isinstance(segment, bytes):
        return segment
    closing = new + segment.closing.removeprefix(old) if segment.closing.startswith(old) else segment.closing
    return segment.opening + segment.local + segment.separator + segment.incoming + closing


def _with_changes(git: Git, tree: str, changes: Mapping[bytes, Entry | None]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        index = git.with_env(GIT_INDEX_FILE=str(Path(folder, "index")))
        index.run("read-tree", tree)
        stage(index, changes)
        return index.line("write-tree", "--missing-ok")
