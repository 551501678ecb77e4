"""What the commands of `gitgoodbench feedback` print."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter

from gitgoodbench.cli.output import echo
from gitgoodbench.errors import UserError
from gitgoodbench.feedback.install import Hook
from gitgoodbench.feedback.pipeline import run
from gitgoodbench.feedback.repository import Repository, discover
from gitgoodbench.feedback.settings import Settings, read_settings
from gitgoodbench.feedback.setup import SetUp, place_of
from gitgoodbench.feedback.status import SinkStatus, SourceStatus, Status, look
from gitgoodbench.feedback.store import folder_of

_WIDTH = 14


def show_set_up(done: SetUp) -> int:
    """Say what was installed. Exit code 2 where the user has to finish it by hand."""
    for hook in done.hooks:
        _line(hook.name, _of_hook(hook))
    for problem in done.problems:
        echo(problem, err=True)
    _line("sources", ", ".join(done.settings.source_names) or "none")
    _line("sinks", ", ".join(["the local database", *done.settings.sinks]))
    return 0 if all(hook.state == "installed" for hook in done.hooks) else 2


def run_now(folder: Path, ranges: Sequence[str], *, dry: bool = False) -> int:
    """Run, and say what was done.

    Raises:
        UserError: feedback is not installed and no commit is named, or a commit is unknown.
    """
    repository, settings = _opened(folder)
    if settings.installed is None and not ranges:
        raise UserError("feedback is not installed here: run `gitgoodbench feedback install`, or name commits to score")
    done = run(
        repository,
        settings,
        ranges,
        again=True,
        dry=dry,
        when_held=lambda holder: echo(f"waiting for {holder}", err=True),
    )
    for problem in done.problems:
        echo(problem, err=True)
    found = f"{done.commits} new commits, {done.caught_up} made without a hook"
    echo(f"{found}; {done.scored} scored" + (f", {done.failed} failed (see `status`)" if done.failed else ""))
    for sink, text in done.delivered.items():
        echo(f"{sink}: {text}")
    return 0


def show_status(folder: Path, *, check: bool, as_json: bool) -> int:
    """Print how feedback stands. Exit code 2 where the user has to do something.

    Raises:
        UserError: there is nothing to tell about.
    """
    repository, settings = _opened(folder)
    if settings.installed is None and not (folder_of(repository.common) / "feedback.sqlite3").exists():
        raise UserError("feedback is not installed here: run `gitgoodbench feedback install`")
    status = look(repository, settings, check=check)
    if as_json:
        echo(TypeAdapter(Status).dump_json(status, indent=2).decode())
    else:
        for label, text in _lines(status):
            _line(label, text)
    return 2 if status.needs_help else 0


def _opened(folder: Path) -> tuple[Repository, Settings]:
    repository = discover(folder)
    return repository, read_settings(place_of(repository))


def _lines(status: Status) -> Iterator[tuple[str, str]]:
    yield "installed", _moment(status.installed) if status.installed is not None else "no"
    yield "kept in", str(folder_of(status.common))
    for hook in status.hooks:
        yield hook.name, _of_hook(hook)
    if status.script is not None:
        yield "", status.script
    yield "queue", f"{status.queue} waiting"
    for name, problem in status.events_failed.items():
        yield "", f"{name}: {problem}"
    if status.last is not None:
        seconds = status.last.ended - status.last.started
        yield "last run", f"{_moment(status.last.started)}, {seconds:.1f} s, {status.last.scored} commits scored"
        for problem in status.last.problems:
            yield "", problem
    yield "commits", f"{_counts(status.commits)}; {status.without_hook} made without a hook"
    for commit, problem in status.failed.items():
        yield "", f"{commit[:10]}: {problem}"
    yield "edits", _counts(status.edits) or "none"
    for source in status.sources:
        yield source.name, _of_source(source)
        for problem in source.problems:
            yield "", problem
    yield "database", "results are kept here"
    for sink in status.sinks:
        yield sink.name, _of_sink(sink)
    for problem in status.problems:
        yield "problem", problem


def _of_hook(hook: Hook) -> str:
    place = "" if hook.state == "missing" else f" in {hook.path}"
    return f"{hook.state}{place}" + ("" if hook.advice is None else f"; {hook.advice}")


def _of_source(source: SourceStatus) -> str:
    version = f"version {source.version}, " if source.version else ""
    found = "" if source.found is None else f" of {source.found}"
    read = f"{source.understood} records read, {source.not_understood} not understood"
    return f"{version}{source.logs}{found} logs, {source.sessions} sessions here, {read}"


def _of_sink(sink: SinkStatus) -> str:
    states = _counts(sink.states) or "nothing to deliver"
    said = sink.problem or sink.check
    return states if said is None else f"{states}; {said}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items() if number)


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


def _line(label: str, text: str) -> None:
    echo(f"{label:<{_WIDTH}}{text}")
