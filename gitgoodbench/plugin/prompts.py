"""Prompts from templates: `system.j2` and `user.j2` in the folder of a scenario."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, StrictUndefined, Template

from gitgoodbench.plugin.pages import Part, fit
from gitgoodbench.scenario import Message
from gitgoodbench.text import clean

PROMPT_LIMIT: Final = 100_000
"""Characters of the messages that open an episode, together."""

_ROLES: Final = ("system", "user")


class PromptTemplates:
    """The templates of a package, by its name. A variable that is not given is an error, nothing is escaped."""

    def __init__(self, package: str) -> None:
        self._package = package

    def messages(self, context: Mapping[str, Any], parts: Sequence[Part] = ()) -> tuple[Message, Message]:
        """System and user message that open an episode, of `PROMPT_LIMIT` characters at most.

        Args:
            parts: what may be long; the templates see it as `parts`, cut to the room that all else leaves.
        """
        empty = self._render_all({**context, "parts": ["" for _ in parts]})
        room = PROMPT_LIMIT - sum(len(clean(text)) for text in empty)
        system, user = self._render_all({**context, "parts": fit(parts, room)})
        return {"role": "system", "content": system}, {"role": "user", "content": user}

    def _render_all(self, context: Mapping[str, Any]) -> list[str]:
        return [self._render(role, context) for role in _ROLES]

    def fingerprint(self) -> str:
        """Changes when any template does."""
        return hashlib.sha256("\0".join(_source(self._package, role) for role in _ROLES).encode()).hexdigest()

    def _render(self, role: str, context: Mapping[str, Any]) -> str:
        return _template(self._package, role).render(context).rstrip("\n")


@cache
def _template(package: str, role: str) -> Template:
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    return environment.from_string(_source(package, role))


def _source(package: str, role: str) -> str:
    return (files(package) / f"{role}.j2").read_text(encoding="utf-8")
