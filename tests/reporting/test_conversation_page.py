"""Conversations as people read them in a terminal."""

from __future__ import annotations

from typing import Any

import pytest

from gitgoodbench.reporting.conversation import Conversation

CALL: dict[str, Any] = {
    "id": "c1",
    "type": "function",
    "function": {
        "name": "resolve",
        "arguments": '{"number": 0, "content": "def f():\\n    return 1\\n", "reason": "both", "files": ["a", "b"]}',
    },
}


LAST = {"role": "assistant", "content": "Bye"}


def said(*lines: dict[str, Any], width: int | None = None, full: bool = False, main: str | None = None) -> list[str]:
    conversation = Conversation(width=width, full=full, main=main)
    return [text for line in lines for text in conversation.lines(line)]


def message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"kind": "message", "number": 0, "message": {"role": role, "content": content, **more}}


def test_a_whole_conversation() -> None:
    setting = {"model": "gpt-4o", "tools": [{}, {}], "parameters": {"temperature": 0, "stop": ["x"]}}
    assert said(
        {"kind": "episode", "format": 2},
        message("user", "Merge.\n\nNow.\n"),
        {"kind": "request", "number": 0, "asked": setting},
        {"kind": "fault", "fate": "refused", "attempt": 1, "seconds": 0.25, "cause": "503: busy", "partial": "<html>"},
        {
            "kind": "answer",
            "message": {"role": "assistant", "content": "I see.", "reasoning_content": "Hm.", "tool_calls": [CALL]},
            "attempt": 2,
            "seconds": 1.25,
            "tokens": {"prompt": 1234, "completion": 56, "cached": 9},
            "cost_usd": 0.0042,
            "finish_reason": "tool_calls",
        },
        message("tool", "done", tool_call_id="c1"),
        {"kind": "answer", "message": LAST, "cached": True, "finish_reason": "length"},
        {"kind": "end", "status": "limit_reached", "turns": 2, "error": "no time", "notes": ["a note"]},
    ) == [
        "user",
        "  Merge.",
        "",
        "  Now.",
        "",
        'asked  gpt-4o, 2 tools, temperature 0, stop ["x"]',
        "",
        "no answer  refused, 0.2 s: 503: busy",
        "  <html>",
        "",
        "assistant  turn 1, try 2, 1.2 s, 1.2k + 56 tokens, $0.0042",
        "  (thinks) Hm.",
        "  I see.",
        "  > resolve",
        "      number: 0",
        "      content:",
        "        def f():",
        "            return 1",
        "      reason: both",
        '      files: ["a", "b"]',
        "",
        "tool  resolve",
        "  done",
        "",
        "assistant  turn 2, known before, finish reason length",
        "  Bye",
        "",
        "ended  limit_reached after 2 turns: no time",
        "  note: a note",
        "",
    ]  # fmt: skip


def test_lines_too_wide_for_the_terminal_go_on_below_as_they_are_indented() -> None:
    wide = {"id": "1", "function": {"name": "t", "arguments": '{"a": "' + "x" * 30 + '"}'}}
    assert said(message("user", "0123456789" * 5), message("assistant", None, tool_calls=[wide]), width=26) == [
        "user",
        "  012345678901234567890123",
        "  456789012345678901234567",
        "  89",
        "",
        "assistant  turn 1",
        "  > t",
        "      a: xxxxxxxxxxxxxxxxx",
        "      xxxxxxxxxxxxx",
        "",
    ]


def test_long_texts_are_cut_with_what_is_left_unless_they_are_asked_for() -> None:
    long = message("tool", "\n".join(map(str, range(45))))
    assert said(long)[-3:] == ["  39", "  [5 lines more: --full]", ""]
    assert said(long, full=True)[-2:] == ["  44", ""]
    wide = message("tool", "x" * 2005)
    assert said(wide)[1] == "  " + "x" * 2000 + " [5 characters more: --full]"
    assert said(wide, full=True)[1] == "  " + "x" * 2005


