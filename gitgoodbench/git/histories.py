"""A chain of commits as people review it: each commit's message and patch, oldest first, nothing else of it.

Read from the objects of a repository that may be hostile, so time and size are bounded and what was left out is said.
"""

from __future__ import annotations

import hashlib
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.commits import parse_commit
from gitgoodbench.git.patch_text import readable_patch
from gitgoodbench.git.process import Git

MAX_COMMITS: Final = 200
"""Commits of one chain that are read."""

MAX_PATCH_BYTES: Final = 1024 * 1024
"""Bytes of one commit's patch that are read."""

MAX_HISTORY_BYTES: Final = 32 * 1024 * 1024
"""Bytes of all messages and patches of one chain that are read."""

MAX_FILE_BYTES: Final = 8 * 1024 * 1024
"""Of larger files a patch only says how large they are: Git takes forty times as much memory to compare them."""

_TIMEOUT_S: Final = 60.0
_COUNTED_BYTES: Final = 64 * 1024 * 1024
"""What is not read is counted up to here."""

_CHUNK_BYTES: Final = 64 * 1024
_LONGEST_ARGUMENTS: Final = 64 * 1024
_MAX_MESSAGE_BYTES: Final = 256 * 1024
_DIFF: Final = (
    "-c", f"core.bigFileThreshold={MAX_FILE_BYTES}", "diff-tree",
    "--no-commit-id", "-r", "-p", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers",
    "--find-renames=50%", "--no-indent-heuristic", "--no-color", "--no-ext-diff", "--no-textconv",
    "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--full-index", "--ignore-submodules=none",
)  # fmt: skip
_RAW_OPTIONS: Final = ("--no-commit-id", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
_EVERYTHING: Final = b"."


class HistoryError(GitGoodBenchError):
    """A chain that cannot be read: its base is not on the first-parent line below its tip, or objects are missing."""


@dataclass(frozen=True)
class CommitView:
    """One commit without its id, people and dates.

    message: as `Commit` has it. patch: against the first parent, as `readable_patch` gives it; empty for an empty
    commit, or one that leaves the path alone. message_unread, patch_unread: bytes beyond what is read. digest: equal
    where two commits make the same change, all of it, and no message is cut.
    """

    message: bytes
    patch: bytes
    message_unread: int = 0
    patch_unread: int = 0
    digest: str = field(default="", compare=False)

    @property
    def truncated(self) -> bool:
        return bool(self.message_unread or self.patch_unread)


@dataclass(frozen=True)
class ChainHistory:
    """Commits from the first after the base to the tip.

    left_out: newer commits beyond `MAX_COMMITS`. unchanging: commits without a change, where those were not asked for.
    """

    commits: tuple[CommitView, ...]
    left_out: int = 0
    unchanging: int = 0


@dataclass(frozen=True)
class HistoryPair:
    """What a judge compares."""

    agent: ChainHistory
    real: ChainHistory


def read_history(
    git: Git,
    base: str | None,
    tip: str,
    *,
    path: bytes | None = None,
    changes_only: bool = False,
    patch_limit: int | None = None,
) -> ChainHistory:
    """The chain base..tip along first parents.

    Args:
        git: a repository on this machine that holds both.
        base, tip: object ids of commits. base is left out, tip is part of the chain; equal ids give an empty chain.
            Without a base the chain begins with a root commit.
        path: show of each patch only what it does to this file. Commits that leave it alone stay, with an empty patch.
        changes_only: leave out commits that change nothing of what is shown.
        patch_limit: bytes of one commit's patch that are read; `MAX_PATCH_BYTES` without it.

    Raises:
        HistoryError: base is not on the first-parent line of tip, an object is missing, or it takes too long.
    """
    every = _first_parents(git, base, tip)
    commits = _changing(git, base, tip, path, every) if changes_only else every
    views: list[CommitView] = []
    room = MAX_HISTORY_BYTES
    for parent, commit in commits[:MAX_COMMITS]:
        views.append(_view(git, parent, commit, path, min(room, patch_limit or MAX_PATCH_BYTES)))
        room = max(0, room - len(views[-1].message) - len(views[-1].patch))
    return ChainHistory(tuple(views), max(0, len(commits) - MAX_COMMITS), len(every) - len(commits))


def read_patch(git: Git, base: str, tip: str, paths: Sequence[bytes], *, limit: int = MAX_PATCH_BYTES) -> bytes:
    """What changes from one commit to another at the paths, as `read_history` shows it, up to `limit` bytes.

    Raises:
        HistoryError: an object is missing, or it takes too long.
    """
    patches: list[bytes] = []
    for some in _batches(paths):
        room = limit - sum(map(len, patches))
        patches.append(_output(git, *_DIFF, base, tip, "--", *some, limit=max(0, room)).data)
    return readable_patch(git, b"".join(patches))


def _batches(paths: Sequence[bytes]) -> Iterator[list[bytes]]:
    """The paths in pieces that fit into an argument list."""
    batch: list[bytes] = []
    size = 0
    for path in paths:
        if batch and size + len(path) > _LONGEST_ARGUMENTS:
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += len(path) + 1
    if batch:
        yield batch


def _first_parents(git: Git, base: str | None, tip: str) -> list[tuple[str | None, str]]:
    """Pairs of first parent and commit, oldest first; a root commit has no parent."""
    lines = (
        _output(git, "rev-list", "--first-parent", "--parents", *_range(base, tip)).data.decode("ascii").splitlines()
    )
    pairs = [(ids[1] if len(ids) > 1 else None, ids[0]) for ids in map(str.split, reversed(lines))]
    if pairs and pairs[0][0] != base:
        raise HistoryError(f"{base or 'nothing'} is not what the first-parent line of {tip} begins with")
    if not pairs and base != tip:
        raise HistoryError(f"{tip} is not above {base}")
    return pairs


def _range(base: str | None, tip: str) -> tuple[str, ...]:
    return ("--end-of-options", tip) if base is None else ("--end-of-options", tip, f"^{base}")


def _changing(
    git: Git, base: str | None, tip: str, path: bytes | None, pairs: list[tuple[str | None, str]]
) -> list[tuple[str | None, str]]:
    """Those that change the path, or anything."""
    listed = _output(git, "rev-list", "--first-parent", *_range(base, tip), "--", path or _EVERYTHING).data
    changing = set(listed.decode("ascii").splitlines())
    return [pair for pair in pairs if pair[1] in changing]


def _view(git: Git, parent: str | None, commit: str, path: bytes | None, patch_limit: int) -> CommitView:
    raw = _output(git, "cat-file", "commit", commit, limit=_MAX_MESSAGE_BYTES)
    paths = () if path is None else (b"--", path)
    ends = ("--root", commit) if parent is None else (parent, commit)
    patch = _output(git, *_DIFF, *ends, *paths, limit=patch_limit)
    changes = _output(git, "diff-tree", *_RAW_OPTIONS, *ends, *paths, limit=0, count=None)
    digest = commit if raw.unread else changes.digest
    message = parse_commit(commit, raw.data).message
    return CommitView(message, readable_patch(git, patch.data), raw.unread, patch.unread, digest)


@dataclass(frozen=True)
class _Output:
    """data: what was kept; unread: bytes beyond it, as far as they were counted; digest: of all that was looked at."""

    data: bytes
    unread: int
    digest: str


def _output(git: Git, *args: str | bytes, limit: int | None = None, count: int | None = _COUNTED_BYTES) -> _Output:
    """What the command prints: `limit` bytes of it are kept, and `count` bytes beyond are counted (None: all).

    Raises:
        HistoryError: it fails or takes too long.
    """
    late = threading.Event()
    with git.stream(*args) as process:
        assert process.stdout is not None
        timer = threading.Timer(_TIMEOUT_S, _end, (process, late))
        timer.start()
        try:
            data = process.stdout.read(-1 if limit is None else limit)
            digest = hashlib.sha256(data)
            unread = 0
            while (count is None or unread < count) and (chunk := process.stdout.read(_CHUNK_BYTES)):
                digest.update(chunk)
                unread += len(chunk)
            enough = unread > 0 and count is not None
            failed = not enough and process.wait() != 0
        finally:
            timer.cancel()
        if failed:
            raise HistoryError(f"git {_command(args)} {'takes too long' if late.is_set() else 'fails'} on {args[-1]!r}")
    return _Output(data, unread, digest.hexdigest())


def _command(args: Sequence[str | bytes]) -> str:
    """The name of the command, which may have settings before it."""
    return str(args[2] if args[0] == "-c" else args[0])


def _end(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()
