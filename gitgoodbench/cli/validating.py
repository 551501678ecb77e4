"""What `gitgoodbench validate` does after its flags are read: replay with progress, print what is wrong."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from gitgoodbench.cli.machine import check_cache, check_machine, check_out, default_jobs
from gitgoodbench.cli.running import say
from gitgoodbench.dataset.findings import Finding, Kind, RowReport
from gitgoodbench.errors import UserError
from gitgoodbench.files import write_atomically
from gitgoodbench.mining.validate import Validator, load_dataset_rows, validate_samples
from gitgoodbench.reporting.repositories import RepositoryProgress
from gitgoodbench.reporting.tables import make_console
from gitgoodbench.sandbox.select import make_provider
from gitgoodbench.scenario import load_scenarios
from gitgoodbench.workspace.store import open_store

EXIT_WRONG_ROWS = 3


def validate_dataset(
    dataset: str,
    *,
    repos: Path | None,
    offline: bool,
    ids: Sequence[str],
    sandbox: str,
    jobs: int | None,
    out: Path | None,
) -> int:
    """Replay the rows, print what is wrong, and return the exit code."""
    console = make_console(stderr=True)
    check_machine()
    if out is not None:
        check_out(out.parent)
    samples, invalid = load_dataset_rows(dataset, offline=offline)
    chosen = [sample for sample in samples if not ids or any(fnmatchcase(sample.id, glob) for glob in ids)]
    if not chosen:
        raise UserError(f"{dataset} has no sample {' or '.join(ids)}")
    check_cache({sample.name for sample in chosen}, repos)
    progress = RepositoryProgress(console)
    store = open_store(repos.expanduser() if repos else None, None, offline, progress)
    validator = Validator(load_scenarios(), store, make_provider(sandbox).provider)
    found = validate_samples(chosen, validator, jobs or default_jobs(), progress)
    place = {(sample.id, sample.name): number for number, sample in enumerate(chosen)}
    bar = Progress(console=console)
    with progress.shown(bar, transient=True):
        replayed = bar.track(found, len(chosen), description="replaying")
        reports = sorted(replayed, key=lambda report: place[report.sample.id, report.sample.name])
    _print(make_console(), dataset, reports, invalid)
    if out is not None:
        _write(out, reports, invalid)
    return EXIT_WRONG_ROWS if invalid or any(report.findings for report in reports) else 0


def _print(console: Console, dataset: str, reports: Sequence[RowReport], invalid: Sequence[str]) -> None:
    wrong = [report for report in reports if report.findings]
    say(console, f"{dataset}: {len(reports)} rows replayed, {len(reports) - len(wrong)} are right")
    played = Counter(scenario for report in reports for scenario in report.scenarios)
    if played:
        say(console, f"played: {', '.join(f'{count} in {name}' for name, count in sorted(played.items()))}")
    known = [report.attainable for report in reports if report.attainable is not None]
    if known:
        say(console, f"attainable with the published tools: {sum(known)} of {len(known)}")
    counts = Counter(str(finding.kind) for report in reports for finding in report.findings)
    counts[Kind.ROW] += len(invalid)
    if not +counts:
        return
    table = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("row", "what is wrong", "how"):
        table.add_column(column, no_wrap=column == "row", overflow="fold")
    for reason in invalid:
        table.add_row("-", Kind.ROW, reason)
    for report in wrong:
        for finding in report.findings:
            table.add_row(report.sample.id, finding.kind, finding.reason)
    console.print(table)
    kinds = dict.fromkeys([*map(str, Kind), *counts])
    say(console, f"all: {', '.join(f'{counts[kind]} {kind}' for kind in kinds if counts[kind])}")


def _write(path: Path, reports: Sequence[RowReport], invalid: Sequence[str]) -> None:
    lines: list[dict[str, Any]] = [{"id": None, "findings": [_fields(Finding(Kind.ROW, reason))]} for reason in invalid]
    lines += [
        {
            "id": report.sample.id,
            "name": report.sample.name,
            "scenarios": list(report.scenarios),
            "attainable": report.attainable,
            "findings": [_fields(finding) for finding in report.findings],
        }
        for report in reports
    ]
    try:
        write_atomically(path, b"".join(json.dumps(line).encode("ascii") + b"\n" for line in lines))
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror or problem}") from problem


def _fields(finding: Finding) -> dict[str, str]:
    return {"kind": str(finding.kind), "reason": finding.reason}
