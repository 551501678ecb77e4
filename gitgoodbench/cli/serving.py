"""What `gitgoodbench mcp` does: a run of one episode whose agent is whoever connects."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitgoodbench.cli.output import echo
from gitgoodbench.errors import UserError


@dataclass(frozen=True)
class Serving:
    """What is asked. port: of HTTP; None for standard input and output."""

    suite: str
    sample: str
    scenario: str | None
    tools: str
    sandbox: str
    name: str
    port: int | None
    out: Path
    run_id: str | None
    repos: str | Path | None
    offline: bool


def serve_episode(asked: Serving) -> int:
    """Serve, and say on standard error where the result is.

    Raises:
        UserError: mcp is not installed, or the sample is none or is for several scenario types.
    """
    if asked.port is None and (code := _beside()) is not None:
        return code
    try:
        from gitgoodbench.api.running import evaluate
        from gitgoodbench.frameworks.mcp_server import McpAgent

        _require()
    except ImportError as problem:
        raise UserError("the package mcp is not installed: run `pip install 'gitgoodbench[mcp]'`") from problem
    fields: dict[str, Any] = {
        "sample": [asked.sample],
        "scenario": [_scenario(asked)],
        "tools": asked.tools,
        "sandbox": asked.sandbox,
        "repos": asked.repos,
        "offline": asked.offline,
        "retry_failed": 0,  # the client has gone
    }
    agent = McpAgent(asked.name, asked.port, lambda address: echo(f"listening: {address}", err=True))
    run = evaluate(asked.suite, agent, out=asked.out, run_id=asked.run_id, **fields)
    result = run.results[0]
    solved = {True: "solved", False: "not solved", None: "not judged"}[result.solved]
    with contextlib.suppress(OSError):  # a client that has gone may have taken standard error with it
        echo(f"{result.status.value}, {solved}: {run.folder}", err=True)
    return 0


def _beside() -> int | None:
    """Go on in a process of its own session, and give its exit code; None in that process.

    Clients end the program that they have started two seconds after they have closed its input, with its process
    group. What was done is saved and scored all the same.
    """
    child = os.fork()  # nothing that starts threads is imported yet
    if child == 0:
        os.setsid()
        return None
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _scenario(asked: Serving) -> str:
    from gitgoodbench.runs.config import make_config
    from gitgoodbench.runs.inputs import load_inputs

    fields = {"suite": asked.suite, "sample": [asked.sample], "tools": asked.tools, "offline": asked.offline}
    if asked.scenario is not None:
        fields["scenario"] = [asked.scenario]
    planned = load_inputs(make_config(**fields)).planned
    samples = {episode.sample.id for episode in planned}
    if len(samples) > 1:
        raise UserError(f"--sample {asked.sample} fits {len(samples)} samples: give the id of one")
    scenarios = sorted({episode.scenario for episode in planned})
    if len(scenarios) > 1:
        raise UserError(f"{asked.sample} is for {' and '.join(scenarios)}: choose one with --scenario")
    return scenarios[0]


def _require() -> None:
    import anyio  # noqa: F401
    import mcp  # noqa: F401
    import uvicorn  # noqa: F401
