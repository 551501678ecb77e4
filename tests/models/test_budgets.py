"""Each limit of an episode ends it as limit_reached and says which it was."""

from __future__ import annotations

import itertools
from concurrent.futures import Future

import pytest

from gitgoodbench.errors import LimitReached, RunAborted, Status
from gitgoodbench.models.endpoint import wait_for
from gitgoodbench.models.meter import Budget, Meter, TimeIsUp, Tokens
from gitgoodbench.models.pricing import Price
from tests.support.fake_episode import FakeEpisode
from tests.support.model_agent import Played, play
from tests.support.scripted_llm import Call, calls, calls_all, fault, replies

LOOK = calls("read_file")
PRICE = Price(input=1000.0, cached_input=500.0, output=2000.0)


def test_turns() -> None:
    played = play([LOOK] * 9, budget=Budget(max_turns=4))
    _assert_limit(played, "turn limit: 4 of 4 answers", requests=4)
    assert played.results == ["the file"] * 4


def test_the_last_turn_may_finish_the_work() -> None:
    played = play([LOOK, calls("finish", message="done")], budget=Budget(max_turns=2))
    assert played.trajectory.status is Status.COMPLETED


def test_tokens_of_prompt_and_completion_together() -> None:
    _assert_limit(play([LOOK] * 9, budget=Budget(max_tokens=330)), "token limit: 330 of 330 tokens", requests=3)
    _assert_limit(play([LOOK] * 9, budget=Budget(max_tokens=331)), "token limit: 440 of 331 tokens", requests=4)


def test_cost() -> None:
    played = play([LOOK] * 9, budget=Budget(max_cost_usd=0.25), price=PRICE)
    _assert_limit(played, "cost limit: $0.3000 of $0.2500", requests=3)
    assert played.trajectory.usage.cost_usd == pytest.approx(0.3, rel=1e-12)


def test_a_cost_limit_without_a_price_stops_the_run_before_anything_is_spent() -> None:
    with pytest.raises(RunAborted, match=r"needs the price of .gpt-4o.*--price-input and --price-output"):
        play([LOOK], budget=Budget(max_cost_usd=1.0))


def test_a_limit_that_cannot_be_watched_is_noted() -> None:
    blind = replies(None, [Call.of("finish", message="m")], usage=None)
    played = play(
        [replies(None, [Call.of("read_file")], usage=None), blind],
        budget=Budget(max_tokens=5, max_cost_usd=1.0),
        price=PRICE,
    )
    assert played.trajectory.status is Status.COMPLETED
    assert played.trajectory.notes == (
        "token limit not watched: the server does not report what it used",
        "cost limit not watched: the server does not report what it used, or there is no price",
    )


def test_wall_time_between_requests() -> None:
    now = [0.0]

    class Slow(FakeEpisode):
        def read_file(self) -> str:
            """Take ten seconds."""
            now[0] += 10.0
            return "slow"

    played = play([LOOK] * 9, episode=Slow(), budget=Budget(timeout_s=30), clock=lambda: now[0])
    _assert_limit(played, "time limit: 30 s", requests=3)


def test_time_that_runs_out_at_any_moment_ends_the_episode_all_the_same() -> None:
    for step in range(1, 12):
        clock = itertools.count(0, step)
        played = play([LOOK] * 9, budget=Budget(timeout_s=20), clock=lambda ticks=clock: float(next(ticks)))
        assert played.trajectory.status is Status.LIMIT_REACHED
        assert (played.trajectory.error or "").startswith("time limit: ")


def test_wall_time_cuts_a_hanging_request() -> None:
    played = play([LOOK, fault.hang()], budget=Budget(timeout_s=200))
    _assert_limit(played, "time limit: it ran out while the model was answering", requests=2)
    assert played.waits == []


def test_wall_time_cuts_a_dripping_reply() -> None:
    _assert_limit(
        play([fault.drip(60)], budget=Budget(timeout_s=200)),
        "time limit: it ran out while the model was answering",
        requests=1,
    )


def test_waiting_for_an_answer_ends_when_its_time_is_up() -> None:
    with pytest.raises(TimeoutError):
        wait_for(Future(), 0.001)


def test_wall_time_ends_a_row_of_tool_calls() -> None:
    now = [0.0]

    class Slow(FakeEpisode):
        def read_file(self) -> str:
            """Take 60 seconds."""
            now[0] += 60
            return "slow"

    calls_of_a_turn = calls_all(*[Call.of("read_file")] * 50)
    played = play([calls_of_a_turn], episode=Slow(), budget=Budget(timeout_s=300), clock=lambda: now[0])
    _assert_limit(played, "time limit: 300 s", requests=1)
    assert len(played.results) == 5


def test_time_spent_on_a_broken_server_is_not_the_models_fault() -> None:
    played = play([fault.rate_limit("60")], budget=Budget(timeout_s=30))
    assert played.trajectory.status is Status.INFRASTRUCTURE_FAILED
    assert played.trajectory.error == "HTTP 429: Rate limit reached for requests; no time left to try again"
    assert played.waits == []
    played = play([fault.status(500), fault.hang()], budget=Budget(timeout_s=200), sleep=lambda _: None)
    assert played.trajectory.status is Status.INFRASTRUCTURE_FAILED
    assert played.trajectory.error == "HTTP 500: status 500; no time left to try again"


def test_no_limit_is_no_limit() -> None:
    script = [LOOK] * 60 + [calls("finish", message="m")]
    played = play(script, budget=Budget(None, None, None, None))
    assert played.trajectory.status is Status.COMPLETED
    assert played.trajectory.turns == 61


def test_a_meter_names_the_limit_that_is_used_up() -> None:
    now = [0.0]
    meter = Meter(Budget(max_turns=9, max_tokens=10, timeout_s=5.0), clock=lambda: now[0])
    meter.check()
    assert meter.seconds_left() == 5.0
    meter.count(Tokens(prompt=8, cached=None, completion=2))
    with pytest.raises(LimitReached, match=r"^token limit: 10 of 10 tokens$"):
        meter.check()
    now[0] = 5.0
    with pytest.raises(TimeIsUp, match=r"^time limit: 5 s$"):
        meter.check()


@pytest.mark.parametrize(
    ("budget", "reached"),
    [
        (Budget(max_turns=3), "turn limit: 1 of 3 answers"),
        (Budget(max_tokens=30), "token limit: 10 of 30 tokens"),
        (Budget(max_cost_usd=0.06), r"cost limit: \$0.0200 of \$0.0600"),
    ],
)
def test_answers_that_are_under_way_count_as_much_as_the_dearest(budget: Budget, reached: str) -> None:
    meter = Meter(budget, Price(input=2000.0, cached_input=2000.0, output=2000.0))
    meter.count(Tokens(prompt=8, completion=2))
    meter.check(1)
    with pytest.raises(LimitReached, match=reached):
        meter.check(2)


def _assert_limit(played: Played, error: str, *, requests: int) -> None:
    assert played.trajectory.status is Status.LIMIT_REACHED
    assert played.trajectory.error == error
    assert len(played.requests) == requests
