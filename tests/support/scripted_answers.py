"""Answers of a model to tasks of the mini suite, some right, some wrong, some that stop too early: those of reference
agents, so that `gitgoodbench eval` and an environment of a framework can be asked the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitgoodbench import Run, Scored, evaluate
from tests.support.dialects_of_chat import streamed
from tests.support.llm_reply import Reply, calls_raw, says
from tests.support.scripted_llm import Request, ScriptedServer

COUNT = 6
HERE: Mapping[str, Any] = {"sandbox": "local", "offline": True}
AGENTS: Mapping[str, Sequence[str]] = {
    "mcr": ("tool-oracle", "ours", "union"),
    "ir": ("autosquash", "squash-all", "reword-last"),
    "icc": ("tool-oracle", "one-commit", "per-hunk"),
}


@dataclass(frozen=True)
class Answers:
    """The calls that each task gets, by id, and the prompt of each."""

    calls: Mapping[str, Sequence[tuple[str, dict[str, Any]]]]
    prompts: Mapping[str, str]

    @contextmanager
    def served(self) -> Iterator[ScriptedServer]:
        """A server that plays a model with these answers; what it says after the last one calls nothing."""
        by_prompt = {prompt: self.calls[task] for task, prompt in self.prompts.items()}
        with ScriptedServer(_player(by_prompt)) as server:
            yield server


def answers_of(scenario: str, folder: Path, count: int = COUNT, **fields: Any) -> Answers:
    """Answers for the first tasks of a scenario: every agent's in turn. The last task's stop one call too early.

    fields: as `evaluate` takes them.
    """
    calls: dict[str, Sequence[tuple[str, dict[str, Any]]]] = {}
    prompts: dict[str, str] = {}
    for place, agent in enumerate(AGENTS[scenario]):
        chosen: dict[str, Any] = {**HERE, "scenario": scenario, "limit": count, **fields}
        run = evaluate("mini", agent, folder, f"{scenario}-{agent}", **chosen)
        for number, result in enumerate(in_order(run)):
            conversation = run.conversation(result)
            assert conversation is not None
            task = f"{result.scenario}/{result.sample_id}"
            prompts[task] = _prompt(conversation.messages)
            if number % len(AGENTS[scenario]) == place:
                calls[task] = _calls(conversation.messages)
    last = list(calls)[-1]
    calls[last] = calls[last][:-1]
    assert len(set(prompts.values())) == len(prompts) == len(calls) == count
    return Answers(calls, prompts)


def run_of_eval(answers: Answers, scenario: str, folder: Path, run_id: str = "eval", **fields: Any) -> Run:
    """What `gitgoodbench eval` makes of the answers.

    fields: as `evaluate` takes them.
    """
    chosen: dict[str, Any] = {**HERE, "scenario": scenario, "limit": len(answers.calls), **fields}
    with answers.served() as server:
        return evaluate("mini", "openai", folder, run_id, model="scripted", base_url=server.url, **chosen)


def figures(run: Run) -> dict[str, Scored]:
    """The verdicts of a run, by task."""
    return {f"{result.scenario}/{result.sample_id}": run.scored(result) for result in in_order(run)}


def in_order(run: Run) -> list[Any]:
    """Results in the order of the suite, which that of ids is in the mini suite."""
    return sorted(run.results, key=lambda result: result.sample_id)


def _player(by_prompt: Mapping[str, Sequence[tuple[str, dict[str, Any]]]]) -> Callable[[Request], Reply]:
    def play(request: Request) -> Reply:
        steps = by_prompt[_prompt(request.messages)]
        reply = says("done") if request.turn >= len(steps) else calls_raw(*_written(*steps[request.turn]))
        return streamed(json.loads(reply.body)) if request.body.get("stream") else reply

    return play


def _written(name: str, arguments: dict[str, Any]) -> tuple[str, str]:
    return name, json.dumps(arguments)


def _prompt(messages: Sequence[Mapping[str, Any]]) -> str:
    """The user's message alone: frameworks have system prompts of their own."""
    (first, *_) = [message["content"] for message in messages if message["role"] == "user"]
    return first if isinstance(first, str) else "".join(part["text"] for part in first)


def _calls(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (call["function"]["name"], json.loads(call["function"]["arguments"]))
        for message in messages
        for call in message.get("tool_calls") or ()
    ]
