"""What `gitgoodbench prompts` does after its flags are read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gitgoodbench.cli.machine import check_cache, check_machine
from gitgoodbench.cli.running import open_repositories, say
from gitgoodbench.errors import EpisodeError, UserError
from gitgoodbench.files import write_atomically
from gitgoodbench.reporting.repositories import RepositoryProgress
from gitgoodbench.reporting.tables import make_console
from gitgoodbench.runs.config import make_config
from gitgoodbench.runs.inputs import load_inputs
from gitgoodbench.runs.prompting import prompt_rows
from gitgoodbench.runs.session import EXIT_INFRASTRUCTURE
from gitgoodbench.scenario import load_scenarios


def write_prompts(fields: Mapping[str, Any], out: Path) -> int:
    """Write the prompts of a suite; returns the exit code."""
    console = make_console(stderr=True)
    check_machine()
    config = make_config(**fields)
    inputs = load_inputs(config)
    check_cache({episode.sample.name for episode in inputs.planned}, config.repos)
    progress = RepositoryProgress(console)
    store = open_repositories(config, progress)
    with progress.shown():
        rows = list(prompt_rows(inputs.planned, load_scenarios(), store, config.options))
    failed = [row for row in rows if isinstance(row, EpisodeError)]
    lines = [json.dumps(row) for row in rows if not isinstance(row, EpisodeError)]
    try:
        write_atomically(out, "".join(f"{line}\n" for line in lines).encode("ascii"))
    except OSError as problem:
        raise UserError(f"--out {out} cannot be written: {problem.strerror}") from problem
    for reason in failed:
        say(console, f"left out: {reason}")
    say(console, f"{out}: {len(lines)} prompts of {inputs.suite.spec}")
    return EXIT_INFRASTRUCTURE if failed else 0
