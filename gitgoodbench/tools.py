"""Tools: what an agent may call. Name, description and JSON schema come from a method's signature and docstring.

    def view_file_at(self, relative_path_from_project_root: str, reason: str) -> str:
        \"\"\"Show a file of the working tree.

        Args:
            relative_path_from_project_root: path of the file, from the project's root.
            reason: why you call this tool now.

        Example:
            view_file_at(relative_path_from_project_root="src/app.py", reason="I need the imports.")
        \"\"\"

The annotation of a parameter gives its JSON type, a default makes it optional, its line under `Args` describes it.
Arguments come from a model and are validated (pydantic, strict) before the method sees them, harmless dialects read
(gitgoodbench.dialects). Annotations are what JSON has: str, int, float, bool, Literal, list, dict, None in a union;
typing_extensions.TypedDict or BaseModel for objects.
"""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from gitgoodbench.dialects import Reader, lenient, without_nulls
from gitgoodbench.errors import ToolError

_SECTION = re.compile(r"^(?:Args|Returns|Raises|Yields|Examples?|Notes?):[ ]*$", re.MULTILINE)
_ARGUMENT_LINE = re.compile(r"^    (\w+): (.*)$")
_NOT_A_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_ERRORS_SHOWN = 5
_LONGEST_NAME_SHOWN = 80
_REMEMBERED = 256
"""Functions that are read once; tools made anew for each episode are read each time at worst."""

_REASONS = {"missing": "it is required", "extra_forbidden": "there is no such argument"}
_HOLD_DATA = frozenset({"default", "const", "enum", "examples"})


class ToolSet(StrEnum):
    """Which tools the agent gets. own: none, since it brings its own; its workspace is that of the shell."""

    PUBLISHED = "published"
    EXTENDED = "extended"
    SHELL = "shell"
    OWN = "own"

    @property
    def has_shell(self) -> bool:
        """Whether the agent runs commands in its workspace, and can so do anything to it."""
        return self in (ToolSet.SHELL, ToolSet.OWN)


_HOLD_SCHEMAS_BY_NAME = frozenset({"properties", "$defs"})


@dataclass(frozen=True)
class ToolResult:
    """What a call gave. is_error: it did nothing. readings: what was read as what (gitgoodbench.dialects)."""

    text: str
    is_error: bool = False
    readings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tool:
    """A function that an agent may call; build it with `Tool.of(method)`.

    example: a right call, for prompts and errors; empty where the docstring has none. strict: read no dialects.
    """

    name: str
    description: str
    function: Callable[..., str]
    arguments: type[BaseModel]
    example: str = ""
    strict: bool = False

    @classmethod
    def of(cls, function: Callable[..., str], *, strict: bool = False) -> Tool:
        """The tool that a documented, annotated function or bound method is.

        Raises:
            TypeError: a parameter has no annotation, no line under `Args`, or is one that JSON cannot name; or a line
                describes a parameter that is not there.
        """
        read = _reading(getattr(function, "__func__", function), bound=inspect.ismethod(function))
        return cls(read.name, read.description, function, read.arguments, read.example, strict)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The tool as the Chat Completions API takes it. Self-contained: no references, no generated titles."""
        parameters = copy.deepcopy(_parameters(self.arguments))
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": parameters},
        }

    @cached_property
    def _optional(self) -> dict[str, bool]:
        """Of every argument with a default: whether null is one of its values."""
        fields = self.arguments.model_fields
        return {name: field.default is None for name, field in fields.items() if not field.is_required()}

    def run(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Call the tool; what is wrong with the call comes back as an error text, `error: ...`."""
        reader = Reader(self.strict)
        try:
            text = self.call(arguments, reader)
        except ToolError as problem:
            return ToolResult(f"error: {problem}", is_error=True, readings=tuple(reader.readings))
        return ToolResult(text, readings=tuple(reader.readings))

    def call(self, arguments: Mapping[str, Any], reader: Reader | None = None) -> str:
        """Validate the arguments and call the function.

        Lone surrogates pass where they stand for a byte that is not UTF-8 (`surrogateescape`, as in paths). A function
        that cannot use them may fail with UnicodeEncodeError, which becomes a ToolError.

        Raises:
            ToolError: an argument is missing, unknown or of the wrong type, holds what is no character, or the function
                says so.
        """
        reader = reader or Reader(self.strict)
        try:
            validated = self.arguments.model_validate(without_nulls(arguments, self._optional, reader), context=reader)
        except ValidationError as problem:
            right = f"\nA right call: {self.example}" if self.example else ""
            raise ToolError(f"{self.name}: {_explain(problem)}{right}") from problem
        _refuse_lone_surrogates(self.name, arguments)
        try:
            return self.function(**{name: getattr(validated, name) for name in type(validated).model_fields})
        except UnicodeEncodeError as problem:
            raise ToolError(f"{self.name}: an argument holds a lone surrogate, which is no character") from problem


