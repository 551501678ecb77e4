"""gitgoodbench view"""

from __future__ import annotations

from typing import Annotated

import typer


def view(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN]...", help="Run folders, or ids of runs under results/. Without: all runs under results/."
        ),
    ] = None,
    port: Annotated[int, typer.Option("--port", help="Port on 127.0.0.1; 0 takes a free one.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
) -> int:
    """Show runs as pages in the browser, on this machine alone, until Ctrl-C. Runs in progress refresh.

    Examples:

      gitgoodbench view

      gitgoodbench view results/mini-oracle results/mini-ours --port 8000 --no-browser
    """
    from gitgoodbench.cli.pages import view_runs

    return view_runs(runs or [], port=port, browser=not no_browser)
