"""What `gitgoodbench export harbor` and `import harbor` do after their flags are read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gitgoodbench.cli.machine import check_cache, check_machine
from gitgoodbench.cli.predicting import predictable_episodes, score_lines
from gitgoodbench.cli.running import open_repositories, say
from gitgoodbench.errors import EpisodeError, UserError
from gitgoodbench.harbor.export import NETWORKS, HarborOptions, export_task
from gitgoodbench.harbor.importing import read_job
from gitgoodbench.harbor.naming import by_task
from gitgoodbench.reporting.repositories import RepositoryProgress
from gitgoodbench.reporting.tables import make_console
from gitgoodbench.runs.config import make_config
from gitgoodbench.runs.inputs import load_inputs
from gitgoodbench.runs.session import EXIT_INFRASTRUCTURE
from gitgoodbench.scenario import load_scenarios


def export_tasks(
    fields: Mapping[str, Any], out: Path, *, image: str | None, verifier_image: str | None, network: str
) -> int:
    """Write a suite's episodes as tasks; returns the exit code."""
    if network not in NETWORKS:
        raise UserError(f"--network {network}: it is one of {', '.join(NETWORKS)}")
    console = make_console(stderr=True)
    check_machine()
    config = make_config(**fields)
    inputs = load_inputs(config)
    by_task(inputs.planned)
    check_cache({episode.sample.name for episode in inputs.planned}, config.repos)
    progress = RepositoryProgress(console)
    store, installed = open_repositories(config, progress), load_scenarios()
    usual = HarborOptions()
    options = HarborOptions(
        image=image or usual.image,
        verifier_image=verifier_image or usual.verifier_image,
        network=network,
        history=config.history,
    )
    written = failed = 0
    with progress.shown():
        for planned in inputs.planned:
            try:
                export_task(planned, installed[planned.scenario], store, out, options)
                written += 1
            except EpisodeError as problem:
                say(console, f"left out: {planned.id}: {problem}")
                failed += 1
            except OSError as problem:
                raise UserError(f"--out {out} cannot be written: {problem.strerror}") from problem
    say(console, f"{out}: {written} tasks of {inputs.suite.spec}")
    return EXIT_INFRASTRUCTURE if failed else 0


def import_job(job: Path, fields: Mapping[str, Any], *, agent: str | None, out: Path, run_id: str | None) -> int:
    """Make a run of a job; returns the exit code."""
    console = make_console(stderr=True)
    check_machine()
    wanted = fields.get("scenario")
    found = read_job(job, by_task(predictable_episodes({**fields, "scenario": None})))
    lines = [line for line in found.lines if not wanted or line.scenario in wanted]
    if not lines:
        have = ", ".join(sorted({str(line.scenario) for line in found.lines}))
        raise UserError(f"--scenario {' '.join(wanted or ())}: the job has only tasks of {have}")
    for note in found.notes:
        say(console, note)
    name = agent or f"harbor-{found.agent or job.resolve().name}"
    fields = {"max_failures": len(lines) + 1, **fields}  # what failed elsewhere does not tell of this machine
    return score_lines(lines, fields, agent=name, out=out, run_id=run_id, only_given=True)
