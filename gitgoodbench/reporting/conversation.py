"""A conversation for people: who said what, tool calls with each argument on lines of its own, results, and costs.

Made of the lines of a trajectory, one after the other, so it can be read while it is written. Whatever they hold, each
line that comes out is a line on a terminal.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gitgoodbench.reporting.running import short_count
from gitgoodbench.reporting.wrapping import wrap
from gitgoodbench.text import on_one_line

_LINES_SHOWN = 40
_COLUMNS_SHOWN = 2000


class Conversation:
    """Makes lines of text of the lines of one trajectory.

    width: of the terminal, at which lines are continued below, indented as they are; None: they are left as they are.
    full: show texts whole, however long, and what sub-agents said: a line for each of their answers stands for it else.
    main: the name of the conversation that is no sub-agent's, where it is known.
    """

    def __init__(self, *, width: int | None = None, full: bool = False, main: str | None = None) -> None:
        self._width = width
        self._full = full
        self._main = main
        self._turn = 0
        self._turns_beside: Counter[str] = Counter()
        self._tools: dict[str, str] = {}

    def lines(self, line: Mapping[str, Any]) -> Iterator[str]:
        """What a line of the file says; nothing where it is none that people read."""
        beside = self._beside(line)
        if beside is not None:
            yield from self._of_aside(beside, line)
            return
        match line.get("kind"):
            case "episode":
                self._turn = 0
                self._turns_beside.clear()
            case "request":
                yield from self._block(0, _asked(line.get("asked")))
                yield ""
            case "message":
                yield from self.message(line.get("message"))
            case "answer":
                self._turn += 1
                yield from self._said(line.get("message"), f"  turn {self._turn}{_figures(line)}")
            case "fault":
                cause = f": {line['cause']}" if line.get("cause") else ""
                yield from self._block(0, f"no answer  {line.get('fate')}{_figures(line)}{cause}")
                yield from self._block(2, str(line.get("partial") or ""))
                yield ""
            case "end":
                error = f": {line['error']}" if line.get("error") else ""
                yield from self._block(0, f"ended  {line.get('status')} after {line.get('turns')} turns{error}")
                for note in sequence_of(line.get("notes")):
                    yield from self._block(2, f"note: {note}")
                yield ""

    def _beside(self, line: Mapping[str, Any]) -> str | None:
        """The name of the conversation beside the main one that a line belongs to; None where it is of the main one."""
        name = line.get("conversation")
        of_one = isinstance(name, str) and line.get("kind") in ("message", "answer", "fault")
        return str(name) if of_one and self._main is not None and name != self._main else None

    def _of_aside(self, name: str, line: Mapping[str, Any]) -> Iterator[str]:
        about, calls = f"conversation {name}", 0
        if line.get("kind") == "answer":
            self._turns_beside[name] += 1
            message = line.get("message")
            calls = len(sequence_of(message.get("tool_calls"))) if isinstance(message, Mapping) else 0
            about += f", turn {self._turns_beside[name]}{_figures(line)}"
        if self._full and line.get("kind") != "fault":
            yield from self._said(line.get("message"), f"  {about}")
        elif line.get("kind") == "answer":
            yield from self._block(2, f"[beside it: {about}, {calls} calls: --full]")
            yield ""
        elif line.get("kind") == "fault":
            yield from self._block(2, f"[beside it: {about}: no answer, {line.get('fate')}]")
            yield ""

    def message(self, message: Any) -> Iterator[str]:
        """A message that is no answer to a request; the assistant's, where an agent tells of its own turns."""
        if isinstance(message, Mapping) and message.get("role") == "assistant":
            self._turn += 1
            yield from self._said(message, f"  turn {self._turn}")
        else:
            yield from self._said(message, "")

    def _said(self, message: Any, about: str) -> Iterator[str]:
        if not isinstance(message, Mapping):
            return
        role = str(message.get("role"))
        if role == "tool":
            about = f"  {self._tools.get(str(message.get('tool_call_id')), '')}".rstrip()
        yield from self._block(0, f"{role}{about}")
        yield from self._block(2, reasoning_of(message), before="(thinks) ")
        yield from self._block(2, text_of(message.get("content")))
        for call in sequence_of(message.get("tool_calls")):
            yield from self._call(call)
        yield ""

    def _call(self, call: Any) -> Iterator[str]:
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping):
            yield from self._block(2, f"> {json.dumps(call)}")
            return
        name = str(function.get("name"))
        self._tools[str(call.get("id"))] = name
        arguments = arguments_of(function.get("arguments"))
        if not isinstance(arguments, Mapping):
            yield from self._block(2, f"> {name}")
            yield from self._block(6, str(arguments))
            return
        yield from self._block(2, f"> {name}" + ("" if arguments else "()"))
        for key, value in arguments.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            if "\n" in text:
                yield from self._block(6, f"{key}:")
                yield from self._block(8, text)
            else:
                yield from self._block(6, f"{key}: {text}")

    def _block(self, indent: int, text: str, before: str = "") -> Iterator[str]:
        """A text, indented; the rest of a long one is counted."""
        if not text:
            return
        lines = f"{before}{text}".removesuffix("\n").split("\n")
        shown = lines if self._full else lines[:_LINES_SHOWN]
        for line in shown:
            cut = len(line) > _COLUMNS_SHOWN and not self._full
            tail = f" [{len(line) - _COLUMNS_SHOWN} characters more: --full]" if cut else ""
            text = on_one_line(line[:_COLUMNS_SHOWN] if cut else line) + tail
            yield from wrap(text, self._width, indent)
        if len(lines) > len(shown):
            yield f"{' ' * indent}[{len(lines) - len(shown)} lines more: --full]"


