"""The keywords of `evaluate`, written from the one declaration of a run.

`python -m tests.support.run_fields` writes gitgoodbench/api/fields.py anew.
"""

from __future__ import annotations

import inspect
import json
import types
import typing
from enum import StrEnum
from pathlib import Path
from typing import Final

import gitgoodbench.api
from gitgoodbench.api.running import evaluate
from gitgoodbench.runs.config import RunConfig
from gitgoodbench.runs.flag import SEVERAL

MODULE: Final = Path(gitgoodbench.api.__file__).with_name("fields.py")

HEAD: Final = '''"""What `evaluate` takes beside its own arguments: the fields of a run, for type checkers and editors.

Written from `runs.config.RunConfig`; a test compares. `python -m tests.support.run_fields` writes it anew.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypedDict

from gitgoodbench.clusters.backends import Backend
from gitgoodbench.models.names import ApiName
from gitgoodbench.runs.order import Order
from gitgoodbench.scoring.judge.options import JudgeKind
from gitgoodbench.tools import ToolSet


class RunFields(TypedDict, total=False):
    """Flags of `gitgoodbench eval`, with underscores; one that can be repeated takes one value or several."""

'''


def generated() -> str:
    """The module as its file has it."""
    own = inspect.signature(evaluate).parameters
    fields = {name: field for name, field in RunConfig.model_fields.items() if name not in own}
    lines = [f"    {name}: {_written(field.annotation, SEVERAL in field.metadata)}\n" for name, field in fields.items()]
    return HEAD + "".join(lines)


def _written(kind: object, several: bool) -> str:
    """The type of what a caller may pass: wider than the field's own where pydantic converts."""
    parts = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    return " | ".join(
        "str | Sequence[str]" if several and part is not types.NoneType else _name(part) for part in parts
    )


def _name(kind: object) -> str:
    assert isinstance(kind, type), kind
    if kind is types.NoneType:
        return "None"
    if kind is Path:
        return "str | os.PathLike[str]"
    if issubclass(kind, StrEnum):
        values = ", ".join(json.dumps(member.value) for member in kind)
        return f"{kind.__name__} | Literal[{values}]"
    return kind.__name__


if __name__ == "__main__":
    MODULE.write_text(generated(), "utf-8")
