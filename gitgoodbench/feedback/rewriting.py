"""Amend, rebase, squash, fixup, cherry-pick, reset: what is recorded moves with the change, never doubled, never lost.

A commit that takes another's place gets its edits (`moved_to`): Git's hook says so, or the reflog, or the change itself
(the same patch, or the same author at the same time with the same subject). A cherry-pick whose original is still
there counts for nothing (`copy_of`). A commit that nothing leads to any more and that nothing replaced keeps its edits
until another commit turns out to hold them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from gitgoodbench.feedback.facts import Facts, commits_since, patch_ids, read_facts, unreachable
from gitgoodbench.feedback.records import Commit
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import commit_of, commits, mark_unscored, move_commit, save_commit
from gitgoodbench.git.process import Git

_MOST_SEARCHED: Final = 2000
"""Commits, the newest first, among which those are looked for that took a lost one's place."""

_DAY: Final = 86_400

_PICKED: Final = re.compile(rb"\(cherry picked from commit ([0-9a-f]{40,64})\)")


def standing_of(store: Store, commit: str) -> str:
    """The commit that stands for another now: where it moved to, in the end."""
    seen = {commit}
    while True:
        found = commit_of(store, commit)
        if found is None or found.moved_to is None or found.moved_to in seen:
            return commit
        commit = found.moved_to
        seen.add(commit)


def move(store: Store, old: str, new: str) -> bool:
    """Let a commit take the place of another, with what the hook knew of that; says whether anything changed."""
    target = standing_of(store, new)
    before, after = commit_of(store, old), commit_of(store, target)
    if before is None or target == old or (before.moved_to is not None and standing_of(store, old) == target):
        return False
    with store.writing():
        if after is not None:
            save_commit(store, _inheriting(after, before))
        move_commit(store, old, target)
    return True


def mark_copies(store: Store, git: Git, new: Iterable[str]) -> None:
    """Tell which of the new commits are copies of recorded ones that are still there."""
    fresh = [found for commit in new if (found := commit_of(store, commit)) is not None and found.moved_to is None]
    originals = [one for one in commits(store) if one.moved_to is None and one.copy_of is None]
    facts = read_facts(git, [one.id for one in (*fresh, *originals)])
    lost = unreachable(git, (one.id for one in originals)) if fresh else set()
    by_change: dict[object, list[Commit]] = defaultdict(list)
    for one in originals:
        if one.id in facts and one.id not in lost:
            for change in _changes(one, facts[one.id]):
                by_change[change].append(one)
    copies: set[str] = set()
    for commit in sorted(fresh, key=lambda one: (one.time, one.id)):
        if commit.id not in facts:
            continue
        likely = {one.id: one for change in _changes(commit, facts[commit.id]) for one in by_change[change]}
        earlier = [one for one in likely.values() if (one.time, one.id) < (commit.time, commit.id)]
        original = next((one for one in earlier if one.id not in copies and _is_copy(git, commit, one, facts)), None)
        if original is not None:
            copies.add(commit.id)
            save_commit(store, replace(commit, copy_of=original.id))
            mark_unscored(store, commit.id)


def _changes(commit: Commit, facts: Facts) -> list[object]:
    """What two commits have in common of which one may be a copy of the other."""
    named = [(b"picked", found.decode("ascii")) for found in _PICKED.findall(facts.message)]
    own: list[object] = [(b"picked", commit.id), (facts.authored, facts.subject)]
    return [*own, *named] if commit.patch is None else [*own, *named, commit.patch]


def _is_copy(git: Git, commit: Commit, original: Commit, facts: Mapping[str, Facts]) -> bool:
    """Whether a commit is a copy, and not the same change (or a like one) made once more on top of the original."""
    one, other = facts[commit.id], facts[original.id]
    if original.id.encode() in _PICKED.findall(one.message):
        return True
    if commit.patch == original.patch and one.authored == other.authored:
        return True
    return git.execute("merge-base", "--is-ancestor", original.id, commit.id).returncode == 1


