"""What a preflight shows of a model and its server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

OPENING: Final = "This is a test of the connection."
"""Begins every preflight."""


@dataclass(frozen=True)
class Finding:
    """What a preflight found. answered_by: the model as the server names it.

    works: whether the tool was called, or the schema kept; False is no proof that it never will be.
    usage: whether the server reports what it used. dialect: in words, what is read or asked for in another way.
    """

    api: str
    address: str
    answered_by: str | None
    works: bool
    usage: bool
    dialect: tuple[str, ...]
