"""Variables mean what their command says: which commands take them, and who is blamed for their values."""

from __future__ import annotations

import pytest
import typer

from gitgoodbench.cli import app
from tests.cli.conftest import CommandLine

MACHINE = {
    "GITGOODBENCH_ENV_FILE",
    "GITGOODBENCH_EVENTS",
    "GITGOODBENCH_JOBS",
    "GITGOODBENCH_OFFLINE",
    "GITGOODBENCH_OTEL",
    "GITGOODBENCH_REPOS",
}


def variables_of(command: str) -> set[str]:
    group = typer.main.get_command(app)
    parameters = group.commands[command].params  # type: ignore[attr-defined]
    return {parameter.envvar for parameter in parameters if parameter.envvar}


def test_eval_alone_takes_variables_of_what_decides_results() -> None:
    assert {"GITGOODBENCH_JUDGE_MODEL", "GITGOODBENCH_OUT", "GITGOODBENCH_MAX_TURNS"} <= variables_of("eval")
    for command in ("resume", "score", "report", "show", "mine", "build-dataset", "validate", "clean", "doctor"):
        assert variables_of(command) <= MACHINE, command


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("MAX_COTS", "5", "the variable GITGOODBENCH_MAX_COTS means nothing: did you mean GITGOODBENCH_MAX_COST?"),
        ("CASHE", "/x", "the variable GITGOODBENCH_CASHE means nothing: did you mean GITGOODBENCH_CACHE?"),
        ("MAX_TURNS", "many", "(the variable GITGOODBENCH_MAX_TURNS sets --max-turns)"),
        ("AGENT", "nop", "--agent nop: there is no agent 'nop'; did you mean noop?"),
        ("AGENT", "nobody-at-all", "(the variable GITGOODBENCH_AGENT sets --agent)"),
        (
            "SCENARIO",
            "mrc",
            "mean mcr? installed are: mcr (the variable GITGOODBENCH_SCENARIO sets --scenario)",
        ),
        ("OPT", "icc.hunks=most", "(the variable GITGOODBENCH_OPT sets --opt)"),
    ],
)
def test_a_wrong_variable_is_blamed_by_its_name(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, expected: str
) -> None:
    monkeypatch.setenv(f"GITGOODBENCH_{variable}", value)
    shown = command.eval()
    assert shown.code == 2
    assert expected in shown.error


def test_the_command_line_is_not_blamed_on_a_variable(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITGOODBENCH_AGENT", "noop")
    assert "GITGOODBENCH_AGENT" not in command.eval("--agent", "nobody").error


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('max-turns = "many"', "(the file of --config sets --max-turns)"),
        ('agent = "nobody"', "(the file of --config sets --agent)"),
        ("max-tunrs = 3", "'max_tunrs' is no flag of this command; did you mean max-turns?"),
    ],
)
def test_a_wrong_value_of_the_file_is_blamed_on_it(command: CommandLine, line: str, expected: str) -> None:
    (command.folder / "run.toml").write_text(line)
    shown = command.eval("--config", command.folder / "run.toml")
    assert shown.code == 2
    assert expected in shown.error
