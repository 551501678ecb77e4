"""What a caller gives a bench, as the configuration of a run: short forms become the fields that they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gitgoodbench.errors import UserError
from gitgoodbench.runs.config import RunConfig, alias_fields, make_config
from gitgoodbench.runs.judging import LLM_JUDGE


def config_of(
    scenario: str | Sequence[str] | None,
    judge: str | Sequence[str] | Mapping[str, Any] | None,
    options: Mapping[str, Any],
    **fields: Any,
) -> RunConfig:
    """The configuration; for the arguments see `Bench`. fields: those of a run, under their own names.

    Raises:
        UserError: there is no such field, it is given twice, or a value is out of its range.
    """
    scenarios = (scenario,) if isinstance(scenario, str) else tuple(scenario or ())
    given, further = {**fields, "scenario": scenarios, **_judge_fields(judge)}, _further_fields(options)
    if twice := sorted(given.keys() & further.keys()):
        raise UserError(f"options: {twice[0]!r} is given already, by an argument of its own")
    unknown = sorted((given.keys() | further.keys()) - RunConfig.model_fields.keys())
    if unknown and (unknown := sorted(set(unknown) - alias_fields().keys())):
        raise UserError(f"options: there is no field {unknown[0]!r}")
    return make_config(**given, **further)


def _further_fields(options: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a run's configuration: options of plug-ins have a dot in their names."""
    own = tuple(f"{name}={value}" for name, value in options.items() if "." in name)
    return {"opt": own, **{name: value for name, value in options.items() if "." not in name}}


def _judge_fields(judge: str | Sequence[str] | Mapping[str, Any] | None) -> dict[str, Any]:
    if judge is None:
        return {}
    given = judge if isinstance(judge, Mapping) else {"model": judge}
    fields = {f"judge_{name}": value for name, value in given.items()}
    model = fields.get("judge_model", ())
    return {**fields, "judge": LLM_JUDGE, "judge_model": (model,) if isinstance(model, str) else tuple(model)}
