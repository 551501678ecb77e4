"""The Chat Completions API: OpenAI's, and what hundreds of servers offer under the same address."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from gitgoodbench.models.answer import Answer, Asked
from gitgoodbench.models.apis.base import FIELD, INSTEAD, STREAM, Glance, Quirks, kept, mapping, merged
from gitgoodbench.models.faults import Refusal
from gitgoodbench.models.messages import Message
from gitgoodbench.models.meter import Tokens
from gitgoodbench.models.parameters import Parameters, is_reasoning_model
from gitgoodbench.models.reading import (
    NO_USAGE,
    PARTS,
    Reading,
    count,
    name_or_none,
    read_calls,
    read_content,
    take,
)
from gitgoodbench.text import clean_json

_COMPLETION_TOKENS: Final = "max_completion_tokens"
_PARTS_KEY: Final = "content_parts"
"""Of a recorded message: its content as parts, which go back as its content."""

_OWN: Final = frozenset({"role", "content", "tool_calls"})
_NOT_SENT_BACK: Final = frozenset({"refusal", "function_call", "audio", "annotations"})
_GROWING: Final = ("text", "thinking", "summary")
"""Fields of parts that a stream sends piece by piece."""

_THOUGHTS: Final = ("reasoning_content", "reasoning")


class ChatCompletions:
    """See the module's docstring and `base.Api`."""

    name = "chat"
    offers = "chat completions"
    optional = frozenset(
        {"temperature", "top_p", "seed", "max_tokens", "max_completion_tokens", "reasoning_effort", "response_format",
         "stream_options"}
    )  # fmt: skip

    def body(
        self,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]],
        parameters: Parameters,
        quirks: Quirks,
    ) -> dict[str, Any]:
        reasoning = is_reasoning_model(model)
        limit = _COMPLETION_TOKENS if reasoning or _COMPLETION_TOKENS + INSTEAD in quirks else "max_tokens"
        schema = parameters.schema
        streams = STREAM in quirks or parameters.extra.get("stream") is True
        fields = {
            "temperature": None if reasoning else parameters.temperature,
            "top_p": None if reasoning else parameters.top_p,
            "seed": parameters.seed,
            limit: parameters.max_output_tokens,
            "reasoning_effort": parameters.reasoning_effort,
            "response_format": schema and {"type": "json_schema", "json_schema": schema},
            "tools": list(tools) or None,
            "stream": True if STREAM in quirks else None,
            "stream_options": {"include_usage": True} if streams else None,
        }
        sent = [wire(message, quirks) for message in messages]
        return merged({"model": model, "messages": sent, **kept(fields, quirks)}, parameters.extra)

    def leaves_out(self, model: str, parameters: Parameters) -> Iterator[str]:
        if is_reasoning_model(model) and parameters.temperature is not None:
            yield f"temperature left out: {model} takes none"

    def extras(self, messages: Sequence[Message]) -> frozenset[str]:
        return extras_in(messages)

    def switch(self, refusal: Refusal, body: Mapping[str, Any]) -> str | None:
        if "max_tokens" in body and _COMPLETION_TOKENS in refusal.message:
            return _COMPLETION_TOKENS + INSTEAD
        return None

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Any:
        return assemble(events)

    def glance(self, reply: Any) -> Glance:
        reply = mapping(reply)
        choices = reply.get("choices")
        choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
        return Glance(
            read_usage(reply.get("usage")),
            name_or_none(reply.get("id")),
            name_or_none(reply.get("model")),
            name_or_none(choice.get("finish_reason")),
        )

    def read(self, reply: Any, asked: Asked) -> Answer:
        reading = Reading()
        choices = take(take(reply, dict, "the reply").get("choices"), list, "choices")
        if not choices:
            raise ValueError("choices is empty")
        choice = take(choices[0], dict, "choices[0]")
        message = take(choice.get("message"), dict, "message")
        content = message.get("content") or message.get("refusal")
        if isinstance(content, dict):
            content = [content]
        text, thoughts = read_content(content, reading)
        calls = read_calls(message, asked, reading)
        recorded: Message = {"role": "assistant", "content": text if PARTS in reading.dialect else content or ""}
        if PARTS in reading.dialect:
            recorded[_PARTS_KEY] = content
        recorded |= further_fields(message)
        for name in _THOUGHTS:
            if recorded.get(name):
                reading.note(name)
        if calls:
            recorded["content"] = recorded["content"] or None
            recorded["tool_calls"] = [call.recorded for call in calls]
        if not reply.get("usage"):
            reading.note(NO_USAGE)
        glance = self.glance(reply)
        return Answer(
            message=clean_json(recorded),
            calls=tuple(call.call for call in calls),
            finish_reason=read_finish_reason(choice.get("finish_reason")),
            tokens=glance.tokens,
            text=text,
            thoughts="\n".join([*(str(recorded[name]) for name in _THOUGHTS if recorded.get(name)), thoughts]).strip(),
            response_id=glance.response_id,
            model=glance.model,
            dialect=tuple(reading.dialect),
        )


def further_fields(message: Mapping[str, Any]) -> dict[str, Any]:
    """What a message holds beyond the API's own, and its server wants back: thoughts, signatures and the like."""
    return {key: value for key, value in message.items() if value and key not in _OWN | _NOT_SENT_BACK}


def extras_in(messages: Iterable[Message]) -> frozenset[str]:
    """Names of further fields of answers in a conversation, its calls included."""
    names: set[str] = set()
    for message in messages:
        if message.get("role") == "assistant":
            names |= message.keys() - _OWN - {_PARTS_KEY}
            for call in message.get("tool_calls") or ():
                names |= call.keys() - {"id", "type", "function"}
    return frozenset(names)


