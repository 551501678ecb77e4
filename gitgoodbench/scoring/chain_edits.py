"""What was done to the commits of a chain: combined, reordered, split, or nothing but reworded.

Facts of a history, not a verdict on it. docs/metrics.md has an example of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise, product
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.chain_walk import ChainWalk, Step
from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.messages import clean_message
from gitgoodbench.git.process import Git
from gitgoodbench.scoring.history_lines import ChangedFile, LineReader

FACTS: Final = ("commits_combined", "commits_reordered", "commits_split", "only_reworded")

Links = Collection[tuple[int, int]]
"""Pairs of a real commit and one of the agent's that share changes, by position."""


@dataclass(frozen=True)
class _Stretch:
    """Commits from one state that both histories go through to the next one. below: the commit under the real ones."""

    below: str | None
    truth: Sequence[Step]
    agent: Sequence[Step]


def chain_edits(git: Git, base: str | None, agent: ChainWalk, truth: ChainWalk) -> dict[str, bool | None]:
    """Every name of `FACTS`, whether it is so; None where it cannot be known.

    Both histories are cut where they go through the same state. Where one commit stands against several between two
    such states, they were combined or split. Where several stand against several, the lines that they change tell.
    Commits that lead nowhere are passed over.
    """
    if agent.end != truth.end:
        return dict.fromkeys(FACTS)
    found = [_edits_of(git, stretch) for stretch in _stretches(base, agent.steps, truth.steps)]
    edits = [_any(kind) for kind in zip(*found, strict=True)] if found else [False] * 3
    return dict(zip(FACTS, [*edits, _only_reworded(git, agent, truth)], strict=True))


def same_states_and_messages(git: Git, first: Sequence[Step], second: Sequence[Step]) -> bool:
    """Whether two histories go through the same states with the same messages, blanks aside.

    Raises:
        GitGoodBenchError: a commit cannot be read.
    """
    if [step.state for step in first] != [step.state for step in second]:
        return False
    texts = (
        [clean_message(commit.message) for commit in read_commits(git, [step.commit for step in steps])]
        for steps in (first, second)
    )
    return next(texts) == next(texts)


Edits = tuple[bool | None, bool | None, bool | None]
"""Combined, reordered, split."""


def _stretches(base: str | None, agent: Sequence[Step], truth: Sequence[Step]) -> Iterator[_Stretch]:
    before, after = ([0, *(step.state for step in steps)] for steps in (truth, agent))
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    common = [(block.a + at, block.b + at) for block in blocks for at in range(block.size)]
    for (truth_from, agent_from), (truth_to, agent_to) in pairwise(common):
        below = truth[truth_from - 1].commit if truth_from else base
        yield _Stretch(below, truth[truth_from:truth_to], agent[agent_from:agent_to])


def _edits_of(git: Git, stretch: _Stretch) -> Edits:
    if len(stretch.truth) == 1 or len(stretch.agent) == 1:
        return len(stretch.truth) > 1, False, len(stretch.agent) > 1
    reader = LineReader(git)
    try:
        truth, agent = (
            reader.read(stretch.below, [step.commit for step in steps]).commits
            for steps in (stretch.truth, stretch.agent)
        )
    except GitGoodBenchError:  # too large
        return None, None, None
    links = _links(*([_changes(files) for files in commits] for commits in (truth, agent)))
    back = {(there, here) for here, there in links}
    return _is_combined(links, truth), _is_reordered(links), _is_combined(back, agent)


def _changes(files: Sequence[ChangedFile]) -> Counter[object]:
    """A commit's changed lines, modes, and files that have no lines.

    That a file begins or ends is no change of its own where lines of it do: in another order another commit begins it.
    """
    found: Counter[object] = Counter()
    for file in files:
        lines = file.lines
        found.update({(file.path, line): count for line, count in lines.items()})
        modes = tuple(None if entry is None else entry.mode for entry in (file.before, file.after))
        if modes[0] != modes[1] and not (None in modes and lines):
            found[file.path, modes] += 1
        if file.text is None:
            found[file.path, file.before, file.after] += 1
    return found


def _links(truth: Sequence[Counter[object]], agent: Sequence[Counter[object]]) -> set[tuple[int, int]]:
    """Which commits share changes.

    Those that change exactly the same belong together. Of the others a changed line links a real commit with one of the
    agent's where it can only be the same line: as often in all of them as in all of these, and on one side in a single
    commit.
    """
    links: set[tuple[int, int]] = set()
    left = dict(enumerate(agent))
    open_real = {}
    for here, lines in enumerate(truth):
        there = next((there for there, others in left.items() if others == lines), None)
        if there is None:
            open_real[here] = lines
        else:
            links.add((here, there))
            del left[there]
    holders, others = _holders(open_real), _holders(left)
    for line in holders.keys() & others.keys():
        first, second = holders[line], others[line]
        if first.total() == second.total() and min(len(first), len(second)) == 1:
            links.update(product(first, second))
    return links


def _holders(commits: Mapping[int, Counter[object]]) -> dict[object, Counter[int]]:
    """Changed line -> the commits that have it, and how often."""
    holders: dict[object, Counter[int]] = {}
    for commit, lines in commits.items():
        for line, count in lines.items():
            holders.setdefault(line, Counter())[commit] = count
    return holders


def _is_combined(links: Links, commits: Sequence[Sequence[ChangedFile]]) -> bool:
    """Whether two of the commits, the first of each link, are in one commit of the other history.

    A commit without links left nothing that stays. It went into a linked one that changes the same file.
    """
    partners = Counter(there for _, there in links)
    if any(count > 1 for count in partners.values()):
        return True
    linked = {here for here, _ in links}
    paths = {file.path for here in linked for file in commits[here]}
    return any(
        file.path in paths for here, files in enumerate(commits) if here not in linked for file in files
    )  # fmt: skip


def _is_reordered(links: Links) -> bool:
    """Whether all that is left of a commit comes before all that is left of an earlier one."""
    places: dict[int, list[int]] = {}
    for here, there in links:
        places.setdefault(here, []).append(there)
    latest = -1
    for here in sorted(places):
        if max(places[here]) < latest:
            return True
        latest = max(latest, min(places[here]))
    return False


def _only_reworded(git: Git, agent: ChainWalk, truth: ChainWalk) -> bool | None:
    """Whether the histories go through the same states with other messages."""
    if [step.state for step in agent.steps] != [step.state for step in truth.steps]:
        return False
    alike = [step.state for step in agent.every] == [step.state for step in truth.every]
    try:
        return not (
            same_states_and_messages(git, agent.every, truth.every)
            if alike
            else same_states_and_messages(git, agent.steps, truth.steps)
        )
    except GitGoodBenchError:
        return None


def _any(values: Sequence[bool | None]) -> bool | None:
    return True if any(values) else None if None in values else False
