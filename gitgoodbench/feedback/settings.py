"""What the user chose, in Git's own configuration: section `gitgoodbench-feedback`, of a repository or of all.

    [gitgoodbench-feedback]
        source = claude-code
        sink = notes
        user = ada
    [gitgoodbench-feedback "source.openai-jsonl"]
        path = /users/ada/requests.jsonl

A repository's settings are laid over the global ones: lists of names replace each other, options by their key.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import SOURCES
from gitgoodbench.feedback.repository import ask
from gitgoodbench.plugins import plugins
from gitgoodbench.text import did_you_mean

SECTION: Final = "gitgoodbench-feedback"
FOLLOW_DAYS: Final = 14

_KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Settings:
    """What was chosen for a repository.

    sources: None for all that are installed. options: by `source.NAME` and `sink.NAME`. follow_days: how long it is
    looked at what still stands. installed: when; None where nothing is. hooks: the folders in which hooks were
    put.
    """

    sources: tuple[str, ...] | None = None
    sinks: tuple[str, ...] = ()
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    user: str | None = None
    follow_days: int = FOLLOW_DAYS
    installed: float | None = None
    hooks: tuple[Path, ...] = ()

    def options_of(self, kind: str) -> dict[str, Mapping[str, str]]:
        """The options of all sources (`source`) or sinks (`sink`), by name."""
        start = f"{kind}."
        return {name.removeprefix(start): of for name, of in self.options.items() if name.startswith(start)}

    @property
    def source_names(self) -> tuple[str, ...]:
        """The sources that are read."""
        return tuple(plugins(SOURCES)) if self.sources is None else self.sources


@dataclass(frozen=True)
class Wanted:
    """What a command line asks for: a source or sink by name, and at most one option of it."""

    name: str
    key: str | None = None
    value: str = ""


def parse_wanted(text: str, group: str) -> Wanted:
    """Read `NAME` or `NAME:key=value`.

    Raises:
        UserError: there is no such source or sink, or the option has no name.
    """
    name, colon, option = text.partition(":")
    kind = "source" if group == SOURCES else "sink"
    known = plugins(group)
    if name not in known:
        listed = ", ".join(known) or "none is installed"
        raise UserError(f"--{kind}: there is no {kind} {name!r}: {did_you_mean(name, known)}known: {listed}")
    if not colon:
        return Wanted(name)
    key, equals, value = option.partition("=")
    if not equals or not _KEY.fullmatch(key) or "\n" in value:
        raise UserError(f"--{kind} {text}: write an option as {name}:key=value")
    return Wanted(name, key.replace("-", "_").lower(), value)


def read_settings(folder: Path) -> Settings:
    """The settings that count in a repository, of which this is a working tree or the Git directory.

    Raises:
        UserError: a number is none.
    """
    values: dict[str, list[str]] = {}
    options: dict[str, dict[str, str]] = {}
    for scope in ("--global", "--local"):
        found, further = _read_scope(folder, scope)
        values |= found
        for name, of_name in further.items():
            options.setdefault(name, {}).update(of_name)
    return Settings(
        sources=tuple(values["source"]) if values.get("source") else None,
        sinks=tuple(values.get("sink", ())),
        options=options,
        user=next(iter(values.get("user", [])[-1:]), None),
        follow_days=_number(values, "followdays", FOLLOW_DAYS),
        installed=float(_number(values, "installed", 0)) or None,
        hooks=tuple(Path(path) for path in values.get("hooks", ())),
    )


def write_settings(
    folder: Path,
    sources: Iterable[Wanted],
    sinks: Iterable[Wanted],
    user: str | None,
    *,
    follow_days: int | None = None,
    hooks: Iterable[Path] = (),
    everywhere: bool = False,
) -> None:
    """Add to the settings of a repository, or to the user's global ones; what is there stays.

    Raises:
        UserError: Git cannot write its configuration.
    """
    scope = "--global" if everywhere else "--local"
    now, _ = _read_scope(folder, scope)
    for kind, wanted in (("source", list(sources)), ("sink", list(sinks))):
        for name in dict.fromkeys(one.name for one in wanted):
            if name not in now.get(kind, ()):
                _configure(folder, scope, "--add", f"{SECTION}.{kind}", name)
        for one in wanted:
            if one.key is not None:
                key = one.key.replace("_", "-")
                _configure(folder, scope, f"{SECTION}.{kind}.{one.name}.{key}", one.value)
    if user is not None and now.get("user") != [user]:
        _configure(folder, scope, "--replace-all", f"{SECTION}.user", user)
    if follow_days is not None and now.get("followdays") != [str(follow_days)]:
        _configure(folder, scope, "--replace-all", f"{SECTION}.followDays", str(follow_days))
    if "installed" not in now:
        _configure(folder, scope, f"{SECTION}.installed", str(int(time.time())))
    for place in map(str, hooks):
        if place not in now.get("hooks", ()):
            _configure(folder, scope, "--add", f"{SECTION}.hooks", place)


def remove_settings(folder: Path, *, everywhere: bool = False) -> None:
    """Remove the section with its subsections."""
    scope = "--global" if everywhere else "--local"
    listed = ask(folder, "config", scope, "-z", "--name-only", "--get-regexp", rf"^{SECTION}\.") or b""
    names = {os.fsdecode(name).rpartition(".")[0] for name in listed.split(b"\0") if name}
    for name in sorted(names):
        _configure(folder, scope, "--remove-section", name)


def _read_scope(folder: Path, scope: str) -> tuple[dict[str, list[str]], dict[str, dict[str, str]]]:
    """The values of the section by name, and the options by subsection."""
    said = ask(folder, "config", scope, "--includes", "-z", "--get-regexp", rf"^{SECTION}\.") or b""
    values: dict[str, list[str]] = {}
    options: dict[str, dict[str, str]] = {}
    for entry in filter(None, said.split(b"\0")):
        name, _, value = os.fsdecode(entry).partition("\n")
        subsection, _, key = name.removeprefix(f"{SECTION}.").rpartition(".")
        if subsection:
            options.setdefault(subsection, {})[key.replace("-", "_")] = value
        else:
            values.setdefault(key, []).append(value)
    return values, options


def _number(values: Mapping[str, list[str]], name: str, default: int) -> int:
    text = values.get(name, [str(default)])[-1]
    if not text.isdecimal():
        raise UserError(f"{SECTION}.{name} in Git's configuration is {text!r}: set it to a whole number")
    return int(text)


def _configure(folder: Path, scope: str, *arguments: str) -> None:
    if ask(folder, "config", scope, *arguments) is None:
        where = "the user's Git configuration" if scope == "--global" else f"the Git configuration of {folder}"
        raise UserError(
            f"{where} cannot be written: see whether `git config {scope} --list` works, and its file's rights"
        )
