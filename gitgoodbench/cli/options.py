"""How flags are made: from the declaration of a run, or, for what belongs to no run, one by one."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer

from gitgoodbench.cli.env_file import read_env_file
from gitgoodbench.runs.config import FLAGS, RunConfig, spelling
from gitgoodbench.runs.flag import SEVERAL

VARIABLE: Final = "GITGOODBENCH_"
"""How names of variables begin."""

NO_FLAGS: Final = ("GITGOODBENCH_CACHE", "GITGOODBENCH_JUDGE_API_KEY")
"""Variables that set no flag: the cache folder, so that `--cache` has no variable, and a key."""

_BOUNDS = {"min": "ge", "max": "le"}

Command = TypeVar("Command", bound=Callable[..., int])


class Dimension(StrEnum):
    """Values of --by."""

    DIFFICULTY = "difficulty"
    LANGUAGE = "language"


class ImageBase(StrEnum):
    """Values of --base."""

    AUTO = "auto"
    REGISTRY = "registry"
    DEBOOTSTRAP = "debootstrap"


MACHINE: Final = ("jobs", "repos", "offline")
"""What is of this machine, not of a run: the variables of these count for every command that has the flag."""


def option(flag: str, *short: str, **settings: Any) -> Any:
    """An option that only the command line sets."""
    return typer.Option(flag, *short, **settings)


def variable_option(flag: str, *short: str, **settings: Any) -> Any:
    """An option with its environment variable: `--max-turns` is also GITGOODBENCH_MAX_TURNS."""
    return typer.Option(flag, *short, envvar=variable_of(flag), show_envvar=False, **settings)


def variable_of(flag: str) -> str:
    """The environment variable of a flag."""
    return f"{VARIABLE}{flag.partition('/')[0].removeprefix('--').upper().replace('-', '_')}"


def flag_of(name: str, *, variable: bool) -> Any:
    """The flag that a field of `RunConfig` declares, or the argument where every run needs it."""
    field, flag = RunConfig.model_fields[name], FLAGS[name]
    if field.is_required():
        return typer.Argument(
            envvar=variable_of(spelling(name)) if variable else None,
            show_envvar=False,
            metavar=spelling(name),
            help=flag.help,
        )
    bounds = {key: getattr(part, by) for key, by in _BOUNDS.items() for part in field.metadata if hasattr(part, by)}
    make = variable_option if variable and variable_of(spelling(name)) not in NO_FLAGS else option
    read = _by_lines if flag.blanks else None
    return make(_names(name), *flag.short, help=flag.help, metavar=flag.metavar, callback=read, **bounds)


def _by_lines(context: typer.Context, parameter: typer.CallbackParam, values: list[str] | None) -> list[str] | None:
    """The values of a flag; those of its variable, which typer takes apart at blanks, are its lines."""
    source = context.get_parameter_source(parameter.name or "")
    if source is None or source.name != "ENVIRONMENT":
        return values
    lines = os.environ[str(parameter.envvar)].splitlines()
    return [line.strip() for line in lines if line.strip()]


def _names(name: str) -> str:
    """The flag of a field; where switching it off says something, too, both."""
    on = spelling(name)
    both = RunConfig.model_fields[name].annotation == (bool | None)
    return f"{on}/--no-{on.removeprefix('--')}" if both else on


def run_flags(*fields: str, variables: Collection[str] = MACHINE) -> Callable[[Command], Command]:
    """Give a command the flags of these fields of `RunConfig`, which it takes as `**fields`.

    variables: the fields that a variable sets, too. A command that changes stored results takes none that decides them.
    """

    def declare(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        own = [part.replace(kind=part.KEYWORD_ONLY) for part in signature.parameters.values() if part.name != "fields"]
        declared = signature.replace(parameters=[*(_parameter(name, name in variables) for name in fields), *own])
        command.__signature__ = declared  # type: ignore[attr-defined]
        return command

    return declare


def _parameter(name: str, variable: bool) -> inspect.Parameter:
    field, flag = RunConfig.model_fields[name], FLAGS[name]
    several = flag.each or SEVERAL in field.metadata
    default = inspect.Parameter.empty if field.is_required() else None if several or flag.decided else field.default
    kind: Any = list[str] if several else field.annotation
    annotation: Any = Annotated[kind if default is not None else kind | None, flag_of(name, variable=variable)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def said(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a user said something about; a switch that is off was not said, unless that can be said, too."""
    return {name: value for name, value in fields.items() if value not in (None, []) and (value or _says(name, value))}


def _says(name: str, value: Any) -> bool:
    """Whether an empty value is more than the absence of one."""
    return value is not False or (name in FLAGS and FLAGS[name].decided)


Runs = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Run folders, or ids of runs under results/.", show_default=False)
]
Jobs = Annotated[int | None, flag_of("jobs", variable=True)]
Repos = Annotated[Path | None, flag_of("repos", variable=True)]
Offline = Annotated[bool, flag_of("offline", variable=True)]
EnvFile = Annotated[
    Path | None,
    variable_option(
        "--env-file",
        is_eager=True,
        callback=read_env_file,
        metavar="FILE",
        help="Variables to set, such as a .env with OPENAI_API_KEY; those that are set already win.",
    ),
]
Events = Annotated[
    str | None,
    variable_option(
        "--events",
        metavar="FILE",
        help="Append the events of run.log to this file as well, one JSON object a line; - is standard output.",
    ),
]
OpenTelemetry = Annotated[
    bool,
    variable_option(
        "--otel", help="Send OpenTelemetry spans, without any content, to where the OTEL_* variables say (extra otel)."
    ),
]
