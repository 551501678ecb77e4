"""What models write where a tool asks for something else, and can only have meant one thing: read, and noted.

A number in quotes, one number instead of a list, a list written as a string of JSON, null for a value that may be left
out, a word in capitals. Whoever reads so notes what was read as what; with a strict reader nothing is read but what
the schema says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BeforeValidator, ValidationInfo

_INTEGER: Final = re.compile(r"\s*[+-]?[0-9]{1,18}\s*")
_SHOWN: Final = 60


@dataclass
class Reader:
    """Reads one call. readings: what was read as what. strict: nothing is read but what the schema says."""

    strict: bool = False
    readings: list[str] = field(default_factory=list)

    def note(self, name: str | None, written: object, read: object) -> None:
        """Keep that something was read otherwise than it stands there."""
        self.readings.append(f"{name or 'an entry'}: {_shown(written)} read as {_shown(read)}")


def reader_of(info: ValidationInfo) -> Reader:
    """The reader of the call whose arguments pydantic validates; a strict one where there is none."""
    return info.context if isinstance(info.context, Reader) else Reader(strict=True)


def lenient(hint: Any) -> Any:
    """An annotation that also takes the dialects of what it takes. Its JSON schema stays as it is."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is int:
        return Annotated[int, BeforeValidator(_read_integer)]
    if origin is list:
        return Annotated[list[lenient(arguments[0])], BeforeValidator(_read_list)]  # type: ignore[misc]
    if origin is Literal and all(isinstance(word, str) for word in arguments):
        return Annotated[hint, BeforeValidator(_choice_reader(arguments))]
    if origin in (Union, UnionType) and NoneType in arguments:
        return Union[tuple(lenient(argument) for argument in arguments)]  # noqa: UP007
    return hint


def without_nulls(arguments: Mapping[str, Any], optional: Mapping[str, bool], reader: Reader) -> dict[str, Any]:
    """The arguments without those that are null and can be left out.

    optional: of every argument that has a default, whether null is a value of its own.
    """
    kept: dict[str, Any] = {}
    for name, value in arguments.items():
        if value is None and not reader.strict and optional.get(name) is False:
            reader.note(name, None, "left out")
        else:
            kept[name] = value
    return kept


def read_json(value: str) -> Any:
    """A list or object written as a string of JSON; None where the string is none."""
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, list | dict) else None


def _read_integer(value: Any, info: ValidationInfo) -> Any:
    reader = reader_of(info)
    if reader.strict or isinstance(value, int):
        return value
    read = value
    if (isinstance(value, str) and _INTEGER.fullmatch(value)) or (isinstance(value, float) and value.is_integer()):
        read = int(value)
    if read is not value:
        reader.note(info.field_name, value, read)
    return read


def _read_list(value: Any, info: ValidationInfo) -> Any:
    reader = reader_of(info)
    if reader.strict or isinstance(value, list) or value is None:
        return value
    read = read_json(value) if isinstance(value, str) else None
    read = read if isinstance(read, list) else [value if read is None else read]
    reader.note(info.field_name, value, read)
    return read


def _choice_reader(words: tuple[str, ...]) -> Callable[[Any, ValidationInfo], Any]:
    known = {word.casefold(): word for word in words}

    def read_choice(value: Any, info: ValidationInfo) -> Any:
        reader = reader_of(info)
        if reader.strict or not isinstance(value, str) or value in words:
            return value
        read = known.get(value.strip().casefold())
        if read is None:
            return value
        reader.note(info.field_name, value, read)
        return read

    return read_choice


def _shown(value: object) -> str:
    text = value if value == "left out" else json.dumps(value, ensure_ascii=False, default=repr)
    text = str(text)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
