"""What travels to a worker, and what comes back. Both are pickled by the cluster's engine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Literal

from gitgoodbench.clusters.hub import Ticket
from gitgoodbench.runs.config import RunConfig
from gitgoodbench.runs.context import Attempts, Saved
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.runs.result import Result

KEYS: Final = (
    "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GITGOODBENCH_JUDGE_API_KEY", "OPENAI_BASE_URL",
    "ANTHROPIC_BASE_URL",
)  # fmt: skip
"""Variables that say which servers are asked, and by which key."""


@dataclass(frozen=True)
class RunOrder:
    """What a worker makes a run of. name: of this session of the run, so that a worker makes it once.

    keys: `KEYS` of the process that was started; a worker's own win. witnessed: somebody hears of requests and calls.
    agent_cache, judge_cache: whether answers are kept.
    """

    name: str
    config: RunConfig = field(repr=False)
    manifest: Manifest = field(repr=False)
    scenarios: tuple[str, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    witnessed: bool = False
    agent_cache: bool = False
    judge_cache: bool = False


@dataclass(frozen=True)
class Errand:
    """One episode. saved: what its agent left before; None: it is to be played."""

    ticket: Ticket
    order: RunOrder
    planned: PlannedEpisode = field(repr=False)
    saved: Saved | None = field(default=None, repr=False)
    attempts: Attempts = ()


Problem = Literal["given_up", "aborted", "cost", "unreachable"]


@dataclass(frozen=True)
class Done:
    """What became of an errand. result: None where there is a problem.

    is_settled: False where nothing was left, or it could not be settled. files: of the episode's folder, by name.
    logs: of the agent itself, where it left nothing else.
    problem, reason: why there is no result.
    """

    result: Result | None = None
    is_settled: bool = False
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    logs: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    problem: Problem | None = None
    reason: str = ""


def keys_of(environ: Mapping[str, str]) -> dict[str, str]:
    """Those of `KEYS` that are set."""
    return {name: environ[name] for name in KEYS if environ.get(name)}


@contextmanager
def lent_keys(keys: Mapping[str, str]) -> Iterator[None]:
    """Have these variables set where this process has none of that name, for as long as the block lasts."""
    lent = [name for name in keys if not os.environ.get(name)]
    os.environ.update({name: keys[name] for name in lent})
    try:
        yield
    finally:
        for name in lent:
            os.environ.pop(name, None)
