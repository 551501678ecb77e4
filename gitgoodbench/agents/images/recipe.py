"""Recipes: what of which packages makes an agent's image. Each is a TOML file beside the lock of its packages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gitgoodbench.errors import UserError
from gitgoodbench.text import did_you_mean

IMAGE_PREFIX: Final = "gitgoodbench-sandbox-"
"""Before an agent's name in the name of its image."""

AGENTS_ROOT: Final = "/opt/agents"
"""Folder of the image that has a folder for the agent."""

_RECIPES: Final = Path(__file__).with_name("recipes")
_LAYOUT: Final = 1
"""Changes when the same recipe and lock would give another image."""


class NpmPackage(BaseModel):
    """One package of the npm registry, of one platform.

    Args:
        name, version: as the registry has them; `{version}` stands for the agent's.
        key: its name in the lock, where several have one name; else `name`.
        platform: such as `linux/amd64`.
        files: where files of the package go in the agent's folder; a folder, ending in a slash, goes with all in it.
        skip: patterns of files of the package that stay out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: str
    platform: str
    files: dict[str, str]
    key: str = ""
    skip: tuple[str, ...] = ()

    @property
    def lock_key(self) -> str:
        return self.key or self.name


class PipPackages(BaseModel):
    """What pip resolves: a package of the agent's version with what it needs.

    Args:
        name: of the package.
        python: the version of the image's Python, such as `3.11`; wheels are chosen for it.
        platforms: such as `linux/amd64`.
        into: folder that all are unpacked to.
        leave_out: packages among them that the agent does not import when it works, by their normalised names.
        skip: patterns of files that stay out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    python: str
    platforms: tuple[str, ...]
    into: str
    leave_out: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()


class RecipeFile(BaseModel):
    """A recipe as its file has it.

    Args:
        program: path of the agent's program in its folder.
        licence: of the agent.
        terms: where the terms of a proprietary agent stand; empty for others.
        version_argv: arguments with which the program says its version.
        newest: package whose latest version is the agent's; by default the first of `npm`.
        npm, pip: where it is from.
        scripts: small programs, by their path in the folder.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    program: str
    licence: str
    terms: str = ""
    version_argv: tuple[str, ...] = ("--version",)
    newest: str = ""
    npm: tuple[NpmPackage, ...] = ()
    pip: PipPackages | None = None
    scripts: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True)
class Recipe:
    """The recipe of the agent `name`, in the folder of its file and lock."""

    name: str
    folder: Path
    content: RecipeFile

    @property
    def home(self) -> str:
        """The agent's folder in the image."""
        return f"{AGENTS_ROOT}/{self.name}"

    @property
    def program(self) -> str:
        """Absolute path of the program in the image."""
        return f"{self.home}/{self.content.program}"

    @property
    def has_node(self) -> bool:
        """Whether Node comes with it."""
        return any("bin/node" in part.files.values() for part in self.content.npm)

    @property
    def lock_path(self) -> Path:
        ending = "requirements.txt" if self.content.pip else "package-lock.json"
        return self.folder / f"{self.name}.{ending}"

    @property
    def platforms(self) -> list[str]:
        """Platforms that it can be built for."""
        return sorted(
            {part.platform for part in self.content.npm} | set(self.content.pip.platforms if self.content.pip else ())
        )

    @cached_property
    def fingerprint(self) -> str:
        """Hash of recipe and lock: equal ones give equal contents."""
        parts = (self.folder / f"{self.name}.toml", self.lock_path)
        return sha256(b"\0".join([str(_LAYOUT).encode(), *(part.read_bytes() for part in parts)])).hexdigest()

    def tag(self, version: str) -> str:
        """The image's name."""
        return f"{IMAGE_PREFIX}{self.name}:{version}"


def recipe_names(folder: Path = _RECIPES) -> list[str]:
    """The agents that an image can be built of."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def read_recipe(name: str, folder: Path = _RECIPES) -> Recipe:
    """The recipe of an agent.

    Raises:
        UserError: there is none of that name, or its file is wrong.
    """
    known = recipe_names(folder)
    if name not in known:
        guess = did_you_mean(name, known)
        raise UserError(
            f"--agent {name}: no image is built of such an agent; {guess}there are recipes for: {', '.join(known)}"
        )
    return Recipe(name, folder, _parse(folder / f"{name}.toml"))


def read_recipes(folder: Path = _RECIPES) -> Mapping[str, Recipe]:
    """All recipes by name."""
    return {name: read_recipe(name, folder) for name in recipe_names(folder)}


def _parse(path: Path) -> RecipeFile:
    try:
        content = RecipeFile.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (OSError, ValueError, ValidationError) as problem:
        raise UserError(
            f"{path.name} is no recipe of an agent's image: {' '.join(str(problem).split())[:300]}"
        ) from problem
    if bool(content.npm) == (content.pip is not None):
        raise UserError(f"{path.name} is no recipe of an agent's image: give packages of npm, or one of pip")
    return content
