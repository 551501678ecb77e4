"""The account of a run is that of the model's server, whatever happens; and no limit is passed by more than an answer.

The server keeps its own account (tests/support/billing.py): it bills what it sends whole, and a run must know of it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gitgoodbench.models import chat
from gitgoodbench.models.retry import Backoff
from gitgoodbench.reporting.schemas import shipped
from gitgoodbench.runs.account import JUDGE, PREFLIGHT, read_account, read_ledger
from tests.cli.conftest import CommandLine, Result
from tests.support.billing import (
    ANSWER,
    JUDGE_PRICES,
    PRICES,
    BillingServer,
    WritingScenario,
    account_of,
    failing,
    working,
)
from tests.support.judging import favouring, judged_by
from tests.support.llm_reply import Reply
from tests.support.scripted_llm import Request, fault, says

CENT = 0.005

JUDGES = ("judge-a", "judge-b")


@pytest.fixture
def money(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setattr(chat, "Backoff", lambda: Backoff(tries=3, first_s=0.0))
    command.scenario = WritingScenario()
    return command


def play(command: CommandLine, server: BillingServer, *flags: str, jobs: int = 1) -> Result:
    """A session of run `r`."""
    return command.eval(
        "--agent", "openai", "--model", "m", "--base-url", server.url, *PRICES, "--run-id", "r", "--jobs", str(jobs),
        "--judge", "none", "--retry-failed", "0", *flags,
    )  # fmt: skip


def judge(command: CommandLine, server: BillingServer, *flags: str) -> Result:
    """Run `r`, played by nobody, is judged by whom the flags say."""
    return command.noop("--judge-base-url", server.url, *JUDGE_PRICES, *flags)


def run_of(command: CommandLine) -> Path:
    return command.out / "r"


def check(command: CommandLine, server: BillingServer) -> None:
    """Both accounts are the same, and nothing is unknown."""
    spent = account_of(run_of(command))
    assert spent.cost_usd == pytest.approx(server.billed, abs=CENT)
    assert spent.unknown == 0


def judging(request: Request) -> Reply:
    """`mute` says nothing that can be read; all others prefer the agent's history."""
    return says("hm") if request.body["model"] == "mute" else judged_by(favouring("Parse dates"))(request)


def every(number: int, reply: Callable[[], Reply]) -> Callable[[int], Reply | None]:
    return lambda at: reply() if at % number == number - 1 else None


def from_the(first: int, reply: Callable[[], Reply]) -> Callable[[int], Reply | None]:
    return lambda at: reply() if at >= first else None


def unreadable_but_billed() -> Reply:
    return fault.answer(json.loads(says("x").body) | {"choices": []})


def test_a_run_without_a_fault(money: CommandLine) -> None:
    with BillingServer(working()) as server:
        assert play(money, server).code == 0
    check(money, server)
    assert server.by == {"m": pytest.approx((15 + len(server.preflights)) * ANSWER)}


@pytest.mark.parametrize(
    "reply",
    [lambda: fault.status(503), lambda: fault.rate_limit("0"), fault.html, unreadable_but_billed, fault.half_json],
    ids=["503", "429", "a page", "unreadable and billed", "half"],
)
def test_answers_that_had_to_be_asked_for_again(money: CommandLine, reply: Callable[[], Reply]) -> None:
    with BillingServer(failing(working(), every(3, reply))) as server:
        assert play(money, server).code == 0
    spent = account_of(run_of(money))
    assert spent.cost_usd == pytest.approx(server.billed, abs=CENT)
    assert spent.requests == len(server.requests) + len(server.preflights)
    assert spent.unknown == (7 if reply in (fault.html, fault.half_json) else 0)


