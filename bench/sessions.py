"""Sessions open at once: seconds and memory. `python bench/sessions.py [COUNT]`, 16 without.

All sessions are open before the first one answers, and each is scored while it is still open. Memory is the PSS of all
processes, this one, the process that scores with its forks, supervisors and Git, added up and read twenty times a
second: what processes share is divided among them, so a page counts once. Pages of files as they are on disk, such as
code of libraries, are in it; how many these are is told apart, since the system can drop them.
"""

from __future__ import annotations

import asyncio
import ctypes
import platform
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gitgoodbench import Bench

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 16
ANSWER = ("resolve_current_merge_conflict_with", {"content": "resolved\n"})
PERIOD_S = 0.05
_KCMP, _KCMP_VM = {"x86_64": 312, "aarch64": 272}, 1
"""The number of the call that compares processes, and what of them it compares."""


@dataclass(frozen=True, order=True)
class Memory:
    """In MB. total, files: PSS of a process and its descendants, and how much of it are pages of files.

    own: RSS of the process alone. processes: how many there are.
    """

    total: float
    files: float
    own: float
    processes: int

    def __str__(self) -> str:
        return (
            f"{self.total:.0f} MB in {self.processes} processes ({self.files:.0f} of them pages of files); "
            f"this process alone: RSS {self.own:.0f} MB"
        )


def memory() -> Memory:
    """What this process and its descendants take now."""
    own = Path("/proc/self").resolve().name
    family = _family(own)
    fields = [each for pid, parent in family.items() if not _is_borrowed(pid, parent) and (each := _rollup(pid))]
    total, files = (sum(each.get(name, 0) for each in fields) / 1024 for name in ("Pss", "Pss_File"))
    return Memory(total, files, _rollup("self")["Rss"] / 1024, len(fields))


def _family(pid: str) -> dict[str, str]:
    """A process and its descendants, with the parent of each."""
    parents: dict[str, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[folder.name] = (folder / "stat").read_bytes().rpartition(b")")[2].split()[1].decode()
        except OSError:
            continue
    family = {pid: parents[pid]}
    while more := {child: parent for child, parent in parents.items() if parent in family and child not in family}:
        family |= more
    return family


def _is_borrowed(pid: str, parent: str) -> bool:
    """Whether a process has its parent's memory and none of its own: a vfork, in the moment before it runs Git."""
    call = _KCMP.get(platform.machine())
    return call is not None and ctypes.CDLL(None).syscall(call, int(pid), int(parent), _KCMP_VM, 0, 0) == 0


def _rollup(pid: str) -> dict[str, int]:
    """Fields of smaps_rollup, in kB; none where the process is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()[1:]
    except OSError:
        return {}
    return {name: int(value.split()[0]) for name, _, value in (line.partition(":") for line in lines)}


@contextmanager
def watching() -> Iterator[list[Memory]]:
    """Read the memory again and again; the list holds what was read."""
    seen = [memory()]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(PERIOD_S):
            seen.append(memory())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


async def rollouts(bench: Bench) -> set[str | None]:
    """Play and score COUNT sessions at once; the commits that they leave."""
    all_open = asyncio.Barrier(COUNT)

    async def rollout(seed: int) -> str | None:
        async with bench.aopen(bench.tasks[0], seed) as session:
            await all_open.wait()
            await session.acalls([ANSWER])
            outcome = await session.afinish()
            await all_open.wait()
            await bench.ascore(bench.tasks[0], outcome)
            await all_open.wait()
        return outcome.head

    return set(await asyncio.gather(*(rollout(seed) for seed in range(COUNT))))


def main() -> None:
    with Bench("mini", scenario="mcr", sandbox="local", offline=True, max_open=COUNT) as bench:
        bench.warm_up()
        print(f"before: {memory()}")
        start = time.perf_counter()
        with watching() as seen:
            heads = asyncio.run(rollouts(bench))
        seconds = time.perf_counter() - start
    print(f"{COUNT} sessions at once: {max(seen)}; {seconds:.1f} s, {len(heads)} commit")


if __name__ == "__main__":
    main()
