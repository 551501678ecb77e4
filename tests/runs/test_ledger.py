"""The account of a run: a line for each request and each reply, whatever becomes of it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from gitgoodbench.errors import CostLimitReached, RunAborted, UserError
from gitgoodbench.models.meter import Tokens
from gitgoodbench.models.recording import Exchange, Fate, Request
from gitgoodbench.runs.account import AGENT, JUDGE, Spent, read_account, read_ledger
from gitgoodbench.runs.ledger import Ledger

EPISODE = "mcr/s0/1"
USED = Tokens(prompt=100, cached=40, completion=10)


def _reply(fate: Fate = Fate.ANSWERED, cost: float | None = 1.0, model: str = "m", **fields: object) -> Exchange:
    chosen: dict[str, object] = {"tokens": USED, "response_id": "r1", "model": "m-2026", **fields}
    return Exchange(Request(model, ()), fate, "now", 0.5, cost_usd=cost, **chosen)  # type: ignore[arg-type]


def _spend(ledger: Ledger, reply: Exchange, episode: str = EPISODE, role: str = AGENT) -> None:
    ledger.receive(ledger.ask(episode, role, reply.request.model), episode, role, reply)


def test_a_line_before_each_request_and_one_for_each_reply(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger(path) as ledger:
        request = ledger.ask(EPISODE, AGENT, "m")
        assert [line.event for line in read_ledger(path)] == ["asked"]
        ledger.receive(request, EPISODE, AGENT, _reply(cost=0.25))
        asked, answered = read_ledger(path)
    assert (asked.request, asked.episode, asked.role, asked.model) == (request, EPISODE, AGENT, "m")
    assert (answered.event, answered.request, answered.cost_usd) == ("answered", request, 0.25)
    assert (answered.reported, answered.response_id, answered.seconds) == ("m-2026", "r1", 0.5)
    assert answered.tokens == USED


def test_agent_and_judges_of_all_sessions_are_one_account(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    for session in range(3):
        with Ledger(path) as ledger:
            _spend(ledger, _reply(cost=1.0 + session))
            _spend(ledger, _reply(cost=0.5), role=JUDGE)
            _spend(ledger, _reply(cost=2.0), episode="mcr/s1/1")
    account = read_account(path)
    assert account.total().cost_usd == 13.5
    assert account.total(role=JUDGE).cost_usd == 1.5
    assert account.total(episode=EPISODE, role=AGENT) == Spent(
        cost_usd=6.0, requests=3, answers=3, prompt_tokens=300, cached_tokens=120, completion_tokens=30
    )


def test_no_request_is_sent_once_the_limit_is_reached_in_whatever_session(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger(path, limit_usd=2.5) as ledger:
        _spend(ledger, _reply())
        _spend(ledger, _reply(), role=JUDGE)
        assert ledger.limit_reached is None
        _spend(ledger, _reply())
        with pytest.raises(CostLimitReached, match=r"\$3\.00 spent, of --max-cost 2\.5"):
            ledger.ask(EPISODE, AGENT, "m")
    with Ledger(path, limit_usd=2.5) as ledger, pytest.raises(CostLimitReached):
        ledger.ask(EPISODE, AGENT, "m")
    with Ledger(path, limit_usd=3.5) as ledger:
        ledger.ask(EPISODE, AGENT, "m")


def test_refusals_and_cached_answers_cost_nothing(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.jsonl", limit_usd=1.0) as ledger:
        _spend(ledger, _reply(Fate.REFUSED, None, tokens=Tokens()))
        ledger.receive("r", EPISODE, AGENT, _reply(Fate.CACHED, 5.0))
        assert ledger.account.total() == Spent(requests=1, cached=1)
        assert ledger.limit_reached is None


def test_what_may_have_been_billed_is_unknown_and_counts_as_much_as_the_dearest_answer(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger(path, limit_usd=4.5) as ledger:
        _spend(ledger, _reply(cost=0.5))
        _spend(ledger, _reply(cost=2.0))
        _spend(ledger, _reply(Fate.LOST, None, tokens=Tokens()))
        assert ledger.account.total().unknown == 1
        assert ledger.account.total().cost_usd == 2.5
        assert ledger.limit_reached == (
            "the cost limit is reached: $2.50 spent, and up to $2.00 for requests without an answer, of --max-cost 4.5"
        )


def test_a_request_that_was_killed_is_unknown_ever_after(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    first = Ledger(path)
    _spend(first, _reply(cost=2.0))
    first.ask(EPISODE, AGENT, "m")  # and the process is killed
    os.close(first._descriptor)
    with Ledger(path, limit_usd=4.0) as second:
        assert second.account.total() == Spent(2.0, 2, 1, 0, 1, 100, 40, 10)
        with pytest.raises(CostLimitReached, match=r"up to \$2\.00 for requests without an answer"):
            second.ask(EPISODE, AGENT, "m")
    assert read_account(path).total().unknown == 1


def test_an_unreadable_reply_that_says_what_it_used_is_counted(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.jsonl") as ledger:
        _spend(ledger, _reply(Fate.UNREADABLE, 0.75, cause="choices is empty"))
        assert ledger.account.total() == Spent(
            cost_usd=0.75, requests=1, prompt_tokens=100, cached_tokens=40, completion_tokens=10
        )


def test_under_a_limit_an_answer_whose_cost_nobody_knows_ends_the_run(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger(path, limit_usd=10.0) as ledger, pytest.raises(RunAborted, match="a cost limit cannot be watched"):
        _spend(ledger, _reply(cost=None, tokens=Tokens()))
    assert read_account(path).total().unknown == 1
    with Ledger(path) as ledger:
        _spend(ledger, _reply(cost=None))


def test_threads_pass_a_limit_by_no_more_than_an_answer_each(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"

    def work(ledger: Ledger) -> None:
        try:
            while True:
                _spend(ledger, _reply(cost=1.0))
        except CostLimitReached:
            return

    with Ledger(path, limit_usd=20.0) as ledger:
        threads = [threading.Thread(target=work, args=(ledger,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 20.0 <= ledger.account.total().cost_usd <= 23.0
    assert sum(line.event == "answered" for line in read_ledger(path)) == read_account(path).total().answers


def test_a_line_that_a_power_failure_cut_short_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger(path) as ledger:
        _spend(ledger, _reply())
    path.write_bytes(path.read_bytes() + b'{"time":"2026')
    with Ledger(path) as ledger:
        _spend(ledger, _reply())
        assert ledger.account.total().cost_usd == 2.0
    assert read_account(path).total().cost_usd == 2.0


def test_what_was_spent_before_there_was_a_ledger_is_carried_over_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger(path) as ledger:
        ledger.carry({(EPISODE, AGENT): 1.5, (EPISODE, JUDGE): 0.5})
        ledger.carry({(EPISODE, AGENT): 1.5})
        assert ledger.account.total() == Spent(cost_usd=2.0)
    with Ledger(path) as ledger:
        ledger.carry({(EPISODE, AGENT): 1.5})
    assert read_account(path).total(role=AGENT) == Spent(cost_usd=1.5)


def test_a_ledger_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"the account .* cannot be written: No such file or directory"):
        Ledger(tmp_path / "absent" / "ledger.jsonl")


def test_nothing_is_asked_when_the_line_before_cannot_be_written(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.close()
    with pytest.raises(RunAborted, match="cannot be written"):
        ledger.ask(EPISODE, AGENT, "m")


def test_a_run_without_a_ledger_has_an_empty_account(tmp_path: Path) -> None:
    assert read_account(tmp_path / "ledger.jsonl").total() == Spent()
