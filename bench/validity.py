"""What can be reached without a model: the tables of docs/validity.md, from runs of the reference agents.

    gitgoodbench eval DATASET --scenario mcr --agent ours --agent theirs ... --run-id all
    python -m bench.validity results/all-*

Only samples that every run has an answer for are counted, so that all rows of a table have the same denominator.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from gitgoodbench.reporting.published import published_figures
from gitgoodbench.reporting.summary import read_run
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Result
from gitgoodbench.scoring.statistics import Proportion

RULES: Final = ("ours", "theirs", "union", "union-reverse")
AGENTS: Final = (*RULES, "tool-oracle", "oracle")
DIFFICULTIES: Final = ("easy", "medium", "hard")

Samples = Mapping[str, Mapping[str, Result]]
"""Results of merges: sample -> agent -> result."""


def read_samples(folders: Sequence[Path]) -> tuple[dict[str, dict[str, Result]], int]:
    """Merges with an answer of every agent, and how many others there are."""
    found: dict[str, dict[str, Result]] = {}
    for folder in folders:
        for result in read_run(RunPaths(folder))[1]:
            if result.scenario == "mcr":
                found.setdefault(result.sample_id, {})[result.agent] = result
    whole = {
        sample: results
        for sample, results in found.items()
        if all(agent in results and results[agent].status.is_answer for agent in AGENTS)
    }
    return whole, len(found) - len(whole)


def solved(agent: str) -> Callable[[Mapping[str, Result]], bool]:
    return lambda results: results[agent].solved is True


def best_of_rules(results: Mapping[str, Result]) -> bool:
    """Whether any of the rules solves it: what a perfect choice among them would reach."""
    return any(results[rule].solved for rule in RULES)


ROWS: Final[Mapping[str, Callable[[Mapping[str, Result]], bool]]] = {
    "attainable": lambda results: results["oracle"].attainable is True,
    **{f"`{rule}`": solved(rule) for rule in RULES},
    "best of the four": best_of_rules,
    "`tool-oracle`": solved("tool-oracle"),
    "`oracle`": solved("oracle"),
}


def columns(samples: Samples) -> Iterator[tuple[str, Samples]]:
    """All samples, then those of each difficulty, then those of each language."""
    yield "all", samples
    for difficulty in DIFFICULTIES:
        yield difficulty, _those(samples, "difficulty", difficulty)
    for language in _values(samples, "language"):
        yield language, _those(samples, "language", language)


def _values(samples: Samples, field: str) -> list[str]:
    return sorted({getattr(results["oracle"], field) for results in samples.values()})


def _those(samples: Samples, field: str, value: str) -> Samples:
    """The samples in whose results a field has this value."""
    return {sample: results for sample, results in samples.items() if getattr(results["oracle"], field) == value}


def solve_table(samples: Samples) -> Iterator[str]:
    """Rows of samples solved, by difficulty and language."""
    parts = dict(columns(samples))
    yield "| | " + " | ".join(f"{name} ({len(part)})" for name, part in parts.items()) + " |"
    yield "|---" * (len(parts) + 1) + "|"
    for name, holds in ROWS.items():
        shares = [Proportion(sum(map(holds, part.values())), len(part)) for part in parts.values()]
        yield f"| {name} | " + " | ".join(map(_cell, shares)) + " |"


def _cell(share: Proportion) -> str:
    if share.rate is None or share.interval is None:
        return "-"
    low, high = (100 * bound for bound in share.interval)
    return f"{share.hits} = {100 * share.rate:.1f} % ({low:.0f}–{high:.0f})"


def repository_table(samples: Samples) -> Iterator[str]:
    """The same, by repository, in percent."""
    yield "| repository | merges | attainable | " + " | ".join(f"`{rule}`" for rule in RULES) + " | best of the four |"
    yield "|---" * (len(RULES) + 4) + "|"
    for name in _values(samples, "name"):
        part = _those(samples, "name", name)
        rates = [sum(map(ROWS[row], part.values())) / len(part) for row in list(ROWS)[: len(RULES) + 2]]
        yield f"| {name} | {len(part)} | " + " | ".join(f"{100 * rate:.0f} %" for rate in rates) + " |"


def published_table() -> Iterator[str]:
    """What has been published of merges: all rows, by difficulty, by language."""
    yield "| | rows | solved | easy | medium | hard | java | kotlin | python |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for figure in published_figures({"mcr"}):
        parts = {**figure.breakdown.get("difficulty", {}), **figure.breakdown.get("language", {})}
        cells = [
            "{} of {}".format(*parts[name]) if name in parts else ""
            for name in (*DIFFICULTIES, "java", "kotlin", "python")
        ]
        yield (
            f"| {figure.label} ({figure.corpus}) | {figure.rows} | {100 * figure.solve_rate:.1f} % | "
            + " | ".join(cells)
            + " |"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs of the reference agents")
    samples, others = read_samples(parser.parse_args().runs)
    if not samples:
        print(f"no merge has an answer of each of {', '.join(AGENTS)}", file=sys.stderr)
        return 2
    print(f"{len(samples)} merges; {others} without an answer of every agent are left out\n")
    for table in (solve_table(samples), repository_table(samples), published_table()):
        print("\n".join(table), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
