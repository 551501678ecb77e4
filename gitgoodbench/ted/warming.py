"""What takes long the first time in an environment, done ahead."""

from __future__ import annotations

from typing import Final

from gitgoodbench.ted import bounds, closest_subtree, edit_mapping, orders, parse, plain, tree_edit_distance
from gitgoodbench.ted.matching import aligned, least_distance

_NEEDLE: Final = b"def f(a):\n    return g(a, 1)\n"
_HAYSTACK: Final = b"import g\n\n\ndef f(b):\n    c = 2\n    return g(b, c, 3)\n\n\nclass A:\n    pass\n"


def warm_up() -> None:
    """Compile the kernels of tree edit distance, or load them.

    The compiled code is kept on disk: in a fresh environment this takes a minute or so, later a second.
    """
    needle, haystack = (parse(source, "python") for source in (_NEEDLE, _HAYSTACK))
    closest_subtree(needle, haystack)
    least_distance(needle, haystack)
    tree_edit_distance(needle, haystack)
    edit_mapping(needle, haystack)
    small, large = aligned(needle, haystack), haystack.nodes
    plain.subtree_distances(small, large)
    orders.is_postorder(large.leftmost)
    bounds.least_part_distance(small.labels, small.leftmost, large.labels, large.leftmost)
