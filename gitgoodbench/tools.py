"""Tools: what an agent may call. Name, description and JSON schema come from a method's signature and docstring.

    def view_file_at(self, relative_path_from_project_root: str, reason: str) -> str:
        \"\"\"Show a file of the working tree.

        Args:
            relative_path_from_project_root: path of the file, from the project's root.
            reason: why you call this tool now.
        \"\"\"

The annotation of a parameter gives its JSON type, a default makes it optional, its line under `Args` describes it.
Arguments come from a model and are validated (pydantic, strict) before the method sees them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.fields import FieldInfo

from gitgoodbench.errors import ToolError

_ARGUMENT_LINE = re.compile(r"^(\w+): (.*)$")


@dataclass(frozen=True)
class Tool:
    """A function that an agent may call; build it with `Tool.of(method)`."""

    name: str
    description: str
    function: Callable[..., str]
    arguments: type[BaseModel]

    @classmethod
    def of(cls, function: Callable[..., str]) -> Tool:
        """The tool that a documented, annotated function or bound method is."""
        description, described = _split_docstring(inspect.getdoc(function) or "")
        hints = get_type_hints(function)
        fields: dict[str, Any] = {}
        for name, parameter in inspect.signature(function).parameters.items():
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            fields[name] = (hints[name], FieldInfo(default=default, description=described[name]))
        config = ConfigDict(extra="forbid", strict=True)
        model = create_model(function.__name__, __config__=config, **fields)
        return cls(function.__name__, description, function, model)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The tool as the Chat Completions API takes it."""
        parameters = self.arguments.model_json_schema()
        return {
            "type": "function",
            "function": {"name": self.name, "description": self.description, "parameters": _without_titles(parameters)},
        }

    def call(self, arguments: Mapping[str, Any]) -> str:
        """Validate the arguments and call the function.

        Raises:
            ToolError: an argument is missing, unknown or of the wrong type, or the function says so.
        """
        try:
            validated = self.arguments.model_validate(dict(arguments))
        except ValidationError as problem:
            raise ToolError(f"{self.name}: {_explain(problem)}") from problem
        return self.function(**{name: getattr(validated, name) for name in type(validated).model_fields})


def _split_docstring(text: str) -> tuple[str, dict[str, str]]:
    """The text before `Args:`, and the description of every argument listed there."""
    description, _, rest = text.partition("\nArgs:\n")
    described: dict[str, str] = {}
    name = None
    for line in rest.splitlines():
        if line and not line.startswith(" "):
            break
        start = _ARGUMENT_LINE.match(line[4:])
        if start:
            name = start[1]
            described[name] = start[2]
        elif name is not None:
            described[name] = f"{described[name]} {line.strip()}".strip()
    return description.strip(), described


def _without_titles(schema: Any) -> Any:
    """The schema without pydantic's generated titles: they cost tokens and say nothing."""
    if isinstance(schema, dict):
        return {
            key: {name: _without_titles(value) for name, value in entry.items()} if key == "properties" else _without_titles(entry)
            for key, entry in schema.items()
            if key != "title"
        }
    if isinstance(schema, list):
        return [_without_titles(entry) for entry in schema]
    return schema


def _explain(problem: ValidationError) -> str:
    """One line for a model: which argument, what is wrong."""
    parts = []
    for error in problem.errors(include_url=False, include_input=False):
        where = ".".join(str(part) for part in error["loc"]) or "arguments"
        parts.append(f"argument {where}: {error['msg']}")
    return "; ".join(parts)
