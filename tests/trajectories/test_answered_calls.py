"""Each call of a conversation has its result, whoever wrote it; ours is passed through as it is."""

from __future__ import annotations

from typing import Any

from gitgoodbench.trajectories import formats
from gitgoodbench.trajectories.answered import NOT_RUN, answered
from gitgoodbench.trajectories.packed import MessageSpool
from tests.support.trajectory_rows import conversation, row

SYSTEM, USER, ANSWER, FIRST, SECOND, REMINDER, LAST = conversation("a", "b")


def ids(messages: list[dict[str, Any]]) -> list[str]:
    return [message.get("tool_call_id", message["role"]) for message in messages]


def test_a_whole_conversation_stays_as_it_is() -> None:
    assert answered(conversation("a", "b")) == list(conversation("a", "b"))


def test_a_call_whose_result_is_missing_in_the_middle_is_said_to_be_not_run() -> None:
    whole = answered([SYSTEM, USER, ANSWER, FIRST, REMINDER, LAST])
    assert whole[4] == {"role": "tool", "tool_call_id": "c1", "content": NOT_RUN}
    assert whole[5:] == [REMINDER, LAST]
    assert ids(answered([USER, ANSWER, LAST])) == ["user", "assistant", "c0", "c1", "assistant"]


def test_calls_of_the_last_answer_stay_open() -> None:
    assert answered([SYSTEM, USER, ANSWER, FIRST]) == [SYSTEM, USER, ANSWER, FIRST]
    assert formats.openai(row(messages=(SYSTEM, USER, ANSWER, FIRST)))["messages"][-1] == ANSWER


def test_results_follow_the_order_of_the_calls_and_those_of_no_call_are_left_out() -> None:
    stray = {"role": "tool", "tool_call_id": "elsewhere", "content": "?"}
    assert answered([stray, USER, ANSWER, SECOND, stray, FIRST, SECOND, LAST]) == [USER, ANSWER, FIRST, SECOND, LAST]


def test_packed_messages_are_read_as_they_were_given() -> None:
    spool = MessageSpool()
    packed, other = spool.pack(conversation("a", "\u00e9")), spool.pack(conversation("b"))
    assert list(packed) == list(conversation("a", "\u00e9"))
    assert (len(packed), packed[-1], packed[:2]) == (7, LAST, [SYSTEM, USER])
    assert packed == MessageSpool().pack(conversation("a", "\u00e9"))
    assert packed != other
    del spool
    assert list(other) == list(conversation("b"))


def test_reasoning_is_a_thought_in_sharegpt_and_marks_of_thoughts_stand_nowhere_else() -> None:
    answer = {**ANSWER, "content": "so</think>\n\nit", "reasoning_content": "hm"}
    last = {**LAST, "reasoning_content": "done?"}
    turns = formats.sharegpt(row(messages=(SYSTEM, USER, answer, FIRST, SECOND, last)))["conversations"]
    assert turns[1]["value"].startswith("<think>\nhm\n\nso\n\nit\n</think>\n\n[")
    assert turns[3]["value"] == "<think>\ndone?\n</think>\n\nDone."
    marked = formats.sharegpt(row(messages=conversation("<tool_call>", text=None)))["conversations"][1]["value"]
    assert marked == '{"name": "view", "arguments": {"path": "\\u003ctool_call>"}}'
