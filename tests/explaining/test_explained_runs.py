"""report --explain: features come from facts, rows and prompts of runs; every form says the same."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

from gitgoodbench import Run, load_run
from gitgoodbench.cli import run
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.explaining.explain import explain_runs
from gitgoodbench.explaining.features import cases_of
from gitgoodbench.reporting.schemas import shipped
from gitgoodbench.runs.manifest import SuitePin, write_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import write_result
from tests.support.fake_runs import make_manifest, make_result

MINI = load_suite("mini")


def of_type(kind: str) -> list[Sample]:
    return [sample for sample in MINI.samples if sample.sample_type == kind]


def save(folder: Path, samples: Sequence[Sample], scenario: str, told: Callable[[int], dict[str, Any]]) -> Path:
    """A run on rows of the built-in suite, whose results are made up."""
    paths = RunPaths(folder)
    pin = SuitePin(
        spec="mini", source="mini", revision=None, fingerprint=MINI.fingerprint, samples=len(MINI.samples), invalid=()
    )
    folder.mkdir(parents=True)
    write_manifest(paths, make_manifest(run_id=folder.name).model_copy(update={"suite": pin}))
    for at, sample in enumerate(samples):
        fields = {"name": sample.name, "language": sample.programming_language, "difficulty": sample.difficulty}
        result = make_result(sample.id, scenario=scenario, **fields, **told(at))
        files = paths.episode(*result.key)
        files.folder.mkdir(parents=True)
        write_result(files.result, result)
        messages = [{"role": "user", "content": "x" * (3998 + 4 * at)}, {"role": "assistant", "content": "done"}]
        lines: list[dict[str, Any]] = [{"kind": "episode", "format": 2}]
        lines += [{"kind": "message", "number": number, "message": one} for number, one in enumerate(messages)]
        files.trajectory.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.fixture
def merges(tmp_path: Path) -> Path:
    return save(
        tmp_path / "merges",
        of_type("merge"),
        "mcr",
        lambda at: {"solved": at % 3 > 0, "facts": {"conflicts": at + 1, "attainable": at % 2 == 0, "other": 7}},
    )


def run_of(folder: Path) -> Run:
    return load_run(folder)


def test_features_are_declared_facts_and_what_is_seen_of_every_sample(merges: Path) -> None:
    cases, others = cases_of([run_of(merges)], "mcr")
    assert (len(cases), others) == (34, 0)
    first = next(case for case in cases if case.id == of_type("merge")[0].id)
    assert first.group == "mini/cairn"
    assert first.features["conflicts"] == 1
    assert first.features["attainable"] == 1
    assert first.features["files in conflict"] is None, "declared, and not known of this run"
    assert first.features["context tokens"] == 1000
    assert first.features["repository made (year)"] == pytest.approx(2024 + 63 / 366)
    assert "other" not in first.features, "a fact that the scenario does not declare"
    languages = [name for name in first.features if name.startswith("in ")]
    assert languages, "all but the most frequent language"


def test_rows_bring_features_of_their_type_and_a_score_may_be_explained(tmp_path: Path) -> None:
    chains = of_type("file_commit_chain")
    folder = save(tmp_path / "r", chains, "icc", lambda at: {"solved": None, "scores": {"history_similarity": at / 40}})
    cases, _ = cases_of([run_of(folder)], "icc", "history_similarity")
    by_id = {case.id: case for case in cases}
    for at, sample in enumerate(chains):
        assert by_id[sample.id].features["purity"] == sample.spec.model_dump()["purity"]
        assert by_id[sample.id].outcome == at / 40
    assert cases_of([run_of(folder)], "icc") == ([], 0), "not judged"


def test_of_several_runs_samples_count_that_all_have_answered(merges: Path, tmp_path: Path) -> None:
    other = save(tmp_path / "other", of_type("merge")[:30], "mcr", lambda _: {"solved": True})
    cases, others = cases_of([run_of(merges), run_of(other)], "mcr")
    assert (len(cases), others) == (30, 4)
    outcomes = {case.id: (case.outcome, case.answers) for case in cases}
    assert outcomes[of_type("merge")[0].id] == (0.5, 2)
    assert outcomes[of_type("merge")[1].id] == (1.0, 2)


def test_a_run_of_another_scenario_hides_no_sample(merges: Path, tmp_path: Path) -> None:
    other = save(tmp_path / "chains", of_type("file_commit_chain"), "icc", lambda _: {"solved": True})
    found = explain_runs([run_of(merges), run_of(other)])
    assert [(one.scenario, one.others) for one in found.scenarios] == [("icc", 0), ("mcr", 0)]
    assert [found.scenarios[0].mean, found.scenarios[1].mean] == [1.0, pytest.approx(22 / 34)]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert run(["report", *arguments, "--explain"]) == 0
    return capsys.readouterr().out


def test_every_form_says_the_same(merges: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read = json.loads(printed(capsys, str(merges), "--format", "json"))
    jsonschema.validate(read, json.loads(shipped("explanation")))
    (explained,) = read["scenarios"]
    features = {one["name"]: one for one in explained["explanation"]["features"]}
    value = features["conflicts"]["correlation"]["value"]
    table = printed(capsys, str(merges))
    assert "mcr: what goes with solved (64.7 % of 34 samples of 3 repositories)" in table
    assert "only 3 repositories: intervals are wide" in table
    assert f"{value:+.2f} [" in next(line for line in table.splitlines() if line.startswith("conflicts"))
    assert "mcr: solved by difficulty, as published" in table
    frame = pd.read_csv(io.StringIO(printed(capsys, str(merges), "--format", "csv"))).set_index("feature")
    assert frame.correlation["conflicts"] == value
    assert frame.known.to_dict() == {name: one["known"] for name, one in features.items()}
    assert f"| {value:+.2f}" in printed(capsys, str(merges), "--format", "markdown").replace("\\", "")
    assert r"\begin{tabular}" in printed(capsys, str(merges), "--format", "latex")


def test_too_few_samples_and_an_unknown_score_are_named(
    merges: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = save(tmp_path / "few", of_type("merge")[:19], "mcr", lambda at: {"solved": at > 9})
    assert run(["report", str(few), "--explain"]) == 2
    assert (
        "too few samples whose solved is known in every run of the scenario (19 of mcr): at least 20"
        in capsys.readouterr().err
    )
    assert run(["report", str(merges), "--outcome", "nothing"]) == 2
    assert "no answer of these runs has a score 'nothing': choose solved" in capsys.readouterr().err
    assert run(["report", str(merges), str(merges), "--explain"]) == 2
    assert "is named 2 times: name it once" in capsys.readouterr().err