def test_a_refused_parameter_and_a_refused_prompt_cost_nothing(money: CommandLine) -> None:
    def script(request: Request) -> Reply:
        if "temperature" in request.body:
            return fault.status(400, "'temperature' is unsupported")
        if request.turn == 1:
            return fault.status(400, "the input was flagged", code="content_filter")
        return working()(request)

    with BillingServer(script) as server:
        play(money, server)
    check(money, server)
    assert server.by["m"] == pytest.approx((5 + len(server.preflights)) * ANSWER)


def test_sessions_that_end_in_faults_are_counted_together(money: CommandLine) -> None:
    """Four sessions, and a server that fails from the fourth request of each on: what failed was paid."""
    for _ in range(4):
        with BillingServer(failing(working(9), from_the(3, lambda: fault.status(503)))) as server:
            play(money, server, "--max-cost", "2.5")
        billed = account_of(run_of(money)).cost_usd
    assert billed <= 2.5 + ANSWER
    assert account_of(run_of(money)).unknown == 0


def test_the_accounts_of_four_sessions_are_the_server_s(money: CommandLine) -> None:
    script = failing(working(9), lambda at: fault.status(503) if at % 8 > 3 else None)
    with BillingServer(script) as server:
        for _ in range(4):
            play(money, server, "--max-cost", "6")
        check(money, server)
        assert 0 < server.billed <= 6 + ANSWER


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_limit_is_passed_by_no_more_than_an_answer_of_each_job(money: CommandLine, jobs: int) -> None:
    with BillingServer(working(12)) as server:
        shown = play(money, server, "--max-cost", "2", jobs=jobs)
        assert shown.code == 0
        assert 2 <= server.billed < 2 + jobs * ANSWER
        check(money, server)
        assert "stopped early: the cost limit is reached: $2." in shown.err
        again = play(money, server, "--max-cost", "2", jobs=jobs)
        assert 2 <= server.billed < 2 + jobs * ANSWER
        assert again.code == 0
        check(money, server)


def test_a_higher_limit_carries_on_and_what_was_given_up_stays_counted(money: CommandLine) -> None:
    with BillingServer(working(5)) as server:
        play(money, server, "--max-cost", "1.5")
        assert len(money.results()) == 2
        shown = money("resume", run_of(money), "--max-cost", "100")
        assert shown.code == 0
        assert len(money.results()) == 5
        check(money, server)
        assert server.billed > 25 * ANSWER
    assert f"cost of the run: ${server.billed:.2f}" in shown.out


def test_with_the_cache_nothing_is_asked_twice(money: CommandLine) -> None:
    with BillingServer(working(5)) as server:
        play(money, server, "--max-cost", "1.5", "--cache")
        money("resume", run_of(money), "--max-cost", "100", "--cache")
        assert len(money.results()) == 5
        assert server.by["m"] == pytest.approx((25 + len(server.preflights)) * ANSWER)
        check(money, server)
    results = [json.loads(path.read_bytes()) for path in money.results()]
    assert [result["turns"] for result in results] == [5] * 5
    assert min(result["usage"]["cost_usd"] for result in results) < 5 * ANSWER - CENT
    answers = [line for line in trajectory(money, results[2]["sample_id"]) if line["kind"] == "answer"]
    assert [answer["cached"] for answer in answers].count(True) > 0
    assert all(answer["cost_usd"] == 0 for answer in answers if answer["cached"])


def test_an_episode_that_is_tried_again_keeps_what_it_cost_before(money: CommandLine) -> None:
    script = failing(working(), lambda at: fault.status(503) if 2 <= at < 5 else None)
    with BillingServer(script) as server:
        play(money, server, "--retry-failed", "1")
        assert [json.loads(path.read_bytes())["status"] for path in money.results()] == ["completed"] * 5
        assert server.by["m"] == pytest.approx((17 + len(server.preflights)) * ANSWER)
    check(money, server)
    (earlier,) = run_of(money).glob("samples/*/*/*/trajectory-1.jsonl")
    assert sum(json.loads(line)["kind"] == "answer" for line in earlier.read_text().splitlines()) == 2


