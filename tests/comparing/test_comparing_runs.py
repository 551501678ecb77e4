"""Runs compared pair by pair: what is matched, what is counted, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.comparing.compare import compare_runs, names_for
from gitgoodbench.comparing.records import Comparison, Pair
from gitgoodbench.errors import Status, UserError
from gitgoodbench.runs.account import Account, Spent
from gitgoodbench.runs.result import Timings, UsageRecord
from gitgoodbench.scoring.statistics import holm
from tests.support.compared import played, results_of
from tests.support.fake_runs import failed_result, make_result

A = "1111111100001111"
B = "1110000001001111"
"""Of 16: five solved by A alone, one by B alone, seven by both, three by neither."""


def the_pair(found: Comparison, score: str = "solved", scenario: str | None = "mcr") -> Pair:
    (pair,) = [pair for pair in found.pairs if pair.score == score and pair.scenario == scenario]
    return pair


def test_flips_are_counted_both_ways_and_tested() -> None:
    pair = the_pair(compare_runs([played("a", A), played("b", B)]))
    assert (pair.n, pair.only_a, pair.only_b, pair.both, pair.neither) == (16, 5, 1, 7, 3)
    assert (pair.mean_a, pair.mean_b, pair.difference) == (12 / 16, 8 / 16, 4 / 16)
    assert pair.p_mcnemar == pytest.approx(2 * (1 + 6) / 2**6)
    assert (pair.samples, pair.repositories) == (16, 4)
    assert pair.interval_by == "score"
    assert pair.interval is not None
    assert pair.interval[0] < 0.25 < pair.interval[1]


def test_flips_name_the_episode_and_the_command_that_explains_it() -> None:
    found = compare_runs([played("a", "10"), played("b", "01")])
    assert [(flip.episode, flip.solved_by) for flip in found.flips] == [("mcr/s0/1", "a"), ("mcr/s1/1", "b")]
    assert found.flips[0].show_a == "gitgoodbench show results/a mcr/s0/1"
    assert found.flips[0].show_b == "gitgoodbench show results/b mcr/s0/1"


def test_a_folder_with_blanks_is_quoted() -> None:
    a, b = played("a", "1"), played("b", "0")
    run = type(a)("a", Path("my runs/a"), a.manifest, a.results)
    assert compare_runs([run, b]).flips[0].show_a == "gitgoodbench show 'my runs/a' mcr/s0/1"


def test_only_episodes_of_both_are_compared() -> None:
    found = compare_runs([played("a", "1111"), played("b", "00")])
    assert the_pair(found).n == 2
    (line,) = found.matching
    assert (line.matched, line.only_in_a, line.only_in_b) == (2, 2, 0)


def test_episodes_are_matched_by_epoch_and_scenario_too() -> None:
    ours = [*results_of("1", epoch=1), *results_of("0", epoch=2), *results_of("1", scenario="ir")]
    theirs = [*results_of("0", epoch=2), *results_of("1", epoch=3), *results_of("1", scenario="icc")]
    found = compare_runs([played("a", ours), played("b", theirs)])
    assert {(line.scenario, line.matched, line.only_in_a, line.only_in_b) for line in found.matching} == {
        ("mcr", 1, 1, 1),
        ("ir", 0, 1, 0),
        ("icc", 0, 0, 1),
    }
    assert the_pair(found).neither == 1


def test_without_a_verdict_the_pair_is_left_out_and_counted() -> None:
    ours = [*results_of("11-"), failed_result("s3", Status.INFRASTRUCTURE_FAILED, "503"), make_result("s4")]
    theirs = [*results_of("1--1"), failed_result("s4", Status.UNSCORED, "unreadable")]
    pair = the_pair(compare_runs([played("a", ours), played("b", theirs)]))
    assert pair.n == 1
    assert pair.left_out == {"a: not judged": 1, "a: infrastructure_failed": 1, "b: not judged": 1, "b: unscored": 1}


def test_where_nobody_judged_there_is_no_figure_but_the_gates() -> None:
    found = compare_runs([played("a", "---"), played("b", "---")])
    pair = the_pair(found)
    assert (pair.n, pair.difference, pair.interval, pair.p_mcnemar, pair.p_holm) == (0, None, None, None, None)
    assert pair.left_out == {"a: not judged": 3}
    gates = the_pair(found, "all_gates")
    assert (gates.n, gates.both, gates.difference) == (3, 3, 0.0)


def test_graded_scores_are_compared_by_their_differences_and_null_stays_null() -> None:
    values = [(0.9, 0.5), (0.8, 0.6), (0.7, 0.65), (0.4, 0.5), (1.0, 0.2), (0.6, 0.3), (None, 0.5), (0.5, None)]
    ours = [make_result(f"s{n}", scores={"ted": a}) for n, (a, _) in enumerate(values)]
    theirs = [make_result(f"s{n}", scores={"ted": b}) for n, (_, b) in enumerate(values)]
    pair = the_pair(compare_runs([played("a", ours), played("b", theirs)]), "ted")
    assert pair.n == 6
    assert pair.left_out == {"a: no value": 1, "b: no value": 1}
    assert pair.difference == pytest.approx((0.4 + 0.2 + 0.05 - 0.1 + 0.8 + 0.3) / 6)
    # ranks of |d|: 0.05 is 1, 0.1 is 2; W- = 2, and of the 64 ways of signs 3 have W <= 2, at each end
    assert pair.p_wilcoxon == pytest.approx(2 * 3 / 64)
    assert (pair.only_a, pair.p_mcnemar) == (None, None)


def test_a_score_that_only_repeats_solved_is_no_score_of_its_own() -> None:
    found = compare_runs([played("a", A), played("b", B)])
    assert [pair.score for pair in found.pairs] == ["solved", "all_gates"]


def test_epochs_of_one_sample_are_one_cluster() -> None:
    ours = [one for epoch in range(1, 6) for one in results_of("1", epoch=epoch)]
    theirs = [one for epoch in range(1, 6) for one in results_of("0", epoch=epoch)]
    pair = the_pair(compare_runs([played("a", ours), played("b", theirs)]))
    assert (pair.n, pair.samples, pair.only_a, pair.p_mcnemar) == (5, 1, 5, 1.0)


def test_several_runs_are_compared_in_pairs_and_p_is_adjusted_by_holm() -> None:
    runs = [played("a", "1" * 12), played("b", "1" * 6 + "0" * 6), played("c", "0" * 12)]
    found = compare_runs(runs)
    pairs = [pair for pair in found.pairs if pair.score == "solved"]
    assert [(pair.a, pair.b) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    plain = [2 / 2**6, 2 / 2**12, 2 / 2**6]
    assert [pair.p_mcnemar for pair in pairs] == pytest.approx(plain)
    assert [pair.p_holm for pair in pairs] == pytest.approx([2 * 2 / 2**6, 3 * 2 / 2**12, 2 * 2 / 2**6])
    assert holm(plain) == pytest.approx([pair.p_holm for pair in pairs])


def test_against_one_run_each_other_is_compared_with_it_alone() -> None:
    runs = [played("a", "111"), played("b", "100"), played("c", "000")]
    found = compare_runs(runs, against="b")
    assert [(pair.a, pair.b) for pair in found.pairs if pair.score == "solved"] == [("b", "a"), ("b", "c")]
    assert found.against == "b"


def test_a_pair_with_nothing_in_common_is_named_and_the_others_are_compared() -> None:
    runs = [played("a", "11"), played("b", "10"), played("c", results_of("1", scenario="ir"))]
    found = compare_runs(runs)
    assert found.unmatched == (("a", "c"), ("b", "c"))
    assert {(pair.a, pair.b) for pair in found.pairs} == {("a", "b")}


def test_runs_without_a_common_episode_are_refused() -> None:
    with pytest.raises(UserError, match=r"results/a has 1 results of mcr, .*; compare runs over the same suite"):
        compare_runs([played("a", "1"), played("b", results_of("1", scenario="ir"))])


def test_one_run_is_too_few_and_none_is_compared_with_itself() -> None:
    with pytest.raises(UserError, match="two runs or more"):
        compare_runs([played("a", "1")])
    with pytest.raises(UserError, match="named 2 times"):
        compare_runs([played("a", "1"), played("a", "1")])


def test_several_scenarios_are_compared_together_too_by_sample() -> None:
    ours = [*results_of("11"), *results_of("11", scenario="ir")]
    theirs = [*results_of("10"), *results_of("00", scenario="ir")]
    found = compare_runs([played("a", ours), played("b", theirs)])
    pair = the_pair(found, scenario=None)
    assert (pair.n, pair.samples, pair.only_a) == (4, 2, 3)
    assert {stratum.value for stratum in pair.strata if stratum.dimension == "scenario"} == {"mcr", "ir"}


def test_strata_are_difficulty_language_and_what_manifests_count_by() -> None:
    def results(solved: tuple[bool, ...], wide: tuple[bool, ...]) -> list[object]:
        kinds = [("easy", "java", True), ("hard", "java", False), ("hard", "python", False), ("hard", "java", None)]
        return [
            make_result(f"s{n}", difficulty=kind, language=language, solved=ours, facts={"wide": fact and is_wide})
            for n, ((kind, language, fact), ours, is_wide) in enumerate(zip(kinds, solved, wide, strict=True))
        ]

    ours, theirs = results((True, True, True, True), (True,) * 4), results((False, True, False, True), (True,) * 4)
    runs = [played("a", ours), played("b", theirs)]  # type: ignore[arg-type]
    named = [
        type(run)(
            run.name,
            run.folder,
            run.manifest.model_copy(update={"denominators": {"mcr": {"wide": "broad"}}}),
            run.results,
        )
        for run in runs
    ]
    strata = the_pair(compare_runs(named)).strata
    assert [(s.dimension, s.value, s.n, s.only_a, s.only_b) for s in strata] == [
        ("difficulty", "easy", 1, 1, 0),
        ("difficulty", "hard", 3, 1, 0),
        ("language", "java", 3, 1, 0),
        ("language", "python", 1, 1, 0),
        ("broad", "broad", 1, 1, 0),
        ("broad", "not broad", 2, 1, 0),
    ]


def test_cost_tokens_and_time_are_of_the_same_answers() -> None:
    def usage(cost: float | None, prompt: int) -> UsageRecord:
        return UsageRecord(requests=1, prompt_tokens=prompt, completion_tokens=10, cost_usd=cost)

    ours = [make_result(f"s{n}", usage=usage(0.2, 90), timings=Timings(total_s=4.0)) for n in range(6)]
    theirs = [make_result(f"s{n}", usage=usage(0.1, 40), timings=Timings(total_s=2.0)) for n in range(5)]
    theirs.append(make_result("s5", usage=usage(None, 40), timings=Timings(total_s=None)))
    found = {one.measure: one for one in compare_runs([played("a", ours), played("b", theirs)]).efforts}
    cost = found["cost_usd"]
    assert (cost.n, cost.unknown) == (5, 1)
    assert (cost.total_a, cost.total_b, cost.difference, cost.ratio) == pytest.approx((1.0, 0.5, 0.1, 2.0))
    assert cost.interval == pytest.approx((0.1, 0.1))
    assert cost.ratio_interval == pytest.approx((2.0, 2.0))
    assert (found["tokens"].n, found["tokens"].total_b) == (6, 300)
    assert (found["seconds"].n, found["seconds"].unknown) == (5, 1)


def test_costs_are_those_of_the_ledger_and_unknown_ones_are_not_zero() -> None:
    ours, theirs = played("a", "11"), played("b", "11")
    ledger = Account({("mcr/s0/1", "agent"): Spent(2.0, 3), ("mcr/s1/1", "agent"): Spent(1.0, 3, unknown=1)})
    run = type(ours)("a", ours.folder, ours.manifest, ours.results, ledger)
    (cost,) = [one for one in compare_runs([run, theirs]).efforts if one.measure == "cost_usd"]
    assert (cost.n, cost.unknown, cost.total_a, cost.total_b) == (1, 1, 2.0, 0.25)


def test_how_many_more_samples_are_needed() -> None:
    pair = the_pair(compare_runs([played("a", A), played("b", B)]))
    assert pair.needed_samples is not None
    assert pair.more_samples == pair.needed_samples - 16
    same = the_pair(compare_runs([played("a", A), played("b", A)]))
    assert (same.needed_samples, same.more_samples, same.p_mcnemar) == (None, None, 1.0)


def test_runs_are_called_by_their_ids_or_else_by_their_folders() -> None:
    assert names_for([Path("x/a"), Path("x/b")], ["a", "b"]) == ["a", "b"]
    assert names_for([Path("x/a"), Path("y/a"), Path("y/b")], ["a", "a", "b"]) == ["x/a", "y/a", "b"]


def test_the_frame_has_a_row_for_each_pair() -> None:
    frame = compare_runs([played("a", A), played("b", B)]).frame()
    assert list(frame["score"]) == ["solved", "all_gates"]
    assert (frame["only_a"][0], frame["only_b"][0], frame["left_out"][0]) == (5, 1, 0)
    assert {"interval_low", "interval_high", "p_holm"} <= set(frame.columns)
    assert "strata" not in frame.columns
