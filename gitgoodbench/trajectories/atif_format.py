"""A row as an Agent Trajectory Interchange Format document (ATIF 1.8), built and validated by the package `atif`."""

from __future__ import annotations

import json
from typing import Any

from gitgoodbench.errors import UserError
from gitgoodbench.models.messages import Message
from gitgoodbench.trajectories.rows import Row

try:
    from atif import Agent, FinalMetrics, Observation, ObservationResult, Step, ToolCall, Trajectory
except ModuleNotFoundError as problem:
    raise UserError("--format atif needs the package atif: run `pip install 'gitgoodbench[trajectories]'`") from problem


def trajectory_of(row: Row) -> dict[str, Any]:
    """The document as JSON values.

    A call's results stand under the step that made it. Programs ask no model: their steps count no call of one.
    """
    steps: list[Step] = []
    for message in row.messages:
        if message["role"] == "tool":
            at = max(number for number, step in enumerate(steps) if step.source == "agent")
            steps[at] = _with_result(steps[at], message)
        elif message["role"] == "assistant":
            steps.append(_answer(message, len(steps) + 1, asked=row.model is not None))
        else:
            steps.append(Step(step_id=len(steps) + 1, source=message["role"], message=message.get("content") or ""))
    document = Trajectory(
        schema_version="ATIF-v1.8",
        session_id=row.id,
        trajectory_id=row.id,
        agent=Agent(
            name=f"gitgoodbench/{row.agent}",
            version=row.harness,
            model_name=row.model,
            tool_definitions=list(row.tools),
        ),
        steps=steps,
        final_metrics=FinalMetrics(
            total_cost_usd=row.cost_usd, total_steps=len(steps), extra={"reward": row.reward, **row.metadata()}
        ),
    )
    return Trajectory.model_validate(document.to_json_dict()).to_json_dict()


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


def _with_result(step: Step, message: Message) -> Step:
    result = ObservationResult(source_call_id=message["tool_call_id"], content=message["content"])
    earlier = step.observation.results if step.observation else []
    return step.model_copy(update={"observation": Observation(results=[*earlier, result])})
