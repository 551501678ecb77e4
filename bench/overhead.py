"""What the harness costs beside the model: seconds per episode and milliseconds per tool call, in either sandbox.

    python bench/overhead.py [--suite mini] [--repos DIR] [--sandbox docker] [--sandbox local] [--repeat N] [--json
    FILE]

An episode is everything but the model: sandbox, workspace, tools, outcome, scoring. Every tool call is timed; the
baseline beside it is one `docker exec` (or one process) running the same `git rev-parse HEAD`. Targets: median
episode <= 1 s in Docker, workspace <= 1 s, tool call p50 <= 15 ms and p95 <= 50 ms.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gitgoodbench.agents.reference import ReferenceAgent
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import UserError
from gitgoodbench.models.meter import Budget
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.sandbox.select import make_provider
from gitgoodbench.scenario import EpisodeOptions, Scenario, load_scenarios
from gitgoodbench.tools import Tool
from gitgoodbench.workspace.store import RepositoryStore, open_store

TARGETS = {"episode p50 s": 1.0, "workspace p50 s": 1.0, "tool call p50 ms": 15.0, "tool call p95 ms": 50.0}


def measure(
    scenario: Scenario, samples: Sequence[Sample], store: RepositoryStore, provider: SandboxProvider
) -> dict[str, Any]:
    """Run every sample once with `tool-oracle` and a look at everything; times of episodes, workspaces and calls."""
    episodes: list[float] = []
    workspaces: list[float] = []
    calls: list[float] = []
    baseline: list[float] = []
    for sample in samples:
        begun = time.perf_counter()
        with provider.open(run_id="bench", episode_id=sample.id) as sandbox:
            opened = time.perf_counter()
            episode: Any = scenario.prepare(sample, store, sandbox, EpisodeOptions())
            workspaces.append(time.perf_counter() - opened)
            for _ in range(5):
                start = time.perf_counter()
                episode.git.run("rev-parse", "HEAD")
                baseline.append(time.perf_counter() - start)
            extra = sum(baseline[-5:])
            episode.tools = [timed(tool, calls) for tool in episode.tools]
            look_around(episode)
            ReferenceAgent("tool-oracle", {"mcr": scenario.reference_agents()["tool-oracle"]}).run(episode, Budget())
            outcome = episode.outcome()
        scenario.score(sample, store, outcome)
        episodes.append(time.perf_counter() - begun - extra)
    return {
        "episodes": len(episodes),
        "tool calls": len(calls),
        "episode p50 s": quantile(episodes, 50),
        "episode p95 s": quantile(episodes, 95),
        "workspace p50 s": quantile(workspaces, 50),
        "workspace p95 s": quantile(workspaces, 95),
        "tool call p50 ms": 1000 * quantile(calls, 50),
        "tool call p95 ms": 1000 * quantile(calls, 95),
        "git rev-parse in the sandbox p50 ms": 1000 * quantile(baseline, 50),
    }


def timed(tool: Tool, calls: list[float]) -> Tool:
    """The tool, noting the seconds of every call."""

    def function(**arguments: Any) -> str:
        start = time.perf_counter()
        try:
            return tool.function(**arguments)
        finally:
            calls.append(time.perf_counter() - start)

    return Tool(tool.name, tool.description, function, tool.arguments)


def look_around(episode: Any) -> None:
    """What a careful agent looks at before it resolves anything."""
    tools = {tool.name: tool for tool in episode.tools}
    tools["view_current_merge_conflict_with"].call({"reason": "bench", "context_window_size": 10})
    for path in episode.resolution.model.files:
        where = {"relative_path_from_project_root": path.decode(), "reason": "bench"}
        tools["view_diff_for"].call(where)
        tools["view_file_at"].call(where)


def quantile(values: Sequence[float], percent: int) -> float:
    if len(values) < 2:
        return values[0]
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="mini")
    parser.add_argument("--repos", type=Path)
    parser.add_argument("--sandbox", action="append", choices=("docker", "local"))
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    scenario = load_scenarios()["mcr"]
    samples = [sample for sample in load_suite(args.suite).samples if scenario.applies_to(sample)] * args.repeat
    store = open_store(repos=args.repos, cache_dir=None, offline=args.repos is not None)
    for sample in samples:  # clones and builds are not what is measured
        store.mirror(sample.name, [])
    found: dict[str, Any] = {}
    for kind in args.sandbox or ("docker", "local"):
        try:
            provider = make_provider(kind).provider
        except UserError as problem:
            print(f"{kind}: not measured: {problem}")
            continue
        found[kind] = measure(scenario, samples, store, provider)
        print(f"\n{kind}")
        for name, value in found[kind].items():
            target = TARGETS.get(name)
            mark = "" if target is None else f"   target <= {target:g}: {'met' if value <= target else 'MISSED'}"
            print(f"  {name:40}{value:10.3f}{mark}" if isinstance(value, float) else f"  {name:40}{value:10}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
