"""Rows that say the same: the same sample and the same calls, and near duplicates by MinHash (datasketch)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gitgoodbench.errors import UserError
from gitgoodbench.trajectories.rows import Row, digest

_PERMUTATIONS: Final = 128
_SHINGLE: Final = 5
"""Words of a shingle."""


@dataclass(frozen=True)
class Distinct:
    """rows: without duplicates, in their order; of equal ones the one with the greatest reward, then the earlier.
    same, near: how many were left out because they are the same, or nearly so."""

    rows: tuple[Row, ...]
    same: int
    near: int


def distinct(rows: Sequence[Row], *, likeness: float | None = 0.9) -> Distinct:
    """Leave out duplicates.

    Args:
        likeness: the Jaccard index of the words that the model wrote (shingles of five), as MinHash estimates it, from
            which two attempts at one sample are near duplicates; None to look for equal ones alone.

    Raises:
        UserError: datasketch is not installed.
    """
    ranked = sorted(range(len(rows)), key=lambda at: (-rows[at].reward, at))
    first: dict[str, int] = {}
    for at in ranked:
        first.setdefault(digest([*rows[at].group, list(_said(rows[at]))]), at)
    unique = sorted(first.values())
    kept = unique if likeness is None else sorted(_unlike(rows, first.values(), likeness))
    return Distinct(tuple(rows[at] for at in kept), len(rows) - len(unique), len(unique) - len(kept))


def _said(row: Row) -> Iterator[Any]:
    """The model's calls, and its text where it made none; ids of calls are by chance."""
    for message in row.messages:
        if message["role"] != "assistant":
            continue
        calls = message.get("tool_calls") or ()
        for call in calls:
            yield call["function"]["name"], _arguments(call["function"]["arguments"])
        if not calls:
            yield message.get("content")


def _arguments(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _unlike(rows: Sequence[Row], candidates: Iterable[int], likeness: float) -> Iterator[int]:
    """Of candidates, the better ones first, those that are not nearly one that was given already.

    Sample by sample, so that the sketches of one are forgotten before the next.
    """
    try:
        from datasketch import MinHash, MinHashLSH
    except ImportError as problem:
        raise UserError(
            "near duplicates are found by datasketch, which is not installed: run "
            "`pip install 'gitgoodbench[trajectories]'`, or give --near-duplicates 1"
        ) from problem
    bands = MinHashLSH(threshold=likeness, num_perm=_PERMUTATIONS)  # finding the best ones takes a tenth of a second
    groups: dict[tuple[str, str], list[int]] = {}
    for at in candidates:
        groups.setdefault(rows[at].group, []).append(at)
    for group in groups.values():
        index = MinHashLSH(num_perm=_PERMUTATIONS, params=(bands.b, bands.r))
        sketches: dict[int, Any] = {}
        for at in group:
            sketch = MinHash(num_perm=_PERMUTATIONS, seed=1)
            sketch.update_batch(_shingles(rows[at]))
            if any(sketch.jaccard(sketches[other]) >= likeness for other in index.query(sketch)):
                continue
            index.insert(at, sketch)
            sketches[at] = sketch
            yield at


def _shingles(row: Row) -> list[bytes]:
    words = json.dumps(list(_said(row)), ensure_ascii=False).split()
    return [
        " ".join(words[at : at + _SHINGLE]).encode("utf-8", "surrogatepass")
        for at in range(max(1, len(words) - _SHINGLE + 1))
    ]
