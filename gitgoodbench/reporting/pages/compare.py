"""The data of the page that compares two runs: every pair of the runs shown, as `gitgoodbench compare` has it.

Episodes are named by their keys; what else there is to say of them is in the data of the overview.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import TypeAdapter

from gitgoodbench.comparing.compare import compare_runs
from gitgoodbench.comparing.matching import PlayedRun
from gitgoodbench.comparing.records import Comparison, Flip
from gitgoodbench.errors import UserError
from gitgoodbench.reporting.pages.shown import Shown
from gitgoodbench.reporting.why import reasons
from gitgoodbench.text import one_line

_REASON_WIDTH: Final = 160
_OF_PAIRS: Final = ("matching", "pairs", "efforts")


def compare_data(shown: Sequence[Shown]) -> dict[str, Any]:
    """By pair of runs (`0-1`, their numbers in the overview): figures, flips, efforts; and what manifests differ in.

    No pair where no two runs have an episode in common.
    """
    runs = [PlayedRun(each.name, each.run.folder, each.run.manifest, each.run.results, each.account) for each in shown]
    try:
        found = compare_runs(runs)
    except UserError:
        return {"pairs": {}}
    numbers = {each.name: number for number, each in enumerate(shown)}
    parts = TypeAdapter(Comparison).dump_python(found, mode="json")
    pairs: dict[str, dict[str, Any]] = {}
    for name in _OF_PAIRS:
        for line in parts[name]:
            pair = f"{numbers[line.pop('a')]}-{numbers[line.pop('b')]}"
            pairs.setdefault(pair, {"matching": [], "pairs": [], "efforts": [], "flips": []})[name].append(line)
    by_name = {run.name: (each, run) for each, run in zip(shown, runs, strict=True)}
    for flip in found.flips:
        pairs[f"{numbers[flip.a]}-{numbers[flip.b]}"]["flips"].append(_flip(flip, by_name))
    return {"pairs": pairs, "disagreements": [_by_number(one, numbers) for one in parts["disagreements"]]}


def _flip(flip: Flip, runs: Mapping[str, tuple[Shown, PlayedRun]]) -> list[str]:
    """Who solved it, the episode's key in A and in B, and why the other did not solve it."""
    key = (flip.scenario, flip.sample_id, flip.epoch)
    (shown_a, a), (shown_b, b) = runs[flip.a], runs[flip.b]
    of_a, of_b = a.by_key[key], b.by_key[key]
    why = next(iter(reasons(of_b if flip.solved_by == "a" else of_a)), "no reason is known")
    return [flip.solved_by, shown_a.key(of_a), shown_b.key(of_b), one_line(why, _REASON_WIDTH)]


def _by_number(disagreement: dict[str, Any], numbers: Mapping[str, int]) -> dict[str, Any]:
    values = {numbers[name]: value for name, value in disagreement["values"].items()}
    return disagreement | {"values": values}
