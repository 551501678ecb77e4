"""gitgoodbench feedback report, gitgoodbench feedback compare"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class By(StrEnum):
    """What edits are grouped by."""

    ASSISTANT = "assistant"
    MODEL = "model"
    VARIANT = "variant"
    LANGUAGE = "language"
    FOLDER = "folder"
    WEEK = "week"
    PERSON = "person"


class Form(StrEnum):
    """How a report is printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


class Export(StrEnum):
    """Records of others' formats."""

    AGENT_TRACE = "agent-trace"


class Chosen(StrEnum):
    """States of edits."""

    SCORED = "scored"
    SUPERSEDED = "superseded"
    NOT_APPLIED = "not_applied"
    INDIRECT = "indirect"
    PENDING = "pending"


class Metric(StrEnum):
    """What is compared."""

    REWARD = "reward"
    KEPT = "kept"
    NORMALISED = "normalised"
    SURVIVAL = "survival"


Since = Annotated[str | None, typer.Option("--since", metavar="DATE", help="From this day on (2026-11-30), or moment.")]
Until = Annotated[str | None, typer.Option("--until", metavar="DATE", help="Before this day (UTC), or moment.")]
Range = Annotated[
    list[str] | None,
    typer.Option("--commit", metavar="COMMIT|RANGE", help="Only edits in these commits; repeatable."),
]
Days = Annotated[
    int | None,
    typer.Option("--days", min=0, help="Days after which survival is looked at. Default: as many as are followed."),
]


def report(
    by: Annotated[
        list[By] | None,
        typer.Option("--by", help="A table by this; repeatable. Default: assistant, model and language."),
    ] = None,
    form: Annotated[
        Form,
        typer.Option("--format", help="csv and json: a record for each edit; with --by, one for each group."),
    ] = Form.TABLE,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a page with plots and the code itself.")
    ] = None,
    export: Annotated[
        Export | None, typer.Option("--export", help="Print the records of another format instead.")
    ] = None,
    since: Since = None,
    until: Until = None,
    commits: Range = None,
    states: Annotated[
        list[Chosen] | None, typer.Option("--state", help="Only edits in this state; repeatable.")
    ] = None,
    days: Days = None,
) -> int:
    """Show how much of your assistants' edits you kept, by assistant, model, language and more.

    Means have 95 % intervals, for which commits are drawn anew (bootstrap). docs/feedback.md says what the numbers
    mean and what they do not.

    Examples:

      gitgoodbench feedback report --by model --by week

      gitgoodbench feedback report --format json

      gitgoodbench feedback report --html report.html
    """
    from gitgoodbench.cli.feedback_reporting import show_report
    from gitgoodbench.feedback.report.asking import Asked

    asked = Asked(since, until, tuple(commits or ()), tuple(one.value for one in states or ()), days)
    return show_report(
        Path.cwd(), asked, [one.value for one in by or ()], form.value, html, None if export is None else export.value
    )


def compare(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[A B]", help="Two groups by their names. Default: every pair.")
    ] = None,
    by: Annotated[By, typer.Option("--by", help="What the groups are.")] = By.ASSISTANT,
    metric: Annotated[Metric, typer.Option("--metric", help="What is compared.")] = Metric.REWARD,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    since: Since = None,
    until: Until = None,
    commits: Range = None,
    days: Days = None,
) -> int:
    """Say whether groups of edits differ, or whether that may be chance.

    Edits that an assistant committed by itself are left out, and so are superseded ones. Commits are what counts: a
    group of fewer than 8 is not compared.

    Examples:

      gitgoodbench feedback compare --by model

      gitgoodbench feedback compare --by assistant claude-code codex
    """
    from gitgoodbench.cli.feedback_reporting import show_comparison
    from gitgoodbench.feedback.report.asking import Asked

    asked = Asked(since, until, tuple(commits or ()), (), days)
    return show_comparison(Path.cwd(), asked, by.value, metric.value, names or [], as_json=as_json)
