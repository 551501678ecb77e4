"""Commit messages without a model: repeated or missing ones, and the length and mood of their subjects.

Length and mood are the judgement of `commit-check`, a maintained linter for commit messages. Its mood rule refuses what
is not an imperative by its form (`Added`, `adds`, `adding`), past a Conventional Commits prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gitgoodbench.git.rebase_plan import clean_message

LONGEST_SUBJECT: Final = 72
"""Characters up to which a subject is not too long."""

_MOST_CHARACTERS_READ: Final = 1000
_LENGTH_RULE: Final = "subject_max_length"
_MOOD_RULE: Final = "subject_imperative"
_RULES: Final[Mapping[str, Any]] = {"commit": {_LENGTH_RULE: LONGEST_SUBJECT, _MOOD_RULE: True}}


@dataclass(frozen=True)
class MessageFigures:
    """Counts over a history's commits.

    repeated: messages that an older commit has already; empty: those without text. long_subjects and
    other_moods: subjects of the `with_subject` commits that are too long, or not in the imperative.
    mean_subject: length of those subjects in characters, on average; None where there are none.
    """

    commits: int
    repeated: int
    empty: int
    with_subject: int
    long_subjects: int
    other_moods: int
    mean_subject: float | None


def read_messages(messages: Sequence[bytes]) -> MessageFigures:
    """The figures of these messages, oldest first."""
    texts = [clean_message(message).decode("utf-8", "replace") for message in messages]
    told = [text for text in texts if text]
    subjects = [text.split("\n", 1)[0] for text in told]
    broken = [_broken_rules(subject[:_MOST_CHARACTERS_READ]) for subject in subjects]
    return MessageFigures(
        commits=len(texts),
        repeated=len(told) - len({text.casefold() for text in told}),
        empty=len(texts) - len(told),
        with_subject=len(subjects),
        long_subjects=sum(_LENGTH_RULE in rules for rules in broken),
        other_moods=sum(_MOOD_RULE in rules for rules in broken),
        mean_subject=sum(map(len, subjects)) / len(subjects) if subjects else None,
    )


def _broken_rules(subject: str) -> set[str]:
    from commit_check.api import validate_message  # takes a moment to import

    checks = validate_message(subject, config=dict(_RULES))["checks"]
    return {check["check"] for check in checks if check["status"] == "fail"}
