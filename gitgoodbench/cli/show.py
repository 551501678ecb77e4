"""gitgoodbench show"""

from __future__ import annotations

from typing import Annotated

import typer


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run folder, or the id of a run under results/.")],
    sample: Annotated[
        str | None, typer.Argument(metavar="SAMPLE", help="A sample id, or SCENARIO/SAMPLE/EPOCH. Without it: a list.")
    ] = None,
) -> int:
    """Show an episode: how it ended, gates, scores, and what the agent made beside the truth.

    Only the result is read: no repository is needed.

    Examples:

      gitgoodbench show results/mini-oracle

      gitgoodbench show results/mini-ours mini_cairn_merge_0000
    """
    from gitgoodbench.cli.showing import show_run

    return show_run(run, sample)
