"""SIGKILL in the middle of a conversation: what was said is on disk, what was paid is in the account."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.runs.account import read_account
from tests.cli.test_interruption import Command, wait_for
from tests.support.billing import ANSWER, PRICES, BillingServer
from tests.support.llm_reply import Reply
from tests.support.scripted_llm import Request, calls, fault

TURNS = 10


def talking(request: Request) -> Reply:
    """Calls a tool that there is not, ten times; then the model never answers again."""
    if request.turn < TURNS:
        return calls("look_around", number=request.turn)
    return fault.hang()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_every_answer_of_a_killed_conversation_is_on_disk_and_paid(tmp_path: Path) -> None:
    command = Command(tmp_path)
    with BillingServer(talking) as server:
        flags = ("--agent", "openai", "--model", "m", "--base-url", server.url, *PRICES)
        with command.start(command.eval(*flags, samples=1)) as process:
            wait_for(lambda: len(server.requests) == TURNS + 1)
            process.kill()
        (path,) = command.run.glob("samples/*/*/*/trajectory.jsonl")
        said = lines(path)
        answers = [line for line in said if line["kind"] == "answer"]
        assert [json.loads(answer["message"]["tool_calls"][0]["function"]["arguments"]) for answer in answers] == [
            {"number": number} for number in range(TURNS)
        ]
        assert sum(line["kind"] == "message" for line in said) == 2 + TURNS
        assert said[-1]["message"]["role"] == "tool"
        spent = read_account(command.run / "ledger.jsonl").total()
        assert spent.cost_usd == pytest.approx(server.billed)
        assert server.billed == pytest.approx((TURNS + len(server.preflights)) * ANSWER)
        assert spent.unknown == 1  # what was asked when the kill came

        again = ("resume", str(command.run), "--max-cost", "2")
        with command.start(again) as process:
            wait_for(lambda: len(server.requests) == 2 * TURNS + 1 or process.poll() is not None)
            process.wait(60)
        assert (path.parent / "trajectory-1.jsonl").exists()
        assert lines(path.parent / "trajectory-1.jsonl") == said
        spent = read_account(command.run / "ledger.jsonl").total()
        assert spent.cost_usd == pytest.approx(server.billed)
        assert server.billed <= 2 + ANSWER
