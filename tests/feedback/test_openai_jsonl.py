"""Exchanges with OpenAI's API in files of one a line, in the shapes of several loggers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Place
from gitgoodbench.feedback.records import MadeCommit, Message, Part, Reading
from gitgoodbench.feedback.sources.openai_jsonl import OpenAIJsonl
from tests.feedback.support_logs import START, by_id, place_of, readings_of
from tests.feedback.support_logs_b import ADD, COMMIT, HEAD

SOURCE = OpenAIJsonl()
ASKED = [{"role": "system", "content": "You help."}, {"role": "user", "content": "write add"}]
USAGE = {
    "prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 5},
    "completion_tokens_details": {"reasoning_tokens": 3},
}  # fmt: skip
ANSWER = f"```python:a.py\n{ADD}```"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.fixture
def place(root: Path, tmp_path: Path) -> Place:
    return place_of(root, home=tmp_path / "home", path="log.jsonl")


def completion(message: dict[str, Any], known_by: str = "r1") -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return {
        "id": known_by,
        "object": "chat.completion",
        "created": START,
        "model": "m",
        "choices": [choice],
        "usage": USAGE,
    }


def called(known_by: str, tool: str, arguments: Any) -> dict[str, Any]:
    said = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"tool_calls": [{"id": known_by, "type": "function", "function": {"name": tool, "arguments": said}}]}


def exchange(message: dict[str, Any], known_by: str = "r1", *more: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"request": {"model": "m", "messages": [*ASKED, *more]}, "response": completion(message, known_by), **fields}


def read(place: Place, *records: Any) -> list[Reading]:
    (place.roots[0] / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return readings_of(SOURCE, place)


def test_a_completion_with_its_request(place: Place, root: Path) -> None:
    (reading,) = read(place, exchange({"content": ANSWER}, session_id="s1"))
    (edit,) = reading.edits
    assert (str(edit.key), edit.kind, edit.path, edit.parts, edit.time, edit.model) == (
        "openai-jsonl/s1/r1.0#0", "answer", str(root / "a.py"), (Part(None, ADD.encode()),), START, "m",
    )  # fmt: skip
    assert reading.messages == (Message("r1", START, "m", 100, 5, 20, 3),)


RESPONSE = {
    "id": "r1", "object": "response", "created_at": START, "model": "m",
    "output": [{"type": "reasoning", "content": []},
               {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]}],
    "usage": {"input_tokens": 100, "output_tokens": 20, "input_tokens_details": {"cached_tokens": 5},
              "output_tokens_details": {"reasoning_tokens": 3}},
}  # fmt: skip
SHAPES: dict[str, dict[str, Any]] = {
    "responses": {"request": {"input": "write add"}, "response": RESPONSE},
    "input and output": {"input": {"messages": ASKED}, "output": completion({"content": ANSWER})},
    "flat": {"messages": ASKED, **completion({"content": ANSWER})},
    "batch": {"request": {"body": {"messages": ASKED}}, "response": {"body": completion({"content": ANSWER})}},
    "litellm": {
        "id": "x", "startTime": START - 2, "endTime": START, "messages": ASKED, "response_cost": 0.25,
        "response": completion({"content": ANSWER}),
    },
    "langfuse": {
        "id": "r1", "type": "GENERATION", "sessionId": "s", "model": "m", "startTime": "2026-11-30T00:53:20Z",
        "input": ASKED, "output": {"role": "assistant", "content": ANSWER}, "usage": USAGE,
    },
    "text": {"id": "r1", "input": ASKED, "output": ANSWER, "model": "m", "timestamp": START, "usage": USAGE},
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(place: Place, shape: str) -> None:
    (reading,) = read(place, SHAPES[shape])
    assert [edit.parts for edit in reading.edits] == [(Part(None, ADD.encode()),)]
    cost, latency = (0.25, 2.0) if shape == "litellm" else (None, None)
    assert reading.messages == (Message("r1", START, "m", 100, 5, 20, 3, cost, latency),)
    assert reading.not_understood == 0


EDITOR = "str_replace_based_edit_tool"
WHOLE, PAIR, LINES = Part(None, b"x\n", 1), Part(b"o", b"n"), Part(b"o\n", b"n\n")
SEARCH = "------- SEARCH\no\n=======\nn\n+++++++ REPLACE\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-o\n+n\n*** End Patch"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -2,1 +2,1 @@\n-o\n+n\n"
SKETCH = "x\n// ... existing code ...\n"


@pytest.mark.parametrize(
    ("tool", "arguments", "part", "whole"),
    [
        ("write_file", {"path": "a.py", "content": "x\n"}, WHOLE, True),
        ("create_file", {"filePath": "a.py", "content": "x\n"}, WHOLE, True),
        (EDITOR, {"command": "create", "path": "a.py", "file_text": "x\n"}, WHOLE, True),
        ("edit_file", {"file_path": "a.py", "old_string": "o", "new_string": "n"}, PAIR, False),
        (EDITOR, {"command": "str_replace", "path": "a.py", "old_str": "o", "new_str": "n"}, PAIR, False),
        ("multi_edit", {"path": "a.py", "edits": [{"oldText": "o", "newText": "n"}]}, PAIR, False),
        (
            EDITOR,
            {"command": "insert", "path": "a.py", "insert_line": 3, "insert_text": "n"},
            Part(None, b"n", 4),
            False,
        ),
        ("replace_in_file", {"path": "a.py", "diff": SEARCH}, LINES, False),
        ("apply_patch", {"input": PATCH}, LINES, False),
        ("apply_diff", {"path": "a.py", "diff": DIFF}, Part(b"o\n", b"n\n", 2), False),
        ("edit_file", {"target_file": "a.py", "code_edit": SKETCH}, Part(None, b"x\n"), False),
    ],
)
def test_calls_of_editing_tools(place: Place, root: Path, tool: str, arguments: Any, part: Part, whole: bool) -> None:
    (reading,) = read(place, exchange(called("c1", tool, arguments)))
    (edit,) = reading.edits
    assert (edit.kind, edit.tool, edit.path, edit.parts, edit.whole) == (
        "edit",
        tool,
        str(root / "a.py"),
        (part,),
        whole,
    )
    assert (edit.outcome, edit.reason, edit.message) == ("unknown", "the log has no result of it", "r1")


def test_items_of_responses_are_calls_too(place: Place, root: Path) -> None:
    write = json.dumps({"path": "a", "content": "x"})
    items = [
        {"type": "function_call", "call_id": "c1", "name": "write_file", "arguments": write},
        {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch",
         "input": "*** Begin Patch\n*** Add File: b\n+x\n*** End Patch"},
        {"type": "apply_patch_call", "call_id": "c3",
         "operation": {"type": "update_file", "path": "c", "diff": "@@\n-o\n+n"}},
    ]  # fmt: skip
    (reading,) = read(place, {"request": {"input": "hi"}, "response": {**RESPONSE, "output": items}})
    assert [(edit.key.edit, edit.path, edit.parts) for edit in reading.edits] == [
        ("r1.c1", str(root / "a"), (Part(None, b"x", 1),)),
        ("r1.c2", str(root / "b"), (Part(None, b"x\n", 1),)),
        ("r1.c3", str(root / "c"), (Part(b"o\n", b"n\n"),)),
    ]


def test_the_next_request_tells_what_became_of_a_call(place: Place) -> None:
    def result(known_by: str, content: Any) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": known_by, "content": content}

    write = {"path": "a.py", "content": ADD}
    (reading,) = read(
        place,
        exchange(called("c1", "write_file", write), "r1"),
        exchange(called("c2", "write_file", write), "r2", result("c1", "Wrote 2 lines; access denied never")),
        exchange(
            called("c3", "write_file", write), "r3", result("c2", [{"type": "text", "text": "Error: no such file"}])
        ),
        exchange(called("c4", "bash", {"command": COMMIT}), "r4", result("c3", "The user rejected this edit")),
        exchange({"content": "done"}, "r5", result("c4", f"{HEAD}\n")),
    )
    outcomes = {key: edit.outcome for key, edit in by_id(reading).items()}
    assert outcomes == {"r1.c1": "applied", "r2.c2": "failed", "r3.c3": "denied", "r4.c4": "applied"}
    assert reading.session.commits == (MadeCommit(HEAD, START),)


def test_conversations_are_told_apart(place: Place) -> None:
    def session(record: dict[str, Any]) -> str:
        (reading,) = read(place, record)
        return reading.session.id

    answer = {"content": ANSWER}
    assert session(exchange(answer, conversation={"id": "conv_1"})) == "conv_1"
    assert session(exchange(answer, metadata={"session": "m1"})) == "m1"
    unnamed = session(exchange(answer))
    assert session(exchange(answer, "r2", {"role": "assistant", "content": "more"})) == unnamed
    other = {"request": {"messages": [{"role": "user", "content": "else"}]}, "response": completion(answer)}
    assert session(other) != unnamed
    twice = read(place, exchange(answer), exchange(answer), other)
    assert [len(reading.edits) for reading in twice] == [1, 1]


def test_variants(place: Place) -> None:
    (reading,) = read(place, exchange({"content": ANSWER}, metadata={"variant": "b", "randomised": True}))
    assert (reading.session.variant, reading.session.randomised) == ("b", True)


def test_what_is_no_exchange_is_counted(place: Place) -> None:
    chunk = {"response": {"object": "chat.completion.chunk", "choices": [{"delta": {"content": "x"}}]}}
    (reading,) = read(place, chunk, {"hello": 1}, [1], exchange({"content": ANSWER}))
    assert (reading.understood, reading.not_understood) == (1, 3)
    assert set(reading.problems) == {
        "a piece of a streamed answer", "a line without an answer", "a line that is no object",
    }  # fmt: skip


def test_which_files_are_read(root: Path, tmp_path: Path) -> None:
    (tmp_path / "logs/deep").mkdir(parents=True)
    for name in ("logs/a.jsonl", "logs/deep/b.jsonl", "logs/c.txt"):
        (tmp_path / name).write_text("{}\n")

    def names(path: str | None) -> list[str]:
        place = place_of(root, home=tmp_path) if path is None else place_of(root, home=tmp_path, path=path)
        return [Path(log.name).name for log in SOURCE.logs(place)]

    assert names(None) == []
    assert names(str(tmp_path / "logs")) == ["a.jsonl", "b.jsonl"]
    assert names(f"{tmp_path}/logs/*.jsonl,{tmp_path}/logs/c.txt") == ["a.jsonl", "c.txt"]
    with pytest.raises(UserError, match="nothing is at gone"):
        names("gone.jsonl")
