"""The client: what a trainer imports. It opens a WebSocket, which is one environment on the server.

with GitGoodBenchEnv("http://sandboxes:8000").sync() as env:
    opened = env.reset(task="mcr/owner_name_merge_0001").observation
    result = env.step(GitAction(tool="view_diff_for", arguments={...}))
"""

from __future__ import annotations

from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient

from gitgoodbench.frameworks.openenv.records import GitAction, GitObservation, GitState


class GitGoodBenchEnv(EnvClient[GitAction, GitObservation, GitState]):
    """See the module."""

    def _step_payload(self, action: GitAction) -> dict[str, Any]:
        payload: dict[str, Any] = action.model_dump(mode="json", exclude_none=True)
        return payload

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[GitObservation]:
        told = {name: payload.get(name) for name in ("reward", "done") if payload.get(name) is not None}
        observation = GitObservation(**{**payload["observation"], **told})
        return StepResult(observation, observation.reward, observation.done, observation.metadata)

    def _parse_state(self, payload: dict[str, Any]) -> GitState:
        return GitState(**payload)
