"""Export tasks, run Harbor's own command on them, import the jobs, and compare; print a table.

    python bench/harbor_jobs.py run mini --harbor .harbor/bin/harbor --work DIR
    python bench/harbor_jobs.py run rows.jsonl --repos REPOS --each 9 --harbor .harbor/bin/harbor --work DIR
    python bench/harbor_jobs.py table DIR/jobs/oracle DIR/jobs/nop

`run` takes `--each` samples of every scenario, spread over the suite; jobs that DIR has already are not run again.
Harbor wants a Python of 3.12 or newer, in an environment of its own, and Docker with the compose plugin; the images
are those of docs/harbor.md. `equal` counts trials whose reward, gates and scores in Harbor are those of the run that
`gitgoodbench import harbor` makes of the job.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

from gitgoodbench.harbor.verify import rewards
from gitgoodbench.runs.config import make_config
from gitgoodbench.runs.inputs import load_inputs
from gitgoodbench.scenario import Verdict

_HEAD = "| job | scenario | trials | with a reward | least | mean | most | equal | median s |"


@dataclass(frozen=True)
class Finished:
    """A trial. told: its rewards. seconds: from its begin to its end."""

    scenario: str
    task: str
    told: Mapping[str, float]
    seconds: float | None


def main() -> int:
    args = _parser().parse_args()
    if args.what == "table":
        print_table([(job, None) for job in args.jobs])
        return 0
    work: Path = args.work
    if not (work / "tasks").exists():
        _export(args, work / "tasks")
    jobs = []
    for agent in args.agents:
        job = work / "jobs" / agent
        if not job.exists():
            _call([args.harbor, "run", "-p", work / "tasks", "-a", agent, "-o", work / "jobs", "--job-name", agent,
                   "-n", args.concurrent, "--yes", "--quiet"])  # fmt: skip
        run = work / "runs" / f"harbor-{agent}"
        if not run.exists():
            _ours("import", "harbor", job, "--suite", args.suite, "--out", run.parent, "--run-id", run.name,
                  *_repositories(args))  # fmt: skip
        jobs.append((job, run))
    print_table(jobs, work / "tasks")
    return 0


def print_table(jobs: Sequence[tuple[Path, Path | None]], tasks: Path | None = None) -> None:
    """A row for each job and scenario."""
    print(_HEAD + "\n|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for job, run in jobs:
        trials = list(finished_trials(job))
        for scenario in sorted({trial.scenario for trial in trials}):
            these = [trial for trial in trials if trial.scenario == scenario]
            known = [trial.told["reward"] for trial in these if "reward" in trial.told]
            mean = sum(known) / len(known) if known else math.nan
            figures = f"{min(known, default=mean):.2f} | {mean:.2f} | {max(known, default=mean):.2f}"
            same = "-" if run is None or tasks is None else sum(is_equal(trial, run, tasks) for trial in these)
            seconds = [trial.seconds for trial in these if trial.seconds is not None]
            took = f"{median(seconds):.0f}" if seconds else "-"
            print(f"| {job.name} | {scenario} | {len(these)} | {len(known)} | {figures} | {same} | {took} |")


def finished_trials(job: Path) -> Iterator[Finished]:
    """The trials of a job that have a result."""
    for path in sorted(job.glob("*/result.json")):
        found = json.loads(path.read_bytes())
        if "trial_name" not in found:
            continue
        task = str(found["task_name"]).rpartition("/")[2]
        told = (found.get("verifier_result") or {}).get("rewards") or {}
        yield Finished(task.partition("-")[0], task, told, _seconds(found))


def _seconds(found: Mapping[str, Any]) -> float | None:
    began, ended = (found.get(name) for name in ("started_at", "finished_at"))
    if not began or not ended:
        return None
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds()


def is_equal(trial: Finished, run: Path, tasks: Path) -> bool:
    """Whether the run has the trial's figures."""
    task = json.loads((tasks / trial.task / "tests" / "task.json").read_bytes())
    path = run / "samples" / task["scenario"] / task["sample"]["id"] / "1" / "result.json"
    if not path.exists():
        return False
    ours = json.loads(path.read_bytes())
    verdict = Verdict(ours["solved"], ours["solved"], ours["gates"], ours["scores"], problem=ours["outcome"]["problem"])
    again = rewards(verdict, task["full"])
    return again.keys() == trial.told.keys() and all(math.isclose(again[name], trial.told[name]) for name in again)


def _export(args: argparse.Namespace, out: Path) -> None:
    planned = load_inputs(make_config(suite=args.suite)).planned
    for scenario in sorted({episode.scenario for episode in planned}):
        samples = [episode.sample.id for episode in planned if episode.scenario == scenario]
        count = min(args.each, len(samples))
        chosen = [samples[number * len(samples) // count] for number in range(count)]
        flags = [flag for sample in chosen for flag in ("--sample", sample)]
        _ours("export", "harbor", args.suite, "--scenario", scenario, *flags, "--network", args.network,
              "--image", args.image, "--verifier-image", args.verifier_image, "--out", out,
              *_repositories(args))  # fmt: skip


def _repositories(args: argparse.Namespace) -> list[str]:
    return ["--repos", str(args.repos), "--offline"] if args.repos else []


def _ours(*args: object) -> None:
    _call([sys.executable, "-m", "gitgoodbench", *args])


def _call(command: Sequence[object]) -> None:
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="what", required=True)
    run = commands.add_parser("run", help="export, run, import, compare")
    run.add_argument("suite")
    run.add_argument("--work", type=Path, required=True, help="folder of tasks, jobs and runs")
    run.add_argument("--harbor", default="harbor", help="the command of Harbor")
    run.add_argument("--agents", nargs="+", default=["oracle", "nop"])
    run.add_argument("--each", type=int, default=7, help="samples of each scenario")
    run.add_argument("--concurrent", type=int, default=2)
    run.add_argument("--repos", type=Path)
    run.add_argument("--network", default="compose")
    run.add_argument("--image", default="gitgoodbench-sandbox:latest")
    run.add_argument("--verifier-image", default="gitgoodbench-verifier:0.1.0")
    table = commands.add_parser("table", help="the rewards of jobs that were run before")
    table.add_argument("jobs", nargs="+", type=Path)
    return parser


if __name__ == "__main__":
    sys.exit(main())
