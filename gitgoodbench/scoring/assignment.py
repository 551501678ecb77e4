"""The one-to-one pairs of rows and columns with the greatest sum: scipy's `linear_sum_assignment`, loaded alone.

`scipy.optimize` as a whole takes 20 MB and 0.3 s in every process that scores, for one function of a small module.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Solver = Callable[..., tuple[NDArray[np.int64], NDArray[np.int64]]]


def best_assignment(values: NDArray[Any]) -> list[tuple[int, int]]:
    """Pairs of a row and a column, in the order of rows; as many as there are rows or columns, whichever are fewer."""
    rows, columns = solver()(values, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


@cache
def solver() -> Solver:
    """`scipy.optimize.linear_sum_assignment`, by its public name where scipy keeps it elsewhere."""
    import scipy

    found = PathFinder.find_spec("_lsap", [str(Path(scipy.__file__).parent / "optimize")])
    if found is not None and found.loader is not None:
        module = module_from_spec(found)
        found.loader.exec_module(module)
        if hasattr(module, "linear_sum_assignment"):
            return module.linear_sum_assignment  # type: ignore[no-any-return]
    from scipy.optimize import linear_sum_assignment

    return linear_sum_assignment
