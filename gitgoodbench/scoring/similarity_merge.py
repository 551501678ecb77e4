"""How near a merge is to the real one, by syntax trees: how much of what was written in place of the conflicts is in
their truth, how much of their truth was written, and whether files are the same but for their formatting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from gitgoodbench.git.conflict_text import Segment, Stretch, locate, regions
from gitgoodbench.git.leftovers import without_unresolved
from gitgoodbench.jsontypes import Json
from gitgoodbench.scoring.similarity_trees import TreeReader
from gitgoodbench.scoring.two_way import UNRESOLVED, Compared, Comparison, Item, items_within
from gitgoodbench.ted import Tree, equal_trees
from gitgoodbench.ted.matching import unified

SCORES = ("ted_similarity", "ted_precision", "ted_recall", "ast_match")


@dataclass(frozen=True)
class MergedFile:
    """A file in conflict, as the agent left it and as it is in the truth; None where there is none.

    segments: the clean text and the conflicts that Git left in it; none where its conflict is one without text.
    same: whether both are the same content and kind of file, or both are not there. truth_is_read: False where the
    truth has something there whose content was not read. What was not read of the agent's counts as none.
    """

    agent: bytes | None
    truth: bytes | None
    segments: tuple[Segment, ...]
    same: bool
    truth_is_read: bool = True


@dataclass(frozen=True)
class MergeSimilarity:
    """scores: a value in [0, 1], or None, for each of `SCORES`. facts: what they rest on.

    conflicts: by path, for each of its conflicts the number of the comparison that it is in, and what came of it; one
    for a file whose conflict is one without text. Files whose truth cannot be parsed are left out.
    """

    scores: Mapping[str, float | None]
    facts: Mapping[str, Json]
    conflicts: Mapping[bytes, Sequence[tuple[int, Compared]]]


def merge_similarity(files: Mapping[bytes, MergedFile]) -> MergeSimilarity:
    """The scores of a merge's conflicted files, by path.

    ted_precision, ted_recall, ted_similarity: see `two_way.Comparison`. What stands in place of each conflict is
    compared with what stands there in the truth, parsed where it stands, and summed over all conflicts. A conflict that
    is still open is one node that is wrong. Conflicts that share a stretch of the truth are compared as one. In a
    conflict without text the whole file is compared.

    ast_match: 1 where the trees of all the files are equal, so that formatting does not count, else 0.

    All are None where no file's truth can be parsed; `ast_match` also where a file whose truth cannot be parsed
    differs, and no other does. Nothing that an agent writes makes the others None: a file of its own that cannot be
    parsed has no items, and is equal to no other.

    facts: `conflicts_located`, in the agent's and in the true files: how many conflicts were found exactly, how many
    only as a stretch around them (see `conflict_text.Stretch`); `pairs_not_compared` (see `Comparison`).
    """
    reader, comparison = TreeReader(), Comparison()
    known = {path: file for path, file in files.items() if _is_known(path, file, reader)}
    placed = [_placed(path, file, reader) for path, file in known.items()]
    compared: dict[bytes, list[tuple[int, Compared]]] = {}
    units = count(1)
    for path, (agent, truth) in zip(known, placed, strict=True):
        of_file: dict[int, tuple[int, Compared]] = {}
        for conflicts in _units(truth.stretches):
            found = next(units), comparison.add(agent.items(conflicts), truth.items(conflicts))
            of_file |= dict.fromkeys(conflicts, found)
        compared[path] = [of_file[position] for position in range(len(of_file))]
    scores: dict[str, float | None] = dict.fromkeys(SCORES)
    if known:
        scores |= {
            "ted_similarity": comparison.total.similarity,
            "ted_precision": comparison.total.precision,
            "ted_recall": comparison.total.recall,
            "ast_match": _match(files, known, reader),
        }
    sides = {"agent": [agent for agent, _ in placed], "truth": [truth for _, truth in placed]}
    located: dict[str, Json] = {name: _count_located(side) for name, side in sides.items()}
    facts: dict[str, Json] = {"conflicts_located": located, "pairs_not_compared": comparison.not_compared}
    return MergeSimilarity(scores, facts, compared)


@dataclass(frozen=True)
class _Version:
    """A file on one side.

    tree: None for none. stretches: what stands for each of its conflicts, or for all of it. still_open: where conflicts
    begin that are still open.
    """

    tree: Tree | None
    stretches: Sequence[Stretch]
    still_open: Sequence[int]

    def items(self, conflicts: Sequence[int]) -> list[Item]:
        """What stands in place of the conflicts with these numbers."""
        if self.tree is None:
            return []
        spans = sorted({(self.stretches[number].start, self.stretches[number].stop) for number in conflicts})
        unresolved = sum(start <= place < stop for start, stop in spans for place in self.still_open)
        return items_within(self.tree, spans) + [UNRESOLVED] * unresolved


def _is_known(path: bytes, file: MergedFile, reader: TreeReader) -> bool:
    """Whether the truth is a file that can be parsed, or none where there could be one."""
    if file.truth is None:
        return file.truth_is_read and reader.knows(path)
    return reader.read(path, file.truth) is not None


def _placed(path: bytes, file: MergedFile, reader: TreeReader) -> tuple[_Version, _Version]:
    """The agent's and the true version, their trees with one vocabulary."""
    written, still_open = file.agent, list[int]()
    if written is not None and not file.same:
        written, still_open = without_unresolved(written, regions(file.segments), file.truth or b"")
    trees = [reader.read(path, content) for content in (written, file.truth)]
    numbered = iter(unified([tree for tree in trees if tree is not None]))
    agent, truth = (None if tree is None else next(numbered) for tree in trees)
    return (
        _Version(agent, _stretches(file.segments, written), still_open),
        _Version(truth, _stretches(file.segments, file.truth), ()),
    )


def _stretches(segments: Sequence[Segment], content: bytes | None) -> list[Stretch]:
    if not regions(segments):
        return [Stretch(0, len(content or b""), is_exact=True)]
    if content is None:
        return [Stretch(0, 0, is_exact=True) for _ in regions(segments)]
    return locate(segments, content)


def _units(stretches: Sequence[Stretch]) -> Iterator[list[int]]:
    """Numbers of conflicts, those together that have one stretch."""
    units: dict[Stretch | int, list[int]] = {}
    for number, stretch in enumerate(stretches):
        units.setdefault(number if stretch.is_exact else stretch, []).append(number)
    yield from units.values()


def _count_located(versions: Sequence[_Version]) -> dict[str, Json]:
    exact = [stretch.is_exact for version in versions for stretch in version.stretches]
    return {"exactly": sum(exact), "by_stretch": len(exact) - sum(exact)}


def _match(files: Mapping[bytes, MergedFile], known: Mapping[bytes, MergedFile], reader: TreeReader) -> float | None:
    differing = [path for path, file in files.items() if not file.same]
    if not all(_is_equal(path, files[path], reader) for path in differing if path in known):
        return 0.0
    return 1.0 if all(path in known for path in differing) else None


def _is_equal(path: bytes, file: MergedFile, reader: TreeReader) -> bool:
    agent, truth = reader.read(path, file.agent), reader.read(path, file.truth)
    return agent is not None and truth is not None and equal_trees(agent, truth)
