"""Ending everything that a command started, whatever it did to get away.

Travels into the sandbox as source text: Python >= 3.9, standard library.
"""

# ruff: noqa: PTH123, PTH208

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress

from gitgoodbench.sandbox.supervisor_users import Users

TYPE_CHECKING = False
if TYPE_CHECKING:  # the sandbox's Python has no need of them, and half a megabyte
    from typing import Any

_PR_SET_CHILD_SUBREAPER = 36
_ANY_CHILD = os.WNOHANG | (0x40000000 if sys.platform.startswith("linux") else 0)
"""With __WALL: also a child that would not tell of its end."""

_ROUND_S = 0.02


class Reaper:
    """Kills and collects processes.

    As the first process of a container, or as a subreaper, this process inherits every orphan below it, so that no
    child left means nothing left. Where there is no such thing (macOS) only the command's process group is ended.
    """

    def __init__(self, users: Users) -> None:
        """`users`: where commands have a user of their own, the kernel kills all its processes at one blow."""
        self._users = users
        self.complete = _prctl(_PR_SET_CHILD_SUBREAPER, 1)
        self.statuses: dict[int, int] = {}
        self.wake, waker = os.pipe()
        for end in (self.wake, waker):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)

    def reap(self) -> bool:
        """Collect the children that have ended into `statuses`; whether others still live."""
        self._rest(0)
        while True:
            try:
                pid, status = os.waitpid(-1, _ANY_CHILD)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            self.statuses[pid] = status

    def end(self, command: int) -> int:
        """Kill the command and its descendants; its wait status, once all are gone."""
        while self.reap():
            self._kill(command)
            self._rest(_ROUND_S)
        if not self.complete:
            self._kill(command)
        status = self.statuses[command]
        self.statuses.clear()
        return status

    def _kill(self, command: int) -> None:
        if self._users.apart:
            with self._users.as_commands():
                _quietly(os.kill, -1)  # one step, which no fork escapes
            return
        _quietly(os.killpg, command)
        for pid in _descendants(os.getpid()):
            _quietly(os.kill, pid)

    def _rest(self, seconds: float) -> None:
        """Wait for the end of some child, at most so long."""
        if select.select([self.wake], [], [], seconds)[0]:
            os.read(self.wake, 4096)


def _descendants(ancestor: int) -> set[int]:
    """Every process below `ancestor` in /proc; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for pid in _processes():
        with suppress(OSError, IndexError), open(f"/proc/{pid}/stat", "rb") as file:
            parent = int(file.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    todo = [ancestor]
    while todo:
        below = children.get(todo.pop(), [])
        found.update(below)
        todo.extend(below)
    return found


def _processes() -> list[int]:
    with suppress(OSError):
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return []


def _quietly(kill: Any, target: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        kill(target, signal.SIGKILL)


def _prctl(option: int, value: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        import ctypes

        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False
