"""What the agent is told. The templates lie beside this file; nothing in them names the sample, its commits or how many
there were.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template

from gitgoodbench.scenario import EpisodeOptions, Message, ToolSet

from .display import list_files, show_hunks, summarize
from .division import Division

PROMPT_LIMIT = 200_000
"""Characters of all hunks together that the prompt shows in full."""


def commit_prompt(division: Division, language: str, options: EpisodeOptions) -> tuple[Message, Message]:
    """System and user message that open an episode."""
    count = len(division.remaining)
    line_numbers = options.tool_set is ToolSet.EXTENDED
    shown, complete = show_hunks(division, range(1, count + 1), line_numbers=line_numbers, limit=PROMPT_LIMIT)
    if complete < count:
        shown += f"\n\nThe others are too many to be shown here:\n{summarize(division, complete + 1)}"
    context = {
        "language": language.capitalize(),
        "tool_set": str(options.tool_set),
        "hunks": options.hunks,
        "count": count,
        "files": list_files(division.offered),
        "rest": list_files(division.rest),
        "shown": shown,
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
