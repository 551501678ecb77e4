"""How a pool meets its cluster: it waits for workers, and says in one line what is not there."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from gitgoodbench.clusters.backends import Backend, Workers
from gitgoodbench.clusters.pools import _DaskPool, open_pool
from gitgoodbench.errors import UserError

ADDRESS = "tcp://127.0.0.1:8786"


class Client:
    """A client of a Dask cluster that gets so many workers once somebody waits for them."""

    scheduler = SimpleNamespace(address=ADDRESS)

    def __init__(self, coming: int) -> None:
        self._coming = coming
        self._threads: dict[str, int] = {}

    def wait_for_workers(self, count: int, timeout: float) -> None:
        if self._coming < count:
            raise TimeoutError(f"only {self._coming} workers after {timeout} s")
        self._threads = {f"worker-{number}": 1 for number in range(self._coming)}

    def nthreads(self) -> dict[str, int]:
        return self._threads


def test_workers_that_are_just_starting_are_waited_for() -> None:
    assert _DaskPool(Client(2), Workers(Backend.DASK, cluster=ADDRESS)).size == 2


def test_a_scheduler_without_workers_is_refused_with_what_to_do() -> None:
    with pytest.raises(UserError, match=rf"the Dask cluster at {ADDRESS} has no workers: start some, and try again"):
        _DaskPool(Client(0), Workers(Backend.DASK, cluster=ADDRESS))


def test_a_ray_node_that_is_dead_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def init(**_: Any) -> None:
        raise Exception("The current node timed out during startup.\n\n  This could happen because a component failed.")

    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False, init=init))
    with pytest.raises(UserError) as refused, open_pool(Workers(Backend.RAY, cluster="10.0.0.1:6379")):
        pass
    assert str(refused.value) == (
        "no Ray cluster answers at 10.0.0.1:6379: The current node timed out during startup. "
        "This could happen because a component failed."
    )
