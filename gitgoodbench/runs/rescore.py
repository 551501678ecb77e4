"""Scoring saved outcomes again, without a sandbox, and judging them again where that is asked for.

For when the scoring has changed or could not be done, or when another judge shall be heard.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from joblib import Parallel, delayed

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import GitGoodBenchError, RunAborted, UserError
from gitgoodbench.runs.config import RunConfig, make_config
from gitgoodbench.runs.judging import LLM_JUDGE, NO_JUDGE, judge_outcome, resolve_judge
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Result, one_line, read_result, write_result
from gitgoodbench.runs.verdicts import problem_of, settle, settle_judged
from gitgoodbench.scenario import JudgedScenario, Outcome, Scenario, ToolSet
from gitgoodbench.scoring.judge.panel import Panel
from gitgoodbench.scoring.judge.record import JudgeRecord
from gitgoodbench.workspace.store import RepositoryStore


class Rejudge(StrEnum):
    """What becomes of the judges' word.

    KEEP: it stays as it is. DROP: it goes, and solved is unknown. ALL: every episode is judged again. OPEN: those that
    no judge has settled yet are.
    """

    KEEP = "keep"
    DROP = "drop"
    ALL = "all"
    OPEN = "open"

    def asks(self, result: Result) -> bool:
        """Whether a judge is asked about this result."""
        settled = result.judge is not None and result.judge.verdict is not None
        return self is Rejudge.ALL or (self is Rejudge.OPEN and not settled)


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

    @property
    def prompts_changed(self) -> bool:
        """Whether judges who had answered were asked again, because the prompts are not those that they answered."""
        before, after = self.before.judge, self.after.judge
        return before is not None and after is not None and bool(before.judges) and before.prompts != after.prompts


def choose_rejudging(
    config: RunConfig, scenarios: Mapping[str, Scenario], fields: Mapping[str, Any], *, unscored: bool
) -> tuple[Rejudge, RunConfig]:
    """What the judge flags of `score` mean for a run, and the configuration with the judges that are then asked.

    Without a model of its own, `--judge llm` asks those of the run.

    Raises:
        UserError: the flags contradict one another, or nothing in the run is judged.
    """
    given = {name: value for name, value in fields.items() if value}
    if not given and not unscored:
        return Rejudge.KEEP, config
    if not any(isinstance(scenario, JudgedScenario) for scenario in scenarios.values()):
        raise UserError(f"nothing in this run is judged: its scenarios are {', '.join(sorted(scenarios))}")
    if given.get("judge") == NO_JUDGE:
        if unscored or len(given) > 1:
            raise UserError("--judge none forgets what judges said: leave --unscored and the other --judge flags out")
        return Rejudge.DROP, config
    config = resolve_judge(make_config(**config.model_dump() | given | {"judge": LLM_JUDGE}), scenarios.values())
    return (Rejudge.OPEN if unscored else Rejudge.ALL), config


def rescore_run(
    paths: RunPaths,
    manifest: Manifest,
    samples: Mapping[str, Sample],
    scenarios: Mapping[str, Scenario],
    store: RepositoryStore,
    *,
    jobs: int,
    rejudge: Rejudge = Rejudge.KEEP,
    panel: Panel | None = None,
) -> list[Rescored]:
    """Score every result of a run that has an outcome, and put the new one in its place.

    Raises:
        UserError: a scenario of the run is not installed.
        RunAborted: no episode can be judged; what was done by then stays.
    """
    missing = [name for name in manifest.scenarios if name not in scenarios]
    if missing:
        raise UserError(f"the scenario {missing[0]} of run {paths.folder} is not installed")
    results = [result for path in paths.result_files() if (result := read_result(path)) is not None]
    with_outcome = [result for result in results if result.outcome is not None and result.sample_id in samples]

    def work(result: Result) -> Rescored:
        sample, scenario = samples[result.sample_id], scenarios[result.scenario]
        return rescore_episode(paths, result, sample, scenario, store, manifest.config.tools, rejudge, panel)

    rescored: Sequence[Rescored] = Parallel(n_jobs=jobs, backend="threading")(
        delayed(work)(result) for result in with_outcome
    )
    return list(rescored)


def rescore_episode(
    paths: RunPaths,
    result: Result,
    sample: Sample,
    scenario: Scenario,
    store: RepositoryStore,
    tools: ToolSet,
    rejudge: Rejudge = Rejudge.KEEP,
    panel: Panel | None = None,
) -> Rescored:
    """Score one saved outcome again, and judge it again where `rejudge` says so.

    Raises:
        RunAborted: no episode can be judged; the result is as it was.
    """
    record = result.outcome
    assert record is not None
    files = paths.episode(*result.key)
    start = time.perf_counter()
    judge_s = result.timings.judge_s
    try:
        bundle = None if record.bundle_bytes is None else files.bundle.read_bytes()
        outcome = Outcome(record.head, bundle, record.state, record.problem)
        verdict = scenario.score(sample, store, outcome)
        scored = time.perf_counter()
        if isinstance(scenario, JudgedScenario):
            judge = _kept(result, rejudge)
            if panel is not None and rejudge.asks(result) and problem_of(record, verdict) is None:
                judge = judge_outcome(
                    "/".join(map(str, result.key)), sample, scenario, store, outcome, panel,
                    paths=files, before=result.judge,
                )  # fmt: skip
                judge_s = round(time.perf_counter() - scored, 6)
            settled = settle_judged(record, verdict, tools, judge)
        else:
            settled = settle(record, verdict, tools)
    except RunAborted:
        raise
    except (GitGoodBenchError, OSError) as problem:
        return Rescored(result, result, one_line(str(problem)))
    timings = {"scoring_s": round(scored - start, 6), "judge_s": judge_s}
    update = {
        **settled.fields(),
        "facts": {**result.facts, **settled.facts},
        "timings": result.timings.model_copy(update=timings),
    }
    after = result.model_copy(update=update)
    write_result(files.result, after)
    return Rescored(result, after)


def _kept(result: Result, rejudge: Rejudge) -> JudgeRecord | None:
    return None if rejudge is Rejudge.DROP else result.judge