def _asked(setting: Any) -> str:
    """`asked: gpt-4o, 8 tools, temperature 0`."""
    if not isinstance(setting, Mapping):
        return ""
    parameters = setting.get("parameters")
    named = [
        f"{name} {value if isinstance(value, str | int | float) else json.dumps(value)}"
        for name, value in (parameters.items() if isinstance(parameters, Mapping) else ())
    ]
    tools = len(sequence_of(setting.get("tools")))
    return ", ".join([f"asked  {setting.get('model')}", f"{tools} tools", *named])


def _figures(line: Mapping[str, Any]) -> str:
    """`, 1.2 s, 1.2k + 56 tokens, $0.0042`: what is known of a request."""
    parts = []
    if isinstance(line.get("attempt"), int) and line["attempt"] > 1:
        parts.append(f"try {line['attempt']}")
    if isinstance(line.get("seconds"), int | float):
        parts.append(f"{line['seconds']:.1f} s")
    tokens = line.get("tokens")
    if isinstance(tokens, Mapping):
        counts = [tokens[name] for name in ("prompt", "completion") if isinstance(tokens.get(name), int)]
        parts.append(f"{' + '.join(map(short_count, counts))} tokens")
    if line.get("cached"):
        parts.append("known before")
    elif isinstance(line.get("cost_usd"), int | float):
        parts.append(f"${line['cost_usd']:.4f}")
    if line.get("finish_reason") not in (None, "stop", "tool_calls"):
        parts.append(f"finish reason {line['finish_reason']}")
    return "".join(f", {part}" for part in parts)


def reasoning_of(message: Mapping[str, Any]) -> str:
    for name in ("reasoning_content", "reasoning"):
        if isinstance(message.get(name), str):
            return str(message[name])
    return ""


def text_of(content: Any) -> str:
    """The text of a message's content, which may come in parts."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = []
    for part in sequence_of(content):
        text = part.get("text") if isinstance(part, Mapping) else None
        parts.append(text if isinstance(text, str) else json.dumps(part))
    return "\n".join(parts)


def arguments_of(arguments: Any) -> Any:
    """The arguments of a call as an object; as they came where they are none."""
    if not isinstance(arguments, str):
        return arguments
    try:
        read = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return read if isinstance(read, dict) else arguments


def sequence_of(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
