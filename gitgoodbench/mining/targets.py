"""Which repositories to mine: folders on this machine, names for the repository store, and lists of names."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from gitgoodbench.errors import UserError
from gitgoodbench.git.mirror import Mirror, UnreadableRepositoryError, shared_git_dir
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.seart import read_repository_list

_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*/\.?[A-Za-z0-9_-][A-Za-z0-9._-]*")
_JOINED: Final = re.compile(r"(?P<owner>[A-Za-z0-9_][A-Za-z0-9._-]*?)(?:__|\+)(?P<name>[A-Za-z0-9._-]+)")
_HOW_TO_NAME: Final = "write owner/name=PATH to name it"


@dataclass(frozen=True)
class Target:
    """A repository to mine. mirror: None where the repository store knows it by the project's name."""

    project: Project
    mirror: Mirror | None = None

    @property
    def name(self) -> str:
        return self.project.name


def find_targets(repositories: Sequence[str], listed: Sequence[Path] = ()) -> list[Target]:
    """The repositories that a command line names: arguments first, then lists, each in order.

    Args:
        repositories: `owner/name`, the path of a repository, or `owner/name=PATH`.
        listed: CSV files (see `seart`). What one says about a repository among the arguments counts for that.

    Raises:
        UserError: nothing is named, something is no repository, or two have the same name.
    """
    projects = {project.name.casefold(): project for path in listed for project in read_repository_list(path)}
    targets = [_target(text) for text in repositories]
    for index, target in enumerate(targets):
        known = projects.pop(target.name.casefold(), None)
        if known is not None:
            targets[index] = Target(known.model_copy(update={"name": target.name}), target.mirror)
    targets += [Target(project) for project in projects.values()]
    if not targets:
        raise UserError("nothing to mine: name a repository (owner/name or a path), or a list with --repos-file")
    first: dict[str, Target] = {}
    for target in targets:
        if (other := first.setdefault(target.name.casefold(), target)) is not target:
            places = " and ".join(_place(entry) for entry in (other, target))
            raise UserError(f"two repositories are called {target.name} ({places}): {_HOW_TO_NAME}")
    return targets


def _place(target: Target) -> str:
    return target.name if target.mirror is None else str(target.mirror.git_dir)


def _target(text: str) -> Target:
    name, separator, place = text.partition("=")
    if separator and _NAME.fullmatch(name):
        return Target(Project(name=name), _mirror(Path(place).expanduser(), text))
    path = Path(text).expanduser()
    if path.exists():
        mirror = _mirror(path, text)
        return Target(Project(name=_name_of(path.absolute(), mirror)), mirror)
    if _NAME.fullmatch(text):
        return Target(Project(name=text))
    raise UserError(f"{text!r} is no repository: give owner/name, the path of a repository, or owner/name=PATH")


def _mirror(path: Path, text: str) -> Mirror:
    """A bare repository, or that of a work tree."""
    if not path.is_dir():
        raise UserError(f"{text}: there is no folder {path}")
    git_dir = shared_git_dir(path.absolute())
    if os.path.lexists(git_dir / "HEAD") and (git_dir / "objects").is_dir():
        return Mirror(git_dir)
    raise UserError(f"{text}: {path} is no Git repository")


def _name_of(path: Path, mirror: Mirror) -> str:
    """`owner/name` of a local repository: as its folder spells it for --repos, as its remote does, or its place."""
    folder = path.parent if path.name in ("repo", ".git") else path
    joined = _JOINED.fullmatch(folder.name.removesuffix(".git"))
    if joined:
        return _checked(f"{joined['owner']}/{joined['name']}", path)
    try:
        remote = mirror.setting("remote.origin.url").strip()
    except UnreadableRepositoryError:
        remote = ""
    if remote and not remote.startswith(("/", ".", "file:")):
        parts = urlsplit(remote).path if "://" in remote else remote.partition(":")[2]
        name = "/".join(parts.strip("/").removesuffix(".git").split("/")[-2:])
        if _NAME.fullmatch(name):
            return name
    return _checked(f"{folder.parent.name}/{folder.name.removesuffix('.git')}", path)


def _checked(name: str, path: Path) -> str:
    if not _NAME.fullmatch(name):
        raise UserError(f"{path}: no owner/name can be told from its place: {_HOW_TO_NAME}")
    return name
