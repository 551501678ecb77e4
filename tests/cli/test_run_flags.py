"""Flags are made of the fields of `RunConfig`, and of nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer

from gitgoodbench.cli import app
from gitgoodbench.cli.options import run_flags, said
from gitgoodbench.errors import UserError
from gitgoodbench.runs.config import MAY_CHANGE, RunConfig, make_config
from tests.cli.conftest import CommandLine

ROOT: Any = typer.main.get_command(app)
OWN = {"run_id", "out", "config", "env_file", "dry_run", "events", "otel"}


def flags_of(command: str) -> dict[str, Any]:
    return {parameter.name: parameter for parameter in ROOT.commands[command].params}


def test_eval_has_a_flag_and_a_variable_for_every_field_of_a_run() -> None:
    flags = flags_of("eval")
    assert set(flags) == set(RunConfig.model_fields) | OWN
    assert flags["max_turns"].opts == ["--max-turns"]
    assert flags["limit"].opts == ["--limit", "-n"]
    assert {name: flag.envvar for name, flag in flags.items()} == {
        name: None if name == "cache" else f"GITGOODBENCH_{name.upper()}"  # GITGOODBENCH_CACHE is a folder
        for name in flags
    }


def test_resume_has_a_flag_for_what_may_change_and_no_other() -> None:
    assert set(flags_of("resume")) == {"runs", "env_file", "events", "otel", *MAY_CHANGE}
    assert MAY_CHANGE == (
        "base_url", "header", "request_timeout", "max_connections", "price_input", "price_output", "judge_base_url",
        "judge_price_input", "judge_price_output", "jobs", "order", "backend", "cluster", "driver_address", "max_cost",
        "cache_answers", "max_failures", "retry_failed", "repos", "cache_size", "offline", "skip_invalid",
    )  # fmt: skip


def test_defaults_are_those_of_the_fields() -> None:
    flags = flags_of("eval")
    assert (flags["max_turns"].default, flags["timeout"].default) == (50, 1800.0)
    assert (flags["tools"].default, flags["jobs"].default, flags["judge"].default, flags["agent"].default) == (
        None,
    ) * 4


@pytest.mark.parametrize(("flag", "value"), [("--judge-repeats", "0"), ("--judge-repeats", "26"), ("--limit", "0")])
def test_a_value_outside_the_bounds_of_its_field_is_refused(command: CommandLine, flag: str, value: str) -> None:
    shown = command.eval("--agent", "noop", flag, value)
    assert (shown.code, f"Invalid value for '{flag}'" in shown.error) == (2, True)


def test_a_command_takes_the_fields_it_names_with_their_types() -> None:
    taken: dict[str, Any] = {}
    small = typer.Typer()

    @small.command()
    @run_flags("suite", "scenario", "tools", "judge", "judge_model", "jobs", "repos", "offline")
    def play(**fields: Any) -> int:
        taken.update(said(fields))
        return 0

    small(["s", "--scenario", "mcr", "--scenario", "icc", "-j", "2", "--repos", "m"], standalone_mode=False)
    assert taken == {"suite": "s", "scenario": ["mcr", "icc"], "jobs": 2, "repos": Path("m")}


def test_a_field_takes_one_value_or_several_and_a_folder_becomes_absolute(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    config = make_config(suite="s", scenario="mcr", language=["java", "kotlin"], sample=None, score=None, repos="~/m")
    assert (config.scenario, config.language, config.sample, config.score) == (("mcr",), ("java", "kotlin"), (), None)
    assert config.repos == tmp_path.resolve() / "m"


def test_a_field_that_is_not_declared_is_refused() -> None:
    with pytest.raises(UserError, match=r"^--max-turn 3: extra inputs are not permitted"):
        make_config(suite="s", max_turn=3)
