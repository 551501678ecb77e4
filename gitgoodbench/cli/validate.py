"""gitgoodbench validate"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gitgoodbench.cli.options import Jobs, Offline, Repos, option


def validate(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATASET", help="A suite as eval takes it, or the folder of a dataset or of one of its splits."
        ),
    ],
    repos: Repos = None,
    offline: Offline = False,
    sample: Annotated[
        list[str] | None, option("--sample", metavar="GLOB", help="Only samples whose id fits; repeatable.")
    ] = None,
    sandbox: Annotated[
        str, option("--sandbox", help="Reference agents run no foreign commands: local is enough.")
    ] = "local",
    jobs: Jobs = None,
    out: Annotated[Path | None, option("--out", "-o", help="Also write every row's findings to a .jsonl file.")] = None,
) -> int:
    """Replay every row of a dataset and list those that are wrong.

    A row is wrong when it cannot be set up, when oracle (or tool-oracle, where the truth is attainable) does not solve
    it, or when its conflicts, files, commits or purity are not those of the repository.

    Examples:

      gitgoodbench validate mini

      gitgoodbench validate out/lite --repos ~/mirrors --jobs 4 --out findings.jsonl

    Exit codes: 0 every row is right, 2 a mistake in the command, 3 some rows are wrong.
    """
    from gitgoodbench.cli.validating import validate_dataset

    return validate_dataset(
        dataset, repos=repos, offline=offline, ids=sample or (), sandbox=sandbox, jobs=jobs, out=out
    )
