"""How many requests go to a server at once."""

from __future__ import annotations

import threading

from gitgoodbench.models.connections import Connections, connections_to
from tests.support.model_agent import play
from tests.support.scripted_llm import calls, fault

LINES = [calls("write_line", text=text) for text in "abc"]


def test_no_more_than_the_limit_are_under_way() -> None:
    connections = Connections(2)
    busy, most, lock = [0], [0], threading.Lock()

    def work() -> None:
        connections.enter()
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        with lock:
            busy[0] -= 1
        connections.leave(limited=False, served=True)

    threads = [threading.Thread(target=work) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= most[0] <= 2


def test_the_limit_halves_when_a_server_has_too_much_and_grows_back_with_answers() -> None:
    connections = Connections(8)
    for _ in range(8):
        connections.enter()
    connections.leave(limited=True, served=False)
    assert connections.limit == 4.0
    for _ in range(4):
        connections.leave(limited=False, served=True)
    assert 4.8 < connections.limit < 5.0
    for _ in range(100):
        connections.enter()
        connections.leave(limited=False, served=True)
    assert connections.limit == 8.0


def test_without_a_limit_there_is_one_after_a_429_and_never_less_than_one() -> None:
    connections = Connections()
    assert connections.limit == float("inf")
    for _ in range(5):
        connections.enter()
    connections.leave(limited=True, served=False)
    assert connections.limit == 2.5
    for _ in range(4):
        connections.leave(limited=True, served=False)
    assert connections.limit == 1.0


def test_a_429_of_a_server_lowers_the_limit_of_its_model() -> None:
    connections = Connections(4)
    play([fault.rate_limit("0"), *LINES], connections=connections)
    assert 1.0 < connections.limit < 4.0


def test_whoever_asks_the_same_server_shares_its_connections() -> None:
    assert connections_to("http://a/v1", 3) is connections_to("http://a/v1", 3)
    assert connections_to("http://a/v1", 3) is not connections_to("http://b/v1", 3)
