"""What became of a commit's edits: one result for each, one for each conversation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Final

from gitgoodbench.feedback.changes import CommitChange
from gitgoodbench.feedback.comparing import Comparer, Comparison
from gitgoodbench.feedback.locating import Sessions, absolute_path, locate, path_within, root_of
from gitgoodbench.feedback.pieces import language_name
from gitgoodbench.feedback.records import (
    Commit,
    CommitResult,
    ConversationResult,
    Edit,
    EditResult,
    Evidence,
    Key,
    Link,
    Session,
    State,
)
from gitgoodbench.feedback.work import Addition, ConversationWork, Work, work_of
from gitgoodbench.git.paths import show_path

RULE: Final = f"2 ({version('gitgoodbench')})"
"""The version of the rules in this module and those it calls, and of the engine. What another scored is scored again.

Raise the number with any change of what is counted.
"""

PENDING_DAYS: Final = 30
"""After so many days an edit that is in no commit is said to be in none."""

DIRECT: Final = ("applied", "unknown")
"""Outcomes of edits that can have been committed."""


def score_commit(
    commit: Commit,
    change: CommitChange,
    edits: Sequence[Edit],
    sessions: Iterable[Session],
    links: Iterable[Link],
) -> CommitResult:
    """Score the edits that are linked to a commit.

    Args:
        edits: in the order of their logs, session by session; those without a link to the commit are left out.
        sessions: those of the edits, with the sessions that started them.
    """
    evidence = {link.key: link.evidence for link in links if link.commit == commit.id}
    linked = [edit for edit in edits if edit.key in evidence]
    known = {(one.source, one.id): one for one in sessions}
    conversations = _by_conversation(linked, known)
    works = {
        name: work_of(
            in_order([one for one in own if is_direct(one)]),
            change,
            lambda edit: locate(edit, commit.root, change, known),
        )
        for name, own in conversations.items()
    }
    by_key = {edit.key: edit for edit in linked}
    comparer = Comparer(change, _all_additions(works.values(), by_key))
    results: list[EditResult] = []
    nets: list[ConversationResult] = []
    for (source, session), own in conversations.items():
        work = works[source, session]
        for edit in own:
            results.append(_result(edit, commit, evidence[edit.key], work.edits.get(edit.key), comparer))
        count = sum(1 for one in results[-len(own) :] if one.state in ("scored", "superseded"))
        if count:
            nets.append(_net(source, session, commit, work, comparer, count))
    return CommitResult(commit, tuple(results), tuple(nets), RULE, skew_of(commit, linked, evidence))


def results_without_commit(edits: Iterable[Edit], now: float, *, roots: Sequence[str] = ()) -> list[EditResult]:
    """The results of edits that are in no commit: pending, not applied, or indirect. None of them has a reward.

    roots: the working trees, for paths in the repository.
    """
    return [_unlinked(edit, now, roots) for edit in edits]


def _unlinked(edit: Edit, now: float, roots: Sequence[str]) -> EditResult:
    absolute = absolute_path(edit, {})
    root = None if absolute is None else root_of(absolute, roots)
    inside = None if absolute is None or root is None else path_within(absolute, root)
    path = edit.path if inside is None else show_path(inside)
    name = None if edit.path is None and not edit.language else language_name(inside, b"", edit.language)
    result = EditResult(edit.key, "pending", path=path, language=name, model=edit.model, message=edit.message)
    if edit.kind == "indirect":
        return _with(result, "indirect", edit.tool)
    if not is_direct(edit):
        return _with(result, "not_applied", edit.reason or edit.outcome)
    if edit.time is not None and now - edit.time > PENDING_DAYS * 86_400:
        return _with(result, "pending", f"in no commit after {PENDING_DAYS} days")
    return _with(result, "pending", "in no commit yet")


def is_direct(edit: Edit) -> bool:
    """Whether it can have changed files by itself: work that was applied, or may have been."""
    return edit.kind != "indirect" and edit.outcome in DIRECT


def conversation_of(key: Key, sessions: Sessions) -> tuple[str, str]:
    """The source and the session that a conversation began with: sub-agents belong to whom they work for."""
    name = (key.source, key.session)
    seen = {name}
    while (session := sessions.get(name)) is not None and session.parent:
        name = (key.source, session.parent)
        if name in seen:
            break
        seen.add(name)
    return name


def in_order(edits: Sequence[Edit]) -> list[Edit]:
    """Edits as they came: by time; one without a time stays behind the one before it in its log."""
    timed: list[tuple[float, Edit]] = []
    last: dict[str, float] = {}
    for edit in edits:
        time = edit.time if edit.time is not None else last.get(edit.key.session, float("-inf"))
        last[edit.key.session] = time
        timed.append((time, edit))
    return [edit for _, edit in sorted(timed, key=lambda pair: pair[0])]


def skew_of(commit: Commit, edits: Iterable[Edit], evidence: Mapping[Key, tuple[Evidence, ...]]) -> float | None:
    """By how much an edit that is surely in the commit is later than it: the assistant's clock is ahead.

    A commit's time is in whole seconds, so its own second is no difference. None where nothing is later.
    """
    sure = [
        edit.time - (commit.time + 1)
        for edit in edits
        if edit.time is not None and any(one.kind in ("environment", "hash", "content") for one in evidence[edit.key])
    ]
    largest = max(sure, default=0.0)
    return largest if largest > 0 else None


def _by_conversation(edits: Iterable[Edit], sessions: Sessions) -> dict[tuple[str, str], list[Edit]]:
    found: dict[tuple[str, str], list[Edit]] = {}
    for edit in edits:
        found.setdefault(conversation_of(edit.key, sessions), []).append(edit)
    return found


def _language(edit: Edit, work: Work) -> str | None:
    content = work.added[0].content if work.added else b""
    return language_name(work.path or (os.fsencode(edit.path) if edit.path else None), content, edit.language)


def _all_additions(works: Iterable[ConversationWork], edits: Mapping[Key, Edit]) -> list[tuple[Addition, str | None]]:
    found: list[tuple[Addition, str | None]] = []
    for work in works:
        for key, own in work.edits.items():
            found += ((one, _language(edits[key], own)) for one in own.standing)
        for own in work.net:
            found += ((one, _net_language(own)) for one in own.standing)
    return found


def _net_language(work: Work) -> str | None:
    return language_name(work.path, work.standing[0].content) if work.standing else None


def _result(
    edit: Edit, commit: Commit, evidence: tuple[Evidence, ...], work: Work | None, comparer: Comparer
) -> EditResult:
    if edit.kind == "indirect":
        return EditResult(
            edit.key, "indirect", commit.id, model=edit.model, reason=edit.tool, evidence=evidence, message=edit.message
        )
    path = None if work is None or work.path is None else show_path(work.path)
    language = None if work is None else _language(edit, work)
    common = EditResult(
        edit.key, "scored", commit.id, path, language, edit.model, evidence=evidence, message=edit.message
    )
    if not is_direct(edit) or work is None:
        return _with(common, "not_applied", edit.reason or edit.outcome)
    if (unread := comparer.unread(work.path)) is not None:
        return _with(common, "indirect", f"its file is not compared: {unread}")
    if not work.lines:
        return _with(common, "indirect", "adds no lines")
    if work.again:
        return _with(common, "superseded", "an edit or a later answer of its own conversation has its lines")
    if work.is_superseded:
        gone = work.lines - work.standing_lines
        return _with(common, "superseded", f"{gone} of {work.lines} lines overwritten by its own conversation")
    found = comparer.compare([(one, language) for one in work.standing], work.path)
    if found is None:
        return _with(common, "indirect", "adds nothing that can be compared")
    if found.reward is None:
        return _with(common, "indirect", "adds too many lines to be compared")
    return EditResult(
        edit.key, "scored", commit.id, path, language, edit.model, found.reward, found.kept, found.normalised,
        found.size, found.measure, _reason(work, found), evidence, found.pieces, edit.message,
    )  # fmt: skip


def _reason(work: Work, found: Comparison) -> str | None:
    if found.reward == 0 and all(piece.path is None for piece in found.pieces):
        return "the commit adds nothing of its language"
    gone = work.lines - work.standing_lines
    return f"without {gone} of {work.lines} lines that its own conversation overwrote" if gone else None


def _with(result: EditResult, state: State, reason: str) -> EditResult:
    return replace(result, state=state, reason=reason)


def _net(
    source: str, session: str, commit: Commit, work: ConversationWork, comparer: Comparer, count: int
) -> ConversationResult:
    """All that a conversation adds: the rewards of its files, put together as those of one answer."""
    found = [
        one
        for own in work.net
        if comparer.unread(own.path) is None
        and (one := comparer.compare([(add, _net_language(own)) for add in own.standing], own.path)) is not None
    ]
    measure = "tree" if any(one.measure == "tree" for one in found) else "lines"
    found = [one for one in found if one.measure == measure]
    size = sum(one.size for one in found)
    if not size:
        return ConversationResult(source, session, commit.id, None, None, None, None, count)
    return ConversationResult(
        source, session, commit.id,
        _mean([(one.reward, one.size) for one in found]),
        _mean([(one.kept, one.size) for one in found]),
        _mean([(one.normalised, one.size) for one in found]),
        size, count,
    )  # fmt: skip


def _mean(values: Sequence[tuple[float | None, int]]) -> float | None:
    """The mean by size; None where one is not known."""
    known = [(value, size) for value, size in values if value is not None]
    if len(known) < len(values):
        return None
    return sum(value * size for value, size in known) / sum(size for _, size in known)
