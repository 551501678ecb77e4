"""Scoring saved outcomes again, without a sandbox, and judging them again where that is asked for.

For when the scoring has changed or could not be done, or when another judge shall be heard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import GitGoodBenchError, RunAborted, UserError
from gitgoodbench.following import Following
from gitgoodbench.runs.config import RunConfig, make_config
from gitgoodbench.runs.damage import unscored_of
from gitgoodbench.runs.judging import LLM_JUDGE, NO_JUDGE, resolve_judge
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.paths import EpisodePaths, RunPaths
from gitgoodbench.runs.result import Result, one_line, read_result, save_settled, saved_outcome
from gitgoodbench.runs.settle import Rejudge, Settling, settle
from gitgoodbench.runs.stop import EpisodeGivenUp
from gitgoodbench.scenario import JudgedScenario, Outcome, Scenario


@dataclass(frozen=True)
class Rescored:
    """What happened to one result. problem: why it could not be scored; the result is then as it was."""

    before: Result
    after: Result
    problem: str | None = None

    @property
    def changed(self) -> bool:
        """Whether the verdict is another one; the time it took, its details, by what and the file's format aside."""
        aside = {name: getattr(self.before, name) for name in ("timings", "details", "scored_by", "format")}
        return self.after.model_copy(update=aside) != self.before

    @property
    def prompts_changed(self) -> bool:
        """Whether judges who had answered were asked again, because the prompts are not those that they answered."""
        before, after = self.before.judge, self.after.judge
        return before is not None and after is not None and bool(before.judges) and before.prompts != after.prompts


def choose_rejudging(
    config: RunConfig, scenarios: Mapping[str, Scenario], fields: Mapping[str, Any], *, unscored: bool
) -> tuple[Rejudge, RunConfig]:
    """What the judge flags that `score` was given mean for a run, and the configuration with the judges that it asks.

    Without a model of its own, `--judge llm` asks those of the run.

    Raises:
        UserError: the flags contradict one another, or nothing in the run is judged.
    """
    if not fields and not unscored:
        return Rejudge.KEEP, config
    if not any(isinstance(scenario, JudgedScenario) for scenario in scenarios.values()):
        raise UserError(f"nothing in this run is judged: its scenarios are {', '.join(sorted(scenarios))}")
    if fields.get("judge") == NO_JUDGE:
        if unscored or len(fields) > 1:
            raise UserError("--judge none forgets what judges said: leave --unscored and the other --judge flags out")
        return Rejudge.DROP, config
    config = resolve_judge(make_config(**config.model_dump() | {**fields, "judge": LLM_JUDGE}), scenarios.values())
    return (Rejudge.OPEN if unscored else Rejudge.ALL), config


def rescore_run(
    paths: RunPaths,
    manifest: Manifest,
    samples: Mapping[str, Sample],
    scenarios: Mapping[str, Scenario],
    settling: Settling,
    *,
    jobs: int,
) -> list[Rescored]:
    """Score every result of a run that has an outcome, and put the new one in its place, also where that is damaged.

    What is returned is without details, which are in the files.

    Raises:
        UserError: a scenario of the run is not installed.
        RunAborted: no episode can be judged; what was done by then stays.
    """
    missing = [name for name in manifest.scenarios if name not in scenarios]
    if missing:
        raise UserError(f"the scenario {missing[0]} of run {paths.folder} is not installed")

    def work(path: Path) -> Rescored | None:
        result = read_result(path) or unscored_of(EpisodePaths(path.parent))
        if result is None or result.outcome is None or result.sample_id not in samples:
            return None
        scored = rescore_episode(paths, result, samples[result.sample_id], scenarios[result.scenario], settling)
        return Rescored(_without_details(scored.before), _without_details(scored.after), scored.problem)

    def scored() -> Iterator[Rescored | None]:
        parallel = Parallel(n_jobs=jobs, backend="threading", return_as="generator", batch_size=1)
        yield from parallel(delayed(work)(path) for path in list(paths.result_files()))

    return [each for each in Following(scored()) if each is not None]


def _without_details(result: Result) -> Result:
    return result.model_copy(update={"details": None})


def rescore_episode(
    paths: RunPaths,
    result: Result,
    sample: Sample,
    scenario: Scenario,
    settling: Settling,
    elsewhere: Callable[[tuple[Result, Outcome]], Result] | None = None,
) -> Rescored:
    """Score one saved outcome again, and judge it again where `settling` says so.

    Args:
        elsewhere: settles it in another process.

    Raises:
        RunAborted: no episode can be judged; the result is as it was.
    """
    files = paths.episode(*result.key)
    outcome = saved_outcome(files, result)
    if outcome is None:
        return Rescored(result, result, f"{files.bundle} is missing, cut short or changed")
    try:
        if elsewhere is not None:
            settled = elsewhere((result, outcome))
        else:
            settled = settle(result, outcome, sample, scenario, settling, files)
        after = save_settled(files, settled)
    except (RunAborted, EpisodeGivenUp):
        raise
    except (GitGoodBenchError, OSError) as problem:
        return Rescored(result, result, one_line(str(problem)))
    return Rescored(result, after)
