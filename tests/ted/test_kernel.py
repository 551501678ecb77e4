"""The kernels of tree edit distance: the plain one against other implementations, the fast one against the plain."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import zss
from apted import APTED, Config
from hypothesis import given
from hypothesis import strategies as st

import gitgoodbench.ted
from gitgoodbench.ted import compiled, fast, plain, trimming
from gitgoodbench.ted.limits import MAX_NEEDLE, TreeTooLarge
from gitgoodbench.ted.postorder import Postorder
from tests.support.random_trees import LEAVES, SHAPES, postorder, random_pair, random_tree

Nested = tuple[int, tuple["Nested", ...]]


def nested(tree: Postorder) -> Nested:
    open_trees: list[tuple[int, Nested]] = []
    for label, first in zip(tree.labels.tolist(), tree.leftmost.tolist(), strict=True):
        children: list[Nested] = []
        while open_trees and open_trees[-1][0] >= first:
            children.append(open_trees.pop()[1])
        open_trees.append((first, (label, tuple(reversed(children)))))
    return open_trees[0][1]


def size(forest: tuple[Nested, ...]) -> int:
    return sum(1 + size(children) for _, children in forest)


@cache
def by_definition(a: tuple[Nested, ...], b: tuple[Nested, ...]) -> int:
    """The distance of two forests: the last root is deleted, inserted, or paired with the other's."""
    if not a or not b:
        return size(a) + size(b)
    (label_a, below_a), (label_b, below_b) = a[-1], b[-1]
    return min(
        by_definition(a[:-1] + below_a, b) + 1,
        by_definition(a, b[:-1] + below_b) + 1,
        by_definition(a[:-1], b[:-1]) + by_definition(below_a, below_b) + (label_a != label_b),
    )


def by_zss(a: Postorder, b: Postorder) -> int:
    def node(tree: Nested) -> Any:
        return zss.Node(str(tree[0]), [node(child) for child in tree[1]])

    return int(zss.simple_distance(node(nested(a)), node(nested(b))))


class Labels(Config):  # type: ignore[misc]
    def rename(self, a: Nested, b: Nested) -> int:
        return int(a[0] != b[0])

    def children(self, node: Nested) -> list[Nested]:
        return list(node[1])


def by_apted(a: Postorder, b: Postorder) -> int:
    return int(APTED(nested(a), nested(b), Labels()).compute_edit_distance())


def pairs(seed: int, count: int, most: int, *, shared: bool = False) -> list[tuple[Postorder, Postorder]]:
    random = Random(seed)
    return [random_pair(random, most, shared=shared) for _ in range(count)]


def check(needle: Postorder, haystack: Postorder) -> None:
    """The fast kernel says what the plain one says."""
    distances = plain.subtree_distances(needle, haystack)
    node = int(np.argmin(distances))
    assert fast.closest(needle, haystack) == (int(distances[node]), node)
    assert fast.distance(needle, haystack) == distances[-1]


@pytest.mark.parametrize("shared", [False, True])
def test_the_one_pass_holds_the_distance_to_each_subtree_as_defined(shared: bool) -> None:
    for needle, haystack in pairs(1, 150, 7, shared=shared):
        expected = [
            by_definition((nested(needle),), (nested(haystack.subtree(node)),)) for node in range(len(haystack))
        ]
        assert plain.subtree_distances(needle, haystack).tolist() == expected
        assert plain.subtree_distances_one_by_one(needle, haystack).tolist() == expected


@pytest.mark.parametrize("other", [by_zss, by_apted])
def test_distances_are_those_of_other_implementations(other: Any) -> None:
    for a, b in pairs(2, 200, 16) + pairs(3, 100, 16, shared=True):
        assert fast.distance(a, b) == plain.subtree_distances(a, b)[-1] == other(a, b)


@pytest.mark.parametrize(("count", "most"), [(2_000, 10), (400, 40), (60, 150)])
def test_the_fast_kernel_equals_the_plain_one(count: int, most: int) -> None:
    for needle, haystack in pairs(most, count, most):
        check(needle, haystack)


