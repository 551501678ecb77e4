"""gitgoodbench: a benchmark harness for agents that work with Git.

The public names (see docs/api.md) are loaded when they are asked for, so importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gitgoodbench.api.bench import Bench as Bench
    from gitgoodbench.api.bench import Task as Task
    from gitgoodbench.api.comparing import Comparison as Comparison
    from gitgoodbench.api.comparing import compare as compare
    from gitgoodbench.api.running import Run as Run
    from gitgoodbench.api.running import evaluate as evaluate
    from gitgoodbench.api.running import load_run as load_run
    from gitgoodbench.api.running import results_frame as results_frame
    from gitgoodbench.api.scored import Scored as Scored
    from gitgoodbench.api.session import Session as Session
    from gitgoodbench.api.session import SessionError as SessionError
    from gitgoodbench.api.tools import SessionTools as SessionTools
    from gitgoodbench.api.tools import tool_class as tool_class
    from gitgoodbench.api.tools import tool_schemas as tool_schemas
    from gitgoodbench.api.warming import warm_up as warm_up
    from gitgoodbench.errors import Status as Status
    from gitgoodbench.errors import UserError as UserError
    from gitgoodbench.scenario import Outcome as Outcome
    from gitgoodbench.scenario import Preview as Preview
    from gitgoodbench.tools import ToolResult as ToolResult

__version__ = "0.1.0"

_HOMES: Final = {
    "api.bench": ("Bench", "Task"),
    "api.comparing": ("Comparison", "compare"),
    "api.running": ("Run", "evaluate", "load_run", "results_frame"),
    "api.scored": ("Scored",),
    "api.session": ("Session", "SessionError"),
    "api.tools": ("SessionTools", "tool_class", "tool_schemas"),
    "api.warming": ("warm_up",),
    "errors": ("Status", "UserError"),
    "scenario": ("Outcome", "Preview"),
    "tools": ("ToolResult",),
}
if find_spec("verifiers") is not None:  # `vf-eval gitgoodbench` looks for a Taskset among the names of that package
    _HOMES["frameworks.verifiers"] = ("GitGoodBenchTaskset",)
__all__ = [name for names in _HOMES.values() for name in names]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
