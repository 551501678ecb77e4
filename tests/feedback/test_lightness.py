"""What the worker loads: nothing of the harness, and the engine only when there is something to score."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("datasets", "docker", "numba", "openai", "pandas", "pyarrow", "scipy")


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("worker", (*HEAVY, "git", "numpy", "pydantic", "sqlite3")),
        ("pipeline", (*HEAVY, "git", "joblib", "numpy")),
        ("status", (*HEAVY, "git", "joblib", "numpy")),
        ("evaluation", HEAVY),
    ],
)
def test_a_module_loads_nothing_heavy(module: str, absent: tuple[str, ...]) -> None:
    script = f"import sys, gitgoodbench.feedback.{module}; print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(absent) & set(shown.stdout.split()) == set()
