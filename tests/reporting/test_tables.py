"""Tables and progress as people see them."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from gitgoodbench.errors import Status
from gitgoodbench.reporting.columns import epoch_columns
from gitgoodbench.reporting.files import summary_csv, summary_json
from gitgoodbench.reporting.published import published_figures
from gitgoodbench.reporting.summary import DIMENSIONS, RunSummary, summarize
from gitgoodbench.reporting.tables import make_console, print_report
from gitgoodbench.runs.result import Result, UsageRecord
from gitgoodbench.scoring.judge.record import JudgeRecord, State
from tests.support.fake_runs import failed_result, make_manifest, make_result


def plain() -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    return Console(file=stream, width=400, no_color=True, highlight=False), stream


def terminal(width: int) -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    return Console(file=stream, width=width, force_terminal=True, color_system=None), stream


def oracle() -> RunSummary:
    results = [make_result(f"s{number}", difficulty="easy", agent="oracle") for number in range(3)]
    return summarize(make_manifest(agent="oracle", run_id="a"), results)


def model() -> RunSummary:
    results = [
        make_result("s0", difficulty="easy", usage=UsageRecord(requests=1, cost_usd=1.25)),
        make_result("s1", difficulty="easy", solved=False, scores={"exact_match": 0.0, "files_exact": 0.25}),
        failed_result("s2", Status.SETUP_FAILED, "[red]x/y is gone[/red]", difficulty="easy"),
    ]
    return summarize(make_manifest(agent="openai", model="gpt-4o", run_id="b"), results)


def lines_of(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.split("\n") if line.strip()]


def test_two_runs_stand_in_one_table_each_with_all_three_denominators() -> None:
    console, stream = plain()
    print_report(console, [oracle(), model()], by=[])
    lines = lines_of(stream.getvalue())
    assert lines[0] == "mcr: solved, on suite fake, published tools: 3 samples, 3 attainable"
    assert lines[1] == "agent rows success of attainable of answers [95 %] of all cost s/episode"
    assert lines[2] == (
        "oracle 3 3/3 100.0 % 3/3 100.0 % [43.9, 100.0] 3/3 100.0 % [43.9, 100.0] 3/3 100.0 % $0.75 1.50"
    )
    assert lines[3] == (
        "openai (gpt-4o) 3 2/3 66.7 % 1/2 50.0 % [9.5, 90.5] 1/2 50.0 % [9.5, 90.5] 1/3 33.3 % $1.75 1.50"
    )


def test_gates_and_scores_stand_together_and_say_how_many_answers_have_a_score() -> None:
    console, stream = plain()
    print_report(console, [oracle(), model()], by=[])
    lines = lines_of(stream.getvalue())
    assert lines[4:] == [
        "mcr: gates met, mean scores (n where of fewer answers)",
        "all files",
        "agent gates committed clean exact",
        "oracle 3/3 3/3 3/3 -",
        "openai (gpt-4o) 2/2 2/2 2/2 25.0 % (1)",
        *lines[9:],
    ]


def chains(*, judged: bool, agent: str = "fake", scenario: str = "icc") -> RunSummary:
    """Two chains of three hunks, one of them attainable; won or not judged."""
    solved = True if judged else None
    results = [
        make_result(
            f"c{number}", scenario=scenario, solved=solved, agent=agent, gates={"final_tree_exact": True},
            facts={"splittable": True, "attainable": number == 0}, scores={"line_grouping": (1.0, 0.5)[number]},
            usage=UsageRecord(requests=0, cost_usd=0.0),
        )
        for number in range(2)
    ]  # fmt: skip
    return summarize(make_manifest(samples=2, agent=agent), results)


def test_without_a_judge_a_scenario_says_so_and_shows_what_is_known_instead() -> None:
    console, stream = plain()
    print_report(console, [chains(judged=False)], by=list(DIMENSIONS))
    assert lines_of(stream.getvalue()) == [
        "icc: not judged, so that solved is not known (--judge llm), on suite fake, published tools: "
        "2 samples, 2 splittable, 1 attainable",
        "agent rows success all gates met [95 %] s/episode",
        "fake 2 2/2 100.0 % 2/2 100.0 % [34.2, 100.0] 1.50",
        "icc: gates met, mean scores (n where of fewer answers)",
        "line",
        "all final line grouping",
        "agent gates tree exact grouping of attainable",
        "fake 2/2 2/2 75.0 % 100.0 % (1)",
    ]


def unjudged_runs() -> dict[str, tuple[list[Result], str]]:
    """Runs in which no judge settled anything, and what their first table says of it."""
    unjudged = make_result("c0", scenario="icc", solved=None, solved_paper=None, gates={"finished": True})
    failed = failed_result("c1", Status.INFRASTRUCTURE_FAILED, "503", scenario="icc")
    judge = JudgeRecord(state=State.PENDING)
    pending = failed_result("c2", Status.UNSCORED, "not judged yet", scenario="icc", judge=judge)
    return {
        "one failed": ([unjudged, failed], "not judged, so that solved is not known (--judge llm)"),
        "all failed": ([failed], "no episode gave an answer, so that solved is not known"),
        "pending": ([pending, failed], "no judge has answered yet, so that solved is not known (gitgoodbench resume)"),
    }


@pytest.mark.parametrize("case", ["one failed", "all failed", "pending"])
def test_where_nobody_judged_there_is_no_table_of_solve_rates_failures_or_not(case: str) -> None:
    console, stream = plain()
    results, reason = unjudged_runs()[case]
    print_report(console, [summarize(make_manifest(samples=2), results)], by=list(DIMENSIONS))
    lines = lines_of(stream.getvalue())
    assert lines[0].startswith(f"icc: {reason}, on suite fake")
    assert lines[1] == "agent rows success all gates met [95 %] cost s/episode"
    assert not any("solved of answers" in line or "of all" in line for line in lines if not line.startswith("fake:"))


def test_a_run_that_nobody_judged_has_no_solve_rate_beside_others_that_have() -> None:
    console, stream = plain()
    unjudged = summarize(make_manifest(samples=2, agent="other"), unjudged_runs()["one failed"][0])
    print_report(console, [chains(judged=True), unjudged], by=[], published=published_figures({"icc"}))
    (line,) = (line for line in lines_of(stream.getvalue()) if line.startswith("other 2 "))
    assert line == "other 2 1/2 50.0 % - - - - $0.50 1.50"


def test_a_run_that_was_judged_in_part_has_every_row_in_of_all() -> None:
    console, stream = plain()
    results = [make_result("c0", scenario="icc"), *unjudged_runs()["one failed"][0][1:]]
    results.append(make_result("c3", scenario="icc", solved=None, solved_paper=None))
    print_report(console, [summarize(make_manifest(), results)], by=[])
    lines = lines_of(stream.getvalue())
    assert lines[2].startswith("fake 3 2/3 66.7 % 1/1 100.0 % [20.7, 100.0] 1/1 100.0 % [20.7, 100.0] 1/3 33.3 %")
    assert "fake: 1 of icc's rows were not judged (only in `of all`, as not solved)" in lines


def test_epochs_have_their_mean_with_pass_at_k_and_pass_hat_k_beside() -> None:
    console, stream = plain()
    results = [
        make_result(f"s{number}", epoch=epoch, solved=epoch <= solved)
        for number, (solved, epochs) in enumerate([(2, 3), (0, 3), (2, 2)])
        for epoch in range(1, epochs + 1)
    ]
    print_report(console, [summarize(make_manifest(epochs=3), results)], by=[])
    lines = lines_of(stream.getvalue())
    at = lines.index("mcr: solved of answers over epochs: mean, pass@k, pass^k (n where fewer samples have k answers)")
    assert lines[0] == "mcr: solved, on suite fake, published tools: 3 samples in 3 epochs, 3 attainable"
    # epochs: 2/3, 2/3, 0/2; pass@2: 1, 0, 1; pass^2: 1/3, 0, 1
    assert lines[at + 1 : at + 4] == [
        "mean of epochs",
        "agent +- std. error pass@1 pass@2 pass@3 pass^2 pass^3",
        "fake 44.4 % +- 22.2 (3) 55.6 % 66.7 % 50.0 % (2) 44.4 % 0.0 % (2)",
    ]


def test_of_many_epochs_only_some_k_have_columns() -> None:
    every = [summarize(make_manifest(epochs=11), [make_result("s0", epoch=epoch) for epoch in range(1, 12)]).overall]
    headers = [column.header for column in epoch_columns(every)]
    assert headers[1:] == [f"pass@{k}" for k in (1, 2, 3, 4, 8, 11)] + [f"pass^{k}" for k in (2, 3, 4, 8, 11)]


def test_one_epoch_has_no_table_of_epochs() -> None:
    assert epoch_columns([oracle().overall]) == []


def test_what_was_done_to_commits_is_counted_where_it_is_known() -> None:
    names = ("commits_combined", "commits_reordered", "commits_split", "only_reworded")
    told = [(True, True, False, False), (False, False, False, True), (None, None, None, None)]
    results = [
        make_result(
            f"c{n}", scenario="ir", gates={"linear": True}, facts=dict(zip(names, facts, strict=True)), scores={}
        )
        for n, facts in enumerate(told)
    ]
    summary = summarize(make_manifest(samples=3), results)
    console, stream = plain()
    print_report(console, [summary], by=[])
    assert lines_of(stream.getvalue())[-4:] == [
        "ir: what was done to the real chain's commits (of answers where it is known)",
        "commits commits commits only",
        "agent combined reordered split reworded",
        "fake 1/2 1/2 0/2 1/2",
    ]
    assert summary_json(summary)["scenarios"]["ir"]["total"]["edits"]["only_reworded"]["rate"] == 0.5
    assert "commits_reordered" in summary_csv(summary).splitlines()[0].split(",")


def test_what_is_judged_has_its_denominators() -> None:
    console, stream = plain()
    print_report(console, [chains(judged=True)], by=[])
    lines = lines_of(stream.getvalue())
    assert lines[1] == "agent rows success of attainable of splittable of answers [95 %] of all s/episode"
    assert lines[2] == (
        "fake 2 2/2 100.0 % 1/1 100.0 % [20.7, 100.0] 2/2 100.0 % [34.2, 100.0] 2/2 100.0 % [34.2, 100.0] "
        "2/2 100.0 % 1.50"
    )


def test_each_scenario_has_its_tables_with_the_agents_that_played_it() -> None:
    console, stream = plain()
    print_report(console, [oracle(), chains(judged=False, agent="per-hunk")], by=["difficulty"])
    titles = [line for line in lines_of(stream.getvalue()) if ": " in line]
    assert [title.split(",")[0] for title in titles] == [
        "icc: not judged", "icc: gates met", "mcr: solved", "mcr: solved of answers", "mcr: gates met",
    ]  # fmt: skip
    assert sum(line.startswith("oracle") for line in lines_of(stream.getvalue())) == 3
    assert sum(line.startswith("per-hunk") for line in lines_of(stream.getvalue())) == 2


def test_scenarios_with_solve_rates_are_also_put_together() -> None:
    console, stream = plain()
    results = [make_result("s0"), make_result("c0", scenario="ir", solved=False), make_result("c1", scenario="icc")]
    run = summarize(make_manifest(), results)
    print_report(console, [run], by=[], published=published_figures({"mcr", "ir", "icc"}))
    lines = lines_of(stream.getvalue())
    at = lines.index("all scenarios: solved, on suite fake, published tools")
    assert lines[at + 2].startswith("fake 3 3/3 100.0 % 2/3 66.7 % [20.8, 93.9] 2/3 66.7 % [20.8, 93.9] 2/3 66.7 %")
    assert "GPT-4o baseline [published, lite, all scenarios] 180 88.0 % - - 38/180 21.1 %" in lines[at:]


def test_options_of_plug_ins_are_named_where_they_decide_results_and_are_not_the_default() -> None:
    console, stream = plain()
    result = make_result("c0", scenario="icc")
    manifests = [make_manifest(hunks="all"), make_manifest(hunks="all", image="mine:1")]
    runs = [summarize(manifest, [result]) for manifest in manifests]
    print_report(console, runs, by=[])
    headings = [line for line in lines_of(stream.getvalue()) if line.startswith("icc: solved, ")]
    assert headings == ["icc: solved, on suite fake, published tools, icc.hunks=all: 1 sample, 1 attainable"]


def test_on_a_narrow_terminal_gates_and_scores_stand_below_each_other() -> None:
    console, stream = terminal(40)
    print_report(console, [chains(judged=False)], by=[])
    assert [line for line in lines_of(stream.getvalue()) if line.startswith("icc: ")][1:] == [
        "icc: gates met",
        "icc: mean scores (n where of fewer answers)",
    ]


def test_scores_against_the_truth_come_first() -> None:
    console, stream = plain()
    scores = {"syntax_valid": 1.0, "line_grouping": 0.5}
    print_report(console, [summarize(make_manifest(samples=1), [make_result(scores=scores, facts={})])], by=[])
    assert lines_of(stream.getvalue())[-1] == "fake 1/1 1/1 1/1 50.0 % 100.0 %"


def test_a_run_without_any_result_says_so() -> None:
    console, stream = plain()
    print_report(console, [summarize(make_manifest(), [])], by=[])
    assert lines_of(stream.getvalue()) == [
        "no episode has been run yet", "fake: 3 of 3 episodes have not been run yet",
    ]  # fmt: skip


def test_failures_are_listed_below_with_count_and_reason_as_plain_text() -> None:
    console, stream = plain()
    print_report(console, [model()], by=[])
    assert "openai (gpt-4o): 1 of 3 rows are no answers (only in `success` and `of all`):" in stream.getvalue()
    assert "  1 x setup_failed: [red]x/y is gone[/red] (mcr/s2/1)" in stream.getvalue()


def test_breakdowns_show_solved_of_answers_and_of_attainable() -> None:
    console, stream = plain()
    print_report(console, [oracle(), model()], by=list(DIMENSIONS))
    lines = lines_of(stream.getvalue())
    at = lines.index("mcr: solved of answers, by difficulty (of attainable)")
    assert lines[at + 1 : at + 4] == [
        "agent easy",
        "oracle 3/3 100.0 % (3/3)",
        "openai (gpt-4o) 1/2 50.0 % (1/2)",
    ]


def test_two_runs_of_one_agent_are_told_apart_by_their_ids() -> None:
    console, stream = plain()
    print_report(console, [oracle(), oracle()], by=[])
    assert stream.getvalue().count("oracle a ") == 4


def test_published_figures_stand_beside_with_their_source() -> None:
    console, stream = plain()
    print_report(console, [model()], by=["difficulty"], published=published_figures({"mcr"}))
    lines = lines_of(stream.getvalue())
    assert "GPT-4o baseline [published, lite, mcr] 60 76.7 % - - 8/60 13.3 %" in lines
    assert "mini-swe-agent + deepseek-v4.1-flash [published, lite, mcr] 60 - - - 40.6 % +- 2.0" in lines
    assert "GPT-4o baseline [published, lite, mcr] 7/31 22.6 %" in lines
    assert "published figures: GitGoodBench, arXiv 2505.22583; reported by others on the 60 merge rows" in lines[-3]


def test_a_narrow_terminal_has_the_columns_without_room_below_and_loses_no_interval() -> None:
    console, stream = terminal(80)
    print_report(console, [oracle(), model()], by=[])
    assert all(len(line) <= 80 for line in stream.getvalue().split("\n"))
    lines = [line for line in lines_of(stream.getvalue()) if line.strip("\u2500 ")]
    at = lines.index("agent rows success of attainable")
    assert lines[at : at + 6] == [
        "agent rows success of attainable",
        "oracle 3 3/3 100.0 % 3/3 100.0 % [43.9, 100.0]",
        "openai (gpt-4o) 3 2/3 66.7 % 1/2 50.0 % [9.5, 90.5]",
        "agent of answers [95 %] of all cost s/episode",
        "oracle 3/3 100.0 % [43.9, 100.0] 3/3 100.0 % $0.75 1.50",
        "openai (gpt-4o) 1/2 50.0 % [9.5, 90.5] 1/3 33.3 % $1.75 1.50",
    ]


def test_a_name_too_long_for_a_terminal_is_wrapped_and_no_interval_is_cut() -> None:
    console, stream = terminal(60)
    summary = summarize(make_manifest(agent="openai", model="m" * 50, run_id="a"), [make_result("s0")])
    print_report(console, [summary], by=[])
    assert stream.getvalue().count("1/1 100.0 % [20.7, 100.0]") == 2
    assert "\u2026" not in stream.getvalue()


def test_output_that_is_no_terminal_has_no_colours_boxes_or_wrapping(capsys) -> None:  # type: ignore[no-untyped-def]
    print_report(make_console(), [oracle(), model()], by=list(DIMENSIONS), published=published_figures({"mcr"}))
    text = capsys.readouterr().out
    assert text.isascii()
    assert "\x1b" not in text