def test_judges_are_counted_with_their_own_prices(money: CommandLine) -> None:
    with BillingServer(judging) as server:
        flags = [flag for name in JUDGES for flag in ("--judge-model", name)]
        assert judge(money, server, *flags, "--judge-repeats", "2").code == 0
        assert server.by == {
            name: pytest.approx((5 * 2 * 2) * ANSWER + server.by[name] - 20 * ANSWER) for name in JUDGES
        }
    check(money, server)
    assert read_account(run_of(money) / "ledger.jsonl").total(role=JUDGE).answers == 40


def test_the_limit_counts_agent_and_judges(money: CommandLine) -> None:
    def script(request: Request) -> Reply:
        return judging(request) if request.body["model"] == "judge-a" else working()(request)

    with BillingServer(script) as server:
        money.eval(
            "--agent", "openai", "--model", "m", "--base-url", server.url, *PRICES, "--run-id", "r", "--jobs", "1",
            "--judge-model", "judge-a", "--judge-base-url", server.url, *JUDGE_PRICES, "--max-cost", "1.5",
        )  # fmt: skip
        assert 1.5 <= server.billed < 1.5 + ANSWER
        check(money, server)
        shown = money("resume", run_of(money), "--max-cost", "9")
        assert shown.code == 0
        check(money, server)
        (last,) = [line for line in shown.err.split("\n") if line.startswith("[5/5]")]
        assert last.endswith(f" ${server.billed:.2f}")
    assert set(server.by) == {"m", "judge-a"}


def test_judging_again_with_another_panel_asks_nothing_twice(money: CommandLine) -> None:
    with BillingServer(judging) as server:
        judge(money, server, "--judge-model", "judge-a")
        before = len(server.requests)
        shown = money(
            "score", run_of(money), "--judge-model", "judge-b", "--judge-model", "judge-a",
            "--judge-base-url", server.url, *JUDGE_PRICES,
        )  # fmt: skip
        assert shown.code == 0
        assert [request.body["model"] for request in server.requests[before:]] == ["judge-b"] * 10
        check(money, server)
        before = len(server.requests)
        for path in money.results():  # as if a kill had come before any verdict was saved
            result = json.loads(path.read_bytes())
            path.write_text(json.dumps(result | {"judge": None}))
        money("score", run_of(money), "--judge-model", "judge-a", "--judge-base-url", server.url, *JUDGE_PRICES)
        assert len(server.requests) == before
        check(money, server)


def test_an_answer_of_a_judge_that_cannot_be_read_is_paid_and_asked_for_again(money: CommandLine) -> None:
    with BillingServer(judging) as server:
        judge(money, server, "--judge-model", "mute")
        before = len(server.requests)
        assert before == 5 * 2 * 2
        money("score", run_of(money), "--judge", "llm", "--unscored")
        assert len(server.requests) == 2 * before
        check(money, server)


def test_a_connection_that_breaks_may_have_been_billed_and_counts_towards_the_limit(money: CommandLine) -> None:
    with BillingServer(failing(working(), every(2, fault.drop_mid_body))) as server:
        shown = play(money, server, "--max-cost", "1.5")
    spent = account_of(run_of(money))
    assert spent.cost_usd == pytest.approx(server.billed, abs=CENT)
    assert spent.unknown > 0
    assert spent.cost_usd + spent.unknown * ANSWER < 1.5 + ANSWER
    assert "for requests without an answer, of --max-cost 1.5" in shown.err
    assert f"cost of the run: >= ${server.billed:.2f}" in shown.out


def without_usage(request: Request) -> Reply:  # noqa: ARG001
    return says("no counts", usage=None)


