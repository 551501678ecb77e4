"""The labels of a needle and a haystack as small numbers, and what their counts say about distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gitgoodbench.ted.compiled import compiled

MIXED = -1
"""Instead of a number of labels: one stands for a leaf here and an inner node there."""

UNBOUNDED = 2**30
"""Instead of a bound: the tree need not be looked at."""


@compiled
def numbered(
    labels_a: NDArray[np.int32],
    first_a: NDArray[np.int32],
    labels_b: NDArray[np.int32],
    first_b: NDArray[np.int32],
) -> tuple[int, NDArray[np.int16], NDArray[np.int16]]:
    """How many labels a has, and an id for each node of a and b: 2 k for an inner node, 2 k + 1 for a leaf.

    k is the place of the label in a; of all labels that only b has, it is the number of a's labels.
    """
    slots = 16
    while slots < 2 * len(labels_a):
        slots *= 2
    keys = np.empty(slots, np.int32)
    values = np.full(slots, -1, np.int32)
    kinds = np.zeros(len(labels_a), np.int8)  # bit 0: an inner node of a has the label, bit 1: a leaf
    ids_a = np.empty(len(labels_a), np.int16)
    ids_b = np.empty(len(labels_b), np.int16)
    count = 0
    for node in range(len(labels_a)):
        label = labels_a[node]
        slot = _slot(label, slots)
        while values[slot] >= 0 and keys[slot] != label:
            slot = (slot + 1) & (slots - 1)
        if values[slot] < 0:
            keys[slot] = label
            values[slot] = count
            count += 1
        is_leaf = first_a[node] == node
        kinds[values[slot]] |= 2 if is_leaf else 1
        ids_a[node] = 2 * values[slot] + is_leaf
    for node in range(len(labels_b)):
        label = labels_b[node]
        slot = _slot(label, slots)
        while values[slot] >= 0 and keys[slot] != label:
            slot = (slot + 1) & (slots - 1)
        is_leaf = first_b[node] == node
        if values[slot] < 0:
            ids_b[node] = 2 * count + is_leaf
        elif kinds[values[slot]] & (1 if is_leaf else 2):
            return MIXED, ids_a, ids_b
        else:
            ids_b[node] = 2 * values[slot] + is_leaf
    return count, ids_a, ids_b


@compiled
def _slot(label: int, slots: int) -> int:
    return int((np.int64(label) * 0x9E3779B1) >> 12) & (slots - 1)


@compiled
def bag_bounds(
    count: int, ids_a: NDArray[np.int16], ids_b: NDArray[np.int16], first_b: NDArray[np.int32]
) -> NDArray[np.int32]:
    """A lower bound of the distance of a to the tree at each inner node of b, from the labels both have.

    Leaves pair with leaves and inner nodes with inner nodes, and a pair of different labels costs 1. UNBOUNDED for
    leaves, and for trees more than twice as large as a: any leaf is closer.
    """
    n, m = len(ids_a), len(ids_b)
    available = np.zeros(count + 1, np.int32)
    leaves_a = 0
    for node in range(n):
        available[ids_a[node] >> 1] += 1
        leaves_a += ids_a[node] & 1
    ends = np.full(m, -1, np.int32)  # for each leftmost leaf, the last node worth a bound
    for node in range(m):
        if first_b[node] != node and node - first_b[node] < 2 * n:
            ends[first_b[node]] = node
    bounds = np.full(m, UNBOUNDED, np.int32)
    used = np.zeros(count + 1, np.int64)
    none_used = 0
    for begin in range(m):
        if ends[begin] < 0:
            continue
        none_used += m
        common = 0
        leaves = 0
        for node in range(begin, ends[begin] + 1):
            label = ids_b[node] >> 1
            used[label] = max(used[label], none_used) + 1
            if used[label] - none_used <= available[label]:
                common += 1
            leaves += ids_b[node] & 1
            if first_b[node] == begin and node != begin:
                size = node - begin + 1
                pairs = min(leaves, leaves_a) + min(size - leaves, n - leaves_a)
                bounds[node] = n + size - pairs - common
    return bounds
