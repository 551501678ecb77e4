"""No sandboxes: for runs of agents that have worked elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gitgoodbench.errors import InfrastructureFailed
from gitgoodbench.sandbox.base import Sandbox

KIND: Final = "none"


class NoSandboxes:
    """A SandboxProvider (see `sandbox.base`) that has none. Nothing runs, so nothing has to be contained."""

    kind = KIND
    isolated = True

    def open(self, *, run_id: str, episode_id: str) -> Sandbox:  # noqa: ARG002
        raise InfrastructureFailed("this run has no sandboxes: its agent has worked elsewhere")

    def describe(self) -> Mapping[str, str]:
        return {"kind": KIND}
