"""gitgoodbench serve"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from gitgoodbench.cli.options import Offline, option


class Tools(StrEnum):
    """Values of --tools."""

    PUBLISHED = "published"
    EXTENDED = "extended"
    SHELL = "shell"


def serve(
    openenv: Annotated[str, option("--openenv", metavar="SUITE", help="Serve this suite as an OpenEnv environment.")],
    scenario: Annotated[str | None, option("--scenario", "-s", help="Only tasks of this type.")] = None,
    tools: Annotated[Tools, option("--tools", help="Which tools; shell needs --sandbox docker.")] = Tools.PUBLISHED,
    sandbox: Annotated[str | None, option("--sandbox", help="Where episodes run; as for eval.")] = None,
    repos: Annotated[Path | None, option("--repos", help="Folder of local repositories, in place of clones.")] = None,
    offline: Offline = False,
    history: Annotated[int | None, option("--history", min=0, help="Commits of history in a workspace.")] = None,
    host: Annotated[str, option("--host", help="Address to listen on; 0.0.0.0 for other machines.")] = "127.0.0.1",
    port: Annotated[int, option("--port", min=1, max=65535, help="Port to listen on.")] = 8000,
    max_open: Annotated[int, option("--max-open", min=1, help="Episodes that are open at once.")] = 64,
) -> int:
    """Serve episodes to trainers on other machines, over HTTP and WebSocket.

    There is no password: listen on a private network only.

    Examples:

      gitgoodbench serve --openenv mini --sandbox local --offline

      gitgoodbench serve --openenv train --scenario mcr --host 0.0.0.0 --port 8000 --max-open 64
    """
    from gitgoodbench.cli.output import echo
    from gitgoodbench.frameworks.openenv import serve as serve_openenv
    from gitgoodbench.frameworks.settings import BenchSettings

    chosen = {} if sandbox is None else {"sandbox": sandbox}
    settings = BenchSettings(
        suite=openenv, scenario=scenario, tools=tools.value, repos=None if repos is None else str(repos),
        offline=offline, history=history, max_open=max_open, **chosen,
    )  # fmt: skip
    echo(f"serving {openenv} at http://{host}:{port}, {max_open} episodes at once; Ctrl-C ends it", err=True)
    serve_openenv(settings, host, port)
    return 0
