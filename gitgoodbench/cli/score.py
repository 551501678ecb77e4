"""gitgoodbench score"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from gitgoodbench.cli.options import EnvFile, option, run_flags, said
from gitgoodbench.errors import UserError
from gitgoodbench.runs.config import JUDGING, spelling

_CHOOSING = ("scenario", "sample", "language", "difficulty", "limit", "skip_invalid")


@run_flags(
    *JUDGING, "max_cost", "cache_answers", "request_timeout", "max_connections", "jobs", "repos", "offline", *_CHOOSING
)
def score(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...|FILE",
            help="Run folders, or ids of runs under results/; or predictions.",
            show_default=False,
        ),
    ],
    suite: Annotated[
        str | None,
        option("--suite", metavar="SUITE", help="FILE holds predictions for this suite: make a run of them."),
    ] = None,
    agent: Annotated[str | None, option("--agent", "-a", metavar="NAME", help="Who made the predictions.")] = None,
    run_id: Annotated[str | None, option("--run-id", help="Name of the run of predictions.")] = None,
    out: Annotated[
        Path | None, option("--out", "-o", help="Parent of the folder of a run of predictions. Default: results.")
    ] = None,
    events: Annotated[
        str | None, option("--events", metavar="FILE", help="Events of a run of predictions, as eval writes them.")
    ] = None,
    otel: Annotated[bool, option("--otel", help="OpenTelemetry spans of a run of predictions, as of eval.")] = False,
    unscored: Annotated[
        bool, option("--unscored", help="Ask the judge only where none has settled the episode yet.")
    ] = False,
    env_file: EnvFile = None,  # noqa: ARG001
    **fields: Any,
) -> int:
    """Score saved outcomes again, or predictions made elsewhere: no sandbox, and no model unless a judge is asked for.

    What judges said stays; --judge llm or --judge-model has every episode judged again, --judge none forgets it.

    With --suite, FILE (.jsonl or .json) holds predictions: patches, files or bundles, by sample. They become a run.

    Examples:

      gitgoodbench score results/lite-gpt-4o

      gitgoodbench score results/lite-gpt-4o --judge-model gpt-4.1 --judge-model o3

      gitgoodbench score results/lite-gpt-4o --judge llm --unscored

      gitgoodbench score predictions.jsonl --suite lite --agent mine
    """
    if suite is not None:
        if unscored:
            raise UserError("--unscored is for saved runs: leave it out with --suite")
        from gitgoodbench.cli.output import echo
        from gitgoodbench.cli.predicting import score_predictions
        from gitgoodbench.tracing.runs import exporting_spans

        given = {**said(fields), "suite": suite}
        with exporting_spans(wanted=otel, say=partial(echo, err=True)) as tracing:
            return score_predictions(
                runs, given, agent=agent, out=out or Path("results"), run_id=run_id, events=events, tracing=tracing
            )
    own = {"--agent": agent, "--run-id": run_id, "--out": out, "--events": events, "--otel": otel or None}
    _refuse_without_suite(own, said(fields))
    from gitgoodbench.cli.scoring import score_runs

    return score_runs(runs, said(fields), unscored=unscored)


def _refuse_without_suite(own: Mapping[str, object], fields: Mapping[str, object]) -> None:
    named = [name for name, value in own.items() if value is not None]
    named += [spelling(name) for name in _CHOOSING if name in fields]
    if named:
        raise UserError(f"{named[0]} is for predictions made elsewhere: give their --suite as well")
