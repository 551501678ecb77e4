"""Does a cluster give the results of one process, also where a worker is killed? The built-in suite, played three ways.

    python bench/clusters.py --out FOLDER [--engine dask] [--engine ray] [--engine loky] [--limit N] [--no-paid]

Every reference agent, and a scripted model that is paid, play in one process, and then on a cluster of two workers on
this machine; every so often one worker gets SIGKILL. Compared is every field of every result but times; the account is
compared with what the model's server billed. Ray must be installed for `--engine ray`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from same_results import differences, results

from gitgoodbench.runs.account import read_account
from tests.support.billing import PRICES, BillingServer
from tests.support.llm_reply import Reply
from tests.support.scripted_llm import Request, calls, says

WORKERS: Final = 2
TURNS: Final = 3
KILL_EVERY_S: Final = 20.0
WORKER_SIGNS: Final = {"dask": "distributed", "ray": "ray::work", "loky": "popen_loky_posix"}


def looking(request: Request) -> Reply:
    """Calls a tool that there is not, and then has nothing more to say."""
    return calls("look_around", number=request.turn) if request.turn < TURNS else says("that is all")


@contextmanager
def cluster(engine: str) -> Iterator[list[str]]:
    """Flags that name a cluster of this machine, for as long as the block lasts."""
    if engine == "dask":
        import distributed

        with distributed.LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as local:  # type: ignore[no-untyped-call]
            yield ["--backend", "dask", "--cluster", local.scheduler_address]
    else:  # these start and end with the command
        yield ["--backend", engine]


def workers_of(engine: str) -> list[int]:
    """Process ids of the workers."""
    listing = subprocess.run(["ps", "-eww", "-o", "pid=,args="], capture_output=True, check=True).stdout.decode()
    lines = [line.split(maxsplit=1) for line in listing.splitlines()]
    if engine == "dask":
        own = subprocess.run(
            ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, check=True
        ).stdout.decode()
        return [int(line.split()[0]) for line in own.splitlines() if "multiprocessing.spawn" in line]
    return [int(line[0]) for line in lines if len(line) > 1 and WORKER_SIGNS[engine] in line[1]]


@contextmanager
def killing(engine: str, killed: list[int], seed: int) -> Iterator[None]:
    """Kill a worker every so often."""
    over, chance = threading.Event(), random.Random(seed)

    def go_on() -> None:
        while not over.wait(KILL_EVERY_S * (0.5 + chance.random())):
            if found := workers_of(engine):
                victim = chance.choice(found)
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def evaluate(out: Path, flags: Sequence[str]) -> float:
    """Run the command; the seconds that it took."""
    command = [sys.executable, "-m", "gitgoodbench", "eval", "mini", "--sandbox", "local", "--jobs", str(WORKERS)]
    begun = time.monotonic()
    done = subprocess.run([*command, "--out", str(out), *flags], capture_output=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(flags)}: exit code {done.returncode}\n{done.stderr.decode()[-2000:]}")
    return time.monotonic() - begun


def play(out: Path, flags: Sequence[str], arguments: argparse.Namespace) -> dict[str, Any]:
    """All agents, and the paid model; what it took and cost."""
    limit = [] if arguments.limit is None else ["--limit", str(arguments.limit)]
    took = {"reference_s": evaluate(out, ["--agent", "reference", "--run-id", "r", *limit, *flags])}
    if arguments.no_paid:
        return took
    with BillingServer(looking) as server:
        model = ["--model", "m", "--base-url", server.url, *PRICES, "--scenario", "mcr", "--run-id", "paid"]
        took["paid_s"] = evaluate(out, [*model, *limit, *flags])
        spent = read_account(out / "paid" / "ledger.jsonl").total()
        return took | {"billed_usd": server.billed, "spent_usd": spent.cost_usd, "unknown": spent.unknown}


def compare(before: Path, after: Path) -> dict[str, Any]:
    """How many results, and what differs."""
    one, other = results(before), results(after)
    found = [
        f"{place}: {line}"
        for place in sorted(one.keys() & other.keys())
        for line in differences(one[place], other[place], frozenset())
    ]
    missing = len(one.keys() ^ other.keys())
    return {"results": len(other), "missing": missing, "differences": len(found), "first": found[:5]}


def events(out: Path, name: str) -> int:
    """How often run.log has an event, over all runs of a folder."""
    return sum(path.read_bytes().count(f'"event": "{name}"'.encode()) for path in out.glob("*/run.log"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--engine", action="append", choices=sorted(WORKER_SIGNS))
    parser.add_argument("--limit", type=int)
    parser.add_argument("--no-paid", action="store_true")
    parser.add_argument("--no-kill", action="store_true")
    arguments = parser.parse_args()
    here = arguments.out / "one-process"
    report: dict[str, Any] = {"one-process": play(here, [], arguments)}
    print(json.dumps(report), flush=True)
    failed = False
    for engine in arguments.engine or ["loky", "dask"]:
        there, killed = arguments.out / engine, list[int]()
        with ExitStack() as stack:
            flags = stack.enter_context(cluster(engine))
            if not arguments.no_kill:
                stack.enter_context(killing(engine, killed, seed=1))
            took = play(there, flags, arguments)
        found = compare(here, there)
        lost = {"killed": len(killed), "worker_lost": events(there, "worker_lost")}
        report[engine] = {**took, **lost, **found}
        print(json.dumps({engine: report[engine]}), flush=True)
        failed |= bool(found["missing"] or found["differences"])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
