"""Commands on this machine: exactly what they print, and an end for what prints, waits or runs too long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gitgoodbench import limits
from gitgoodbench.git import executor
from gitgoodbench.git.executor import HOST, ExecResult
from gitgoodbench.limits import MIB, LimitExceeded, Limits

HELD = Limits(cpu_s=10**8, output=1000)
"""No less than this machine has: limits of processor time stay with the process that runs the tests."""

MOST_COMPLAINTS = 1024 * 1024


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits._Current, "limits", HELD)


def shell(script: str, *arguments: str) -> list[str]:
    return ["sh", "-c", script, *arguments]


def python(program: str) -> list[str]:
    return [sys.executable, "-S", "-c", program]


def test_output_errors_and_exit_code_are_told_apart() -> None:
    assert HOST.exec(shell("printf out; printf err >&2; exit 7")) == ExecResult(7, b"out", b"err")
    assert HOST.exec(shell("kill -9 $$")) == ExecResult(-signal.SIGKILL)
    assert HOST.exec(["true"]) == ExecResult(0, b"", b"", timed_out=False, truncated=False)


def test_a_command_that_is_not_there_is_an_error_of_the_system() -> None:
    with pytest.raises(FileNotFoundError):
        HOST.exec(["no-such-command-anywhere"])


def test_input_larger_than_a_pipe_comes_back_whole() -> None:
    data = os.urandom(3 * MIB)
    assert HOST.exec(["cat"], stdin=data) == ExecResult(0, data)


def test_whoever_does_not_read_its_input_is_no_failure() -> None:
    assert HOST.exec(["true"], stdin=b"x" * MIB) == ExecResult(0)
    assert HOST.exec(shell("head -c 3; exec 0<&-; sleep 0.05; printf end"), stdin=b"abc" * MIB).stdout == b"abcend"


def test_without_input_a_command_reads_its_end() -> None:
    assert HOST.exec(["cat"]) == ExecResult(0)
    assert HOST.exec(["cat"], stdin=b"") == ExecResult(0)


def test_a_command_has_the_folder_and_the_environment_it_is_given_and_no_other(tmp_path: Path) -> None:
    env = {"PATH": os.defpath, "ONLY": "this"}
    assert HOST.exec(["/usr/bin/env"], env=env).stdout == b"PATH=%b\nONLY=this\n" % os.defpath.encode()
    assert HOST.exec(shell("pwd -P"), cwd=tmp_path.as_posix()).stdout == b"%b\n" % bytes(tmp_path.resolve())
    assert HOST.exec(shell('printf %s "$HOME"')).stdout == os.environ.get("HOME", "").encode()


@pytest.mark.parametrize(("limit", "kept", "truncated"), [(0, b"", True), (4, b"1234", True), (5, b"12345", False)])
def test_output_beyond_the_limit_is_dropped_and_told(limit: int, kept: bytes, truncated: bool) -> None:
    assert HOST.exec(["printf", "12345"], output_limit=limit) == ExecResult(0, kept, truncated=truncated)


def test_the_limit_counts_all_pieces_and_only_output() -> None:
    found = HOST.exec(
        python("import sys; sys.stdout.write('o' * 2_000_000); sys.stderr.write('e' * 9)"), output_limit=1_500_000
    )
    assert found == ExecResult(0, b"o" * 1_500_000, b"e" * 9, truncated=True)


def test_of_complaints_a_mebibyte_is_kept() -> None:
    found = HOST.exec(python(f"import sys; sys.stderr.write('x' * {MOST_COMPLAINTS} + 'y')"))
    assert (len(found.stderr), set(found.stderr), found.truncated) == (MOST_COMPLAINTS, {ord("x")}, False)


def test_when_the_time_is_up_the_whole_group_is_killed(tmp_path: Path) -> None:
    start = time.monotonic()
    found = HOST.exec(shell(f"printf begun; sleep 60 & echo $! > {tmp_path}/pid; wait"), timeout_s=0.3)
    assert time.monotonic() - start < 30
    assert found == ExecResult(-signal.SIGKILL, b"begun", timed_out=True)
    assert _ends(int((tmp_path / "pid").read_text()))


def test_time_passes_for_a_command_that_has_closed_its_output(tmp_path: Path) -> None:
    found = HOST.exec(shell(f"echo $$ > {tmp_path}/pid; exec >&- 2>&-; exec sleep 60"), timeout_s=0.3)
    assert (found.returncode, found.timed_out) == (-signal.SIGKILL, True)
    assert _ends(int((tmp_path / "pid").read_text()))


def test_a_command_within_its_time_is_not_late() -> None:
    assert HOST.exec(shell("sleep 0.05; printf done"), timeout_s=60) == ExecResult(0, b"done")
    assert HOST.exec(shell("exec >&- 2>&-; sleep 0.05"), timeout_s=60) == ExecResult(0)


def test_what_comes_after_the_time_does_not_count() -> None:
    assert HOST.exec(shell("sleep 0.4; printf late"), timeout_s=0.1) == ExecResult(-signal.SIGKILL, timed_out=True)
    found = HOST.exec(shell("exec >&- 2>&-; sleep 0.4"), timeout_s=0.1)
    assert found == ExecResult(-signal.SIGKILL, timed_out=True)


def test_a_pipe_that_is_full_after_all_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    write, refusals = executor._write, iter([True, False])

    def refusing(pipe: int, data: memoryview) -> int:
        if next(refusals, False):
            raise BlockingIOError
        return write(pipe, data)

    monkeypatch.setattr(executor, "_write", refusing)
    assert HOST.exec(["cat"], stdin=b"abc") == ExecResult(0, b"abc")


def test_ending_what_has_ended_is_no_failure() -> None:
    with subprocess.Popen(["true"], start_new_session=True) as process:
        process.wait()
    executor._kill(process)
    assert process.returncode == 0


def test_a_command_leads_a_group_of_its_own() -> None:
    group = int(HOST.exec(python("import os; print(os.getsid(0), end='')")).stdout)
    assert group != os.getsid(0)


def test_an_exception_meanwhile_ends_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr(executor, "_exchange", interrupted)
    with pytest.raises(KeyboardInterrupt):
        HOST.exec(shell(f"echo $$ > {tmp_path}/pid; exec sleep 60"))
    assert _ends(int((tmp_path / "pid").read_text()))


@pytest.mark.usefixtures("held")
def test_in_a_held_process_too_much_output_is_a_limit_that_is_exceeded() -> None:
    assert HOST.exec(["printf", "%1000s", "x"]).stdout == b" " * 999 + b"x"
    with pytest.raises(LimitExceeded, match=r"^git %1001s prints more than the limit of 0 MiB$"):
        HOST.exec(["printf", "%1001s", "x"])


@pytest.mark.usefixtures("held")
def test_in_a_held_process_a_limit_that_the_caller_sets_only_cuts() -> None:
    assert HOST.exec(["printf", "12345"], output_limit=4) == ExecResult(0, b"1234", truncated=True)
    assert len(HOST.exec(["printf", "%2000s", "x"], output_limit=5000).stdout) == 2000


@pytest.mark.usefixtures("held")
def test_in_a_held_process_what_the_system_ended_is_a_limit_that_is_exceeded() -> None:
    for script, limit in (
        ("kill -XCPU $$", "processor time"),
        ("kill -XFSZ $$", "makes a file larger"),
        ("echo 'fatal: Out of memory, malloc failed' >&2; exit 128", "512 MiB of memory"),
    ):
        with pytest.raises(LimitExceeded, match=limit):
            HOST.exec(shell(script))
    assert HOST.exec(shell("echo 'Out of memory' >&2")).returncode == 0  # what succeeds is no failure, whatever it says
    assert HOST.exec(shell("exit 3")).returncode == 3


@pytest.mark.usefixtures("held")
def test_in_a_held_process_a_command_stays_in_its_group_and_is_held_too() -> None:
    program = "import os, resource; print(os.getpgid(0), *resource.getrlimit(resource.RLIMIT_DATA))"
    group, *memory = HOST.exec(shell(f"sleep 0.1; exec {sys.executable} -S -c '{program}'")).stdout.split()
    assert int(group) == os.getpgid(0)
    if sys.platform == "linux":
        assert [int(value) for value in memory] == [HELD.git_memory] * 2


@pytest.mark.usefixtures("held")
def test_in_a_held_process_the_command_alone_is_killed() -> None:
    found = HOST.exec(["sleep", "60"], timeout_s=0.1)
    assert (found.returncode, found.timed_out) == (-signal.SIGKILL, True)


def test_no_processor_time_left_is_a_limit_that_is_exceeded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(limits._Current, "limits", HELD)
    spent = iter([0.0, 0.0, HELD.cpu_s + 1.0])
    monkeypatch.setattr(limits, "seconds_spent", lambda: next(spent))
    with pytest.raises(LimitExceeded, match="processor time"):
        HOST.exec(["touch", str(tmp_path / "done")])
    assert (tmp_path / "done").exists()  # what it was that took the time
    monkeypatch.setattr(limits, "seconds_spent", lambda: HELD.cpu_s + 1.0)
    with pytest.raises(LimitExceeded, match="processor time"):
        HOST.exec(["touch", str(tmp_path / "not begun")])
    assert not (tmp_path / "not begun").exists()


def test_many_threads_run_commands_at_once() -> None:
    found: list[bytes] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(HOST.exec(["cat"], stdin=b"%d" % n * 70_000).stdout))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [b"%d" % n * 70_000 for n in range(8)]


def _ends(pid: int) -> bool:
    """Whether the process is gone, or waits to be reaped, in a moment."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in (b"Z", b"X"):
                return True
        except OSError:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return True
        time.sleep(0.01)
    return False
