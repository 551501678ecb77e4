"""A row as an Agent Trajectory Interchange Format document (ATIF 1.8), built and validated by the package `atif`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from gitgoodbench.errors import UserError
from gitgoodbench.models.messages import Message
from gitgoodbench.trajectories.rows import AsideRow, Row

try:
    from atif import (
        Agent,
        FinalMetrics,
        Observation,
        ObservationResult,
        Step,
        SubagentTrajectoryRef,
        ToolCall,
        Trajectory,
    )
except ModuleNotFoundError as problem:
    raise UserError("--format atif needs the package atif: run `pip install 'gitgoodbench[trajectories]'`") from problem

_VERSION: Final = "ATIF-v1.8"


def trajectory_of(row: Row) -> dict[str, Any]:
    """The document as JSON values.

    A call's results stand under the step that made it. Programs ask no model: their steps count no call of one.
    Sub-agents are documents within it; the result of the call that one works on refers to it.
    """
    own = {one.call: _name(row, one) for one in row.asides if one.call is not None}
    steps = _steps(row.messages, own, asked=row.model is not None)
    asides = [
        Trajectory(
            schema_version=_VERSION,
            session_id=row.id,
            trajectory_id=_name(row, one),
            agent=_agent(row, one.tools),
            steps=_steps(one.messages, own, asked=True),
        )
        for one in row.asides
    ]
    document = Trajectory(
        schema_version=_VERSION,
        session_id=row.id,
        trajectory_id=row.id,
        agent=_agent(row, row.tools),
        steps=steps,
        final_metrics=FinalMetrics(
            total_cost_usd=row.cost_usd, total_steps=len(steps), extra={"reward": row.reward, **row.metadata()}
        ),
        subagent_trajectories=asides or None,
    )
    return Trajectory.model_validate(document.to_json_dict()).to_json_dict()


def _name(row: Row, aside: AsideRow) -> str:
    return f"{row.id}/{aside.name}"


def _agent(row: Row, tools: Sequence[dict[str, Any]]) -> Agent:
    return Agent(
        name=f"gitgoodbench/{row.agent}", version=row.harness, model_name=row.model, tool_definitions=list(tools)
    )


def _steps(messages: Iterable[Message], asides: Mapping[str, str], *, asked: bool) -> list[Step]:
    steps: list[Step] = []
    for message in messages:
        if message["role"] == "tool":
            at = max(number for number, step in enumerate(steps) if step.source == "agent")
            steps[at] = _with_result(steps[at], message, asides.get(message["tool_call_id"]))
        elif message["role"] == "assistant":
            steps.append(_answer(message, len(steps) + 1, asked=asked))
        else:
            steps.append(Step(step_id=len(steps) + 1, source=message["role"], message=message.get("content") or ""))
    return steps


def _answer(message: Message, number: int, *, asked: bool) -> Step:
    calls = [
        ToolCall(
            tool_call_id=call["id"],
            function_name=call["function"]["name"],
            arguments=json.loads(call["function"]["arguments"] or "{}"),
        )
        for call in message.get("tool_calls") or ()
    ]
    return Step(
        step_id=number,
        source="agent",
        message=message.get("content") or "",
        reasoning_content=message.get("reasoning_content") if asked else None,
        tool_calls=calls or None,
        llm_call_count=int(asked),
    )


def _with_result(step: Step, message: Message, aside: str | None) -> Step:
    result = ObservationResult(
        source_call_id=message["tool_call_id"],
        content=message["content"],
        subagent_trajectory_ref=None if aside is None else [SubagentTrajectoryRef(trajectory_id=aside)],
    )
    earlier = step.observation.results if step.observation else []
    return step.model_copy(update={"observation": Observation(results=[*earlier, result])})
