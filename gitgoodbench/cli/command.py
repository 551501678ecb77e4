"""A command whose errors name where a value came from: the variable or the file that set a flag gets the blame."""

from __future__ import annotations

import re
import sys
from typing import Any

import typer
from typer.core import TyperCommand

from gitgoodbench.cli.endings import EXIT_INTERRUPTED
from gitgoodbench.cli.variables import check_variables
from gitgoodbench.errors import UserError


class Command(TyperCommand):
    """Of every command of `gitgoodbench`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the flags.

        Raises:
            UserError: a value that a variable or the file of --config gave is not valid.
        """
        try:
            return super().parse_args(ctx, args)
        except Exception as problem:
            origin = _origin(ctx, getattr(problem, "param", None))
            message = getattr(problem, "format_message", None)
            if origin is None or message is None:
                raise
            raise UserError(f"{message().rstrip('.')} ({origin})") from problem

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            if any(getattr(parameter, "envvar", None) for parameter in self.params):
                check_variables(getattr(ctx.find_root().command, "commands", {}).values())
            return super().invoke(ctx)
        except UserError as problem:
            problem.args = (_blamed(str(problem), ctx),)
            raise
        except KeyboardInterrupt:
            sys.stderr.write("gitgoodbench: interrupted: every file is whole; give the same command again\n")
            return EXIT_INTERRUPTED


def _blamed(message: str, ctx: typer.Context) -> str:
    origins = (_origin(ctx, parameter) for parameter in ctx.command.params if _is_named(message, parameter, ctx))
    named = list(dict.fromkeys(origin for origin in origins if origin is not None))
    return f"{message} ({'; '.join(named)})" if named else message


def _is_named(message: str, parameter: Any, ctx: typer.Context) -> bool:
    """Whether a message is about a flag, or about the value of an argument."""
    if parameter.param_type_name == "argument":
        return str(ctx.params.get(parameter.name)) in message
    return any(re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", message) for flag in parameter.opts)


def _origin(ctx: typer.Context, parameter: Any) -> str | None:
    """What set a parameter, where that was not the command line."""
    if parameter is None or parameter.name is None:
        return None
    source = ctx.get_parameter_source(parameter.name)
    flag = parameter.opts[0] if parameter.param_type_name == "option" else parameter.metavar
    if source is not None and source.name == "ENVIRONMENT":
        return f"the variable {parameter.envvar} sets {flag}"
    if source is not None and source.name == "DEFAULT_MAP":
        return f"the file of --config sets {flag}"
    return None
