"""Link and score: every commit that is new, that took another's place, or that gained or lost an edit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.feedback.attribution import attributions
from gitgoodbench.feedback.changes import CommitChange, read_change
from gitgoodbench.feedback.linking import CONTENT_WINDOW, SKEW, link_edits
from gitgoodbench.feedback.records import Attribution, Commit, CommitResult, Edit, Key, Link, Session
from gitgoodbench.feedback.scoring import RULE, results_without_commit, score_commit
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import (
    commit_of,
    commits,
    link_of,
    links_of,
    mark_unscored,
    save_commit,
    save_links,
    superfluous_commits,
    unscored_commits,
)
from gitgoodbench.feedback.store.readings import edits_of, linked_edits, outstanding_edits, session_of, unlinked_edits
from gitgoodbench.feedback.store.results import save_edit_results, save_problem, save_result
from gitgoodbench.git.batch import ObjectReader
from gitgoodbench.git.process import Git
from gitgoodbench.text import one_line

_CHANGES_KEPT: Final = 32
_MOST_READ: Final = 16 * 1024 * 1024
"""Bytes of a file of the working tree, beyond which it is not looked at."""


@dataclass(frozen=True)
class Evaluated:
    """results: of all commits whose results are new. failed: commits that could not be scored, with why."""

    results: tuple[CommitResult, ...]
    failed: Mapping[str, str]


def evaluate(
    store: Store, git: Git, roots: Sequence[Path], lost: set[str], since: float | None, *, read_since: float = 0.0
) -> Evaluated:
    """Link the edits that are in no commit yet, and score what has changed.

    lost: commits that count, but that nothing leads to any more: their edits may be in another one. since: scored
    commits that are not older are linked, too, since edits of their time became known only now; None: none of them.
    read_since: logs that were not read since then say nothing new.
    """
    change_of = lru_cache(_CHANGES_KEPT)(lambda commit: read_change(git, commit))
    results = [_emptied(store, commit) for commit in superfluous_commits(store)]
    waiting = unscored_commits(store, RULE)
    unscored = [one for one in waiting if one.id not in lost]
    candidates = unscored + _scored_since(store, since, lost)
    with ObjectReader(git) as reader:
        places = {one.id: None if one.root is None else Path(one.root) for one in candidates}
        attribution = cache(lambda commit: attributions(git, commit, places.get(commit), reader=reader))
        touched = _link(store, candidates, lost, roots, change_of, attribution)
    moved = {one.id for one in waiting if one.id in lost and links_of(store, one.id)}  # rewritten, then dropped
    scored = {one.id for one in unscored} | moved | touched
    failed: dict[str, str] = {}
    for commit in (found for one in sorted(scored) if (found := commit_of(store, one)) is not None):
        try:
            results.append(_scored(store, commit, change_of))
        except (GitGoodBenchError, OSError, ValueError, RecursionError, MemoryError) as problem:
            failed[commit.id] = one_line(f"{type(problem).__name__}: {problem}")
            save_problem(store, commit.id, failed[commit.id])
    outstanding = outstanding_edits(store, read_since)
    save_edit_results(store, results_without_commit(outstanding, time.time(), roots=[str(root) for root in roots]))
    return Evaluated(tuple(results), failed)


def _link(
    store: Store,
    candidates: Sequence[Commit],
    lost: set[str],
    roots: Iterable[Path],
    change_of: Callable[[str], CommitChange],
    attribution: Callable[[str], Sequence[Attribution]],
) -> set[str]:
    """Link edits to the candidates; gives the commits that gained or lost one."""
    if not candidates:
        return set()
    earliest = min(one.time for one in candidates) - CONTENT_WINDOW
    again = linked_edits(store, lost | {one.id for one in candidates})
    edits = [*unlinked_edits(store, earliest), *again]
    if not edits:
        return set()
    found = link_edits(
        _in_order_of_logs(edits),
        _in_order(candidates),
        _sessions_of(store, (edit.key for edit in edits)),
        change_of,
        attribution,
        roots=[str(root) for root in roots],
        work_tree=_content_now,
    )
    touched: set[str] = set()
    changed: list[Link] = []
    for link in found:
        before = link_of(store, link.key)
        if before is None or before.commit != link.commit:
            changed.append(link)
            touched |= {link.commit} if before is None else {link.commit, before.commit}
    for commit in touched:
        mark_unscored(store, commit)
    save_links(store, changed)
    return touched


def _scored(store: Store, commit: Commit, change_of: Callable[[str], CommitChange]) -> CommitResult:
    links = links_of(store, commit.id)
    if links:
        names = dict.fromkeys((link.key.source, link.key.session) for link in links)
        edits = [edit for source, session in names for edit in edits_of(store, source, session)]
        sessions = _sessions_of(store, (link.key for link in links))
        commit = _as_logs_say(store, commit, sessions)
        result = score_commit(commit, change_of(commit.id), edits, sessions, links)
    else:
        result = CommitResult(commit, (), (), RULE)
    save_result(store, result)
    return result


def _as_logs_say(store: Store, commit: Commit, sessions: Iterable[Session]) -> Commit:
    """The commit with who made it, where no environment told but a log does: some assistants leave no mark there."""
    made = (session for session in sessions if any(commit.id.startswith(one.id) for one in session.commits))
    if commit.committed_by is not None or (session := next(made, None)) is None:
        return commit
    commit = replace(commit, committed_by=session.source)
    save_commit(store, commit)
    return commit


def _emptied(store: Store, commit: Commit) -> CommitResult:
    """A commit that does not count: its edits do for another one."""
    result = CommitResult(commit, (), (), RULE)
    save_result(store, result)
    return result


def _scored_since(store: Store, since: float | None, lost: set[str]) -> list[Commit]:
    if since is None:
        return []
    unscored = {one.id for one in unscored_commits(store, RULE)}
    return [
        one
        for one in commits(store)
        if one.time >= since - SKEW and one.moved_to is None and one.copy_of is None
        and one.id not in lost and one.id not in unscored
    ]  # fmt: skip


def _sessions_of(store: Store, keys: Iterable[Key]) -> list[Session]:
    """The sessions of edits, and those that started them."""
    waiting = [(key.source, key.session) for key in keys]
    found: dict[tuple[str, str], Session] = {}
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        session = session_of(store, *name)
        if session is not None:
            found[name] = session
            if session.parent is not None:
                waiting.append((name[0], session.parent))
    return list(found.values())


def _in_order(candidates: Iterable[Commit]) -> list[Commit]:
    """The oldest first; of a rebase, whose commits have the same time, parents before children."""
    waiting = {one.id: one for one in sorted(candidates, key=lambda one: (one.time, one.id))}
    ordered: dict[str, Commit] = {}
    for commit in list(waiting.values()):
        chain = [commit]
        while chain:
            last = chain[-1]
            before = [
                waiting[parent]
                for parent in last.parents
                if parent in waiting and parent not in ordered and waiting[parent].time == last.time
            ]
            if before:
                chain += before
            else:
                ordered.setdefault(last.id, last)
                chain.pop()
    return list(ordered.values())


def _in_order_of_logs(edits: Sequence[Edit]) -> list[Edit]:
    """Session by session, each in the order in which its edits were given, which is that of its log or of time."""
    by_session: dict[tuple[str, str], list[Edit]] = {}
    for edit in edits:
        by_session.setdefault((edit.key.source, edit.key.session), []).append(edit)
    return [edit for own in by_session.values() for edit in sorted(own, key=lambda one: one.time or 0.0)]


def _content_now(_root: str, path: str) -> bytes | None:
    try:
        file = Path(path)
        return file.read_bytes() if file.is_file() and file.stat().st_size <= _MOST_READ else None
    except (OSError, ValueError):
        return None
