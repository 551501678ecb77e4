"""The tools of a scenario type without an episode: their schemas, and a class that has them as methods."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, get_type_hints

from gitgoodbench.api.session import Session, SessionError
from gitgoodbench.errors import UserError
from gitgoodbench.runs.inputs import check_offers_tools
from gitgoodbench.scenario import PreviewingScenario, ToolSet, load_scenarios
from gitgoodbench.tools import Tool

ToolSetName = Literal["published", "extended", "shell"]


def tool_schemas(scenario: str, tools: ToolSetName = "published") -> list[dict[str, Any]]:
    """The schemas of every tool that an episode may offer, in Chat Completions form; `Bench.preview` has those of one.

    Raises:
        UserError: there is no such scenario or tool set, or the scenario cannot tell.
    """
    return [tool.schema for tool in _tools(scenario, tools)]


class SessionTools:
    """A session's tools as methods; see `tool_class`. session: whose tools they are; it can be set, and changed, later.

    A method returns what the model is to read, also where the call failed.
    """

    def __init__(self, session: Session | None = None) -> None:
        self.session = session


def tool_class(scenario: str, tools: ToolSetName = "published") -> type[SessionTools]:
    """A class whose methods are the tools: names, signatures, annotations and docstrings are theirs.

    For trainers that look for tools on a class, before there is any episode.

    Raises:
        UserError: as `tool_schemas`.
    """
    methods = {tool.name: _method(tool) for tool in _tools(scenario, tools)}
    name = f"{scenario.title().replace('-', '')}{tools.title()}Tools"
    docstring = f"The {tools} tools of the scenario {scenario}."
    return type(name, (SessionTools,), {**methods, "__doc__": docstring, "__module__": __name__})


def _tools(scenario: str, tools: str) -> list[Tool]:
    installed = load_scenarios()
    if scenario not in installed:
        known = ", ".join(sorted(installed))
        raise UserError(f"there is no scenario {scenario!r}; installed are: {known}")
    found = installed[scenario]
    if tools in found.tool_sets():
        check_offers_tools(ToolSet(tools))
    else:
        known = ", ".join(one for one in found.tool_sets() if one is not ToolSet.OWN)
        raise UserError(f"the scenario {scenario} has no tools {tools!r}, only: {known}")
    if not isinstance(found, PreviewingScenario):
        raise UserError(f"the scenario {scenario} cannot tell its tools without an episode: open a session")
    return list(found.tools_of(ToolSet(tools)))


def _method(tool: Tool) -> Callable[..., str]:
    described = tool.schema["function"]["parameters"]["properties"]
    hints = {
        name: _type_in(described[name]) if hint is Any else hint for name, hint in get_type_hints(tool.function).items()
    }
    signature = inspect.signature(tool.function)
    parameters = [each.replace(annotation=hints[each.name]) for each in signature.parameters.values()]

    def method(self: SessionTools, /, *args: Any, **kwargs: Any) -> str:
        if self.session is None:
            raise SessionError(f"{tool.name} has no session: set `session` first")
        return self.session.call(tool.name, dict(signature.bind(*args, **kwargs).arguments)).text

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    method.__name__ = method.__qualname__ = tool.name
    method.__doc__ = inspect.getdoc(tool.function)
    method.__annotations__ = hints
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[own, *parameters], return_annotation=str
    )
    return method


_TYPES: Final = {"integer": int, "number": float, "string": str, "boolean": bool, "object": dict}


def _type_in(schema: Mapping[str, Any]) -> Any:
    """The type that a schema promises, for an annotation that takes more than that."""
    if schema.get("type") == "array":
        return list[_type_in(schema.get("items", {}))]  # type: ignore[misc]
    return _TYPES.get(schema.get("type", ""), Any)
