"""Reading what servers really send: texts in parts, thoughts among them, and tool calls in every form.

Pure functions. What they had to read in another way than OpenAI documents it is noted in words (`Reading.dialect`).
Whatever can mean only one thing is read; anything else is a ValueError.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gitgoodbench.models.answer import Asked
from gitgoodbench.models.messages import ToolCall, recorded_call

PARTS = "content as a list of parts"
THOUGHTS = "thoughts in <think>"
OWN_IDS = "tool call ids of our own"
NUMBERS = "numbers as tool call ids"
OBJECTS = "arguments as an object"
TWICE = "arguments as JSON twice over"
LEGACY = "function_call"
PREFIX = "a prefix before tool names"
FLAT = "tool calls without function"
STREAM = "answers as a stream"
NO_USAGE = "no usage"

_THINK = re.compile(r"<(think|thinking|thought)>(.*?)(?:</\1>|\Z)", re.DOTALL)
_THOUGHT_END = re.compile(r"\A(.*?)</(?:think|thinking|thought)>", re.DOTALL)
_PREFIX = re.compile(r"\A(?:functions|tools|default_api)[.:]")
_NOT_PARSED = re.compile(
    r"<tool_call>|<function=\w|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_calls?_(?:section_)?begin\|>"
    r"|<｜tool▁calls?▁begin｜>|<\|channel\|>commentary to=functions\."
)
_KNOWN_OF_CALL = frozenset({"id", "type", "function", "index", "name", "arguments", "input", "parameters"})
_KNOWN_OF_FUNCTION = frozenset({"name", "arguments", "parameters"})


@dataclass
class Reading:
    """Notes of the dialect, kept while an answer is read."""

    dialect: list[str] = field(default_factory=list)

    def note(self, words: str) -> None:
        if words not in self.dialect:
            self.dialect.append(words)


@dataclass(frozen=True)
class ReadCall:
    """A call, and as it goes into the conversation."""

    call: ToolCall
    recorded: dict[str, Any]


def as_recorded(
    parts: Iterable[dict[str, Any]],
    kind: str,
    calls: Iterable[ReadCall],
    write: Callable[[dict[str, Any], Mapping[str, Any]], dict[str, Any]],
) -> list[dict[str, Any]]:
    """The parts of a reply as they go back: those of the type that holds calls agree with the calls as recorded.

    Args:
        calls: one for each part of that type, in order. write: makes the part anew of itself and its call.
    """
    recorded = (call.recorded for call in calls)
    return [write(part, next(recorded)) if part.get("type") == kind else part for part in parts]


def take(value: Any, kind: type[Any], what: str) -> Any:
    """The value, which must be of that type.

    Raises:
        ValueError: it is not.
    """
    if not isinstance(value, kind):
        raise ValueError(f"{what} is {type(value).__name__}, not {kind.__name__}")  # noqa: TRY004
    return value


def count(value: Any) -> int | None:
    """A number of tokens; whatever is none is unknown."""
    return value if type(value) is int and value >= 0 else None


def name_or_none(value: Any) -> str | None:
    """An id or a name that a server gave."""
    return value if isinstance(value, str) and value else None


def read_content(content: Any, reading: Reading) -> tuple[str, str]:
    """Text and thoughts of a message's content: a string, a list of parts, or nothing.

    Raises:
        ValueError: it is none of these.
    """
    if isinstance(content, list):
        reading.note(PARTS)
        parts = [_read_part(part) for part in content]
        text, thoughts = "".join(part[0] for part in parts), "".join(part[1] for part in parts)
    else:
        text, thoughts = take(content or "", str, "content"), ""
    said, thought = split_thoughts(text)
    if thought:
        reading.note(THOUGHTS)
    return said, thoughts + thought


def _read_part(part: Any) -> tuple[str, str]:
    """Text and thoughts of one part; of a part that is neither, nothing."""
    if isinstance(part, str):
        return part, ""
    kind = str(take(part, dict, "a part of content").get("type") or "text")
    if kind in ("thinking", "reasoning"):
        inner = part.get("thinking", part.get("text"))
        if isinstance(inner, list):
            inner = "".join(text for text, _ in map(_read_part, inner))
        return "", inner if isinstance(inner, str) else ""
    text = part.get("text", part.get("refusal"))
    return (text, "") if isinstance(text, str) else ("", "")


def split_thoughts(text: str) -> tuple[str, str]:
    """What a text says, and what stands in its `<think>` blocks.

    Templates that open the block in the prompt leave only its end; an answer that is cut off leaves only its beginning.
    """
    thoughts = []
    ended = _THOUGHT_END.match(text)
    if ended and "<think" not in ended[1]:
        thoughts.append(ended[1])
        text = text[ended.end() :]
    while opened := _THINK.match(text.lstrip()):
        thoughts.append(opened[2])
        text = text.lstrip()[opened.end() :]
    return (text.strip() if thoughts else text), "\n".join(map(str.strip, thoughts))


def unparsed_calls(text: str) -> bool:
    """Whether a text holds tool calls in a model's own markup, which its server should have parsed."""
    return bool(_NOT_PARSED.search(text))


