"""Attacks from inside a Docker sandbox: each is contained and reported, and where that can be the sandbox goes on."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from gitgoodbench.git.process import ExecResult
from gitgoodbench.sandbox.base import SandboxDied, SandboxLimits, SandboxPathError
from gitgoodbench.sandbox.docker import DockerProvider, DockerSandbox

pytestmark = pytest.mark.docker

MIB = 1024 * 1024
LIMITS = SandboxLimits(memory=256 * MIB, work_size=32 * MIB, cpus=1.0, pids=64, command_timeout_s=30.0)

FORK_BOMB = """
import os
while True:
    try: os.fork()
    except OSError: pass
"""


@pytest.fixture(scope="module")
def small_provider(docker_provider: DockerProvider) -> DockerProvider:
    return DockerProvider(docker_provider.image, LIMITS, grace_s=2.0)


@pytest.fixture(scope="module")
def sandbox(small_provider: DockerProvider) -> Iterator[DockerSandbox]:
    """Shared by the attacks that leave nothing behind."""
    with small_provider.open(run_id="tests", episode_id="attacks") as opened:
        yield opened


@pytest.fixture
def victim(small_provider: DockerProvider) -> Iterator[DockerSandbox]:
    """For one attack alone."""
    with small_provider.open(run_id="tests", episode_id="victim") as opened:
        yield opened


def python(sandbox: DockerSandbox, script: str, *, timeout_s: float = 20.0) -> ExecResult:
    return sandbox.exec(["python3", "-c", script], timeout_s=timeout_s)


def processes(sandbox: DockerSandbox) -> list[str]:
    """Commands of all processes in the container, as the host sees them."""
    listing: Any = sandbox.container.top(ps_args="-eo pid,comm")
    return sorted(row[-1] for row in listing["Processes"])


def assert_nothing_runs(sandbox: DockerSandbox) -> None:
    """Only init, the sleeper and the supervisor are left, once what was killed has been collected."""
    deadline = time.monotonic() + 60
    while (found := processes(sandbox)) != ["docker-init", "python3", "sleep"]:
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    assert sandbox.exec(["echo", "alive"]).stdout == b"alive\n"


def test_there_is_no_network_but_the_container_s_own_loop(sandbox: DockerSandbox) -> None:
    assert sandbox.exec(["ls", "/sys/class/net"]).stdout == b"lo\n"
    assert len(sandbox.exec(["cat", "/proc/net/route"]).stdout.splitlines()) <= 1


def test_no_address_can_be_reached(sandbox: DockerSandbox) -> None:
    script = "import socket, sys; print(socket.socket().connect_ex((sys.argv[1], 443)))"

    for address in ("192.0.2.1", "172.17.0.1"):
        result = sandbox.exec(["python3", "-c", script, address])
        assert int(result.stdout) == errno.ENETUNREACH


def test_no_name_can_be_looked_up(sandbox: DockerSandbox) -> None:
    result = python(sandbox, "import socket; socket.getaddrinfo('example.com', 443)")

    assert b"gaierror" in result.stderr


def test_commands_have_no_capability_and_can_gain_none(sandbox: DockerSandbox) -> None:
    lines = sandbox.exec(["cat", "/proc/self/status"]).stdout.decode().splitlines()
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}

    assert {status[f"Cap{kind}"][0] for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")} == {"0" * 16}
    assert status["NoNewPrivs"] == ["1"]
    assert status["Seccomp"] == ["2"]
    assert status["Uid"] == status["Gid"] == ["1000"] * 4


@pytest.mark.parametrize(
    "command",
    [
        ["unshare", "--user", "--map-root-user", "true"],
        ["mount", "-t", "tmpfs", "none", "/tmp"],
        ["mknod", "device", "b", "8", "0"],
        ["python3", "-c", "import os; os.chroot('.')"],
        ["su", "-c", "true"],
        ["dmesg"],
    ],
    ids=["unshare", "mount", "mknod", "chroot", "su", "dmesg"],
)
def test_what_needs_privilege_fails(sandbox: DockerSandbox, command: list[str]) -> None:
    assert sandbox.exec(command).returncode not in (0, 127)


@pytest.mark.parametrize(
    "path", ["/planted", "/etc/passwd", "/usr/bin/git", "/dev/planted", "/proc/sys/kernel/core_pattern"]
)
def test_nothing_outside_the_work_folder_can_be_written(sandbox: DockerSandbox, path: str) -> None:
    result = sandbox.exec(["sh", "-c", 'echo x > "$1"', "sh", path])

    assert result.returncode != 0
    assert b"Read-only file system" in result.stderr or b"Permission denied" in result.stderr


def test_scratch_and_shared_memory_are_small(sandbox: DockerSandbox) -> None:
    script = "for d in /tmp /dev/shm; do head -c 100M /dev/zero > $d/big; stat -c %s $d/big; rm $d/big; done"

    assert sandbox.exec(["sh", "-c", script]).stdout == b"%d\n%d\n" % (64 * MIB, 16 * MIB)


def test_the_container_is_set_up_as_the_security_page_says(sandbox: DockerSandbox) -> None:
    sandbox.container.reload()
    settings = sandbox.container.attrs["HostConfig"]

    assert settings["NetworkMode"] == "none"
    assert settings["CapDrop"] == ["ALL"]
    assert settings["CapAdd"] is None
    assert settings["SecurityOpt"] == ["no-new-privileges"]
    assert settings["ReadonlyRootfs"] is True
    assert settings["Privileged"] is False
    assert settings["Memory"] == settings["MemorySwap"] == LIMITS.memory
    assert settings["NanoCpus"] == 1_000_000_000
    assert settings["PidsLimit"] == 64
    assert settings["IpcMode"] == "private"
    assert settings["Init"] is True
    assert settings["AutoRemove"] is True
    assert not settings["PortBindings"]
    assert not settings["Binds"]
    assert not settings["Devices"]


def test_a_full_disk_is_an_error_of_the_command_and_of_put(victim: DockerSandbox) -> None:
    filled = victim.exec(["sh", "-c", "head -c 1G /dev/zero > big; stat -c %s big"])

    assert filled.stdout == b"%d\n" % (32 * MIB)
    assert b"No space left on device" in filled.stderr
    with pytest.raises(SandboxPathError, match="No space left on device"):
        victim.put("more", b"x" * MIB)
    assert victim.exec(["ls", "-A"]).stdout == b"big\n"
    victim.exec(["rm", "big"])
    victim.put("more", b"fits")
    assert victim.get("more", limit=10) == b"fits"


def test_endless_empty_files_end_too(victim: DockerSandbox) -> None:
    script = (
        "n = 0\ntry:\n  while True: open(str(n), 'x').close(); n += 1\nexcept OSError as e: print(n < 8192, e.strerror)"
    )

    assert python(victim, script).stdout == b"True No space left on device\n"


def test_a_memory_hog_is_killed_and_the_sandbox_lives(victim: DockerSandbox) -> None:
    result = python(victim, "data = []\nwhile True: data.append(b'x' * 1_000_000)")

    assert (result.returncode, result.timed_out) == (-9, False)
    assert_nothing_runs(victim)


def test_a_memory_hog_in_many_processes_is_killed_and_the_sandbox_lives(victim: DockerSandbox) -> None:
    script = "import os\nfor _ in range(5): os.fork()\ndata = []\nwhile True: data.append(b'x' * 1_000_000)"

    python(victim, script, timeout_s=5)

    assert_nothing_runs(victim)


def test_a_fork_bomb_ends_with_its_time_limit(victim: DockerSandbox) -> None:
    result = python(victim, FORK_BOMB, timeout_s=1.5)

    assert (result.returncode, result.timed_out) == (-9, True)
    assert_nothing_runs(victim)


def test_a_fork_bomb_of_orphans_ends_with_its_command(victim: DockerSandbox) -> None:
    script = f"import os\nif os.fork() == 0:\n  os.setsid()\n  exec({FORK_BOMB!r})\nimport time; time.sleep(0.5)"

    assert python(victim, script).returncode == 0
    assert_nothing_runs(victim)


def test_endless_output_fills_no_memory(sandbox: DockerSandbox) -> None:
    result = sandbox.exec(["sh", "-c", "cat /dev/zero & cat /dev/zero >&2"], timeout_s=2, output_limit=3 * MIB)

    assert (len(result.stdout), len(result.stderr)) == (3 * MIB, 3 * MIB)
    assert (result.returncode, result.truncated, result.timed_out) == (-9, True, True)
    assert_nothing_runs(sandbox)


def test_killing_everything_kills_only_the_command(victim: DockerSandbox) -> None:
    victim.put("work", b"kept")

    result = victim.exec(["sh", "-c", "sleep 600 & setsid sleep 600 & kill -9 -1; sleep 600"])

    assert (result.returncode, result.timed_out) == (-9, False)
    assert result.stderr.startswith(b"gitgoodbench: the command took the supervisor")
    assert victim.get("work", limit=10) == b"kept"
    assert_nothing_runs(victim)


def test_killing_the_supervisor_kills_the_command(victim: DockerSandbox) -> None:
    result = victim.exec(["sh", "-c", "setsid sleep 600 & kill -9 $PPID; sleep 600"])

    assert (result.returncode, result.timed_out) == (-9, False)
    assert_nothing_runs(victim)


def test_gentle_signals_do_not_reach_the_supervisor(sandbox: DockerSandbox) -> None:
    script = "for s in HUP INT QUIT TERM USR1 USR2 ALRM PIPE CHLD; do kill -$s $PPID; done; echo done"

    assert sandbox.exec(["sh", "-c", script]).stdout == b"done\n"


def test_a_stopped_supervisor_is_replaced_when_the_command_is_overdue(victim: DockerSandbox) -> None:
    result = victim.exec(["sh", "-c", "kill -STOP $PPID; sleep 600"], timeout_s=0.5)

    assert (result.returncode, result.timed_out) == (-9, True)
    assert_nothing_runs(victim)


def test_a_command_cannot_speak_for_the_supervisor(sandbox: DockerSandbox) -> None:
    script = (
        "for f in /proc/$PPID/fd/1 /proc/$PPID/mem /proc/1/fd/1; do echo forged > $f; done; "
        "cat /proc/$PPID/environ /proc/$PPID/maps; ls /proc/$PPID/fd"
    )

    result = sandbox.exec(["sh", "-c", script])

    assert result.stdout == b""
    assert result.stderr.count(b"Permission denied") == 6


def test_a_fork_bomb_that_killed_the_supervisor_is_contained(small_provider: DockerProvider) -> None:
    script = f"import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n{FORK_BOMB}"
    provider = DockerProvider(small_provider.image, replace(LIMITS, pids=24), grace_s=2.0)

    with provider.open(run_id="tests", episode_id="bomb") as sandbox:
        try:
            assert python(sandbox, script).returncode == -9
        except SandboxDied:  # no process could be started in the container any more
            assert len(processes(sandbox)) <= 24 + 2
        else:
            assert_nothing_runs(sandbox)


def test_the_sleeping_process_cannot_be_killed(sandbox: DockerSandbox) -> None:
    owners = sandbox.exec(["sh", "-c", "stat -c '%u %n' /proc/[0-9]*"]).stdout.split()
    keepers = [name.rpartition(b"/")[2] for uid, name in zip(owners[::2], owners[1::2], strict=True) if uid == b"1001"]

    assert b"1" in keepers
    assert len(keepers) == 2
    for pid in keepers:
        assert b"not permitted" in sandbox.exec(["sh", "-c", 'kill -9 "$1"', "sh", pid]).stderr


def test_a_container_that_was_removed_is_a_sandbox_that_died(small_provider: DockerProvider) -> None:
    with small_provider.open(run_id="tests", episode_id="removed") as sandbox:
        sandbox.container.remove(force=True)

        with pytest.raises(SandboxDied):
            sandbox.exec(["true"])
        with pytest.raises(SandboxDied):
            sandbox.put("file", b"")
