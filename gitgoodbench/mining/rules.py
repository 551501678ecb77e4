"""What a filter is, and the thresholds of those that look at projects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel

from gitgoodbench.mining.options import SOURCE_SUFFIXES
from gitgoodbench.mining.records import MinedRow


@dataclass(frozen=True)
class FilterSettings:
    """Thresholds, as published. as_of: the day that `recent` looks back from; None: that of the newest commit.

    off: names of filters that are not applied. asked: names of those that are applied only on demand.
    suffixes: how names of source files end. own: options of sample types (`plugin_options.options_in`).
    """

    min_stars: int = 1000
    min_branches: int = 5
    min_contributors: int = 10
    max_idle_days: int = 31
    suffixes: tuple[bytes, ...] = SOURCE_SUFFIXES
    as_of: datetime | None = None
    off: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    own: tuple[BaseModel, ...] = ()

    @property
    def suffix_list(self) -> str:
        """The suffixes in words."""
        return " ".join(suffix.decode("ascii") for suffix in self.suffixes)


Test = Callable[[MinedRow, FilterSettings], bool | None]
"""Whether a row may stay; None where a fact is unknown, and then it may not."""


@dataclass(frozen=True)
class Filter:
    """A filter by its name. describe: what it asks for, in words.

    on_demand: applied only where somebody asks: by its name, or by an option of the sample type, as `asked_by` tells.
    """

    name: str
    describe: Callable[[FilterSettings], str]
    test: Test
    on_demand: bool = False
    asked_by: Callable[[FilterSettings], bool] = lambda _: False
