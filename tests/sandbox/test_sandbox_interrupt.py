"""A command that another thread ends: it alone ends, and what it left in the work folder stays."""

from __future__ import annotations

import threading
import time

from gitgoodbench.sandbox.base import Interruptible, SandboxProvider


def test_an_interrupted_command_ends_alone(provider: SandboxProvider) -> None:
    with provider.open(run_id="interrupt", episode_id="1") as sandbox:
        assert isinstance(sandbox, Interruptible)
        sandbox.interrupt()
        timer = threading.Timer(0.5, sandbox.interrupt)
        timer.start()
        begun = time.monotonic()
        result = sandbox.exec(["sh", "-c", "echo before; echo kept > file; sleep 60; echo after"])
        seconds = time.monotonic() - begun
        timer.join()
        sandbox.interrupt()

        assert (result.timed_out, result.stdout) == (True, b"before\n")
        assert seconds < 20
        assert sandbox.get("file", limit=100) == b"kept\n"
        assert sandbox.exec(["echo", "next"]).stdout == b"next\n"


def test_interruptions_at_any_moment_break_nothing(provider: SandboxProvider) -> None:
    with provider.open(run_id="interrupt", episode_id="2") as sandbox:
        assert isinstance(sandbox, Interruptible)
        stop = threading.Event()

        def interrupt() -> None:
            while not stop.wait(0.003):
                sandbox.interrupt()

        thread = threading.Thread(target=interrupt)
        thread.start()
        try:
            results = [sandbox.exec(["cat"], stdin=bytes(300_000)) for _ in range(30)]
        finally:
            stop.set()
            thread.join()

        assert all(result.timed_out or len(result.stdout) == 300_000 for result in results)
        assert sandbox.exec(["echo", "still"]).stdout == b"still\n"
