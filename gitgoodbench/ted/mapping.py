"""Which node became which: the edits that make one tree of another, as few as there can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Generic, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.matching import comparable
from gitgoodbench.ted.postorder import Postorder
from gitgoodbench.ted.tree import Tree

EditKind = Literal["kept", "relabelled", "deleted", "inserted"]

KINDS: Final[tuple[EditKind, ...]] = ("kept", "relabelled", "deleted", "inserted")

T = TypeVar("T", Tree, Postorder)


class Edit(NamedTuple):
    """What became of one node. before: its number in the first tree; after: in the second; None where it is not there.

    A node that is kept has the same label before and after, one that is relabelled another.
    """

    kind: EditKind
    before: int | None
    after: int | None


@dataclass(frozen=True, eq=False, repr=False)
class EditMapping(Generic[T]):
    """A mapping of two trees with the fewest edits, and of those with that number one that keeps most nodes.

    pairs: (k, 2), ascending, a node of the first tree and the one of the second that it became; left and right, above
    and below are the same for all pairs in both trees. equal: (k,) whether both have the same label. Nodes of the first
    tree in no pair are deleted, those of the second inserted.
    """

    first: T
    second: T
    pairs: NDArray[np.int32]
    equal: NDArray[np.bool_]

    def __repr__(self) -> str:
        counts = ", ".join(f"{kind}={count}" for kind, count in self.counts.items())
        return f"{type(self).__name__}(distance={self.distance}, {counts})"

    @property
    def distance(self) -> int:
        """The edits, kept nodes not counted: the tree edit distance."""
        return len(self.first) + len(self.second) - len(self.pairs) - int(self.equal.sum())

    @property
    def counts(self) -> dict[EditKind, int]:
        """How many nodes are kept, relabelled, deleted and inserted."""
        kept, paired = int(self.equal.sum()), len(self.pairs)
        return {
            "kept": kept,
            "relabelled": paired - kept,
            "deleted": len(self.first) - paired,
            "inserted": len(self.second) - paired,
        }

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """All nodes of both trees, in postorder; between two pairs, deleted nodes come before inserted ones."""
        return tuple(self._edits())

    def marks(self) -> tuple[list[EditKind], list[EditKind]]:
        """What becomes of each node of the first tree, and what each node of the second comes from."""
        before: list[EditKind] = ["deleted"] * len(self.first)
        after: list[EditKind] = ["inserted"] * len(self.second)
        for (a, b), equal in zip(self.pairs.tolist(), self.equal.tolist(), strict=True):
            before[a] = after[b] = "kept" if equal else "relabelled"
        return before, after

    def _edits(self) -> Iterator[Edit]:
        done_a = done_b = 0
        ends: list[list[int]] = [[len(self.first), len(self.second)]]
        for (a, b), equal in zip([*self.pairs.tolist(), *ends], [*self.equal.tolist(), None], strict=True):
            yield from (Edit("deleted", node, None) for node in range(done_a, a))
            yield from (Edit("inserted", None, node) for node in range(done_b, b))
            if equal is not None:
                yield Edit("kept" if equal else "relabelled", a, b)
            done_a, done_b = a + 1, b + 1


def edit_mapping(first: T, second: T) -> EditMapping[T]:
    """Which node of the first tree became which of the second, with the fewest edits that there can be.

    Args:
        first, second: two `Tree`s, or two `Postorder`s whose labels are of one numbering.

    Raises:
        TypeError: they are something else, or one of each.
        TreeTooLarge: what differs would take too much memory or time (see docs/ted.md).
    """
    a, b = comparable(first, second)
    from gitgoodbench.ted.pairing import pair_nodes

    pairs = pair_nodes(a, b)
    return EditMapping(first, second, pairs, a.labels[pairs[:, 0]] == b.labels[pairs[:, 1]])
