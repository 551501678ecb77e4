"""Labels that name the process behind a container or folder: `gitgoodbench clean` removes only what a crash left.

A process id alone is used again sooner or later; with the time its process started, on one machine and in one process
namespace, it is not.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

LABEL: Final = "gitgoodbench"
"""The label of everything that the harness makes, with value "1"; the others are `gitgoodbench.<field>`."""


@dataclass(frozen=True)
class Owner:
    """A process of the harness."""

    host: str
    pid: int
    started: str

    @classmethod
    def current(cls) -> Self:
        """This process."""
        return cls(_host(), os.getpid(), _start_of(os.getpid()) or "unknown")

    @classmethod
    def from_labels(cls, labels: Mapping[str, str]) -> Self | None:
        """What `labels()` wrote, or None when something is missing."""
        try:
            return cls(labels[f"{LABEL}.host"], int(labels[f"{LABEL}.pid"]), labels[f"{LABEL}.started"])
        except (KeyError, ValueError, TypeError):
            return None

    def labels(self) -> dict[str, str]:
        """The owner as labels, `LABEL` itself among them."""
        return {
            LABEL: "1",
            f"{LABEL}.host": self.host,
            f"{LABEL}.pid": str(self.pid),
            f"{LABEL}.started": self.started,
        }

    def is_dead(self) -> bool:
        """Whether the process is known to have ended; of another machine's process nothing is known."""
        return self.host == _host() and _start_of(self.pid) != self.started


def _host() -> str:
    """This machine, and on Linux the process namespace in which process ids mean something."""
    try:
        return f"{socket.gethostname()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()


def _start_of(pid: int) -> str | None:
    """When a process started, in whatever form the system tells it; None: there is none."""
    if Path("/proc/self/stat").exists():
        try:
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return None
        return None if fields[0] in (b"Z", b"X") else fields[19].decode("ascii")
    listed = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, check=False)
    return listed.stdout.decode("ascii", "replace").strip() or None
