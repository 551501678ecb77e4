"""Comparisons as people see them: tables, lines, Markdown and JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import jsonschema
import pytest
from rich.console import Console

from gitgoodbench.comparing.compare import compare_runs
from gitgoodbench.comparing.matching import PlayedRun
from gitgoodbench.errors import Status
from gitgoodbench.reporting.comparison import Lines, Sheet, blocks, comparison_json
from gitgoodbench.reporting.comparison_output import markdown, print_blocks
from gitgoodbench.reporting.schemas import shipped
from gitgoodbench.tools import ToolSet
from tests.support.compared import played, results_of
from tests.support.fake_runs import failed_result, make_result


def shown(runs: Sequence[PlayedRun], *, width: int | None = None, flips: int | None = None) -> list[str]:
    stream = io.StringIO()
    if width is None:
        console = Console(file=stream, width=400, no_color=True, highlight=False)
    else:
        console = Console(file=stream, width=width, force_terminal=True, color_system=None)
    found = blocks(compare_runs(runs), {run.name: run for run in runs}, flips=flips, strata=None)
    print_blocks(console, found)
    return stream.getvalue().split("\n")


def squeezed(lines: Sequence[str]) -> list[str]:
    return [" ".join(line.split()) for line in lines if line.strip()]


def test_two_runs_have_a_row_for_each_verdict() -> None:
    lines = squeezed(shown([played("a", "1" * 12), played("b", "1" * 6 + "0" * 6)]))
    assert lines[0] == "A is a, B is b; differences are A less B, in percentage points"
    (solved,) = [line for line in lines if line.startswith("solved 12")]
    assert solved.startswith("solved 12 12/12 100.0 % 6/12 50.0 % 6 0 +50.0 [")
    assert " 0.0312 " in solved
    assert "all gates 12 12/12 100.0 % 12/12 100.0 % 0 0 0.0 [-24.2, 24.2] " in " ".join(lines)


def test_what_differs_is_said_with_both_values_before_any_figure() -> None:
    lines = squeezed(shown([played("a", "11"), played("b", "10", tools=ToolSet.EXTENDED, jobs=3)]))
    warning = lines.index("warning: the runs differ beyond what is compared, so that a difference may come from this:")
    assert lines[warning + 1] == "--tools: published (a); extended (b)"
    assert lines[warning + 2 : warning + 4] == [
        "warning: this bears on seconds alone:",
        "--jobs: 1 (a); 3 (b)",
    ]
    assert warning < next(place for place, line in enumerate(lines) if line.startswith("mcr: verdicts"))


def test_flips_are_explained_by_a_reason_and_a_command() -> None:
    ours = results_of("110")
    theirs = [
        make_result("s0", solved=False, gates={"committed": False}),
        *results_of("101")[1:],
    ]
    lines = squeezed(shown([played("a", ours), played("b", theirs)], flips=1))
    first = lines.index("only a solved 2 that b did not; 1 of them (--flips 2 shows all):")
    assert lines[first + 1 : first + 3] == [
        "mcr/s0/1 (hard, python): gates missed: committed",
        "gitgoodbench show results/b mcr/s0/1",
    ]
    other = lines.index("only b solved 1 that a did not:")
    assert lines[other + 2] == "gitgoodbench show results/a mcr/s2/1"


def test_several_runs_have_a_row_for_each_pair_with_p_by_holm() -> None:
    lines = squeezed(shown([played("a", "1" * 12), played("b", "1" * 6 + "0" * 6), played("c", "0" * 12)]))
    title = lines.index("mcr: solved (p: McNemar's exact test)")
    rows = [line for line in lines[title:] if " vs " in line][1:4]
    assert [row.partition(" 12 ")[0] for row in rows] == ["a vs b", "a vs c", "b vs c"]
    assert "0.0312 0.0625" in rows[0]
    assert not any("only a solved" in line for line in lines)


def test_graded_scores_of_several_runs_are_a_matrix_with_marks() -> None:
    def run(name: str, score: float) -> PlayedRun:
        results = [make_result(f"s{n}", agent=name, scores={"ted": score + n / 100}) for n in range(12)]
        return played(name, results)

    lines = squeezed(shown([run("a", 0.8), run("b", 0.4), run("c", 0.4)]))
    matrix = lines.index("mcr: mean scores, A - B; * where p of Wilcoxon's signed-rank test (Holm) is below 0.05")
    assert lines[matrix + 1 : matrix + 5] == ["A vs B ted", "a vs b +40.0 *", "a vs c +40.0 *", "b vs c 0.0"]


def test_what_is_left_out_is_counted_with_its_reason() -> None:
    ours = [*results_of("1-"), failed_result("s2", Status.SETUP_FAILED, "gone")]
    lines = squeezed(shown([played("a", ours), played("b", "111")]))
    assert lines[-2:] == [
        "matched episodes that are in no figure of solved:",
        "a vs b, mcr: 1 not judged in A, 1 setup_failed in A",
    ]


def test_epochs_are_counted_with_their_samples() -> None:
    ours, theirs = ([one for e in (1, 2) for one in results_of(verdicts, epoch=e)] for verdicts in ("11", "10"))
    lines = squeezed(shown([played("a", ours), played("b", theirs)]))
    assert any(line.startswith("solved 4 (2) 4/4 100.0 % 2/4 50.0 % 2 0 ") for line in lines)


@pytest.mark.parametrize("width", [80, 160])
def test_no_figure_is_cut_on_a_terminal(width: int) -> None:
    runs = [played("a" * 60, "1" * 30), played("b", "10" * 15, model="m" * 70), played("c", "0" * 30)]
    lines = shown(runs, width=width)
    tables = [line for line in lines if "─" in line]
    assert tables
    assert max(map(len, tables)) <= width
    assert "…" not in "".join(lines)


def test_names_that_would_be_ambiguous_are_told_apart_by_their_runs() -> None:
    first, second = played("a", "11"), played("b", "10")
    same = second.manifest.model_copy(update={"agent": dict(first.manifest.agent)})
    lines = shown([first, PlayedRun("b", second.folder, same, second.results)])
    assert lines[0].startswith("A is a a, B is a b;")


def test_markdown_has_the_same_figures_and_shows_text_as_itself() -> None:
    results = [make_result("s|<b>0", agent="a", solved=True), *results_of("11")]
    others = [make_result("s|<b>0", agent="b", solved=False, gates={"x": False}), *results_of("11")]
    runs = [played("a", results), played("b", others)]
    text = markdown(blocks(compare_runs(runs), {run.name: run for run in runs}, flips=5, strata=False))
    rows = [line for line in text.split("\n") if line.startswith("| solved |")]
    assert rows[0].startswith(r"| solved | 3 | 3/3 100.0 % | 2/3 66.7 % | 1 | 0 | \+33.3 \[")
    assert r"mcr/s\|\<b\>0/1" in text
    assert "<b>" not in text


def test_json_is_what_its_schema_says_and_has_the_fields_of_pairs() -> None:
    ours = [*results_of("11-0"), make_result("g", scores={"ted": None})]
    theirs = [*results_of("10-1"), make_result("g", scores={"ted": 0.5})]
    written = json.loads(comparison_json(compare_runs([played("a", ours), played("b", theirs, max_turns=3)])))
    jsonschema.Draft202012Validator(json.loads(shipped("compare"))).validate(written)
    pair = written["pairs"][0]
    expected = {
        "a": "a", "b": "b", "scenario": "mcr", "score": "solved", "n": 4, "only_a": 1, "only_b": 1, "both": 2,
        "neither": 0, "p_mcnemar": 1.0, "difference": 0.0,
    }  # fmt: skip
    assert {name: pair[name] for name in expected} == expected
    assert pair["interval"][0] == pytest.approx(-pair["interval"][1])
    assert [flip["sample_id"] for flip in written["flips"]] == ["s1", "s3"]


def test_blocks_are_tables_and_lines() -> None:
    runs = [played("a", "11"), played("b", "10")]
    kinds = [type(block) for block in blocks(compare_runs(runs), {run.name: run for run in runs}, flips=0, strata=None)]
    assert kinds[0] is Lines
    assert kinds.count(Sheet) >= 2
