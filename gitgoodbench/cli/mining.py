"""What `gitgoodbench mine` does after its flags are read: mine with progress, print the tables."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from gitgoodbench.cli.machine import check_cache, check_machine, check_out
from gitgoodbench.cli.running import say
from gitgoodbench.clusters.backends import Backend, Workers
from gitgoodbench.errors import UserError
from gitgoodbench.mining.contract import types_of_kinds
from gitgoodbench.mining.options import LANGUAGES, MiningOptions, Refs
from gitgoodbench.mining.run import MiningReport, mine, work_folder
from gitgoodbench.mining.targets import find_targets
from gitgoodbench.mining.task import Failed, Order, Repositories, Summary
from gitgoodbench.plugin_options import read_options
from gitgoodbench.plugins import SAMPLES
from gitgoodbench.reporting.repositories import RepositoryProgress
from gitgoodbench.reporting.tables import make_console
from gitgoodbench.workspace.network import Step
from gitgoodbench.workspace.store import open_store

EXIT_INCOMPLETE = 3
EXIT_INTERRUPTED = 130


def mine_repositories(
    repositories: Sequence[str],
    repos_files: Sequence[Path],
    *,
    out: Path,
    repos: Path | None,
    languages: Sequence[str],
    kinds: Sequence[str],
    opt: Sequence[str],
    since: datetime | None,
    until: datetime | None,
    refs: str,
    jobs: int | None,
    backend: str,
    cluster: str | None,
    offline: bool,
) -> int:
    """Mine, print a table, and return the exit code."""
    console = make_console(stderr=True)
    check_machine()
    check_out(out.parent)
    suffixes = parse_languages(languages)
    order = Order(
        MiningOptions(
            refs=Refs(refs), suffixes=tuple(suffixes.values()), since=_seconds(since), until=_seconds(until),
            types=types_of_kinds(named) if (named := _listed(kinds)) else None, own=read_options(opt, (SAMPLES,)),
        ),
        tuple({**LANGUAGES, **suffixes}.items()),
        Repositories(repos.expanduser().absolute() if repos else None, None, offline),
    )  # fmt: skip
    chosen = Backend(backend)
    workers = Workers(chosen, jobs or (None if chosen.is_cluster else os.cpu_count()), cluster)
    targets = find_targets(repositories, [path.expanduser() for path in repos_files])
    if not chosen.is_cluster:  # its machines may have other folders
        open_store(order.repositories.folder, None, offline)
        check_cache([target.name for target in targets if target.mirror is None], order.repositories.folder)
    try:
        with _watching(console) as observer:
            report = mine(targets, order, out, workers, observer, only=tuple(suffixes) if languages else ())
    except KeyboardInterrupt:
        say(console, f"interrupted; what is finished is kept in {work_folder(out)}: the same command carries on")
        return EXIT_INTERRUPTED
    _print(make_console(), report)
    return EXIT_INCOMPLETE if report.failures else 0


def parse_languages(given: Sequence[str]) -> dict[str, bytes]:
    """The languages that flags name, with how names of their source files end; all that are known for none.

    Raises:
        UserError: a language is neither known nor given as NAME=.SUFFIX.
    """
    chosen: dict[str, bytes] = {}
    for text in given:
        name, _, suffix = text.strip().lower().partition("=")
        if name in LANGUAGES and not suffix:
            chosen[name] = LANGUAGES[name]
        elif name and suffix.startswith(".") and len(suffix) > 1 and suffix.isascii():
            chosen[name] = suffix.encode("ascii")
        else:
            raise UserError(f"--language {text}: give {', '.join(LANGUAGES)}, or another one as NAME=.SUFFIX")
    return chosen or dict(LANGUAGES)


def _listed(given: Sequence[str]) -> list[str]:
    """The words of flags that may hold several, between commas."""
    return [word.strip() for text in given for word in text.split(",") if word.strip()]


def _seconds(time: datetime | None) -> int | None:
    return None if time is None else int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())


class _Lines:
    """One line for each repository, and on a terminal a bar below."""

    def __init__(self, console: Console, progress: Progress | None, repositories: RepositoryProgress) -> None:
        self._console = console
        self._repositories = repositories
        self._progress = progress
        self._task = progress.add_task("mining", total=None) if progress else None
        self._total = 0
        self._done = 0

    def begin(self, repositories: int) -> None:
        self._total = repositories
        if self._progress is not None and self._task is not None:
            self._progress.reset(self._task, total=repositories)

    def finished(self, summary: Summary, *, kept: bool) -> None:
        self._advance(f"{summary.name}: {_found(summary.counts)}, {summary.seconds:.1f} s{' (before)' if kept else ''}")

    def failed(self, failure: Failed) -> None:
        self._advance(f"{failure.name}: failed: {failure.reason}")

    def note(self, text: str) -> None:
        say(self._console, text)

    def under_way(self, step: Step) -> None:
        self._repositories(step)

    def _advance(self, text: str) -> None:
        self._done += 1
        say(self._console, f"[{self._done}/{self._total}] {text}")
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task)


@contextmanager
def _watching(console: Console) -> Iterator[_Lines]:
    repositories = RepositoryProgress(console)
    if not console.is_terminal:
        with repositories.shown():
            yield _Lines(console, None, repositories)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=console)
    with repositories.shown(progress):
        yield _Lines(console, progress, repositories)


def _found(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items())


def _sum(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return total


def _print(console: Console, report: MiningReport) -> None:
    table = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("repository", no_wrap=True)
    total = _sum(summary.counts for summary in report.summaries)
    for name in (*total, "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    for summary in report.summaries:
        table.add_row(summary.name, *(str(summary.counts.get(name, 0)) for name in total), f"{summary.seconds:.1f}")
    seconds = sum(summary.seconds for summary in report.summaries)
    table.add_row("all", *map(str, total.values()), f"{seconds:.1f}")
    console.print(table)
    left_out = _sum(summary.left_out for summary in report.summaries)
    if any(left_out.values()):
        say(console, f"left out: {', '.join(f'{count} {what}' for what, count in left_out.items() if count)}")
    if report.failures:
        say(console, f"\n{len(report.failures)} repositories could not be mined; the same command tries them again:")
        errors = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
        errors.add_column("repository", no_wrap=True)
        errors.add_column("reason", overflow="fold")
        for failure in report.failures:
            errors.add_row(failure.name, failure.reason)
        console.print(errors)
    say(console, f"{report.rows} rows: {report.out}")