@pytest.mark.parametrize("alphabet", [1, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_fast_kernel_equals_the_plain_one_on_every_pair_of_shapes(shape: str, alphabet: int) -> None:
    random = Random(4)
    for other in SHAPES:
        check(random_tree(random, 70, shape, alphabet), random_tree(random, 90, other, alphabet))


def test_labels_common_to_leaves_and_inner_nodes_make_no_difference() -> None:
    for needle, haystack in pairs(5, 500, 10, shared=True):
        check(needle, haystack)
    leaf_is_inner = postorder([7, 1], [0, 1]), postorder([LEAVES, 7, 1], [0, 1, 1])
    assert fast.distance(*leaf_is_inner) == 1
    assert fast.closest(*leaf_is_inner) == (1, 2)


def test_of_equally_close_subtrees_the_first_in_postorder_is_found() -> None:
    leaf, other, call, block = LEAVES, LEAVES + 1, 1, 2
    needle = postorder([leaf, other, call], [0, 0, 2])
    twice = postorder([other, leaf, other, call, leaf, other, call, block], [0, 0, 0, 2, 0, 0, 2, 3])
    assert fast.closest(needle, twice) == (0, 3)
    relabelled = postorder([leaf, leaf, call, other, other, call, block], [0, 0, 2, 0, 0, 2, 2])
    assert fast.closest(needle, relabelled) == (1, 2)
    unlike = postorder([LEAVES + 5, LEAVES + 6, 5], [0, 0, 2])
    assert fast.closest(needle, unlike) == (3, 0)  # the leaf, before the tree that is as far


@pytest.mark.parametrize("wanted", [0, 1, 250, 499, None])
def test_an_equal_subtree_is_found_among_many_of_its_shape_by_few_comparisons(
    wanted: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of 500 entries that differ in one label, as those of a large JSON file."""
    labels = np.array([[entry, 500, 501] for entry in range(500)], np.int32)
    firsts = np.array([[3 * entry, 3 * entry + 1, 3 * entry] for entry in range(500)], np.int32)
    haystack = Postorder(np.append(labels, np.int32(502)), np.append(firsts, np.int32(0)))
    needle = Postorder(np.array([600 if wanted is None else wanted, 500, 501], np.int32), np.array([0, 1, 0], np.int32))
    compared = []
    whole = np.array_equal

    def counted(one: Any, other: Any) -> bool:
        compared.append(one)
        return whole(one, other)

    monkeypatch.setattr(np, "array_equal", counted)
    assert fast.first_equal(needle, haystack) == (None if wanted is None else 3 * wanted + 2)
    assert len(compared) <= 2


@pytest.mark.parametrize("shape", SHAPES)
def test_the_first_equal_subtree_is_the_first_of_all_that_are_equal(shape: str) -> None:
    for seed in range(20):
        haystack = random_tree(Random(f"{shape} {seed}"), 60, shape, 2)
        subtrees = [
            (haystack.labels[first : node + 1].tolist(), (haystack.leftmost[first : node + 1] - first).tolist())
            for node, first in enumerate(haystack.leftmost.tolist())
        ]
        for labels, leftmost in subtrees:
            needle = Postorder(np.array(labels, np.int32), np.array(leftmost, np.int32))
            assert fast.first_equal(needle, haystack) == subtrees.index((labels, leftmost))


def test_a_single_node_has_a_closest_subtree() -> None:
    haystack = postorder([LEAVES, LEAVES + 1, 1], [0, 0, 2])
    assert fast.closest(postorder([LEAVES + 1], [0]), haystack) == (0, 1)
    assert fast.closest(postorder([LEAVES + 9], [0]), haystack) == (1, 0)
    assert fast.distance(postorder([LEAVES + 1], [0]), haystack) == 2
    assert fast.distance(haystack, postorder([LEAVES + 9], [0])) == 3
    assert fast.closest(haystack, postorder([LEAVES + 1], [0])) == (2, 0)


def test_a_needle_may_be_larger_than_the_haystack() -> None:
    random = Random(6)
    for _ in range(50):
        check(random_tree(random, 120, "mixed", 4), random_tree(random, random.randint(1, 20), "mixed", 4))


def test_similarities_at_the_limit_of_sixteen_bits_are_right() -> None:
    leaves = [LEAVES + place % 50 for place in range(MAX_NEEDLE - 1)]
    needle = postorder([*leaves, 1], [0] * len(leaves) + [len(leaves)])
    shorter = leaves[3:8_000] + leaves[8_004:]
    haystack = postorder([*shorter, 2, 1], [0] * len(shorter) + [len(shorter), 1])
    assert fast.closest(needle, haystack) == (7 + 1, len(haystack) - 2)
    assert fast.distance(haystack, needle) == 7 + 1


def test_trees_too_large_to_be_compared_are_refused_with_the_reason() -> None:
    leaves = MAX_NEEDLE
    star, relabelled = (postorder([*range(leaves), root], [0] * leaves + [leaves]) for root in (-1, -2))
    reason = (
        r"trees of 16,001 and 16,001 nodes would take more than 1,024 MiB of memory or 50,000,000,000 steps; compare"
    )
    with pytest.raises(TreeTooLarge, match=reason):
        fast.distance(star, relabelled)
    random = Random(7)
    nested_deep = [random_tree(random, 12_000, "zigzag", alphabet) for alphabet in (2, 3)]
    with pytest.raises(TreeTooLarge, match="11,999 and 11,999 nodes"):
        fast.distance(*nested_deep)
    with pytest.raises(TreeTooLarge, match="12,000 and 12,000 nodes"):
        plain.subtree_distances(*nested_deep)


def test_equal_trees_of_any_size_are_no_edits_apart() -> None:
    leaves = 40_000
    star = postorder([*range(leaves), -1], [0] * leaves + [leaves])
    nested_deep = random_tree(Random(7), 40_001, "zigzag", 2)
    for tree in (star, nested_deep):
        assert fast.distance(tree, tree) == 0
        assert fast.closest(tree, tree) == (0, len(tree) - 1)
    twice = Postorder(
        np.concatenate([star.labels, star.labels, [-1]]).astype(np.int32),
        np.concatenate([star.leftmost, star.leftmost + len(star), [0]]).astype(np.int32),
    )
    assert fast.closest(star, twice) == (0, leaves)


def test_what_is_equal_at_both_ends_does_not_count_for_the_limits() -> None:
    """Of a star, and of one inside it, only leaves in the middle differ; the ends overlap where leaves are left out."""
    leaves = list(range(100_000))
    changed = [*leaves[:50_000], -5, *leaves[50_002:]]
    for other, edits in ((changed, 2), (leaves[:-3], 3), (leaves[3:], 3), ([7] * 10 + [8] * 5, 0)):
        before = [7] * 12 + [8] * 5 if edits == 0 else leaves
        first, second = (
            postorder([-3, *inner, -1, -4, -2], [0] * (len(inner) + 1) + [len(inner), 0, 3])
            for inner in (before, other)
        )
        assert fast.distance(first, second) == (edits or 2)


@pytest.mark.parametrize("shared", [False, True])
def test_trees_without_their_common_ends_are_as_far_apart(shared: bool) -> None:
    smaller = 0
    for a, b in pairs(9, 1_500, 8, shared=shared) + pairs(10, 300, 30, shared=shared):
        distance = plain.subtree_distances(a, b)[-1]
        left = trimming.trimmed(a, b)
        assert (left is None) == (distance == 0)
        if left is not None:
            assert plain.subtree_distances(*left)[-1] == distance
            smaller += len(left[0]) < len(a)
    assert smaller > 300


def test_roots_with_different_labels_keep_their_common_ends() -> None:
    """r(A, f) and q(A, r(f)): without A one edit would do."""
    a, b = (
        postorder([LEAVES, 3, LEAVES + 1, 1], [0, 1, 0, 2]),
        postorder([LEAVES, 3, LEAVES + 1, 1, 2], [0, 1, 0, 1, 2]),
    )
    assert fast.distance(a, b) == plain.subtree_distances(a, b)[-1] == 2


def test_deep_trees_are_trimmed_in_linear_time() -> None:
    depth = 200_000
    labels, counts = [LEAVES, *[1] * depth], [0, *[1] * depth]
    chain, relabelled = postorder(labels, counts), postorder([LEAVES + 1, *labels[1:]], counts)
    assert fast.distance(chain, relabelled) == 1
    assert fast.distance(chain, postorder(labels[:-1], counts[:-1])) == 1


@pytest.mark.parametrize("shared", [False, True])
def test_no_subtree_is_closer_than_the_bound(shared: bool) -> None:
    near = 0
    for needle, haystack in pairs(11, 1_000, 12, shared=shared) + pairs(12, 200, 60, shared=shared):
        distance = int(plain.subtree_distances(needle, haystack).min())
        bound = fast.least_distance(needle, haystack)
        assert bound <= distance
        near += bound == distance
    assert near > (200 if shared else 600)


def test_the_bound_of_a_large_tree_is_the_sum_over_pieces() -> None:
    leaves = list(range(40_000))
    star, other = (
        postorder([*inner, -1], [0] * len(inner) + [len(inner)])
        for inner in (leaves, [-5, *leaves[1:20_000], *leaves[20_007:]])
    )
    assert fast.least_distance(star, other) == 8
    assert fast.least_distance(star, star) == 0


def test_arrays_may_be_read_only_and_strided() -> None:
    a, b = pairs(8, 1, 40)[0]
    spaced = Postorder(np.repeat(a.labels, 2)[::2], np.repeat(a.leftmost, 2)[::2])
    locked = Postorder(b.labels.copy(), b.leftmost.copy())
    locked.labels.flags.writeable = locked.leftmost.flags.writeable = False
    assert fast.closest(spaced, locked) == fast.closest(a, b)


def test_threads_find_the_same() -> None:
    work = pairs(9, 200, 60)
    alone = [fast.closest(*pair) for pair in work]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda pair: fast.closest(*pair), work)) == alone


seeds = st.integers(0, 2**32)


@given(seeds, st.integers(1, 60))
def test_distance_is_a_metric(seed: int, most: int) -> None:
    random = Random(seed)
    a, b = random_pair(random, most)
    c = random_tree(random, random.randint(1, most), random.choice(SHAPES), 4)
    ab, bc, ac = fast.distance(a, b), fast.distance(b, c), fast.distance(a, c)
    assert fast.distance(a, a) == 0
    assert (ab == 0) == (nested(a) == nested(b))
    assert ab == fast.distance(b, a)
    assert ac <= ab + bc
    assert abs(len(a) - len(b)) <= ab <= len(a) + len(b) - 1


@given(seeds, st.integers(2, 60))
def test_a_tree_is_found_in_itself_and_nothing_is_farther_than_its_nodes(seed: int, most: int) -> None:
    random = Random(seed)
    needle, haystack = random_pair(random, most)
    node = random.randrange(len(haystack))
    found, place = fast.closest(haystack.subtree(node), haystack)
    assert found == 0
    assert place <= node
    assert fast.closest(needle, haystack)[0] <= len(needle)


def test_every_file_of_compiled_code_counts_when_it_is_decided_whether_to_compile_again() -> None:
    folder = Path(gitgoodbench.ted.__file__).parent
    of_kernels = {file.stem for file in folder.glob("*.py") if "compiled import" in file.read_text()}
    assert of_kernels | {"compiled", "limits", "vectors"} == set(compiled.SOURCES)
