"""A comparison as tables and lines, for a terminal and for Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter

from gitgoodbench.comparing.matching import PlayedRun
from gitgoodbench.comparing.records import SOLVED, VERDICTS, Comparison, Flip, Pair
from gitgoodbench.reporting.comparison_cells import (
    LEVEL,
    amount,
    amount_with_ends,
    by_repository,
    labels_for,
    mean,
    p_value,
    points,
    ratio,
    whole,
    with_ends,
)
from gitgoodbench.reporting.layout import UNKNOWN, percent
from gitgoodbench.reporting.why import reasons
from gitgoodbench.runs.result import dump_json

_ALL: Final = "all scenarios"
_BEARING: Final = {
    "comparison": "the runs differ beyond what is compared, so that a difference may come from this:",
    "matching": "not all runs have the same episodes; of two runs, only those that both have are compared:",
    "seconds": "this bears on seconds alone:",
}
_REASON_WIDTH: Final = 120


@dataclass(frozen=True)
class Sheet:
    """A table. The first column names the row."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Lines:
    """A line, and lines that belong below it."""

    title: str
    lines: Sequence[str] = ()


Block = Sheet | Lines


def comparison_json(comparison: Comparison) -> bytes:
    """The whole comparison; `gitgoodbench schema compare` says what is in it."""
    return dump_json(TypeAdapter(Comparison).dump_python(comparison, mode="json"))


def blocks(
    comparison: Comparison, runs: Mapping[str, PlayedRun], *, flips: int | None, strata: bool | None
) -> Iterator[Block]:
    """What is printed, from top to bottom.

    Args:
        runs: by name; they say why an episode was not solved.
        flips: at most so many each way; None: five where two runs are compared, else none.
        strata: whether to show them; None: where two runs are compared.
    """
    page = _Page(comparison)
    alone = len(page.pairs_of_runs) == 1
    yield from page.heading()
    for scenario in page.scenarios:
        yield from page.verdicts(scenario)
        yield from page.scores(scenario)
    yield from page.efforts()
    if strata or (strata is None and alone):
        yield from page.strata()
    shown = flips if flips is not None else 5 if alone else 0
    if shown:
        yield from page.flips(runs, shown)
    yield from page.left_out()