def test_a_limit_that_cannot_be_watched_ends_the_run_at_the_first_answer(money: CommandLine) -> None:
    with BillingServer(without_usage) as server:
        shown = play(money, server, "--max-cost", "1")
        assert shown.code == 2
        assert "cannot be watched" in shown.err
        assert len(server.requests) <= 1


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--base-url", "http://localhost:1/v1"], "--max-cost cannot be watched: the price of m is not known; give "
         "--price-input and --price-output, in US dollars per million tokens"),
        (["--base-url", "http://localhost:1/v1", *PRICES, "--judge-model", "j", "--judge-base-url", "http://localhost:1/v1"],
         "--max-cost cannot be watched: the price of the judge j is not known; give --judge-price-input and "
         "--judge-price-output, in US dollars per million tokens"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_a_limit_without_a_price_is_refused_before_anything_starts(
    money: CommandLine, flags: list[str], message: str, dry: list[str]
) -> None:
    shown = money.eval("--agent", "openai", "--model", "m", "--max-cost", "1", *flags, *dry)
    assert (shown.code, shown.error) == (2, f"gitgoodbench: {message}")


def trajectory(command: CommandLine, sample: str) -> list[dict[str, Any]]:
    path = run_of(command) / f"samples/mcr/{sample}/1/trajectory.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_what_belongs_to_no_episode_is_in_the_account_too(money: CommandLine) -> None:
    with BillingServer(working()) as server:
        play(money, server)
    preflights = read_account(run_of(money) / "ledger.jsonl").total(role=PREFLIGHT)
    assert preflights.answers == len(server.preflights)


def test_show_says_what_an_episode_and_a_run_cost(money: CommandLine) -> None:
    with BillingServer(failing(working(), every(4, lambda: fault.status(503)))) as server:
        play(money, server)
    listed = money("show", run_of(money)).out.rstrip("\n").split("\n")
    assert listed[-1].startswith(f"cost of the run: ${server.billed:.2f} (agent $1.65, preflight $")
    shown = money("show", run_of(money), "s1").out
    assert "\ncost: $0.33 (agent $0.33, judges $0.00); 4 requests\n" in shown


def test_a_run_of_before_there_were_ledgers_goes_on_with_what_it_had_spent(money: CommandLine) -> None:
    with BillingServer(working()) as server:
        play(money, server, "--sample", "s[01]")
        ledger = run_of(money) / "ledger.jsonl"
        spent = account_of(run_of(money)).cost_usd - read_account(ledger).total(role=PREFLIGHT).cost_usd
        ledger.unlink()
        shutil.rmtree(money.results()[0].parent)
        left = spent / 2
        assert money("resume", run_of(money)).code == 0
    assert account_of(run_of(money)).cost_usd == pytest.approx(left + 3 * ANSWER + len(server.preflights) * ANSWER / 2)
    assert next(read_ledger(ledger)).event == "carried"


def test_what_judges_were_asked_and_said_is_on_record_line_by_line(money: CommandLine) -> None:
    with BillingServer(judging) as server:
        judge(money, server, "--judge-model", "judge-a", "--judge-model", "mute")
    (path,) = run_of(money).glob("samples/mcr/s0/1/judging.jsonl")
    said = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    prompts = json.loads((path.parent / "judge-prompts.json").read_bytes())
    told = [line["message"] for line in said if line["kind"] == "message"]
    assert all(message in told for order in ("agent_first", "real_first") for message in prompts[order])
    answers = [line for line in said if line["kind"] == "answer"]
    assert [answer["conversation"] for answer in answers] == [
        "judge-a agent_first 1", "judge-a real_first 1",
        "mute agent_first 1", "mute agent_first 1", "mute real_first 1", "mute real_first 1",
    ]  # fmt: skip
    assert [answer["cost_usd"] for answer in answers] == [pytest.approx(ANSWER)] * 6
    for name, lines in (("trajectory", said), ("ledger", ledger_lines(run_of(money)))):
        schema = jsonschema.Draft202012Validator(json.loads(shipped(name)))
        for line in lines:
            schema.validate(line)


def ledger_lines(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]
