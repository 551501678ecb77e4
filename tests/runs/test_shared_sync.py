"""Threads that wait for the disk at the same time share one sync."""

from __future__ import annotations

import threading

import pytest

from gitgoodbench.files import SharedSync


def test_those_who_wait_meanwhile_share_the_next_sync() -> None:
    begun, go = threading.Semaphore(0), threading.Event()
    written: list[int] = []
    seen: list[list[int]] = []

    def sync() -> None:
        seen.append(list(written))
        begun.release()
        assert go.wait(20)

    shared = SharedSync(sync)

    def write(number: int) -> None:
        written.append(number)
        shared()
        assert any(number in each for each in seen)

    first = threading.Thread(target=write, args=(0,))
    first.start()
    assert begun.acquire(timeout=20)
    others = [threading.Thread(target=write, args=(number,)) for number in range(1, 9)]
    for thread in others:
        thread.start()
    while len(written) < 9:
        threading.Event().wait(0.01)
    go.set()
    for thread in (first, *others):
        thread.join(20)
    assert seen[0] == [0]
    assert sorted(seen[-1]) == list(range(9))
    assert len(seen) < 9


def test_a_sync_that_failed_fails_for_good() -> None:
    calls: list[int] = []

    def sync() -> None:
        calls.append(1)
        raise OSError(5, "I/O error")

    shared = SharedSync(sync)
    for _ in range(2):
        with pytest.raises(OSError, match="I/O error"):
            shared()
    assert calls == [1]
