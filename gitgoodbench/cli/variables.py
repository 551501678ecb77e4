"""Environment variables of the harness: those that mean nothing are refused."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from gitgoodbench.cli.options import NO_FLAGS, VARIABLE, variable_of
from gitgoodbench.errors import UserError
from gitgoodbench.text import did_you_mean


def check_variables(commands: Iterable[Any]) -> None:
    """Refuse variables that would do nothing: a misspelt limit costs money.

    Raises:
        UserError: there is one that is no flag of any command.
    """
    commands = list(commands)
    known = {parameter.envvar for command in commands for parameter in command.params if parameter.envvar}
    given = [name for name in sorted(os.environ) if name.startswith(VARIABLE) and name not in {*known, *NO_FLAGS}]
    if not given:
        return
    known |= {variable_of(name) for command in commands if hasattr(command, "aliases") for name in command.aliases()}
    for name in given:
        if name not in known:
            meant = did_you_mean(name, [*known, *NO_FLAGS])
            raise UserError(f"the variable {name} means nothing: {meant}unset it, or see `gitgoodbench eval --help`")