@dataclass(frozen=True)
class _Reading:
    """What a function's signature and docstring say."""

    name: str
    description: str
    arguments: type[BaseModel]
    example: str


@lru_cache(_REMEMBERED)
def _reading(function: Callable[..., str], *, bound: bool) -> _Reading:
    """Read a function; each episode has the same ones, and reading takes milliseconds. bound: leave `self` out."""
    docstring = inspect.getdoc(function) or ""
    description, described = _split_docstring(docstring)
    hints = get_type_hints(function, include_extras=True)
    parameters = dict(list(inspect.signature(function).parameters.items())[bound:])
    _check_documented(function.__name__, description, described, hints, parameters)
    fields: dict[str, Any] = {}
    for name, parameter in parameters.items():
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[name] = (lenient(hints[name]), Field(default, description=described[name]))
    model = create_model(function.__name__, __config__=ConfigDict(extra="forbid", strict=True), **fields)
    return _Reading(function.__name__, description, model, _example(docstring))


@lru_cache(_REMEMBERED)
def _parameters(arguments: type[BaseModel]) -> dict[str, Any]:
    """The schema of arguments; not to be changed."""
    parameters = arguments.model_json_schema()
    definitions = parameters.pop("$defs", {})
    parameters.pop("description", None)
    plain: dict[str, Any] = _plain(parameters, definitions)
    return plain


def _check_documented(
    name: str,
    description: str,
    described: Mapping[str, str],
    hints: Mapping[str, Any],
    parameters: Mapping[str, inspect.Parameter],
) -> None:
    if not description:
        raise TypeError(f"tool {name}: no docstring says what it does")
    for parameter in parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"tool {name}: parameter {parameter} cannot be passed by its name")
        if parameter.name not in hints:
            raise TypeError(f"tool {name}: parameter {parameter.name} has no annotation")
    if mismatch := described.keys() ^ parameters.keys():
        raise TypeError(f"tool {name}: `Args` and the signature differ in {', '.join(sorted(mismatch))}")


def _split_docstring(text: str) -> tuple[str, dict[str, str]]:
    """The text before the first section, and the description of every argument listed under `Args`."""
    first = _SECTION.search(text)
    description = text[: first.start()] if first else text
    described: dict[str, str] = {}
    name = None
    _, _, rest = f"\n{text}".partition("\nArgs:\n")
    for line in rest.split("\n"):
        if line and not line.startswith(" "):
            break
        start = _ARGUMENT_LINE.match(line)
        if start:
            name = start[1]
            described[name] = start[2]
        elif name is not None:
            described[name] = f"{described[name]} {line.strip()}".strip()
    return description.strip(), described


def _example(docstring: str) -> str:
    """The call under `Example`, on one line."""
    _, _, rest = f"\n{docstring}".partition("\nExample:\n")
    lines = []
    for line in rest.split("\n"):
        if not line.startswith(" "):
            break
        lines.append(line.strip())
    return " ".join(lines)


def _plain(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """The schema with definitions put where they are used, and without titles: they cost tokens and say nothing.

    Some servers do not follow references.
    """
    if isinstance(schema, list):
        return [_plain(entry, definitions) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        target = definitions[schema["$ref"].removeprefix("#/$defs/")]
        beside = {key: entry for key, entry in schema.items() if key != "$ref"}
        return _plain({**target, **beside}, definitions)
    plain: dict[str, Any] = {}
    for key, entry in schema.items():
        if key in _HOLD_DATA:
            plain[key] = entry
        elif key in _HOLD_SCHEMAS_BY_NAME:
            plain[key] = {name: _plain(value, definitions) for name, value in entry.items()}
        elif key != "title":
            plain[key] = _plain(entry, definitions)
    return plain


def _explain(problem: ValidationError) -> str:
    """One line for a model: which arguments, what is wrong with each."""
    errors = problem.errors(include_url=False, include_input=False, include_context=False)
    parts = []
    for error in errors[:_ERRORS_SHOWN]:
        where = ".".join(str(part) for part in error["loc"]) or "arguments"
        parts.append(f"argument {where[:_LONGEST_NAME_SHOWN]}: {_REASONS.get(error['type'], error['msg'])}")
    if len(errors) > _ERRORS_SHOWN:
        parts.append(f"and {len(errors) - _ERRORS_SHOWN} more")
    return "; ".join(parts)


def _refuse_lone_surrogates(tool: str, value: Any) -> None:
    if isinstance(value, str):
        if found := _NOT_A_BYTE.search(value):
            raise ToolError(
                f"{tool}: an argument holds the lone surrogate U+{ord(found[0]):04X}, which is no character"
            )
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            _refuse_lone_surrogates(tool, key)
            _refuse_lone_surrogates(tool, entry)
    elif isinstance(value, list):
        for entry in value:
            _refuse_lone_surrogates(tool, entry)
