"""How far the work on repositories is, for people."""

from __future__ import annotations

import io

from rich.console import Console

from gitgoodbench.reporting.repositories import RepositoryProgress
from gitgoodbench.workspace.network import Step


def test_a_line_is_printed_now_and_then_where_there_is_no_terminal() -> None:
    stream, seconds = io.StringIO(), iter([0.0, 9.0, 10.0, 19.0, 20.0, 100.0])
    progress = RepositoryProgress(Console(file=stream, force_terminal=False, width=80), clock=lambda: next(seconds))
    with progress.shown():
        progress("acme/tool: cloning")
        for done in (1, 2, 3, 4):
            progress(Step("acme/tool", "receiving objects", 100 * done, 4000, f"{done}.00 MiB | 1.00 MiB/s"))
        progress(Step("acme/tool", "resolving deltas", 1234))
        progress(Step("acme/tool", None))
        progress(Step("acme/tool", "receiving objects", 5))
    assert stream.getvalue().split("\n") == [
        "acme/tool: cloning",
        "acme/tool: receiving objects 7 % of 4,000, 3.00 MiB | 1.00 MiB/s",
        "acme/tool: resolving deltas 1,234",
        "",
    ]


def test_a_terminal_shows_a_bar_until_the_work_has_ended() -> None:
    stream = io.StringIO()
    progress = RepositoryProgress(Console(file=stream, force_terminal=True, width=120))
    with progress.shown():
        progress(Step("acme/[b]tool", "receiving objects", 1000, 4000, "1.00 MiB"))
        assert [task.description for task in progress.bars.tasks] == ["acme/[b]tool: receiving objects"]
        progress(Step("acme/[b]tool", "resolving deltas", 7))
        [task] = progress.bars.tasks
        assert (task.description, task.completed, task.total) == ("acme/[b]tool: resolving deltas", 7, None)
        progress("acme/tool: a line")
        progress(Step("acme/[b]tool", None))
        assert progress.bars.tasks == []
    assert "acme/tool: a line\n" in stream.getvalue()
    assert "acme/[b]tool: resolving deltas" in stream.getvalue()


def test_a_step_that_tells_nothing_more_is_said_again_until_it_has_ended() -> None:
    stream, seconds = io.StringIO(), iter([0.0, 5.0, 10.0, 20.0])
    progress = RepositoryProgress(Console(file=stream, force_terminal=False, width=80), clock=lambda: next(seconds))
    progress(Step("acme/tool", "listing commits"))
    for _ in range(3):
        progress.repeat()
    progress(Step("acme/tool", None))
    progress.repeat()
    assert stream.getvalue() == "acme/tool: listing commits\n" * 2


def test_a_narrow_terminal_cuts_texts_and_keeps_the_bar() -> None:
    stream = io.StringIO()
    progress = RepositoryProgress(Console(file=stream, force_terminal=True, width=80, color_system=None))
    with progress.shown():
        progress(Step("acme/a-long-name-of-a-tool", "replaying rows", 3, 20, "preparing icc for oracle, " + "x" * 80))
    [line] = [line for line in stream.getvalue().split("\n") if "acme/" in line]
    assert line.strip().endswith("acme/a-long-name-of-a-to… ━━━                   15 % preparing icc for oracle…")
