"""Scoring saved outcomes again: no sandbox, no model. For when the scoring has changed, or could not be done."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joblib import Parallel, delayed

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import GitGoodBenchError, UserError
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Result, one_line, read_result, write_result
from gitgoodbench.runs.verdicts import judge
from gitgoodbench.scenario import Outcome, Scenario, ToolSet
from gitgoodbench.workspace.store import RepositoryStore


@dataclass(frozen=True)
class Rescored:
    """What happened to one result. problem: why it could not be scored; the result is then as it was."""

    before: Result
    after: Result
    problem: str | None = None

    @property
    def changed(self) -> bool:
        """Whether the verdict is another one, the time it took aside."""
        return self.after.model_copy(update={"timings": self.before.timings}) != self.before


def rescore_run(
    paths: RunPaths,
    manifest: Manifest,
    samples: Mapping[str, Sample],
    scenarios: Mapping[str, Scenario],
    store: RepositoryStore,
    *,
    jobs: int,
) -> list[Rescored]:
    """Score every result of a run that has an outcome, and put the new one in its place.

    Raises:
        UserError: a scenario of the run is not installed.
    """
    missing = [name for name in manifest.scenarios if name not in scenarios]
    if missing:
        raise UserError(f"the scenario {missing[0]} of run {paths.folder} is not installed")
    results = [result for path in paths.result_files() if (result := read_result(path)) is not None]
    with_outcome = [result for result in results if result.outcome is not None and result.sample_id in samples]
    tools = manifest.config.tools
    rescored: Sequence[Rescored] = Parallel(n_jobs=jobs, backend="threading")(
        delayed(_rescore)(paths, result, samples[result.sample_id], scenarios[result.scenario], store, tools)
        for result in with_outcome
    )
    return list(rescored)


def _rescore(
    paths: RunPaths, result: Result, sample: Sample, scenario: Scenario, store: RepositoryStore, tools: ToolSet
) -> Rescored:
    record = result.outcome
    assert record is not None
    files = paths.episode(*result.key)
    start = time.perf_counter()
    try:
        bundle = None if record.bundle_bytes is None else files.bundle.read_bytes()
        verdict = scenario.score(sample, store, Outcome(record.head, bundle, record.state, record.problem))
    except (GitGoodBenchError, OSError) as problem:
        return Rescored(result, result, one_line(str(problem)))
    judged = judge(record, verdict, tools)
    seconds = round(time.perf_counter() - start, 6)
    update = {
        **judged.fields(),
        "facts": {**result.facts, **judged.facts},
        "timings": result.timings.model_copy(update={"scoring_s": seconds}),
    }
    after = result.model_copy(update=update)
    write_result(files.result, after)
    return Rescored(result, after)
