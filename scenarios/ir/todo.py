"""The plan as a model writes it: items of JSON, harmless dialects read, checked in full, every fault named once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, ValidationInfo, WithJsonSchema

from gitgoodbench.dialects import Reader, read_json, reader_of
from gitgoodbench.errors import ToolError
from gitgoodbench.git.rebase_plan import Command, Step
from gitgoodbench.plugin.arguments import message_argument

EXAMPLE: Final = '[{"commit_index": 0, "command": "reword", "commit_msg": "Reject empty input"}, ...]'
_MOST_FAULTS_SHOWN: Final = 100
_FIELDS: Final = ("commit_index", "command", "commit_msg")
_COMMANDS: Final = ", ".join(Command)
_SHORT: Final = {"p": "pick", "r": "reword", "s": "squash", "f": "fixup", "d": "drop", "fixup -c": "fixup -C"}
"""Git's abbreviations; and `fixup -c`, which differs from `fixup -C` only where there is an editor."""

_BLANKS: Final = re.compile(r"\s+")
_INDEX: Final = re.compile(r"\s*#?([0-9]{1,9})\s*")


def _read_todo(value: Any, info: ValidationInfo) -> Any:
    """The items, dialects of them read: strings of JSON, words in other cases or short, numbers in quotes."""
    reader = reader_of(info)
    if reader.strict:
        return value
    if isinstance(value, str) and isinstance(listed := read_json(value), list):
        reader.note(info.field_name, value, listed)
        value = listed
    if not isinstance(value, list):
        return value
    return [_read_item(item, position, reader) for position, item in enumerate(value)]


def _read_item(item: Any, position: int, reader: Reader) -> Any:
    if isinstance(item, str) and isinstance(read := read_json(item), dict):
        reader.note(f"item {position}", item, read)
        item = read
    if not isinstance(item, dict):
        return item
    item = dict(item)
    for name, read_field in (("commit_index", _read_index), ("command", _read_command)):
        written = item.get(name)
        found = read_field(written)
        if found is not None and (found != written or type(found) is not type(written)):
            reader.note(f"item {position}, {name}", written, found)
            item[name] = found
    return item


def _read_index(written: Any) -> int | None:
    if isinstance(written, str) and (match := _INDEX.fullmatch(written)):
        return int(match[1])
    return int(written) if isinstance(written, float) and written.is_integer() else None


def _read_command(written: Any) -> str | None:
    if not isinstance(written, str) or written in set(Command):
        return None
    word = _BLANKS.sub(" ", written.strip())
    if word in set(Command):
        return word
    word = word.casefold()
    word = _SHORT.get(word, word)
    return word if word in set(Command) else None


TodoItems = Annotated[
    list[Any],
    BeforeValidator(_read_todo),
    WithJsonSchema(
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "commit_index": {"type": "integer", "description": "index of the original commit, from 0"},
                    "command": {"type": "string", "enum": [str(command) for command in Command]},
                    "commit_msg": {
                        "type": ["string", "null"],
                        "description": "the new message; with reword and squash",
                    },
                },
                "required": ["commit_index", "command"],
                "additionalProperties": False,
            },
        }
    ),
]
"""The items of the plan. Their form is only promised to models: it is checked here, so that no fault hides another."""


def read_items(items: Sequence[Any], commits: int) -> tuple[Step, ...]:
    """The plan that a model's items are, for a chain of so many commits.

    Raises:
        ToolError: all that is wrong with it, each fault once.
    """
    faults = [*_item_faults(items, commits), *_coverage_faults(items, commits), *_order_faults(items)]
    if not faults:
        return tuple(_step(item) for item in items)
    shown = [f"- {fault}" for fault in faults[:_MOST_FAULTS_SHOWN]]
    if len(faults) > _MOST_FAULTS_SHOWN:
        shown.append(f"- and {len(faults) - _MOST_FAULTS_SHOWN} more")
    heading = "this plan is not accepted, the one before it stays:"
    raise ToolError(
        "\n".join([heading, *shown, f"Name every commit from 0 to {commits - 1} once, like this: {EXAMPLE}"])
    )


def unused_messages(items: Sequence[Any]) -> list[int]:
    """Positions of items with a message that their command does not take."""
    return [
        position
        for position, item in enumerate(items)
        if item.get("commit_msg") and not Command(item["command"]).needs_message
    ]


def _step(item: dict[str, Any]) -> Step:
    command = Command(item["command"])
    message = message_argument(item["commit_msg"], "commit_msg") if command.needs_message else None
    return Step(item["commit_index"], command, message)


def _item_faults(items: Sequence[Any], commits: int) -> Iterator[str]:
    if _counts_from_one(items, commits):
        numbered = f"they are numbered from 0 to {commits - 1}"
        yield f"it counts the commits from 1; {numbered}: subtract 1 from each commit_index"
    for position, item in enumerate(items):
        if not isinstance(item, dict):
            yield f"item {position}: it must be an object with commit_index and command"
            continue
        indexes = [] if _counts_from_one(items, commits) else _index_faults(item, commits)
        faults = [*_unknown_fields(item), *indexes, *_command_faults(item), *_message_faults(item)]
        yield from (f"item {position}: {fault}" for fault in faults)


def _counts_from_one(items: Sequence[Any], commits: int) -> bool:
    """Whether the indexes are 1 to the number of commits, each once."""
    indexes = [index for item in items if (index := _index(item)) is not None]
    return len(indexes) == len(items) and sorted(indexes) == list(range(1, commits + 1))


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
    if message is None:
        if command is not None and command.needs_message:
            yield f"{command} needs a commit_msg"
    elif not isinstance(message, str):
        yield f"commit_msg must be text, not {_shown(message)}"
    elif command is not None and command.needs_message:
        try:
            message_argument(message, "commit_msg")
        except ToolError as problem:
            yield str(problem)


def _coverage_faults(items: Sequence[Any], commits: int) -> Iterator[str]:
    """Every original commit exactly once. An item without a readable index may be the one that is missing."""
    if _counts_from_one(items, commits):
        return
    named: dict[int, list[int]] = {}
    for position, item in enumerate(items):
        if (index := _index(item)) is not None:
            named.setdefault(index, []).append(position)
    unreadable = len(items) - sum(len(named.get(commit, ())) for commit in range(commits))
    missing = [commit for commit in range(commits) if commit not in named]
    if len(missing) > unreadable:
        for commit in missing:
            yield f"commit {commit} is missing; every commit must be named once, if only to drop it"
    for commit in range(commits):
        positions = named.get(commit, [])
        if len(positions) > 1:
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
