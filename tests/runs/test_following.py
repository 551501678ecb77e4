"""Work that is followed: its results, its errors, and leaving it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from gitgoodbench.following import Following


def test_results_come_in_their_order_and_an_error_after_them() -> None:
    def work() -> Iterator[int]:
        yield 1
        yield 2
        raise LookupError("no third")

    seen: list[int] = []
    with pytest.raises(LookupError, match="no third"):
        seen.extend(Following(work()))
    assert seen == [1, 2]


def test_who_follows_can_leave_work_that_never_ends() -> None:
    def work() -> Iterator[int]:
        yield 1
        threading.Event().wait()
        yield 2

    following = Following(work())
    threading.Timer(0.05, following.leave).start()
    assert list(following) == [1]


COMPILER = """
import ctypes, sys
from gitgoodbench.following import Following
def work():
    print("busy", flush=True)
    ctypes.CDLL(None).sleep(100000)
    yield 1
try:
    list(Following(work()))
except KeyboardInterrupt:
    print("left", flush=True)
    import os; os._exit(0)
"""


def test_a_signal_is_answered_while_the_work_is_in_c() -> None:
    argv = [sys.executable, "-c", COMPILER]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "busy\n"
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=600)
    assert (process.returncode, out) == (0, "left\n")
