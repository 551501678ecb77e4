"""Outcomes of at most 100 kB that are made to be expensive: what does each cost the harness?

    python bench/hostile.py [--only NAME ...] [--scenario NAME ...]

Each outcome is scored in the processes that a run scores in, and its history is rendered as for a judge, in every
scenario that it applies to. Prints a Markdown table: how it ended, seconds, and the most memory that all processes
together took beyond what they take at rest (polled; shared pages count once). Exits with 1 when one passes a limit
(docs/security.md), or ends in anything but a verdict or the agent's failure.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitgoodbench.contained.scenario import contained
from gitgoodbench.errors import AgentFailed
from gitgoodbench.limits import LIMITS, MIB
from gitgoodbench.scenario import JudgedScenario, Outcome, Scenario, load_scenarios

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support import chains, merges, rebases
from tests.support.hostile_outcomes import HISTORIES, TREES, Trees, in_a_chain, in_a_merge

MOST_BYTES = 100_000
POLL_S = 0.02
MOST_MEMORY = LIMITS.memory + 2 * LIMITS.git_memory + LIMITS.parser_memory
"""A process that reads, its parser, and two of Git at a time."""

BASE = {b"a.py": b"def f(a):\n    return a\n\n\ndef g(b):\n    return f(b)\n"}
STEPS = [
    {b"a.py": b"def f(a):\n    return a + %d\n\n\ndef g(b):\n    return f(b)\n" % number} for number in range(1, 4)
]  # fmt: skip


@dataclass(frozen=True)
class Target:
    """A sample under a scenario, and how a hostile outcome is made for it."""

    scenario: Scenario
    case: Any
    of_trees: Callable[[Trees], Outcome]
    parents: tuple[str, ...]

    def outcomes(self) -> Iterator[tuple[str, Callable[[], Outcome]]]:
        for name, trees in TREES.items():
            yield name, lambda trees=trees: self.of_trees(trees)  # type: ignore[misc]
        for name, made in HISTORIES.items():
            yield name, lambda made=made: made(self.case.git, self.parents)  # type: ignore[misc]


class Peak:
    """The most memory that all processes below this one take at a time, and the largest one."""

    def __init__(self) -> None:
        self.together = self.largest = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peak:
        self._rest = sum(memory_below(os.getpid()))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(POLL_S):
            taken = memory_below(os.getpid())
            self.together = max(self.together, sum(taken) - self._rest)
            self.largest = max(self.largest, *taken)


def memory_below(process: int) -> list[int]:
    """Bytes of a process and of each below it; of shared pages each has its share."""
    found, waiting = [], [process]
    while waiting:
        current = waiting.pop()
        try:
            for thread in Path(f"/proc/{current}/task").iterdir():
                waiting += map(int, (thread / "children").read_text().split())
            lines = Path(f"/proc/{current}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        found.append(next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0))
    return found


def targets(folder: Path, wanted: list[str] | None) -> Iterator[Target]:
    scenarios = load_scenarios()
    merge = merges.make_merge(folder / "mcr.git", BASE, STEPS[0], STEPS[1], STEPS[2])
    rebase = rebases.make_chain(folder / "ir.git", BASE, *STEPS)
    chain = chains.make_chain(folder / "icc.git", [BASE, *STEPS])
    sides = (merge.local, merge.incoming)
    every = (
        Target(scenarios["mcr"], merge, lambda trees: in_a_merge(merge.git, *sides, trees), sides),
        Target(
            scenarios["ir"],
            rebase,
            lambda trees: in_a_chain(rebase.git, rebase.commits[-1], trees),
            rebase.commits[-1:],
        ),
        Target(scenarios["icc"], chain, lambda trees: in_a_chain(chain.git, chain.base, trees), (chain.base,)),
    )
    return (target for target in every if wanted is None or target.scenario.name in wanted)


def try_outcome(target: Target, outcome: Outcome) -> tuple[str, float, Peak]:
    scenario: Any = contained(target.scenario)
    began = time.monotonic()
    with Peak() as peak:
        try:
            verdict = scenario.score(target.case.sample, target.case.store, outcome)
            ended = verdict.limit or verdict.problem or "scored"
            if isinstance(scenario, JudgedScenario) and verdict.problem is None:
                pair = scenario.histories(target.case.sample, target.case.store, outcome)
                ended += ", no history" if pair is None else ", shown"
        except AgentFailed as problem:
            ended = str(problem)
        except Exception as problem:
            ended = f"BROKEN: {type(problem).__name__}: {str(problem).strip().splitlines()[-1]}"
    return ended, time.monotonic() - began, peak


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", help="outcomes to try; all without it")
    parser.add_argument("--scenario", action="append")
    chosen = parser.parse_args()
    broken = 0
    print("| scenario | outcome | bytes | ended | s | MiB together | MiB largest |\n|---|---|---:|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for target in targets(Path(folder), chosen.scenario):
            noop = Outcome(target.parents[0], None, {})
            try_outcome(target, noop)  # the server is loaded
            for name, made in target.outcomes():
                if chosen.only is not None and name not in chosen.only:
                    continue
                outcome = made()
                size = len(outcome.bundle or b"")
                ended, seconds, peak = try_outcome(target, outcome)
                passed = ended.startswith("BROKEN") or size > MOST_BYTES
                passed = passed or seconds > 2 * LIMITS.wall_s or peak.together > MOST_MEMORY
                broken += passed
                row = (
                    target.scenario.name,
                    name,
                    size,
                    ended[:90],
                    f"{seconds:.1f}",
                    peak.together // MIB,
                    peak.largest // MIB,
                )
                print("|", " | ".join(map(str, row)), "|" + (" **passes a limit**" if passed else ""), flush=True)
    print(f"\n{broken} pass a limit" if broken else "\nnone passes a limit")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
