"""Arguments that tools of several scenarios take."""

from __future__ import annotations

from gitgoodbench.errors import ToolError
from gitgoodbench.git.paths import parse_path


def path_argument(text: str) -> bytes:
    """A path from the project's root as a model writes it, perhaps quoted, with `./` before it or `/` behind.

    Raises:
        ToolError: it is quoted, but not well.
    """
    try:
        path = parse_path(text)
    except ValueError as problem:
        raise ToolError(str(problem)) from problem
    while path.startswith(b"./"):
        path = path[2:]
    return path.rstrip(b"/")
