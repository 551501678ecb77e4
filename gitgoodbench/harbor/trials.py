"""One trial of a job: whose task it is, how its agent ended, and what it left."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from gitgoodbench.errors import AgentFailed, Status
from gitgoodbench.harbor.conversation import messages_of, read_document, usage_of
from gitgoodbench.harbor.naming import OWNER
from gitgoodbench.harbor.outcome import COLLECTED, collected_outcome
from gitgoodbench.harbor.verify import IDENTITY_FILE
from gitgoodbench.text import one_line
from gitgoodbench.workspace.outcome import Outcome

_LIMITS: Final = frozenset(
    {
        "AgentTimeoutError",
        "BudgetExceededError",
        "ContextLengthExceededError",
        "ContextWindowExceededError",
        "OutputLengthExceededError",
        "OutputTokenExceededError",
    }
)
_REFUSALS: Final = frozenset({"AgentSafetyRefusalError", "ContentPolicyViolationError"})
_CANCELLED: Final = "CancelledError"


@dataclass(frozen=True)
class Trial:
    """folder: of the trial. result: its result.json."""

    folder: Path
    result: Mapping[str, Any]

    @property
    def full_name(self) -> str:
        """Of its task, as task.toml has it."""
        return str(self.result.get("task_name"))

    @property
    def task(self) -> str | None:
        """The name of its task, as `by_task` has it; None where it is none of ours."""
        return self.full_name.removeprefix(OWNER) if self.full_name.startswith(OWNER) else None

    @property
    def agent(self) -> str | None:
        name = self._part("agent_info").get("name")
        return name if isinstance(name, str) and name else None

    @property
    def row(self) -> str | None:
        """The fingerprint of the sample that the verifier knew; None where it wrote none."""
        found = read_object(self.folder / "verifier" / IDENTITY_FILE)
        return None if found is None else str(found.get("row"))

    def ended(self) -> tuple[Status, str | None]:
        """How the agent's work ended, and why it is not completed.

        What came after the agent's work (the verifier) does not matter: outcomes are scored anew. An error that is
        not of the agent (no image, the model's server, a job that was cancelled) makes it no answer.
        """
        raised = self.result.get("exception_info")
        if not isinstance(raised, dict) or _is_after(raised, self._part("verifier")):
            return Status.COMPLETED, None
        kind = str(raised.get("exception_type"))
        told = one_line(f"{kind}: {raised.get('exception_message')}", 300)
        if kind in _LIMITS:
            return Status.LIMIT_REACHED, told
        if kind in _REFUSALS:
            return Status.GAVE_UP, told
        return (Status.INFRASTRUCTURE_FAILED if self._is_broken(kind, raised) else Status.AGENT_FAILED), told

    def _is_broken(self, kind: str, raised: Mapping[str, Any]) -> bool:
        policy = raised.get("policy")
        if kind == _CANCELLED or (isinstance(policy, dict) and policy.get("has_valid_reward") is False):
            return True
        # Harbor verifies what failed agents left; where it did not, something else failed
        verifying = self._part("config").get("verifier")
        verified = self._part("verifier").get("started_at") is not None
        disabled = isinstance(verifying, dict) and verifying.get("disable") is True
        return self._part("agent_execution").get("started_at") is None or not (verified or disabled)

    def outcome(self) -> Outcome:
        """What the agent left, and how its work ended; it is no answer where nothing was collected."""
        status, told = self.ended()
        collected = self.folder / "artifacts" / COLLECTED.lstrip("/")
        if not (collected / "head").is_file():
            return _no_answer(told or "no outcome was collected")
        try:
            outcome = collected_outcome(collected, within=self.folder)
        except AgentFailed as problem:
            outcome = Outcome(None, None, problem=str(problem))
        return replace(outcome, agent_status=status, agent_error=told)

    def fields(self) -> dict[str, Any]:
        """The fields of a prediction: outcome, model, conversation, usage."""
        model = self._part("agent_info").get("model_info")
        fields: dict[str, Any] = {"outcome": json.loads(self.outcome().to_json())}
        if isinstance(model, dict):
            fields["model_name_or_path"] = model.get("name")
        document = read_document(self.folder / "agent" / "trajectory.json")
        if document is not None:
            fields["messages"] = messages_of(document)
        usage = usage_of(self._part("agent_result"), document)
        if document is not None or any(value is not None for value in usage.values()):
            fields["usage"] = usage
        return fields

    def _part(self, name: str) -> Mapping[str, Any]:
        found = self.result.get(name)
        return found if isinstance(found, dict) else {}


def unanswered(why: str) -> dict[str, Any]:
    """The fields of a prediction that is none, through no fault of the agent."""
    return {"outcome": json.loads(_no_answer(why).to_json())}


def _no_answer(why: str) -> Outcome:
    return Outcome(None, None, agent_status=Status.INFRASTRUCTURE_FAILED, agent_error=why)


def read_object(path: Path) -> dict[str, Any] | None:
    """The JSON object in a file; None where there is none."""
    try:
        found = None if path.is_symlink() else json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_after(raised: Mapping[str, Any], verifier: Mapping[str, Any]) -> bool:
    try:
        began, occurred = (
            datetime.fromisoformat(str(text)) for text in (verifier.get("started_at"), raised.get("occurred_at"))
        )
        return began <= occurred
    except (ValueError, TypeError):
        return False
