"""What differs between the runs that are compared: named with both values, and what it bears on."""

from __future__ import annotations

from typing import Any

import pytest

from gitgoodbench.comparing.compare import compare_runs
from gitgoodbench.comparing.matching import PlayedRun
from gitgoodbench.plugins import Pin
from gitgoodbench.runs.manifest import ScoringPin
from gitgoodbench.scoring.judge.options import JudgeKind
from gitgoodbench.tools import ToolSet
from tests.support.compared import played, results_of, values_by_what


def with_manifest(run: PlayedRun, **changes: Any) -> PlayedRun:
    return PlayedRun(run.name, run.folder, run.manifest.model_copy(update=changes), run.results)


def found_between(a: PlayedRun, b: PlayedRun) -> Any:
    return values_by_what(compare_runs([a, b]).disagreements)


def test_agents_and_models_are_what_is_compared() -> None:
    a = played("openai", "1", model="x", temperature=0.0)
    b = played("b", "0", model="y", temperature=1.0, reasoning_effort="low")
    comparison = compare_runs([a, b])
    assert comparison.warnings == ()
    assert values_by_what(comparison.disagreements) == {
        "agent name": ("subject", {"openai": "openai", "b": "b"}),
        "agent model": ("subject", {"openai": "x", "b": "y"}),
        "--temperature": ("subject", {"openai": "0.0", "b": "1.0"}),
        "--reasoning-effort": ("subject", {"openai": "none", "b": "low"}),
    }


@pytest.mark.parametrize(
    ("config", "what", "values"),
    [
        ({"tools": ToolSet.EXTENDED}, "--tools", ("published", "extended")),
        ({"max_turns": 9}, "--max-turns", ("50", "9")),
        ({"max_tokens": 1000}, "--max-tokens", ("none", "1000")),
        ({"timeout": 60.0}, "--timeout", ("1800.0", "60.0")),
        ({"history": 3}, "--history", ("none", "3")),
        ({"judge": JudgeKind.LLM, "judge_model": ("m",)}, "--judge", ("none", "llm")),
        ({"opt": ("icc.hunks=all",)}, "--opt", ("[]", '["icc.hunks=all"]')),
    ],
)
def test_flags_that_decide_results_are_warned_of(config: dict[str, Any], what: str, values: tuple[str, str]) -> None:
    found = found_between(played("a", "1"), played("b", "1", **config))
    assert found[what] == ("comparison", dict(zip("ab", values, strict=True)))


def test_suite_prompts_sandbox_and_judges_instructions_are_warned_of() -> None:
    a, b = played("a", "1"), played("b", "1")
    other = with_manifest(
        b,
        suite=b.manifest.suite.model_copy(update={"fingerprint": "e" * 64}),
        scenarios={"mcr": "b" * 64},
        sandbox={"kind": "local", "git": "2.51.0"},
        judge={"prompt": "c" * 64},
    )
    found = found_between(a, other)
    assert found["suite fingerprint"] == ("comparison", {"a": a.manifest.suite.fingerprint[:12], "b": "e" * 12})
    assert found["prompts and tool schemas of mcr"] == ("comparison", {"a": "f" * 12, "b": "b" * 12})
    assert found["sandbox git"] == ("comparison", {"a": "2.39.5", "b": "2.51.0"})
    assert found["instructions of the judge"] == ("comparison", {"a": "none", "b": "c" * 12})


def test_what_scored_a_run_again_is_warned_of() -> None:
    a, b = played("a", "1"), played("b", "1")
    again = ScoringPin(started="2026-01-01T00:00:00Z", git="2.51.0", distributions={"gitgoodbench": Pin(version="9.9")})
    found = found_between(a, with_manifest(b, rescored=again))
    assert found["scored by git"] == ("comparison", {"a": a.manifest.host.git, "b": "2.51.0"})
    assert found["scored by gitgoodbench"][1]["b"] == "9.9"


def test_results_say_themselves_what_scored_them() -> None:
    a = played("a", results_of("11", scored_by={"gitgoodbench": "1 x"}))
    mixed = [
        *results_of("1", scored_by={"gitgoodbench": "1 x"}),
        *results_of("11", scored_by={"gitgoodbench": "2 y"})[1:],
    ]
    found = found_between(a, played("b", mixed))
    assert found["scored by gitgoodbench"] == ("comparison", {"a": "1 x", "b": "1 x and 2 y"})


def test_other_episodes_bear_on_what_is_matched_and_jobs_on_seconds() -> None:
    found = found_between(played("a", "111"), played("b", "11", limit=2, jobs=4))
    assert found["--limit"] == ("matching", {"a": "none", "b": "2"})
    assert found["episodes planned"][0] == "matching"
    assert found["--jobs"] == ("seconds", {"a": "1", "b": "4"})


def test_episodes_without_a_result_are_warned_of_in_both_runs() -> None:
    a, b = played("a", "111"), played("b", "111")
    short = [PlayedRun(run.name, run.folder, run.manifest, run.results[:2]) for run in (a, b)]
    assert found_between(*short)["episodes without a result"] == ("matching", {"a": "1", "b": "1"})


def test_what_only_one_run_plays_is_no_difference() -> None:
    a = with_manifest(played("a", "1"), scenarios={"mcr": "f" * 64, "ir": "1" * 64}, plugins={"scenario ir": "x"})
    assert set(found_between(a, played("b", "1"))) == {"agent name"}


def test_another_package_of_an_agent_is_what_is_compared_and_of_a_scenario_is_not() -> None:
    def run(name: str, kind: str, version: str) -> PlayedRun:
        pins = {"gitgoodbench": Pin(version="1"), "p": Pin(version=version)}
        return with_manifest(played(name, "1"), plugins={f"{kind} x": "p"}, distributions=pins)

    assert found_between(run("a", "agent", "1"), run("b", "agent", "2"))["package p"][0] == "subject"
    assert found_between(run("a", "score", "1"), run("b", "score", "2"))["package p"][0] == "comparison"
