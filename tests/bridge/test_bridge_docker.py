"""The relay in a sealed container: commands reach it and nothing else, and can do nothing to it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gitgoodbench.bridge.connection import Connection
from gitgoodbench.bridge.frames import CHUNK
from gitgoodbench.bridge.mux import Mux
from gitgoodbench.bridge.start import PORT, open_relay
from gitgoodbench.errors import UserError
from gitgoodbench.sandbox.docker import COMPANION_USER, DockerProvider, DockerSandbox
from gitgoodbench.sandbox.local import LocalProvider

in_docker = pytest.mark.docker


def echo(connection: Connection) -> None:
    while data := connection.recv(CHUNK):
        connection.sendall(data)


@pytest.fixture
def sandbox(docker_provider: DockerProvider) -> Iterator[DockerSandbox]:
    with docker_provider.open(run_id="bridge", episode_id="bridge") as sandbox:
        yield sandbox


@pytest.fixture
def mux(sandbox: DockerSandbox) -> Iterator[Mux]:
    with open_relay(sandbox, echo) as mux:
        yield mux


_START = f"""
import errno, json, os, signal, socket, sys
PORT, RELAYS = {PORT}, []
for pid in os.listdir("/proc"):
    if pid.isdigit() and os.stat("/proc/" + pid).st_uid == {COMPANION_USER}:
        RELAYS.append(int(pid))
def fails(action, *arguments):
    try:
        action(*arguments)
    except OSError as problem:
        return type(problem).__name__ if isinstance(problem, socket.gaierror) else errno.errorcode[problem.errno]
    return "done"
def say(*values):
    print(json.dumps(values))
"""


def inside(sandbox: DockerSandbox, code: str) -> Any:
    """What a Python program says that a command runs."""
    result = sandbox.exec(["python3", "-c", _START + code], timeout_s=60)
    assert result.returncode == 0, result.stderr.decode()
    return json.loads(result.stdout)


_TALK = """
with socket.create_connection(("127.0.0.1", PORT)) as talk:
    talk.sendall(b"hello")
    talk.shutdown(socket.SHUT_WR)
    say(talk.recv(100).decode())
"""


@in_docker
def test_a_command_talks_to_the_harness_and_the_next_one_too(sandbox: DockerSandbox, mux: Mux) -> None:
    assert mux.port == PORT
    assert inside(sandbox, _TALK) == ["hello"]
    assert inside(sandbox, _TALK) == ["hello"]
    assert mux.opened == 2


@in_docker
def test_there_is_no_other_way_out(sandbox: DockerSandbox, mux: Mux) -> None:
    found = inside(
        sandbox,
        """
say(
    fails(socket.getaddrinfo, "api.openai.com", 443),
    *(fails(socket.create_connection, (address, 80), 3) for address in ("1.1.1.1", "169.254.169.254", "2606:4700::1")),
    *(fails(socket.create_connection, (address, 2375), 3) for address in ("172.17.0.1", "127.0.0.1")),
    os.path.exists("/var/run/docker.sock"), sorted(os.listdir("/sys/class/net")),
)
""",
    )
    unreachable = ["ENETUNREACH"] * 2
    assert found[:1] + found[1:3] + found[4:] == [
        "gaierror", *unreachable, "ENETUNREACH", "ECONNREFUSED", False, ["lo"]
    ]  # fmt: skip
    assert found[3] in ("ENETUNREACH", "EADDRNOTAVAIL", "EAFNOSUPPORT")
    assert mux.opened == 0


@in_docker
@pytest.mark.usefixtures("mux")
def test_commands_can_do_nothing_to_the_relay(sandbox: DockerSandbox) -> None:
    found = inside(
        sandbox,
        """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def trace(pid):
    if libc.ptrace(16, pid, 0, 0):
        raise OSError(ctypes.get_errno(), "")
(relay,) = RELAYS
say(
    [fails(os.kill, relay, number) for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM)],
    [fails(open, f"/proc/{relay}/{file}", "rb") for file in ("mem", "environ", "maps", "fd/0", "fd/1")],
    fails(trace, relay),
    [fails(os.sched_setaffinity, relay, [0]), fails(os.setpriority, os.PRIO_PROCESS, relay, 19)],
    fails(socket.create_server, ("127.0.0.1", PORT)),
    fails(open, f"/proc/{relay}/oom_score_adj", "w"),
)
""",
    )
    killed, opened, traced, slowed, bound, oom = found
    assert set(killed) | {traced} | set(slowed) == {"EPERM"}
    assert set(opened) | {oom} == {"EACCES"}
    assert bound == "EADDRINUSE"
    assert inside(sandbox, _TALK) == ["hello"]


@in_docker
def test_the_relay_holds_no_secret_of_the_harness(sandbox: DockerSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-harness")
    with open_relay(sandbox, echo):
        said = inside(
            sandbox,
            """
say(dict(os.environ), [open(f"/proc/{pid}/cmdline").read() for pid in os.listdir("/proc") if pid.isdigit()])
""",
        )
    environment = sandbox.container.exec_run(
        ["sh", "-c", "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline"], user=str(COMPANION_USER)
    ).output
    assert "sk-of-the-harness" not in json.dumps(said)
    assert b"sk-of-the-harness" not in environment


@in_docker
def test_the_end_of_the_sandbox_is_told(sandbox: DockerSandbox) -> None:
    told: list[str] = []
    with open_relay(sandbox, echo, told.append) as mux:
        sandbox.close()
        assert mux.ended.wait(10)
        mux._thread.join(5)
    assert told == ["the relay in the sandbox is gone"]


@in_docker
def test_a_relay_that_is_killed_by_its_own_user_is_told(sandbox: DockerSandbox) -> None:
    told: list[str] = []
    with open_relay(sandbox, echo, told.append) as mux:
        sandbox.container.exec_run(["sh", "-c", "kill -9 -1"], user=str(COMPANION_USER))
        assert mux.ended.wait(10)
        mux._thread.join(5)
    assert told == ["the relay in the sandbox is gone"]


_HARNESS = """
import sys, time
from gitgoodbench.bridge.start import open_relay
from gitgoodbench.sandbox.docker import DockerProvider
sandbox = DockerProvider(sys.argv[1]).open(run_id="bridge", episode_id="killed")
mux = open_relay(sandbox, lambda connection: time.sleep(60))
print(sandbox.container.id, flush=True)
sandbox.exec(["python3", "-c", "import socket; socket.create_connection(('127.0.0.1', 8099)).recv(1)"])
"""


@in_docker
def test_relay_and_commands_end_with_a_killed_harness(docker_provider: DockerProvider) -> None:
    import docker.errors

    command = [sys.executable, "-c", _HARNESS, docker_provider.image]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as harness:
        assert harness.stdout is not None
        container = docker_provider._docker().containers.get(harness.stdout.readline().strip())
        _until(lambda: len(container.top()["Processes"]) == 3)  # supervisor, relay, command
        os.kill(harness.pid, signal.SIGKILL)
    begun = time.monotonic()
    with contextlib.suppress(docker.errors.NotFound):
        container.wait(timeout=10)
    assert time.monotonic() - begun < 3.0  # a tenth of it, where nothing else runs


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_sandbox_that_contains_nothing_gets_no_bridge(local_provider: LocalProvider) -> None:
    with (
        local_provider.open(run_id="bridge", episode_id="bridge") as sandbox,
        pytest.raises(UserError, match=r"sandbox of kind local.*use --sandbox docker"),
    ):
        open_relay(sandbox, echo)
