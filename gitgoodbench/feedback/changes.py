"""What a commit changed: each file before and after, and the lines that it added.

The lines are those that Git's own diff adds, renames followed. A merge brought only what differs from the automatic
merge of its parents. Links and submodules have no lines; files that Git takes for binary, or that are too large to be
parsed, are named but not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.feedback.added_lines import (
    DIFF,
    Lines,
    Section,
    Span,
    count_lines,
    is_binary,
    read_sections,
    spans_of,
)
from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.objects import Entry, blob_sizes, read_blobs, read_tree
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.git.replay import replay_merge

MAX_FILE_BYTES: Final = 2 * 1024 * 1024
"""Larger files are not parsed (`ted.nodes.MAX_SOURCE_BYTES`), and are data rather than anybody's work."""

MAX_COMMIT_BYTES: Final = 64 * 1024 * 1024
"""Of all files of a commit, before and after; beyond it, the largest are left out. Imports of other people's code."""

MAX_ADDED_LINES: Final = 200_000
"""Of one commit; beyond it, the files with the most are left out."""

_RAW: Final = (
    "-r", "-z", "--raw", "--no-abbrev", "--find-renames=50%", "--ignore-submodules=none",
)  # fmt: skip


class UnreadableCommit(GitGoodBenchError):
    """A commit of which the change cannot be told: objects are missing."""


@dataclass(frozen=True)
class FileChange:
    """One file of a commit.

    path: after the commit, or before it where it was deleted. old_path: where its content was before; None for a new
    file. before, after: contents; None where there is no file, or where it is not read (`skipped`). added: the runs of
    added lines, in bytes of `after`. skipped: why the contents are not read.
    """

    path: bytes
    old_path: bytes | None
    before: bytes | None
    after: bytes | None
    added: tuple[Span, ...] = ()
    skipped: str | None = None


@dataclass(frozen=True)
class CommitChange:
    """All files that a commit changed, by path."""

    commit: str
    files: tuple[FileChange, ...]

    @property
    def added_lines(self) -> int:
        """The number of lines that it added."""
        return sum(count_lines(file.after[start:end]) for file in self.files if file.after for start, end in file.added)

    def file(self, path: bytes) -> FileChange | None:
        """The file at a path, as it is called after or before the commit."""
        now = next((file for file in self.files if file.path == path), None)
        return now or next((file for file in self.files if file.old_path == path), None)


def read_change(git: Git, commit: str) -> CommitChange:
    """What a commit changed.

    Of a merge, only what it brought itself: what differs from the automatic merge of its parents, one after the other.
    Of more than two parents that conflict nothing can be told, and nothing is.

    Raises:
        UnreadableCommit: objects are missing, as in a shallow clone.
    """
    try:
        found = read_commits(git, [commit])[0]
        if len(found.parents) < 2:
            before = found.parents[0] if found.parents else git.line("hash-object", "-t", "tree", "--stdin")
            return CommitChange(commit, tuple(_files(git, before, commit)))
        return CommitChange(commit, tuple(_merged(git, commit, found.parents)))
    except GitError as problem:
        raise UnreadableCommit(
            f"the change of commit {commit[:12]} cannot be read: {problem}; in a shallow clone, "
            "`git fetch --unshallow` brings what is missing"
        ) from problem


def _merged(git: Git, commit: str, parents: Sequence[str]) -> list[FileChange]:
    """What a merge brought; objects that the replay makes do not stay in the repository."""
    objects = git.run("rev-parse", "--path-format=absolute", "--git-path", "objects").removesuffix(b"\n")
    with temporary_folder("merge") as folder:
        scratch = git.with_env(
            GIT_OBJECT_DIRECTORY=str(folder),
            GIT_ALTERNATE_OBJECT_DIRECTORIES=_quoted(objects.decode("utf-8", "surrogateescape")),
        )
        merged = parents[0]
        for number, parent in enumerate(parents[1:], 2):
            replay = replay_merge(scratch, merged, parent)
            if number == len(parents):
                return list(_files(scratch, replay.tree, commit))
            if not replay.clean:
                break
            merged = scratch.line("commit-tree", "-p", merged, "-p", parent, replay.tree)
    return []


