"""Commits enter the database: from what hooks saw, from the reflogs, or because the user names them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from gitgoodbench.errors import GitGoodBenchError, UserError
from gitgoodbench.feedback.facts import Facts, patch_ids, read_facts, unreachable
from gitgoodbench.feedback.queue import Event, done, failed, read_event
from gitgoodbench.feedback.records import Commit
from gitgoodbench.feedback.reflogs import read_reflogs
from gitgoodbench.feedback.repository import Repository
from gitgoodbench.feedback.rewriting import move
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import commit_of, commits, save_commit
from gitgoodbench.git.process import Git
from gitgoodbench.text import one_line

CommittedBy = Callable[[Mapping[str, str]], str | None]
"""The source whose assistant made a commit in whose environment these variables were."""

SeenBy = Literal["hook", "rewrite", "reflog", "range"]


@dataclass(frozen=True)
class Sighting:
    """A commit, and what is known of how it came about."""

    commit: str
    seen_by: SeenBy
    root: Path | None = None
    branch: str | None = None
    hints: tuple[tuple[str, str], ...] = ()


def record(store: Store, git: Git, sightings: Iterable[Sighting], committed_by: CommittedBy) -> list[str]:
    """Record commits; gives those that are new. What a hook saw is added to what a reflog said before."""
    seen = list(sightings)
    unknown = [one.commit for one in seen if commit_of(store, one.commit) is None]
    facts = read_facts(git, unknown)
    patches = patch_ids(git, facts) if facts else {}
    new = []
    with store.writing():
        for one in seen:
            found = commit_of(store, one.commit)
            if found is None and one.commit in facts:
                new.append(one.commit)
                save_commit(store, _commit(facts[one.commit], patches.get(one.commit), one, committed_by))
            elif found is not None and one.seen_by == "hook" and not found.hints:
                save_commit(store, _seen_by_hook(found, one, committed_by))
    return new


def take_events(store: Store, git: Git, files: Iterable[Path], committed_by: CommittedBy) -> list[str]:
    """Put what hooks saw into the database, and remove it from the queue; gives the commits that are new.

    An event that cannot be worked on stays, with the reason, and the others go on.
    """
    events: dict[Path, Event] = {}
    for file in files:
        try:
            events[file] = read_event(file)
        except (GitGoodBenchError, OSError, ValueError) as problem:
            failed(file, one_line(str(problem)))
    rewritten = {commit for event in events.values() for pair in event.rewritten for commit in pair}
    passing = {event.commit for event in events.values() if event.rebasing and event.kind == "post-commit"}
    passing = unreachable(git, passing) - rewritten
    made = {file: event for file, event in events.items() if event.kind == "post-commit"}
    new: list[str] = []
    with contextlib.suppress(GitGoodBenchError, OSError, ValueError):  # then each by itself, below
        new += record(store, git, (_made(one) for one in made.values() if one.commit not in passing), committed_by)
    for file, event in events.items():
        try:
            if event.kind == "post-rewrite":
                new += _take_rewrite(store, git, event, committed_by)
            elif event.commit not in passing:
                new += record(store, git, [_made(event)], committed_by)
        except (GitGoodBenchError, OSError, ValueError) as problem:
            failed(file, one_line(f"{type(problem).__name__}: {problem}"))
        else:
            done(file)
    return new


def catch_up(store: Store, repository: Repository, since: float, committed_by: CommittedBy) -> list[str]:
    """Find commits and amends in the reflogs that no hook told of; gives the commits that are new."""
    entries = read_reflogs(repository.common, repository.roots, since)
    unknown = [entry for entry in entries if commit_of(store, entry.new) is None]
    amends = [entry for entry in entries if entry.amends and entry.old is not None]
    lost = unreachable(repository.git, {entry.new for entry in (*unknown, *amends)})
    sightings = [
        Sighting(entry.new, "reflog" if entry.hooked else "rewrite", entry.root)
        for entry in unknown
        if entry.new not in lost
    ]
    new = record(store, repository.git, sightings, committed_by)
    for entry in amends:
        if entry.new not in lost and entry.old is not None:
            move(store, entry.old, entry.new)
    return new


def record_range(store: Store, git: Git, ranges: Iterable[str], committed_by: CommittedBy) -> list[str]:
    """Record the commits that the user names, a commit or a range; gives all of them, the oldest first.

    Raises:
        UserError: there is no such commit.
    """
    wanted = commits_in(git, ranges)
    record(store, git, (Sighting(commit, "range") for commit in wanted), committed_by)
    return wanted


def commits_in(git: Git, ranges: Iterable[str]) -> list[str]:
    """The commits that the user names, a commit or a range, the oldest first.

    Raises:
        UserError: there is no such commit.
    """
    wanted: list[str] = []
    for text in ranges:
        only = () if ".." in text or text.startswith("^") else ("--no-walk",)
        listed = git.execute("rev-list", "--reverse", "--topo-order", *only, "--end-of-options", text)
        if listed.returncode != 0 or text.startswith("-"):
            raise UserError(
                f"{text} names no commit of this repository: give a commit, or a range such as HEAD~20..HEAD"
            )
        wanted += listed.stdout.decode("ascii").split()
    return wanted


def roots_of(store: Store, repository: Repository) -> tuple[Path, ...]:
    """All working trees that there are or were: those that were removed have edits, too."""
    known = (Path(commit.root) for commit in commits(store) if commit.root is not None)
    return tuple(dict.fromkeys([*repository.roots, *known]))


def _made(event: Event) -> Sighting:
    if event.rebasing:  # who rebases has not made the change
        return Sighting(event.commit, "rewrite", event.root)
    return Sighting(event.commit, "hook", event.root, event.branch, event.hints)


def _take_rewrite(store: Store, git: Git, event: Event, committed_by: CommittedBy) -> list[str]:
    known = [(old, new) for old, new in event.rewritten if commit_of(store, old) is not None]
    new = record(store, git, (Sighting(new, "rewrite", event.root, event.branch) for _, new in known), committed_by)
    for old, after in known:
        move(store, old, after)
    return new


def _commit(facts: Facts, patch: str | None, sighting: Sighting, committed_by: CommittedBy) -> Commit:
    return Commit(
        facts.id,
        facts.parents,
        facts.time,
        facts.author,
        facts.email,
        patch=patch,
        root=None if sighting.root is None else str(sighting.root),
        branch=sighting.branch,
        hints=sighting.hints,
        committed_by=committed_by(dict(sighting.hints)) if sighting.hints else None,
        seen_by=sighting.seen_by,
    )


def _seen_by_hook(found: Commit, sighting: Sighting, committed_by: CommittedBy) -> Commit:
    return replace(
        found,
        root=str(sighting.root),
        branch=sighting.branch,
        hints=sighting.hints,
        committed_by=committed_by(dict(sighting.hints)),
        seen_by="hook",
    )
