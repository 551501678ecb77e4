"""Every conflicting merge of given repositories, set up and solved: does the harness keep its promises on real history?

    python bench/real_merges.py --repos DIR --name owner/name [--name ...] [--sandbox local|docker] [--limit N]
    [--out FILE.jsonl]

For each merge: `oracle` must match exactly; `tool-oracle` with the published tools must match exactly where the
sample is attainable and nowhere else; `tool-oracle` with the extended tools must match always; the answer's objects
must be absent from the sandbox. Prints a Markdown table; exits with 1 when a promise is broken.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from gitgoodbench.agents.reference import ReferenceAgent
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import EpisodeError
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.models.meter import Budget
from gitgoodbench.sample_types.specs import MergeSpec, merge_spec
from gitgoodbench.sandbox.base import SandboxProvider, SandboxSettings
from gitgoodbench.sandbox.select import DockerOptions, make_provider
from gitgoodbench.scenario import EpisodeOptions, Scenario, ToolSet, load_scenarios
from gitgoodbench.workspace.leaks import leaked_objects
from gitgoodbench.workspace.scratch import ScratchRepository
from gitgoodbench.workspace.store import RepositoryStore, open_store

TRIALS = (("oracle", ToolSet.PUBLISHED), ("tool-oracle", ToolSet.PUBLISHED), ("tool-oracle", ToolSet.EXTENDED))
RULES = ("ours", "theirs", "union", "union-reverse")


@dataclass
class Tally:
    """Counts of one repository."""

    merges: int = 0
    conflicting: int = 0
    unfit: int = 0
    solved: Counter[str] = field(default_factory=Counter)
    attainable: int = 0
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0


def conflicting_merges(git: Git) -> Iterator[tuple[str, str, str, list[str]]]:
    """(merge, parent 0, parent 1, conflicted paths) of every two-parent merge on any ref that conflicts when
    replayed.
    """
    listing = git.run("rev-list", "--all", "--merges", "--min-parents=2", "--max-parents=2", "--parents").decode()
    with ScratchRepository(git) as scratch:
        for line in listing.splitlines():
            merge, first, second = line.split()
            try:
                replay = scratch.replay(first, second)
            except GitError as problem:
                print(f"{merge} cannot be replayed: {problem}", file=sys.stderr)
                continue
            if not replay.clean:
                yield merge, first, second, [show_path(path) for path in replay.conflicted]


def as_sample(name: str, number: int, merge: tuple[str, str, str, list[str]]) -> Sample:
    commit, first, second, files = merge
    spec = MergeSpec(
        merge_commit_hash=commit, parents=(first, second), number_of_files_with_merge_conflict=len(files),
        total_number_of_merge_conflicts=len(files), files_in_merge_conflict=tuple(files),
    )  # fmt: skip
    return Sample(
        id=f"{name.replace('/', '_')}_merge_{number:04d}", name=name, programming_language="python",
        sample_type="merge", difficulty="easy" if len(files) == 1 else "hard", spec=spec,
    )  # fmt: skip


def try_sample(
    scenario: Scenario, sample: Sample, store: RepositoryStore, provider: SandboxProvider, rules: bool
) -> dict[str, Any]:
    """What every trial made of the sample: solved or an error by trial, and whether it is attainable."""
    found: dict[str, Any] = {"sample": sample.id, "solved": {}, "problems": []}
    for agent, tool_set in (*TRIALS, *(((rule, ToolSet.PUBLISHED) for rule in RULES) if rules else ())):
        label = f"{agent}/{tool_set}"
        try:
            with provider.open(run_id="real-merges", episode_id=sample.id) as sandbox:
                episode: Any = scenario.prepare(sample, store, sandbox, EpisodeOptions(tool_set))
                found["attainable"] = episode.facts["attainable"]
                found["conflicts"] = episode.facts["conflicts"]
                if label == "oracle/published":
                    found["problems"] += leaked(episode, sample)
                policy = scenario.reference_agents()[agent]
                trajectory = ReferenceAgent(agent, {"mcr": policy}).run(episode, Budget(timeout_s=None))
                outcome = episode.outcome()
            verdict = scenario.score(sample, store, outcome)
            found["solved"][label] = verdict.solved
            if label == "oracle/published" and not all(verdict.gates.values()):
                found["problems"].append(f"gates {dict(verdict.gates)}")
            if trajectory.error and (agent.endswith("oracle")):
                found["problems"].append(f"{label}: {trajectory.error}")
        except EpisodeError as problem:
            found["unfit"] = str(problem)
            return found
        except Exception:
            found["problems"].append(f"{label}: {traceback.format_exc()}")
    return found


def leaked(episode: Any, sample: Sample) -> list[str]:
    """Objects of the real merge that its parents lack and the sandbox has nevertheless."""
    spec = merge_spec(sample)
    answer, known = [spec.merge_commit_hash], spec.parents
    found = leaked_objects(episode.git, episode.reference.mirror, answer, known, [episode.facts["automatic_tree"]])
    return [f"leaked: {oid}" for oid in found]


def broken_promises(found: dict[str, Any]) -> list[str]:
    solved, attainable = found["solved"], found.get("attainable")
    faults = list(found["problems"])
    wanted = {"oracle/published": True, "tool-oracle/published": attainable, "tool-oracle/extended": True}
    faults += [
        f"{label}: solved {solved.get(label)}, not {want}"
        for label, want in wanted.items()
        if solved.get(label) != want
    ]
    return [f"{found['sample']}: {fault}" for fault in faults]


def try_repository(name: str, args: argparse.Namespace) -> Tally:
    store = open_store(repos=args.repos, cache_dir=None, offline=True)
    git = store.mirror(name, []).borrow(refs=True)
    scenario = load_scenarios()["mcr"]
    provider = make_provider(args.sandbox, SandboxSettings(own=(DockerOptions(image=args.image),))).provider
    tally = Tally(merges=len(git.run("rev-list", "--all", "--min-parents=2", "--max-parents=2").split()))
    started = time.monotonic()
    samples = [as_sample(name, number, merge) for number, merge in enumerate(conflicting_merges(git))]
    tally.conflicting = len(samples)
    if args.limit:
        samples = samples[:: max(1, len(samples) // args.limit)][: args.limit]
    work = (delayed(try_sample)(scenario, sample, store, provider, args.rules) for sample in samples)
    for found in Parallel(n_jobs=args.jobs, backend="threading", return_as="generator_unordered")(work):
        if args.out:
            with args.out.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"repository": name, **found}) + "\n")
        if "unfit" in found:
            tally.unfit += 1
            print(f"{found['sample']}: {found['unfit']}", file=sys.stderr)
            continue
        tally.attainable += bool(found["attainable"])
        tally.solved.update(label for label, solved in found["solved"].items() if solved)
        for fault in broken_promises(found):
            print(fault, file=sys.stderr)
            tally.broken.append(fault)
    tally.seconds = time.monotonic() - started
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--name", action="append", required=True)
    parser.add_argument("--sandbox", default="local", choices=("local", "docker"))
    parser.add_argument("--image", default=None)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rules", action="store_true", help="also try ours, theirs, union, union-reverse")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    version = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    labels = [f"{agent}/{tools}" for agent, tools in TRIALS]
    labels += [f"{rule}/published" for rule in RULES] if args.rules else []
    print(f"{version}, sandbox {args.sandbox}\n")
    print(f"| repository | merges | conflicting | set up | attainable | {' | '.join(labels)} | broken | seconds |")
    print("|---" * (len(labels) + 7) + "|")
    broken = 0
    for name in args.name:
        tally = try_repository(name, args)
        tried = min(tally.conflicting, args.limit or tally.conflicting) - tally.unfit
        solved = " | ".join(str(tally.solved[label]) for label in labels)
        print(
            f"| {name} | {tally.merges} | {tally.conflicting} | {tried} | {tally.attainable} | {solved} "
            f"| {len(tally.broken)} | {tally.seconds:.0f} |", flush=True,
        )  # fmt: skip
        broken += len(tally.broken)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
