"""A plan is checked in full, and every fault is named at once."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gitgoodbench.scenarios.ir.todo import read_items
from gitgoodbench.scenarios.ir.tools import RebaseTools

from gitgoodbench.agents.calls import call_tool
from gitgoodbench.dialects import Reader
from gitgoodbench.errors import ToolError
from gitgoodbench.git.rebase_plan import Command, Step
from gitgoodbench.plugin.arguments import MAX_MESSAGE_BYTES
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.tools import Tool
from tests.support.rebases import begin, call, make_chain, update


def item(commit: Any, command: Any, **more: Any) -> dict[str, Any]:
    return {"commit_index": commit, "command": command, **more}


def faults(*items: Any, commits: int = 3) -> list[str]:
    with pytest.raises(ToolError) as found:
        read_items(items, commits)
    heading, *lines = str(found.value).split("\n")
    assert heading == "this plan is not accepted, the one before it stays:"
    assert lines.pop().startswith(f"Name every commit from 0 to {commits - 1} once, like this: [{{")
    return [line.removeprefix("- ") for line in lines]


def test_a_plan_in_any_order_with_every_command() -> None:
    steps = read_items(
        [
            item(5, "drop"),
            item(4, "reword", commit_msg="#1 'x'\n\nexec y"),
            item(0, "fixup -C", commit_msg=None),
            item(2, "squash", commit_msg="é"),
            item(1, "pick", commit_msg="not used"),
            item(3, "fixup", commit_msg=""),
        ],
        6,
    )
    assert steps == (
        Step(5, Command.DROP),
        Step(4, Command.REWORD, b"#1 'x'\n\nexec y\n"),
        Step(0, Command.FIXUP_MESSAGE),
        Step(2, Command.SQUASH, "é\n".encode()),
        Step(1, Command.PICK),
        Step(3, Command.FIXUP),
    )


def test_all_faults_are_reported_together() -> None:
    assert faults(
        item(0, "fixup"),
        item(0, "reword"),
        item(7, "edit", commit_msg=5, why="x"),
        item(True, "p"),
        {"command": ["pick"]},
        {},
        "pick 1",
        commits=3,
    ) == [
        "item 1: reword needs a commit_msg",
        "item 2: there is no field 'why'; the fields are commit_index, command, commit_msg",
        "item 2: there is no commit 7; commit_index must be 0 to 2",
        "item 2: 'edit' is no command; the commands are pick, reword, squash, fixup, fixup -C, drop",
        "item 2: commit_msg must be text, not 5",
        "item 3: commit_index must be a whole number, not True",
        "item 3: 'p' is no command; the commands are pick, reword, squash, fixup, fixup -C, drop",
        "item 4: commit_index is missing",
        "item 4: ['pick'] is no command; the commands are pick, reword, squash, fixup, fixup -C, drop",
        "item 5: commit_index is missing",
        "item 5: command is missing",
        "item 6: it must be an object with commit_index and command",
        "commit 0 is named by the items 0, 1, it must be named once",
        "item 0: fixup melds into the commit before it, and before it none is kept",
    ]


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("", "commit_msg is empty; write a subject line that says what the commit does"),
        (None, "squash needs a commit_msg"),
        (" \n\t", "commit_msg is empty; write a subject line that says what the commit does"),
        ("a\0b", "commit_msg holds a NUL character, which no commit message can; leave it out"),
        ("é" * (MAX_MESSAGE_BYTES // 2 + 1), "commit_msg is longer than 65536 bytes; write less"),
        (["a"], "commit_msg must be text, not ['a']"),
    ],
)
def test_messages_that_cannot_be_one(message: Any, fault: str) -> None:
    assert faults(item(0, "pick"), item(1, "squash", commit_msg=message), commits=2) == [f"item 1: {fault}"]


def test_squash_or_fixup_first_in_the_list_also_behind_drops() -> None:
    melds = "melds into the commit before it, and before it none is kept"
    assert faults(item(1, "drop"), item(0, "squash", commit_msg="x"), item(2, "fixup -C")) == [
        f"item 1: squash {melds}",
        f"item 2: fixup -C {melds}",
    ]


def test_dropping_everything_is_refused_as_git_refuses_it() -> None:
    assert faults(item(0, "drop"), item(1, "drop"), commits=2) == ["every commit is dropped, nothing would be left"]
    assert faults(commits=1) == ["commit 0 is missing; every commit must be named once, if only to drop it"]


def test_endless_lists_are_not_repeated_in_full() -> None:
    found = faults(*[item(9, "pick")] * 1000)
    assert len(found) == 101
    assert found[-1] == "and 900 more"


def test_models_are_told_the_form_of_an_item() -> None:
    tools = {tool.name: tool for tool in (Tool.of(f) for f in object.__new__(RebaseTools).functions())}
    assert {name: list(tool.arguments.model_fields) for name, tool in tools.items()} == {
        "view_rebase_todo": ["reason"],
        "show_changes_in": ["commit_index", "reason", "offset", "length"],
        "update_rebase_todo_list": ["rebase_todo_list_items", "reason"],
        "execute_rebase": ["reason"],
    }
    parameters = tools["update_rebase_todo_list"].schema["function"]["parameters"]
    form = parameters["properties"]["rebase_todo_list_items"]["items"]
    assert form["required"] == ["commit_index", "command"]
    assert form["properties"]["command"]["enum"] == ["pick", "reword", "squash", "fixup", "fixup -C", "drop"]
    assert form["properties"]["commit_msg"]["type"] == ["string", "null"]


def test_a_refused_plan_leaves_the_one_before(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_chain(tmp_path / "r.git", {b"a.py": b"0\n"}, {b"a.py": b"1\n"}, {b"a.py": b"2\n"})
    with begin(case, local_provider) as (episode, _):
        update(episode, (0, "pick"), (1, "fixup"))
        with pytest.raises(ToolError, match="commit 1 is missing"):
            update(episode, (0, "pick"))
        assert call(episode, "view_rebase_todo").split("\n")[1:] == [
            "     0  pick      Step 0",
            "     1  fixup     Step 1",
        ]


def test_a_message_that_is_not_used_is_pointed_out(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_chain(tmp_path / "r.git", {b"a.py": b"0\n"}, {b"a.py": b"1\n"}, {b"a.py": b"2\n"})
    with begin(case, local_provider) as (episode, _):
        answer = update(episode, (0, "reword", "New\n\nwhy"), (1, "pick", "Other"))
    assert answer.split("\n") == [
        "The plan is accepted; it makes 2 commits of 2.",
        "Note: the commit_msg of item 1 is not used; only reword and squash take one.",
        "commit  command   subject",
        "     0  reword    Step 0",
        "          | New",
        "          | ",
        "          | why",
        "     1  pick      Step 1",
        "Replayed as a trial, it applies. 2 commits became 2:",
        "- New (from commit 0)",
        "- Step 1 (from commit 1)",
        "Call execute_rebase to carry it out.",
    ]


def test_a_plan_that_counts_from_one_is_told_so_and_nothing_else() -> None:
    assert faults(item(1, "pick"), item(3, "fixup"), item(2, "pick")) == [
        "it counts the commits from 1; they are numbered from 0 to 2: subtract 1 from each commit_index"
    ]


def test_an_item_that_cannot_be_read_is_not_missed_as_well() -> None:
    assert faults(item("zero", "pick"), item(1, "pick"), item(2, "pick")) == [
        "item 0: commit_index must be a whole number, not 'zero'"
    ]


PLAN = [item(0, "reword", commit_msg="New"), item(2, "fixup"), item(1, "pick")]


@pytest.mark.parametrize(
    ("written", "reading"),
    [
        (json.dumps(PLAN), "rebase_todo_list_items: "),
        ([json.dumps(PLAN[0]), *PLAN[1:]], "item 0: "),
        ([PLAN[0] | {"command": " Reword"}, *PLAN[1:]], 'item 0, command: " Reword" read as "reword"'),
        ([PLAN[0] | {"command": "r"}, *PLAN[1:]], 'item 0, command: "r" read as "reword"'),
        ([PLAN[0], PLAN[1] | {"command": "F"}, PLAN[2]], 'item 1, command: "F" read as "fixup"'),
        ([PLAN[0], PLAN[1], PLAN[2] | {"command": "PICK"}], 'item 2, command: "PICK" read as "pick"'),
        ([PLAN[0] | {"commit_index": "0"}, *PLAN[1:]], 'item 0, commit_index: "0" read as 0'),
        ([PLAN[0] | {"commit_index": 0.0}, *PLAN[1:]], "item 0, commit_index: 0.0 read as 0"),
    ],
)
def test_harmless_dialects_are_read_and_noted(
    tmp_path: Path, local_provider: SandboxProvider, written: Any, reading: str
) -> None:
    case = make_chain(
        tmp_path / "r.git", *({b"a.py": TEXT + b"%d\n" % n, b"b.py": b"%d\n" % (n % 3)} for n in range(4))
    )
    arguments = {"rebase_todo_list_items": written}
    with begin(case, local_provider) as (episode, _):
        result = call_tool(episode.tools, "update_rebase_todo_list", arguments)
        assert not result.is_error
        assert [step.commit for step in episode.toolbox.plan] == [0, 2, 1]
        assert len(result.readings) == 1
        assert result.readings[0].startswith(reading)
        strict = [replace(tool, strict=True) for tool in episode.tools]
        assert call_tool(strict, "update_rebase_todo_list", arguments).is_error


TEXT = b"text\n"


def test_git_s_other_words_for_fixup_are_read() -> None:
    reader = Reader()
    tool = next(t for t in (Tool.of(f) for f in object.__new__(RebaseTools).functions()) if "update" in t.name)
    words = ["fixup -c", "Fixup  -C", "s", "d"]
    arguments = {"rebase_todo_list_items": [item(number, word) for number, word in enumerate(words)]}
    read = tool.arguments.model_validate(arguments, context=reader)
    items = read.rebase_todo_list_items  # type: ignore[attr-defined]
    assert [entry["command"] for entry in items] == ["fixup -C", "fixup -C", "squash", "drop"]


def test_a_plan_with_an_unused_message_is_not_executed_before_that_could_be_read(
    tmp_path: Path, local_provider: SandboxProvider
) -> None:
    case = make_chain(tmp_path / "r.git", {b"a.py": b"0\n"}, {b"a.py": b"1\n"}, {b"a.py": b"2\n"})
    with begin(case, local_provider) as (episode, _):
        items = [item(0, "pick", commit_msg="Meant for reword"), item(1, "fixup")]
        episode.begin_answer()
        assert not call_tool(episode.tools, "update_rebase_todo_list", {"rebase_todo_list_items": items}).is_error
        refused = call_tool(episode.tools, "execute_rebase", {})
        assert refused.text.startswith(
            "error: not carried out, since this call was written before you could read the answer to the update: "
            "Note: the commit_msg of item 0 is not used; only reword and squash take one."
        )
        assert not episode.finished
        assert call(episode, "execute_rebase").startswith("The rebase is done.")
