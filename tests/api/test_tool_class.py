"""A class per scenario type whose methods are its tools."""

from __future__ import annotations

import inspect

import pytest

from gitgoodbench import Bench, SessionError, UserError, tool_class, tool_schemas


def test_the_methods_are_the_tools() -> None:
    kind = tool_class("mcr", "extended")
    names = [schema["function"]["name"] for schema in tool_schemas("mcr", "extended")]
    assert [name for name in vars(kind) if not name.startswith("__")] == names
    signature = inspect.signature(kind().edit_file)  # type: ignore[attr-defined]
    assert str(signature.parameters["path"]) == "path: str"
    hunks = inspect.signature(tool_class("icc").commit_changes_in).parameters["selected_hunks"]  # type: ignore[attr-defined]
    assert hunks.annotation == list[int]
    assert "Replace a piece of a file" in (kind.edit_file.__doc__ or "")  # type: ignore[attr-defined]


def test_a_method_calls_the_tool_of_the_session() -> None:
    tools = tool_class("ir")()
    with pytest.raises(SessionError, match="view_rebase_todo has no session"):
        tools.view_rebase_todo()  # type: ignore[attr-defined]
    with Bench("mini", scenario="ir", sandbox="local", offline=True) as bench:
        tools.session = session = bench.open(bench.tasks[0])
        expected = session.call("show_changes_in", {"commit_index": 0}).text
        assert tools.show_changes_in(0) == expected  # type: ignore[attr-defined]
        assert tools.show_changes_in(99).startswith("error: ")  # type: ignore[attr-defined]


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(UserError, match="there is no scenario 'golf'; installed are: icc, ir, mcr, pick"):
        tool_schemas("golf")
    with pytest.raises(UserError, match="has no tools 'all', only: published, extended, shell"):
        tool_schemas("mcr", "all")  # type: ignore[arg-type]
