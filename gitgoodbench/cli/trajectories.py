"""gitgoodbench trajectories"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from gitgoodbench.cli.options import Offline, Runs, option


class Form(StrEnum):
    """Values of --format."""

    OPENAI = "openai"
    TRL = "trl"
    SHAREGPT = "sharegpt"
    ATIF = "atif"
    PARQUET = "parquet"


def trajectories(
    runs: Runs,
    out: Annotated[
        Path,
        option(
            "--out",
            "-o",
            metavar="FILE|DIR",
            help="A file (.jsonl, .parquet) for all rows; a folder gets a split and a card.",
        ),
    ],
    form: Annotated[Form, option("--format", "-f", help="What the rows are for.")] = Form.TRL,
    solved: Annotated[bool, option("--solved", help="Only solved episodes.")] = False,
    min_score: Annotated[
        list[str] | None,
        option(
            "--min-score", metavar="NAME=X", help="Only episodes with this score, or reward, of at least X; repeatable."
        ),
    ] = None,
    scenario: Annotated[list[str] | None, option("--scenario", "-s", help="Only of this type; repeatable.")] = None,
    max_tokens: Annotated[
        int | None, option("--max-tokens", min=1, help="Only conversations up to this length.")
    ] = None,
    best_of_sample: Annotated[bool, option("--best-of-sample", help="Of each sample the best episode alone.")] = False,
    max_per_sample: Annotated[
        int | None, option("--max-per-sample", min=1, metavar="N", help="Of each sample the N best episodes.")
    ] = None,
    by: Annotated[
        str, option("--by", metavar="SCORE", help="The score, or reward, by which one is better.")
    ] = "reward",
    pairs: Annotated[
        bool, option("--pairs", help="Preferences: a better and a worse episode of one sample (--format trl).")
    ] = False,
    min_gap: Annotated[
        float, option("--min-gap", min=0, max=1, help="The least difference, by --by, between the two of a pair.")
    ] = 0.0,
    test_share: Annotated[
        float, option("--test-share", min=0, max=0.9, help="At most this share of the rows for test, by repository.")
    ] = 0.1,
    near_duplicates: Annotated[
        float,
        option(
            "--near-duplicates",
            min=0.5,
            max=1,
            help="Likeness from which attempts are duplicates; 1 keeps all but equal ones.",
        ),
    ] = 0.9,
    evaluation_suite: Annotated[
        list[str] | None,
        option(
            "--evaluation-suite",
            metavar="SUITE",
            help="Keep its repositories and commits out; repeatable. Default: mini, lite and full.",
        ),
    ] = None,
    allow_evaluation_data: Annotated[
        bool, option("--allow-evaluation-data", help="Compare with no evaluation suite; not for training.")
    ] = False,
    offline: Offline = False,
    push_to_hub: Annotated[
        str | None,
        option("--push-to-hub", metavar="ORG/NAME", help="Also upload the folder as a dataset; needs HF_TOKEN."),
    ] = None,
    public: Annotated[bool, option("--public", help="With --push-to-hub: not private.")] = False,
) -> int:
    """Export episodes as training data.

    Duplicates are left out, secrets and e-mail addresses are masked, repositories and commits of evaluation suites are
    kept out, and train and test share no repository and no commit. What is left out is counted.

    Examples:

      gitgoodbench trajectories results/train-* --solved --best-of-sample --out sft --format trl

      gitgoodbench trajectories results/train-* --pairs --by ted_similarity --min-gap 0.2 --out dpo

      gitgoodbench trajectories results/train-gpt-4o --out rows.parquet --format parquet
    """
    from gitgoodbench.cli.exporting import Export, export
    from gitgoodbench.trajectories.choosing import Choice

    request = Export(
        out=out,
        form=form.value,
        choice=Choice(
            solved=solved,
            least=_scores(min_score or ()),
            scenarios=frozenset(scenario or ()),
            max_tokens=max_tokens,
            best=best_of_sample,
            most=max_per_sample,
            by=by,
        ),
        pairs=pairs,
        min_gap=min_gap,
        test_share=test_share,
        likeness=None if near_duplicates == 1 else near_duplicates,
        evaluation=None if allow_evaluation_data else tuple(evaluation_suite or ()),
        offline=offline,
        hub=push_to_hub,
        public=public,
    )
    return export(runs, request)


def _scores(texts: list[str] | tuple[()]) -> dict[str, float]:
    from math import isfinite

    from gitgoodbench.errors import UserError

    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            found[name] = float(value)
        except ValueError:
            equals = ""
        if not name or not equals or not isfinite(found[name]):
            raise UserError(f"--min-score {text}: give NAME=X, such as ted_similarity=0.8")
    return found
