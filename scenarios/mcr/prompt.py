"""What the agent is told. The templates lie beside this file; nothing in them names the sample, the merge commit or
its parents' ids.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template

from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git
from gitgoodbench.scenario import Message, ToolSet

from .display import show_conflict
from .resolution import Resolution

CONFLICT_LIMIT = 30_000
"""Characters of one conflict that the prompt shows; the tools show all of it."""


@cache
def _template(name: str) -> Template:
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    return environment.from_string(_source(name))


def _source(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def template_hash() -> str:
    """Changes when any template does."""
    return hashlib.sha256("\0".join(_source(name) for name in ("system.j2", "user.j2")).encode()).hexdigest()


def merge_prompt(
    resolution: Resolution, language: str, tool_set: ToolSet, age_days: tuple[str, int]
) -> tuple[Message, Message]:
    """System and user message that open an episode.

    Args:
        age_days: which side is newer (`local`, `incoming` or `neither`) and by how many days.
    """
    model = resolution.model
    newer, days = age_days
    context = {
        "language": language.capitalize(),
        "tool_set": str(tool_set),
        "conflicts": [_shorten(show_conflict(resolution, number, 0)) for number in range(len(model.conflicts))],
        "files": [show_path(path) for path in model.paths],
        "has_path_conflicts": len(model.text_conflicts) < len(model.conflicts),
        "newer": newer,
        "days": days,
        "marker": "<" * model.replay.marker_size,
    }
    return (
        {"role": "system", "content": _template("system.j2").render(context)},
        {"role": "user", "content": _template("user.j2").render(context)},
    )


def newer_side(git: Git, parents: tuple[str, str]) -> tuple[str, int]:
    """Which side was committed later, and by how many whole days."""
    stamps = [int(git.line("show", "--no-patch", "--format=%ct", "--end-of-options", parent)) for parent in parents]
    local, incoming = (datetime.fromtimestamp(stamp, UTC) for stamp in stamps)
    if local == incoming:
        return "neither", 0
    return ("local" if local > incoming else "incoming"), abs(local - incoming).days


def _shorten(text: str) -> str:
    if len(text) <= CONFLICT_LIMIT:
        return text
    half = CONFLICT_LIMIT // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[... {left_out} characters left out here; the tools show them ...]\n{text[-half:]}"
