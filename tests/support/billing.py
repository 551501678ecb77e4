"""A model's server that keeps an account of its own, and a run against it: do both agree, to the cent?"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.runs.account import Spent, read_account
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.scenario import Episode, EpisodeOptions, Outcome
from gitgoodbench.workspace.store import RepositoryStore
from tests.support.fake_episode import FakeEpisode
from tests.support.fake_judging import FakeJudgedScenario
from tests.support.scripted_llm import Reply, Request, Script, ScriptedServer, calls

PRICE = 1000.0
"""US dollars per million tokens, of input and output alike."""

ANSWER = 0.11
"""Dollars of an answer of the scripted model: 110 tokens."""

PRICES = ("--price-input", "1000", "--price-output", "1000")
JUDGE_PRICES = ("--judge-price-input", "1000", "--judge-price-output", "1000")


class BillingServer(ScriptedServer):
    """Bills every answer that leaves whole: status 200, with counts of tokens. Whether it can be read is no matter.

    billed: US dollars. by: of each model.
    """

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        self.billed = 0.0
        self.by: dict[str, float] = {}
        self._account = threading.Lock()

    def reply_to(self, request: Request) -> Reply:
        reply = super().reply_to(request)
        cost = _cost(reply)
        with self._account:
            self.billed += cost
            model = request.body["model"]
            self.by[model] = self.by.get(model, 0.0) + cost
        return reply


def _cost(reply: Reply) -> float:
    if reply.status != 200 or reply.drop_after is not None or reply.delay_s:
        return 0.0
    try:
        usage = json.loads(reply.body).get("usage") or {}
    except (ValueError, AttributeError):
        return 0.0
    return float(usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0)) * PRICE / 1e6


def working(turns: int = 3) -> Script:
    """A model that looks around, and writes its three lines in the last of so many answers."""

    def play(request: Request) -> Reply:
        return calls("write_line", text="a") if request.turn >= turns - 3 else calls("read_file")

    return play


def failing(script: Script, *faults: Callable[[int], Reply | None]) -> Script:
    """The script, but where one of the faults has a reply for the number of the request, counted from 0."""
    lock = threading.Lock()
    count = [0]

    def play(request: Request) -> Reply:
        with lock:
            number, count[0] = count[0], count[0] + 1
        return next((reply for fault in faults if (reply := fault(number)) is not None), None) or script(request)

    return play


class WritingScenario(FakeJudgedScenario):
    """Every episode is one in which a model must write three lines; histories are judged."""

    def __init__(self, name: str = "mcr", **more: Any) -> None:
        super().__init__(name, **more)

    def prepare(self, sample: Sample, store: RepositoryStore, sandbox: Sandbox, options: EpisodeOptions) -> Episode:  # noqa: ARG002
        return _Written(name=sample.id)


class _Written(FakeEpisode):
    def outcome(self) -> Outcome:
        return Outcome("a" * 40, b"bundle", {"lines": list(self.lines)})


def account_of(run: Path) -> Spent:
    """What the run says that it spent."""
    return read_account(run / "ledger.jsonl").total()
