"""What would tell a judge whose history it reads is taken out of commit messages.

Ids, people and dates of commits never get here (`CommitView` has none). Messages repeat some of them, and name issues,
pull requests and the like (`traces`). Whitespace is that of `git commit`: what an agent commits has been through it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gitgoodbench.git.histories import ChainHistory, CommitView
from gitgoodbench.git.messages import clean_message
from gitgoodbench.scoring.judge.traces import without_traces
from gitgoodbench.text import clean

_LONGEST_MESSAGE: Final = 16 * 1024
"""Bytes of a message that are looked at."""

_OBJECT_ID: Final = re.compile(
    r"\b(?:(?i:the[ ])?(?i:commits?|revision|rev|changeset)[ ])?(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"
)
_MAIL: Final = re.compile(r"[ ]?<[\w.+-]+@[\w-]+(?:\.[\w-]+)+>|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


@dataclass(frozen=True)
class BlindCommit:
    """One commit as text for a judge. message_left_out, patch_left_out: bytes of either that are not in the text."""

    message: str
    patch: str
    message_left_out: int = 0
    patch_left_out: int = 0


@dataclass(frozen=True)
class BlindHistory:
    """Oldest commit first. left_out: newer commits that were not read."""

    commits: tuple[BlindCommit, ...]
    left_out: int = 0


def blind(history: ChainHistory) -> BlindHistory:
    """The history as text, the same way for both sides."""
    return BlindHistory(tuple(_blind_commit(commit) for commit in history.commits), history.left_out)


def same_history(agent: ChainHistory, real: ChainHistory) -> bool:
    """Whether both make the same changes in the same order, under messages that a judge cannot tell apart.

    Told by trees and whole messages; of histories too long to be read nothing is known, and they are not the same.
    """
    if agent.left_out or real.left_out or _digests(agent) != _digests(real):
        return False
    return _shown(agent) == _shown(real)


def _digests(history: ChainHistory) -> list[str]:
    return [commit.digest for commit in history.commits]


def _shown(history: ChainHistory) -> list[tuple[BlindCommit, bytes]]:
    return [
        (_blind_commit(commit), clean_message(commit.message)[_LONGEST_MESSAGE:]) for commit in history.commits
    ]  # fmt: skip


def _blind_commit(commit: CommitView) -> BlindCommit:
    message = clean_message(commit.message)
    shown = blind_message(_text(message[:_LONGEST_MESSAGE]))
    left_out = max(0, len(message) - _LONGEST_MESSAGE) + commit.message_unread
    return BlindCommit(shown, _text(commit.patch).rstrip("\n"), left_out, commit.patch_unread)


def blind_message(message: str) -> str:
    """The message without traces of its project. Words that anyone may write stand for object ids and addresses."""
    message = _OBJECT_ID.sub("an earlier commit", without_traces(message))
    message = _MAIL.sub(lambda match: "" if match[0].endswith(">") else "an address", message)
    return clean_message(message.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass").strip("\n")


def _text(data: bytes) -> str:
    """Line by line UTF-8, else Latin-1: a patch may hold files of both. Only LF ends a line."""
    return clean("\n".join(_line(line) for line in data.split(b"\n")))


def _line(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")