def _quoted(path: str) -> str:
    """A path as Git reads it in a list of object folders, where colons divide."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True)
class _Raw:
    """One file of `git diff-tree --raw`; entries are None where there is no file."""

    path: bytes
    old_path: bytes | None
    before: Entry | None
    after: Entry | None

    @property
    def oids(self) -> list[str]:
        return [entry.oid for entry in (self.before, self.after) if entry is not None]


def _files(git: Git, before: str, after: str) -> Iterator[FileChange]:
    changed = list(_raw(git.run("diff-tree", *_RAW, before, after)))
    changed = _with_copies(git, before, changed)
    sizes = blob_sizes(git, [oid for one in changed for oid in one.oids]) if changed else {}
    missing = [oid for oid, size in sizes.items() if size is None]
    if missing:
        raise UnreadableCommit(f"the content {missing[0]} is not in this repository (a partial clone)")
    read = _within_limits(changed, {oid: size or 0 for oid, size in sizes.items()})
    contents = read_blobs(git, [oid for one in changed if one.path in read for oid in one.oids])
    sections = _sections(git, before, after, changed, read)
    files = [_file(one, one.path in read, contents, sections.get(_ids(one))) for one in changed]
    yield from _within_lines(files)


def _raw(output: bytes) -> Iterator[_Raw]:
    """Read `git diff-tree --raw -z`. Links and submodules count as no file."""
    fields = iter(output.split(b"\0")[:-1])
    for head in fields:
        old_mode, new_mode, old, new, status = head.removeprefix(b":").decode("ascii").split()
        path = old_path = next(fields)
        if status[0] in "RC":
            path = next(fields)
        entries = [None if not int(mode, 8) else Entry(mode, oid) for mode, oid in ((old_mode, old), (new_mode, new))]
        before, after = (entry if entry is not None and entry.is_file else None for entry in entries)
        yield _Raw(path, old_path if before is not None else None, before, after)


def _with_copies(git: Git, before: str, changed: list[_Raw]) -> list[_Raw]:
    """A new file whose content is that of a file that was there is a copy of it: it adds nothing."""
    new = {one.after.oid for one in changed if one.after is not None and one.before is None}
    if not new:
        return changed
    there: dict[str, tuple[bytes, Entry]] = {}
    for path, entry in read_tree(git, before).items():
        if entry.oid in new and entry.is_file:
            there.setdefault(entry.oid, (path, entry))
    copied = []
    for one in changed:
        source = there.get(one.after.oid) if one.after is not None and one.before is None else None
        copied.append(one if source is None else _Raw(one.path, source[0], source[1], one.after))
    return copied


def _within_limits(changed: Sequence[_Raw], sizes: dict[str, int]) -> set[bytes]:
    """Paths of the files that are read: none that is too large, and of all the smallest ones."""
    read: set[bytes] = set()
    room = MAX_COMMIT_BYTES
    weights = [(sum(sizes[oid] for oid in one.oids), one) for one in changed]
    for weight, one in sorted(weights, key=lambda pair: (pair[0], pair[1].path)):
        room -= weight
        if room >= 0 and all(sizes[oid] <= MAX_FILE_BYTES for oid in one.oids):
            read.add(one.path)
    return read


def _sections(
    git: Git, before: str, after: str, changed: Sequence[_Raw], read: set[bytes]
) -> dict[tuple[str, str], Section]:
    """What the diff says of each pair of blobs; where not all files are read, of one pair after the other."""
    wanted = [one for one in changed if one.path in read and one.after is not None and one.before != one.after]
    if not wanted:
        return {}
    if len(read) == len(changed):
        patch = git.run("diff-tree", *DIFF, "--find-renames=50%", before, after)
        found = {(one.old, one.new): one for one in read_sections(patch)}
    else:
        found = {}
    for one in wanted:
        old, new = _ids(one)
        if (old, new) not in found and one.before is not None and old != new:
            sections = read_sections(git.run("diff", *DIFF[1:], old, new))
            found[old, new] = next(sections)
    return found


def _ids(one: _Raw) -> tuple[str, str]:
    known = one.after or one.before
    null = "0" * len(known.oid) if known is not None else ""
    return (null if one.before is None else one.before.oid, null if one.after is None else one.after.oid)


def _file(one: _Raw, is_read: bool, contents: dict[str, bytes | None], section: Section | None) -> FileChange:
    before, after = (None if entry is None else contents.get(entry.oid) for entry in (one.before, one.after))
    if one.before is None and one.after is None:
        return FileChange(one.path, one.old_path, None, None, skipped="a link or a submodule")
    if not is_read:
        return FileChange(one.path, one.old_path, None, None, skipped="too large")
    if section is not None and section.lines is None:
        return FileChange(one.path, one.old_path, None, None, skipped="binary")
    if after is None:
        return FileChange(one.path, one.old_path, before, None)
    runs: tuple[Lines, ...] = ()
    if section is not None and section.lines is not None:
        runs = section.lines.added
    elif before is None:  # not in the diff that was read: all of it is new
        if is_binary(after):
            return FileChange(one.path, one.old_path, None, None, skipped="binary")
        runs = ((0, count_lines(after)),) if after else ()
    return FileChange(one.path, one.old_path, before, after, spans_of(after, runs))


def _within_lines(files: Sequence[FileChange]) -> Iterator[FileChange]:
    """The files, without the contents of those that add most lines where all together add too many."""
    lines = {
        file.path: sum(file.after.count(b"\n", start, end) for start, end in file.added)
        for file in files
        if file.after is not None
    }
    room = MAX_ADDED_LINES
    left_out: set[bytes] = set()
    for path in sorted(lines, key=lambda path: (lines[path], path)):
        room -= lines[path]
        if room < 0:
            left_out.add(path)
    for file in files:
        if file.path in left_out:
            yield FileChange(file.path, file.old_path, None, None, skipped="the commit adds too many lines")
        else:
            yield file
