"""The assignment is scipy's, whether its module is loaded alone or with all of `scipy.optimize`."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import PathFinder

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linear_sum_assignment

from gitgoodbench.scoring.assignment import best_assignment, solver

VALUES = arrays(np.float64, st.tuples(st.integers(1, 7), st.integers(1, 7)), elements=st.integers(0, 4).map(float))


@given(VALUES)
def test_pairs_are_those_of_scipy_also_where_several_are_best(values: np.ndarray) -> None:
    rows, columns = linear_sum_assignment(values, maximize=True)
    assert best_assignment(values) == list(zip(rows.tolist(), columns.tolist(), strict=True))


def test_the_greatest_sum_is_chosen_over_the_greatest_value() -> None:
    assert best_assignment(np.array([[9.0, 8.0], [8.0, 1.0], [0.0, 0.0]])) == [(0, 1), (1, 0)]
    assert best_assignment(np.zeros((0, 3))) == []


def test_the_rest_of_scipy_optimize_stays_out_of_memory() -> None:
    program = (
        "import sys, numpy; from gitgoodbench.scoring.assignment import best_assignment; "
        "print(best_assignment(numpy.array([[1.0, 2.0], [5.0, 1.0]])), 'scipy.optimize' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[(0, 1), (1, 0)] False\n"


def test_where_scipy_keeps_it_elsewhere_the_public_name_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PathFinder, "find_spec", lambda *_: None)
    solver.cache_clear()
    try:
        assert solver() is linear_sum_assignment
        assert best_assignment(np.array([[1.0, 2.0], [5.0, 1.0]])) == [(0, 1), (1, 0)]
    finally:
        solver.cache_clear()
