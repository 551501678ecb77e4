"""Supervisors of local sandboxes are forks of one process, which nothing depends on once they run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gitgoodbench.sandbox import local_supervisors
from gitgoodbench.sandbox.base import SandboxDied
from gitgoodbench.sandbox.local import LocalProvider, LocalSandbox

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system has no descriptors of processes")


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> local_supervisors._Shared:
    """A forking process of this test's own."""
    found = local_supervisors._Shared()
    monkeypatch.setattr(local_supervisors, "_SHARED", found)
    return found


def opened() -> LocalSandbox:
    return LocalProvider().open(run_id="run", episode_id="episode")


def supervisor_of(sandbox: LocalSandbox) -> int:
    return int(sandbox.exec(["sh", "-c", "echo $PPID"]).stdout)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])


def is_gone(pid: int) -> bool:
    until = time.monotonic() + 30
    while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
        time.sleep(0.01)
    return not Path(f"/proc/{pid}").exists()


def test_supervisors_are_forks_of_one_process_and_leave_nothing(shared: local_supervisors._Shared) -> None:
    with ThreadPoolExecutor(4) as threads:
        sandboxes = list(threads.map(lambda _: opened(), range(6)))
    supervisors = [supervisor_of(sandbox) for sandbox in sandboxes]
    assert shared._process is not None
    assert {parent_of(pid) for pid in supervisors} == {shared._process.pid}
    assert len({os.getsid(pid) for pid in supervisors}) == 6
    for sandbox in sandboxes:
        sandbox.close()
    assert all(is_gone(pid) for pid in supervisors)  # reaped, too
    shared.close()


def test_open_sandboxes_outlive_the_process_that_forks_and_the_next_one_gets_another(
    shared: local_supervisors._Shared,
) -> None:
    with opened() as before:
        assert shared._process is not None
        first = shared._process.pid
        os.kill(first, signal.SIGKILL)
        with opened() as after:
            assert before.exec(["echo", "still"]).stdout == b"still\n"
            assert parent_of(supervisor_of(after)) == shared._process.pid != first
    shared.close()


def test_a_stopped_supervisor_is_killed(shared: local_supervisors._Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_supervisors, "_END_S", 0.05)
    sandbox = opened()
    supervisor = supervisor_of(sandbox)
    os.kill(supervisor, signal.SIGSTOP)
    sandbox.close()
    assert is_gone(supervisor)
    assert not sandbox.folder.exists()
    shared.close()


def test_commands_find_programs_where_the_harness_does_at_that_moment(
    shared: local_supervisors._Shared, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with opened():
        pass
    program = tmp_path / "only-here"
    program.write_text("#!/bin/sh\necho found\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with opened() as sandbox:
        assert sandbox.exec(["only-here"]).stdout == b"found\n"
    shared.close()


def test_a_harness_that_is_killed_takes_everything_along() -> None:
    program = (
        "import time\nfrom gitgoodbench.sandbox import local, local_supervisors\n"
        "sandbox = local.LocalProvider().open(run_id='run', episode_id='episode')\n"
        "print(local_supervisors._SHARED._process.pid, sandbox.exec(['sh', '-c', 'echo $PPID']).stdout.decode(), "
        "sandbox.folder, flush=True)\ntime.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as harness:
        assert harness.stdout is not None
        said = (harness.stdout.readline() + harness.stdout.readline()).split()
        harness.kill()
    shutil.rmtree(said[2])
    assert all(is_gone(int(pid)) for pid in said[:2])


def test_a_fork_of_the_harness_has_a_forking_process_of_its_own(shared: local_supervisors._Shared) -> None:
    with opened() as sandbox:
        assert shared._process is not None
        own = shared._process.pid
        child = os.fork()
        if not child:
            status = 1
            try:
                shared.forget()
                with opened() as other:
                    status = 0 if parent_of(supervisor_of(other)) not in (own, os.getppid()) else 2
                shared.close()
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert sandbox.exec(["true"]).returncode == 0
    shared.close()


def test_where_the_system_has_no_descriptors_of_processes_each_supervisor_is_a_new_one(
    shared: local_supervisors._Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    monkeypatch.setattr(local_supervisors, "_END_S", 0.05)
    sandbox = opened()
    supervisor = supervisor_of(sandbox)
    assert parent_of(supervisor) == os.getpid()
    os.kill(supervisor, signal.SIGSTOP)
    sandbox.close()
    assert is_gone(supervisor)
    assert shared._process is None


def test_a_system_that_does_not_fork_is_told(
    shared: local_supervisors._Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise OSError("Resource temporarily unavailable")

    monkeypatch.setattr(shared, "fork", refuse)
    sandbox = LocalSandbox(LocalProvider().limits)
    with pytest.raises(SandboxDied, match="does not start: Resource temporarily unavailable"):
        sandbox.start()
    sandbox.close()
