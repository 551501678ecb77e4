"""Sandboxes that have served an episode and wait for the next one.

Starting a container and removing it takes longer than many an episode. Where only the harness's own tools have acted in
a sandbox, nothing can be hidden there: it is emptied, filled anew (see `workspace.layout`) and used again. What a shell
or a program of somebody else has touched is removed.
"""

from __future__ import annotations

import threading
import time
from typing import Final

from gitgoodbench.runs.settings import keeps_sandbox
from gitgoodbench.sandbox.base import Sandbox, SharingSandbox
from gitgoodbench.tools import ToolSet

_LONGEST_S: Final = 3600.0
"""Seconds after which a sandbox gets no further episode: a container ends by itself at some time."""


class Spares:
    """Of one run; used by any number of threads. In the end there are as many as episodes were under way at once."""

    def __init__(self, tool_set: ToolSet) -> None:
        self._wanted = keeps_sandbox(tool_set)
        self._idle: list[Sandbox] = []
        self._ends: dict[int, float] = {}
        self._lock = threading.Lock()

    def take(self, agent: object) -> Sandbox | None:
        """One that can be used again for this agent; None: it needs a new one."""
        with self._lock:
            return self._idle.pop() if self._idle and _acts_by_tools(agent) else None

    def give(self, sandbox: Sandbox, agent: object) -> bool:
        """Keep a sandbox in which that agent's episode has ended well; False: it is the caller's to close."""
        if not (self._wanted and _acts_by_tools(agent) and isinstance(sandbox, SharingSandbox)):
            return False
        with self._lock:
            if time.monotonic() > self._ends.setdefault(id(sandbox), time.monotonic() + _LONGEST_S):
                del self._ends[id(sandbox)]
                return False
            self._idle.append(sandbox)
        return True

    def close(self) -> list[str]:
        """Remove those that wait; what went wrong. `gitgoodbench clean` removes what is left."""
        with self._lock:
            idle, self._idle = self._idle, []
        problems: list[str] = []

        def remove(sandbox: Sandbox) -> None:
            try:
                sandbox.close()
            except Exception as problem:
                problems.append(str(problem))

        threads = [threading.Thread(target=remove, args=(sandbox,)) for sandbox in idle]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return problems


def _acts_by_tools(agent: object) -> bool:
    """Whether an agent says that it does nothing in a sandbox but call the tools of its episode."""
    return getattr(agent, "acts_by_tools", False) is True
