"""Score the real commits of a suite as predictions, in every form, and empty ones, and junk; print a table.

    python bench/predictions.py mini
    python bench/predictions.py rows.jsonl --repos DIR --offline

A rebase has no real answer (the chain as it is counts as not rebased), so there the two newest commits are one.
Scenarios with a judge are solved when it says so; without one, the table counts whose gates are all met.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.objects import changed_paths, read_blobs, read_tree
from gitgoodbench.git.process import Git
from gitgoodbench.sample_types.specs import FileCommitChainSpec, MergeSpec
from gitgoodbench.scenario import PredictedScenario, ScenarioWithTruth, load_scenarios
from gitgoodbench.workspace.chain import open_chain
from gitgoodbench.workspace.outcome import outcome_of
from gitgoodbench.workspace.store import open_store

_DIFF = ("diff", "--binary", "--full-index", "--no-renames", "--no-textconv", "--no-ext-diff")
JUNK: tuple[dict[str, Any], ...] = (
    {"model_patch": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"},
    {"model_patch": "I resolved the conflict by keeping both sides."},
    {"model_patch": "diff --git a/../../etc/x b/../../etc/x\nnew file mode 100644\n--- /dev/null\n+++ b/../../etc/x\n"
     "@@ -0,0 +1 @@\n+x\n"},
    {"model_patch": "diff --git a/.git/hooks/x b/.git/hooks/x\nnew file mode 100755\n--- /dev/null\n"
     "+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n"},
    {"files": {".git/config": "x"}},
    {"files": {"a": {"base64": "???"}}},
    {"bundle": "not base64!"},
    {"bundle": base64.b64encode(b"not a bundle").decode()},
    {"model_patch": "x", "files": {}},
    {"patches": [{"message": "neither"}]},
    {},
)  # fmt: skip


@dataclass(frozen=True)
class Truth:
    """The commits that are right: (before, after, message), and where the workspace begins."""

    git: Git
    steps: Sequence[tuple[str, str, bytes]]
    begun: Sequence[str]
    merges: Sequence[str] = ()


def text_of(data: bytes) -> Any:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def patch_of(truth: Truth, before: str, after: str) -> Any:
    return text_of(truth.git.run(*_DIFF, before, after))


def files_of(truth: Truth, before: str, after: str) -> dict[str, Any]:
    changed = changed_paths(read_tree(truth.git, before), read_tree(truth.git, after))
    blobs = read_blobs(truth.git, [entry.oid for _, entry in changed.values() if entry is not None])
    states: dict[str, Any] = {}
    for path, (_, entry) in changed.items():
        content = None if entry is None else blobs[entry.oid]
        name = path.decode("utf-8", "surrogateescape")
        states[name] = None
        if entry is not None and content is not None:
            states[name] = {"base64": base64.b64encode(content).decode(), "mode": entry.mode}
    return states


def as_patch(truth: Truth) -> dict[str, Any]:
    if truth.merges:
        before, after, _ = truth.steps[0]
        return {"model_patch": patch_of(truth, before, after), "committed": True}
    steps = ({"message": text_of(m), "patch": patch_of(truth, b, a)} for b, a, m in truth.steps)
    return {"patches": list(steps)}


def as_files(truth: Truth) -> dict[str, Any]:
    if truth.merges:
        before, after, _ = truth.steps[0]
        return {"files": files_of(truth, before, after), "committed": True}
    return {"patches": [{"message": text_of(m), "files": files_of(truth, b, a)} for b, a, m in truth.steps]}


def as_bundle(truth: Truth) -> dict[str, Any]:
    """Of new commits with the same trees: a bundle holds what the workspace lacks."""
    from gitgoodbench.git.commits import write_commit
    from gitgoodbench.workspace.scratch import ScratchRepository

    with ScratchRepository(truth.git) as scratch:
        head = truth.steps[0][0]
        for _, after, message in truth.steps:
            tree = scratch.git.line("rev-parse", f"{after}^{{tree}}")
            head = write_commit(scratch.git, tree, truth.merges or [head], message)
        pack = outcome_of(scratch.git, head, truth.begun).bundle
    assert pack is not None
    named = pack.replace(b"# v2 git bundle\n\n", b"# v2 git bundle\n" + head.encode() + b" HEAD\n\n", 1)
    return {"bundle": base64.b64encode(named).decode()}


def truths(suite: str, repos: Path | None, offline: bool) -> Iterator[tuple[str, str, Truth]]:
    store = open_store(repos, offline=offline)
    for name, scenario in sorted(load_scenarios().items()):
        if not isinstance(scenario, PredictedScenario) or not isinstance(scenario, ScenarioWithTruth):
            continue
        for sample in load_suite(suite, offline=offline).samples:
            if not scenario.applies_to(sample):
                continue
            spec = sample.spec
            if isinstance(spec, MergeSpec):
                git = store.mirror(sample.name, [spec.merge_commit_hash, *spec.parents]).borrow()
                step = (spec.parents[0], spec.merge_commit_hash, b"Merge\n")
                yield name, sample.id, Truth(git, [step], spec.parents, spec.parents)
            elif isinstance(spec, FileCommitChainSpec):
                try:
                    scenario.truth(sample, store)
                except SetupFailed as problem:
                    print(f"{name}/{sample.id}: {problem}", file=sys.stderr)
                    continue
                yield name, sample.id, chain_truth(name, sample.name, spec, store)


def chain_truth(scenario: str, name: str, spec: FileCommitChainSpec, store: Any) -> Truth:
    git, chain = open_chain(store, name, spec.newest_commit, spec.times_seen_consecutively)
    base = chain.base or git.line("hash-object", "-t", "tree", "--stdin")
    commits = read_commits(git, chain.commits)
    before = [base, *chain.commits]
    steps = [(old, commit.oid, commit.message) for old, commit in zip(before, commits, strict=False)]
    if scenario == "ir":
        steps = [*steps[:-2], (steps[-2][0], steps[-1][1], steps[-1][2])]
        return Truth(git, steps, [chain.newest])
    return Truth(git, steps, [base])


def score(rows: list[dict[str, Any]], form: str, options: argparse.Namespace, out: Path) -> list[dict[str, Any]]:
    file = out / f"{form}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    repos = () if options.repos is None else ("--repos", str(options.repos))
    offline = ("--offline",) if options.offline else ()
    command = [
        sys.executable, "-m", "gitgoodbench", "score", str(file), "--suite", options.suite, "--agent", form,
        "--run-id", form, "--out", str(out / "results"), "--jobs", str(options.jobs), *repos, *offline,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{form}: exit code {done.returncode}: {done.stderr}")
    found = (out / "results" / form / "samples").glob("*/*/1/result.json")
    return [json.loads(path.read_bytes()) for path in sorted(found)]


def print_row(form: str, results: Sequence[dict[str, Any]]) -> None:
    for scenario in sorted({result["scenario"] for result in results}):
        own = [result for result in results if result["scenario"] == scenario]
        solved = sum(result["solved"] is True for result in own)
        gates = sum(bool(result["gates"]) and all(result["gates"].values()) for result in own)
        statuses = ", ".join(f"{count} {status}" for status, count in sorted(Counter(r["status"] for r in own).items()))
        print(f"| {form} | {scenario} | {len(own)} | {solved} | {gates} | {statuses} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("--repos", type=Path)
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="Folder for the files and runs.")
    options = parser.parse_args()
    found = list(truths(options.suite, options.repos, options.offline))
    forms: dict[str, Callable[[int, Truth], dict[str, Any]]] = {
        "gold-patch": lambda _, truth: as_patch(truth),
        "gold-files": lambda _, truth: as_files(truth),
        "gold-bundle": lambda _, truth: as_bundle(truth),
        "empty-patch": lambda *_: {"model_patch": ""},
        "junk": lambda number, _: JUNK[number % len(JUNK)],
    }
    with tempfile.TemporaryDirectory() as folder:
        out = options.keep or Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        print("| predictions | scenario | episodes | solved | all gates met | statuses |\n|---|---|---:|---:|---:|---|")
        for form, make in forms.items():
            rows = [
                {"instance_id": sample, "scenario": scenario, "model_name_or_path": form, **make(number, truth)}
                for number, (scenario, sample, truth) in enumerate(found)
            ]
            print_row(form, score(rows, form, options, out))


if __name__ == "__main__":
    main()
