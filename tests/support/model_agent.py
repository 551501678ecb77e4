"""An OpenAIAgent against a scripted server, without real waiting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.agents.openai import OpenAIAgent
from gitgoodbench.models.meter import Budget
from tests.support.fake_episode import FakeEpisode
from tests.support.scripted_llm import Reply, Request, Script, ScriptedServer

KEY = "sk-test-0123456789abcdef"


class Played:
    """What became of one episode: the trajectory, the requests that arrived, the waits between tries in seconds."""

    def __init__(self, trajectory: Trajectory, requests: list[Request], waits: list[float]) -> None:
        self.trajectory = trajectory
        self.requests = requests
        self.waits = waits

    @property
    def results(self) -> list[str]:
        """The tool results, in order."""
        return [message["content"] for message in self.trajectory.messages if message["role"] == "tool"]


def play(
    script: Sequence[Reply] | Script,
    *,
    episode: Any = None,
    budget: Budget | None = None,
    **options: Any,
) -> Played:
    """Let a scripted model work on an episode. Waits are noted, not waited; jitter draws the upper bound.

    A request times out when the server keeps it waiting, and only then.
    """
    waits: list[float] = []
    chosen: dict[str, Any] = {"sleep": waits.append, "draw": lambda _, high: high} | options
    with ScriptedServer(script) as server:
        chosen = {"wait": server.time_out} | chosen
        agent = OpenAIAgent("gpt-4o", base_url=server.url, api_key=KEY, **chosen)
        trajectory = agent.run(episode or FakeEpisode(), budget or Budget())
        return Played(trajectory, server.requests, waits)
