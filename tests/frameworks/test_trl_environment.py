"""Environments for TRL, played as GRPOTrainer of TRL 1.16 plays them. test_trl_trainer has the trainer itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from transformers.utils.chat_template_utils import get_json_schema

from gitgoodbench import UserError, tool_schemas
from gitgoodbench.frameworks.trl import Environment, environment, rows
from tests.support.leftovers import leftovers

SCENARIOS = ("mcr", "ir", "icc")
Calls = Sequence[tuple[str, dict[str, Any]]]


def kind_of(scenario: str) -> type[Environment]:
    return environment(scenario, sandbox="local", offline=True)


def tools_of(instance: Environment) -> dict[str, Callable[..., str]]:
    """As `_generate_and_score_completions` finds them: on the class, all without an underscore."""
    return {
        name: getattr(instance, name)
        for name, _ in inspect.getmembers(type(instance), predicate=inspect.isfunction)
        if name not in ("reset", "get_reward") and not name.startswith("_")
    }


def rollout(instance: Environment, row: Mapping[str, Any], calls: Calls) -> float:
    """One completion of a batch: reset with the row's columns, the calls, the reward."""
    assert instance.reset(**row) is None  # type: ignore[func-returns-value]
    tools = tools_of(instance)
    for name, arguments in calls:
        assert isinstance(tools[name](**arguments), str)
    return instance.get_reward()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_its_tools_are_those_of_the_scenario_and_transformers_reads_them(scenario: str) -> None:
    found = {name: get_json_schema(tool)["function"] for name, tool in tools_of(kind_of(scenario)()).items()}
    expected = {schema["function"]["name"]: schema["function"] for schema in tool_schemas(scenario)}
    assert sorted(found) == sorted(expected)
    for name, function in found.items():
        assert function["parameters"]["properties"].keys() == expected[name]["parameters"]["properties"].keys()


def test_an_environment_is_reset_again_and_again_and_gives_the_same_reward() -> None:
    instance = kind_of("mcr")()
    row = rows(type(instance))[1]
    calls = [("resolve_current_merge_conflict_with", {"content": "mine\n", "reason": "an example"})]
    first = rollout(instance, row, calls)
    assert [rollout(instance, row, calls) for _ in range(2)] == [first, first]
    assert instance.get_reward() == first
    assert rollout(instance, row, []) == 0.0


def test_a_rollout_that_is_dropped_leaves_nothing() -> None:
    def play_two_and_drop() -> None:
        instance = kind_of("icc")()
        instance.reset(**rows(type(instance))[0])
        instance.reset(**rows(type(instance))[1])

    play_two_and_drop()  # the bench keeps what rollouts of one sample share
    before = leftovers()
    play_two_and_drop()
    assert leftovers() == before


def test_a_row_that_names_no_task_is_told() -> None:
    instance = kind_of("mcr")()
    with pytest.raises(UserError, match="a row needs a column `task`, the id of its task, and has: prompt"):
        instance.reset(prompt=[])
    with pytest.raises(UserError, match="there is no task 'mcr/none'"):
        instance.reset(task="mcr/none")
    with pytest.raises(UserError, match="there is no reward before reset"):
        instance.get_reward()


def test_a_shell_is_refused_at_once_where_the_sandbox_does_not_contain_it() -> None:
    with pytest.raises(UserError, match="--tools shell needs a sandbox that contains it, and local does not"):
        environment("mcr", tools="shell", sandbox="local", offline=True)


@pytest.mark.docker
@pytest.mark.usefixtures("docker_provider")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_shell_is_offered_in_a_container(scenario: str) -> None:
    instance = environment(scenario, tools="shell", sandbox="docker", offline=True)()
    assert sorted(tools_of(instance)) == ["finish", "run_command"]
    commands = {
        "mcr": "git checkout --theirs . && git add -A && git commit -qm merged",
        "ir": "git reset -q --soft HEAD~1 && git commit -qm squashed --amend",
        "icc": "git add -A && git commit -qm all",
    }
    row = rows(type(instance))[0]
    finished = [("run_command", {"command": commands[scenario]}), ("finish", {})]
    first = rollout(instance, row, finished)
    assert 0 < first <= 1
    assert rollout(instance, row, finished) == first
    assert rollout(instance, row, finished[:1]) <= first
    assert rollout(instance, row, []) == 0
