"""Runs to be compared, made of verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gitgoodbench.comparing.matching import PlayedRun
from gitgoodbench.files import make_durably
from gitgoodbench.runs.manifest import write_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Result, write_result
from tests.support.fake_runs import make_manifest, make_result

Verdicts = str
"""A letter for each sample: `1` solved, `0` not, `-` not judged."""


def results_of(verdicts: Verdicts, *, repositories: int = 4, epoch: int = 1, **changes: Any) -> list[Result]:
    """Samples s0, s1, ..., dealt out to repositories r0, r1, ..."""
    return [
        make_result(
            f"s{number}",
            name=f"o/r{number % repositories}",
            epoch=epoch,
            solved=None if verdict == "-" else verdict == "1",
            scores={"exact_match": float(verdict == "1")},
            **changes,
        )
        for number, verdict in enumerate(verdicts)
    ]


def played(name: str, results: Verdicts | Sequence[Result], **config: Any) -> PlayedRun:
    """A run of an agent of that name."""
    made = results_of(results, agent=name) if isinstance(results, str) else results
    manifest = make_manifest(agent=name, run_id=name, samples=len({result.sample_id for result in made}), **config)
    return PlayedRun(name, Path("results") / name, manifest, made)


def save(run: PlayedRun, parent: Path) -> Path:
    """Write a run into a folder; returns the folder."""
    paths = RunPaths(parent / run.name)
    make_durably(paths.samples)
    write_manifest(paths, run.manifest)
    for result in run.results:
        files = paths.episode(*result.key)
        make_durably(files.folder)
        write_result(files.result, result)
    return paths.folder


def values_by_what(found: Sequence[Any]) -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """Disagreements by what differs: what they bear on, and the values."""
    return {one.what: (one.bears_on, dict(one.values)) for one in found}
