"""OpenAI's Responses API, without state on the server: what a model thought goes back encrypted, as it came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gitgoodbench.models.answer import Answer, Asked
from gitgoodbench.models.apis.base import STREAM, Glance, Quirks, kept, mapping, merged
from gitgoodbench.models.apis.chat_completions import read_finish_reason
from gitgoodbench.models.faults import Refusal
from gitgoodbench.models.messages import Message
from gitgoodbench.models.meter import Tokens
from gitgoodbench.models.parameters import Parameters, given, is_reasoning_model
from gitgoodbench.models.reading import (
    NO_USAGE,
    ReadCall,
    Reading,
    as_recorded,
    count,
    name_or_none,
    read_calls,
    read_content,
    take,
)
from gitgoodbench.text import clean_json

_ITEMS: Final = "response_items"
"""Of a recorded message: the items of the reply, which go back in its place."""

_ENCRYPTED: Final = "reasoning.encrypted_content"
_ENDS: Final = {"max_output_tokens": "length", "content_filter": "content_filter"}


class Responses:
    """See the module's docstring and `base.Api`."""

    name = "responses"
    offers = "responses"
    optional = frozenset({"temperature", "top_p", "max_output_tokens", "reasoning", "text", "include", "store"})

    def body(
        self,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]],
        parameters: Parameters,
        quirks: Quirks,
    ) -> dict[str, Any]:
        reasoning = is_reasoning_model(model)
        effort, schema = parameters.reasoning_effort, parameters.schema
        fields = {
            "temperature": None if reasoning else parameters.temperature,
            "top_p": None if reasoning else parameters.top_p,
            "max_output_tokens": parameters.max_output_tokens,
            "reasoning": effort and {"effort": effort},
            "text": schema and {"format": {"type": "json_schema", **schema}},
            "store": False,
            "include": [_ENCRYPTED] if reasoning or effort else None,
            "tools": [{"type": "function", "strict": False, **tool["function"]} for tool in tools] or None,
            "stream": True if STREAM in quirks else None,
        }
        items = [item for message in messages for item in _items(message)]
        return merged({"model": model, "input": items, **kept(fields, quirks)}, parameters.extra)

    def leaves_out(self, model: str, parameters: Parameters) -> Iterator[str]:
        if is_reasoning_model(model) and parameters.temperature is not None:
            yield f"temperature left out: {model} takes none"
        if parameters.seed is not None:
            yield "seed left out: this API has none"

    def extras(self, messages: Sequence[Message]) -> frozenset[str]:  # noqa: ARG002
        return frozenset()

    def switch(self, refusal: Refusal, body: Mapping[str, Any]) -> str | None:
        if "include" in body and "encrypted content" in refusal.message.lower():
            return "include"
        return None

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Any:
        done = [event["item"] for event in events if event.get("type") == "response.output_item.done"]
        for event in reversed(events):
            kind = event.get("type")
            if kind == "error" or (kind is None and event.get("error")):
                return {"error": event.get("error") or event}
            if kind in ("response.completed", "response.incomplete", "response.failed"):
                response = take(event.get("response"), dict, "response")
                return response if response.get("output") else {**response, "output": done}
        raise ValueError("the stream is cut off")

    def glance(self, reply: Any) -> Glance:
        reply = mapping(reply)
        usage = mapping(reply.get("usage"))
        tokens = Tokens(
            prompt=count(usage.get("input_tokens")),
            cached=count(mapping(usage.get("input_tokens_details")).get("cached_tokens")),
            completion=count(usage.get("output_tokens")),
            reasoning=count(mapping(usage.get("output_tokens_details")).get("reasoning_tokens")),
        )
        status = name_or_none(reply.get("status"))
        return Glance(tokens, name_or_none(reply.get("id")), name_or_none(reply.get("model")), status)

    def read(self, reply: Any, asked: Asked) -> Answer:
        reading = Reading()
        items = take(take(reply, dict, "the reply").get("output"), list, "output")
        texts, thoughts = [], []
        calls: list[ReadCall] = []
        for item in items:
            kind = take(item, dict, "an item of output").get("type")
            if kind == "message":
                text, thought = read_content(_parts(item.get("content")), Reading())
                texts.append(text)
                thoughts.append(thought)
            elif kind == "reasoning":
                parts = [*_parts(item.get("summary")), *_parts(item.get("content"))]
                thoughts += [str(mapping(part).get("text") or "") for part in parts]
            elif kind == "function_call":
                taken = Asked(asked.tools, asked.ids | {call.call.id for call in calls})
                call = {"id": item.get("call_id"), "function": {key: item.get(key) for key in ("name", "arguments")}}
                calls += read_calls({"tool_calls": [call]}, taken, reading)
        text = "".join(texts)
        recorded: Message = {"role": "assistant", "content": text}
        if calls:
            recorded |= {"content": text or None, "tool_calls": [call.recorded for call in calls]}
        if any(item.get("type") == "reasoning" for item in items):
            recorded[_ITEMS] = as_recorded(items, "function_call", calls, _call)
        if not reply.get("usage"):
            reading.note(NO_USAGE)
        glance = self.glance(reply)
        return Answer(
            message=clean_json(recorded),
            calls=tuple(call.call for call in calls),
            finish_reason=_finish_reason(reply, calls=bool(calls)),
            tokens=glance.tokens,
            text=text,
            thoughts="\n".join(filter(None, thoughts)),
            response_id=glance.response_id,
            model=glance.model,
            dialect=tuple(reading.dialect),
        )


def _parts(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "output_text", "text": content}]
    return take(content or [], list, "content")  # type: ignore[no-any-return]


def _call(item: dict[str, Any], call: Mapping[str, Any]) -> dict[str, Any]:
    """An item with a call as that is recorded: with its id, and with arguments that can be read."""
    return {**item, "call_id": call["id"], **call["function"]}


def _finish_reason(reply: Mapping[str, Any], *, calls: bool) -> str:
    if reply.get("status") == "incomplete":
        reason = str(mapping(reply.get("incomplete_details")).get("reason"))
        return _ENDS.get(reason, read_finish_reason(reason))
    return "tool_calls" if calls else "stop"


def _items(message: Message) -> Iterator[dict[str, Any]]:
    """A message of a conversation as items of the input."""
    role, content = message["role"], message.get("content")
    if role == "tool":
        yield {"type": "function_call_output", "call_id": message["tool_call_id"], "output": content}
        return
    if _ITEMS in message:
        yield from message[_ITEMS]
        return
    if content and role == "assistant":
        parts = [{"type": "output_text", "text": content}]
        yield {"type": "message", "role": role, "content": parts}  # llama.cpp takes it in no other form
    elif content:
        yield {"role": role, "content": content}
    for call in message.get("tool_calls") or ():
        yield {"type": "function_call", "call_id": call["id"], **given(call["function"])}
