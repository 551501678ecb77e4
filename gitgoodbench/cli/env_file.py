"""`--env-file FILE`: variables for this process, as in a `.env`; those that are set already win."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import typer

from gitgoodbench.errors import UserError

_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.ASCII)
_QUOTED = re.compile(r"""(["'])(.*)\1\s*(?:\s#.*)?\Z""")


def read_env_file(context: typer.Context, path: Path | None) -> Path | None:  # noqa: ARG001
    """Set the variables of a file, before other flags look for theirs.

    Raises:
        UserError: it cannot be read, or a line is no variable.
    """
    if path is None:
        return None
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as problem:
        raise UserError(f"--env-file {path} cannot be read: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise UserError(f"--env-file {path} is not UTF-8") from problem
    for name, value in variables_in(text, str(path)):
        os.environ.setdefault(name, value)
    return path


def variables_in(text: str, name: str) -> Iterator[tuple[str, str]]:
    """The variables of a file of that name: NAME=VALUE each, with or without `export` and quotes; `#` begins a comment.

    Raises:
        UserError: a line is none; it is not shown, since it may hold a key.
    """
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise UserError(f"--env-file {name}, line {number}: write it as NAME=VALUE")
        quoted = _QUOTED.match(found[2])
        yield found[1], quoted[2] if quoted else re.split(r"\s#", found[2])[0].strip()
