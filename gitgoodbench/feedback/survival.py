"""Whether what assistants wrote lasts: which lines of a commit still stand at its branch's tip, day after day.

What does not stand after N days was rewritten or removed within them: churn is `lines - standing`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from gitgoodbench.feedback.line_life import (
    later_names,
    named_as_reverted,
    reachable,
    read_passages,
    standing_lines,
    undone,
)
from gitgoodbench.feedback.piece_lines import CommitFiles
from gitgoodbench.feedback.records import Commit, Key, Survival
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.results import Seen, commits_with_results, result_of, seen_survival
from gitgoodbench.git.batch import ObjectReader
from gitgoodbench.git.process import Git

DAY: Final = 86_400
MOST_COMMITS: Final = 2_000
"""Commits that one run follows; the others come with the next."""
MOST_FILES: Final = 500
"""Files whose lines one run traces."""

Lines = dict[bytes, set[int]]


@dataclass(frozen=True)
class _Followed:
    """A commit to be looked at: its edits and the lines they are."""

    commit: Commit
    day: int
    edits: dict[Key, Lines]

    @property
    def paths(self) -> set[bytes]:
        return {path for lines in self.edits.values() for path in lines}


def follow(store: Store, git: Git, *, days: int, now: float) -> list[Survival]:
    """What still stands of the edits in scored commits, to be saved by `save_survival`.

    A commit is looked at until it is so many days old, and once after. Those that moved are followed at their new
    place, where their edits count; those that no branch leads to any more have `tip` None.

    Work is bounded: what does not fit into one run comes with the next, the last looks first.
    """
    seen = seen_survival(store)
    due = sorted(_due(commits_with_results(store), seen, days, now), key=lambda one: (-one[1], one[0].time, one[0].id))
    due = due[:MOST_COMMITS]
    if not due:
        return []
    tips = _tips(git, [commit for commit, _ in due])
    found: list[Survival] = []
    by_tip: dict[str, list[_Followed]] = defaultdict(list)
    files: set[tuple[str, bytes]] = set()
    with ObjectReader(git) as reader:
        for commit, day in due:
            tip, last = tips.get(commit.id), seen.get(commit.id)
            if last == Seen(day, tip):
                continue
            followed = _Followed(commit, day, _edits(store, reader, commit))
            if tip is None:
                found += [_row(followed, key, None, None, now) for key in followed.edits]
                continue
            files |= {(tip, path) for path in followed.paths}
            if len(files) > MOST_FILES and by_tip:
                break
            by_tip[tip].append(followed)
    for tip, some in by_tip.items():
        found += _look(git, tip, some, now)
    return found


def _due(commits: Iterable[Commit], seen: dict[str, Seen], days: int, now: float) -> Iterator[tuple[Commit, int]]:
    """Commits to be looked at, with their ages in whole days."""
    for commit in commits:
        day, last = int((now - commit.time) // DAY), seen.get(commit.id)
        if day >= 0 and (last is None or last.day < min(day, days) or last.day == day < days):
            yield commit, day


def _tips(git: Git, commits: Sequence[Commit]) -> dict[str, str]:
    """The tip at which each commit is looked for; none for those that no branch leads to.

    It is that of the branch on which the commit was made. Where the branch is gone, or what is checked out has all of
    it, it is what is checked out. Else any branch that has the commit, those of remotes included.
    """
    since = min(commit.time for commit in commits)
    branches = _branches(git)
    head = git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", check=False).decode("ascii").strip() or None
    own_tips = {commit.id: branches.get(f"refs/heads/{commit.branch}") for commit in commits}
    wanted = own_tips.keys() | set(filter(None, own_tips.values()))

    @cache
    def held(tip: str) -> set[str]:
        return reachable(git, [tip], wanted, since) | {tip}

    tips: dict[str, str] = {}
    for name, own in own_tips.items():
        choices = [head, own] if own is None or (head is not None and own in held(head)) else [own, head]
        tip = next((one for one in choices if one is not None and name in held(one)), None)
        if tip is not None:
            tips[name] = tip
    left = own_tips.keys() - tips.keys()
    for name in sorted(reachable(git, branches.values(), left, since) if left and branches else ()):
        tip = next((tip for tip in dict.fromkeys(tips.values()) if name in held(tip)), None)
        tips[name] = tip or _any_tip(git, name)
    return tips


def _any_tip(git: Git, commit: str) -> str:
    options = (f"--contains={commit}", "--count=1", "--sort=-committerdate", "--format=%(objectname)")
    return git.line("for-each-ref", *options, "refs/heads") or git.line("for-each-ref", *options, "refs/remotes")


def _branches(git: Git) -> dict[str, str]:
    """Branches and their tips, those of remotes included."""
    listed = git.run("for-each-ref", "--format=%(refname)%00%(objectname)", "refs/heads", "refs/remotes")
    lines = listed.decode("utf-8", "surrogateescape").split("\n")
    return {name: tip for name, _, tip in (line.partition("\0") for line in lines) if tip}


def _edits(store: Store, reader: ObjectReader, commit: Commit) -> dict[Key, Lines]:
    """The scored edits of a commit, and which lines of it they are."""
    result, files = result_of(store, commit.id), CommitFiles(reader, commit.id)
    edits: dict[Key, Lines] = {}
    for edit in () if result is None else result.edits:
        if edit.state == "scored":
            lines: Lines = edits.setdefault(edit.key, {})
            for _, path, numbers in files.own_lines(edit):
                lines.setdefault(path, set()).update(numbers)
    return edits


def _look(git: Git, tip: str, followed: Sequence[_Followed], now: float) -> Iterator[Survival]:
    """Look at commits that one tip leads to: each file once, for all of them."""
    since = min(one.commit.time for one in followed)
    passages = read_passages(git, tip, since)
    commits = {one.commit.id for one in followed}
    names = later_names(passages, {path for one in followed for path in one.paths})
    standing = standing_lines(git, tip, sorted(names), commits, since)
    reverted = named_as_reverted(passages, commits)
    counts = {one.commit.id: _counts(one, standing.get(one.commit.id, {})) for one in followed}
    gone = {one.commit.id for one in followed if one.paths and not any(counts[one.commit.id].values())}
    reverted |= undone(git, gone - reverted, passages)
    for one in followed:
        name = one.commit.id
        for key in one.edits:
            yield _row(one, key, tip, counts[name][key], now, reverted=name in reverted)


def _counts(one: _Followed, standing: Mapping[bytes, set[int]]) -> dict[Key, int]:
    """How many lines of each edit stand."""
    return {
        key: sum(len(numbers & standing.get(path, set())) for path, numbers in lines.items())
        for key, lines in one.edits.items()
    }


def _row(
    one: _Followed, key: Key, tip: str | None, standing: int | None, now: float, *, reverted: bool = False
) -> Survival:
    lines = sum(len(numbers) for numbers in one.edits[key].values())
    return Survival(key, one.commit.id, one.day, tip, lines, standing, reverted, seen_at=now)
