"""How near a merge is to the real one, by syntax trees: how much of each resolution is in the truth, and whether the
files are the same but for their formatting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gitgoodbench.git.conflict_text import Segment, aligned_spans
from gitgoodbench.scoring.similarity_trees import Searcher, TooMuch, TreeReader, count_nodes, items
from gitgoodbench.ted import Tree, equal_trees
from gitgoodbench.ted.fragments import excerpt


@dataclass(frozen=True)
class MergedFile:
    """A file in conflict: how it was left, and how it is in the truth; None where there is none.

    segments: the clean text and the conflicts that Git left in it; none where its conflict is one without text.
    same: whether both are the same content and kind of file, or both are not there. is_read: whether both are files
    whose content was read, where they are there.
    """

    left: bytes | None
    truth: bytes | None
    segments: tuple[Segment, ...]
    same: bool
    is_read: bool = True


def merge_similarity(files: Mapping[bytes, MergedFile]) -> dict[str, float | None]:
    """The scores of a merge's conflicted files, by path.

    ted_similarity: the reward (see `ted.reward`) with the resolution of each conflict as a snippet, parsed where it
    stands, and the truth of its file as the haystack. In a conflict without text the whole file is the snippet. Where
    nothing stands in place of a conflict, and in the truth something does, what should stand there is the snippet, and
    none of it was found.

    ast_match: 1 where the trees of all the files are equal, so that formatting does not count, else 0.

    Either is None where none of the files can be parsed, or too much would have to be compared; `ast_match` also where
    a file that cannot be parsed differs, and no other does.
    """
    reader = TreeReader()
    return {"ted_similarity": _similarity(files, reader), "ast_match": _match(files, reader)}


def _similarity(files: Mapping[bytes, MergedFile], reader: TreeReader) -> float | None:
    searcher = Searcher()
    known = False
    distance = size = 0
    for path, file in files.items():
        trees = _trees(path, file, reader)
        if trees is None:
            continue
        known = True
        for found, real in _resolutions(file, *trees):
            missing = count_nodes(real) if not found else 0
            size += count_nodes(found) + missing
            try:
                distance += missing if file.same else missing + searcher.distance(found, trees[1])
            except TooMuch:
                return None
    if not known:
        return None
    return 1 - distance / size if size else 1.0


def _match(files: Mapping[bytes, MergedFile], reader: TreeReader) -> float | None:
    known = differing = unsure = False
    for path, file in files.items():
        trees = _trees(path, file, reader)
        known |= trees is not None
        if file.same:
            continue
        if trees is None:
            unsure = True
        else:
            left, truth = trees
            differing |= left is None or truth is None or not equal_trees(left, truth)
    if not known or (unsure and not differing):
        return None
    return 0.0 if differing else 1.0


def _trees(path: bytes, file: MergedFile, reader: TreeReader) -> tuple[Tree | None, Tree | None] | None:
    """Both trees, None for one that is not there; None for both where one that is there cannot be parsed."""
    left, truth = reader.read(path, file.left), reader.read(path, file.truth)
    unparsed = (left is None and file.left is not None) or (truth is None and file.truth is not None)
    if unparsed or not file.is_read or (left is None and truth is None and not reader.knows(path)):
        return None
    return left, truth


def _resolutions(file: MergedFile, left: Tree | None, truth: Tree | None) -> Iterable[tuple[list[Tree], list[Tree]]]:
    """Of each conflict: the items that stand in its place, and those that stand there in the truth."""
    return zip(_parts(file.segments, file.left, left), _parts(file.segments, file.truth, truth), strict=True)


def _parts(segments: Sequence[Segment], content: bytes | None, tree: Tree | None) -> list[list[Tree]]:
    conflicts = sum(not isinstance(segment, bytes) for segment in segments)
    if content is None or tree is None:
        return [[] for _ in range(max(1, conflicts))]
    if not conflicts:
        return [items(tree)]
    return [items(excerpt(tree, [span])) for span in aligned_spans(segments, content)]
