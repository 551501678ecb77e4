"""What cannot go on: the client is told by 402, the program is interrupted, and why is the host's word."""

from __future__ import annotations

import json
import threading
import time

import pytest

from gitgoodbench.errors import CostLimitReached, InfrastructureFailed, LimitReached, RunAborted
from gitgoodbench.models.meter import Budget, TimeIsUp
from gitgoodbench.models.recording import Fate
from tests.support.bridge_clients import APIS, Bridged, answer, bridge_to, question
from tests.support.listening import Listener
from tests.support.llm_reply import Reply
from tests.support.scripted_llm import Request, fault


def _interrupted(bridge: Bridged) -> bool:
    deadline = time.monotonic() + 10
    while not bridge.interruptions and time.monotonic() < deadline:
        time.sleep(0.01)
    return bridge.interruptions == ["interrupted"]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("budget", "reached"),
    [
        (Budget(max_turns=1), "turn limit: 1 of 1 answers"),
        (Budget(max_tokens=110), "token limit: 110 of 110 tokens"),
        (Budget(max_cost_usd=0.00012), "cost limit: $0.0001 of $0.0001"),
    ],
)
def test_a_spent_budget_is_told_and_ends_the_program(api: str, budget: Budget, reached: str) -> None:
    with bridge_to([answer(api)], budget) as bridge:
        assert bridge.post(api, question(api))[0] == 200
        for _ in range(2):
            status, body = bridge.post(api, question(api, streamed=True))
            assert status == 402
            error = json.loads(body)["error"]
            assert error["message"] == f"no further answer: {reached}"
            assert error["type"] == ("billing_error" if api == "anthropic" else "insufficient_quota")
        assert _interrupted(bridge)
        assert isinstance(bridge.endpoint.ending, LimitReached)
        assert len(bridge.server.requests) == 1


def test_what_is_under_way_is_reserved() -> None:
    asked, go = threading.Semaphore(0), threading.Event()

    def script(_: Request) -> Reply:
        asked.release()
        assert go.wait(20)
        return answer("chat")

    with bridge_to(script, Budget(max_turns=2)) as bridge:
        statuses: list[int] = []
        threads = [
            threading.Thread(target=lambda: statuses.append(bridge.post("chat", question("chat"))[0])) for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        assert asked.acquire(timeout=20)
        assert asked.acquire(timeout=20)
        assert not asked.acquire(timeout=0.3)
        go.set()
        for thread in threads:
            thread.join()
        assert sorted(statuses) == [200, 200, 402, 402, 402, 402]
        assert (len(bridge.server.requests), bridge.meter.turns) == (2, 2)


def test_the_money_of_the_run_is_watched_by_its_recorder() -> None:
    with bridge_to([answer("chat")], recorder=Listener(allowed=1)) as bridge:
        assert [bridge.post("chat", question("chat"))[0] for _ in range(2)] == [200, 402]
        assert isinstance(bridge.endpoint.ending, CostLimitReached)
        assert _interrupted(bridge)


@pytest.mark.parametrize("broken", [fault.status(500), fault.rate_limit("0"), fault.drop(), fault.html()])
def test_a_provider_that_stays_broken_is_no_fault_of_the_program(broken: Reply) -> None:
    with bridge_to(lambda _: broken) as bridge:
        assert bridge.post("chat", question("chat"))[0] == 402
        assert isinstance(bridge.endpoint.ending, InfrastructureFailed)
        assert str(bridge.endpoint.ending).endswith("tried 6 times")
        assert len(bridge.server.requests) == 6
        assert _interrupted(bridge)


def test_a_rejected_key_ends_the_run() -> None:
    with bridge_to([fault.rejected_key()]) as bridge:
        status, body = bridge.post("chat", question("chat"))
        assert status == 402
        assert b"rejects the API key" in body
        assert type(bridge.endpoint.ending) is RunAborted


def test_time_that_runs_out_while_the_model_answers_is_the_limit_of_the_episode() -> None:
    books = Listener()
    with bridge_to([fault.hang(20)], Budget(timeout_s=1.0), recorder=books) as bridge:
        assert bridge.post("chat", question("chat"))[0] == 402
        assert isinstance(bridge.endpoint.ending, TimeIsUp)
    assert [told.fate for told in books.told] == [Fate.LOST]


def test_a_server_that_is_slow_for_ever_is_tried_again_and_then_given_up() -> None:
    with bridge_to(lambda _: fault.drip(0.3), request_timeout_s=0.2) as bridge:
        assert bridge.post("chat", question("chat"))[0] == 402
        assert isinstance(bridge.endpoint.ending, InfrastructureFailed)
        assert "no answer within 0.2 s; tried 6 times" in str(bridge.endpoint.ending)


def test_streams_that_always_break_off_end_it() -> None:
    whole = answer("chat", "A long text that is never heard.", streamed=True)
    half = Reply(whole.body, content_type=whole.content_type, drop_after=len(whole.body) // 2)
    with bridge_to(lambda _: half) as bridge:
        for _ in range(5):
            bridge.raw(_request(question("chat", streamed=True)))
        assert isinstance(bridge.endpoint.ending, InfrastructureFailed)
        assert "broke off" in str(bridge.endpoint.ending)
        assert bridge.post("chat", question("chat"))[0] == 402


def test_a_lost_relay_ends_it_at_once() -> None:
    with bridge_to([]) as bridge:
        bridge.endpoint.lose("the relay in the sandbox is gone")
        assert _interrupted(bridge)
        assert isinstance(bridge.endpoint.ending, InfrastructureFailed)


def _request(body: object) -> bytes:
    data = json.dumps(body).encode()
    return b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n%b" % (len(data), data)
