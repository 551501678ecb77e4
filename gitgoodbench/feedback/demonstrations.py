"""What an inference should have said: its own content blocks, with each snippet as it was committed.

It shows code that its model did not write, so it is made only where that is certain: each edit of the inference is in
the commit, and what it became is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

ALIKE: Final = 0.5
"""The part of a snippet's nodes (lines) that must be found again before it counts as what the snippet became."""

CONTENT: Final = frozenset(
    [
     "code", "content", "contents", "file_content", "file_text", "insert_text", "new", "new_code", "new_content",
     "new_source", "new_str", "new_string", "new_text", "newstring", "newstr", "newtext", "replace", "replacement",
     "text",
    ]
)  # fmt: skip
"""Arguments of tools that hold code as it is to stand in a file, without case."""
PATCH: Final = "*** Begin Patch"
"""What a patch begins with whose added lines have a plus before them, and no numbers beside."""


class LeftOut(Exception):
    """There is no demonstration of this inference; the message says why."""


@dataclass(frozen=True)
class Replacement:
    """A snippet and what it became. alike: the part of it that is found again."""

    snippet: str
    committed: str
    alike: float


def make_demonstration(
    output: object, replacements: Sequence[Replacement], secret: Callable[[str], bool]
) -> list[dict[str, Any]]:
    """The content blocks of a demonstration, as a gateway takes them.

    Args:
        output: the inference's, as `get_inferences` gives it.
        secret: whether a text holds what must not leave this machine.

    Raises:
        LeftOut: it cannot be made.
    """
    if not isinstance(output, list) or not all(isinstance(block, dict) for block in output):
        raise LeftOut("the function's output is no list of content blocks")
    if not replacements:
        raise LeftOut("nothing of it is in the commit")
    if any(one.alike < ALIKE or not one.committed for one in replacements):
        raise LeftOut("less than half of a snippet is found again, so what it became is not known")
    making = _Making(list(replacements))
    blocks = [made for block in output if (made := making.block(block)) is not None]
    if making.left:
        raise LeftOut("a snippet is not in the output as it was scored")
    if any(secret(one.committed) for one in replacements) or any(secret(text) for text in _texts(blocks)):
        raise LeftOut("there is a secret or an e-mail address in it")
    return blocks


def same_blocks(one: object, other: object) -> bool:
    """Whether two lists of content blocks say the same, whatever a gateway adds to each."""
    if not isinstance(one, list) or not isinstance(other, list):
        return False
    return [_core(block) for block in one] == [_core(block) for block in other]


@dataclass
class _Making:
    """Blocks in the making. left: replacements whose snippet was not found yet."""

    left: list[Replacement]

    def block(self, block: Mapping[str, Any]) -> dict[str, Any] | None:
        """A block of the demonstration; None where there is none of its kind."""
        match block.get("type"):
            case "text" if isinstance(block.get("text"), str):
                return {"type": "text", "text": self.replaced(block["text"])}
            case "tool_call":
                return self._tool_call(block)
            case "thought":
                return None
            case kind:
                raise LeftOut(f"there is a block of type {str(kind)[:40]!r} in the output")

    def _tool_call(self, block: Mapping[str, Any]) -> dict[str, Any]:
        raw = str(block.get("raw_name") or block.get("name"))[:60]
        if not isinstance(block.get("name"), str):
            raise LeftOut(f"the inference's tools do not offer {raw!r}")
        if not isinstance(block.get("arguments"), dict):
            raise LeftOut(f"the arguments of {raw!r} do not fit the tool's schema")
        before = len(self.left)
        arguments = self._arguments(block["arguments"], None)
        if _has_content(block["arguments"]) and len(self.left) == before:
            raise LeftOut(f"what its call of {raw!r} wrote is not all in the commit")
        return {"type": "tool_call", "id": str(block.get("id")), "name": block["name"], "arguments": arguments}

    def _arguments(self, value: Any, name: str | None) -> Any:
        if isinstance(value, dict):
            return {key: self._arguments(part, str(key)) for key, part in value.items()}
        if isinstance(value, list):
            return [self._arguments(part, name) for part in value]
        return self.replaced(value) if _is_content(name, value) else value

    def replaced(self, text: str) -> str:
        """The text with the snippets in it replaced, each once."""
        taken: list[tuple[int, int, str]] = []
        left = []
        for one in self.left:
            place = _find(text, one, taken)
            if place is None:
                left.append(one)
            else:
                taken.append(place)
        self.left = left
        for start, end, committed in sorted(taken, reverse=True):
            text = text[:start] + committed + text[end:]
        return text


def _find(text: str, one: Replacement, taken: Sequence[tuple[int, int, str]]) -> tuple[int, int, str] | None:
    """Where a snippet is in a text apart from what is taken, and what is to stand there instead.

    A snippet is whole lines, while a text may hold a line without its indentation or its end.
    """
    for snippet, committed in _spellings(one, PATCH in text):
        start = text.find(snippet) if snippet else -1
        while start >= 0:
            end = start + len(snippet)
            if all(end <= begin or stop <= start for begin, stop, _ in taken):
                return start, end, _ended_alike(snippet, committed)
            start = text.find(snippet, start + 1)
    return None


def _spellings(one: Replacement, patch: bool) -> list[tuple[str, str]]:
    """How a snippet may stand in a text, and what was committed in the same spelling."""
    if patch:
        return [(_added(one.snippet), _added(_ended_alike(one.snippet, one.committed)))]
    ends = "\r\n"
    return [
        (one.snippet, one.committed),
        (one.snippet.rstrip(ends), one.committed.rstrip(ends)),
        (one.snippet.strip(), one.committed.strip()),
    ]


def _added(lines: str) -> str:
    return re.sub(r"^(?=.|\n)", "+", lines, flags=re.MULTILINE) if lines else ""


def _ended_alike(snippet: str, committed: str) -> str:
    """What was committed with the line end that the snippet has."""
    end = re.search(r"[\r\n]*\Z", snippet)
    assert end is not None
    return committed.rstrip("\r\n") + end.group()


def _is_content(name: str | None, value: Any) -> bool:
    return isinstance(value, str) and ((name is not None and name.lower() in CONTENT) or PATCH in value)


def _has_content(value: Any, name: str | None = None) -> bool:
    if isinstance(value, dict):
        return any(_has_content(part, str(key)) for key, part in value.items())
    if isinstance(value, list):
        return any(_has_content(part, name) for part in value)
    return _is_content(name, value) and bool(value.strip())


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []


def _core(block: Any) -> object:
    if not isinstance(block, dict):
        return block
    return [block.get(name) for name in ("type", "text", "name", "arguments", "id")]
