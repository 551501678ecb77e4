"""Tables and progress as people see them."""

from __future__ import annotations

import io

from rich.console import Console

from gitgoodbench.errors import Status
from gitgoodbench.reporting.progress import LiveProgress, PlainProgress, watching
from gitgoodbench.reporting.published import published_figures
from gitgoodbench.reporting.summary import DIMENSIONS, RunSummary, summarize
from gitgoodbench.reporting.tables import make_console, print_report
from gitgoodbench.runs.result import UsageRecord
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
    assert lines[0] == "Solved on suite fake, published tools"
    assert lines[1] == ("agent rows success of attainable of answers [95 %] of all files exact cost s/episode")
    assert lines[2] == (
        "oracle 3 3/3 100.0 % 3/3 100.0 % [43.9, 100.0] 3/3 100.0 % [43.9, 100.0] 3/3 100.0 % - $0.75 1.50"
    )
    assert lines[3] == (
        "openai (gpt-4o) 3 2/3 66.7 % 1/2 50.0 % [9.5, 90.5] 1/2 50.0 % [9.5, 90.5] 1/3 33.3 % 25.0 % $1.75 1.50"
    )


def test_failures_are_listed_below_with_count_and_reason_as_plain_text() -> None:
    console, stream = plain()
    print_report(console, [model()], by=[])
    assert "openai (gpt-4o): 1 of 3 rows say nothing of the agent; only `of all` has them:" in stream.getvalue()
    assert "  1 x setup_failed: [red]x/y is gone[/red] (mcr/s2/1)" in stream.getvalue()


def test_breakdowns_show_solved_of_answers_and_of_attainable() -> None:
    console, stream = plain()
    print_report(console, [oracle(), model()], by=list(DIMENSIONS))
    lines = lines_of(stream.getvalue())
    at = lines.index("Solved, by difficulty")
    assert lines[at + 1 : at + 4] == [
        "agent easy (attainable)",
        "oracle 3/3 100.0 % (3/3)",
        "openai (gpt-4o) 1/2 50.0 % (1/2)",
    ]


def test_two_runs_of_one_agent_are_told_apart_by_their_ids() -> None:
    console, stream = plain()
    print_report(console, [oracle(), oracle()], by=[])
    assert stream.getvalue().count("oracle a ") == 2


def test_published_figures_stand_beside_with_their_source() -> None:
    console, stream = plain()
    print_report(console, [model()], by=["difficulty"], published=published_figures({"mcr"}))
    lines = lines_of(stream.getvalue())
    assert "GPT-4o baseline [published, lite, mcr] 60 76.7 % - - 8/60 13.3 %" in lines
    assert "mini-swe-agent + deepseek-v4.1-flash [published, lite, mcr] 60 - - - 40.6 % +- 2.0" in lines
    assert "GPT-4o baseline [published, lite, mcr] 7/31 22.6 %" in lines
    assert "published figures: GitGoodBench, arXiv 2505.22583; reported by others on the 60 merge rows" in lines[-3]


def test_a_narrow_terminal_loses_intervals_first_and_then_columns_and_is_told_which() -> None:
    console, stream = terminal(80)
    print_report(console, [oracle(), model()], by=[])
    lines = [line for line in stream.getvalue().split("\n") if "too narrow" not in line]
    assert all(len(line) <= 80 for line in lines)
    assert "oracle 3 3/3 100.0 % 3/3 100.0 % 3/3 100.0 % 3/3 100.0 %" in lines_of(stream.getvalue())
    assert "(too narrow for: files exact, cost, s/episode; they are in summary.csv)" in stream.getvalue()


def test_output_that_is_no_terminal_has_no_colours_boxes_or_wrapping(capsys) -> None:  # type: ignore[no-untyped-def]
    print_report(make_console(), [oracle(), model()], by=list(DIMENSIONS), published=published_figures({"mcr"}))
    text = capsys.readouterr().out
    assert text.isascii()
    assert "\x1b" not in text


def test_plain_progress_is_one_line_for_each_episode() -> None:
    console, stream = plain()
    with watching(console, "oracle on mini") as observer:
        assert isinstance(observer, PlainProgress)
        observer.begin(3, [make_result("s0")])
        observer.finished(make_result("s1", solved=False))
        observer.finished(failed_result("s2", Status.SETUP_FAILED, "gone", usage=UsageRecord()))
    assert stream.getvalue().split("\n") == [
        "oracle on mini: 3 episodes, 1 of them finished before",
        "[2/3] mcr/s1/1 completed not solved 1.5 s $0.50",
        "[3/3] mcr/s2/1 setup_failed 1.5 s $0.50: gone",
        "",
    ]


def test_live_progress_counts_by_status_with_cost() -> None:
    console, stream = terminal(160)
    with watching(console, "oracle [b]on[/b] mini") as observer:
        assert isinstance(observer, LiveProgress)
        observer.begin(2, [])
        observer.finished(make_result("s0"))
        observer.finished(failed_result("s1", Status.INFRASTRUCTURE_FAILED, "503"))
    assert "oracle [b]on[/b] mini" in stream.getvalue()
    assert "1 solved, 1 completed, 1 infrastructure_failed, $0.50" in stream.getvalue()
    assert "2/2" in stream.getvalue()
