"""What makes a mapping of two trees one, and every mapping that there is of small ones."""

from __future__ import annotations

from gitgoodbench.ted import EditMapping, Postorder, Tree


def nodes_of(tree: Tree | Postorder) -> Postorder:
    return tree.nodes if isinstance(tree, Tree) else tree


def check_mapping(mapping: EditMapping[Tree] | EditMapping[Postorder], distance: int) -> None:
    """Its cost is the distance, counted from its pairs; no node is in two; it keeps order and ancestry."""
    first, second = nodes_of(mapping.first), nodes_of(mapping.second)
    before, after = mapping.pairs[:, 0], mapping.pairs[:, 1]
    assert (before[1:] > before[:-1]).all()
    assert (after[1:] > after[:-1]).all()
    places = range(len(before))
    for a, b, row in zip(before.tolist(), after.tolist(), places, strict=True):  # who, of those before, lies below
        below_a = first.leftmost[a] <= before[:row]
        below_b = second.leftmost[b] <= after[:row]
        assert (below_a == below_b).all()
    relabelled = len(before) - int(mapping.equal.sum())
    assert relabelled + len(first) - len(before) + len(second) - len(before) == distance
    assert mapping.distance == distance


def most_kept(first: Postorder, second: Postorder) -> int:
    """Of all mappings with the fewest edits, the most nodes that one keeps: by looking at each mapping."""
    best = (len(first) + len(second), 0)
    waiting: list[tuple[int, list[tuple[int, int]]]] = [(0, [])]
    while waiting:
        node, pairs = waiting.pop()
        if node == len(first):
            kept = sum(first.labels[a] == second.labels[b] for a, b in pairs)
            best = min(best, (len(first) + len(second) - len(pairs) - int(kept), -int(kept)))
            continue
        waiting.append((node + 1, pairs))
        for other in range(len(second)):
            if all(_fits(first, second, (node, other), pair) for pair in pairs):
                waiting.append((node + 1, [*pairs, (node, other)]))
    return -best[1]


def _fits(first: Postorder, second: Postorder, one: tuple[int, int], pair: tuple[int, int]) -> bool:
    """Two pairs of a mapping keep left and right, above and below."""
    (a, b), (p, q) = one, pair
    return q != b and (p < a) == (q < b) and (first.leftmost[a] <= p < a) == (second.leftmost[b] <= q < b)
