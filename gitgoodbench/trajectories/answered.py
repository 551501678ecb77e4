"""Every call has its result, every result its call: what servers and trainers demand of a conversation."""

from __future__ import annotations

from collections.abc import Iterable

from gitgoodbench.models.messages import Message, tool_result

NOT_RUN = "error: not run"
"""How the harness itself begins its answer to a call that it does not run."""


def answered(messages: Iterable[Message]) -> list[Message]:
    """The conversation with a result for each call, in the order of the calls; results of no call are left out.

    The harness's own loop leaves calls open in the last answer alone, and there they stay open: nothing comes after
    them. Agents and runs from elsewhere may leave them open anywhere: there a call gets `NOT_RUN`.
    """
    turns: list[tuple[Message, dict[str, Message]]] = []
    for message in messages:
        if message["role"] != "tool":
            turns.append((message, {}))
        elif turns:
            turns[-1][1].setdefault(str(message.get("tool_call_id")), message)
    whole: list[Message] = []
    for number, (message, results) in enumerate(turns, 1):
        whole.append(message)
        for call in message.get("tool_calls") or ():
            if call["id"] in results:
                whole.append(results[call["id"]])
            elif number < len(turns):
                whole.append(tool_result(call["id"], NOT_RUN))
    return whole
