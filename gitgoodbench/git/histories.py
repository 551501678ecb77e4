"""A chain of commits as people review it: each commit's message and patch, oldest first, nothing else of it.

Read from the objects of a repository that may be hostile, so time and size are bounded and what was left out is said.
"""

from __future__ import annotations

import re
import subprocess
import threading
from dataclasses import dataclass
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.process import Git

MAX_COMMITS: Final = 200
"""Commits of one chain that are read."""

MAX_PATCH_BYTES: Final = 1024 * 1024
"""Bytes of one commit's patch that are read."""

_TIMEOUT_S: Final = 60.0
_MAX_MESSAGE_BYTES: Final = 256 * 1024
_DIFF_OPTIONS: Final = (
    "--no-commit-id", "-r", "-p", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers",
    "--find-renames=50%", "--no-indent-heuristic", "--no-color", "--no-ext-diff", "--no-textconv",
    "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--full-index",
)  # fmt: skip
_OBJECT_IDS: Final = re.compile(rb"^index [0-9a-f]+(?:\.\.[0-9a-f]*(?: [0-7]*)?)?(?:\n|\Z)", re.MULTILINE)


class HistoryError(GitGoodBenchError):
    """A chain that cannot be read: its base is not on the first-parent line below its tip, or objects are missing."""


@dataclass(frozen=True)
class CommitView:
    """One commit without its id, people and dates.

    message: as the commit has it, in UTF-8 where the commit names another encoding. patch: against the first parent,
    without the lines that name blob ids; empty for an empty commit, or one that leaves the path alone. truncated:
    message or patch were longer than is read.
    """

    message: bytes
    patch: bytes
    truncated: bool = False


@dataclass(frozen=True)
class ChainHistory:
    """Commits from the first after the base to the tip. left_out: newer commits beyond `MAX_COMMITS`."""

    commits: tuple[CommitView, ...]
    left_out: int = 0


@dataclass(frozen=True)
class HistoryPair:
    """What a judge compares."""

    agent: ChainHistory
    real: ChainHistory


def read_history(git: Git, base: str | None, tip: str, *, path: bytes | None = None) -> ChainHistory:
    """The chain base..tip along first parents.

    Args:
        git: a repository on this machine that holds both.
        base, tip: object ids of commits. base is left out, tip is part of the chain; equal ids give an empty chain.
            Without a base the chain begins with a root commit.
        path: show of each patch only what it does to this file. Commits that leave it alone stay, with an empty patch.

    Raises:
        HistoryError: base is not on the first-parent line of tip, an object is missing, or it takes too long.
    """
    commits = _first_parents(git, base, tip)
    views = tuple(_view(git, parent, commit, path) for parent, commit in commits[:MAX_COMMITS])
    return ChainHistory(views, left_out=max(0, len(commits) - MAX_COMMITS))


def _first_parents(git: Git, base: str | None, tip: str) -> list[tuple[str | None, str]]:
    """Pairs of first parent and commit, oldest first; a root commit has no parent."""
    above = () if base is None else (f"^{base}",)
    revisions = ("--first-parent", "--parents", "--end-of-options", tip, *above)
    lines = _output(git, "rev-list", *revisions)[0].decode("ascii").splitlines()
    pairs = [(ids[1] if len(ids) > 1 else None, ids[0]) for ids in map(str.split, reversed(lines))]
    if pairs and pairs[0][0] != base:
        raise HistoryError(f"{base or 'nothing'} is not what the first-parent line of {tip} begins with")
    if not pairs and base != tip:
        raise HistoryError(f"{tip} is not above {base}")
    return pairs


def _view(git: Git, parent: str | None, commit: str, path: bytes | None) -> CommitView:
    raw, cut_message = _output(git, "cat-file", "commit", commit, limit=_MAX_MESSAGE_BYTES)
    paths = () if path is None else (b"--", path)
    ends = ("--root", commit) if parent is None else (parent, commit)
    patch, cut_patch = _output(git, "diff-tree", *_DIFF_OPTIONS, *ends, *paths, limit=MAX_PATCH_BYTES)
    return CommitView(_message(raw), _OBJECT_IDS.sub(b"", patch), cut_message or cut_patch)


def _message(raw: bytes) -> bytes:
    """The message of a commit object. A blank line ends the headers: their continuation lines start with a blank."""
    headers, _, message = raw.partition(b"\n\n")
    for header in headers.split(b"\n"):
        name, _, value = header.partition(b" ")
        if name == b"encoding":
            return _recoded(message, value.decode("ascii", "replace"))
    return message


def _recoded(message: bytes, encoding: str) -> bytes:
    try:
        return message.decode(encoding).encode("utf-8")
    except (LookupError, UnicodeError):
        return message


def _output(git: Git, *args: str | bytes, limit: int | None = None) -> tuple[bytes, bool]:
    """What the command prints, up to `limit` bytes, and whether there was more.

    Raises:
        HistoryError: it fails or takes too long.
    """
    late = threading.Event()
    with git.stream(*args) as process:
        assert process.stdout is not None
        timer = threading.Timer(_TIMEOUT_S, _end, (process, late))
        timer.start()
        try:
            output = process.stdout.read(-1 if limit is None else limit + 1)
            more = limit is not None and len(output) > limit
            failed = not more and process.wait() != 0
        finally:
            timer.cancel()
    if failed:
        raise HistoryError(f"git {args[0]!s} {'takes too long' if late.is_set() else 'fails'} on {args[-1]!r}")
    return output[:limit], more


def _end(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()
