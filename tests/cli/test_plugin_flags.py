"""Options of plug-ins under names of their own: as flags, variables, keys of a file, and keywords."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.cli import running
from gitgoodbench.cli.aliases import plugin_flags
from gitgoodbench.cli.running import open_provider
from gitgoodbench.errors import UserError
from gitgoodbench.mining.mined_file import write_mined
from gitgoodbench.plugins import RUN_GROUPS, SAMPLES
from gitgoodbench.runs.config import make_config
from gitgoodbench.runs.manifest import read_manifest
from gitgoodbench.runs.paths import RunPaths
from tests.cli.conftest import CommandLine
from tests.support.mined import merge_candidate, mined_row

VALUE = "--opt icc.hunks=most: input should be 'chain-file' or 'all'"


@pytest.mark.parametrize("flag", [("--hunks", "most"), ("--hunks=most",), ("--opt", "icc.hunks=most")])
def test_a_flag_of_a_plug_in_is_its_option(command: CommandLine, flag: tuple[str, ...]) -> None:
    shown = command("eval", "mini", "--agent", "noop", "--sandbox", "local", *flag)
    assert (shown.code, VALUE in shown.error) == (2, True)


def test_so_is_a_variable_and_the_command_line_goes_before_it(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITGOODBENCH_HUNKS", "most")
    assert VALUE in command("eval", "mini", "--agent", "noop", "--sandbox", "local").error
    shown = command("eval", "mini", "--agent", "noop", "--sandbox", "local", "--hunks", "few")
    assert "--opt icc.hunks=few" in shown.error


def test_so_is_a_key_of_a_configuration_file(command: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('hunks = "most"\nagent = "noop"\nsandbox = "local"\n')
    assert VALUE in command("eval", "mini", "--config", str(file)).error
    file.write_text('hunk = "most"\n')
    assert "'hunk' is no flag of this command" in command("eval", "mini", "--config", str(file)).error


def test_a_flag_that_no_plug_in_has_is_refused_and_one_without_a_value_too(command: CommandLine) -> None:
    assert "No such option: --hunk" in command("eval", "mini", "--hunk", "all").error
    assert "--hunks needs a value" in command("eval", "mini", "--hunks").error
    assert "No such option: --hunks" in command("mine", "a/b", "--hunks", "all").error


def test_a_field_of_before_is_an_option_and_its_default_is_none() -> None:
    assert make_config(suite="mini", hunks="all").opt == ("icc.hunks=all",)
    assert make_config(suite="mini", hunks="chain-file").opt == ()
    with pytest.raises(UserError, match="--hunk all"):
        make_config(suite="mini", hunk="all")


def test_the_flag_of_a_switch_takes_no_value(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [mined_row(merge_candidate(1, attainable=False)), mined_row(merge_candidate(2))]
    write_mined(rows, command.folder / "mined.jsonl")
    build = ("build-dataset", "mined.jsonl", "--out", "d", "--no-plots", "--without", "projects")
    assert row_of("attainable", command(*build).out)[-1] == "off"
    assert row_of("attainable", command(*build, "--attainable-only").out)[-2:] == ["1", "0"]
    assert row_of("attainable", command(*build, "--attainable-only=false").out)[-1] == "off"
    assert "merge.attainable_only=maybe" in command(*build, "--attainable-only=maybe").error
    monkeypatch.setenv("GITGOODBENCH_ATTAINABLE_ONLY", "1")
    assert row_of("attainable", command(*build).out)[-2:] == ["1", "0"]


def row_of(first: str, table: str) -> list[str]:
    """The line of a table that begins with a word."""
    return next(words for line in table.split("\n") if (words := line.split())[:1] == [first])


IMAGE = "not used, since it is for --sandbox docker: docker.image (--image)"


@pytest.mark.parametrize("said", ["flag", "variable", "file"])
def test_the_image_of_another_sandbox_is_said_to_do_nothing_wherever_it_was_named(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    """An `--opt` of the command line takes nothing from a file's flags of plug-ins."""
    monkeypatch.setattr(running, "open_provider", open_provider)  # not the fixture's
    more: tuple[str, ...] = ()
    if said == "flag":
        more = ("--image", "mine:1")
    elif said == "variable":
        monkeypatch.setenv("GITGOODBENCH_IMAGE", "mine:1")
    else:
        (command.folder / "run.toml").write_text('image = "mine:1"\n')
        more = ("--config", "run.toml", "--opt", "icc.hunks=all")
    shown = command.noop("--sandbox", "local", *more)
    assert (shown.code, IMAGE in shown.err) == (0, True)
    config = read_manifest(RunPaths(command.out / "r")).config
    assert "docker.image=mine:1" in config.opt
    assert command("resume", command.out / "r").code == 0


def options_behind(*groups: str) -> dict[str, str]:
    return {name: aliased.option for name, aliased in plugin_flags(*groups)("any").aliases().items()}


def test_flags_belong_to_the_commands_whose_plug_ins_have_them() -> None:
    assert options_behind(*RUN_GROUPS) == {
        "docker_host": "docker.docker_host",
        "hunks": "icc.hunks",
        "image": "docker.image",
    }
    assert options_behind(SAMPLES) == {
        "attainable_only": "merge.attainable_only",
        "max_chain": "file_commit_chain.max_commits",
        "max_conflicts": "merge.max_conflicts",
        "min_chain": "file_commit_chain.min_commits",
    }
