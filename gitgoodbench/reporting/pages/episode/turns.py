"""A conversation as turns: what the model answered, and what came back before it was asked again.

Made of the lines of a trajectory. Texts stay as they were written: the page shows what cannot be seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from gitgoodbench.models.messages import Message
from gitgoodbench.reporting.conversation import arguments_of, reasoning_of, sequence_of, text_of
from gitgoodbench.runs.trajectories import Conversation

JsonObject = dict[str, Any]

_ERROR: Final = "error: "
"""How the result of a call begins that did nothing (see `gitgoodbench.tools`)."""
_SHORT: Final = 80
"""Characters of JSON that stand on one line."""
_COUNTS: Final = ("seconds", "tokens", "cost_usd", "cached", "finish_reason", "attempt", "model", "response_id")


def conversation_record(conversation: Conversation) -> JsonObject:
    """The conversation as JSON.

    before: messages ahead of the first turn. turns: each has `number`, `at` (seconds since the first line, None where
    no time is known), what is known of the request, `faults` that came before its answer, `reasoning`, `text`, `calls`
    with their `result`, and `after`: other messages that followed. faults: those after which no answer came.
    asides: conversations beside it, each with its `name` and the id of the `call` that it works on.
    """
    asides = [
        {"name": one.name, "call": one.call, **_record(one.lines, one.messages), "asides": []}
        for one in conversation.asides
    ]
    return {**_record(conversation.lines, conversation.messages), "ending": conversation.ending, "asides": asides}


def _record(lines: Sequence[Mapping[str, Any]], messages: Sequence[Message]) -> JsonObject:
    turns = _Turns()
    for line in lines or ({"kind": "message", "message": message} for message in messages):
        turns.read(line)
    return {"asked": turns.asked, "before": turns.before, "turns": turns.turns, "faults": turns.faults}


class _Turns:
    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.before: list[JsonObject] = []
        self.turns: list[JsonObject] = []
        self.faults: list[JsonObject] = []
        self._open: dict[str, JsonObject] = {}
        self._begun: datetime | None = None

    def read(self, line: Mapping[str, Any]) -> None:
        time = _time(line.get("started") or line.get("time"))
        self._begun = self._begun or time
        since = None if time is None or self._begun is None else round((time - self._begun).total_seconds(), 3)
        match line.get("kind"):
            case "request":
                self.asked.append(line.get("asked"))
            case "message":
                self._message(line.get("message"), since)
            case "answer":
                self._answer(line.get("message"), {"at": since, **_known(line)})
            case "fault":
                fault = {name: line.get(name) for name in ("fate", "status", "cause", "partial")}
                self.faults.append({"at": since, **fault, **_known(line)})

    def _message(self, message: Any, at: float | None) -> None:
        """A message that is no answer to a request; the assistant's, where an agent tells of its own turns."""
        role = message.get("role") if isinstance(message, Mapping) else None
        if role == "assistant":
            self._answer(message, {"at": at})
            return
        content = text_of(message.get("content")) if isinstance(message, Mapping) else json.dumps(message)
        call = self._open.pop(str(message.get("tool_call_id")), None) if role == "tool" else None
        if call is not None:
            call |= {"result": content, "is_error": content.startswith(_ERROR)}
            return
        said = {"role": str(role), "text": content, "is_error": role == "tool" and content.startswith(_ERROR)}
        (self.turns[-1]["after"] if self.turns else self.before).append(said)

    def _answer(self, message: Any, known: JsonObject) -> None:
        said = message if isinstance(message, Mapping) else {"content": json.dumps(message)}
        calls = [_call(call) for call in sequence_of(said.get("tool_calls"))]
        self._open = {call["id"]: call for call in calls}
        self.turns.append(
            {
                "number": len(self.turns) + 1,
                **known,
                "faults": self.faults,
                "reasoning": reasoning_of(said),
                "text": text_of(said.get("content")),
                "calls": calls,
                "after": [],
            }
        )
        self.faults = []


def _known(line: Mapping[str, Any]) -> JsonObject:
    return {name: line[name] for name in _COUNTS if line.get(name) is not None}


def _call(call: Any) -> JsonObject:
    """A call: each argument on its own. raw: what cannot be told apart into arguments; result: None without one."""
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        return {"id": "", "name": None, "arguments": [], "raw": json.dumps(call), "result": None, "is_error": False}
    arguments = arguments_of(function.get("arguments"))
    is_object = isinstance(arguments, Mapping)
    return {
        "id": str(call.get("id")),
        "name": str(function.get("name")),
        "arguments": _arguments(arguments.items()) if is_object else [],
        "raw": None if is_object else arguments if isinstance(arguments, str) else json.dumps(arguments),
        "result": None,
        "is_error": False,
    }


def _arguments(items: Iterable[tuple[Any, Any]]) -> list[JsonObject]:
    """Texts as themselves, everything else as JSON."""
    return [
        {"name": str(name), "text": value} if isinstance(value, str) else {"name": str(name), **_as_json(value)}
        for name, value in items
    ]


def _as_json(value: Any) -> JsonObject:
    short = json.dumps(value, ensure_ascii=False)
    return {"text": short if len(short) <= _SHORT else json.dumps(value, indent=2, ensure_ascii=False), "json": True}


def _time(text: Any) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
