"""The commits nearest to the real ones that the tools of committing can make, and whether they are the real ones.

Each hunk goes to the commit that made most of its lines; where hunks can be split, mixed ones are cut first. The
reference agent `tool-oracle` makes exactly these commits, so a sample is attainable where they are as good as the real
ones: the same trees, or at least the same in every score against the truth.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from gitgoodbench.git.hunks import Hunk
from gitgoodbench.git.objects import Entry, blob_sizes, write_blob
from gitgoodbench.git.process import Git
from gitgoodbench.scoring.history_lines import LineReader, RawChange, TooLarge, commits_reproduced, line_grouping
from gitgoodbench.workspace.chain import CommitChain
from gitgoodbench.workspace.scratch import ScratchRepository

from .changes import FileContent, State, read_changes
from .division import Division, Piece
from .grouping import Grouping

Tree = Mapping[bytes, Entry | None]
"""What stands at every path that the chain changes; None: nothing."""


def mixed_hunks(division: Division, grouping: Grouping) -> Iterator[tuple[int, list[int]]]:
    """Hunks with lines of several commits, by number, and after which lines to cut them.

    Whoever asks splits each before asking for the next. Lines of unknown origin go with those above.
    """
    number = 1
    while number <= len(division.remaining):
        piece = division.remaining[number - 1]
        cuts = _cuts(grouping.makers(piece.file, piece.part)) if isinstance(piece.part, Hunk) else []
        if cuts:
            yield number, cuts
        number += 1 + len(cuts)


def pieces_by_commit(division: Division, grouping: Grouping, commits: int) -> dict[int, list[Piece]]:
    """The remaining pieces, each with the commit that made most of it, in the order of the commits."""
    found: dict[int, list[Piece]] = {}
    for piece in division.remaining:
        found.setdefault(_maker(grouping, piece, commits), []).append(piece)
    return dict(sorted(found.items()))


def is_attainable(mirror: Git, chain: CommitChain, division: Division, grouping: Grouping, *, split: bool) -> bool:
    """Whether the nearest commits score 1.0 in every score against the truth.

    Args:
        division: everything that is to be committed; it is left as it is.
        split: hunks can be split.

    Raises:
        GitError: an object is missing.
    """
    assert chain.base is not None
    steps = [
        {change.new_path: (change.before, change.after) for change in read_changes(mirror, *ends, renames=False)}
        for ends in pairwise([chain.base, *chain.commits])
    ]
    start: dict[bytes, Entry | None] = {}
    for step in steps:
        start = {**{path: before for path, (before, _) in step.items()}, **start}
    real = [start]
    for step in steps:
        real.append({**real[-1], **{path: after for path, (_, after) in step.items()}})
    id_length = len(chain.base)
    states = list(_nearest_states(Division(division.offered, division.rest), grouping, len(steps), split=split))
    made = [start, *({**start, **_entries(state, id_length)} for state in states)]
    if made == real:
        return True
    if _changed_paths(made) != _changed_paths(real):  # no commit can have the lines of another file
        return False
    return score_alike(mirror, made, real, [state for entries in states for state in entries.values()], id_length)


def _nearest_states(division: Division, grouping: Grouping, commits: int, *, split: bool) -> Iterator[State]:
    """What stands at the touched paths after each of the nearest commits."""
    if split:
        for number, cuts in mixed_hunks(division, grouping):
            division.begin_answer()
            division.split(number, cuts)
    for pieces in pieces_by_commit(division, grouping, commits).values():
        yield division.take(pieces)
    if not division.rest_committed:
        yield division.take_rest()


def score_alike(
    mirror: Git,
    made: Sequence[Tree],
    real: Sequence[Tree],
    states: Iterable[Entry | FileContent | None],
    id_length: int,
) -> bool:
    """Whether all scores are 1.0. Where lines repeat, other trees can hold the same sets of lines."""
    contents = {_blob_id(state.content, id_length): state.content for state in states if isinstance(state, FileContent)}
    with ScratchRepository(mirror) as scratch:
        for blob, size in blob_sizes(scratch.git, contents).items():
            if size is None:  # writing what the mirror has would touch its files
                write_blob(scratch.git, contents[blob])
        reader = LineReader(scratch.git)
        try:
            agent, truth = (reader.compare([_step(*trees) for trees in pairwise(history)]) for history in (made, real))
        except TooLarge:
            return False
    if commits_reproduced(agent, truth) < 1:
        return False
    if line_grouping(agent, truth) not in (1.0, None):
        return False
    from gitgoodbench.scoring.similarity_history import compare_histories  # numpy and more, for few samples

    similarity = compare_histories(agent, truth)
    return similarity is None or (similarity.is_exact and similarity.value == 1.0)


def _step(before: Tree, after: Tree) -> list[RawChange]:
    return [(path, before[path], after[path]) for path in sorted(after) if before[path] != after[path]]


def _entries(state: State, id_length: int) -> dict[bytes, Entry | None]:
    """A state with ids in place of contents."""
    return {
        path: Entry(entry.mode, _blob_id(entry.content, id_length)) if isinstance(entry, FileContent) else entry
        for path, entry in state.items()
    }


def _blob_id(content: bytes, length: int) -> str:
    algorithm = hashlib.sha256 if length == 2 * hashlib.sha256().digest_size else hashlib.sha1
    return algorithm(b"blob %d\0%s" % (len(content), content)).hexdigest()


def _changed_paths(trees: Sequence[Tree]) -> Counter[frozenset[bytes]]:
    """The paths that each step changes, in any order of steps."""
    return Counter(frozenset(path for path, _, _ in _step(*ends)) for ends in pairwise(trees))


def _cuts(makers: Sequence[int | None]) -> list[int]:
    cuts = []
    current = None
    for line, maker in enumerate(makers):
        if maker is not None and current is not None and maker != current:
            cuts.append(line)
        current = current if maker is None else maker
    return cuts


def _maker(grouping: Grouping, piece: Piece, commits: int) -> int:
    """The commit that made most of a piece, the later one of two; the last one where nothing is known."""
    makers = [maker for maker in grouping.makers(piece.file, piece.part) if maker is not None]
    return max(set(makers), key=lambda maker: (makers.count(maker), maker), default=commits - 1)
