"""The figures of a run: denominators, what is in none of them, and the files made of them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from gitgoodbench.errors import Status
from gitgoodbench.files import make_durably
from gitgoodbench.reporting.files import summary_csv, summary_json, write_summary
from gitgoodbench.reporting.published import published_figures
from gitgoodbench.reporting.summary import RunSummary, read_run, summarize, summarize_cell, varying_dimensions
from gitgoodbench.runs.manifest import write_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Result, UsageRecord, write_result
from gitgoodbench.scoring.statistics import Proportion
from tests.support.fake_runs import failed_result, make_manifest, make_result

UNSOLVED = {"solved": False, "solved_paper": False, "scores": {"exact_match": 0.0, "files_exact": 0.5}}
UNATTAINABLE = {"facts": {"attainable": False}}


def mixed_results() -> list[Result]:
    """Ten rows: 7 answers (3 solved, one of them not attainable), and one of each status that says nothing."""
    return [
        make_result("s0", difficulty="easy", language="java"),
        make_result("s1", difficulty="easy"),
        make_result("s2", **UNATTAINABLE),
        make_result("s3", **UNSOLVED),
        make_result("s4", **UNSOLVED, **UNATTAINABLE, status=Status.GAVE_UP),
        make_result("s5", **UNSOLVED, status=Status.LIMIT_REACHED, success=False, facts={}),
        make_result("s6", **UNSOLVED, status=Status.AGENT_FAILED, success=False),
        failed_result("s7", Status.SETUP_FAILED, "the repository is gone"),
        failed_result("s8", Status.INFRASTRUCTURE_FAILED, "503"),
        failed_result("s9", Status.UNSCORED, "the judge spoke in riddles"),
    ]


def summary() -> RunSummary:
    return summarize(make_manifest(samples=12), mixed_results())


def test_each_solve_rate_has_its_own_denominator() -> None:
    cell = summary().total
    assert cell.rows == 10
    assert cell.of_answers == Proportion(3, 7)
    assert cell.of_attainable == Proportion(2, 4)
    assert cell.of_all == Proportion(3, 10)
    assert cell.success == Proportion(5, 10)


def test_what_says_nothing_of_the_agent_is_listed_with_its_reason() -> None:
    assert [(f.status.value, f.reason, f.episodes) for f in summary().failures] == [
        ("infrastructure_failed", "503", ("mcr/s8/1",)),
        ("setup_failed", "the repository is gone", ("mcr/s7/1",)),
        ("unscored", "the judge spoke in riddles", ("mcr/s9/1",)),
    ]
    assert summary().missing == 2


def test_scores_are_means_over_the_answers_that_have_them() -> None:
    scores = summary().total.scores
    assert (scores["exact_match"].mean, scores["exact_match"].count) == (3 / 7, 7)
    assert (scores["files_exact"].mean, scores["files_exact"].count) == (0.5, 4)


def test_figures_are_broken_down_with_difficulties_in_their_order() -> None:
    by = summary().overall.by
    assert list(by["difficulty"]) == ["easy", "hard"]
    assert by["difficulty"]["easy"].of_answers == Proportion(2, 2)
    assert by["language"]["java"].of_all == Proportion(1, 1)


def test_each_scenario_has_figures_of_its_own() -> None:
    chains = [make_result("c0", scenario="icc", solved=False), make_result("c1", scenario="icc", difficulty="easy")]
    found = summarize(make_manifest(samples=12), [*mixed_results(), *chains])
    assert list(found.scenarios) == ["icc", "mcr"]
    assert found.total.of_answers == Proportion(4, 9)
    assert found.scenarios["mcr"].total.of_answers == Proportion(3, 7)
    assert found.scenarios["icc"].total.of_answers == Proportion(1, 2)
    assert found.scenarios["icc"].by["difficulty"]["easy"].of_answers == Proportion(1, 1)


def test_traits_count_samples_of_which_they_are_known() -> None:
    results = [
        make_result("s0", facts={"splittable": True, "attainable": True}),
        make_result("s0", epoch=2, solved=False, facts={"splittable": True, "attainable": True}),
        make_result("s1", solved=False, facts={"splittable": True, "attainable": False}),
        make_result("s2", facts={"splittable": False, "attainable": None}),
        failed_result("s3", Status.SETUP_FAILED, "gone", facts={}),
    ]
    cell = summarize_cell(results)
    assert (cell.rows, cell.samples, cell.answers) == (5, 4, 4)
    assert cell.traits == {"splittable": Proportion(2, 3), "attainable": Proportion(1, 2)}
    assert (cell.of_traits["splittable"].hits, cell.of_traits["splittable"].total) == (1, 3)
    assert cell.of_attainable == Proportion(1, 2, effective=1)


def test_scores_have_a_mean_over_the_attainable_answers_too() -> None:
    results = [
        make_result("s0", scores={"line_grouping": 1.0}, facts={"attainable": True}),
        make_result("s1", scores={"line_grouping": 0.5}, facts={"attainable": False}),
        make_result("s2", scores={"line_grouping": None}, facts={"attainable": True}),
    ]
    cell = summarize_cell(results)
    assert (cell.scores["line_grouping"].mean, cell.scores["line_grouping"].count) == (0.75, 2)
    assert (cell.attainable_scores["line_grouping"].mean, cell.attainable_scores["line_grouping"].count) == (1.0, 1)


def test_only_dimensions_with_several_values_are_worth_a_breakdown() -> None:
    assert varying_dimensions([summary()]) == ["difficulty", "language"]
    assert varying_dimensions([summarize(make_manifest(), [make_result()])]) == []


def test_epochs_have_a_mean_and_a_standard_error() -> None:
    results = [
        make_result(f"s{number}", epoch=epoch, solved=number < solved)
        for epoch, solved in ((1, 2), (2, 3), (3, 4))
        for number in range(4)
    ]
    epochs = summarize(make_manifest(samples=4, epochs=3), results).overall.epochs
    assert epochs.mean == pytest.approx(0.75)
    assert epochs.standard_error == pytest.approx(0.25 / 3**0.5)
    assert epochs.count == 3


def repeated_results() -> list[Result]:
    """Three samples in three epochs: solved 2 of 3, none of 2 (one failed), 3 of 3."""
    solved = {"s0": (True, True, False), "s1": (False, False, None), "s2": (True, True, True)}
    return [
        failed_result(sample, Status.INFRASTRUCTURE_FAILED, "503", epoch=epoch)
        if verdict is None
        else make_result(sample, epoch=epoch, solved=verdict)
        for sample, verdicts in solved.items()
        for epoch, verdict in enumerate(verdicts, 1)
    ]


def test_intervals_take_the_epochs_of_a_sample_together() -> None:
    cell = summarize_cell(repeated_results())
    assert (cell.of_answers.hits, cell.of_answers.total) == (5, 8)
    # Kish: 8^2 / (3^2 + 2^2 + 3^2) is more than the 3 samples show
    assert cell.of_answers.effective == pytest.approx(64 / 22)
    assert (cell.of_all.hits, cell.of_all.total, cell.of_all.effective) == (5, 9, 3)
    assert cell.gates["clean"] == Proportion(8, 8, effective=64 / 22)


def test_epochs_have_pass_at_k_and_pass_hat_k_of_the_samples_with_k_answers() -> None:
    cell = summarize_cell(repeated_results())
    assert cell.epochs == 3
    assert [(k, round(mean.mean or 0, 4), mean.count) for k, mean in cell.pass_at.items()] == [
        (1, 0.5556, 3), (2, 0.6667, 3), (3, 1.0, 2),
    ]  # fmt: skip
    assert [(k, round(mean.mean or 0, 4), mean.count) for k, mean in cell.pass_hat.items()] == [
        (1, 0.5556, 3), (2, 0.4444, 3), (3, 0.5, 2),
    ]  # fmt: skip


def test_a_chain_that_two_scenarios_play_is_one_sample_of_intervals_and_two_of_pass_at_k() -> None:
    cell = summarize_cell([make_result("c0", scenario="ir"), make_result("c0", scenario="icc", solved=False)])
    assert cell.of_answers == Proportion(1, 2, effective=1)
    assert (cell.pass_at[1].mean, cell.pass_at[1].count) == (0.5, 2)


def test_repeats_are_in_summary_json_and_csv() -> None:
    run = summarize(make_manifest(epochs=3), repeated_results())
    total = summary_json(run)["total"]
    assert total["pass_at_k"]["3"] == {"mean": 1.0, "standard_error": 0.0, "count": 2}
    assert total["pass_hat_k"]["3"]["mean"] == 0.5
    assert (total["of_answers"]["effective"], total["success"]["effective"]) == (pytest.approx(64 / 22), 3)
    line = next(csv.DictReader(summary_csv(run).splitlines()))
    assert (line["pass_at_3"], line["pass_at_3_samples"], line["pass_hat_3"]) == ("1.0", "2", "0.5")


def unjudged_results() -> list[Result]:
    """A chain that nobody judged, and one whose episode failed."""
    unjudged = make_result("c0", scenario="icc", solved=None, solved_paper=None)
    return [unjudged, failed_result("c1", Status.SETUP_FAILED, "gone", scenario="icc")]


def test_of_all_is_of_every_row_also_without_a_judge_and_its_hits_are_then_unknown() -> None:
    run = summarize(make_manifest(), [*unjudged_results(), make_result("s0"), make_result("s1", solved=False)])
    of_all = {name: figures["total"]["of_all"] for name, figures in summary_json(run)["scenarios"].items()}
    assert (of_all["icc"]["hits"], of_all["icc"]["total"], of_all["icc"]["rate"]) == (None, 2, None)
    assert (of_all["mcr"]["hits"], of_all["mcr"]["total"], of_all["mcr"]["rate"]) == (1, 2, 0.5)
    assert (run.total.of_all, run.total.of_answers) == (Proportion(1, 4), Proportion(1, 2))


def test_an_unknown_cost_is_counted_and_not_taken_for_zero() -> None:
    known = make_result("s0", usage=UsageRecord(requests=1, cost_usd=0.5))
    unknown = make_result("s1", usage=UsageRecord(requests=1))
    nothing_asked = make_result("s2", usage=UsageRecord(requests=0))
    cell = summarize_cell([known, unknown, nothing_asked])
    assert (cell.cost_usd, cell.unknown_costs, cell.tokens) == (0.5, 1, None)
    assert summarize_cell([unknown]).cost_usd is None


def test_nothing_has_no_rates() -> None:
    cell = summarize_cell([])
    assert (cell.rows, cell.of_answers.rate, cell.seconds, cell.cost_usd) == (0, None, None, None)


def test_the_summary_is_derived_from_the_result_files_alone(tmp_path: Path) -> None:
    paths = RunPaths(tmp_path / "run")
    make_durably(paths.folder)
    write_manifest(paths, make_manifest(samples=12))
    for result in mixed_results():
        make_durably(paths.episode(*result.key).folder)
        write_result(paths.episode(*result.key).result, result)
    torn = paths.episode("mcr", "torn", 1)
    make_durably(torn.folder)
    torn.result.write_bytes(b'{"sample_id": "torn"')
    manifest, results = read_run(paths)
    assert list(results) == mixed_results()
    write_summary(paths, summarize(manifest, results))
    first = paths.summary_json.read_bytes(), paths.summary_csv.read_bytes()
    write_summary(paths, summarize(*read_run(paths)))
    assert (paths.summary_json.read_bytes(), paths.summary_csv.read_bytes()) == first


def test_summary_json_holds_every_count_beside_its_rate() -> None:
    total = summary_json(summary())["total"]
    assert total["of_answers"]["hits"] == 3
    assert total["of_answers"]["total"] == 7
    assert total["of_answers"]["rate"] == pytest.approx(3 / 7)
    assert total["of_answers"]["wilson_95_low"] == pytest.approx(0.1582, abs=1e-4)
    assert total["statuses"]["setup_failed"] == 1
    json.dumps(summary_json(summary()), allow_nan=False)


def test_summary_csv_has_a_line_for_the_run_and_one_for_every_value() -> None:
    lines = list(csv.DictReader(summary_csv(summary()).splitlines()))
    assert [(line["scenario"], line["dimension"], line["value"]) for line in lines] == [
        (scenario, *value)
        for scenario in ("", "mcr")
        for value in (
            ("total", ""),
            ("difficulty", "easy"),
            ("difficulty", "hard"),
            ("language", "java"),
            ("language", "python"),
        )
    ]
    assert (lines[0]["of_attainable_hits"], lines[0]["of_attainable_total"]) == ("2", "4")
    assert lines[0]["model"] == ""


def test_a_run_without_results_still_has_a_csv() -> None:
    (line,) = csv.DictReader(summary_csv(summarize(make_manifest(), [])).splitlines())
    assert (line["rows"], line["of_answers_rate"]) == ("0", "")


def test_published_figures_are_those_of_the_paper() -> None:
    figures = {(figure.label, figure.scenario): figure for figure in published_figures({"mcr", "ir", "icc"})}
    baseline = figures["GPT-4o baseline", "mcr"]
    assert (baseline.solved, baseline.rows, baseline.success_rate) == (8, 60, 0.7667)
    assert figures["GPT-4o baseline", None].solve_rate == pytest.approx(0.2111, abs=5e-5)
    for name in ("mcr", "ir", "icc"):
        figure = figures["GPT-4o baseline", name]
        for values in figure.breakdown.values():
            assert sum(solved for solved, _ in values.values()) == figure.solved
            assert sum(rows for _, rows in values.values()) == 60


def test_published_figures_of_other_scenarios_are_left_out() -> None:
    assert {figure.scenario for figure in published_figures({"mcr"})} == {"mcr"}


def test_a_copy_of_a_result_counts_once(tmp_path: Path) -> None:
    paths = RunPaths(tmp_path)
    write_manifest(paths, make_manifest())
    result = make_result("s0")
    files = paths.episode(*result.key)
    for folder in (files.folder, files.folder.with_name("1.bak"), paths.samples / "mcr" / "copy" / "1"):
        make_durably(folder)
        write_result(folder / "result.json", result)
    assert read_run(paths)[1] == (result,)
