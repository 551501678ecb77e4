"""The APIs by which models are asked: one module each, behind the contract in `base`."""

from __future__ import annotations

from typing import Final

from gitgoodbench.models.apis.base import Api
from gitgoodbench.models.apis.chat_completions import ChatCompletions
from gitgoodbench.models.apis.messages import AnthropicMessages
from gitgoodbench.models.apis.responses import Responses

APIS: Final[dict[str, Api]] = {api.name: api for api in (ChatCompletions(), Responses(), AnthropicMessages())}
"""By the name that `--api` takes."""
