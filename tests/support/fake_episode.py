"""A tiny episode without Git: a list of lines that the agent must bring to three."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gitgoodbench.errors import ToolError
from gitgoodbench.scenario import Json, Message, Outcome
from gitgoodbench.tools import Tool


class FakeEpisode:
    """Finished once three lines are written, or `finish` was called."""

    reminder = "Call a tool: there is work left."
    sandbox: Any = None

    def __init__(self, text_of_file: str = "the file", name: str = "fake") -> None:
        self.lines: list[str] = []
        self.message: str | None = None
        self.prompt: Sequence[Message] = (
            {"role": "system", "content": "You write lines."},
            {"role": "user", "content": f"Write three lines for {name}."},
        )
        self.tools: Sequence[Tool] = (Tool.of(self.write_line), Tool.of(self.read_file), Tool.of(self.finish))
        self._text_of_file = text_of_file

    @property
    def finished(self) -> bool:
        return self.message is not None or len(self.lines) >= 3

    @property
    def facts(self) -> Mapping[str, Json]:
        return {"lines": len(self.lines)}

    def write_line(self, text: str, reason: str = "") -> str:  # noqa: ARG002
        """Write one line.

        Args:
            text: the line, not empty.
            reason: why you call this tool now.
        """
        if not text:
            raise ToolError("an empty line is no line")
        self.lines.append(text)
        return f"{len(self.lines)} of 3 lines written"

    def read_file(self) -> str:
        """Show the file."""
        return self._text_of_file

    def finish(self, message: str) -> str:
        """End the work.

        Args:
            message: what you did.
        """
        self.message = message
        return "done"

    def begin_answer(self) -> None: ...

    def outcome(self) -> Outcome:
        return Outcome(head=None, bundle=None)
