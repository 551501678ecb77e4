"""Commit messages without a model: repeated or missing ones, and the length and mood of their subjects.

Everything is decided by form alone. docs/metrics.md has the rules and how often the one for moods errs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.git.messages import clean_message

LONGEST_SUBJECT: Final = 72
"""Characters up to which a subject is not too long."""

_MOST_CHARACTERS_READ: Final = 1000
_LABEL: Final = re.compile(
    r"""(?:
        \[[^\]]{1,40}\]:?                     # [docs]  [GH-12]:
        | [\w./-]{1,40}(?:\([^)]{1,40}\))?!?:   # fix(parser)!:  docs:  src/main.c:
        | [A-Z][A-Z0-9]+-\d+:?                # LANG-1234
        | \#\d+:?                            # #12
    )\s+""",
    re.VERBOSE,
)
"""What stands before a subject's first word: a type, a part of the project, a ticket."""

_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_PREFIX: Final = re.compile(r"(?:auto|co|cross|de|dis|down|mis|over|pre|re|un|under|up)-?(?=\w{2})")
_ADVERBS: Final = frozenset({"also", "always", "do", "don't", "don\u2019t", "just", "never", "now", "only"})
_MARKS: Final = " \t\r.!?:;,\u3001\u3002"

_MORE_VERBS: Final = frozenset({
    "backfill", "bail", "ban", "benchmark", "blacklist", "bounce", "bring", "catch", "choose", "cover", "craft",
    "deflake", "depend", "discover", "emphasize", "fail", "finish", "flip", "follow", "gate", "guess", "hardcode",
    "hook", "host", "inherit", "install", "interpolate", "jump", "leave", "lint", "nest", "patch", "place", "point",
    "polish", "promote", "protect", "refine", "retain", "reword", "satisfy", "see", "sell", "shade", "shift",
    "ship", "shrink", "solve", "space", "strengthen", "swallow", "tell", "think", "tidy", "trust", "unblock",
    "unbreak", "undo", "vary",
})  # fmt: skip
"""Verbs of real subjects that the linter's list lacks."""


@dataclass(frozen=True)
class MessageFigures:
    """Counts over a history's commits.

    repeated: messages that an older commit has already, but for case, blanks and marks that end a line; empty: those
    without text. long_subjects and other_moods: subjects of the `with_subject` commits that are too long, or not in the
    imperative as far as `is_imperative` knows. mean_subject: length of those subjects in characters, on average; None
    where there are none.
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
    texts = [clean_message(message).decode("utf-8", "surrogateescape") for message in messages]
    written = [text for text in texts if text]
    subjects = [text.split("\n", 1)[0] for text in written]
    return MessageFigures(
        commits=len(texts),
        repeated=len(written) - len({_key(text) for text in written}),
        empty=len(texts) - len(written),
        with_subject=len(subjects),
        long_subjects=sum(len(subject) > LONGEST_SUBJECT for subject in subjects),
        other_moods=sum(not is_imperative(subject) for subject in subjects),
        mean_subject=sum(map(len, subjects)) / len(subjects) if subjects else None,
    )


def is_imperative(subject: str) -> bool:
    """Whether the first word is a verb in its base form: one of the linter commit-check's list or of our own.

    Labels before it (`fix(parser): `, `[docs] `, `LANG-12 `) are passed over, and so is an adverb (`only`, `properly`).
    `re-`, `un-` and the like may stand before the verb. A verb that neither list has counts as none, and so does any
    word of another language.
    """
    text = subject[:_MOST_CHARACTERS_READ]
    while (label := _LABEL.match(text)) is not None:
        text = text[label.end() :]
    first, second, *_ = [*_WORD.findall(text.lower()), "", ""]
    adverb = first in _ADVERBS or first.endswith("ly")
    return text[:1].isalpha() and (_is_verb(first) or (adverb and _is_verb(second)))


def _is_verb(word: str) -> bool:
    from commit_check.imperatives import IMPERATIVES  # takes a moment to import

    forms = (word, _PREFIX.sub("", word, count=1), word.partition("-")[0])
    return any(form in IMPERATIVES or form in _MORE_VERBS for form in forms)


def _key(text: str) -> str:
    """What two messages have in common that say the same, however their characters are composed."""
    same = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(word for line in same.split("\n") for word in line.rstrip(_MARKS).split())
