"""What servers send, read exactly."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.models.answer import Asked
from gitgoodbench.models.apis import APIS
from gitgoodbench.models.apis.chat_completions import assemble
from gitgoodbench.models.messages import ToolCall
from gitgoodbench.models.parameters import is_reasoning_model, read_model_args
from gitgoodbench.models.reading import (
    Reading,
    own_id,
    read_calls,
    read_content,
    read_name,
    read_written_arguments,
    split_thoughts,
    unparsed_calls,
)
from gitgoodbench.models.sse import is_stream, read_events

KEYS = st.sampled_from(["usage", "output", "content", "choices", "message", "type", "id", "input", "tool_calls"])
ANYTHING = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
    max_leaves=10,
)
ASKED = Asked(frozenset({"look"}), frozenset({"a", "call00002"}))


@pytest.mark.parametrize(
    ("content", "text", "thoughts"),
    [
        (None, "", ""),
        ("plain", "plain", ""),
        ([{"type": "text", "text": "a"}, "b", {"text": "c"}], "abc", ""),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}, {"type": "text", "text": "a"}], "a", "t"),
        ([{"type": "thinking", "thinking": "t"}, {"type": "reasoning", "text": "u"}], "", "tu"),
        ([{"type": "image_url", "image_url": {}}, {"type": "refusal", "refusal": "no"}], "no", ""),
    ],
)
def test_content(content: Any, text: str, thoughts: str) -> None:
    assert read_content(content, Reading()) == (text, thoughts)


@pytest.mark.parametrize("content", [5, {"a": 1}, [5], [None]])
def test_content_that_is_none(content: Any) -> None:
    with pytest.raises(ValueError, match=r"content is (int|dict|NoneType), not"):
        read_content(content, Reading())


@pytest.mark.parametrize(
    ("written", "text", "thoughts"),
    [
        ("no thoughts", "no thoughts", ""),
        ("<think>a</think>b", "b", "a"),
        ("\n<think>\na\n</think>\n\nb\n", "b", "a"),
        ("<think>a</think><think>c</think>b", "b", "a\nc"),
        ("<thinking>a</thinking>b", "b", "a"),
        ("a</think>b", "b", "a"),
        ("<think>cut off", "", "cut off"),
        ("say <think> in text </think>", "say <think> in text </think>", ""),
    ],
)
def test_thoughts_in_a_text(written: str, text: str, thoughts: str) -> None:
    assert split_thoughts(written) == (text, thoughts)


@given(st.text())
def test_any_text_is_split_without_an_error(text: str) -> None:
    said, thoughts = split_thoughts(text)
    assert thoughts or said == text


@pytest.mark.parametrize(
    ("call", "read", "dialect"),
    [
        ({"id": "x", "function": {"name": "look", "arguments": "{}"}}, ToolCall("x", "look", "{}"), []),
        ({"function": {"name": "look"}}, ToolCall("call00003", "look", ""), ["tool call ids of our own"]),
        (
            {"id": "a", "function": {"name": "look", "arguments": {"n": 1}}},
            ToolCall("call00003", "look", '{"n": 1}'),
            ["tool call ids of our own", "arguments as an object"],
        ),
        (
            {"id": 7, "function": {"name": "functions.look", "arguments": '"{\\"n\\": 1}"'}},
            ToolCall("7", "look", '{"n": 1}'),
            ["numbers as tool call ids", "a prefix before tool names", "arguments as JSON twice over"],
        ),
        (
            {"id": "x", "name": "look", "input": {}},
            ToolCall("x", "look", "{}"),
            ["tool calls without function", "arguments as an object"],
        ),
    ],
)  # fmt: skip
def test_a_call(call: dict[str, Any], read: ToolCall, dialect: list[str]) -> None:
    reading = Reading()
    (found,) = read_calls({"tool_calls": [call]}, ASKED, reading)
    assert (found.call, reading.dialect) == (read, dialect)


def test_parallel_calls_with_one_id_are_kept_apart_and_their_marks_stay() -> None:
    call = {"id": "x", "extra": 1, "index": 0, "function": {"name": "look", "arguments": "{}", "signature": "s"}}
    found = read_calls({"tool_calls": [call, call, call]}, Asked(), Reading())
    assert [each.call.id for each in found] == ["x", "call00002", "call00003"]
    assert found[1].recorded == {
        "extra": 1, "id": "call00002", "type": "function",
        "function": {"name": "look", "arguments": "{}", "signature": "s"},
    }  # fmt: skip


def test_ids_of_our_own_are_nine_letters_and_digits_and_free() -> None:
    assert own_id({"call00001", "call00002"}, 1) == "call00003"
    assert own_id(set(), 12345) == "call12345"


@pytest.mark.parametrize(
    ("name", "read"),
    [("look", "look"), ("functions.look", "look"), ("functions.other", "functions.other"), ("a.look", "a.look")],
)
def test_a_prefix_is_left_out_where_a_tool_has_the_rest_as_its_name(name: str, read: str) -> None:
    assert read_name(name, frozenset({"look"}), Reading()) == read


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("", ""),
        ('{"a": 1}', '{"a": 1}'),
        ({"a": "é"}, '{"a": "é"}'),
        ([1], "[1]"),
        ('"{}"', "{}"),
        ('"text"', '"text"'),
        ('"[1]"', '"[1]"'),
        ('"{', '"{'),
    ],
)
def test_arguments(value: Any, text: str) -> None:
    assert read_written_arguments(value, Reading()) == text


def test_calls_in_markup_are_told_from_text() -> None:
    for text in (
        "<tool_call>\n{}",
        "x [TOOL_CALLS][]",
        "<function=look>",
        "<|python_tag|>look()",
        "<｜tool▁calls▁begin｜>",
    ):
        assert unparsed_calls(text)
    for text in ("", "I call a tool.", "tool_call", "<function>"):
        assert not unparsed_calls(text)


def test_events_of_a_stream() -> None:
    body = b': ping\n\nevent: x\ndata: {"a": 1}\r\n\r\ndata: {"b":\ndata: 2}\n\n'
    body += b'data: {"c": 3}\ndata: {"d": 4}\n\ndata: [DONE]\n\n'
    assert read_events(body) == [{"a": 1}, {"b": 2}, {"c": 3}, {"d": 4}]
    assert is_stream(body, "")
    assert is_stream(b"", "text/event-stream; charset=utf-8")
    assert not is_stream(b'{"data": 1}', "application/json")
    with pytest.raises(ValueError, match="Expecting"):
        read_events(b'data: {"a":\n\n')


def chunk(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def test_pieces_of_parts_and_calls_are_put_together() -> None:
    think = {"type": "thinking", "thinking": [{"type": "text", "text": "T"}]}
    function = {"name": "look", "arguments": ""}
    events = [
        chunk(content=[think]),
        chunk(content=[think]),
        chunk(content="A"),
        chunk(content="B"),
        chunk(tool_calls=[{"index": 0, "id": "x", "type": "function", "function": function}]),
        chunk(tool_calls=[{"index": 0, "id": "x", "function": {"name": "look", "arguments": '{"a"'}}]),
        chunk(tool_calls=[{"index": 0, "function": {"arguments": ": 1}"}}]),
        chunk(tool_calls=[{"index": 1, "id": "y", "function": {"name": "look", "arguments": "{}"}}]),
        chunk("tool_calls"),
        {"choices": [], "usage": {"prompt_tokens": 1}},
    ]
    reply = assemble(events)
    assert reply["usage"] == {"prompt_tokens": 1}
    assert reply["choices"][0]["finish_reason"] == "tool_calls"
    assert reply["choices"][0]["message"] == {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": "TT"}]},
            {"type": "text", "text": "AB"},
        ],
        "tool_calls": [
            {"index": 0, "id": "x", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}},
            {"index": 1, "id": "y", "function": {"name": "look", "arguments": "{}"}},
        ],
    }


def test_whole_calls_of_one_number_are_kept_apart() -> None:
    call = {"index": 0, "id": "same", "function": {"name": "look", "arguments": "{}"}}
    message = assemble([chunk(tool_calls=[call]), chunk(tool_calls=[call]), chunk("stop")])["choices"][0]["message"]
    assert len(message["tool_calls"]) == 2


@pytest.mark.parametrize("api", APIS)
def test_a_stream_that_is_cut_off_is_no_answer(api: str) -> None:
    with pytest.raises(ValueError, match="the stream is cut off"):
        APIS[api].assemble([{"type": "message_start", "message": {}}, {"type": "response.created", "response": {}}])


@pytest.mark.parametrize("api", APIS)
@given(reply=ANYTHING)
def test_a_glance_at_anything_raises_nothing_and_reading_it_only_a_value_error(api: str, reply: Any) -> None:
    APIS[api].glance(reply)
    try:
        answer = APIS[api].read(reply, ASKED)
    except ValueError:
        return
    json.dumps(answer.message)


@pytest.mark.parametrize(
    ("model", "reasons"),
    [
        ("o1", True), ("o4-mini", True), ("openai/o3", True), ("gpt-5", True), ("openai/gpt-5.2-codex", True),
        ("gpt-5-chat-latest", False), ("gpt-4o", False), ("gpt-oss-120b", False), ("qwen3", False), ("foo1", False),
    ],
)  # fmt: skip
def test_which_models_reason(model: str, reasons: bool) -> None:
    assert is_reasoning_model(model) is reasons


def test_fields_of_the_user_s_own() -> None:
    assert read_model_args(["top_k=20", "a.b=true", "a.c=x=y", 'stop=["\\n"]']) == {
        "top_k": 20, "a": {"b": True, "c": "x=y"}, "stop": ["\n"],
    }  # fmt: skip