def test_a_conversation_of_another_attempt_counts_its_turns_anew() -> None:
    answer = {"kind": "answer", "message": {"role": "assistant", "content": "a"}}
    assert "assistant  turn 1" in said(answer, answer, {"kind": "episode"}, answer)[6:]


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ({"id": "1", "function": {"name": "f", "arguments": "{}"}}, ["  > f()"]),
        ({"id": "1", "function": {"name": "f", "arguments": '{"a": '}}, ["  > f", '      {"a":']),
        ({"id": "1", "function": {"name": "f", "arguments": {"a": 1}}}, ["  > f", "      a: 1"]),
        ({"id": "1"}, ['  > {"id": "1"}']),
        (7, ["  > 7"]),
    ],
)
def test_calls_that_are_no_right_calls_are_shown_as_they_came(call: Any, shown: list[str]) -> None:
    assert said(message("assistant", None, tool_calls=[call]))[1:-1] == shown


def test_content_in_parts_is_read() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image", "url": "b"}]
    assert said(message("user", parts))[1:-1] == ["  a", '  {"type": "image", "url": "b"}']


HOSTILE = "\x1b]0;t\x07\u202e\r\n\x9b2J\ud800"


def test_nothing_hostile_comes_out() -> None:
    call = {"id": HOSTILE, "function": {"name": HOSTILE, "arguments": '{"\\u001b[2J": "\\u202e"}'}}
    lines = said(
        message(HOSTILE, HOSTILE, tool_calls=[call]),
        message("tool", HOSTILE, tool_call_id=HOSTILE),
        {"kind": "request", "asked": {"model": HOSTILE, "parameters": {HOSTILE: HOSTILE}}},
        {"kind": "fault", "fate": HOSTILE, "cause": HOSTILE, "partial": HOSTILE},
        {"kind": "answer", "message": {"role": "assistant", "content": HOSTILE}, "finish_reason": HOSTILE},
        {"kind": "end", "status": HOSTILE, "error": HOSTILE, "notes": [HOSTILE]},
        width=80,
    )
    assert all(line.isprintable() for line in lines)
    assert "  \\x1b]0;t\\x07\\u202e\\r" in lines


@pytest.mark.parametrize("line", [{}, {"kind": "message"}, {"kind": "answer", "message": 3}, {"kind": "request"}])
def test_lines_that_say_nothing_show_nothing(line: dict[str, Any]) -> None:
    assert "".join(said(line)) == ""


def test_messages_of_a_former_trajectory_are_shown_with_their_turns() -> None:
    conversation = Conversation()
    assert list(conversation.message({"role": "assistant", "content": "a"})) == ["assistant  turn 1", "  a", ""]
    assert list(conversation.message({"role": "user", "content": "b"})) == ["user", "  b", ""]


def test_a_line_stands_for_each_answer_of_a_sub_agent() -> None:
    lines = [
        message("user", "Merge."),
        {"kind": "answer", "conversation": "0", "message": {"role": "assistant", "content": "Look."}},
        {**message("user", "Find it."), "conversation": "1"},
        {"kind": "answer", "conversation": "1", "message": {**LAST, "tool_calls": [CALL]}, "seconds": 1.0},
        {"kind": "fault", "conversation": "1", "fate": "lost"},
        {"kind": "answer", "conversation": "0", "message": LAST},
    ]
    folded = said(*lines, main="0")
    assert folded == [
        "user", "  Merge.", "", "assistant  turn 1", "  Look.", "",
        "  [beside it: conversation 1, turn 1, 1.0 s, 1 calls: --full]", "",
        "  [beside it: conversation 1: no answer, lost]", "",
        "assistant  turn 2", "  Bye", "",
    ]  # fmt: skip
    whole = said(*lines, main="0", full=True)
    assert whole[6:8] == ["user  conversation 1", "  Find it."]
    assert "assistant  conversation 1, turn 1, 1.0 s" in whole
    assert "assistant  turn 2" in whole
