"""The bond between a sandbox and its supervisor: closing, replacing, and doing without what only Linux has."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from gitgoodbench.sandbox import local, supervised
from gitgoodbench.sandbox.base import SandboxDied, SandboxProvider
from gitgoodbench.sandbox.local import LocalProvider, LocalSandbox


def supervisor_pid(sandbox: LocalSandbox) -> int:
    return int(sandbox.exec(["sh", "-c", "echo $PPID"]).stdout)


def test_closing_from_another_thread_ends_a_running_command(provider: SandboxProvider) -> None:
    sandbox = provider.open(run_id="tests", episode_id="given-up")
    closer = threading.Timer(0.5, sandbox.close)
    closer.start()

    with pytest.raises(SandboxDied):
        sandbox.exec(["sleep", "600"])

    closer.join()


def test_a_supervisor_that_died_while_idle_is_replaced_and_the_command_runs(
    local_provider: LocalProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised, "_IDLE_S", 0.0)
    with local_provider.open(run_id="tests", episode_id="idle") as sandbox:
        os.kill(supervisor_pid(sandbox), signal.SIGKILL)

        assert sandbox.exec(["echo", "here"]).stdout == b"here\n"
        os.kill(supervisor_pid(sandbox), signal.SIGKILL)
        sandbox.put("file", b"here")
        assert sandbox.get("file", limit=10) == b"here"


def test_an_interrupted_call_ends_its_command_and_the_next_one_runs(local_provider: LocalProvider) -> None:
    with local_provider.open(run_id="tests", episode_id="interrupted") as sandbox:
        main = threading.get_ident()
        threading.Timer(0.5, signal.pthread_kill, (main, signal.SIGINT)).start()

        with pytest.raises(KeyboardInterrupt):
            sandbox.exec(["sh", "-c", "echo $$ > pid; sleep 600"])

        assert sandbox.exec(["sh", "-c", "kill -0 $(cat pid)"]).returncode != 0


def test_a_supervisor_ends_what_it_runs_when_the_harness_is_gone(local_provider: LocalProvider) -> None:
    with local_provider.open(run_id="tests", episode_id="gone") as sandbox:
        channel = sandbox._live()
        threading.Timer(0.5, channel.close).start()

        assert sandbox.exec(["sh", "-c", "setsid sleep 600 & echo $! > pid; sleep 600"]).returncode == -9

        assert sandbox.exec(["sh", "-c", "kill -0 $(cat pid)"]).returncode != 0


def ends(pid: int) -> bool:
    """Whether a process ends soon. A zombie has ended: whoever adopted it may take its time to collect it."""
    for _ in range(200):
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False).stdout
        if state.strip() == b"" or state.startswith(b"Z"):
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def without_subreaper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Supervisors as on macOS: orphans are out of their sight, and there is neither /proc nor an unnamed file."""
    make_argv: Callable[..., list[str]] = supervised.supervisor_argv

    def patched(*arguments: Any, **options: Any) -> list[str]:
        text = "\0".join(make_argv(*arguments, **options))
        for old, new in (
            ("_prctl(_PR_SET_CHILD_SUBREAPER, 1)", "False"),
            ('os.listdir(\\"/proc\\")', "[]"),
            ('hasattr(os, \\"memfd_create\\")', "False"),
        ):
            assert old in text
            text = text.replace(old, new)
        return text.split("\0")

    monkeypatch.setattr(local, "supervisor_argv", patched)


@pytest.mark.usefixtures("without_subreaper")
def test_without_a_subreaper_the_process_group_ends(local_provider: LocalProvider) -> None:
    with local_provider.open(run_id="tests", episode_id="group") as sandbox:
        left = sandbox.exec(["sh", "-c", "sleep 600 & echo $!"])
        assert ends(int(left.stdout))

        timed_out = sandbox.exec(["sh", "-c", "sleep 600 & echo $!; sleep 600"], timeout_s=0.5)
        assert (timed_out.returncode, timed_out.timed_out) == (-9, True)
        assert ends(int(timed_out.stdout))
        assert sandbox.exec(["cat"], stdin=b"x" * 1_000_000).stdout == b"x" * 1_000_000


@pytest.mark.usefixtures("without_subreaper")
def test_without_a_subreaper_a_process_that_got_away_delays_nothing(local_provider: LocalProvider) -> None:
    with local_provider.open(run_id="tests", episode_id="got-away") as sandbox:
        result = sandbox.exec(
            ["sh", "-c", "(setsid sh -c 'echo $$ > pid; exec sleep 600' &); while ! test -s pid; do :; done"]
        )

        assert result.returncode == 0
        os.kill(int(sandbox.get("pid", limit=20)), signal.SIGKILL)
