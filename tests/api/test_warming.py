"""Warming up compiles everything that a score runs."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
from gitgoodbench import Bench, warm_up
from gitgoodbench.scenario import load_scenarios
from gitgoodbench.ted import bounds, plain, search, trimming

def compiled():
    every = [value for module in (bounds, plain, search, trimming) for value in vars(module).values()]
    return {value.__qualname__: len(value.signatures) for value in every if hasattr(value, "signatures")}

def entries():
    return {name: count for name, count in compiled().items() if count}

warm_up()
ahead = entries()
with Bench("mini", scenario="mcr", sandbox="local", offline=True) as bench:
    bench.warm_up()
    for task in bench.tasks[:3]:
        with bench.open(task) as session:
            while not session.finished:
                session.call("resolve_current_merge_conflict_with", {"content": "int f(int a) { return a + g(a); }\\n"})
            assert not bench.score(task, session.finish()).solved
assert entries() == ahead, (entries(), ahead)
print(sorted(ahead))
"""


def test_after_warming_up_a_score_compiles_nothing() -> None:
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    for name in ("search", "least_distance", "least_part_distance"):
        assert f"'{name}'" in ran.stdout
