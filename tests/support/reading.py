"""Reading as a model does: a tool's text page by page, and which lines of Git's output stand in what was shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from gitgoodbench.agents.calls import call_tool
from gitgoodbench.text import clean

_NEXT = re.compile(r"\n\[characters \d+ to \d+ of \d+; [^\]]*offset=(\d+) for what follows\]\Z")
_LAST = re.compile(r"\n\[characters \d+ to \d+ of \d+, the end\]\Z")


def read_all(episode: Any, tool: str, **arguments: Any) -> str:
    """A text page by page, without the lines about pages."""
    episode.begin_answer()
    text, offset = "", 0
    while True:
        result = call_tool(episode.tools, tool, {**arguments, "offset": offset})
        assert not result.is_error, result.text
        following = _NEXT.search(result.text)
        text += _LAST.sub("", _NEXT.sub("", result.text))
        if following is None:
            return text
        offset = int(following[1])


def follow(episode: Any, shown: str, tool: str) -> str:
    """What a tool's answer shows; where it ends in a line about pages, the rest by `tool`."""
    following = _NEXT.search(shown)
    return _NEXT.sub("", shown) + (_read_on(episode, tool, int(following[1])) if following else "")


def _read_on(episode: Any, tool: str, offset: int) -> str:
    text = read_all(episode, tool)
    return text[offset:]


def unseen(lines: Iterable[bytes], shown: str) -> list[bytes]:
    """Those lines that do not stand in the text as often as they are given, as UTF-8 or as Latin-1."""
    there = Counter(shown.split("\n"))
    missing = []
    for line in lines:
        for text in {clean(line.decode("utf-8", "surrogateescape")), clean(line.decode("latin-1"))}:
            if there[text]:
                there[text] -= 1
                break
        else:
            missing.append(line)
    return missing
