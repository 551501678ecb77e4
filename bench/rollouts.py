"""Rollouts at once, as a trainer asks for them: `python bench/rollouts.py [COUNT] [--minutes M] [--sandbox local]`.

COUNT scripted rollouts (64 without) are under way at any time, in groups of 8 of one sample; each is played to its end
and scored, and another takes its place. Tells episodes per minute, how long opening, calls and scoring take, memory
(PSS of all processes, as bench/sessions.py), and what is there before and after: processes, folders, descriptors,
containers. A scripted model answers at once, so all time is the harness's; with answers that take S seconds a turn
(--thinking S), the share of a rollout's time that is not spent in the model is told, too.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from dataclasses import dataclass, field
from pathlib import Path

from sessions import memory, watching

from gitgoodbench import Bench, Task
from tests.support.leftovers import leftovers

GROUP = 8
ANSWER = ("resolve_current_merge_conflict_with", {"content": "resolved\n"})


@dataclass
class Spent:
    """Seconds of all rollouts together, by what they went to."""

    seconds: dict[str, float] = field(default_factory=dict)
    episodes: int = 0
    heads: dict[str, set[str | None]] = field(default_factory=dict)

    def since(self, what: str, start: float) -> float:
        now = time.perf_counter()
        self.seconds[what] = self.seconds.get(what, 0.0) + now - start
        return now


async def rollout(bench: Bench, task: Task, seed: int, thinking: float, spent: Spent) -> None:
    now = time.perf_counter()
    async with bench.aopen(task, seed) as session:
        now = spent.since("opening, and waiting for a place", now)
        while not session.finished:
            await asyncio.sleep(thinking)
            now = spent.since("the model", now)
            result = await session.acall(*ANSWER)
            now = spent.since("calls", now)
            if result.is_error:
                break
        outcome = await session.afinish()
        now = spent.since("calls", now)
    now = spent.since("closing", now)
    await bench.ascore(task, outcome)
    spent.since("scoring", now)
    spent.heads.setdefault(task.id, set()).add(outcome.head)
    spent.episodes += 1


async def play(bench: Bench, count: int, minutes: float, thinking: float, spent: Spent) -> None:
    """Groups of one sample, one after the other, `count` rollouts at once; one round each where minutes is 0."""
    until = time.monotonic() + minutes * 60
    numbers = iter(range(10**9))

    async def worker() -> None:
        while True:
            number = next(numbers)
            task = bench.tasks[number // GROUP % len(bench.tasks)]
            await rollout(bench, task, number, thinking, spent)
            if time.monotonic() >= until:
                return

    await asyncio.gather(*(worker() for _ in range(count)))


def standing() -> str:
    """What this process has: descriptors, processes, memory; and what lies in the folders of sandboxes."""
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    return f"{descriptors} descriptors, {len(leftovers())} leftovers, {memory()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=64)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--thinking", type=float, default=0.0)
    parser.add_argument("--sandbox", default="local")
    chosen = parser.parse_args()
    spent = Spent()
    with Bench("mini", scenario="mcr", sandbox=chosen.sandbox, offline=True, max_open=chosen.count) as bench:
        bench.warm_up()
        asyncio.run(play(bench, 2, 0, 0, Spent()))
        print(f"before: {standing()}")
        start = time.perf_counter()
        with watching() as seen:
            asyncio.run(play(bench, chosen.count, chosen.minutes, chosen.thinking, spent))
        seconds = time.perf_counter() - start
        print(f"after:  {standing()}")
        print(f"most:   {max(seen)}")
    print(f"{spent.episodes} episodes in {seconds:.0f} s: {spent.episodes * 60 / seconds:.0f} a minute")
    total = sum(spent.seconds.values())
    for what, part in sorted(spent.seconds.items(), key=lambda item: -item[1]):
        print(f"{100 * part / total:5.1f} %  {part / spent.episodes * 1000:7.0f} ms an episode  {what}")
    several = [task for task, heads in spent.heads.items() if len(heads) > 1]
    print(f"samples: {len(spent.heads)}; with several commits from the same answers: {len(several)}")


if __name__ == "__main__":
    main()
