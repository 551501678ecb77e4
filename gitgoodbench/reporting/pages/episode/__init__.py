"""What a page shows of one episode."""

from __future__ import annotations

from typing import Any

from gitgoodbench.reporting.pages.shown import Shown
from gitgoodbench.runs.result import Result


def episode_record(shown: Shown, result: Result) -> dict[str, Any]:
    """The episode as JSON: what its result.json holds."""
    return {"key": shown.key(result), "result": result.model_dump(mode="json")}
