"""`--config FILE`: defaults for flags, in TOML. The command line and the environment win over it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import typer

from gitgoodbench.cli.aliases import read_aliases
from gitgoodbench.errors import UserError
from gitgoodbench.text import did_you_mean


def read_config_file(context: typer.Context, path: Path | None) -> Path | None:
    """Make the values of a file the defaults of the command; keys are flags, with dashes or underscores.

    Raises:
        UserError: the file cannot be read, is no TOML, or holds a key that is no flag.
    """
    if path is None:
        return None
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise UserError(f"--config {path} cannot be read: {problem.strerror}") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise UserError(f"--config {path} is not TOML: {problem}") from problem
    flags = {name for parameter in context.command.params if (name := parameter.name) not in (None, "config", "help")}
    defaults = read_aliases(context, {key.replace("-", "_"): value for key, value in values.items()})
    unknown = sorted(defaults.keys() - flags)
    if unknown:
        meant = did_you_mean(unknown[0].replace("_", "-"), [str(name).replace("_", "-") for name in flags])
        known = ", ".join(sorted(str(name).replace("_", "-") for name in flags))
        raise UserError(f"--config {path}: {unknown[0]!r} is no flag of this command; {meant}known are: {known}")
    repeatable = {parameter.name for parameter in context.command.params if getattr(parameter, "multiple", False)}
    context.default_map = {
        key: [value] if key in repeatable and not isinstance(value, list) else value for key, value in defaults.items()
    }
    return path
