"""The agents that come with the harness: one that is a model, and one that does nothing."""

from __future__ import annotations

from gitgoodbench.agents.base import Agent, AgentPlugin, AgentSettings
from gitgoodbench.agents.reference import NoopAgent
from gitgoodbench.models.options import chat_settings


class OpenAI(AgentPlugin):
    """`openai`: OpenAI's models, or those of any compatible server."""

    asks_model = True

    def make(self, settings: AgentSettings) -> Agent:
        from gitgoodbench.agents.openai import OpenAIAgent  # the SDK takes a second to import

        chosen = settings.model
        return OpenAIAgent(chosen.model, **chat_settings(chosen))


class Noop(AgentPlugin):
    """`noop`: the floor."""

    reference = True

    def make(self, settings: AgentSettings) -> Agent:  # noqa: ARG002
        return NoopAgent()
