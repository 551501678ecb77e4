"""The runs of a folder as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from gitgoodbench.reporting.layout import UNKNOWN, make_table, print_table, say
from gitgoodbench.reporting.money import in_dollars
from gitgoodbench.reporting.summary import account_of, read_run
from gitgoodbench.runs.account import NOTHING_SPENT, Spent
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.underway import UnderWay


@dataclass(frozen=True)
class Listed:
    """One run. created: UTC, ISO 8601. done: episodes that a resumed run keeps. solved: of the settled episodes, of
    which that is known.
    """

    name: str
    who: str
    suite: str
    created: str
    done: int
    planned: int
    solved: int
    settled: int
    spent: Spent
    worked_on: bool

    @property
    def state(self) -> str:
        """`running`, `finished`, or `unfinished`: resume goes on."""
        if self.worked_on:
            return "running"
        return "finished" if self.done >= self.planned else "unfinished"


def read_listed(paths: RunPaths) -> Listed:
    """A run by its files.

    Raises:
        UserError: its manifest cannot be read.
    """
    manifest, results = read_run(paths, details=False)
    model = manifest.agent.get("model")
    settled = [result.solved for result in results if result.solved is not None]
    return Listed(
        name=paths.folder.name,
        who=str(manifest.agent["name"] if model is None else model),
        suite=manifest.suite.spec,
        created=manifest.created,
        done=sum(not result.is_unfinished for result in results),
        planned=manifest.plan.episodes,
        solved=sum(settled),
        settled=len(settled),
        spent=account_of(paths).total(),
        worked_on=UnderWay(paths).worker() is not None,
    )


def print_runs(console: Console, folder: Path, listed: Sequence[Listed]) -> None:
    """Print a line for each."""
    if not listed:
        say(console, f"no runs in {folder}")
        return
    table = make_table(console, ["run", "state", "episodes", "solved", "cost", "agent", "suite", "begun (UTC)"])
    for run in listed:
        table.add_row(
            Text(run.name), run.state, f"{run.done}/{run.planned}",
            f"{run.solved}/{run.settled}" if run.settled else UNKNOWN,
            UNKNOWN if run.spent == NOTHING_SPENT.total() else in_dollars(run.spent),
            Text(run.who), Text(run.suite), run.created[:16].replace("T", " "),
        )  # fmt: skip
    print_table(console, f"runs in {folder}", table)
