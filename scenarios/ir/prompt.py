"""What the agent is told. The templates lie beside this file; nothing in them names the sample, its repository or what
became of the branch later.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template

from gitgoodbench.git.histories import CommitView
from gitgoodbench.scenario import Message, ToolSet

from .display import show_commit

COMMIT_LIMIT = 30_000
"""Characters of one commit that the prompt shows; the tools show all of it."""


def rebase_prompt(
    views: Sequence[CommitView], language: str, tool_set: ToolSet, *, root: bool
) -> tuple[Message, Message]:
    """System and user message that open an episode. root: whether the chain begins with a root commit."""
    context = {
        "language": language.capitalize(),
        "tool_set": str(tool_set),
        "count": len(views),
        "root": root,
        "commits": [_shorten(show_commit(views, index)) for index in range(len(views))],
    }
    return (
        {"role": "system", "content": _template("system.j2").render(context).rstrip("\n")},
        {"role": "user", "content": _template("user.j2").render(context).rstrip("\n")},
    )


def template_hash() -> str:
    """Changes when any template does."""
    return hashlib.sha256("\0".join(_source(name) for name in ("system.j2", "user.j2")).encode()).hexdigest()


@cache
def _template(name: str) -> Template:
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    return environment.from_string(_source(name))


def _source(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _shorten(text: str) -> str:
    if len(text) <= COMMIT_LIMIT:
        return text
    half = COMMIT_LIMIT // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[... {left_out} characters left out here; the tools show them ...]\n{text[-half:]}"
