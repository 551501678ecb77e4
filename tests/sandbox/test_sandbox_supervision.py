"""The bond between a sandbox and its supervisor: closing, interrupting, losing it, and a system other than Linux."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.sandbox import supervised
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


def test_a_sandbox_dies_with_its_supervisor(local_provider: LocalProvider) -> None:
    with local_provider.open(run_id="tests", episode_id="lost") as sandbox:
        os.kill(supervisor_pid(sandbox), signal.SIGKILL)

        for _ in range(2):
            with pytest.raises(SandboxDied, match=r"the supervisor is gone|Broken pipe|reset"):
                sandbox.exec(["echo", "here"])
        with pytest.raises(SandboxDied):
            sandbox.put("file", b"here")


def test_a_command_that_ends_its_supervisor_has_no_result(local_provider: LocalProvider) -> None:
    with local_provider.open(run_id="tests", episode_id="killer") as sandbox, pytest.raises(SandboxDied):
        sandbox.exec(["sh", "-c", "kill -9 $PPID; sleep 600"])


def test_the_program_of_a_supervisor_does_not_stand_in_its_arguments(provider: SandboxProvider) -> None:
    with provider.open(run_id="tests", episode_id="arguments") as sandbox:
        arguments = sandbox.exec(["sh", "-c", "ps -o args= -p $PPID || cat /proc/$PPID/cmdline"]).stdout

    assert b"-I" in arguments
    assert len(arguments) < 1000
    assert b"Supervisor" not in arguments


def test_an_interrupted_call_ends_its_command_and_the_next_one_runs(provider: SandboxProvider) -> None:
    with provider.open(run_id="tests", episode_id="interrupted") as sandbox:
        main = threading.get_ident()
        threading.Timer(0.5, signal.pthread_kill, (main, signal.SIGINT)).start()

        with pytest.raises(KeyboardInterrupt):
            sandbox.exec(["sh", "-c", "echo $$ > pid; sleep 600"])

        assert sandbox.exec(["sh", "-c", "kill -0 $(cat pid)"]).returncode != 0


def test_a_supervisor_ends_what_it_runs_when_the_harness_is_gone(local_provider: LocalProvider) -> None:
    with local_provider.open(run_id="tests", episode_id="gone") as sandbox:
        assert sandbox._channel is not None
        threading.Timer(0.5, sandbox._channel.close).start()

        with pytest.raises(SandboxDied):
            sandbox.exec(["sh", "-c", "setsid sleep 600 & echo $! > pid; sleep 600"])

        assert ends(int((Path(sandbox.work_dir) / "pid").read_text()))


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
    make_program: Callable[..., bytes] = supervised.supervisor_program

    def patched(settings: Any) -> bytes:
        text = make_program(settings).partition(b"\n")[2].decode()
        for old, new in (
            ("_prctl(_PR_SET_CHILD_SUBREAPER, 1)", "False"),
            ('os.listdir(\\"/proc\\")', "[]"),
            ('hasattr(os, \\"memfd_create\\")', "False"),
        ):
            assert old in text
            text = text.replace(old, new)
        return b"%d\n%b" % (len(text), text.encode())

    monkeypatch.setattr(supervised, "supervisor_program", patched)


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
