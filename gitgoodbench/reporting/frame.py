"""A run as a pandas table: one row per episode, for notebooks and statistics of one's own.

Every column has one type in every run, also where a run has no value for it; unknown is `pandas.NA`, never 0.

| column | type | |
|---|---|---|
| run_id, agent, model, scenario, sample_id, name, language, difficulty | string | who played what |
| epoch, turns | Int64 | `epoch` counts from 1 |
| started, ended | datetime64[us, UTC] | of the agent's part |
| status, error | string | how it ended, and why |
| success, solved, solved_paper | boolean | |
| requests, prompt_tokens, cached_tokens, completion_tokens | Int64 | of the agent |
| cost_usd, judge_cost_usd | Float64 | of the agent, and of its judge |
| setup_s, agent_s, outcome_s, closing_s, scoring_s, judge_s, total_s | Float64 | seconds |
| gate_NAME | boolean | one for each gate that any episode has; NA where another scenario's episode lacks it |
| score_NAME | Float64 | one for each score, likewise; in [0, 1] |
| fact_NAME | boolean, Int64, Float64, string | one for each fact that is no list or mapping; string if mixed |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from gitgoodbench.runs.result import Result, Timings

if TYPE_CHECKING:  # importing it takes as long as all the rest of a report
    import pandas

_TIME: Final = "datetime64[us, UTC]"
_FIELDS: Final[Mapping[str, tuple[str, Callable[[Result], Any]]]] = {
    "run_id": ("string", lambda result: result.run_id),
    "agent": ("string", lambda result: result.agent),
    "model": ("string", lambda result: result.model),
    "scenario": ("string", lambda result: result.scenario),
    "sample_id": ("string", lambda result: result.sample_id),
    "name": ("string", lambda result: result.name),
    "language": ("string", lambda result: result.language),
    "difficulty": ("string", lambda result: result.difficulty),
    "epoch": ("Int64", lambda result: result.epoch),
    "started": (_TIME, lambda result: result.started),
    "ended": (_TIME, lambda result: result.ended),
    "status": ("string", lambda result: result.status.value),
    "error": ("string", lambda result: result.error and result.error.message),
    "success": ("boolean", lambda result: result.success),
    "solved": ("boolean", lambda result: result.solved),
    "solved_paper": ("boolean", lambda result: result.solved_paper),
    "turns": ("Int64", lambda result: result.turns),
    "requests": ("Int64", lambda result: result.usage.requests),
    "prompt_tokens": ("Int64", lambda result: result.usage.prompt_tokens),
    "cached_tokens": ("Int64", lambda result: result.usage.cached_tokens),
    "completion_tokens": ("Int64", lambda result: result.usage.completion_tokens),
    "cost_usd": ("Float64", lambda result: result.usage.cost_usd),
    "judge_cost_usd": ("Float64", lambda result: result.judge and result.judge.usage.cost_usd),
}

_FACT_TYPES: Final = {bool: "boolean", int: "Int64", float: "Float64", str: "string"}


def frame_of(results: Iterable[Result]) -> pandas.DataFrame:
    """One row per result, in their order; the module says which columns."""
    import pandas

    rows = list(results)
    columns = {name: _column([value(row) for row in rows], kind) for name, (kind, value) in _FIELDS.items()}
    for name in Timings.model_fields:
        columns[name] = _column([getattr(row.timings, name) for row in rows], "Float64")
    for name in _names(row.gates for row in rows):
        columns[f"gate_{name}"] = _column([row.gates.get(name) for row in rows], "boolean")
    for name in _names(row.scores for row in rows):
        columns[f"score_{name}"] = _column([row.scores.get(name) for row in rows], "Float64")
    for name in _names(row.facts for row in rows):
        values = [row.facts.get(name) for row in rows]
        kinds = {type(value) for value in values if value is not None}
        if kinds and kinds <= _FACT_TYPES.keys():
            columns[f"fact_{name}"] = _fact(values, kinds)
    return pandas.DataFrame(columns)


def _names(mappings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Every key once, in the order of its first appearance."""
    return list(dict.fromkeys(name for mapping in mappings for name in mapping))


def _column(values: Sequence[Any], kind: Any) -> pandas.Series[Any]:
    import pandas

    if kind == _TIME:
        return pandas.Series(
            pandas.to_datetime(list(values), utc=True, format="ISO8601", errors="coerce").as_unit("us")
        )
    return pandas.Series([pandas.NA if value is None else value for value in values], dtype=kind)


def _fact(values: Sequence[Any], kinds: set[type]) -> pandas.Series[Any]:
    if kinds == {int, float}:
        kinds = {float}
    if len(kinds) > 1:
        return _column([None if value is None else str(value) for value in values], "string")
    return _column(values, _FACT_TYPES[kinds.pop()])
