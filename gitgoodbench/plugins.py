"""Plug-ins: what installed packages bring through entry points, and which sources that is.

An entry point names a class, which is made without arguments, or an object. Nothing is imported until it is used, so a
package that is broken disturbs nobody who does not ask for it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from gitgoodbench.errors import UserError
from gitgoodbench.git.process import GIT_ENVIRONMENT, HOST

SCENARIOS: Final = "gitgoodbench.scenarios"
AGENTS: Final = "gitgoodbench.agents"
SANDBOXES: Final = "gitgoodbench.sandboxes"
SAMPLES: Final = "gitgoodbench.samples"
SCORES: Final = "gitgoodbench.scores"
FEEDBACK_SOURCES: Final = "gitgoodbench.feedback_sources"
FEEDBACK_SINKS: Final = "gitgoodbench.feedback_sinks"

RUN_GROUPS: Final = (SCENARIOS, AGENTS, SANDBOXES)
"""Those that have a part in a run, and options for it."""

HARNESS: Final = "gitgoodbench"
"""The distribution that the harness itself is."""


@dataclass(frozen=True)
class Plugin:
    """One entry point. points: those of that name; more than one where several packages bring the name."""

    group: str
    name: str
    points: tuple[EntryPoint, ...]

    @cached_property
    def object(self) -> Any:
        """What the entry point names, made where it is a class.

        Raises:
            UserError: it cannot be imported or made, or several distributions bring the name.
        """
        point = self._point
        try:
            found = point.load()
            return found() if isinstance(found, type) else found
        except Exception as problem:
            raise UserError(
                f"the {self.kind} {self.name!r} ({point.value}) of {self.distribution} cannot be loaded: "
                f"{type(problem).__name__}: {problem}"
            ) from problem

    @property
    def kind(self) -> str:
        """`scenario`, `agent`, `sandbox`, `sample`, `score`."""
        return GROUPS[self.group]

    @property
    def distribution(self) -> str:
        """The name of the package that brings it."""
        return _distribution_of(self._point)

    @property
    def _point(self) -> EntryPoint:
        names = sorted({_distribution_of(point) for point in self.points})
        if len(self.points) > 1:
            raise UserError(
                f"several packages bring a {self.kind} {self.name!r} ({', '.join(names)}): uninstall all but one"
            )
        return self.points[0]


GROUPS: Final[Mapping[str, str]] = {
    SCENARIOS: "scenario",
    AGENTS: "agent",
    SANDBOXES: "sandbox",
    SAMPLES: "sample",
    SCORES: "score",
    FEEDBACK_SOURCES: "feedback source",
    FEEDBACK_SINKS: "feedback sink",
}


@cache
def plugins(group: str) -> Mapping[str, Plugin]:
    """The plug-ins of a group by name, in the order of their names."""
    points: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=group):
        points.setdefault(point.name, []).append(point)
    return {name: Plugin(group, name, tuple(points[name])) for name in sorted(points)}


class Objects(Mapping[str, Any]):
    """The objects of a group by name; each is loaded when it is looked up."""

    def __init__(self, group: str) -> None:
        self._plugins = plugins(group)

    def __getitem__(self, name: str) -> Any:
        return self._plugins[name].object

    def __iter__(self) -> Iterator[str]:
        return iter(self._plugins)

    def __len__(self) -> int:
        return len(self._plugins)

    def __contains__(self, name: object) -> bool:
        return name in self._plugins


class Pin(BaseModel):
    """A distribution as it was when a run was made.

    source: SHA-256 (hexadecimal) of its files; None where they cannot be read. commit: what is checked out where Git
    tracks these files; dirty: whether they differ from it. Both are for the record: the hash decides.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str
    source: str | None = None
    commit: str | None = None
    dirty: bool | None = None

    @property
    def rule(self) -> str:
        """What two runs must have in common for their results to follow the same rules."""
        return self.version if self.source is None else f"{self.version} source {self.source[:12]}"

    def __str__(self) -> str:
        commit = "" if self.commit is None else f" commit {self.commit[:12]}{' dirty' if self.dirty else ''}"
        return self.rule + commit


def pin(name: str) -> Pin:
    """Pin a distribution by name: its version and the packages that its plug-ins are in.

    Raises:
        UserError: it is not installed.
    """
    try:
        version = distribution(name).version
    except PackageNotFoundError as problem:
        raise UserError(f"{name} is not installed as a package: install it with pip") from problem
    folders = _sources(name)
    commit, dirty = next((found for folder in folders if (found := _checkout(folder))), (None, None))
    return Pin(version=version, source=_hash(folders), commit=commit, dirty=dirty)


def _distribution_of(point: EntryPoint) -> str:
    return "an unknown package" if point.dist is None else point.dist.name


def _sources(name: str) -> list[Path]:
    """The folders and files of code that a distribution's plug-ins are in: their packages, from the top one down."""
    points = (point for point in distribution(name).entry_points if point.group in GROUPS)
    modules = [HARNESS] if name == HARNESS else []
    modules += [point.module for point in points]
    found: dict[Path, None] = {}
    for module in modules:
        parts = module.split(".")
        for place in _places(".".join(parts[:depth]) for depth in range(1, len(parts) + 1)):
            if not any(place.is_relative_to(folder) for folder in found):
                found[place] = None
    return list(found)


def _places(modules: Iterable[str]) -> Iterator[Path]:
    for module in modules:
        try:
            spec = importlib.util.find_spec(module)
        except Exception:  # a package whose own import fails: the plug-in says so when it is loaded
            return
        if spec is None:
            return
        if spec.submodule_search_locations is not None and spec.origin is None:
            continue  # a namespace, which other distributions share
        if spec.submodule_search_locations is not None:
            yield from (Path(place).resolve() for place in spec.submodule_search_locations)
        elif spec.origin is not None:
            yield Path(spec.origin).resolve()


def _hash(places: Iterable[Path]) -> str | None:
    """Of names and contents, but for what Python or people leave beside code."""
    digest = hashlib.sha256()
    empty = True
    for place in places:
        files = [place] if place.is_file() else sorted(_files(place))
        for file in files:
            name = file.relative_to(place.parent).as_posix()
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            digest.update(f"{name}\0{content}\n".encode("utf-8", "surrogateescape"))
            empty = False
    return None if empty else digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__" and not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and not name.endswith((".pyc", ".md")):
                yield Path(parent, name)


def _checkout(place: Path) -> tuple[str, bool] | None:
    """The commit that is checked out where Git tracks these sources, and whether they differ from it."""
    folder = place if place.is_dir() else place.parent
    environment = {**GIT_ENVIRONMENT, "PATH": os.environ.get("PATH", os.defpath)}

    def git(*arguments: str) -> bytes | None:
        try:
            done = HOST.exec(["git", "-C", str(folder), *arguments], env=environment, timeout_s=30)
        except OSError:
            return None
        return done.stdout if done.returncode == 0 else None

    if not git("ls-files", "-z", "--", str(place)):
        return None
    head, changes = git("rev-parse", "HEAD"), git("status", "--porcelain", "-z", "--", str(place))
    return None if head is None or changes is None else (head.decode("ascii").strip(), bool(changes))
