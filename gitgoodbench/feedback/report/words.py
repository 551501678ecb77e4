"""Figures in words: the same in a terminal and on a page."""

from __future__ import annotations

from typing import Final

from gitgoodbench.feedback.report.compare import WORTH_SEEING, Difference
from gitgoodbench.feedback.report.groups import Group
from gitgoodbench.feedback.report.statistics import FEWEST, SAMPLES, Correlation, Mean
from gitgoodbench.feedback.report.usage import Amount

UNKNOWN: Final = "-"

OBSERVATIONAL: Final = (
    "observational, not randomised: who got which task was no lot, so groups may differ for other reasons than their "
    "assistant or model"
)
INTERVALS: Final = (
    f"means over edits; in brackets 95 % intervals, for which commits are drawn anew {SAMPLES:,} times (bootstrap, "
    f"fixed seed; none under {FEWEST} commits)"
)
SELF_COMMITTED: Final = (
    "what an assistant committed by itself scores near 1 by construction: it stands apart, and is never compared"
)

HEADERS: Final = (
    "edits", "scored", "super-\nseded", "not\napplied", "indirect", "pending", "sessions", "commits",
    "reward", "kept", "normalised", "standing", "tokens per\nkept node", "US$ per\nkept node", "seconds per\nkept node",
)  # fmt: skip
"""Of the columns of a group, after its name."""


def headers(by: str, days: int) -> list[str]:
    """The columns of a table of groups."""
    return [by, *(f"standing after\n{days} days" if name == "standing" else name for name in HEADERS)]


def cells(group: Group) -> list[str]:
    """A group's figures, as the headers say."""
    counts = (
        group.edits, group.scored, group.superseded, group.not_applied, group.indirect, group.pending,
        group.sessions, group.commits,
    )  # fmt: skip
    means = (group.reward, group.kept, group.normalised, group.survival)
    per = group.per_node
    amounts = (Amount(), Amount(), Amount()) if per is None else (per.tokens, per.cost, per.latency)
    name = group.name if group.committed_by is None else f"{group.name} (committed by {group.committed_by})"
    return [name, *map(str, counts), *map(mean, means), *map(amount, amounts)]


def mean(figure: Mean) -> str:
    """`0.82 [0.71, 0.90]`."""
    if figure.value is None:
        return UNKNOWN
    if figure.low is None or figure.high is None:
        return f"{figure.value:.2f}"
    return f"{figure.value:.2f} [{figure.low:.2f}, {figure.high:.2f}]"


def amount(figure: Amount) -> str:
    """`1.4`, `≥ 1.4` where a part of it is not known, `unknown` where nothing is."""
    if figure.value is None:
        return "unknown"
    return f"{'' if figure.complete else '≥ '}{figure.value:.3g}"


def correlation(found: Correlation) -> str:
    """`reward and size in nodes: -0.31 (48 edits)`."""
    rho = UNKNOWN if found.rho is None else f"{found.rho:+.2f}"
    return f"{found.first} and {found.second}: {rho} ({found.edits} edit{'' if found.edits == 1 else 's'})"


def verdict(found: Difference) -> str:
    """Whether a difference is one, in a sentence."""
    pair = f"{found.first} and {found.second}"
    if found.refused is not None or found.value is None:
        return f"{pair}: not compared: {found.refused}"
    higher, lower = (found.first, found.second) if found.value > 0 else (found.second, found.first)
    if found.is_one:
        return f"{pair}: a difference: {higher} is {abs(found.value):.2f} above {lower}"
    if not found.more_commits:
        return f"{pair}: no difference seen; there are commits enough to see one of {WORTH_SEEING} (in 4 cases of 5)"
    more = f"{found.more_commits:,} more commit{'' if found.more_commits == 1 else 's'}"
    return f"{pair}: no difference seen; {more} would be needed to see one of {WORTH_SEEING} (in 4 cases of 5)"


def comparison_cells(found: Difference) -> list[str]:
    """The figures of a comparison, as `COMPARISON_HEADERS` says."""
    value = UNKNOWN if found.value is None else f"{found.value:+.2f} [{found.low:+.2f}, {found.high:+.2f}]"
    p = UNKNOWN if found.p is None else f"{found.p:.2g}{'' if found.exact else ' (by lot)'}"
    return [
        f"{found.first} - {found.second}",
        mean(found.of_first), str(found.of_first.commits), mean(found.of_second), str(found.of_second.commits),
        value, p,
        UNKNOWN if found.adjusted is None else f"{found.adjusted:.2g}",
        UNKNOWN if found.delta is None else f"{found.delta:+.2f}",
    ]  # fmt: skip


COMPARISON_HEADERS: Final = (
    "A - B", "A", "commits\nof A", "B", "commits\nof B", "difference", "p", "p, adjusted\n(Holm)", "Cliff's\ndelta",
)  # fmt: skip

METHOD: Final = (
    "interval: commits drawn anew (bootstrap); p: commits dealt out anew between the groups (permutation test); "
    "commits needed: from the bootstrap's standard error, for a power of 80 % at the level of 5 %"
)