class _Page:
    """The parts of what is printed, each made of the comparison alone."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._labels = labels_for(comparison.runs)
        self.pairs_of_runs = list(dict.fromkeys((pair.a, pair.b) for pair in comparison.pairs))
        self._alone = len(self.pairs_of_runs) == 1

    @property
    def scenarios(self) -> list[str | None]:
        """Those that are compared; None, for all of them, comes last."""
        return list(dict.fromkeys(sorted((p.scenario for p in self._comparison.pairs), key=lambda s: (s is None, s))))

    def _versus(self, a: str, b: str) -> str:
        return f"{self._labels[a]} vs {self._labels[b]}"

    def heading(self) -> Iterator[Block]:
        """What is compared, and what differs."""
        runs = self._comparison.runs
        first = f"A is {self._labels[runs[0].name]}, B is {self._labels[runs[1].name]}" if self._alone else "A vs B"
        yield Lines(
            f"{first}; differences are A less B, in percentage points",
            [f"{self._labels[run.name]}: {run.folder} ({run.results} of {run.planned} episodes)" for run in runs],
        )
        for bearing, title in _BEARING.items():
            found = [one for one in self._comparison.disagreements if one.bears_on == bearing]
            if found:
                yield Lines(f"warning: {title}", [f"{one.what}: {self._by_value(one.values)}" for one in found])
        alone = [
            f"{self._versus(line.a, line.b)}, {line.scenario}: {line.matched} in both; "
            f"{line.only_in_a} only in A, {line.only_in_b} only in B"
            for line in self._comparison.matching
            if line.only_in_a or line.only_in_b
        ]
        alone += [f"{self._versus(a, b)}: nothing in common" for a, b in self._comparison.unmatched]
        if alone:
            yield Lines("episodes that cannot be compared, because one run has no result of them:", alone)

    def _by_value(self, values: Mapping[str, str]) -> str:
        """`published (oracle, ours), extended (gpt-4o)`."""
        runs: dict[str, list[str]] = {}
        for run, value in values.items():
            runs.setdefault(value, []).append(self._labels[run])
        return "; ".join(f"{value} ({', '.join(labels)})" for value, labels in runs.items())

    def _pairs(self, scenario: str | None, scores: Iterable[str]) -> list[Pair]:
        return [pair for pair in self._comparison.pairs if pair.scenario == scenario and pair.score in scores]

    def verdicts(self, scenario: str | None) -> Iterator[Sheet]:
        """Solved, and the gates: a row for each pair of runs, or for each of the two where there is one pair."""
        groups = [VERDICTS] if self._alone else [(score,) for score in VERDICTS]
        for scores in groups:
            pairs = self._pairs(scenario, scores)
            if pairs:
                what = "verdicts" if self._alone else scores[0].replace("_", " ")
                yield Sheet(f"{scenario or _ALL}: {what} (p: McNemar's exact test)", *self._verdict_table(pairs))

    def _verdict_table(self, pairs: Sequence[Pair]) -> tuple[list[str], list[list[str]]]:
        headers = ["score" if self._alone else "A vs B", "n", "A", "B", "only A", "only B", "A - B [95 %]"]
        headers += ["by repository\n[95 %] (n)", "p"]
        headers += [] if self._alone else ["p\n(Holm)"]
        headers += ["more samples\nto show it", "difference\nthat n show"]
        rows = [
            [
                pair.score.replace("_", " ") if self._alone else self._versus(pair.a, pair.b),
                _count(pair), mean(pair, pair.mean_a), mean(pair, pair.mean_b), whole(pair.only_a), whole(pair.only_b),
                with_ends(pair.difference, pair.interval), by_repository(pair), p_value(pair.p_mcnemar),
                *([] if self._alone else [p_value(pair.p_holm)]),
                whole(pair.more_samples), _unsigned(pair.detectable),
            ]
            for pair in pairs
        ]  # fmt: skip
        return headers, rows

    def scores(self, scenario: str | None) -> Iterator[Sheet]:
        """Graded scores: a row for each where there is one pair of runs, else a column."""
        graded = [pair for pair in self._comparison.pairs if pair.scenario == scenario and pair.score not in VERDICTS]
        if not graded:
            return
        title = f"{scenario or _ALL}: mean scores"
        if self._alone:
            yield Sheet(f"{title} (p: Wilcoxon's signed-rank test)", *_score_table(graded))
        else:
            marked = f"A - B; * where p of Wilcoxon's signed-rank test (Holm) is below {LEVEL}"
            yield Sheet(f"{title}, {marked}", *self._score_matrix(graded))

    def _score_matrix(self, graded: Sequence[Pair]) -> tuple[list[str], list[list[str]]]:
        names = list(dict.fromkeys(pair.score for pair in graded))
        found = {(pair.a, pair.b, pair.score): pair for pair in graded}
        rows = [
            [self._versus(a, b), *(_marked(found.get((a, b, name))) for name in names)]
            for a, b in dict.fromkeys((pair.a, pair.b) for pair in graded)
        ]
        return ["A vs B", *(name.replace("_", "\n", 1).replace("_", " ") for name in names)], rows

    def efforts(self) -> Iterator[Sheet]:
        """Cost, tokens and time: by scenario where there is one pair of runs, else of all that each pair has."""
        found = self._comparison.efforts
        if not self._alone:
            widest = {(one.a, one.b): one.scenario for one in found}
            found = tuple(one for one in found if widest[one.a, one.b] == one.scenario)
        for scenario in self.scenarios if self._alone else [None]:
            own = [one for one in found if not self._alone or one.scenario == scenario]
            rows = [
                [
                    one.measure if self._alone else f"{self._versus(one.a, one.b)}: {one.measure}",
                    str(one.n), str(one.unknown), amount(one, one.total_a), amount(one, one.total_b),
                    amount_with_ends(one), ratio(one),
                ]
                for one in own
            ]  # fmt: skip
            headers = ["measure", "n", "unknown", "total A", "total B", "A - B, per episode [95 %]", "A / B [95 %]"]
            if rows:
                yield Sheet(f"{scenario or _ALL}: what the same answers took", headers, rows)

    def strata(self) -> Iterator[Sheet]:
        """Solved by difficulty, language and what else there is."""
        for pair in self._comparison.pairs:
            if pair.score != SOLVED or not pair.strata:
                continue
            versus = "" if self._alone else f", {self._versus(pair.a, pair.b)}"
            rows = [
                [
                    f"{stratum.dimension}: {stratum.value}", str(stratum.n),
                    percent(stratum.mean_a), percent(stratum.mean_b), whole(stratum.only_a), whole(stratum.only_b),
                    with_ends(stratum.difference, stratum.interval),
                ]
                for stratum in pair.strata
            ]  # fmt: skip
            headers = ["part", "n", "A", "B", "only A", "only B", "A - B [95 %]"]
            yield Sheet(f"{pair.scenario or _ALL}: solved, part by part{versus}", headers, rows)

    def flips(self, runs: Mapping[str, PlayedRun], shown: int) -> Iterator[Lines]:
        """What only one of two runs solved, with a reason why the other did not, and the command that tells more."""
        for a, b in self.pairs_of_runs:
            for side in ("a", "b"):
                solver, other = (a, b) if side == "a" else (b, a)
                found = [
                    flip for flip in self._comparison.flips if (flip.a, flip.b) == (a, b) and flip.solved_by == side
                ]
                if not found:
                    continue
                more = f"; {shown} of them (--flips {len(found)} shows all)" if len(found) > shown else ""
                title = f"only {self._labels[solver]} solved {len(found)} that {self._labels[other]} did not{more}:"
                yield Lines(title, [line for flip in found[:shown] for line in _explained(flip, runs[other])])

    def left_out(self) -> Iterator[Lines]:
        """Matched episodes that are in no figure of solved."""
        lines = [
            f"{self._versus(pair.a, pair.b)}, {pair.scenario}: {_counted(pair.left_out)}"
            for pair in self._comparison.pairs
            if pair.score == SOLVED and pair.scenario is not None and pair.left_out
        ]
        if lines:
            yield Lines("matched episodes that are in no figure of solved:", lines)


def _score_table(graded: Sequence[Pair]) -> tuple[list[str], list[list[str]]]:
    headers = ["score", "n", "no value", "A", "B", "A - B [95 %]", "by repository\n[95 %] (n)", "p"]
    headers += ["more samples\nto show it", "difference\nthat n show"]
    rows = [
        [
            pair.score.replace("_", " "), _count(pair), str(_without_value(pair)),
            percent(pair.mean_a), percent(pair.mean_b), with_ends(pair.difference, pair.interval), by_repository(pair),
            p_value(pair.p_wilcoxon), whole(pair.more_samples), _unsigned(pair.detectable),
        ]
        for pair in graded
    ]  # fmt: skip
    return headers, rows


def _count(pair: Pair) -> str:
    """Episodes; and of how many samples they are, where these are fewer."""
    return str(pair.n) if pair.n == pair.samples else f"{pair.n} ({pair.samples})"


def _without_value(pair: Pair) -> int:
    return sum(count for reason, count in pair.left_out.items() if reason.endswith("no value"))


def _marked(pair: Pair | None) -> str:
    if pair is None or pair.difference is None:
        return UNKNOWN
    return points(pair.difference) + (" *" if pair.p_holm is not None and pair.p_holm < LEVEL else "")


def _unsigned(value: float | None) -> str:
    return UNKNOWN if value is None else f"{100 * value:.1f}"


def _explained(flip: Flip, other: PlayedRun) -> Iterator[str]:
    result = other.by_key[flip.scenario, flip.sample_id, flip.epoch]
    why = next(iter(reasons(result)), "no reason is known")
    yield f"{flip.episode} ({flip.difficulty}, {flip.language}): {why[:_REASON_WIDTH]}"
    yield f"  {flip.show_b if flip.solved_by == 'a' else flip.show_a}"


def _counted(reasons_of: Mapping[str, int]) -> str:
    words = Counter[str]()
    for reason, count in reasons_of.items():
        side, _, what = reason.partition(": ")
        words[f"{what} in {side.upper()}"] += count
    return ", ".join(f"{count} {word}" for word, count in words.items())
