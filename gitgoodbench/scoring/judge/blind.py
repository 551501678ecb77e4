"""What would tell a judge whose history it reads is taken out of commit messages.

Ids, people and dates of commits never get here (`CommitView` has none). Messages repeat some of them: trailers that
name people or tools, the ids of other commits, e-mail addresses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gitgoodbench.agents.text import clean
from gitgoodbench.git.histories import ChainHistory, CommitView

_TRAILERS: Final = re.compile(
    r"^[ \t]*(?:(?:[a-z][a-z-]*-by|cc|change-id|git-svn-id)[ \t]*:"
    r"|(?:author|committer)[ \t]*:(?=.*@)|date[ \t]*:(?=.*\d:\d\d)"
    r"|\(cherry picked from commit[ \t]).*\n?",
    re.IGNORECASE | re.MULTILINE,
)
_OBJECT_ID: Final = re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")
_MAIL: Final = re.compile(r"<?[\w.+-]+@[\w-]+(?:\.[\w-]+)+>?")


@dataclass(frozen=True)
class BlindCommit:
    """One commit as text for a judge. truncated: more of it exists than was read."""

    message: str
    patch: str
    truncated: bool = False


@dataclass(frozen=True)
class BlindHistory:
    """Oldest commit first. left_out: newer commits that were not read."""

    commits: tuple[BlindCommit, ...]
    left_out: int = 0

    @property
    def characters(self) -> int:
        return sum(len(commit.message) + len(commit.patch) for commit in self.commits)


def blind(history: ChainHistory) -> BlindHistory:
    """The history as text, the same way for both sides."""
    return BlindHistory(tuple(_blind_commit(commit) for commit in history.commits), history.left_out)


def _blind_commit(commit: CommitView) -> BlindCommit:
    return BlindCommit(blind_message(_text(commit.message)), _text(commit.patch).rstrip("\n"), commit.truncated)


def blind_message(message: str) -> str:
    """The message without trailers that name people, with object ids and e-mail addresses replaced."""
    subject, line_end, body = message.partition("\n")
    message = subject + line_end + _TRAILERS.sub("", body)
    message = _OBJECT_ID.sub("[commit id]", message)
    return _MAIL.sub("[e-mail]", message).strip("\n")


def _text(data: bytes) -> str:
    """Line by line UTF-8, else Latin-1: a patch may hold files of both. Only LF ends a line."""
    return clean("\n".join(_line(line) for line in data.split(b"\n")))


def _line(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")
