"""Which episodes become rows, and which two make a preference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gitgoodbench.errors import UserError
from gitgoodbench.trajectories.rows import Row, digest

REWARD: Final = "reward"


@dataclass(frozen=True)
class Choice:
    """What is asked of rows.

    solved: only solved ones. least: scores (or `reward`) and what they must reach; an unknown score reaches nothing.
    scenarios: only these; empty for all. max_tokens: of the whole conversation. best: the best of each sample alone.
    most: at most so many of each sample, the best first. by: the score by which one is better.
    """

    solved: bool = False
    least: Mapping[str, float] = field(default_factory=dict)
    scenarios: frozenset[str] = frozenset()
    max_tokens: int | None = None
    best: bool = False
    most: int | None = None
    by: str = REWARD


@dataclass(frozen=True)
class Pair:
    """Two attempts at the same sample, of which one is better."""

    better: Row
    worse: Row
    by: str

    @property
    def gap(self) -> float:
        """By how much."""
        return (self.better.value(self.by) or 0.0) - (self.worse.value(self.by) or 0.0)

    def metadata(self) -> dict[str, Any]:
        """Everything but what was said."""
        return {"by": self.by, "gap": self.gap, "better": self.better.metadata(), "worse": self.worse.metadata()}


def check_choice(choice: Choice, rows: Sequence[Row]) -> None:
    """Refuse what no row can have.

    Raises:
        UserError: a score or a scenario that is in none of the rows.
    """
    scores = {name for row in rows for name in row.scores} | {REWARD}
    for name in (*choice.least, choice.by):
        if rows and name not in scores:
            raise UserError(f"no episode has a score {name!r}; there are: {', '.join(sorted(scores))}")
    scenarios = {row.scenario for row in rows}
    for name in sorted(choice.scenarios):
        if rows and name not in scenarios:
            raise UserError(f"--scenario {name}: no episode is of it; there are: {', '.join(sorted(scenarios))}")


def fitting(rows: Iterable[Row], choice: Choice) -> list[Row]:
    """The rows that are asked for by themselves, in their order."""
    return [row for row in rows if _fits(row, choice)]


def best_of_samples(rows: Iterable[Row], choice: Choice) -> list[Row]:
    """Of each sample the best ones, the earlier of equals, in the order of the rows; all where no number is asked."""
    kept = list(rows)
    most = 1 if choice.best else choice.most
    if most is None:
        return kept
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in kept:
        groups.setdefault(row.group, []).append(row)
    best = {row.id for group in groups.values() for row in _ranked(group, choice.by)[:most]}
    return [row for row in kept if row.id in best]


def pairs(rows: Iterable[Row], by: str = REWARD, *, gap: float = 0.0, most: int | None = None) -> Iterator[Pair]:
    """Better and worse attempts at the same sample with the same prompt and tools.

    The best is paired with the worst, the second best with the second worst, and so on, so no row is in two pairs.

    Args:
        by: the score that says which is better; rows without it are in no pair.
        gap: the least difference; equal ones are never a pair.
        most: at most so many pairs of a sample.
    """
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        if row.value(by) is not None:
            groups.setdefault((*row.group, digest([row.messages[: row.start], row.tools])), []).append(row)
    for group in groups.values():
        ranked = _ranked(group, by)
        made = 0
        for better, worse in zip(ranked[: len(ranked) // 2], reversed(ranked), strict=False):
            pair = Pair(better, worse, by)
            if pair.gap > 0 and pair.gap >= gap and (most is None or made < most):
                made += 1
                yield pair


def _fits(row: Row, choice: Choice) -> bool:
    if choice.solved and not row.solved:
        return False
    if choice.scenarios and row.scenario not in choice.scenarios:
        return False
    if choice.max_tokens is not None and row.tokens > choice.max_tokens:
        return False
    return all((value := row.value(name)) is not None and value >= least for name, least in choice.least.items())


def _ranked(rows: Sequence[Row], by: str) -> list[Row]:
    """The best first; of equals the shorter, then the earlier."""

    def rank(row: Row) -> tuple[float, int]:
        value = row.value(by)
        return -(float("-inf") if value is None else value), row.tokens

    return sorted(rows, key=rank)
