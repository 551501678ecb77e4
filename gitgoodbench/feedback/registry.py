"""Sources and sinks that installed packages bring. A broken one is reported and left out: the others still work."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import SINKS, SOURCES, Sink, Source
from gitgoodbench.plugins import GROUPS, plugins
from gitgoodbench.text import did_you_mean, one_line

T = TypeVar("T")


@dataclass(frozen=True)
class Loaded(Generic[T]):
    """What could be loaded, in the order asked for, and in one line each why the others could not."""

    found: tuple[T, ...]
    problems: tuple[str, ...] = ()


def source_names() -> list[str]:
    """The names of all sources, in their order."""
    return list(plugins(SOURCES))


def sink_names() -> list[str]:
    """The names of all sinks, in their order."""
    return list(plugins(SINKS))


def load_sources(names: Iterable[str] | None = None) -> Loaded[Source]:
    """Load the sources of these names; None: all that are installed."""
    return _load(SOURCES, names, ("name", "title", "variables", "committer", "logs", "read"))


def load_sinks(names: Iterable[str] | None = None) -> Loaded[Sink]:
    """Load the sinks of these names; None: all that are installed."""
    return _load(SINKS, names, ("name", "title", "remote", "check", "items", "send", "confirm"))


def _load(group: str, names: Iterable[str] | None, needs: tuple[str, ...]) -> Loaded[Any]:
    known = plugins(group)
    found: dict[str, Any] = {}
    problems = []
    for name in dict.fromkeys(known if names is None else names):
        if name not in known:
            problems.append(_unknown(GROUPS[group], name, known))
            continue
        try:
            made = known[name].object
        except UserError as problem:
            problems.append(one_line(str(problem)))
            continue
        if missing := [need for need in needs if not hasattr(made, need)]:
            problems.append(f"the {GROUPS[group]} {name!r} of {known[name].distribution} has no {', '.join(missing)}")
        elif made.name != name:
            calls = one_line(str(made.name), 60)
            problems.append(f"the {GROUPS[group]} {name!r} of {known[name].distribution} calls itself {calls!r}")
        else:
            found[name] = made
    return Loaded(tuple(found.values()), tuple(problems))


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    return f"there is no {kind} {name!r}: {did_you_mean(name, known)}known: {', '.join(known) or 'none'}"
