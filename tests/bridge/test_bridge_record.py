"""Requests and answers of each API in one form, and the conversations of an episode told apart by it."""

from __future__ import annotations

import json

from gitgoodbench.bridge.chat_form import answer_of, messages_of, tools_of
from gitgoodbench.bridge.conversations import Conversations

CALL = {"id": "c1", "type": "function", "function": {"name": "shell", "arguments": '{"cmd": "ls"}'}}
SAID = [
    {"role": "system", "content": "Be good."},
    {"role": "user", "content": "List."},
    {"role": "assistant", "content": "So:", "reasoning": "Hm.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
]
ITEMS = [
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "x"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "So:"}]},
    {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": '{"cmd": "ls"}'},
]
BLOCKS = [
    {"type": "thinking", "thinking": "Hm.", "signature": "s"},
    {"type": "text", "text": "So:"},
    {"type": "tool_use", "id": "c1", "name": "shell", "input": {"cmd": "ls"}},
]


def test_responses_read_as_chat_completions() -> None:
    body = {
        "instructions": "Be good.",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "List."}]},
            *ITEMS,
            {"type": "function_call_output", "call_id": "c1", "output": "a.py"},
        ],
    }
    assert messages_of("responses", body) == SAID
    assert answer_of("responses", {"output": ITEMS}) == SAID[2]


def test_messages_read_as_chat_completions() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    body = {
        "system": [{"type": "text", "text": "Be good.", **mark}],
        "messages": [
            {"role": "user", "content": "List."},
            {"role": "assistant", "content": BLOCKS},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "a.py", **mark}]},
        ],
    }
    assert messages_of("anthropic", body) == SAID
    assert answer_of("anthropic", {"content": BLOCKS}) == SAID[2]


def test_calls_that_are_no_functions_are_calls() -> None:
    patch = {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "*** Begin"}
    shell = {"type": "local_shell_call", "call_id": "c2", "action": {"command": ["ls"]}}
    search = {"type": "web_search_call", "id": "ws_1"}
    message = answer_of("responses", {"output": [patch, shell, search]})
    assert [(call["id"], call["function"]["name"]) for call in message["tool_calls"]] == [
        ("c1", "apply_patch"), ("c2", "local_shell")
    ]  # fmt: skip
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"input": "*** Begin"}
    assert message["other"] == [search]


def test_tools_read_as_functions() -> None:
    chat = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}
    flat = {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}}
    theirs = {"name": "f", "description": "d", "input_schema": {"type": "object"}}
    assert tools_of("chat", {"tools": [chat]}) == [chat]
    assert tools_of("responses", {"tools": [flat, {"type": "local_shell"}]}) == [chat, {"type": "local_shell"}]
    assert tools_of("anthropic", {"tools": [theirs]}) == [chat]


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def test_a_request_continues_the_longest_conversation_that_it_begins_with() -> None:
    told = Conversations()
    assert told.place([_user("a")]) == 0
    assert told.place([_user("b")]) == 1
    assert told.place([_user("a"), _user("more")]) == 0
    assert told.place([_user("a"), _user("more")]) == 0  # tried again
    assert told.place([_user("a"), _user("else")]) == 2  # it was turned back, or begins as the first did
    assert told.place([_user("a"), _user("else"), _user("x")]) == 2
    assert told.place([_user("b"), _user("x")]) == 1
    assert len(told) == 3
    told.answered(1, {"role": "assistant", "content": "yes"})
    assert told.messages(1) == [_user("b"), _user("x"), {"role": "assistant", "content": "yes"}]


def test_a_message_is_kept_once() -> None:
    told = Conversations()
    for length in range(1, 40):
        told.place([_user(str(number)) for number in range(length)])
    assert len(told) == 1
    assert len(told._kept) == 39
