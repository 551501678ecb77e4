"""What an inference should have said: its blocks with the committed code, or the reason why there is none."""

from __future__ import annotations

from typing import Any

import pytest

from gitgoodbench.feedback.demonstrations import LeftOut, Replacement, make_demonstration, same_blocks


def call(arguments: Any, name: str | None = "edit", identity: str = "1") -> dict[str, Any]:
    return {"type": "tool_call", "id": identity, "name": name, "raw_name": "edit", "arguments": arguments}


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "text": content}


def made(output: Any, *replacements: tuple[str, str] | tuple[str, str, float], secret: str = "hush") -> Any:
    known = [Replacement(one[0], one[1], one[2] if len(one) == 3 else 1.0) for one in replacements]
    return make_demonstration(output, known, lambda content: secret in content)


def test_each_snippet_is_replaced_where_it_stands_and_all_else_stays() -> None:
    output = [
        {"type": "thought", "text": "hm"},
        text("Here:\n```python\nx = 1\n```\nand\n```\ny = 2\n```\n"),
        call({"path": "a.py", "content": "import os\n\nx = 1\n", "flags": [1, None]}, "write"),
    ]
    assert made(output, ("x = 1\n", "x = 3\n"), ("y = 2\n", "y = 4\ny = 5\n"), ("import os\n\nx = 1\n", "x = 9\n")) == [
        text("Here:\n```python\nx = 3\n```\nand\n```\ny = 4\ny = 5\n```\n"),
        {
            "type": "tool_call",
            "id": "1",
            "name": "write",
            "arguments": {"path": "a.py", "content": "x = 9\n", "flags": [1, None]},
        },
    ]


def test_only_arguments_that_hold_new_code_are_touched() -> None:
    arguments = {"file_path": "x = 1", "old_string": "x = 1", "new_string": "x = 1", "replace_all": False}
    (block,) = made([call(arguments)], ("x = 1\n", "x = 2\n"))
    assert block["arguments"] == {**arguments, "new_string": "x = 2"}


def test_several_edits_of_one_call_and_equal_snippets_each_get_their_own() -> None:
    edits = [{"oldString": "a", "newString": "x = 1\n"}, {"oldString": "b", "newString": "x = 1\n"}]
    (block,) = made([call({"edits": edits})], ("x = 1\n", "x = 2\n"), ("x = 1\n", "x = 3\n"))
    assert [one["newString"] for one in block["arguments"]["edits"]] == ["x = 2\n", "x = 3\n"]
    (block,) = made([call({"content": "x = 1\nx = 1\n"})], ("x = 1\n", "x = 2\n"), ("x = 1\n", "x = 3\n"))
    assert block["arguments"]["content"] == "x = 2\nx = 3\n"


@pytest.mark.parametrize(
    ("written", "snippet", "committed", "becomes"),
    [
        ("x = 1", "    x = 1\n", "    x = 2\n", "x = 2"),
        ("x = 1\r\n", "x = 1\r\n", "x = 2\n", "x = 2\r\n"),
        ("x = 1\n", "x = 1\n", "x = 2", "x = 2\n"),
        ("a(); x = 1", "a(); x = 1\n", "a()\nx = 2\n", "a()\nx = 2"),
    ],
)
def test_lines_are_found_without_their_indentation_and_ends(
    written: str, snippet: str, committed: str, becomes: str
) -> None:
    (block,) = made([call({"new_str": written})], (snippet, committed))
    assert block["arguments"]["new_str"] == becomes


@pytest.mark.parametrize(
    ("output", "replacements", "reason"),
    [
        ({"raw": "{}", "parsed": {}}, [("x", "y")], "is no list of content blocks"),
        ([text("x")], [], "nothing of it is in the commit"),
        ([text("x")], [("x", "y", 0.49)], "less than half of a snippet"),
        ([text("x")], [("x", "")], "less than half of a snippet"),
        ([text("x")], [("z", "y")], "not in the output as it was scored"),
        ([call({"content": "x"}, name=None)], [("x", "y")], "tools do not offer 'edit'"),
        ([call(None)], [("x", "y")], "arguments of 'edit' do not fit"),
        ([call({"content": "x"}), call({"content": "z"})], [("x", "y")], "what its call of 'edit' wrote is not all"),
        ([text("x"), {"type": "unknown", "data": {}}], [("x", "y")], "a block of type 'unknown'"),
        ([text("x")], [("x", "hush")], "a secret"),
        ([text("x hush")], [("x", "y")], "a secret"),
        ([call({"content": "x", "note": ["hush"]})], [("x", "y")], "a secret"),
    ],
)
def test_it_is_left_out_where_it_would_not_be_certain(output: Any, replacements: Any, reason: str) -> None:
    with pytest.raises(LeftOut, match=reason):
        made(output, *replacements)


def test_added_lines_of_a_patch_are_replaced_with_their_marks() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n def f():\n-    x = 0\n+    x = 1\n+\n+    y = 1\n*** End Patch"
    )
    (block,) = made([call({"input": patch}, "apply_patch")], ("    x = 1\n\n    y = 1\n", "    x = 2\n\n    z = 3"))
    wanted = patch.replace("+    x = 1\n+\n+    y = 1\n", "+    x = 2\n+\n+    z = 3\n")
    assert block["arguments"] == {"input": wanted}


def test_a_patch_that_is_only_in_part_in_the_commit_is_left_out() -> None:
    first, second = (f"*** Begin Patch\n*** Add File: {name}\n+x = {name!r}\n*** End Patch" for name in "ab")
    output = [call({"input": first}, "apply_patch"), call({"input": second}, "apply_patch")]
    with pytest.raises(LeftOut, match="is not all in the commit"):
        made(output, ("x = 'a'\n", "x = 'b'\n"))


def test_a_call_that_writes_no_code_stays() -> None:
    listing = call({"path": "src"}, "list_files", "2")
    assert made([text("x"), listing], ("x", "y"))[1]["name"] == "list_files"


def test_blocks_are_the_same_whatever_a_gateway_adds() -> None:
    sent = [{"type": "tool_call", "id": "1", "name": "w", "arguments": {"a": 1}}]
    assert same_blocks(sent, [{**sent[0], "raw_name": "w", "raw_arguments": '{"a":1}'}])
    assert not same_blocks(sent, [{**sent[0], "arguments": {"a": 2}}])
    assert not same_blocks(sent, [])
    assert not same_blocks(sent, "text")