def follow_lost(store: Store, git: Git) -> set[str]:
    """Move recorded commits that nothing leads to any more to those that make the same change; gives what is left.

    Rewrites without a hook are found so, commits that were moved and are there again, and copies without original.
    """
    recorded = {commit.id: commit for commit in commits(store)}
    lost = unreachable(git, recorded)
    _revive(store, recorded, lost)
    _promote_copies(store, recorded, lost)
    waiting = [one for one in commits(store) if one.id in lost and one.moved_to is None and one.copy_of is None]
    if waiting:
        _move_to_successors(store, git, waiting)
    return {one.id for one in commits(store) if one.id in lost and one.moved_to is None}


def _revive(store: Store, recorded: dict[str, Commit], lost: set[str]) -> None:
    """An amend that was taken back (`git reset --hard ORIG_HEAD`): the first commit counts again."""
    for commit in recorded.values():
        if commit.moved_to is None or commit.id in lost:
            continue
        end = standing_of(store, commit.id)
        if end in lost:  # what the other one held is looked for among all edits of lost commits
            save_commit(store, replace(commit, moved_to=None))
            mark_unscored(store, commit.id)


def _promote_copies(store: Store, recorded: dict[str, Commit], lost: set[str]) -> None:
    """A cherry-pick whose original is gone takes its place."""
    for copy in recorded.values():
        original = copy.copy_of
        if original is None or copy.id in lost:
            continue
        if standing_of(store, original) in lost and standing_of(store, original) in recorded:
            with store.writing():
                save_commit(store, replace(copy, copy_of=None))
                mark_unscored(store, copy.id)
                move(store, standing_of(store, original), copy.id)


def _move_to_successors(store: Store, git: Git, lost: Sequence[Commit]) -> None:
    known = [one for one in commits(store) if one.moved_to is None and one.copy_of is None]
    found = commits_since(git, min(one.time for one in lost) - _DAY, _MOST_SEARCHED)
    facts = read_facts(git, [*found, *(one.id for one in lost)])
    patches: dict[str, str | None] = {one.id: one.patch for one in known}
    patches |= patch_ids(git, set(found) - patches.keys())
    by_patch: dict[str, list[str]] = defaultdict(list)
    by_author: dict[tuple[bytes, bytes], list[str]] = defaultdict(list)
    for commit in found:
        if patch := patches.get(commit):
            by_patch[patch].append(commit)
        by_author[facts[commit].authored, facts[commit].subject].append(commit)
    for one in lost:
        fact = facts.get(one.id)
        same = by_patch.get(one.patch or "", []) or (
            by_author.get((fact.authored, fact.subject), []) if fact is not None else []
        )
        later = [commit for commit in same if facts[commit].time >= one.time] or same
        successor = min(later, default=None, key=lambda commit: (facts[commit].time, commit))
        if successor is not None:
            if commit_of(store, successor) is None:
                save_commit(store, made_of(facts[successor], patches.get(successor), seen_by="rewrite"))
            move(store, one.id, successor)


def made_of(facts: Facts, patch: str | None, *, seen_by: str) -> Commit:
    """The record of a commit of which only Git's facts are known."""
    return Commit(
        facts.id,
        facts.parents,
        facts.time,
        facts.author,
        facts.email,
        patch=patch,
        seen_by=seen_by,  # type: ignore[arg-type]
    )


def _inheriting(after: Commit, before: Commit) -> Commit:
    """What the hook saw at the first commit goes on to tell who worked on it."""
    own = dict(after.hints)
    hints = tuple(sorted({**dict(before.hints), **own}.items()))
    by_rewrite = after.seen_by == "rewrite"
    return replace(
        after,
        hints=hints,
        root=after.root or before.root,
        branch=after.branch or before.branch,
        committed_by=after.committed_by or (before.committed_by if by_rewrite else None),
    )


def moves(store: Store, pairs: Iterable[tuple[str, str]]) -> int:
    """Apply what post-rewrite was told; gives how many commits moved."""
    return sum(move(store, old, new) for old, new in pairs)
