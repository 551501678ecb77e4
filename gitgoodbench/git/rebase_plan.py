"""A rebase plan: which commits of a chain, in which order, with which command. Pure.

What Git's todo list says in text is here a sequence of steps, so that no message or subject can be taken for a command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from gitgoodbench.git.messages import clean_message


class Command(StrEnum):
    """The commands of `git rebase -i` that a plan may hold, by the words of its todo list."""

    PICK = "pick"
    REWORD = "reword"
    SQUASH = "squash"
    FIXUP = "fixup"
    FIXUP_MESSAGE = "fixup -C"
    DROP = "drop"

    @property
    def melds(self) -> bool:
        """Whether the commit becomes part of the one before it."""
        return self in (Command.SQUASH, Command.FIXUP, Command.FIXUP_MESSAGE)

    @property
    def needs_message(self) -> bool:
        return self in (Command.REWORD, Command.SQUASH)


@dataclass(frozen=True)
class Step:
    """One line of the plan. commit: position in the chain, 0 is the oldest. message: of reword and squash alone."""

    commit: int
    command: Command
    message: bytes | None = None


Group = tuple[Step, ...]
"""Steps whose commits become one: a pick or reword, and what is melded into it."""

AMEND_PREFIX: Final = b"amend!"
_BLANK_LINES: Final = re.compile(rb"\A(?:[ \t\r]*\n)+")
_BLANK_LINE: Final = re.compile(rb"\n[ \t\r]*(?=\n)")


def unchanged_plan(commits: int) -> tuple[Step, ...]:
    """Every commit picked, in the order there is."""
    return tuple(Step(index, Command.PICK) for index in range(commits))


def groups_of(steps: Sequence[Step]) -> list[Group]:
    """The commits that a plan makes, as groups of steps; dropped commits are in none.

    Raises:
        ValueError: the first step that is no drop melds into nothing.
    """
    groups: list[list[Step]] = []
    for step in steps:
        if step.command is Command.DROP:
            continue
        if not step.command.melds:
            groups.append([step])
        elif groups:
            groups[-1].append(step)
        else:
            raise ValueError(f"{step.command} without a commit before it")
    return [tuple(group) for group in groups]


def message_of(group: Group, messages: Sequence[bytes]) -> bytes:
    """The message of the commit that a group becomes. The last step that brings one decides.

    reword and squash bring what the plan says for them, pick and `fixup -C` their own commit's message, fixup none.
    As in Git, whitespace is cleaned where someone writes a message in an editor, and a message that is taken over
    stays as it is but for blank lines at its start. Unlike there, lines that start with `#` are text like any other:
    nobody has been told in an editor that they are not.

    Args:
        messages: of the chain's commits.
    """
    message = b""
    for step in group:
        if step.message is not None:
            message = clean_message(step.message)
        elif step.command is Command.FIXUP_MESSAGE:
            message = _without_amend_subject(_without_blank_start(messages[step.commit]))
        elif not step.command.melds:
            message = _without_blank_start(messages[step.commit])
    return clean_message(message) if any(step.command is Command.SQUASH for step in group) else message


def _without_blank_start(message: bytes) -> bytes:
    return _BLANK_LINES.sub(b"", message, count=1)


def _without_amend_subject(message: bytes) -> bytes:
    """Git leaves out the first paragraph of `amend! ...` commits: it only says which commit they amend."""
    if not message.startswith(AMEND_PREFIX):
        return message
    end = _BLANK_LINE.search(message)
    return b"" if end is None else _without_blank_start(message[end.start() + 1 :])
