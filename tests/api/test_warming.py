"""The process that plays stays light; the one that scores has loaded and compiled everything ahead."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HEAVY = (
    "datasets", "docker", "git", "huggingface_hub", "joblib", "llvmlite", "matplotlib", "numba", "numpy", "openai",
    "pandas", "pyarrow", "requests", "rich", "scipy", "tree_sitter", "typer",
)  # fmt: skip

SESSIONS = f"""
import json, sys
from gitgoodbench import Bench, warm_up

warm_up()
with Bench("mini", sandbox="local", offline=True) as bench:
    bench.warm_up()
    statuses = []
    for kind in ("mcr", "ir", "icc"):
        task = next(task for task in bench.tasks if task.scenario == kind)
        bench.preview(task)
        with bench.open(task) as session:
            session.call(session.tools[0]["function"]["name"], {{}})
            outcome = session.finish(status="completed")
        statuses.append(bench.score(task, outcome).status)
print(json.dumps([statuses, [name for name in {HEAVY!r} if name in sys.modules]]))
"""

KEPT_AHEAD = """
import json, sys
from gitgoodbench.contained import server

server.load()
from gitgoodbench.contained.reading import read
from gitgoodbench.contained.task import Task, Wanted
from gitgoodbench.limits import LIMITS
from gitgoodbench.runs.config import make_config
from gitgoodbench.runs.inputs import load_inputs
from gitgoodbench.scenario import Outcome, load_scenarios
from gitgoodbench.ted import bounds, plain, search, trimming
from gitgoodbench.workspace.store import open_store

def compiled():
    every = [value for module in (bounds, plain, search, trimming) for value in vars(module).values()]
    return {value.__qualname__: len(value.signatures) for value in every if getattr(value, "signatures", None)}

ahead, loaded_ahead = compiled(), {*sys.modules}
config = make_config(suite="mini", offline=True)
store, planned = open_store(None, offline=True), load_inputs(config).planned
store.mirror(planned[0].sample.name, [])  # the harness has it made: it is not what scoring takes
by_suite = {*sys.modules} - loaded_ahead
scored = {}
for kind in ("mcr", "ir", "icc"):
    of_kind = [episode.sample for episode in planned if episode.scenario == kind]
    true = [load_scenarios()[kind].truth(sample, store) for sample in of_kind[:4]]
    for sample, outcome in [*zip(of_kind, true), (of_kind[0], Outcome(None, None))]:
        task = Task(Wanted.SCORE, kind, None, sample, outcome, LIMITS, ".")
        answer = read(task, store)
        assert "verdict" in answer, answer
        scored.setdefault(kind, []).append(answer["verdict"]["scores"])
print(json.dumps([ahead, compiled(), sorted({*sys.modules} - loaded_ahead - by_suite), scored]))
"""


def run(program: str, folder: Path) -> Any:
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_a_session_from_start_to_score_loads_nothing_heavy(tmp_path: Path) -> None:
    statuses, loaded = run(SESSIONS, tmp_path)
    assert (statuses, loaded) == (["completed"] * 3, [])


def test_the_process_that_scores_compiles_and_loads_nothing_for_an_outcome(tmp_path: Path) -> None:
    ahead, after, loaded, scored = run(KEPT_AHEAD, tmp_path)
    assert {"search", "least_distance", "least_part_distance"} <= set(ahead)
    assert after == ahead
    assert loaded == []
    assert any(score == 1.0 for scores in scored["mcr"] for score in scores.values())
    assert all(set(scored[kind][0]) == set(scored[kind][-1]) for kind in scored)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux tells what a process has mapped")
def test_warming_up_ends_when_the_process_that_scores_has_loaded_the_compiled_code(tmp_path: Path) -> None:
    program = """
import json
from pathlib import Path
import gitgoodbench
from gitgoodbench.contained import client

gitgoodbench.warm_up()
process = client._SHARED._process.pid
print(json.dumps(["libllvmlite" in Path(f"/proc/{pid}/maps").read_text() for pid in (process, "self")]))
"""
    assert run(program, tmp_path) == [True, False]
