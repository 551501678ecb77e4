"""Seconds of an episode on a real repository, beside the release before and the same done by hand, in one run.

    python bench/episodes.py SUITE --repos DIR --before CHECKOUT [--sandbox docker|local] [--tools NAME] [--epochs N]

SUITE is a file of merges and chains (docs/mining.md). CHECKOUT is another version of this project with its own `.venv`.
For each sample and scenario, one after the other: the oracle of that version, this one's with a cold cache, then warm
(further epochs of the same sample), and by hand: `git clone --shared`, `git checkout`, `git merge` and `git commit`
with the answer copied in, and its removal. So whatever else loads the machine loads all of them.

Each is told in seconds of the clock and of processor time (Docker's daemon and containers do not count there), as the
mean over all samples of the least of each; in ratios the machine cancels out. Peak memory is the PSS of a worker with
all its children; disk is what the cache holds in the end.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.sample_types.specs import MergeSpec, chain_spec

WORKER: Final = "--worker"
IDENTITY: Final = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "bench"), ("EMAIL", "bench@example.invalid"))
}


def work(options: dict[str, Any]) -> None:
    """In a worker: play the episode that each line of standard input names; a line of figures comes back."""
    from gitgoodbench.contained.client import start_and_wait
    from gitgoodbench.runs.bookkeeping import open_books
    from gitgoodbench.runs.config import make_config
    from gitgoodbench.runs.context import RunContext
    from gitgoodbench.runs.episode import run_episode
    from gitgoodbench.runs.events import EventLog
    from gitgoodbench.runs.inputs import inputs_for, load_inputs
    from gitgoodbench.runs.paths import RunPaths
    from gitgoodbench.runs.session import create_run, prepare_run
    from gitgoodbench.runs.stop import Stop
    from gitgoodbench.sandbox.base import SandboxSettings
    from gitgoodbench.sandbox.select import make_provider
    from gitgoodbench.workspace.store import open_store

    config = make_config(agent="oracle", offline=True, judge="none", **options["fields"])
    inputs = inputs_for("oracle", load_inputs(config))
    provider = make_provider(config.sandbox, settings=SandboxSettings(own=config.options.own)).provider
    store = open_store(config.repos, None, True)
    paths = RunPaths(Path(options["folder"]))
    run = prepare_run(config, inputs, provider, store, paths=paths, command=("bench",))
    create_run(run)
    start_and_wait()
    planned = {episode.id: episode for episode in inputs.planned}
    with EventLog(paths.log, ()) as log:
        context = RunContext(
            run_id="bench", paths=paths, scenarios=run.inputs.scenarios, store=store, provider=provider,
            agents=run.agents, budget=config.budget, options=config.options, log=log,
            books=open_books(paths, run.config, None), stop=Stop(), rules=run.manifest.scoring.rules,
        )  # fmt: skip
        tell({"ready": list(planned)})
        for line in sys.stdin:
            before, clock = processor_s(), time.perf_counter()
            result = run_episode(planned[line.strip()], context)
            wall = time.perf_counter() - clock
            tell({"wall": wall, "cpu": processor_s() - before, "pss": pss(), "status": result.status,
                  "solved": result.solved, "gates": result.gates})  # fmt: skip
        if hasattr(context, "spares"):
            context.spares.close()


def tell(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def family() -> Iterator[int]:
    """This process and all below it."""
    children: dict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_bytes().rpartition(b")")[2].split()[1])
            except OSError:
                continue
            children[parent].append(int(entry.name))
    waiting = [os.getpid()]
    while waiting:
        process = waiting.pop()
        yield process
        waiting += children[process]


def processor_s() -> float:
    """Processor time of this process, all below it, and those of them that have ended."""
    ticks = 0
    for process in family():
        try:
            fields = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def pss() -> int:
    total = 0
    for process in family():
        try:
            text = Path(f"/proc/{process}/smaps_rollup").read_text("ascii")
        except OSError:
            continue
        total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return total * 1024


class Worker:
    """One version of the project, with a cache of its own."""

    def __init__(self, python: Path, cache: Path, fields: dict[str, Any], folder: Path) -> None:
        self.cache = cache
        self._process = subprocess.Popen(
            [str(python), __file__, WORKER, json.dumps({"fields": fields, "folder": str(folder)})],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "GITGOODBENCH_CACHE": str(cache)},
        )  # fmt: skip
        self.episodes: list[str] = self._read()["ready"]

    def play(self, episode: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{episode}\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a worker has ended")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def by_hand(repository: Path, sample: Sample) -> dict[str, float]:
    """What a person would do for a merge; for a chain, where it begins and ends, and one commit for all of it."""
    before, clock = os.times(), time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="episodes-") as folder:
        place = Path(folder, "clone")
        git(["clone", "-q", "--shared", "--no-checkout", str(repository), str(place)])
        if isinstance(sample.spec, MergeSpec):
            ours, theirs = sample.spec.parents
            git(["checkout", "-q", ours], place)
            git(["merge", "-q", "--no-edit", theirs], place)
            git(["checkout", "-q", sample.spec.merge_commit_hash, "--", *sample.spec.files_in_merge_conflict], place)
        else:
            spec = chain_spec(sample)
            git(["checkout", "-q", spec.newest_commit], place)
            git(["reset", "-q", "--soft", f"{spec.newest_commit}~{spec.times_seen_consecutively}"], place)
        git(["commit", "-q", "-a", "-m", "by hand"], place)
    after = os.times()
    return {"wall": time.perf_counter() - clock, "cpu": sum(after[:4]) - sum(before[:4])}


def git(argv: Sequence[str], place: Path | None = None) -> None:
    """Whatever it returns: a merge that stops at its conflicts says so, and partial clones lack files."""
    environment = {**os.environ, **IDENTITY, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_NO_LAZY_FETCH": "1",
                   "GIT_ALLOW_PROTOCOL": "file"}  # fmt: skip
    subprocess.run(["git", *argv], cwd=place, env=environment, capture_output=True, check=False)


def git_dir(repos: Path, name: str) -> Path:
    owner, _, project = name.partition("/")
    places = (repos / owner / project, repos / f"{owner}__{project}", repos / f"{owner}+{project}" / "repo")
    return next(place for place in places if place.is_dir())


@contextmanager
def workers(arguments: argparse.Namespace) -> Iterator[tuple[Worker, Worker]]:
    fields = {
        "suite": str(arguments.suite.resolve()), "repos": str(arguments.repos), "sandbox": arguments.sandbox,
        "tools": arguments.tools, "epochs": arguments.epochs,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="episodes-") as folder:
        place = Path(folder)
        before = Worker(arguments.before / ".venv/bin/python", place / "c0", fields, place / "before")
        now = Worker(Path(sys.executable), place / "c1", fields, place / "now")
        try:
            yield before, now
        finally:
            before.close()
            now.close()


def main() -> None:
    if sys.argv[1:2] == [WORKER]:
        work(json.loads(sys.argv[2]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--sandbox", default="docker", choices=("docker", "local"))
    parser.add_argument("--tools", default="published")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = {sample.id: sample for sample in load_suite(str(arguments.suite)).samples}
    least: dict[str, dict[tuple[str, str], dict[str, float]]] = defaultdict(dict)
    memory: dict[str, int] = defaultdict(int)

    def enter(what: str, scenario: str, sample: str, found: dict[str, Any]) -> None:
        if found.get("status", "completed") != "completed":
            print(f"{what} {scenario}/{sample}: {found['status']}", file=sys.stderr)
        known = least[what].setdefault((scenario, sample), {"wall": 1e9, "cpu": 1e9})
        for measure in ("wall", "cpu"):
            known[measure] = min(known[measure], found[measure])
        memory[what] = max(memory[what], found.get("pss", 0))

    with workers(arguments) as (before, now):
        attempts = dict.fromkeys(tuple(episode.split("/")[:2]) for episode in now.episodes)
        for number, (scenario, sample) in enumerate(attempts, 1):
            row = rows[sample]
            for epoch in range(1, arguments.epochs + 1):
                episode = f"{scenario}/{sample}/{epoch}"
                if epoch < 3:
                    enter("before", scenario, sample, before.play(episode))
                enter("cold" if epoch == 1 else "warm", scenario, sample, now.play(episode))
                if epoch < 3:
                    enter("by hand", scenario, sample, by_hand(git_dir(arguments.repos, row.name), row))
            if number % 10 == 0:
                print(f"{number} of {len(attempts)}", file=sys.stderr, flush=True)
        disk = sum(file.stat().st_size for file in now.cache.rglob("*") if file.is_file())
        shutil.rmtree(before.cache, ignore_errors=True)
    print(f"{arguments.sandbox}, {arguments.tools}: {len(attempts)} episodes of {len(rows)} samples\n")
    print("| scenario | episodes | before, s | cold | warm | by hand | before / warm | by hand / warm | cold / warm |")
    print("|---|---|---|---|---|---|---|---|---|")
    table: dict[str, Any] = {}
    for measure in ("wall", "cpu"):
        for name in (*sorted({scenario for scenario, _ in attempts}), "all"):
            sums = {
                what: sum(each[measure] for (scenario, _), each in least[what].items() if name in (scenario, "all"))
                for what in ("before", "cold", "warm", "by hand")
            }
            count = sum(1 for scenario, _ in attempts if name in (scenario, "all"))
            table[f"{measure} {name}"] = sums
            seconds = " | ".join(f"{sums[what] / count:.3f}" for what in sums)
            warm = sums["warm"]
            ratios = " | ".join(f"{sums[what] / warm:.1f}" for what in ("before", "by hand", "cold"))
            print(f"| {name}, {measure} | {count} | {seconds} | {ratios} |")
    mib = 1024 * 1024
    print(f"\ncache {disk / mib:.0f} MiB; most memory {memory['before'] / mib:.0f} MiB before, "
          f"{max(memory['cold'], memory['warm']) / mib:.0f} MiB now")  # fmt: skip
    if arguments.json:
        arguments.json.write_text(json.dumps(table, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
