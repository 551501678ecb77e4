"""Set feedback up in a repository or for all, and take it out again."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import SINKS, SOURCES
from gitgoodbench.feedback.everywhere import install_everywhere, uninstall_everywhere
from gitgoodbench.feedback.install import Hook, hooks_folders, install_in, uninstall_from
from gitgoodbench.feedback.registry import load_sources
from gitgoodbench.feedback.repository import Repository, discover
from gitgoodbench.feedback.settings import Settings, parse_wanted, read_settings, remove_settings, write_settings
from gitgoodbench.feedback.store import folder_of


@dataclass(frozen=True)
class SetUp:
    """What stands after an installation. problems: sources that could not be loaded, one line each."""

    hooks: tuple[Hook, ...]
    settings: Settings
    problems: tuple[str, ...] = ()


def place_of(repository: Repository) -> Path:
    """Where Git is asked about a repository: its main working tree, or its Git directory."""
    return repository.roots[0] if repository.roots else repository.common


def set_up(
    folder: Path,
    sources: Sequence[str],
    sinks: Sequence[str],
    user: str | None,
    *,
    follow_days: int | None = None,
    everywhere: bool = False,
) -> SetUp:
    """Install hooks, and add to the settings. Doing it again changes nothing.

    sources, sinks: as on the command line, `NAME` or `NAME:key=value`. follow_days: how long to look at
    what still stands; None: as it was. everywhere: for all repositories to come.

    Raises:
        UserError: a name is unknown, or something cannot be written.
    """
    wanted = [parse_wanted(text, SOURCES) for text in sources], [parse_wanted(text, SINKS) for text in sinks]
    if everywhere:
        hooks = install_everywhere(_variables(None)[0])
        write_settings(Path.home(), *wanted, user, follow_days=follow_days, everywhere=True)
        return SetUp(tuple(hooks), read_settings(Path.home()))
    repository = discover(folder)
    place = place_of(repository)
    try:
        variables, problems = _variables(
            [*(read_settings(place).sources or ()), *(one.name for one in wanted[0])] or None
        )
        hooks = install_in(repository, variables)
    except OSError as problem:
        raise UserError(
            f"{folder_of(repository.common)} cannot be written ({problem.strerror}): make it writable for you"
        ) from problem
    write_settings(place, *wanted, user, follow_days=follow_days, hooks=hooks_folders(repository))
    return SetUp(tuple(hooks), read_settings(place), problems)


def take_down(folder: Path, *, everywhere: bool = False, purge: bool = False) -> list[Path]:
    """Remove hooks and settings; gives the files that are as before. purge: remove the database as well.

    Raises:
        UserError: something cannot be written.
    """
    try:
        if everywhere:
            changed = uninstall_everywhere()
            remove_settings(Path.home(), everywhere=True)
            return changed
        repository = discover(folder)
        place = place_of(repository)
        changed = uninstall_from(repository, read_settings(place).hooks)
        remove_settings(place)
        if purge:
            shutil.rmtree(folder_of(repository.common), ignore_errors=True)
        return changed
    except OSError as problem:
        raise UserError(
            f"{problem.filename} cannot be written ({problem.strerror}): make it writable for you"
        ) from problem


def _variables(names: Sequence[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The environment variables that the hook writes down, and why a source could not say its own."""
    loaded = load_sources(names)
    return tuple(dict.fromkeys(name for source in loaded.found for name in source.variables)), loaded.problems
