"""The cache folder: everything in it can be made or fetched again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from gitgoodbench.errors import UserError

DEFAULT_CACHE_GIB: Final = 4.0
"""GiB that prepared samples may take in the cache; repositories come besides."""


def cache_home() -> Path:
    """`$GITGOODBENCH_CACHE`, else `$XDG_CACHE_HOME/gitgoodbench`, else `~/.cache/gitgoodbench`; not created.

    Raises:
        UserError: none of these is known (no home folder).
    """
    if own := os.environ.get("GITGOODBENCH_CACHE"):
        return Path(own).expanduser().absolute()
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if base.is_absolute():  # the XDG specification says to ignore a relative one
        return base / "gitgoodbench"
    try:
        return Path.home() / ".cache" / "gitgoodbench"
    except RuntimeError as problem:
        raise UserError("there is no home folder for the cache: set GITGOODBENCH_CACHE to a folder") from problem
