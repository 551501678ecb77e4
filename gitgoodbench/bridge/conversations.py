"""The conversations of one episode, told apart: an agent may have others work for it, and name what it does.

A request continues the conversation whose last request it begins with. Every message is kept once, under its hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from gitgoodbench.models.messages import Message


class Conversations:
    """For one thread at a time."""

    def __init__(self) -> None:
        self._kept: dict[str, Message] = {}
        self._asked: list[tuple[str, ...]] = []
        self._answers: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._asked)

    def place(self, messages: Sequence[Message]) -> int:
        """The number of the conversation that a request belongs to, from 0."""
        digests = tuple(map(self._keep, messages))
        begun = [number for number, before in enumerate(self._asked) if digests[: len(before)] == before]
        if not begun:
            self._asked.append(digests)
            return len(self._asked) - 1
        number = max(begun, key=lambda number: len(self._asked[number]))
        self._asked[number] = digests
        return number

    def answered(self, number: int, message: Message) -> None:
        """The model said this to the last request."""
        self._answers[number] = self._keep(message)

    def messages(self, number: int) -> list[Message]:
        """The whole conversation, as far as it went."""
        answer = self._answers.get(number)
        said = self._asked[number]
        return [self._kept[digest] for digest in (*said, *(() if answer is None or answer in said else (answer,)))]

    def _keep(self, message: Message) -> str:
        digest = hashlib.sha256(json.dumps(message, sort_keys=True).encode("ascii")).hexdigest()
        self._kept.setdefault(digest, message)
        return digest
