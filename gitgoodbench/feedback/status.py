"""How feedback stands in a repository: its hooks, its queue, its last run, its sources and its sinks."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Place, Sink, Source
from gitgoodbench.feedback.hook import VERSION, version_of
from gitgoodbench.feedback.install import Hook, hooks_in
from gitgoodbench.feedback.pipeline import Run, last_run
from gitgoodbench.feedback.queue import problems_of, waiting
from gitgoodbench.feedback.recording import roots_of
from gitgoodbench.feedback.registry import load_sinks, load_sources
from gitgoodbench.feedback.repository import Repository
from gitgoodbench.feedback.settings import Settings
from gitgoodbench.feedback.store import Store, folder_of
from gitgoodbench.feedback.store.commits import commits
from gitgoodbench.feedback.store.outbox import count_entries
from gitgoodbench.feedback.store.readings import read_logs, sessions
from gitgoodbench.feedback.store.results import edit_results, problems
from gitgoodbench.text import one_line


@dataclass(frozen=True)
class SourceStatus:
    """What was read of a source. version: of the program, in its newest session. found: logs that are there now."""

    name: str
    title: str
    version: str | None
    sessions: int
    logs: int
    understood: int
    not_understood: int
    problems: tuple[str, ...]
    found: int | None = None


@dataclass(frozen=True)
class SinkStatus:
    """What was delivered to a sink. check: what it says of itself; None where it was not asked, or could not work."""

    name: str
    title: str
    states: dict[str, int]
    check: str | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Status:
    """All of it. without_hook: commits for which Git would have called the hook, and did not."""

    installed: float | None
    user: str | None
    common: Path
    roots: tuple[Path, ...]
    hooks: tuple[Hook, ...]
    script: str | None
    queue: int
    events_failed: dict[str, str]
    last: Run | None
    commits: dict[str, int]
    without_hook: int
    failed: dict[str, str]
    edits: dict[str, int]
    sources: tuple[SourceStatus, ...]
    sinks: tuple[SinkStatus, ...]
    problems: tuple[str, ...]

    @property
    def needs_help(self) -> bool:
        """Whether the user has to do something for new commits to be scored and delivered."""
        hooks = self.installed is not None and any(hook.state != "installed" for hook in self.hooks)
        return hooks or self.script is not None or any(sink.problem is not None for sink in self.sinks)


def look(repository: Repository, settings: Settings, *, check: bool = False) -> Status:
    """Look at everything. check: also ask sinks whether they could deliver, and sources what logs there are.

    Raises:
        UserError: the database is damaged.
    """
    sources, sinks = load_sources(settings.source_names), load_sinks(settings.sinks)
    with Store(repository.common) as store:
        place = Place(roots_of(store, repository), repository.common, Path.home(), environment=dict(os.environ))
        recorded = list(commits(store))
        counting = [one for one in recorded if one.moved_to is None and one.copy_of is None]
        failed = problems(store)
        return Status(
            installed=settings.installed,
            user=settings.user,
            common=repository.common,
            roots=repository.roots,
            hooks=tuple(hooks_in(repository)),
            script=_script_problem(repository.common) if settings.installed is not None else None,
            queue=len(waiting(repository.common, aside=True)),
            events_failed=problems_of(repository.common),
            last=last_run(repository.common),
            commits=_commit_counts(store, len(recorded), len(counting), len(failed)),
            without_hook=sum(one.seen_by == "reflog" for one in recorded),
            failed=failed,
            edits=dict(Counter(result.state for result in edit_results(store))),
            sources=tuple(_source_statuses(store, sources.found, place, settings, check)),
            sinks=tuple(_sink_statuses(store, sinks.found, place, settings, check)),
            problems=(*sources.problems, *sinks.problems),
        )


def _commit_counts(store: Store, recorded: int, counting: int, failed: int) -> dict[str, int]:
    query = "SELECT count(*) FROM commits WHERE scored_by IS NOT NULL AND moved_to IS NULL AND copy_of IS NULL"
    (scored,) = store.connection.execute(query).fetchone()
    return {
        "recorded": recorded,
        "scored": scored,
        "pending": counting - scored - failed,
        "failed": failed,
        "rewritten or copied": recorded - counting,
    }


def _source_statuses(
    store: Store, sources: Iterable[Source], place: Place, settings: Settings, check: bool
) -> Iterable[SourceStatus]:
    logs = read_logs(store)
    known = list(sessions(store))
    for source in sources:
        own = [log for log in logs if log.source == source.name]
        newest = max(
            (one for one in known if one.source == source.name), key=lambda one: one.started or 0.0, default=None
        )
        status = SourceStatus(
            source.name,
            source.title,
            None if newest is None else newest.version,
            sessions=sum(one.source == source.name for one in known),
            logs=len(own),
            understood=sum(log.understood for log in own),
            not_understood=sum(log.not_understood for log in own),
            problems=tuple(dict.fromkeys(problem for log in own for problem in log.problems)),
        )
        options = settings.options_of("source").get(source.name, {})
        yield _checked(source, status, replace(place, options=options)) if check else status


def _checked(source: Source, status: SourceStatus, place: Place) -> SourceStatus:
    try:
        return replace(status, found=sum(1 for _ in source.logs(place)))
    except Exception as problem:  # of a source that anybody may have written
        said = str(problem) if isinstance(problem, UserError | OSError) else type(problem).__name__
        return replace(status, problems=(*status.problems, one_line(said)))


def _sink_statuses(
    store: Store, sinks: Iterable[Sink], place: Place, settings: Settings, check: bool
) -> Iterable[SinkStatus]:
    counted = count_entries(store)
    for sink in sinks:
        states: dict[str, int] = {state: count for (name, state), count in counted.items() if name == sink.name}
        status = SinkStatus(sink.name, sink.title, states)
        if not check:
            yield status
            continue
        try:
            said = sink.check(replace(place, options=settings.options_of("sink").get(sink.name, {})))
            yield replace(status, check=one_line(said))
        except Exception as problem:  # of a sink that anybody may have written
            yield replace(status, problem=one_line(str(problem)))


def _script_problem(common: Path) -> str | None:
    """Why the script that hooks call would not start this gitgoodbench; None where it would."""
    try:
        text = (folder_of(common) / "hook").read_text()
    except OSError:
        return "the script that hooks call is gone: run `gitgoodbench feedback install`"
    if version_of(text) != VERSION:
        return "the script that hooks call is of another version: run `gitgoodbench feedback install`"
    return None
