"""Anthropic's Messages API, with thinking returned as it came and the conversation so far kept in the prompt cache.

Each request marks three places up to which the cache may be used: tools and system prompt, and the last two turns of
the user. So a conversation is written to the cache once, and read from it with every answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from gitgoodbench.errors import ToolError
from gitgoodbench.models.answer import Answer, Asked
from gitgoodbench.models.apis.base import INSTEAD, STREAM, Glance, Quirks, kept, mapping, merged
from gitgoodbench.models.faults import Refusal
from gitgoodbench.models.messages import Message, read_arguments
from gitgoodbench.models.meter import Tokens
from gitgoodbench.models.parameters import Parameters
from gitgoodbench.models.reading import (
    NO_USAGE,
    ReadCall,
    Reading,
    as_recorded,
    count,
    name_or_none,
    read_calls,
    split_thoughts,
    take,
)
from gitgoodbench.text import clean_json

DEFAULT_MAX_TOKENS: Final = 8192
"""The API wants a limit; every model since 2024 takes this one."""

_BLOCKS: Final = "content_blocks"
"""Of a recorded message: its blocks, where they hold more than text and calls; they go back in its place."""

_BUDGET: Final = f"a thinking budget{INSTEAD}"
_BUDGETS: Final = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 24576}
_MOST_THINKING: Final = 32768
_ENDS: Final = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
_CACHE: Final = {"type": "ephemeral"}
_NOT_IN_AN_ID: Final = re.compile(r"[^A-Za-z0-9_-]")


class AnthropicMessages:
    """See the module's docstring and `base.Api`."""

    name = "anthropic"
    offers = "messages"
    optional = frozenset({"temperature", "top_p", "output_config", "thinking"})

    def body(
        self,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]],
        parameters: Parameters,
        quirks: Quirks,
    ) -> dict[str, Any]:
        thinking, effort, more = _thinking(parameters.reasoning_effort, quirks)
        schema = parameters.schema and {"type": "json_schema", "schema": parameters.schema["schema"]}
        system = [message["content"] for message in messages if message["role"] == "system"]
        fields = {
            "temperature": None if thinking else parameters.temperature,
            "top_p": None if thinking else parameters.top_p,
            "max_tokens": (parameters.max_output_tokens or DEFAULT_MAX_TOKENS) + more,
            "thinking": thinking,
            "output_config": kept({"effort": effort, "format": schema}, frozenset()) or None,
            "system": [{"type": "text", "text": text} for text in system if text] or None,
            "tools": [_tool(tool["function"]) for tool in tools] or None,
            "stream": True if STREAM in quirks else None,
        }
        body = {"model": model, "messages": _turns(messages), **kept(fields, quirks)}
        return merged(_with_cache_marks(body), parameters.extra)

    def leaves_out(self, model: str, parameters: Parameters) -> Iterator[str]:  # noqa: ARG002
        if parameters.seed is not None:
            yield "seed left out: this API has none"

    def extras(self, messages: Sequence[Message]) -> frozenset[str]:  # noqa: ARG002
        return frozenset()

    def switch(self, refusal: Refusal, body: Mapping[str, Any]) -> str | None:
        adaptive = mapping(body.get("thinking")).get("type") == "adaptive"
        if adaptive and re.search(r"thinking|adaptive|effort|output_config", refusal.message):
            return _BUDGET
        return None

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Any:
        return assemble(events)

    def glance(self, reply: Any) -> Glance:
        reply = mapping(reply)
        return Glance(
            read_usage(reply.get("usage")),
            name_or_none(reply.get("id")),
            name_or_none(reply.get("model")),
            name_or_none(reply.get("stop_reason")),
        )

    def read(self, reply: Any, asked: Asked) -> Answer:
        reading = Reading()
        blocks = take(take(reply, dict, "the reply").get("content"), list, "content")
        texts, thoughts = [], []
        calls: list[ReadCall] = []
        for block in blocks:
            kind = take(block, dict, "a block of content").get("type")
            if kind == "text":
                texts.append(take(block.get("text"), str, "text"))
            elif kind == "thinking":
                thoughts.append(str(block.get("thinking") or ""))
            elif kind == "tool_use":
                taken = Asked(asked.tools, asked.ids | {call.call.id for call in calls})
                given = block.get("input")
                written = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
                call = {"id": block.get("id"), "function": {"name": block.get("name"), "arguments": written}}
                calls += read_calls({"tool_calls": [call]}, taken, reading)
        content = "".join(texts)
        text, thought = split_thoughts(content)
        recorded: Message = {"role": "assistant", "content": content}
        if calls:
            recorded |= {"content": content or None, "tool_calls": [call.recorded for call in calls]}
        if any(block.get("type") not in ("text", "tool_use") for block in blocks):
            recorded[_BLOCKS] = as_recorded(blocks, "tool_use", calls, _use)
        glance = self.glance(reply)
        if glance.tokens.prompt is None:
            reading.note(NO_USAGE)
        reason = str(reply.get("stop_reason"))
        return Answer(
            message=clean_json(recorded),
            calls=tuple(call.call for call in calls),
            finish_reason=_ENDS.get(reason, reason),
            tokens=glance.tokens,
            text=text,
            thoughts="\n".join(filter(None, [*thoughts, thought])),
            response_id=glance.response_id,
            model=glance.model,
            dialect=tuple(reading.dialect),
        )


