"""Requests and answers of each API in one form, and the conversations of an episode told apart by it."""

from __future__ import annotations

import json
from typing import Any

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


def _said(text: str, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {}), **more}


def _asked(told: Conversations, *messages: dict[str, Any], answer: dict[str, Any] | None = None) -> int:
    """Ask, and answer."""
    number, _ = told.place(messages)
    if answer is not None:
        told.answered(number, answer)
    told.ended(number)
    return number


def test_a_request_continues_the_longest_conversation_that_it_begins_with() -> None:
    told = Conversations()
    assert _asked(told, _user("a")) == 0
    assert _asked(told, _user("b")) == 1
    assert _asked(told, _user("a"), _user("more")) == 0
    assert _asked(told, _user("a"), _user("more")) == 0  # tried again
    assert _asked(told, _user("b"), _user("x"), answer=_said("yes")) == 1
    assert len(told) == 2
    assert told.messages(1) == [_user("b"), _user("x"), _said("yes")]


def test_what_is_asked_while_an_answer_is_awaited_is_another_conversation() -> None:
    told = Conversations()
    first, second = (told.place([_user("a")])[0] for _ in range(2))
    for number, text in ((second, "two"), (first, "one")):
        told.answered(number, _said(text))
        told.ended(number)
    assert _asked(told, _user("a"), _said("two"), _user("x")) in (first, second)
    assert (first, second) == (0, 1)


def test_an_answer_is_the_model_s_own_however_it_is_sent_back() -> None:
    told = Conversations()
    mine = _said("So:", CALL, reasoning="Hm.", refusal=None)
    _asked(told, _user("a"), answer=mine)
    spaced = {**CALL, "function": {"name": "shell", "arguments": '{ "cmd" : "ls" }'}}
    result = {"role": "tool", "tool_call_id": "c1", "content": "a.py"}
    number, recorded = told.place([_user("a"), _said("So: ", spaced), result])
    assert (number, recorded) == (0, (_user("a"), mine, result))
    assert told.messages(0) == [_user("a"), mine, result]


def test_an_answer_that_never_arrived_is_not_said() -> None:
    told = Conversations()
    _asked(told, _user("a"), answer=_said("lost"))
    _asked(told, _user("a"), answer=_said("heard"))
    assert told.messages(0) == [_user("a"), _said("heard")]


def test_a_history_that_is_rewritten_loses_nothing_and_doubles_nothing() -> None:
    told = Conversations()
    prompt = [{"role": "system", "content": "s"}, _user("task")]
    said = [_said(f"step {number}") for number in range(4)]
    results = [_user(f"result {number}") for number in range(4)]
    turns = [each for pair in zip(said, results, strict=True) for each in pair]
    for number in range(4):
        assert _asked(told, *prompt, *turns[: 2 * number], answer=said[number]) == 0
    summary = _user("Of what was before: steps 0 to 2.")
    assert _asked(told, *prompt, summary, *turns[6:], answer=_said("step 4")) == 0
    assert _asked(told, *prompt, summary, *turns[6:], _said("step 4"), _user("r"), answer=_said("end")) == 0
    assert told.messages(0) == [
        *prompt, *turns[:7], summary, turns[7], _said("step 4"), _user("r"), _said("end"),
    ]  # fmt: skip


def test_a_sub_agent_is_told_by_the_call_that_asked_for_it() -> None:
    told = Conversations()
    task = "Find out who calls total()."
    call = {"id": "t1", "function": {"name": "Task", "arguments": json.dumps({"prompt": task, "kind": "search"})}}
    ask = [{"role": "system", "content": "You lead."}, _user("Merge.")]
    assert _asked(told, {"role": "system", "content": "Name it."}, _user("Merge."), answer=_said("A merge")) == 0
    assert _asked(told, *ask, answer=_said("", call)) == 1
    worker = [{"role": "system", "content": "You search."}, _user(f"<reminder/>{task}")]
    assert _asked(told, *worker, answer=_said("a")) == 2
    assert _asked(told, *worker, _said("a"), _user("and?"), _user("now?"), answer=_said("nobody")) == 2
    result = {"role": "tool", "tool_call_id": "t1", "content": "nobody"}
    assert _asked(told, *ask, _said("", call), result, answer=_said("Done.")) == 1
    spoken = told.spoken()
    assert (spoken.name, spoken.messages) == ("1", (*ask, _said("", call), result, _said("Done.")))
    assert [(one.name, one.call, len(one.messages)) for one in spoken.asides] == [("0", None, 3), ("2", "t1", 6)]


def test_a_message_is_kept_once() -> None:
    told = Conversations()
    for length in range(1, 40):
        _asked(told, *(_user(str(number)) for number in range(length)))
    assert len(told) == 1
    assert len(told._kept) == 39
