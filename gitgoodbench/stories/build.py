"""Building a story's bare repository: the same bytes and ids on every machine.

Commits are collected as one `git fast-import` stream and sent when a merge needs them in the repository, so that
a repository costs a handful of processes, whatever its number of commits.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.stories.changes import Tree, apply_changes, settle_merge
from gitgoodbench.stories.merge import AutomaticMerge, merge_automatically
from gitgoodbench.stories.model import Branch, Commit, Story, StoryError, Where
from gitgoodbench.stories.text import Entry, detect_style

BUILDER_VERSION: Final = 1
"""Counts up whenever the same story would give other bytes."""

_NO_FSYNC: Final = ("-c", "core.fsync=none")  # what a power cut takes away is built again
_BRANCH_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")


def build_story(story: Story, target: Path) -> None:
    """Build the bare repository of ``story`` in ``target``, a folder that does not exist yet.

    Raises:
        StoryError: a change that does not fit its file, a conflict left open, an unknown branch.
    """
    target = target.absolute()
    target.mkdir(parents=True)
    git = Git(target)
    try:
        git.run("init", "--quiet", "--bare", "--template=", "-b", "main")
        with temporary_folder("story") as marks:
            builder = _Builder(story, git, Path(marks, "marks"))
            for step in story.steps:
                if isinstance(step, Branch):
                    builder.branch(step)
                else:
                    builder.commit(step)
            builder.flush()
        git.run(*_NO_FSYNC, "-c", "pack.threads=1", "-c", "repack.writeBitmaps=false", "repack", "-a", "-d", "-q")
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise


def next_date(before: datetime, ordinal: int, message: bytes) -> datetime:
    """A plausible moment of work after ``before``: minutes to days later, on a weekday, from 9 to 18 o'clock."""
    digest = hashlib.sha256(b"%d\0%s" % (ordinal, message)).digest()
    pace, amount, second = digest[0], int.from_bytes(digest[1:5], "big"), digest[5] % 60
    minutes = 12 + amount % 80 if pace < 110 else 90 + amount % 420 if pace < 190 else 900 + amount % 8000
    moment = (before + timedelta(minutes=minutes)).replace(second=second)
    if moment.hour >= 18:
        moment = (moment + timedelta(days=1)).replace(hour=9, minute=digest[6] % 60)
    elif moment.hour < 9:
        moment = moment.replace(hour=9, minute=digest[6] % 60)
    if moment.weekday() >= 5:
        moment += timedelta(days=7 - moment.weekday())
    return moment if moment > before else before + timedelta(minutes=12 + amount % 80)


@dataclass(frozen=True, slots=True)
class _Made:
    """A commit of the stream, by its mark."""

    mark: int
    tree: Tree
    parents: tuple[_Made, ...] = ()
    message: bytes = b""


