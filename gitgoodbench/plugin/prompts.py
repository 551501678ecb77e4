"""Prompts from templates: `system.j2` and `user.j2` in the folder of a scenario."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, StrictUndefined, Template

from gitgoodbench.scenario import Message

PART_LIMIT: Final = 30_000
"""Characters of one part (a conflict, a commit) that a prompt shows; the tools show all of it."""

_ROLES: Final = ("system", "user")


class PromptTemplates:
    """The templates of a package, by its name. A variable that is not given is an error, nothing is escaped."""

    def __init__(self, package: str) -> None:
        self._package = package

    def messages(self, context: Mapping[str, Any]) -> tuple[Message, Message]:
        """System and user message that open an episode."""
        system, user = ({"role": role, "content": self._render(role, context)} for role in _ROLES)
        return system, user

    def fingerprint(self) -> str:
        """Changes when any template does."""
        return hashlib.sha256("\0".join(_source(self._package, role) for role in _ROLES).encode()).hexdigest()

    def _render(self, role: str, context: Mapping[str, Any]) -> str:
        return _template(self._package, role).render(context).rstrip("\n")


def shorten(text: str, limit: int = PART_LIMIT) -> str:
    """The text, without its middle where it is longer than the limit."""
    if len(text) <= limit:
        return text
    half = limit // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[... {left_out} characters left out here; the tools show them ...]\n{text[-half:]}"


@cache
def _template(package: str, role: str) -> Template:
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    return environment.from_string(_source(package, role))


def _source(package: str, role: str) -> str:
    return (files(package) / f"{role}.j2").read_text(encoding="utf-8")
