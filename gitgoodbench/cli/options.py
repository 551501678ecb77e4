"""Flags that several commands share, and how a flag is made."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


class Tools(StrEnum):
    """Values of --tools."""

    PUBLISHED = "published"
    EXTENDED = "extended"
    SHELL = "shell"


class SandboxKind(StrEnum):
    """Values of --sandbox."""

    AUTO = "auto"
    DOCKER = "docker"
    LOCAL = "local"


class Dimension(StrEnum):
    """Values of --by."""

    SCENARIO = "scenario"
    DIFFICULTY = "difficulty"
    LANGUAGE = "language"


class ImageBase(StrEnum):
    """Values of --base."""

    AUTO = "auto"
    REGISTRY = "registry"
    DEBOOTSTRAP = "debootstrap"


def option(flag: str, *short: str, **settings: Any) -> Any:
    """An option with its environment variable: `--max-turns` is also GITGOODBENCH_MAX_TURNS."""
    variable = f"GITGOODBENCH_{flag.removeprefix('--').upper().replace('-', '_')}"
    return typer.Option(flag, *short, envvar=variable, show_envvar=False, **settings)


Runs = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Run folders, or ids of runs under results/.", show_default=False)
]
Jobs = Annotated[
    int | None, option("--jobs", "-j", min=1, help="Episodes at a time. Default: as many as cores, up to 4.")
]
MaxCost = Annotated[
    float | None,
    option(
        "--max-cost",
        help="US dollars for the whole run, over all its sessions; when they are spent no further episode starts.",
    ),
]
Repos = Annotated[
    Path | None,
    option(
        "--repos", help="Take repositories from this folder: DIR/owner/name, DIR/owner__name or DIR/owner+name/repo."
    ),
]
Offline = Annotated[bool, option("--offline", help="Never touch the network for data sets or repositories.")]
