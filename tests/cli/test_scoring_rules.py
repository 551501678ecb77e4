"""What scored a run last: written down, a reason not to resume, and shown where it is not the same everywhere."""

from __future__ import annotations

import json

import pytest

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.version import host_git_version
from gitgoodbench.plugins import Pin
from gitgoodbench.runs import manifest
from gitgoodbench.runs.manifest import read_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.scenario import Outcome, Verdict
from tests.cli.conftest import CommandLine, Result
from tests.support.fake_runs import SOLVED, FakeScenario

OTHER = Pin(version="9.9", source="0" * 64)


def scored_by(command: CommandLine) -> list[dict[str, str]]:
    return [json.loads(path.read_bytes())["scored_by"] for path in command.results()]


def score_by_others(command: CommandLine) -> Result:
    """`gitgoodbench score`, while another version of the harness is installed."""
    with pytest.MonkeyPatch.context() as others:
        others.setattr(manifest, "pin", lambda name: OTHER)  # noqa: ARG005
        return command("score", "r")


def test_each_result_and_the_manifest_say_what_scored_them(command: CommandLine) -> None:
    command.noop("--limit", "2")
    paths = RunPaths(command.out / "r")
    made = read_manifest(paths)
    rules = {"gitgoodbench": made.distributions["gitgoodbench"].rule, "git": host_git_version()}
    assert (made.scoring.rules, made.rescored) == (rules, None)
    assert scored_by(command) == [rules] * 2
    command("score", "r")
    again = read_manifest(paths)
    assert again.rescored is not None
    assert again.rescored.rules == rules
    assert command("resume", "r").code == 0


def test_a_run_that_other_rules_scored_last_is_not_resumed(command: CommandLine) -> None:
    command.noop("--limit", "2")
    shown = score_by_others(command)
    assert "2 outcomes scored, 0 results changed" in shown.err
    rules = {"gitgoodbench": "9.9 source 000000000000", "git": host_git_version()}
    assert scored_by(command) == [rules] * 2
    refused = command("resume", "r")
    assert refused.code == 2
    assert "(scored again by gitgoodbench: 9.9 source 000000000000, now 0.1.0 source " in refused.error
    command("score", "r")
    assert command("resume", "r").code == 0


def test_a_report_says_where_results_were_scored_by_different_rules(command: CommandLine) -> None:
    command.noop("--limit", "2")
    before = read_manifest(RunPaths(command.out / "r")).scoring.rules["gitgoodbench"]
    assert "different rules" not in command("report", "r").out

    def unwilling(sample: Sample, outcome: Outcome) -> Verdict:  # noqa: ARG001
        if sample.id == "s0":
            raise GitGoodBenchError("no space")
        return SOLVED

    command.scenario = FakeScenario(verdict=unwilling)
    shown = score_by_others(command).out
    git = host_git_version()
    assert shown.rstrip("\n").split("\n")[-3:] == [
        "scored by different rules, so not to be compared (gitgoodbench score RUN scores all by those of now):",
        f"  noop: 1 of 2 by gitgoodbench {before}, git {git}",
        f"  noop: 1 of 2 by gitgoodbench 9.9 source 000000000000, git {git}",
    ]
