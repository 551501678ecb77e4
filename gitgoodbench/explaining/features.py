"""Cases of runs: each sample with its features, and how often it was solved.

Features come from whoever knows the sample: facts that its scenario declares, fields that its sample type counts, and
what the harness sees of every sample, whatever it is about. The harness knows none of their names.
"""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.dataset.types import sample_type
from gitgoodbench.errors import UserError
from gitgoodbench.explaining.analysis import Case
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.trajectories import Conversation
from gitgoodbench.scenario import features_of, load_scenarios

SOLVED: Final = "solved"

BYTES_PER_TOKEN: Final = 4
"""For the length of prompts, which no server has counted alone."""

LEAST_OF_A_LANGUAGE: Final = 10
"""Samples; rarer languages are together."""


class PlayedRun(Protocol):
    """A run, as `gitgoodbench.Run` is one."""

    @property
    def id(self) -> str: ...

    @property
    def manifest(self) -> Manifest: ...

    @property
    def results(self) -> Sequence[Result]: ...

    def conversation(self, result: Result) -> Conversation | None: ...


def outcome_of(result: Result, outcome: str) -> float | None:
    """How an answer ended, in [0, 1]; None where that is not known, and where it is no answer."""
    if not result.status.is_answer:
        return None
    if outcome == SOLVED:
        return None if result.solved is None else float(result.solved)
    return result.scores.get(outcome)


def cases_of(runs: Sequence[PlayedRun], scenario: str, outcome: str = SOLVED) -> tuple[list[Case], int]:
    """The samples of a scenario that every run of it has an answer to, in their order; and how many others there are.

    So that all samples have been tried by the same agents, which may be good ones or not.
    """
    playing = sum(any(result.scenario == scenario for result in run.results) for run in runs)
    answers: dict[str, list[tuple[PlayedRun, Result, float]]] = {}
    for run in runs:
        for result in run.results:
            if result.scenario == scenario and (value := outcome_of(result, outcome)) is not None:
                answers.setdefault(result.sample_id, []).append((run, result, value))
    common = {name: found for name, found in answers.items() if len({run.id for run, _, _ in found}) == playing}
    samples = _samples_of(runs)
    languages = _common_languages(found[0][1].language for found in common.values())
    cases = []
    for name in sorted(common):
        run, first, _ = common[name][0]
        values = [value for _, _, value in common[name]]
        features = _features(run, first, samples.get(name)) | _language(first, languages)
        cases.append(Case(name, first.name.lower(), sum(values) / len(values), len(values), features))
    return cases, len(answers) - len(common)


def _samples_of(runs: Iterable[PlayedRun]) -> dict[str, Sample]:
    """The rows that the runs were played on, as far as they can be had."""
    found: dict[str, Sample] = {}
    for spec, fingerprint in dict.fromkeys((run.manifest.suite.spec, run.manifest.suite.fingerprint) for run in runs):
        try:
            suite = load_suite(spec, skip_invalid=True, offline=True)
        except UserError:
            continue
        if suite.fingerprint == fingerprint:
            found |= {sample.id: sample for sample in suite.samples}
    return found


def _features(run: PlayedRun, result: Result, sample: Sample | None) -> dict[str, float | None]:
    """In the order in which they go into the regression, where there is no room for all."""
    facts = {word: _number(result.facts.get(fact)) for fact, word in _declared(result).items()}
    counted: Mapping[str, float] = {}
    seen: dict[str, float | None] = {"context tokens": _context(run, result)}
    if sample is not None:
        counted = sample_type(sample.sample_type).features(sample.spec)
        seen |= {"repository made (year)": _year(sample.created_at), "stars": _number(sample.stargazers)}
    return facts | {name: value for name, value in counted.items() if name not in facts} | seen


def _declared(result: Result) -> Mapping[str, str]:
    """The facts that are features, and their words; of a scenario that is not installed, each number that it tells."""
    try:
        declared = features_of(load_scenarios()[result.scenario])
    except (KeyError, UserError):
        declared = None
    if declared is not None:
        return declared
    return {name: name.replace("_", " ") for name, value in result.facts.items() if _number(value) is not None}


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _context(run: PlayedRun, result: Result) -> float | None:
    """Tokens of what the agent was told at the beginning."""
    conversation = run.conversation(result)
    if conversation is None:
        return None
    told = [message for message in conversation.messages[:2] if message.get("role") in ("system", "user")]
    size = sum(len(json.dumps(message.get("content"), ensure_ascii=False)) for message in told)
    return size / BYTES_PER_TOKEN if told else None


def _year(text: str) -> float | None:
    try:
        made = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return made.year + (made.timetuple().tm_yday - 1) / 366


def _common_languages(languages: Iterable[str]) -> list[str]:
    """Languages of enough samples, without the most frequent one, which the others are compared with."""
    frequent = [name for name, count in Counter(languages).most_common() if count >= LEAST_OF_A_LANGUAGE]
    return frequent[1:]


def _language(result: Result, languages: Sequence[str]) -> dict[str, float | None]:
    return {f"in {language}": float(result.language == language) for language in languages}
