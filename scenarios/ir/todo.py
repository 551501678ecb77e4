"""The plan as a model writes it: items of JSON, checked in full, with every fault named at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

from pydantic import WithJsonSchema

from gitgoodbench.errors import ToolError
from gitgoodbench.git.rebase_plan import Command, Step
from gitgoodbench.git.text import to_bytes

MAX_MESSAGE_BYTES: Final = 64 * 1024
_MOST_FAULTS_SHOWN: Final = 100
_FIELDS: Final = ("commit_index", "command", "commit_msg")
_COMMANDS: Final = ", ".join(Command)

TodoItem = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": "object",
            "properties": {
                "commit_index": {"type": "integer", "description": "index of the original commit, from 0"},
                "command": {"type": "string", "enum": [str(command) for command in Command]},
                "commit_msg": {"type": ["string", "null"], "description": "the new message; with reword and squash"},
            },
            "required": ["commit_index", "command"],
            "additionalProperties": False,
        }
    ),
]
"""An item of the plan. Its form is only promised to models: it is checked here, so that no fault hides another."""


def read_items(items: Sequence[Any], commits: int) -> tuple[Step, ...]:
    """The plan that a model's items are, for a chain of so many commits.

    Raises:
        ToolError: all that is wrong with it.
    """
    faults = [*_item_faults(items, commits), *_coverage_faults(items, commits), *_order_faults(items)]
    if not faults:
        return tuple(_step(item) for item in items)
    shown = [f"- {fault}" for fault in faults[:_MOST_FAULTS_SHOWN]]
    if len(faults) > _MOST_FAULTS_SHOWN:
        shown.append(f"- and {len(faults) - _MOST_FAULTS_SHOWN} more")
    raise ToolError("\n".join(["this plan is not accepted, the one before it stays:", *shown]))


def unused_messages(items: Sequence[Any]) -> list[int]:
    """Positions of items with a message that their command does not take."""
    return [
        position
        for position, item in enumerate(items)
        if item.get("commit_msg") and not Command(item["command"]).needs_message
    ]


def _step(item: dict[str, Any]) -> Step:
    command = Command(item["command"])
    message = to_bytes(item["commit_msg"], "utf-8") if command.needs_message else None
    return Step(item["commit_index"], command, message)


def _item_faults(items: Sequence[Any], commits: int) -> Iterator[str]:
    for position, item in enumerate(items):
        if not isinstance(item, dict):
            yield f"item {position}: it must be an object with commit_index and command"
            continue
        faults = [*_unknown_fields(item), *_index_faults(item, commits), *_command_faults(item), *_message_faults(item)]
        yield from (f"item {position}: {fault}" for fault in faults)


def _unknown_fields(item: dict[str, Any]) -> Iterator[str]:
    for name in (name for name in item if name not in _FIELDS):
        yield f"there is no field {_shown(name)}; the fields are {', '.join(_FIELDS)}"


def _index_faults(item: dict[str, Any], commits: int) -> Iterator[str]:
    if "commit_index" not in item:
        yield "commit_index is missing"
    elif _index(item) is None:
        yield f"commit_index must be a whole number, not {_shown(item['commit_index'])}"
    elif not 0 <= item["commit_index"] < commits:
        yield f"there is no commit {item['commit_index']}; commit_index must be 0 to {commits - 1}"


def _command_faults(item: dict[str, Any]) -> Iterator[str]:
    if "command" not in item:
        yield "command is missing"
    elif _command(item) is None:
        yield f"{_shown(item['command'])} is no command; the commands are {_COMMANDS}"


def _message_faults(item: dict[str, Any]) -> Iterator[str]:
    message, command = item.get("commit_msg"), _command(item)
    if message is None or message == "":
        if command is not None and command.needs_message:
            yield f"{command} needs a commit_msg"
    elif not isinstance(message, str):
        yield f"commit_msg must be text, not {_shown(message)}"
    elif not message.strip():
        yield "commit_msg is blank"
    elif "\0" in message:
        yield "commit_msg holds a NUL character, which no message can"
    elif len(message.encode("utf-8", "surrogateescape")) > MAX_MESSAGE_BYTES:
        yield f"commit_msg is longer than {MAX_MESSAGE_BYTES} bytes"


def _coverage_faults(items: Sequence[Any], commits: int) -> Iterator[str]:
    """Every original commit exactly once."""
    named: dict[int, list[int]] = {}
    for position, item in enumerate(items):
        if (index := _index(item)) is not None:
            named.setdefault(index, []).append(position)
    for commit in range(commits):
        positions = named.get(commit, [])
        if not positions:
            yield f"commit {commit} is missing; every commit must be named once, if only to drop it"
        elif len(positions) > 1:
            yield f"commit {commit} is named by the items {', '.join(map(str, positions))}, it must be named once"


def _order_faults(items: Sequence[Any]) -> Iterator[str]:
    """There must be something to meld into, and something left."""
    commands = [_command(item) for item in items]
    for position, command in enumerate(commands):
        if command is Command.DROP:
            continue
        if command is None or not command.melds:
            return
        yield f"item {position}: {command} melds into the commit before it, and before it none is kept"
    if commands and all(command is Command.DROP for command in commands):
        yield "every commit is dropped, nothing would be left"


def _index(item: Any) -> int | None:
    index = item.get("commit_index") if isinstance(item, dict) else None
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _command(item: Any) -> Command | None:
    word = item.get("command") if isinstance(item, dict) else None
    return Command(word) if isinstance(word, str) and word in set(Command) else None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
