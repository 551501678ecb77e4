"""Compare runs: all pairs, or each with one."""

from __future__ import annotations

import itertools
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gitgoodbench.comparing.bootstrap import RESAMPLES, SEED
from gitgoodbench.comparing.effort import efforts
from gitgoodbench.comparing.figures import figures, scores_of
from gitgoodbench.comparing.manifests import disagreements
from gitgoodbench.comparing.matching import Matched, PlayedRun, match
from gitgoodbench.comparing.records import (
    FORMAT,
    SOLVED,
    ComparedRun,
    Comparison,
    Effort,
    Flip,
    Matching,
    Pair,
)
from gitgoodbench.comparing.strata import facts_of
from gitgoodbench.errors import UserError
from gitgoodbench.runs.result import Result
from gitgoodbench.scoring.statistics import holm


def names_for(folders: Sequence[Path], run_ids: Sequence[str]) -> list[str]:
    """What runs are called: their ids, or their folders where ids are alike."""
    return [
        run_id if run_ids.count(run_id) == 1 else str(folder) for folder, run_id in zip(folders, run_ids, strict=True)
    ]


def compare_runs(runs: Sequence[PlayedRun], against: str | None = None) -> Comparison:
    """Compare all pairs of runs, or each with the one called `against`, which is then A.

    Raises:
        UserError: there are fewer than two runs, or one of them twice; no two have an episode in common.
    """
    _check(runs)
    every = [match(a, b) for a, b in _pairs_of(runs, against)]
    common = [matched for matched in every if matched.episodes]
    if not common:
        raise UserError(_nothing_in_common(every[0]))
    scenarios = sorted({name for matched in common for name in matched.scenarios})
    scores = {
        name: scores_of(result for run in runs for result in run.results if result.scenario == name)
        for name in scenarios
    }
    return Comparison(
        format=FORMAT,
        runs=tuple(map(_described, runs)),
        against=against,
        seed=SEED,
        resamples=RESAMPLES,
        disagreements=tuple(disagreements(runs, scenarios)),
        unmatched=tuple((matched.a.name, matched.b.name) for matched in every if not matched.episodes),
        matching=tuple(line for matched in common for line in _matching(matched)),
        pairs=tuple(_adjusted([pair for matched in common for pair in _pairs(matched, scores)])),
        flips=tuple(flip for matched in common for flip in _flips(matched)),
        efforts=tuple(effort for matched in common for effort in _efforts(matched)),
    )


def _check(runs: Sequence[PlayedRun]) -> None:
    if len(runs) < 2:
        raise UserError("a comparison needs two runs or more: gitgoodbench compare RUN RUN")
    folders = Counter(run.folder.resolve() for run in runs)
    folder, count = folders.most_common(1)[0]
    if count > 1:
        raise UserError(f"{folder} is named {count} times: a run cannot be compared with itself")


def _pairs_of(runs: Sequence[PlayedRun], against: str | None) -> Iterator[tuple[PlayedRun, PlayedRun]]:
    if against is None:
        return itertools.combinations(runs, 2)
    first = next(run for run in runs if run.name == against)
    return ((first, run) for run in runs if run is not first)


def _nothing_in_common(matched: Matched) -> str:
    a, b = matched.a, matched.b
    found = [f"{run.folder} has {_contents(run)}" for run in (a, b)]
    return (
        f"no two of these runs have an episode in common (sample, scenario and epoch): {'; '.join(found)}; "
        "compare runs over the same suite"
    )


def _contents(run: PlayedRun) -> str:
    scenarios = sorted({result.scenario for result in run.results})
    of = f" of {', '.join(scenarios)}" if scenarios else ""
    return f"{len(run.results)} results{of}, suite {run.manifest.suite.spec}"


def _described(run: PlayedRun) -> ComparedRun:
    model = run.manifest.agent.get("model")
    return ComparedRun(
        name=run.name,
        run_id=run.manifest.run_id,
        folder=str(run.folder),
        agent=str(run.manifest.agent["name"]),
        model=None if model is None else str(model),
        suite=run.manifest.suite.spec,
        planned=run.manifest.plan.episodes,
        results=len(run.results),
    )


def _matching(matched: Matched) -> Iterator[Matching]:
    """By scenario, with those that only one run has."""
    ours, theirs = (Counter(key[0] for key in keys) for keys in (matched.only_in_a, matched.only_in_b))
    common = Counter(episode.a.scenario for episode in matched.episodes)
    for name in sorted(common | ours | theirs):
        yield Matching(matched.a.name, matched.b.name, name, common[name], ours[name], theirs[name])


def _pairs(matched: Matched, scores: Mapping[str, Sequence[str]]) -> Iterator[Pair]:
    """By scenario and score; then solved of all scenarios, where there are several."""
    manifests = (matched.a.manifest, matched.b.manifest)
    for name in matched.scenarios:
        episodes = matched.of(name)
        facts = facts_of(manifests, [name])
        for score in scores[name]:
            yield figures(matched, name, episodes, score, facts)
    if len(matched.scenarios) > 1:
        yield figures(matched, None, matched.episodes, SOLVED, facts_of(manifests, matched.scenarios))


def _adjusted(pairs: Sequence[Pair]) -> list[Pair]:
    """With p adjusted for as many pairs of runs as are compared by the same score of the same scenario."""
    families: dict[tuple[str | None, str], list[int]] = {}
    for place, pair in enumerate(pairs):
        if pair.p is not None:
            families.setdefault((pair.scenario, pair.score), []).append(place)
    found = list(pairs)
    for places in families.values():
        for place, p in zip(places, holm([pairs[place].p or 0.0 for place in places]), strict=True):
            found[place] = replace(pairs[place], p_holm=p)
    return found


def _efforts(matched: Matched) -> Iterator[Effort]:
    for name in matched.scenarios:
        yield from efforts(matched, name, matched.of(name))
    if len(matched.scenarios) > 1:
        yield from efforts(matched, None, matched.episodes)


def _flips(matched: Matched) -> Iterator[Flip]:
    for episode in matched.episodes:
        solved = (episode.a.solved, episode.b.solved)
        if None in solved or solved[0] == solved[1]:
            continue
        result = episode.a
        yield Flip(
            matched.a.name, matched.b.name, result.scenario, result.sample_id, result.epoch,
            solved_by="a" if solved[0] else "b",
            repository=episode.repository, difficulty=result.difficulty, language=result.language,
            show_a=_show(matched.a, result), show_b=_show(matched.b, result),
        )  # fmt: skip


def _show(run: PlayedRun, result: Result) -> str:
    return shlex.join(["gitgoodbench", "show", str(run.folder), "/".join(map(str, result.key))])
