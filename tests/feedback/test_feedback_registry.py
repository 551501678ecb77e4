"""Sources and sinks are found by entry point; a broken one is reported, never fatal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitgoodbench.feedback.contract import SOURCES
from gitgoodbench.feedback.registry import load_sinks, load_sources, source_names
from gitgoodbench.plugins import FEEDBACK_SINKS, FEEDBACK_SOURCES, GROUPS
from tests.support.packages import installed, write_package

GOOD = """
class Good:
    name, title, variables = "good", "Good", ()
    def committer(self, hints): return None
    def logs(self, place): return []
    def read(self, log, place): return []

class Misnamed(Good):
    name = "good"

class Partial:
    name = "partial"
    title = "Partial"

class Raises:
    def __init__(self): raise RuntimeError("cannot be made")
"""


@pytest.fixture
def package(tmp_path: Path) -> Iterator[None]:
    points = {"good": "Good", "misnamed": "Misnamed", "partial": "Partial", "raises": "Raises", "gone": "Gone"}
    write_package(
        tmp_path, "their-sources", {"their_sources.py": GOOD},
        {SOURCES: {name: f"their_sources:{kind}" for name, kind in points.items()}},
    )  # fmt: skip
    with installed(tmp_path):
        yield


@pytest.mark.usefixtures("package")
def test_what_works_is_loaded_and_what_is_broken_is_told() -> None:
    loaded = load_sources(["good", "misnamed", "partial", "raises", "gone", "goood", "good"])
    assert [source.name for source in loaded.found] == ["good"]
    assert [problem.split(":")[0] for problem in loaded.problems] == [
        "the feedback source 'misnamed' of their-sources calls itself 'good'",
        "the feedback source 'partial' of their-sources has no variables, committer, logs, read",
        "the feedback source 'raises' (their_sources",
        "the feedback source 'gone' (their_sources",
        "there is no feedback source 'goood'",
    ]
    assert "did you mean good?" in loaded.problems[-1]
    assert {"good", "gone"} <= set(source_names())
    assert len(load_sources().problems) == 4


def test_ours_all_load_under_their_names() -> None:
    for loaded in (load_sources(), load_sinks()):
        assert loaded.problems == ()
    assert "claude-code" in [source.name for source in load_sources().found]
    assert (GROUPS[FEEDBACK_SOURCES], GROUPS[FEEDBACK_SINKS]) == ("feedback source", "feedback sink")
