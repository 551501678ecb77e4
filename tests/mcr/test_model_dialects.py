"""A model solves a merge through every API and dialect, asked by the real client packages over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.agents.openai import OpenAIAgent
from gitgoodbench.errors import RunAborted, Status
from gitgoodbench.models.meter import Budget
from gitgoodbench.models.parameters import Parameters
from gitgoodbench.sandbox.base import SandboxProvider
from tests.support.dialects import CHAT, DIALECTS, Step, speaking
from tests.support.llm_reply import Call, says
from tests.support.merges import MergeCase, begin, make_merge, score
from tests.support.scripted_llm import ScriptedServer

STEPS = [
    Step(
        (
            Call.of("view_merge_conflict_at", conflict_index=0),
            Call.of("view_file_at", relative_path_from_project_root="a.py"),
        ),
        "I look at both.",
    ),
    Step((Call.of("view_current_merge_conflict_with"),)),
    Step((Call.of("resolve_current_merge_conflict_with", content="ours\ntheirs\n"),), "Both are needed."),
]
PARAMETERS = Parameters(temperature=0.0, max_output_tokens=5000, reasoning_effort="low")


@pytest.fixture
def case(tmp_path: Path) -> MergeCase:
    return make_merge(
        tmp_path / "r.git",
        {b"a.py": b"one\ntwo\nthree\n"},
        {b"a.py": b"one\nours\nthree\n"},
        {b"a.py": b"one\ntheirs\nthree\n"},
        {b"a.py": b"one\nours\ntheirs\nthree\n"},
    )


def test_chat_completions_are_spoken_in_more_than_twenty_dialects() -> None:
    assert len(CHAT) >= 20


@pytest.mark.parametrize("name", DIALECTS)
def test_a_merge_is_solved_through_every_api_and_dialect(
    name: str, case: MergeCase, local_provider: SandboxProvider
) -> None:
    dialect = DIALECTS[name]
    with speaking(dialect, STEPS) as server, begin(case, local_provider) as (episode, _):
        agent = OpenAIAgent(
            dialect.model, api=dialect.api, base_url=server.url, api_key="none", parameters=PARAMETERS,
            sleep=lambda _: None, wait=server.time_out,
        )  # fmt: skip
        finding = agent.preflight()
        trajectory = agent.run(episode, Budget())
        outcome = episode.outcome()
    assert (trajectory.status, trajectory.error) == (Status.COMPLETED, None)
    assert score(case, outcome).solved is True
    results = [message["content"] for message in trajectory.messages if message["role"] == "tool"]
    assert len(results) == 4
    assert "<<<<<<< HEAD\nours" in results[0]
    assert results[1] != results[0]
    assert (finding.works, finding.api, finding.dialect) == (True, dialect.api, dialect.found)
    assert finding.usage is ("no usage" not in dialect.found)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "view_current_merge_conflict_with", "arguments": {}}\n</tool_call>',
        "<function=view_current_merge_conflict_with></function>",
        '[TOOL_CALLS][{"name": "view_current_merge_conflict_with", "arguments": {}}]',
    ],
)
def test_a_server_that_does_not_parse_tool_calls_stops_the_run(
    text: str, case: MergeCase, local_provider: SandboxProvider
) -> None:
    with ScriptedServer([says(text)]) as server, begin(case, local_provider) as (episode, _):
        agent = OpenAIAgent("m", base_url=server.url, api_key="none")
        with pytest.raises(RunAborted, match=r"^this server does not parse tool calls: .*--enable-auto-tool-choice"):
            agent.run(episode, Budget())
    assert len(server.requests) == 1


def test_prices_of_the_prompt_cache_and_of_thinking_are_in_the_cost(
    case: MergeCase, local_provider: SandboxProvider
) -> None:
    from gitgoodbench.models.pricing import Price

    price = Price(input=10.0, cached_input=1.0, output=50.0, written_input=12.5)
    with speaking(DIALECTS["messages, thinking"], STEPS) as server, begin(case, local_provider) as (episode, _):
        agent = OpenAIAgent(
            "m", api="anthropic", base_url=server.url, api_key="none", parameters=PARAMETERS, price=price
        )
        usage = agent.run(episode, Budget()).usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (300, 180, 30)
    assert usage.cost_usd == pytest.approx(3 * (10 * 10.0 + 30 * 12.5 + 60 * 1.0 + 10 * 50.0) / 1e6, rel=1e-12)