class _Builder:
    """The state while a story is built: branch tips, labels, the clock, and the stream not yet sent."""

    def __init__(self, story: Story, git: Git, marks: Path) -> None:
        self._git = git
        self._marks = marks
        self._clock = story.start
        self._count = 0
        self._branches: dict[str, _Made] = {}
        self._labels: dict[str, _Made] = {}
        self._stream: list[bytes] = []

    def branch(self, step: Branch) -> None:
        self._check_new_branch(step.where, step.name)
        start = self._find(step.where, step.start)
        self._branches[step.name] = start
        self._stream.append(b"reset refs/heads/%s\nfrom :%d\n\n" % (step.name.encode(), start.mark))

    def commit(self, step: Commit) -> None:
        parent = self._branches.get(step.branch)
        if parent is None and self._branches:
            raise StoryError(
                step.where, f"unknown branch {step.branch!r}; create it with: branch {step.branch} from ..."
            )
        if parent is None:
            self._check_new_branch(step.where, step.branch)
        other = self._find(step.where, step.other) if step.other is not None else None
        if other is None:
            tree = dict(parent.tree) if parent is not None else {}
            apply_changes(tree, step.changes)
            if parent is not None and tree == parent.tree:
                raise StoryError(step.where, "this commit changes nothing")
        elif parent is None:
            raise StoryError(step.where, f"nothing to merge into: {step.branch!r} has no commit")
        elif step.operation == "merge":
            tree = self._merge(step, parent, other)
        else:
            step, tree = self._pick(step, parent, other)
            other = None
        self._record(step, parent, other, tree)

    def flush(self) -> None:
        """Send the stream collected so far."""
        if not self._stream:
            return
        stream, self._stream = b"".join(self._stream) + b"done\n", []
        self._git.run(
            *_NO_FSYNC, "fast-import", "--quiet", "--done", "--date-format=raw",
            f"--import-marks-if-exists={self._marks}", f"--export-marks={self._marks}",
            stdin=stream,
        )  # fmt: skip

    def _find(self, where: Where, name: str) -> _Made:
        found = self._labels.get(name) or self._branches.get(name)
        if found is None:
            raise StoryError(where, f"no branch and no label is called {name!r}")
        return found

    def _check_new_branch(self, where: Where, name: str) -> None:
        if name in self._branches or name in self._labels:
            raise StoryError(where, f"{name!r} is already a branch or a label")
        valid = _BRANCH_NAME.fullmatch(name) and ".." not in name and "//" not in name
        if not valid or name.endswith((".lock", "/", ".")):
            raise StoryError(where, f"{name!r} is no branch name")
        for other in self._branches:
            if other.startswith(name + "/") or name.startswith(other + "/"):
                raise StoryError(where, f"branch {name!r} cannot stand beside {other!r}")

    def _record(self, step: Commit, parent: _Made | None, other: _Made | None, tree: Tree) -> None:
        self._count += 1
        self._clock = next_date(self._clock, self._count, step.message) if self._count > 1 else self._clock
        parents = tuple(made for made in (parent, other) if made is not None)
        made = _Made(self._count, tree, parents, step.message)
        who = f"{step.person.name} <{step.person.email}>".encode()
        when = b"%d %s" % (int(self._clock.timestamp()), self._clock.strftime("%z").encode())
        self._stream += [
            b"commit refs/heads/%s\nmark :%d\n" % (step.branch.encode(), made.mark),
            b"author %s %s\ncommitter %s %s\n" % (who, when, who, when),
            b"data %d\n%s\n" % (len(step.message), step.message),
            b"from :%d\n" % parent.mark if parent is not None else b"",
            b"merge :%d\n" % other.mark if other is not None else b"",
            *_file_commands(parent.tree if parent is not None else {}, tree),
            b"\n",
        ]
        self._branches[step.branch] = made
        if step.label is not None:
            if step.label in self._labels or step.label in self._branches:
                raise StoryError(step.where, f"{step.label!r} is already a branch or a label")
            self._labels[step.label] = made

    # merges

    def _merge(self, step: Commit, ours: _Made, theirs: _Made) -> Tree:
        self.flush()
        ids = self._commit_ids()
        try:
            merge = merge_automatically(self._git, ids[ours.mark], ids[theirs.mark])
        except GitError as error:
            raise StoryError(step.where, f"cannot be merged: {error}") from error
        tree = _styled(merge, ours.tree, theirs.tree)
        return settle_merge(step, tree, merge.conflicted, ours.tree, theirs.tree)

    def _pick(self, step: Commit, ours: _Made, picked: _Made) -> tuple[Commit, Tree]:
        """A pick or a revert of a commit, of a merge against its first parent."""
        self.flush()
        ids = self._commit_ids()
        if not picked.parents:
            raise StoryError(step.where, "the first commit cannot be picked or reverted")
        parent = picked.parents[0]
        base, theirs = (parent, picked) if step.operation == "pick" else (picked, parent)
        merge = merge_automatically(self._git, ids[ours.mark], ids[theirs.mark], ids[base.mark])
        tree = settle_merge(step, _styled(merge, ours.tree, theirs.tree), merge.conflicted, ours.tree, theirs.tree)
        return replace(step, message=_named(step, picked, ids)), tree

    def _commit_ids(self) -> dict[int, str]:
        lines = self._marks.read_text(encoding="ascii").split("\n")
        return {int(mark[1:]): oid for mark, oid in (line.split(" ") for line in lines if line)}


def _named(step: Commit, picked: _Made, ids: dict[int, str]) -> bytes:
    """The message of a pick or a revert, which names the other commit as Git does."""
    oid, subject = ids[picked.mark].encode(), picked.message.partition(b"\n")[0]
    if step.operation == "pick":
        return (step.message or picked.message) + b"\n(cherry picked from commit %s)\n" % oid
    said = b"This reverts commit %s" % oid
    if len(picked.parents) > 1:
        said += b", reversing\nchanges made to %s" % ids[picked.parents[0].mark].encode()
    return (step.message or b'Revert "%s"\n' % subject) + b"\n" + said + b".\n"


def _styled(merge: AutomaticMerge, ours: Tree, theirs: Tree) -> Tree:
    """The merged tree, each file in the style of the side it was taken from, else of ours."""
    tree: Tree = {}
    for path, (mode, data) in merge.files.items():
        sides = [side for side in (ours.get(path), theirs.get(path)) if side is not None]
        sides.sort(key=lambda side: side.data != data)
        tree[path] = Entry(mode, data, sides[0].style if sides else detect_style(data))
    return tree


def _file_commands(old: Tree, new: Tree) -> list[bytes]:
    """The fast-import commands from one tree to the next; deletions first, as a file may become a folder."""
    commands = [b"D %s\n" % _quoted(path) for path in sorted(old) if path not in new]
    for path in sorted(new):
        entry, before = new[path], old.get(path)
        if before is None or (before.mode, before.data) != (entry.mode, entry.data):
            header = b"M %s inline %s\ndata %d\n" % (entry.mode, _quoted(path), len(entry.data))
            commands.append(header + entry.data + b"\n")
    return commands


def _quoted(path: bytes) -> bytes:
    """A path in C quotes, so that no byte of it can end the command."""
    plain = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + plain + b'"'
