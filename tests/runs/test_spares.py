"""Sandboxes that serve one episode after the other, and those that never do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.runs.context import RunContext
from gitgoodbench.runs.episode import run_episode
from gitgoodbench.runs.plan import plan_episodes
from gitgoodbench.sandbox.base import Placed, Sandbox, SandboxDied
from gitgoodbench.scenario import ToolSet
from tests.support.fake_runs import FakeAgent, FakeProvider, FakeSandbox, FakeScenario, make_context, make_samples


class FakeSharing(FakeSandbox):
    """Can be emptied, unless it has died."""

    lent_folder = None

    def __init__(self, provider: FakeProvider) -> None:
        super().__init__(provider)
        self.shared: dict[str, Path] = {}
        self.emptied = 0
        self.dead = False

    def share(self, path: str, file: Path) -> None:
        self.shared[path] = file

    def refill(self, files: Sequence[Placed] = (), keep: Collection[str] = ()) -> None:  # noqa: ARG002
        if self.dead:
            raise SandboxDied("gone")
        self.emptied += 1


class SharingProvider(FakeProvider):
    def open(self, *, run_id: str, episode_id: str) -> Sandbox:  # noqa: ARG002
        self.sandboxes.append(FakeSharing(self))
        return self.sandboxes[-1]


class ToolAgent(FakeAgent):
    acts_by_tools = True


def play(context: RunContext, count: int) -> None:
    for episode in plan_episodes(make_samples(count), {"mcr": FakeScenario()}, 1):
        assert run_episode(episode, context).status.is_final


def context_of(folder: Path, agent: FakeAgent, tools: ToolSet = ToolSet.PUBLISHED) -> tuple[RunContext, Any]:
    provider: Any = SharingProvider()
    return make_context(folder, agent=agent, provider=provider, tools=tools), provider


def test_an_agent_that_acts_by_tools_alone_gets_one_emptied_sandbox_after_the_other(tmp_path: Path) -> None:
    context, provider = context_of(tmp_path, ToolAgent())
    play(context, 3)
    (sandbox,) = provider.sandboxes
    assert (sandbox.emptied, sandbox.closed) == (2, False)
    assert context.spares.close() == []
    assert sandbox.closed


@pytest.mark.parametrize(("agent", "tools"), [(FakeAgent(), ToolSet.PUBLISHED), (ToolAgent(), ToolSet.SHELL)])
def test_what_others_may_have_touched_is_removed(tmp_path: Path, agent: FakeAgent, tools: ToolSet) -> None:
    context, provider = context_of(tmp_path, agent, tools)
    play(context, 3)
    assert [(sandbox.emptied, sandbox.closed) for sandbox in provider.sandboxes] == [(0, True)] * 3


def test_a_sandbox_that_died_while_it_waited_is_replaced(tmp_path: Path) -> None:
    context, provider = context_of(tmp_path, ToolAgent())
    play(context, 1)
    provider.sandboxes[0].dead = True
    episode = plan_episodes(make_samples(2), {"mcr": FakeScenario()}, 1)[1]
    assert run_episode(episode, context).status.is_final
    assert [sandbox.closed for sandbox in provider.sandboxes] == [True, False]


def test_a_sandbox_whose_episode_failed_is_removed(tmp_path: Path) -> None:
    def die() -> Any:
        raise SandboxDied("gone")

    context, provider = context_of(tmp_path, ToolAgent(die))
    (episode,) = plan_episodes(make_samples(1), {"mcr": FakeScenario()}, 1)
    assert not run_episode(episode, context).status.is_final
    assert [sandbox.closed for sandbox in provider.sandboxes] == [True]
    assert context.spares.take(ToolAgent()) is None
