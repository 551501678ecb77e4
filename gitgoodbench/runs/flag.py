"""How a user says a field of a run's configuration."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BeforeValidator
from pydantic_core import PydanticUseDefault


@dataclass(frozen=True)
class Flag:
    """How a user says a field.

    may_change: a resumed run may set it anew: it decides how a run goes, not what comes out.
    resolved: several spellings stand for one thing; the manifest compares what they were resolved to.
    decided: where nothing is said, the command decides; the default of the field is for Python.
    each: a command takes several, and makes a run for each.
    blanks: a value may hold blanks, so that its variable has a line for each value, not a word.
    """

    help: str | None = None
    short: tuple[str, ...] = ()
    metavar: str | None = None
    may_change: bool = False
    resolved: bool = False
    decided: bool = False
    each: bool = False
    blanks: bool = False


def _several(value: Any) -> Any:
    if value is None:
        raise PydanticUseDefault
    return (value,) if isinstance(value, str) else value


SEVERAL: Final = BeforeValidator(_several)
"""Of a field that takes one value or several; its flag can be repeated."""


def absolute(path: str | os.PathLike[str] | None) -> Path | None:
    """A path as it is from any folder, without `~`."""
    return None if path is None else Path(path).expanduser().resolve()
