"""gitgoodbench mcp"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gitgoodbench.cli.options import Offline, Repos, option


def mcp(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="As eval takes it.")],
    sample: Annotated[str, option("--sample", metavar="ID", help="The sample whose tools are served.")],
    scenario: Annotated[
        str | None, option("--scenario", "-s", help="Needed where the sample is for several scenario types.")
    ] = None,
    tools: Annotated[str, option("--tools", help="published, extended or shell.")] = "published",
    sandbox: Annotated[str, option("--sandbox", help="auto, docker or local.")] = "auto",
    name: Annotated[str, option("--name", help="What the agent is called in the results.")] = "mcp-client",
    http: Annotated[
        int | None, option("--http", metavar="PORT", min=0, max=65535, help="Serve over HTTP on loopback; 0: any port.")
    ] = None,
    out: Annotated[Path, option("--out", "-o", help="Parent of the run's folder.")] = Path("results"),
    run_id: Annotated[str | None, option("--run-id", help="Name of the run's folder.")] = None,
    repos: Repos = None,
    offline: Offline = False,
) -> int:
    """Serve the tools of one episode over the Model Context Protocol.

    Any MCP client is then an agent: over standard input and output, or with --http. The episode ends when the client
    calls finish_task or goes away; it is scored as any other, and is a run of its own.

    Examples:

      gitgoodbench mcp mini --sample mini_cairn_merge_0000

      gitgoodbench mcp mini --sample mini_cairn_merge_0000 --http 8765 --name my-agent
    """
    from gitgoodbench.cli.serving import Serving, serve_episode

    return serve_episode(
        Serving(
            suite=suite, sample=sample, scenario=scenario, tools=tools, sandbox=sandbox,
            name=name, port=http, out=out, run_id=run_id, repos=repos, offline=offline,
        )
    )  # fmt: skip