def wire(message: Message, quirks: Quirks) -> Message:
    """A recorded message as it goes to the server: an answer in the form in which it came."""
    if message.get("role") != "assistant":
        return message
    refused = {quirk.removeprefix(FIELD) for quirk in quirks if quirk.startswith(FIELD)}
    sent = {key: value for key, value in message.items() if key not in refused and key != _PARTS_KEY}
    if _PARTS_KEY in message:
        sent["content"] = message[_PARTS_KEY]
    if refused and "tool_calls" in sent:
        sent["tool_calls"] = [
            {key: value for key, value in call.items() if key not in refused} for call in sent["tool_calls"]
        ]
    return sent


def read_usage(value: Any) -> Tokens:
    """The reported token counts; whatever is missing or no count is unknown."""
    usage = mapping(value)
    return Tokens(
        prompt=count(usage.get("prompt_tokens")),
        cached=count(mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
        completion=count(usage.get("completion_tokens")),
        reasoning=count(mapping(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def read_finish_reason(value: Any) -> str:
    """Why the answer ended, in OpenAI's words; gateways write some of them otherwise."""
    reason = str(value)
    low = reason.lower()
    if low.startswith(("content_filter", "safety", "prohibited_content", "recitation")):
        return "content_filter"
    return "length" if low in ("max_tokens", "model_length") else reason


def assemble(events: Sequence[Mapping[str, Any]]) -> Any:
    """One reply of the chunks of a stream, as if it had come whole.

    Raises:
        ValueError: the stream is cut off, or a chunk is no chunk.
    """
    if len(events) == 1 and events[0].get("error"):
        return events[0]
    reply: dict[str, Any] = {}
    message: dict[str, Any] = {"role": "assistant"}
    calls: list[dict[str, Any]] = []
    finish_reason = None
    for event in events:
        if event.get("error"):
            return {"error": event["error"]}
        reply |= {key: event[key] for key in ("id", "model", "usage") if event.get(key)}
        for choice in take(event.get("choices") or [], list, "choices"):
            if take(choice, dict, "choices[0]").get("index") not in (0, None):
                continue
            finish_reason = choice.get("finish_reason") or finish_reason
            delta = take(choice.get("delta") or choice.get("message") or {}, dict, "delta")
            _add_fields(message, delta)
            for part in take(delta.get("tool_calls") or [], list, "tool_calls"):
                _add_call(calls, take(part, dict, "a tool call"))
    if finish_reason is None:
        raise ValueError("the stream is cut off")
    if calls:
        message["tool_calls"] = calls
    return reply | {"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]}


def _add_fields(message: dict[str, Any], delta: Mapping[str, Any]) -> None:
    for key, value in delta.items():
        if key in ("role", "tool_calls") or value is None:
            continue
        before = message.get(key)
        if key == "content" and before is not None and type(before) is not type(value):
            before, value = _as_parts(before), _as_parts(value)
        if isinstance(value, str) and isinstance(before, str):
            message[key] = before + value
        elif isinstance(value, list) and isinstance(before, list):
            message[key] = _joined(before, value)
        elif isinstance(value, dict) and isinstance(before, dict):
            _add_fields(before, value)
        elif before is None or value:
            message[key] = value if not isinstance(value, dict) else dict(value)


def _as_parts(content: Any) -> Any:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _joined(before: Sequence[Any], more: Sequence[Any]) -> list[Any]:
    """Two pieces of a list; what one ends and the other begins with is one part where it is of the same kind."""
    if before and more and isinstance(before[-1], dict) and isinstance(more[0], dict):
        last, first = before[-1], more[0]
        same = all(last[key] == first[key] for key in last.keys() & first.keys() - set(_GROWING))
        grown = [key for key in _GROWING if type(last.get(key)) is type(first.get(key)) in (str, list)]
        if same and grown:
            part = {**last, **first}
            part |= {
                key: last[key] + first[key] if isinstance(last[key], str) else _joined(last[key], first[key])
                for key in grown
            }
            return [*before[:-1], part, *more[1:]]
    return [*before, *more]


def _add_call(calls: list[dict[str, Any]], part: dict[str, Any]) -> None:
    """Add a piece of a call to the one that it continues.

    Some servers send each call whole, all with the same index or with none.
    """
    function = mapping(part.get("function"))
    index = part.get("index")
    same = [call for call in calls if index is not None and call.get("index") == index]
    current = same[-1] if same else calls[-1] if calls and index is None and not function.get("name") else None
    if current is None or (function.get("name") and _begins_another(current, part)):
        calls.append({**part, "function": dict(function)})
        return
    _add_fields(current, {key: value for key, value in part.items() if key not in ("index", "id", "type", "function")})
    current["id"] = current.get("id") or part.get("id")
    added = dict(function)
    if current["function"].get("name"):
        added.pop("name", None)
    _add_fields(current["function"], added)


def _begins_another(current: Mapping[str, Any], part: Mapping[str, Any]) -> bool:
    if not mapping(current["function"]).get("name"):
        return False
    identity, begun = part.get("id"), mapping(part.get("function")).get("arguments")
    if identity and identity != current.get("id"):
        return True
    begins = isinstance(begun, Mapping) or (isinstance(begun, str) and begun.lstrip()[:1] == "{")
    return begins and _is_whole(mapping(current["function"]).get("arguments"))


def _is_whole(arguments: Any) -> bool:
    if not isinstance(arguments, str):
        return arguments is not None
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return False
    return True
