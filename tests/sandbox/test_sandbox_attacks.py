"""Attacks from inside a Docker sandbox: each is contained and reported, and where that can be the sandbox goes on."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import docker.errors
import pytest

from gitgoodbench.git.process import ExecResult
from gitgoodbench.sandbox.base import SandboxDied, SandboxLimits, SandboxPathError, SandboxTaken
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
    return DockerProvider(docker_provider.image, LIMITS)


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
    """Only the supervisor is left."""
    assert processes(sandbox) == ["python3"]
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
    assert settings["CapAdd"] == ["SETUID", "SETGID", "SETPCAP"]
    assert settings["SecurityOpt"] == ["no-new-privileges"]
    assert settings["ReadonlyRootfs"] is True
    assert settings["Privileged"] is False
    assert settings["Memory"] == settings["MemorySwap"] == LIMITS.memory
    assert settings["NanoCpus"] == 1_000_000_000
    assert settings["PidsLimit"] == 64
    assert settings["IpcMode"] == "private"
    assert settings["Init"] is False
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
    result = victim.exec(["sh", "-c", "sleep 600 & setsid sleep 600 & kill -9 -1; echo still here"])

    assert (result.returncode, result.stdout, result.timed_out) == (0, b"still here\n", False)
    assert_nothing_runs(victim)


def test_the_supervisor_is_the_first_process_and_has_a_user_of_its_own(sandbox: DockerSandbox) -> None:
    lines = sandbox.exec(["cat", "/proc/1/status"]).stdout.decode().splitlines()
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}

    assert status["Name"] == ["python3"]
    assert status["Uid"] == status["Gid"] == ["1001"] * 4
    assert status["Groups"] == []
    assert {status[f"Cap{kind}"][0] for kind in ("Inh", "Bnd", "Amb")} == {"0" * 16}
    assert {status[f"Cap{kind}"][0] for kind in ("Prm", "Eff")} == {f"{1 << 6 | 1 << 7:016x}"}  # SETGID, SETUID


def test_no_signal_reaches_the_supervisor(sandbox: DockerSandbox) -> None:
    script = "import os\nfor n in range(1, 65):\n  try: os.kill(1, n)\n  except PermissionError: print(end='.')"

    assert python(sandbox, script).stdout == b"." * 64


def test_a_command_may_open_its_own_streams(sandbox: DockerSandbox) -> None:
    result = sandbox.exec(["sh", "-c", "cat /dev/stdin > /dev/stdout; echo err > /dev/stderr"], stdin=b"in")

    assert (result.stdout, result.stderr) == (b"in", b"err\n")


def test_a_command_cannot_speak_for_the_supervisor(sandbox: DockerSandbox) -> None:
    script = (
        "for f in /proc/1/fd/1 /proc/1/mem; do echo forged > $f; done; "
        "cat /proc/1/environ /proc/1/maps; ls /proc/1/fd /proc/1/task/1/fd; echo -1000 > /proc/1/oom_score_adj"
    )

    result = sandbox.exec(["sh", "-c", script])

    assert result.stdout == b""
    assert result.stderr.count(b"Permission denied") == 7


def test_a_fork_bomb_that_leaves_no_process_free_is_ended(small_provider: DockerProvider) -> None:
    provider = DockerProvider(small_provider.image, replace(LIMITS, pids=24))

    with provider.open(run_id="tests", episode_id="bomb") as sandbox:
        result = python(sandbox, FORK_BOMB, timeout_s=1.5)
        assert (result.returncode, result.timed_out) == (-9, True)
        assert_nothing_runs(sandbox)


def test_a_container_that_the_supervisor_leaves_is_gone_with_all_in_it(victim: DockerSandbox) -> None:
    assert victim._channel is not None
    victim._channel.close()  # as when the harness is killed

    for _ in range(200):
        try:
            victim.container.reload()
        except docker.errors.NotFound:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the container is still there")


def test_a_container_that_was_removed_is_a_sandbox_that_died(small_provider: DockerProvider) -> None:
    with small_provider.open(run_id="tests", episode_id="removed") as sandbox:
        sandbox.container.remove(force=True)

        for _ in range(2):
            with pytest.raises(SandboxTaken, match=r"^the container was ended from outside \(kill\)$"):
                sandbox.exec(["true"])
        with pytest.raises(SandboxTaken):
            sandbox.put("file", b"")


def test_a_supervisor_that_runs_out_of_memory_is_the_end_of_the_sandbox(small_provider: DockerProvider) -> None:
    """Commands may undo that they are killed first: many small ones then leave the supervisor as the largest."""
    script = """
import os, time
open("/proc/self/oom_score_adj", "w").write("0")
for _ in range(58):
    if os.fork() == 0:
        data = bytearray(5_000_000)
        time.sleep(600)
with open("/dev/shm/fill", "wb") as file:
    for _ in range(16): file.write(b"x" * 1_000_000)
"""
    limits = replace(LIMITS, memory=114 * MIB, work_size=32 * MIB)
    with DockerProvider(small_provider.image, limits).open(run_id="tests", episode_id="oom") as sandbox:
        sandbox.exec(["sh", "-c", "head -c 32M /dev/zero > big; head -c 64M /dev/zero > /tmp/big"])
        try:
            python(sandbox, script)
        except SandboxDied as death:
            said = (type(death), str(death))
        else:
            pytest.skip("this kernel chose others")
        assert said == (SandboxDied, "the sandbox was lost: out of memory, and its supervisor was killed")
