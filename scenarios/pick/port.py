"""How like the change that an agent made is to the real one, whatever files look like before it.

A pick carries a change over, so changes are compared, not files: HEAD^..HEAD with the real commit's. With A and T the
multisets of changed lines (each with its path and whether it was removed or added; modes, and files that have no
lines, count as one):

    port_lines      = |A and T| / |A or T|, the Jaccard index of the multisets; 1 where both are empty
    port_ted        = how much of what either adds is in what the other adds, by syntax trees (see `similarity_history`)
    s               = the mean of both; the first alone where nothing that is added can be parsed
    port_similarity = (s - s0) / (1 - s0), but at least 0: what was gained over s0, the s of the untouched pick, with
                      its conflict markers as Git leaves them
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.process import Git
from gitgoodbench.jsontypes import Json
from gitgoodbench.scoring.history_lines import LineHistory, LineReader, changed_lines
from gitgoodbench.scoring.similarity_history import history_similarity
from gitgoodbench.scoring.similarity_trees import TooMuch

SCORES: Final = ("port_similarity", "port_lines", "port_ted")


@dataclass(frozen=True)
class Port:
    """scores: a value for each of `SCORES`, None where it is too much to compare. facts: `port_untouched`, the s0."""

    scores: Mapping[str, float | None]
    facts: Mapping[str, Json]


def port_scores(git: Git, onto: str, head: str, truth: str, untouched: str) -> Port:
    """Compare changes of `onto`: to the agent's commit, to the real one, and to the tree of the untouched pick."""
    reader = LineReader(git)
    try:
        made, wanted, left = (reader.read(onto, [name]) for name in (head, truth, untouched))
    except GitGoodBenchError:  # too large, or objects are missing
        return Port(dict.fromkeys(SCORES), {"port_untouched": None})
    lines, ted = _lines(made, wanted), _ted(made, wanted)
    alike, before = _mean(lines, ted), _mean(_lines(left, wanted), _ted(left, wanted))
    gain = (alike - before) / (1 - before) if before < 1 else float(alike == 1)
    scores = {"port_similarity": max(0.0, gain), "port_lines": lines, "port_ted": ted}
    return Port(scores, {"port_untouched": before})


def _lines(one: LineHistory, other: LineHistory) -> float:
    return jaccard(changed_lines(one.commits[0]), changed_lines(other.commits[0]))


def jaccard(one: Counter[object], other: Counter[object]) -> float:
    """Of two multisets; 1 where both are empty."""
    union = (one | other).total()
    return (one & other).total() / union if union else 1.0


def _ted(one: LineHistory, other: LineHistory) -> float | None:
    try:
        return history_similarity(one, other)
    except TooMuch:
        return None


def _mean(lines: float, ted: float | None) -> float:
    return lines if ted is None else (lines + ted) / 2