def read_usage(value: Any) -> Tokens:
    """Tokens as the others count them: Anthropic's input leaves out what was read from the cache or stored in it."""
    usage = mapping(value)
    plain = count(usage.get("input_tokens"))
    read, written = (count(usage.get(f"cache_{what}_input_tokens")) for what in ("read", "creation"))
    return Tokens(
        prompt=None if plain is None else plain + (read or 0) + (written or 0),
        cached=read,
        completion=count(usage.get("output_tokens")),
        written=written,
        reasoning=count(mapping(usage.get("output_tokens_details")).get("thinking_tokens")),
    )


def _thinking(effort: str | None, quirks: Quirks) -> tuple[dict[str, Any] | None, str | None, int]:
    """What `--reasoning-effort` means: the thinking asked for, the effort, and tokens beyond those of the answer.

    Models decide themselves how much to think; older ones are given a number of tokens.
    """
    if effort is None or effort == "none":
        return None, None, 0
    if _BUDGET not in quirks:
        return {"type": "adaptive"}, "low" if effort == "minimal" else effort, 0
    budget = _BUDGETS.get(effort, _MOST_THINKING)
    return {"type": "enabled", "budget_tokens": budget}, None, budget


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    tool = {"name": function["name"], "input_schema": function.get("parameters") or {"type": "object"}}
    return tool | ({"description": function["description"]} if function.get("description") else {})


def _turns(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The conversation in turns of user and assistant; the results of one answer are one turn, with what follows."""
    spoken = [message for message in messages if message["role"] != "system"]
    turns = []
    for role, group in groupby(spoken, lambda message: "assistant" if message["role"] == "assistant" else "user"):
        blocks = [block for message in group for block in _blocks(message)]
        turns.append({"role": role, "content": blocks or [{"type": "text", "text": "(nothing)"}]})
    return turns


def _blocks(message: Message) -> Iterator[dict[str, Any]]:
    content = message.get("content")
    if message["role"] == "tool":
        yield {"type": "tool_result", "tool_use_id": _identity(message["tool_call_id"]), "content": content}
        return
    if _BLOCKS in message:
        yield from message[_BLOCKS]
        return
    if isinstance(content, str) and content.strip():
        yield {"type": "text", "text": content}
    for call in message.get("tool_calls") or ():
        function = call["function"]
        yield {"type": "tool_use", "id": _identity(call["id"]), "name": function["name"], "input": _input(function)}


def _identity(call_id: str) -> str:
    return _NOT_IN_AN_ID.sub("_", call_id)


def _input(function: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return read_arguments(function["arguments"])
    except ToolError:
        return {}


def _use(block: dict[str, Any], call: Mapping[str, Any]) -> dict[str, Any]:
    """A block with a call as that is recorded: with its id, and with an object as its input."""
    given = block.get("input")
    return {
        **block,
        "id": _identity(call["id"]),
        "input": given if isinstance(given, dict) else _input(call["function"]),
    }


def _with_cache_marks(body: dict[str, Any]) -> dict[str, Any]:
    """Mark the ends of the system prompt (else of the tools), and of the last two turns of the user."""
    first = body.get("system") or body.get("tools")
    if first:
        first[-1] = {**first[-1], "cache_control": _CACHE}
    asked = [turn for turn in body["messages"] if turn["role"] == "user"]
    for turn in asked[-2:]:
        turn["content"] = [*turn["content"][:-1], {**turn["content"][-1], "cache_control": _CACHE}]
    return body


def assemble(events: Sequence[Mapping[str, Any]]) -> Any:
    """One reply of the events of a stream.

    Raises:
        ValueError: the stream is cut off.
    """
    reply: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    written: dict[int, str] = {}
    for event in events:
        kind = event.get("type")
        if kind == "error":
            return {"error": event.get("error")}
        if kind == "message_start":
            reply = dict(take(event.get("message"), dict, "message"))
        elif kind == "content_block_start":
            blocks[event["index"]] = dict(take(event.get("content_block"), dict, "content_block"))
        elif kind == "content_block_delta":
            _add_delta(blocks[event["index"]], mapping(event.get("delta")), event["index"], written)
        elif kind == "message_delta":
            reply |= mapping(event.get("delta"))
            reply["usage"] = {**mapping(reply.get("usage")), **kept(mapping(event.get("usage")), frozenset())}
    if not reply.get("stop_reason"):
        raise ValueError("the stream is cut off")
    for index, text in written.items():
        blocks[index]["input"] = read_input(text)
    return reply | {"content": [blocks[index] for index in sorted(blocks)]}


def read_input(text: str) -> Any:
    """The arguments of a call that came piece by piece; what is no JSON (it was cut off) stays text."""
    try:
        return json.loads(text or "{}")
    except (ValueError, RecursionError):
        return text


def _add_delta(block: dict[str, Any], delta: Mapping[str, Any], index: int, written: dict[int, str]) -> None:
    for name in ("text", "thinking", "signature"):
        if isinstance(delta.get(name), str):
            block[name] = (block.get(name) or "") + delta[name]
    if isinstance(delta.get("partial_json"), str):
        written[index] = written.get(index, "") + delta["partial_json"]
