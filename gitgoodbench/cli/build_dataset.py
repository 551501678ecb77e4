"""gitgoodbench build-dataset"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gitgoodbench.cli.options import option


class SplitBy(StrEnum):
    """Values of --split-by."""

    ROW = "row"
    REPOSITORY = "repository"


def build_dataset(
    mined: Annotated[list[Path], typer.Argument(metavar="MINED...", help="Files that mine wrote.", show_default=False)],
    out: Annotated[Path, option("--out", "-o", help="Folder of the dataset.")],
    without: Annotated[
        list[str] | None,
        option(
            "--without",
            metavar="FILTER",
            help="Leave a filter out: license, stars, branches, contributors, fork, archived, recent, duplicate, one "
            "of a sample type, such as purity; or projects for the first seven. Repeatable.",
        ),
    ] = None,
    min_stars: Annotated[int, option("--min-stars", min=0)] = 1000,
    min_branches: Annotated[int, option("--min-branches", min=0)] = 5,
    min_contributors: Annotated[int, option("--min-contributors", min=0)] = 10,
    max_idle_days: Annotated[int, option("--max-idle-days", min=0, help="Since the newest commit of a project.")] = 31,
    as_of: Annotated[
        datetime | None,
        option("--as-of", help="The day from which idle days count back. Default: that of the newest commit of all."),
    ] = None,
    with_: Annotated[
        list[str] | None,
        option(
            "--with", metavar="FILTER", help="Apply a filter that is off by default, such as attainable. Repeatable."
        ),
    ] = None,
    opt: Annotated[
        list[str] | None,
        option(
            "--opt",
            metavar="TYPE.NAME=VALUE",
            help="An option of a sample type, such as merge.max_conflicts=4; repeatable (gitgoodbench plugins lists "
            "them).",
        ),
    ] = None,
    language: Annotated[
        list[str] | None,
        option("--language", help="Only these: python, java, kotlin, or another one as NAME=.SUFFIX; repeatable."),
    ] = None,
    lite: Annotated[int, option("--lite", min=0, help="Rows for each language and sample type.")] = 20,
    full: Annotated[int, option("--full", min=0, help="Rows for each language and sample type.")] = 150,
    split_by: Annotated[
        SplitBy, option("--split-by", help="repository: no two of lite, full and train share a repository.")
    ] = SplitBy.ROW,
    after: Annotated[
        datetime | None,
        option(
            "--after", help="Put rows of which everything is later into a split of their own, fresh, and into no other."
        ),
    ] = None,
    seed: Annotated[int, option("--seed", help="Of the draw.")] = 42,
    title: Annotated[str, option("--title", help="Of the dataset card.")] = "Git scenarios",
    plots: Annotated[bool, option("--plots/--no-plots", help="Draw the plots of the dataset card.")] = True,
    push_to_hub: Annotated[
        str | None,
        option(
            "--push-to-hub",
            metavar="ORG/NAME",
            help="Upload each split as a dataset of its own, named as the published ones: ORG/NAME-lite, ORG/NAME "
            "(full), ORG/NAME-train, ORG/NAME-fresh.",
        ),
    ] = None,
    public: Annotated[bool, option("--public", help="Make new datasets on the hub public.")] = False,
) -> int:
    """Filter mined candidates and make disjoint, stratified splits of them.

    Examples:

      gitgoodbench build-dataset mined.parquet --out dataset

      gitgoodbench build-dataset ours.jsonl --out ours --without projects --lite 5 --full 0 --split-by repository

      gitgoodbench build-dataset mined.parquet --out fresh --after 2025-06-01 --push-to-hub acme/git-scenarios
    """
    from gitgoodbench.cli.building import build

    return build(
        mined,
        out,
        without=without or (),
        thresholds={
            "min_stars": min_stars,
            "min_branches": min_branches,
            "min_contributors": min_contributors,
            "max_idle_days": max_idle_days,
        },
        as_of=as_of,
        asked=with_ or (),
        opt=opt or (),
        languages=language or (),
        sizes={"lite": lite, "full": full},
        by_repository=split_by is SplitBy.REPOSITORY,
        after=after,
        seed=seed,
        title=title,
        plots=plots,
        hub=push_to_hub,
        public=public,
    )
