"""What an agent with a shell may plant in its repository: contained, reported, and without effect on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import Outcome, ToolSet, Verdict
from gitgoodbench.workspace import outcome as outcome_module
from tests.support.merges import MergeCase, begin, call, make_merge, score

pytestmark = pytest.mark.docker

RESOLVE = "printf 'both\\n' > a.py && git add -A && git commit -q -m merged"


@pytest.fixture
def case(tmp_path: Path) -> MergeCase:
    return make_merge(tmp_path / "r.git", {b"a.py": b"0\n"}, {b"a.py": b"1\n"}, {b"a.py": b"2\n"}, {b"a.py": b"both\n"})


def after(case: MergeCase, provider: SandboxProvider, *commands: str) -> tuple[Outcome, Verdict, list[str]]:
    """Outcome, verdict and command results of an agent that runs these commands."""
    with begin(case, provider, ToolSet.SHELL) as (episode, _):
        shown = [run(episode, command) for command in commands]
        for tool in episode.tools:
            if tool.name == "finish" and tool.run({}).is_error:  # said once what is left undone
                assert not tool.run({}).is_error
        outcome = episode.outcome()
    return outcome, score(case, outcome), shown


def run(episode: Any, command: str) -> str:
    return call(episode, "run_command", command=command, timeout_s=60)


def test_an_honest_resolution_through_the_shell(case: MergeCase, docker_provider: SandboxProvider) -> None:
    _, verdict, shown = after(case, docker_provider, RESOLVE)
    assert shown == ["exit code 0"]
    assert verdict.solved
    assert all(verdict.gates.values())


def test_planted_configuration_runs_nothing_here_and_hides_nothing(
    case: MergeCase, docker_provider: SandboxProvider, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    plant = f"""
        mkdir -p .git/hooks && printf '#!/bin/sh\\ntouch {canary}\\nexit 1\\n' > .git/hooks/pre-commit
        cp .git/hooks/pre-commit .git/hooks/reference-transaction && chmod +x .git/hooks/*
        git config core.hooksPath .git/hooks; git config core.fsmonitor 'touch {canary}; false #'
        git config alias.status '!touch {canary}'; git config uploadpack.packObjectsHook 'touch {canary}'
        git config core.sshCommand 'touch {canary}'; git config diff.external 'touch {canary}'
        git config core.untrackedCache true; git config status.showUntrackedFiles no
    """
    outcome, verdict, _ = after(case, docker_provider, RESOLVE, plant, "printf x > left-over.txt")
    assert not canary.exists()
    assert outcome.problem is None
    assert outcome.state["uncommitted"] == ["left-over.txt"]
    assert verdict.solved
    assert not verdict.gates["clean"]


def test_planted_alternates_bring_nothing_in(case: MergeCase, docker_provider: SandboxProvider) -> None:
    borrow = "git init -q /tmp/other && printf '/tmp/other/.git/objects\\n/etc\\n' > .git/objects/info/alternates"
    outcome, verdict, _ = after(case, docker_provider, RESOLVE, borrow)
    assert outcome.problem is None
    assert verdict.solved


def test_a_planted_filter_that_breaks_the_status_is_reported_and_the_commit_still_counts(
    case: MergeCase, docker_provider: SandboxProvider, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    plant = f"git config filter.x.process 'touch {canary}'; printf '* filter=x\\n' > .git/info/attributes; touch a.py"
    outcome, verdict, _ = after(case, docker_provider, RESOLVE, plant)
    assert not canary.exists()
    assert "git status failed" in str(outcome.state["status_problem"])
    assert verdict.solved
    assert not verdict.gates["clean"]


@pytest.mark.parametrize(
    ("ruin", "reason"),
    [
        pytest.param("rm -rf .git", "HEAD names no commit", id="no repository"),
        pytest.param("mv .git /tmp/g && ln -s / .git", "HEAD names no commit", id="a link to the root"),
        pytest.param("printf garbage > .git/HEAD", "HEAD names no commit", id="garbage for HEAD"),
        pytest.param("rm -rf .git/objects/*", "HEAD names no commit", id="no objects"),
        pytest.param("ln -sf /dev/zero .git/index", "", id="an index without end"),
        pytest.param(
            "printf '[include]\\n\\tpath = /dev/stdin\\n[core\\n' >> .git/config", "HEAD names", id="configuration"
        ),
        pytest.param(
            "head -c 3000000 /dev/urandom > big; git add -A; git commit -qm big",
            "more than",
            id="a bundle over the limit",
        ),
    ],
)
def test_a_ruined_repository_is_reported_and_unsolved(
    case: MergeCase, docker_provider: SandboxProvider, ruin: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcome_module, "MAX_BUNDLE_BYTES", 1_000_000)
    _, verdict, _ = after(case, docker_provider, RESOLVE, ruin)
    if reason:
        assert not verdict.solved
        assert verdict.problem is not None
        assert reason in verdict.problem


def test_commands_that_outlive_their_time_are_gone_before_the_outcome_is_taken(
    case: MergeCase, docker_provider: SandboxProvider
) -> None:
    lurk = "(setsid sh -c 'sleep 2; printf changed > a.py; git commit -qam later' </dev/null >/dev/null 2>&1 &)"
    with begin(case, docker_provider, ToolSet.SHELL) as (episode, _):
        run(episode, RESOLVE)
        run(episode, lurk)
        assert "changed" not in run(episode, "sleep 3; cat a.py")
        outcome = episode.outcome()
    assert score(case, outcome).solved


def test_the_way_out_is_closed(case: MergeCase, docker_provider: SandboxProvider) -> None:
    probe = "cat /proc/net/route | wc -l; ls /sys/class/net; git fetch -q https://github.com/a/b 2>&1 | tail -1"
    _, _, (shown,) = after(case, docker_provider, probe)
    assert shown.splitlines()[2:4] == ["1", "lo"] or "\n0\nlo\n" in shown
    assert "github.com" in shown


def test_output_is_capped(case: MergeCase, docker_provider: SandboxProvider) -> None:
    _, _, (shown,) = after(case, docker_provider, "head -c 10000000 /dev/zero | tr '\\0' x")
    assert len(shown) < 40_000
    assert "left out" in shown


def test_killing_everything_costs_the_agent_only_its_command(case: MergeCase, docker_provider: SandboxProvider) -> None:
    _, verdict, _ = after(case, docker_provider, "kill -9 -1", RESOLVE)
    assert verdict.solved
