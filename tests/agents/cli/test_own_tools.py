"""The tool set `own`: what is said to an agent that brings its tools, and who may have it."""

from __future__ import annotations

import re

import pytest

from gitgoodbench.api.bench import Bench
from gitgoodbench.api.running import evaluate
from gitgoodbench.api.tools import tool_schemas
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.errors import UserError
from gitgoodbench.scenario import EpisodeOptions, PreviewingScenario, ToolSet, load_scenarios
from gitgoodbench.workspace.store import open_store

SCENARIOS = sorted(load_scenarios())
DONE = {
    "mcr": "When the merge is committed",
    "icc": "When everything is committed",
    "ir": "When no rebase is under way",
}


def _prompt(name: str, tools: ToolSet) -> tuple[str, list[object]]:
    scenario = load_scenarios()[name]
    assert isinstance(scenario, PreviewingScenario)
    sample = next(sample for sample in load_suite("mini").samples if scenario.applies_to(sample))
    preview = scenario.preview(sample, open_store(None, offline=True), EpisodeOptions(tools))
    return "\n".join(message["content"] for message in preview.prompt), list(preview.tools)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_prompt_says_what_to_do_and_when_it_is_done_and_names_no_tool_of_ours(name: str) -> None:
    said, tools = _prompt(name, ToolSet.OWN)
    scenario = load_scenarios()[name]
    assert isinstance(scenario, PreviewingScenario)
    ours = {tool.name for tools in ToolSet for tool in scenario.tools_of(tools)}
    assert {"run_command", "finish"} <= ours
    assert [word for word in ours - {"finish"} if re.search(rf"\b{word}\b", said)] == []
    assert not re.search(r"call finish|finish\(", said)
    assert tools == []
    assert DONE.get(name, "") in said
    assert "`git status` is clean" in said
    assert "no network, and nobody to ask" in said


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_task_is_the_same_as_with_a_shell(name: str) -> None:
    """Only the lines on tools differ."""
    own, _ = _prompt(name, ToolSet.OWN)
    shell, _ = _prompt(name, ToolSet.SHELL)
    differing = set(own.splitlines()) ^ set(shell.splitlines())
    telling = ("tool", "shell", "run_command", "finish", "nobody to ask", "Example calls:")
    last = (
        "Resolve all conflicts and commit the merge.",
        "Resolve all conflicts and commit the result.",
        "Commit all of it.",
        "Rewrite them.",
    )
    assert [line for line in differing if line not in last and not any(word in line for word in telling)] == []


def test_who_wants_to_call_tools_is_told_why_there_are_none() -> None:
    with pytest.raises(UserError, match=r"tools own: it offers none, and is for programs .*codex, command.*take shell"):
        Bench("mini", tools="own", offline=True)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="tools own: it offers none"):
        evaluate("mini", lambda _session: None, tools="own", offline=True)
    with pytest.raises(UserError, match="tools own: it offers none"):
        tool_schemas("mcr", "own")  # type: ignore[arg-type]
