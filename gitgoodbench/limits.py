"""What reading an outcome may take, in one table, and how a process is held to it.

An outcome is hostile: a few bytes of it can ask for gigabytes or hours. So it is read in a process of its own
(`contained`), which is held to these limits, and so is every Git that it starts. The system enforces memory, processor
time and the size of files; what the system cannot know, whoever reads counts.
"""

from __future__ import annotations

import contextlib
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MIB: Final = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """What reading one outcome may take. Documented in docs/security.md; a test compares.

    memory: bytes that the process takes beyond what it begins with. git_memory: bytes that each of its Git processes
    takes; what Git maps of packs does not count. parser_memory: bytes that the process that parses takes beyond what it
    begins with. cpu_s: seconds of processor time of the process and its Git processes
    together. wall_s: seconds that pass, without those in which a repository is fetched; the last resort, for a process
    that waits for ever. file: bytes of a file that is written. output: bytes that are read of what one Git prints.
    answer: bytes of the answer. objects: objects in an outcome. object: bytes of one of them, as
    many as GitHub takes. commit: bytes of a commit, with its message.
    """

    memory: int = 1536 * MIB
    git_memory: int = 512 * MIB
    parser_memory: int = 1024 * MIB
    cpu_s: int = 120
    wall_s: float = 600.0
    file: int = 256 * MIB
    output: int = 192 * MIB
    answer: int = 128 * MIB
    objects: int = 250_000
    object: int = 100 * MIB
    commit: int = MIB


LIMITS: Final = Limits()

_GRACE_S: Final = 2
"""Processor time between the signal that says which limit it was and the one that says nothing."""


class LimitExceeded(Exception):
    """Reading an outcome takes more than it may. The message names the limit.

    No `GitGoodBenchError`: whoever takes those for an answer must not take this for one.
    """


class _Current:
    """The limits that this process is held to; None outside of a contained one."""

    limits: Limits | None = None


def current() -> Limits | None:
    """The limits that this process is held to; None where it reads nothing that is hostile, or is not contained."""
    return _Current.limits


def in_force() -> Limits:
    """The limits for what is read: those of this process, else the usual ones."""
    return _Current.limits or LIMITS


def hold(limits: Limits) -> None:
    """Hold this process to the limits, for as long as it lives. Memory is counted on Linux only."""
    _Current.limits = limits
    _limit(resource.RLIMIT_DATA, _status("VmData") + limits.memory)
    _limit(resource.RLIMIT_FSIZE, limits.file)
    _limit(resource.RLIMIT_CORE, 0)
    hold_cpu()


def hold_cpu() -> None:
    """Let this process use what its Git processes, as far as they have ended, have left of the processor time.

    Raises:
        LimitExceeded: nothing is left.
    """
    limits = _Current.limits
    if limits is None:
        return
    spent = seconds_spent()
    if spent >= limits.cpu_s:
        raise LimitExceeded(cpu_problem(limits))
    own = resource.getrusage(resource.RUSAGE_SELF)
    most = int(own.ru_utime + own.ru_stime + limits.cpu_s - spent) + 1
    _limit(resource.RLIMIT_CPU, most, most + _GRACE_S)


def hold_git(process: subprocess.Popen[bytes]) -> None:
    """Hold a Git that was just started to what it may take. It has inherited those of this process until then."""
    limits = _Current.limits
    if limits is None or sys.platform != "linux":
        return
    seconds = max(1, int(limits.cpu_s - seconds_spent()) + 1)
    for limit, soft, hard in (
        (resource.RLIMIT_DATA, limits.git_memory, limits.git_memory),
        (resource.RLIMIT_CPU, seconds, seconds + _GRACE_S),
    ):
        with contextlib.suppress(ProcessLookupError):  # it is done
            resource.prlimit(process.pid, limit, _lower(limit, soft, hard))


def seconds_spent() -> float:
    """Processor time of this process and of its children that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def problem_of_git(returncode: int, stderr: bytes) -> str | None:
    """The limit that ended a Git process; None where none did."""
    limits = _Current.limits
    if limits is None:
        return None
    if returncode == -signal.SIGXCPU:
        return cpu_problem(limits)
    if returncode == -signal.SIGXFSZ:
        return file_problem(limits)
    if b"ut of memory" in stderr or b"Cannot allocate memory" in stderr:
        return f"Git needs more than the limit of {limits.git_memory // MIB} MiB of memory"
    return None


def cpu_problem(limits: Limits) -> str:
    return f"it takes more than the limit of {limits.cpu_s} s of processor time"


def memory_problem(limits: Limits) -> str:
    return f"it takes more than the limit of {limits.memory // MIB} MiB of memory"


def file_problem(limits: Limits) -> str:
    return f"it makes a file larger than the limit of {limits.file // MIB} MiB"


def output_problem(command: str) -> str:
    limits = in_force()
    return f"git {command} prints more than the limit of {limits.output // MIB} MiB"


def _limit(which: int, soft: int, hard: int | None = None) -> None:
    """Lower a limit of this process; not every system has every limit."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(which, _lower(which, soft, soft if hard is None else hard))


def _lower(which: int, soft: int, hard: int) -> tuple[int, int]:
    """The values, or what this process is held to where that is less."""
    _, most = resource.getrlimit(which)
    hard = hard if most == resource.RLIM_INFINITY else min(hard, most)
    return min(soft, hard), hard


def mapped_bytes() -> int:
    """The size of this process's address space; 0 where the system does not say."""
    return _status("VmSize")


def _status(name: str) -> int:
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(f"{name}:")), 0)
