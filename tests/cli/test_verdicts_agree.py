"""What the reference agents come to on the built-in suite, and that it is the same wherever they run."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.cli import run

CHAIN_AGENTS = (
    "noop", "squash-all", "autosquash", "one-commit", "per-hunk", "by-definition", "tool-oracle", "oracle",
)  # fmt: skip


def verdicts(folder: Path, *flags: str, agents: tuple[str, ...]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """What each episode came to: status, solved, gates, scores and facts, without times and ids of runs."""
    named = [word for agent in agents for word in ("--agent", agent)]
    assert run(["eval", "mini", *named, *flags, "--jobs", "2", "--out", str(folder)]) == 0
    kept = ("status", "success", "solved", "solved_paper", "gates", "scores", "facts")
    found = {}
    for file in folder.glob("*/samples/*/*/*/result.json"):
        result = json.loads(file.read_text(encoding="utf-8"))
        key = (result["agent"], result["scenario"], result["sample_id"])
        found[key] = {name: result[name] for name in kept}
    return found


@pytest.mark.docker
@pytest.mark.usefixtures("docker_provider")
@pytest.mark.parametrize(
    ("flags", "agents", "episodes"),
    [
        pytest.param(("--scenario", "mcr"), ("tool-oracle",), 34, id="merges"),
        pytest.param(("--sample", "mini_[ct]*_file_commit_chain_0001"), CHAIN_AGENTS, 20, id="chains"),
        pytest.param(
            ("--sample", "*_file_commit_chain_0002", "--tools", "extended", "--hunks", "all"),
            ("autosquash", "tool-oracle"), 6, id="extended tools, hunks of all files",
        ),
    ],
)  # fmt: skip
def test_docker_and_local_sandboxes_give_the_same_verdicts_on_the_built_in_suite(
    tmp_path: Path, flags: tuple[str, ...], agents: tuple[str, ...], episodes: int
) -> None:
    local, docker = (
        verdicts(tmp_path / kind, *flags, "--sandbox", kind, agents=agents) for kind in ("local", "docker")
    )
    assert len(local) == episodes
    assert local == docker


def test_tool_oracle_solves_exactly_the_merges_and_picks_that_are_attainable(tmp_path: Path) -> None:
    chosen = ("--scenario", "mcr", "--scenario", "pick")
    found = verdicts(tmp_path, *chosen, "--sandbox", "local", agents=("tool-oracle",))
    assert len(found) == 34 + 13
    assert all(verdict["solved"] == verdict["facts"]["attainable"] for verdict in found.values())


def test_oracle_meets_every_gate_on_every_built_in_sample_and_solves_every_merge(tmp_path: Path) -> None:
    found = verdicts(tmp_path, "--sandbox", "local", agents=("oracle",))
    count = Counter(scenario for _, scenario, _ in found)
    assert count == {"mcr": 34, "pick": 13, "ir": 21, "icc": 21}
    assert all(verdict["status"] == "completed" for verdict in found.values())
    assert {name for verdict in found.values() for name, met in verdict["gates"].items() if not met} == set()
    exact = ("mcr", "pick")
    assert {verdict["solved"] for (_, scenario, _), verdict in found.items() if scenario in exact} == {True}
    chains = [verdict for (_, scenario, _), verdict in found.items() if scenario not in exact]
    assert {verdict["scores"]["commits_reproduced"] for verdict in chains} == {1.0}
    assert {verdict["scores"]["syntax_valid"] for verdict in chains} == {1.0}


def test_who_does_nothing_or_puts_everything_together_gains_nothing(tmp_path: Path) -> None:
    sample = ("--sample", "*_file_commit_chain_0000", "--sandbox", "local")
    found = verdicts(tmp_path, *sample, agents=("noop", "squash-all", "one-commit"))
    assert len(found) == 12
    for (agent, scenario, _), verdict in found.items():
        assert verdict["solved"] is None
        if agent == "noop":
            assert verdict["status"] == "gave_up"
            assert not all(verdict["gates"].values())
            assert verdict["gates"]["history_changed" if scenario == "ir" else "final_tree_exact"] is False
        else:
            assert all(verdict["gates"].values())
            assert verdict["scores"]["commits_reproduced"] == 0
            assert verdict["scores"]["line_grouping"] < 0.5
            alone = agent == "squash-all" or verdict["facts"]["files_changed"] == 1
            assert verdict["scores"]["several_commits"] == float(not alone)