def read_calls(message: Mapping[str, Any], asked: Asked, reading: Reading) -> list[ReadCall]:
    """The calls of a message in Chat Completions form, each with an id that no other call of the conversation has.

    Raises:
        ValueError: one has no name, or is no object.
    """
    written = take(message.get("tool_calls") or [], list, "tool_calls")
    if not written and message.get("function_call"):
        reading.note(LEGACY)
        written = [{"function": message["function_call"]}]
    taken = set(asked.ids)
    read: list[ReadCall] = []
    for source in written:
        call = take(source, dict, "a tool call")
        identity = _read_id(call.get("id"), taken, len(asked.ids) + len(read) + 1, reading)
        taken.add(identity)
        read.append(_read_call(call, identity, asked, reading))
    return read


def _read_id(value: Any, taken: set[str], number: int, reading: Reading) -> str:
    if type(value) is int:
        reading.note(NUMBERS)
        value = str(value)
    if isinstance(value, str) and value.strip() and value not in taken:
        return value
    reading.note(OWN_IDS)
    return own_id(taken, number)


def own_id(taken: set[str], number: int) -> str:
    """An id that is free: nine letters and digits, which every server takes (Mistral takes no others)."""
    while (made := f"call{number:05d}") in taken:
        number += 1
    return made


def _read_call(source: Mapping[str, Any], identity: str, asked: Asked, reading: Reading) -> ReadCall:
    function = source.get("function")
    if function is None and isinstance(source.get("name"), str):
        reading.note(FLAT)
        function = {key: source[key] for key in ("name", "arguments", "parameters") if key in source}
        function.setdefault("arguments", source.get("input"))
    function = take(function, dict, "function of a tool call")
    name = take(function.get("name"), str, "name of a tool call")
    arguments = function.get("arguments", function.get("parameters"))
    call = ToolCall(identity, read_name(name, asked.tools, reading), read_written_arguments(arguments, reading))
    recorded = recorded_call(call, {key: source[key] for key in source.keys() - _KNOWN_OF_CALL if source[key]})
    recorded["function"] |= {key: function[key] for key in function.keys() - _KNOWN_OF_FUNCTION if function[key]}
    return ReadCall(call, recorded)


def read_name(name: str, offered: frozenset[str], reading: Reading) -> str:
    """A tool's name, without the name space that a model writes before it."""
    bare = _PREFIX.sub("", name)
    if bare != name and name not in offered and bare in offered:
        reading.note(PREFIX)
        return bare
    return name


def read_written_arguments(value: Any, reading: Reading) -> str:
    """Arguments as the text that the API documents: a JSON object as the model wrote it."""
    if value is None:
        return ""
    if not isinstance(value, str):
        reading.note(OBJECTS)
        return json.dumps(value, ensure_ascii=False)
    if value.lstrip()[:1] == '"':
        try:
            inner = json.loads(value)
            if isinstance(inner, str) and isinstance(json.loads(inner), dict):
                reading.note(TWICE)
                return inner
        except (ValueError, RecursionError):
            pass
    return value


def refuse_constant(name: str) -> None:
    """For `json.loads`: NaN and Infinity are no JSON."""
    raise ValueError(f"{name} is no JSON value")
