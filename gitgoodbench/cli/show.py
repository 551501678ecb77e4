"""gitgoodbench show"""

from __future__ import annotations

from typing import Annotated

import typer


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run folder, or the id of a run under results/.")],
    sample: Annotated[
        str | None, typer.Argument(metavar="SAMPLE", help="A sample id, or SCENARIO/SAMPLE/EPOCH. Without it: a list.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on while it is being worked on.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show long texts of the conversation whole, and what sub-agents said.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Results and conversations as JSON; needs a sample.")] = False,
) -> int:
    """Show an episode: the conversation, how it ended and why it is not solved, and what was made beside the truth.

    Only the files of the run are read: no repository is needed.

    Examples:

      gitgoodbench show results/mini-oracle

      gitgoodbench show results/mini-ours mini_cairn_merge_0000

      gitgoodbench show results/mini-gpt-4o mini_cairn_merge_0000 --follow

      gitgoodbench show results/mini-ours mini_cairn_merge_0000 --json
    """
    from gitgoodbench.cli.showing import show_run, show_run_as_json

    if as_json:
        return show_run_as_json(run, sample)
    return show_run(run, sample, follow=follow, full=full)
