"""gitgoodbench mine"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gitgoodbench.cli.options import Offline, Repos, option


class RefsKind(StrEnum):
    """Values of --refs."""

    BRANCHES = "branches"
    BRANCHES_AND_TAGS = "branches-and-tags"
    ALL = "all"


class BackendKind(StrEnum):
    """Values of --backend."""

    LOKY = "loky"
    THREADING = "threading"
    DASK = "dask"
    RAY = "ray"


def mine(
    repositories: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="REPO...",
            help="owner/name, the path of a repository, or owner/name=PATH.",
            show_default=False,
        ),
    ] = None,
    repos_file: Annotated[
        list[Path] | None,
        option("--repos-file", metavar="CSV", help="A list of repositories as SEART's GitHub search exports it."),
    ] = None,
    out: Annotated[Path, option("--out", "-o", help="A .parquet or .jsonl file.")] = Path("mined.parquet"),
    repos: Repos = None,
    language: Annotated[
        list[str] | None,
        option(
            "--language",
            help="Only these: python, java, kotlin, or any other as NAME=.SUFFIX; repeatable. Default: those three.",
        ),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        option(
            "--kinds",
            metavar="KIND,...",
            help="Only these: merges, chains, picks, or what other packages bring; repeatable. Default: all.",
        ),
    ] = None,
    opt: Annotated[
        list[str] | None,
        option(
            "--opt",
            metavar="TYPE.NAME=VALUE",
            help="An option of a sample type, such as file_commit_chain.max_commits=8; repeatable (gitgoodbench "
            "plugins lists them).",
        ),
    ] = None,
    since: Annotated[datetime | None, option("--since", help="Only what was committed then or later (UTC).")] = None,
    until: Annotated[datetime | None, option("--until", help="Only what was committed then or before (UTC).")] = None,
    refs: Annotated[
        RefsKind,
        option("--refs", help="Where history starts. all: also pull requests. Releases may stand on tags alone."),
    ] = RefsKind.BRANCHES,
    jobs: Annotated[
        int | None, option("--jobs", "-j", min=1, help="Repositories at a time. Default: 1 per core.")
    ] = None,
    backend: Annotated[BackendKind, option("--backend", help="See docs/scaling.md.")] = BackendKind.LOKY,
    cluster: Annotated[
        str | None, option("--cluster", metavar="ADDRESS", help="Of the Dask scheduler or the Ray head.")
    ] = None,
    offline: Offline = False,
) -> int:
    """Mine merges, file-commit chains and picks from repositories.

    The same command carries on where it was stopped. A repository that cannot be mined costs only its own rows.

    Examples:

      gitgoodbench mine pallets/click square/okio --out mined.parquet

      gitgoodbench mine apache/kafka --kinds picks --refs branches-and-tags --out picks.parquet

      gitgoodbench mine acme/tool=~/src/tool --since 2025-01-01 --out ours.jsonl

      gitgoodbench mine --repos-file list.csv --jobs 8 --out mined.parquet

    Exit codes: 0 finished, 2 a mistake in the command, 3 some repositories could not be mined, 130 interrupted.
    """
    from gitgoodbench.cli.mining import mine_repositories

    return mine_repositories(
        repositories or (),
        repos_file or (),
        out=out,
        repos=repos,
        languages=language or (),
        kinds=kinds or (),
        opt=opt or (),
        since=since,
        until=until,
        refs=refs.value,
        jobs=jobs,
        backend=backend.value,
        cluster=cluster,
        offline=offline,
    )
