"""Answers that only show what their own conversation writes into a file, or shows once more: one work counts once.

"Done, it is now: ..." after an edit, the plan before it with all of its code, or a first draft that a later answer has
all lines of. Lines such as `}` and `else:` tell nothing, unless there are no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from gitgoodbench.feedback.added_lines import Span
from gitgoodbench.feedback.claims import Rows, rows_of, telling
from gitgoodbench.feedback.records import Key

MOST: Final = 0.5
"""The share of an answer's lines that says that it shows an edit."""


class _Addition(Protocol):
    @property
    def content(self) -> bytes: ...
    @property
    def spans(self) -> tuple[Span, ...]: ...


class _Work(Protocol):
    @property
    def path(self) -> bytes | None: ...
    @property
    def added(self) -> Sequence[_Addition]: ...


def shown_again(works: Mapping[Key, _Work], answers: Sequence[Key]) -> set[Key]:
    """The answers of a conversation of which its edits write half of the lines or more, or a later answer shows all.

    works: of the conversation's edits and answers. answers: those that are answers, in their order.
    """
    rows = {key: _rows(work.added) for key, work in works.items()}
    edits = [key for key in works if key not in set(answers)]
    found = set()
    for at, key in enumerate(answers):
        written = _together(rows[one] for one in edits if _can_be_one_file(works[one], works[key]))
        later = [rows[one] for one in answers[at + 1 :] if _can_be_one_file(works[one], works[key])]
        if _share(rows[key], written) >= MOST or any(_share(rows[key], one) == 1 for one in later):
            found.add(key)
    return found


def _can_be_one_file(one: _Work, other: _Work) -> bool:
    return one.path is None or other.path is None or one.path == other.path


def _share(rows: Rows, others: Rows) -> float:
    """The share of lines that the others have; 0 of none."""
    common = rows & others
    if all_telling := telling(rows):
        return telling(common) / all_telling
    return common.total() / rows.total() if rows else 0.0


def _rows(added: Iterable[_Addition]) -> Rows:
    return _together(rows_of(one.content[start:end]) for one in added for start, end in one.spans)


def _together(several: Iterable[Rows]) -> Rows:
    return sum(several, Counter[bytes]())
