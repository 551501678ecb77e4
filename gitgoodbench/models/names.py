"""The APIs by name; apart from what they are, so that the command line shows its flags without them."""

from __future__ import annotations

from enum import StrEnum


class ApiName(StrEnum):
    """Values of --api."""

    CHAT = "chat"
    RESPONSES = "responses"
    ANTHROPIC = "anthropic"
