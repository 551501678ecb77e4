"""What a comparison of trees may take."""

from __future__ import annotations

from typing import Final, NoReturn

from gitgoodbench.errors import GitGoodBenchError

MAX_BYTES: Final = 2**30
"""Memory that the kernels may take for one comparison, beside the trees themselves."""

MAX_CELLS: Final = 50_000_000_000
"""Cells of the dynamic program that one comparison may come to: about a minute. Sources of any size stay far below;
what exceeds it is nested thousands deep, with siblings on both sides."""

MAX_NEEDLE: Final = 16_000
"""Nodes up to which similarities fit into 16 bits; beyond, the plain kernel is used."""


class TreeTooLarge(GitGoodBenchError):
    """Two trees cannot be compared within `MAX_BYTES` and `MAX_CELLS`."""


def refuse(n: int, m: int) -> NoReturn:
    """Say that trees of n and m nodes are too large to be compared."""
    raise TreeTooLarge(
        f"comparing trees of {n:,} and {m:,} nodes would take more than {MAX_BYTES // 2**20:,} MiB of memory or "
        f"{MAX_CELLS:,} steps; compare smaller pieces, such as single functions"
    )
