"""A real agent is stopped in the middle, plays a sample twice, and is shown, exported and made pages of.

It is the first of the chosen agents (`make test-agents AGENTS=codex`).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench import load_run
from gitgoodbench.cli import run as command_line
from gitgoodbench.errors import Status
from gitgoodbench.models.meter import Tokens
from gitgoodbench.owner import LABEL
from gitgoodbench.runs.account import read_ledger
from gitgoodbench.sandbox.daemon import connect_to_docker
from tests.agents_real.conftest import CHOSEN
from tests.support.rules.comparing import differences, unlike_account, unlike_reference
from tests.support.rules.model import DONE, RuleModel
from tests.support.rules.playing import PRICES, Played, play, play_references, ready

pytestmark = [pytest.mark.agents, pytest.mark.docker, pytest.mark.timeout(3600)]

AGENT = CHOSEN[0]
MERGES = ["mini_cairn_merge_0000", "mini_cairn_merge_0007"]


@pytest.fixture(autouse=True, scope="module")
def _ready() -> None:
    ready(AGENT)


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Two merges, each played twice."""
    return play(tmp_path_factory.mktemp("twice"), AGENT, "mcr", "twice", sample=MERGES, epochs=2)


@pytest.mark.parametrize(
    ("turns", "limit", "error"),
    [(2, {"max_turns": 2}, "turn limit: 2 of 2 answers"), (2, {"max_episode_cost": 0.0045}, "cost limit: $0.0047 of")],
)
def test_work_is_kept_where_the_budget_is_spent(tmp_path: Path, turns: int, limit: dict[str, Any], error: str) -> None:
    played = play(tmp_path, AGENT, "mcr", sample=MERGES[0], jobs=1, **limit)
    (result,) = played.run.results
    assert result.status is Status.LIMIT_REACHED
    assert error in str(result.error)
    assert result.turns == turns == len(played.account)
    (reference,) = play_references(tmp_path, played.run)["theirs"].results
    assert [words for words in differences(result, reference) if not words.startswith(_ENDED)] == []
    assert unlike_account(played.run, played.account) == []


_ENDED = ("status ", "success ", "error", "outcome.agent_")
"""Fields that tell how an agent's work ended."""


def test_nothing_is_made_of_what_was_not_done(tmp_path: Path) -> None:
    played = play(tmp_path, AGENT, "mcr", sample=MERGES[0], jobs=1, max_turns=1)
    (result,) = played.run.results
    assert (result.status, result.solved) == (Status.LIMIT_REACHED, False)
    assert result.gates["committed"] is False
    assert result.outcome is not None
    assert result.outcome.state["merge_in_progress"] is True


def test_epochs_are_alike(twice: Played, tmp_path: Path) -> None:
    assert Counter(result.sample_id for result in twice.run.results) == dict.fromkeys(MERGES, 2)
    assert unlike_reference(twice.run, play_references(tmp_path, twice.run)) == []
    assert unlike_account(twice.run, twice.account) == []


def test_an_episode_is_shown_exported_and_made_a_page_of(
    twice: Played, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(twice.run.folder)
    assert command_line(["show", run, f"mcr/{MERGES[1]}/2", "--full"]) == 0
    shown = capsys.readouterr().out
    assert "END_OF_PROGRAM" in shown
    assert DONE in shown
    export = ["trajectories", run, "--out", str(tmp_path / "rows"), "--format", "atif", "--allow-evaluation-data"]
    assert command_line([*export, "--near-duplicates", "1"]) == 0
    said = [json.dumps(json.loads(path.read_text())) for path in (tmp_path / "rows").rglob("*.json")]
    assert sum(DONE in document and "END_OF_PROGRAM" in document for document in said) == len(MERGES)
    assert command_line(["report", run, "--html", str(tmp_path / "pages")]) == 0
    pages = "".join(path.read_text(errors="replace") for path in (tmp_path / "pages").rglob("*") if path.is_file())
    assert "END_OF_PROGRAM" in pages
    assert DONE in pages


def test_it_goes_on_after_the_harness_was_killed(tmp_path: Path) -> None:
    """Containers end with their harness; the same command carries on, and pays nothing twice that was finished."""
    books = tmp_path / "books"
    with RuleModel(books) as model:
        command = [
            sys.executable, "-m", "gitgoodbench", "eval", "mini", "--agent", AGENT, "--scenario", "mcr", "--limit", "6",
            "--sandbox", "docker", "--model", "gpt-5.4", "--base-url", model.url, "--jobs", "2",
            "--no-cache", "--price-input", str(PRICES[0]), "--price-output", str(PRICES[1]),
            "--out", str(tmp_path), "--run-id", "killed",
        ]  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as harness:
            while _finished(tmp_path) < 2 or not _has_open_request(tmp_path):
                assert harness.poll() is None
                time.sleep(0.01)
            os.kill(harness.pid, signal.SIGKILL)
        before = {path: path.read_bytes() for path in tmp_path.glob("killed/samples/*/*/*/result.json")}
        _wait_until_no_container_is_left("killed")
        assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0
        account = list(model.account)
    played = Played(load_run(tmp_path / "killed"), account)
    assert len(played.run.results) == 6
    assert {path: path.read_bytes() for path in before} == before
    assert unlike_reference(played.run, play_references(tmp_path, played.run)) == []
    lines = list(read_ledger(tmp_path / "killed" / "ledger.jsonl"))
    told = Counter(line.tokens or Tokens() for line in lines if line.event == "answered")
    billed = Counter(answered.bill for answered in account)
    unanswered = sum(line.event == "asked" for line in lines) - sum(line.event == "answered" for line in lines)
    assert told <= billed
    assert (billed - told).total() <= unanswered == played.run.summary.account.total().unknown


def _finished(out: Path) -> int:
    return len(list(out.glob("killed/samples/*/*/*/result.json")))


def _has_open_request(out: Path) -> bool:
    lines = Counter(line.event for line in read_ledger(out / "killed" / "ledger.jsonl"))
    return lines["asked"] > lines["answered"]


def _wait_until_no_container_is_left(run_id: str) -> None:
    client = connect_to_docker()
    for _ in range(1000):
        if not client.containers.list(filters={"label": f"{LABEL}.run={run_id}"}):
            return
        time.sleep(0.02)
    pytest.fail("a container outlived its harness")
