"""What `gitgoodbench build-dataset` does after its flags are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from gitgoodbench.cli.machine import check_out
from gitgoodbench.cli.mining import parse_languages
from gitgoodbench.cli.running import say
from gitgoodbench.dataset.sample import DIFFICULTIES
from gitgoodbench.mining.build import SAMPLES, BuildOptions, BuiltDataset, build_dataset, split_folders
from gitgoodbench.mining.card import split_notes
from gitgoodbench.mining.filters import PROJECT_FILTERS
from gitgoodbench.mining.mined_file import read_mined
from gitgoodbench.mining.options import SOURCE_SUFFIXES
from gitgoodbench.mining.push import check_hub_name, push_to_hub
from gitgoodbench.mining.records import MinedRow
from gitgoodbench.mining.rules import FilterSettings
from gitgoodbench.mining.splits import SplitPlan, unix_time
from gitgoodbench.mining.statistics import difficulties, rows_frame
from gitgoodbench.mining.steps import Tell
from gitgoodbench.plugin_options import read_options
from gitgoodbench.plugins import SAMPLES as SAMPLE_TYPES
from gitgoodbench.reporting.repositories import RepositoryProgress
from gitgoodbench.reporting.tables import make_console
from gitgoodbench.workspace.network import Step

_ALL_PROJECT_FILTERS = "projects"


def build(
    mined: Sequence[Path],
    out: Path,
    *,
    without: Sequence[str],
    thresholds: Mapping[str, int],
    as_of: datetime | None,
    asked: Sequence[str],
    opt: Sequence[str],
    languages: Sequence[str],
    sizes: Mapping[str, int],
    by_repository: bool,
    after: datetime | None,
    seed: int,
    title: str,
    plots: bool,
    hub: str | None,
    public: bool,
) -> int:
    """Build, print the tables, upload if asked to, and return the exit code."""
    if hub is not None:
        check_hub_name(hub)
    check_out(out)
    off = {name for name in without if name != _ALL_PROJECT_FILTERS}
    if _ALL_PROJECT_FILTERS in without:
        off |= {rule.name for rule in PROJECT_FILTERS}
    suffixes = parse_languages(languages)
    filters = FilterSettings(
        **thresholds,
        suffixes=tuple(dict.fromkeys((*SOURCE_SUFFIXES, *suffixes.values()))),
        as_of=as_of.replace(tzinfo=None) if as_of else None,
        off=frozenset(off),
        asked=frozenset(asked),
        own=read_options(opt, (SAMPLE_TYPES,)),
    )
    plan = SplitPlan(**sizes, seed=seed, by_repository=by_repository, after=unix_time(after) if after else None)
    chosen = tuple(suffixes) if languages else ()
    options = BuildOptions(filters, plan, chosen, title, plots)
    console = make_console()
    progress = RepositoryProgress(make_console(stderr=True))
    with ExitStack() as display:
        display.enter_context(progress.shown(transient=True))

        def tell(step: str, done: int = 0, total: int | None = None) -> None:
            progress(Step(out.name, step, done, total))

        def before_writing(planned: BuiltDataset) -> None:
            display.close()  # what is drawn takes standard output, too
            _print(console, planned, plan)
            display.enter_context(progress.shown(transient=True))

        rows = read_counted((path.expanduser() for path in mined), tell)
        built = build_dataset(rows, out.expanduser(), options, before_writing, tell)
        progress(Step(out.name, None))
    for name, folder in split_folders(built.folder).items():
        say(console, f"{name}: {folder / SAMPLES}")
    if hub is not None:
        files = {name: folder / SAMPLES for name, folder in split_folders(built.folder).items()}
        for split, address in push_to_hub(files, hub, title, public=public).items():
            say(make_console(stderr=True), f"uploaded {split}: {address}")
    return 0


def read_counted(files: Iterable[Path], tell: Tell) -> list[MinedRow]:
    """The rows of mined files, counted as they come."""
    rows: list[MinedRow] = []
    tell("reading rows", 0, None)
    for row in read_mined(*files):
        rows.append(row)
        tell("reading rows", len(rows), None)
    return rows


def _print(console: Console, built: BuiltDataset, plan: SplitPlan) -> None:
    filters = _table("filter", "keeps", "removed", "unknown")
    for entry in built.removed:
        numbers = (str(entry.rows), str(entry.unknown)) if entry.applied else ("off", "")
        filters.add_row(entry.name, entry.meaning, *numbers)
    say(console, f"{built.mined} mined candidates, filtered:")
    console.print(filters)
    splits = _table("split", "rows", "repositories", *DIFFICULTIES)
    for name, rows in built.splits.rows.items():
        frame = rows_frame(rows)
        splits.add_row(name, *map(str, (len(rows), frame.repository.nunique(), *difficulties(frame).values())))
    say(console, "")
    console.print(splits)
    for note in split_notes(built.splits, plan):
        say(console, note)


def _table(*columns: str) -> Table:
    table = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 or column == "keeps" else "right", no_wrap=True)
    return table
