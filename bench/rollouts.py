"""Rollouts at once, as a trainer asks for them: `python bench/rollouts.py [COUNT] [--minutes M] [--sandbox local]`.

COUNT scripted rollouts (64 without) are under way at any time, in groups of 8 of one sample; each is played to its end
and scored, and another takes its place: in a session of its own, or (--reset) in the same one, as the server of OpenEnv
does. Tells episodes per minute, how long opening, resets, calls and scoring take, memory (PSS of all processes, as
bench/sessions.py), and what is there before, after each minute and in the end: descriptors, processes, folders,
containers. A scripted model answers at once, so all time is the harness's; with answers that take S seconds a turn
(--thinking S), the share of a rollout's time that is not spent in the model is told, too. `--resets N` does nothing
else than to play COUNT sessions to their end and reset all of them at the same moment, N times over.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sessions import memory, watching

from gitgoodbench import Bench, Session, Task
from gitgoodbench.owner import LABEL
from tests.support.leftovers import leftovers

GROUP = 8
ANSWER = ("resolve_current_merge_conflict_with", {"content": "resolved\n"})


@dataclass
class Spent:
    """Seconds of all rollouts, by what they went to."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    episodes: int = 0
    heads: dict[str, set[str | None]] = field(default_factory=dict)

    def since(self, what: str, start: float) -> float:
        now = time.perf_counter()
        self.seconds.setdefault(what, []).append(now - start)
        return now


async def rollout(bench: Bench, session: Session, task: Task, thinking: float, spent: Spent) -> None:
    now = time.perf_counter()
    while not session.finished:
        await asyncio.sleep(thinking)
        now = spent.since("the model", now)
        result = await session.acall(*ANSWER)
        now = spent.since("calls", now)
        if result.is_error:
            break
    outcome = await session.afinish()
    now = spent.since("outcome", now)
    await bench.ascore(task, outcome)
    spent.since("scoring", now)
    spent.heads.setdefault(task.id, set()).add(outcome.head)
    spent.episodes += 1


async def play(bench: Bench, count: int, minutes: float, thinking: float, spent: Spent, *, reset: bool = False) -> None:
    """Groups of one sample, one after the other, `count` rollouts at once; one round each where minutes is 0."""
    until = time.monotonic() + minutes * 60
    numbers = iter(range(10**9))

    async def worker() -> None:
        session: Session | None = None
        while session is None or time.monotonic() < until:
            number = next(numbers)
            task = bench.tasks[number // GROUP % len(bench.tasks)]
            now = time.perf_counter()
            if session is None:
                session = await bench.aopen(task, number)
                spent.since("opening", now)
            else:
                await bench.areset(session, task, number)
                spent.since("reset", now)
            await rollout(bench, session, task, thinking, spent)
            if not reset:
                now = time.perf_counter()
                await session.aclose()
                spent.since("closing", now)
                session = None if time.monotonic() < until else session
        await session.aclose()

    await asyncio.gather(*(worker() for _ in range(count)))


async def resets(bench: Bench, count: int, rounds: int, spent: Spent) -> None:
    """Of sessions that were played; groups of one sample."""

    async def played(session: Session) -> None:
        while not session.finished and not (await session.acall(*ANSWER)).is_error:
            pass
        spent.episodes += 1

    async def reset(session: Session, task: Task, number: int) -> None:
        now = time.perf_counter()
        await bench.areset(session, task, number)
        spent.since("reset" if task in known else "reset to a new sample", now)

    tasks = [bench.tasks[number // GROUP % len(bench.tasks)] for number in range(count)]
    known = list(tasks)
    sessions = [await bench.aopen(task) for task in tasks]
    for number in range(rounds):
        await asyncio.gather(*map(played, sessions))
        moved = tasks if count > 1 else [bench.tasks[number // GROUP % len(bench.tasks)]]
        await asyncio.gather(*(reset(session, task, number) for session, task in zip(sessions, moved, strict=True)))
        known += moved
    await asyncio.gather(*(session.aclose() for session in sessions))


def standing(bench: Bench) -> str:
    """What this process has: descriptors, folders, children, memory; and the containers of the bench."""
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    kinds = Counter(re.sub(r".*gitgoodbench-(\w+)-.*|\W*(\w+)\W\d+.*", r"\1\2", left) for left in leftovers())
    listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    containers = ["docker", "ps", "--all", "--quiet", "--filter", f"label={LABEL}.run={bench._id}"]
    if bench._provider.kind == "docker":
        listed += f", {len(subprocess.run(containers, capture_output=True, check=True).stdout.split())} containers"
    return f"{descriptors} descriptors; {listed}; {memory()}"


@contextmanager
def told_each_minute(bench: Bench, spent: Spent) -> Iterator[None]:
    done = threading.Event()

    def tell() -> None:
        minute = 0
        while not done.wait(60):
            minute += 1
            print(f"minute {minute}: {spent.episodes} episodes; {standing(bench)}", flush=True)

    thread = threading.Thread(target=tell)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=64)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--thinking", type=float, default=0.0)
    parser.add_argument("--sandbox", default="local")
    parser.add_argument("--reset", action="store_true", help="play one episode after the other in each session")
    parser.add_argument("--resets", type=int, default=0, metavar="N", help="measure resets alone, N rounds of them")
    chosen = parser.parse_args()
    spent = Spent()
    with Bench("mini", scenario="mcr", sandbox=chosen.sandbox, offline=True, max_open=chosen.count) as bench:
        bench.warm_up()
        asyncio.run(play(bench, 2, 0, 0, Spent()))
        print(f"before: {standing(bench)}")
        start = time.perf_counter()
        with watching() as seen, told_each_minute(bench, spent):
            asyncio.run(
                resets(bench, chosen.count, chosen.resets, spent)
                if chosen.resets
                else play(bench, chosen.count, chosen.minutes, chosen.thinking, spent, reset=chosen.reset)
            )
        seconds = time.perf_counter() - start
        print(f"after:  {standing(bench)}")
        print(f"most:   {max(seen)}")
    print(f"{spent.episodes} episodes in {seconds:.0f} s: {spent.episodes * 60 / seconds:.0f} a minute")
    total = sum(map(sum, spent.seconds.values()))
    for what, each in sorted(spent.seconds.items(), key=lambda item: -sum(item[1])):
        middle, most = (sorted(each)[int(share * (len(each) - 1))] * 1000 for share in (0.5, 0.95))
        print(f"{100 * sum(each) / total:5.1f} %  median {middle:7.1f} ms, 95 % {most:7.1f} ms  {what}")
    if chosen.resets:
        return
    harness = 1 - sum(spent.seconds["the model"]) / total
    print(f"not in the model: {100 * harness:.1f} % of a rollout's time")
    several = [task for task, heads in spent.heads.items() if len(heads) > 1]
    print(f"samples: {len(spent.heads)}; with several commits from the same answers: {len(several)}")


if __name__ == "__main__":
    main()
