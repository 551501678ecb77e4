"""Frameworks that are not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gitgoodbench.errors import UserError


@contextmanager
def needed(extra: str, *modules: str) -> Iterator[None]:
    """Around the imports of an extra: a package that is missing is a mistake that the user can mend.

    Args:
        modules: top-level modules of the extra; of other modules, an ImportError stays what it is.

    Raises:
        UserError: one of them is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as problem:
        missing = (problem.name or "").partition(".")[0]
        if missing not in (modules or (extra,)):
            raise
        raise UserError(
            f"{missing} is not installed, which this environment is for: pip install 'gitgoodbench[{extra}]'"
        ) from problem
