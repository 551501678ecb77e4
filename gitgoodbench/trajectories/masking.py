"""Secrets and addresses that commits brought into a conversation, replaced before it becomes training data."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from gitgoodbench.feedback.secrets import MASK, secret_spans
from gitgoodbench.models.messages import Message
from gitgoodbench.trajectories.packed import MessageSpool
from gitgoodbench.trajectories.rows import Row


def masked(row: Row, spool: MessageSpool) -> Row:
    """A row whose messages hold no secret and no e-mail address that is recognised; `masked` counts them.

    The commits that the sample is about stay: their ids are no secrets, though they look like some.

    Args:
        spool: where changed messages lie.

    Raises:
        UserError: the detector is not installed.
    """
    counted: list[int] = []
    messages = [_message(message, row.commits, counted) for message in row.messages]
    asides = [
        replace(one, messages=spool.pack(_message(message, row.commits, counted) for message in one.messages))
        for one in row.asides
    ]
    if not counted:
        return row
    return replace(row, messages=spool.pack(messages), asides=tuple(asides), masked=sum(counted))


def _message(message: Message, allowed: Collection[str], counted: list[int]) -> Message:
    kept = dict(message)
    for name in ("content", "reasoning_content"):
        if isinstance(kept.get(name), str):
            kept[name] = _text(kept[name], allowed, counted)
    if calls := kept.get("tool_calls"):
        kept["tool_calls"] = [{**call, "function": _call(call["function"], allowed, counted)} for call in calls]
    return kept


def _call(function: dict[str, str], allowed: Collection[str], counted: list[int]) -> dict[str, str]:
    return {**function, "arguments": _json(function["arguments"], allowed, counted)}


def _json(text: str, allowed: Collection[str], counted: list[int]) -> str:
    """Arguments stay JSON: only their texts are looked through. What needs no mask stays as the model wrote it."""
    try:
        value = json.loads(text)
    except ValueError:
        return _text(text, allowed, counted)
    before = len(counted)
    clean = _value(value, allowed, counted)
    return text if len(counted) == before else json.dumps(clean)


def _value(value: Any, allowed: Collection[str], counted: list[int]) -> Any:
    if isinstance(value, str):
        return _text(value, allowed, counted)
    if isinstance(value, list):
        return [_value(each, allowed, counted) for each in value]
    if isinstance(value, dict):
        return {name: _value(each, allowed, counted) for name, each in value.items()}
    return value


def _text(text: str, allowed: Collection[str], counted: list[int]) -> str:
    content = text.encode("utf-8", "surrogatepass")
    spans = [span for span in secret_spans(content) if content[slice(*span)].decode("latin-1") not in allowed]
    for start, end in reversed(spans):
        content = content[:start] + MASK + content[end:]
        counted.append(1)
    return content.decode("utf-8", "surrogatepass") if spans else text
