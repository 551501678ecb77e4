"""Which tasks an environment has and where they are played: what goes from a trainer to the process that plays."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict

from gitgoodbench.api.bench import Bench
from gitgoodbench.api.tools import ToolSetName


class BenchSettings(BaseModel):
    """Arguments of `Bench`. tools: `shell` needs a sandbox that contains it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    suite: str = "mini"
    scenario: str | None = None
    tools: ToolSetName = "published"
    sandbox: str = "auto"
    repos: str | None = None
    offline: bool = False
    history: int | None = None
    max_open: int = 64

    def bench(self) -> Bench:
        """A bench of its own.

        Raises:
            UserError: as `Bench`.
        """
        arguments: dict[str, Any] = self.model_dump()
        return Bench(**arguments)


@lru_cache(maxsize=4)
def shared_bench(settings: BenchSettings) -> Bench:
    """One bench for all that ask with the same settings; its sessions close at the end of the process.

    Raises:
        UserError: as `Bench`.
    """
    return settings.bench()
