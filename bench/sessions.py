"""Sessions open at once: seconds and memory. `python bench/sessions.py [COUNT]`, 16 without."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from gitgoodbench import Bench

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 16
ANSWER = ("resolve_current_merge_conflict_with", {"content": "resolved\n"})


def resident_mb() -> float:
    """Memory of this process and its descendants; what processes share is divided among them (PSS)."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
        except OSError:
            continue
    family = {Path("/proc/self").resolve().name}
    while more := {str(pid) for pid, parent in parents.items() if str(parent) in family} - family:
        family |= more
    return sum(map(_share, family)) / 1024


def _share(pid: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


async def rollouts(bench: Bench) -> tuple[float, set[str | None]]:
    opened = 0
    most = 0.0

    async def rollout(seed: int) -> str | None:
        nonlocal opened, most
        async with bench.aopen(bench.tasks[0], seed) as session:
            opened += 1
            while opened < COUNT:
                await asyncio.sleep(0.01)
            await session.acalls([ANSWER])
            most = max(most, resident_mb())
            outcome = await session.afinish()
        await bench.ascore(bench.tasks[0], outcome)
        return outcome.head

    heads = set(await asyncio.gather(*(rollout(seed) for seed in range(COUNT))))
    return max(most, resident_mb()), heads


def main() -> None:
    with Bench("mini", scenario="mcr", sandbox="local", offline=True, max_open=COUNT) as bench:
        bench.warm_up()
        alone = resident_mb()
        start = time.perf_counter()
        most, heads = asyncio.run(rollouts(bench))
        seconds = time.perf_counter() - start
    print(
        f"{COUNT} sessions at once: {seconds:.1f} s, {most:.0f} MB at most, {alone:.0f} MB before; {len(heads)} commit"
    )


if __name__ == "__main__":
    main()
