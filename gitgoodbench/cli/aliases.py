"""Flags that plug-ins give to options of theirs: `--hunks all` is `--opt icc.hunks=all`.

Plug-ins are loaded only where a command line, a variable or a configuration file says what no flag of the command is
called.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from gitgoodbench.cli.command import Command
from gitgoodbench.cli.options import VARIABLE, variable_of
from gitgoodbench.errors import UserError

if TYPE_CHECKING:
    from gitgoodbench.plugin_options import Aliased

OPT = "opt"
"""The parameter of a command that takes options of plug-ins."""

_IN_FILE = "options of plug-ins in the configuration file"


class PluginFlags(Command):
    """A command with the flag `--opt`, which also takes the flags that plug-ins declare. groups: of entry points."""

    groups: Sequence[str] = ()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given: list[str] = []
        if self._says_more(args):
            args, given = _take(args, self.aliases())
        rest = super().parse_args(ctx, args)
        in_file: list[str] = ctx.meta.get(_IN_FILE, [])
        if in_file or given:
            ctx.params[OPT] = [*in_file, *(ctx.params[OPT] or ()), *given]
        return rest

    def aliases(self) -> dict[str, Aliased]:
        """The flags of plug-ins, as names of parameters, and the options behind them. It loads the plug-ins."""
        from gitgoodbench.plugin_options import find_aliases

        return {name.replace("-", "_"): aliased for name, aliased in find_aliases(self.groups).items()}

    def _says_more(self, args: Sequence[str]) -> bool:
        """Whether there is a flag or a variable that is none of the command's own."""
        flags = {flag for parameter in self.params for flag in (*parameter.opts, *parameter.secondary_opts)}
        variables = {parameter.envvar for parameter in self.params}
        said = (argument.partition("=")[0] for argument in args if argument.startswith("--"))
        return any(flag not in flags for flag in said) or any(
            name.startswith(VARIABLE) and name not in variables for name in os.environ
        )


def _take(args: Sequence[str], aliases: Mapping[str, Aliased]) -> tuple[list[str], list[str]]:
    """The command line without the flags of plug-ins, and what these and their variables say, as values of `--opt`.

    Raises:
        UserError: a flag has no value.
    """
    flags = {f"--{name.replace('_', '-')}": aliased for name, aliased in aliases.items()}
    said = {flags[flag].option: value for flag in flags if (value := os.environ.get(variable_of(flag)))}
    others = []
    remaining = iter(args)
    for argument in remaining:
        flag, equals, value = argument.partition("=")
        if flag not in flags:
            others.append(argument)
            if argument == "--":
                others += remaining
            continue
        text = value if equals else "true" if flags[flag].switch else next(remaining, None)
        if text is None:
            raise UserError(f"{flag} needs a value")
        said[flags[flag].option] = text
    return others, [f"{option}={value}" for option, value in said.items()]


def plugin_flags(*groups: str) -> type[PluginFlags]:
    """The class of a command whose `--opt` is about plug-ins of these groups."""
    return type("Command", (PluginFlags,), {"groups": groups})


def read_aliases(context: typer.Context, values: dict[str, Any]) -> dict[str, Any]:
    """Values of a configuration file by flag, without those of plug-ins, which the command reads before `--opt`."""
    command = context.command
    if not isinstance(command, PluginFlags) or values.keys() <= {parameter.name for parameter in command.params}:
        return values
    aliases = command.aliases()
    context.meta[_IN_FILE] = [f"{aliases[name].option}={value}" for name, value in values.items() if name in aliases]
    return {name: value for name, value in values.items() if name not in aliases}
