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


class Dimension(StrEnum):
    """Values of --by."""

    DIFFICULTY = "difficulty"
    LANGUAGE = "language"


class JudgeKind(StrEnum):
    """Values of --judge."""

    NONE = "none"
    LLM = "llm"


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
Judge = Annotated[
    JudgeKind | None,
    option(
        "--judge",
        help="Whether models judge histories (ir, icc). Default: llm where another --judge flag is given, or where a "
        "model at OpenAI is evaluated; else none, which leaves solved unknown and reports the gates.",
    ),
]
JudgeModel = Annotated[
    list[str] | None,
    option("--judge-model", help="Default: gpt-4o. Repeat it for several judges, of whom the majority counts."),
]
JudgeBaseUrl = Annotated[
    str | None, option("--judge-base-url", help="Server of the judges; --base-url is the agent's alone.")
]
JudgeRepeats = Annotated[
    int | None, option("--judge-repeats", min=1, help="Ask each judge so many times in each order. Default: 1.")
]
JudgeLimit = Annotated[
    int | None,
    option(
        "--judge-limit",
        min=1000,
        help="Characters of both histories that a judge is shown, half for each. Default: 120000.",
    ),
]
JudgeMaxTokens = Annotated[
    int | None,
    option("--judge-max-tokens", min=1, help="Tokens of one answer of a judge, its thinking included. Default: 4096."),
]
Offline = Annotated[bool, option("--offline", help="Never touch the network for data sets or repositories.")]
