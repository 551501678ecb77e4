"""What a request may not ask of a provider, because it would lead around the closed network.

A provider can search the web, run code, call remote tools and fetch addresses on a client's behalf, and it can keep
what was said. Fields and tools are allowed by name; what is not known is left out, and said. What changes the meaning
of the whole request (an earlier answer that the provider keeps) is refused. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gitgoodbench.bridge.google import closed_body
from gitgoodbench.text import one_line

_SHARED: Final = frozenset({"tools", "tool_choice", "parallel_tool_calls", "temperature", "top_p", "stream"})
_FIELDS: Final = {
    "chat": _SHARED
    | {
        "messages", "functions", "function_call", "top_k", "min_p", "max_tokens", "max_completion_tokens", "stop",
        "seed", "presence_penalty", "frequency_penalty", "repetition_penalty", "logit_bias", "logprobs",
        "top_logprobs", "response_format", "reasoning_effort", "reasoning", "thinking", "enable_thinking",
        "chat_template_kwargs", "verbosity", "stream_options", "prediction", "prompt_cache_key",
    },
    "responses": _SHARED
    | {
        "input", "instructions", "max_output_tokens", "max_tool_calls", "reasoning", "text", "include",
        "stream_options", "truncation", "prompt_cache_key", "top_logprobs",
    },
    "anthropic": _SHARED
    | {
        "messages", "system", "max_tokens", "top_k", "stop_sequences", "thinking", "output_config", "output_format",
        "context_management", "cache_control",
    },
}  # fmt: skip
_OURS: Final = frozenset({"model", "store"})
"""Set by the bridge, whatever is asked for."""

_IDENTITY: Final = frozenset({"client_metadata", "metadata", "user", "safety_identifier"})
"""What clients tell providers of themselves: left out without a word, since nothing changes by it."""

_REFUSED: Final = {
    "responses": ("previous_response_id", "conversation", "background", "prompt"),
    "google": ("cachedContent", "cached_content"),
}
_NEEDED: Final = {
    "chat": ("messages",),
    "responses": ("input",),
    "anthropic": ("messages", "max_tokens"),
    "google": ("contents",),
}
_INCLUDED: Final = re.compile(r"reasoning\.|message\.output_text\.")
_TOOLS: Final = {
    "chat": re.compile(r"function|custom"),
    "responses": re.compile(r"function|custom|local_shell|apply_patch|tool_search"),
    "anthropic": re.compile(r"custom|(?:bash|text_editor|memory|computer)_\d+"),
}
"""Types of tools that the client itself carries out."""

_CHOICES: Final = frozenset(
    {"function", "custom", "tool", "auto", "any", "none", "allowed_tools", "local_shell", "apply_patch", "shell"}
)
_MEDIA: Final = re.compile(
    r"(?:input_)?(?:image|file|video|audio)(?:_url)?|document|container_upload|computer_screenshot"
)
_ADDRESSES: Final = ("url", "image_url", "file_url", "video_url", "audio_url", "file_data")
_OF_A_CALL: Final = frozenset({"input", "arguments", "action"})
"""Fields with what the model itself wrote: nothing is fetched for them."""


class NotAllowed(Exception):
    """The request is refused; the message says why."""


@dataclass(frozen=True)
class Closed:
    """A request that leads nowhere but to the model. left_out: what it asked for beyond that, in words."""

    body: dict[str, Any]
    left_out: tuple[str, ...]


def close_off(api: str, body: Mapping[str, Any]) -> Closed:
    """The request without what would lead around the closed network, and without `model`.

    Raises:
        NotAllowed: it depends on such a thing, or is no request.
    """
    for name in _REFUSED.get(api, ()):
        if body.get(name):
            raise NotAllowed(f"{name} is not allowed: nothing is kept at the provider; send the whole conversation")
    for name in _NEEDED[api]:
        if body.get(name) is None:
            raise NotAllowed(f"{name} is missing")
    left_out: list[str] = []
    if api == "google":
        return Closed(closed_body(body, left_out), tuple(left_out))
    closed: dict[str, Any] = {}
    for name, value in body.items():
        if name in _FIELDS[api]:
            closed[name] = value
        elif name not in _OURS | _IDENTITY and value not in (None, False):
            left_out.append(f"field {one_line(name, 60)}")
    for name in ("messages", "input", "system"):
        if isinstance(closed.get(name), list):
            closed[name] = _closed_content(closed[name], api, left_out)
    _close_tools(api, closed, left_out)
    if isinstance(closed.get("include"), list):
        closed["include"] = [entry for entry in closed["include"] if _INCLUDED.match(str(entry))]
    if api == "responses":
        closed["store"] = False
    return Closed(closed, tuple(left_out))


def _close_tools(api: str, body: dict[str, Any], left_out: list[str]) -> None:
    tools = body.get("tools")
    if not isinstance(tools, list):
        return
    kept = [tool for tool in (_closed_tool(api, tool, left_out) for tool in tools) if tool is not None]
    body["tools"] = kept
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and choice.get("type") not in _CHOICES:
        del body["tool_choice"]
    if not kept:
        for name in ("tools", "tool_choice", "parallel_tool_calls"):
            body.pop(name, None)


def _closed_tool(api: str, tool: Any, left_out: list[str]) -> dict[str, Any] | None:
    """The tool, if the client carries it out."""
    if not isinstance(tool, dict):
        left_out.append("a tool that is no object")
        return None
    kind = str(tool.get("type") or ("custom" if api == "anthropic" else "function"))
    if api == "responses" and kind == "namespace" and isinstance(tool.get("tools"), list):
        inner = [_closed_tool(api, part, left_out) for part in tool["tools"]]
        return {**tool, "tools": [part for part in inner if part is not None]}
    environment = tool.get("environment")
    local = kind == "shell" and isinstance(environment, dict) and environment.get("type") == "local"
    if not _TOOLS[api].fullmatch(kind) and not (api == "responses" and local):
        left_out.append(f"tool {one_line(kind, 60)}")
        return None
    return {name: value for name, value in tool.items() if name != "allowed_callers"}


def _closed_content(value: Any, api: str, left_out: list[str]) -> Any:
    """A conversation without parts that the provider would fetch."""
    if isinstance(value, list):
        return [_closed_content(entry, api, left_out) for entry in value]
    if not isinstance(value, dict):
        return value
    kind = str(value.get("type"))
    if kind == "item_reference":
        raise NotAllowed("item_reference is not allowed: nothing is kept at the provider; send the item itself")
    if _MEDIA.fullmatch(kind) and _is_elsewhere(value):
        left_out.append(f"remote {kind}")
        return {"type": "input_text" if api == "responses" else "text", "text": f"[{kind} left out: it lies elsewhere]"}
    return {
        name: entry if name in _OF_A_CALL else _closed_content(entry, api, left_out) for name, entry in value.items()
    }


def _is_elsewhere(part: Mapping[str, Any]) -> bool:
    """Whether a part of content names what the provider would have to fetch."""
    for fields in (part, *(entry for entry in part.values() if isinstance(entry, dict))):
        if fields.get("file_id"):
            return True
        for name in _ADDRESSES:
            address = fields.get(name)
            if isinstance(address, str) and address[:5].lower() != "data:":
                return True
    return False
