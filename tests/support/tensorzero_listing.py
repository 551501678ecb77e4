"""How the real gateway (TensorZero 2026.6.0) lists inferences: filters, pages, order."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tests.support.tensorzero_server import TensorZeroServer

_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "!=": operator.ne,
}

Inference = Mapping[str, Any]


class NotListed(Exception):
    """What is wrong with the request, and the status."""

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


def listed(server: TensorZeroServer, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The inferences that a request asks for."""
    before, after, offset = body.get("before"), body.get("after"), body.get("offset")
    if before and after:
        raise NotListed("Cannot specify both 'before' and 'after' parameters")
    if (before or after) and offset is not None:
        raise NotListed("Cannot use 'offset' with cursor pagination ('before' or 'after')")
    function = body.get("function_name")
    if function is not None and function not in server.functions:
        raise NotListed(f"Unknown function: {function}", 404)
    if any(order.get("by") == "metric" for order in body.get("order_by") or ()) and function is None:
        name = body["order_by"][0]["name"]
        raise NotListed(f"ORDER BY metric `{name}` is not supported when querying without function_name")
    matches = _filter(server, body["filters"]) if body.get("filters") else lambda _: True
    found = sorted(
        (one for one in server.inferences if _is_of(one, body) and matches(one)),
        key=lambda one: str(one["inference_id"]),
        reverse=True,
    )
    limit = body.get("limit", 20)
    if before:
        found = [one for one in found if one["inference_id"] < before]
    if after:  # the next ones after it, still with the newest first
        found = [one for one in found if one["inference_id"] > after][-limit:] if limit else []
    return found[offset or 0 : (offset or 0) + limit]


def _is_of(one: Inference, body: Mapping[str, Any]) -> bool:
    return all(body.get(name) in (None, one[name]) for name in ("function_name", "variant_name", "episode_id"))


def _filter(server: TensorZeroServer, tree: Mapping[str, Any]) -> Callable[[Inference], bool]:
    match tree["type"]:
        case "and":
            every = [_filter(server, child) for child in tree["children"]]
            return lambda one: all(matches(one) for matches in every)
        case "or":
            some = [_filter(server, child) for child in tree["children"]]
            return lambda one: any(matches(one) for matches in some)
        case "not":
            child = _filter(server, tree["child"])
            return lambda one: not child(one)
        case "tag":
            return lambda one: (
                tree["key"] in one["tags"]
                and _COMPARE[tree["comparison_operator"]](one["tags"][tree["key"]], tree["value"])
            )
        case "time":
            return _of_time(tree)
        case "float_metric" | "boolean_metric":
            return _of_metric(server, tree)
        case "demonstration_feedback":
            return lambda one: tree["has_demonstration"] == bool(_values(server, one, "demonstration", "inference"))
    raise NotListed(f"unknown variant `{tree['type']}`")


def _of_time(tree: Mapping[str, Any]) -> Callable[[Inference], bool]:
    try:
        bound = datetime.fromisoformat(tree["time"])
    except (TypeError, ValueError):
        bound = None
    if bound is None or bound.tzinfo is None:
        raise NotListed("Failed to deserialize JSON: filters: time: premature end of input")
    compare = _COMPARE[tree["comparison_operator"]]
    return lambda one: compare(datetime.fromisoformat(one["timestamp"]), bound)


def _of_metric(server: TensorZeroServer, tree: Mapping[str, Any]) -> Callable[[Inference], bool]:
    """Postgres: any of the appended values; ClickHouse: the latest."""
    name = tree["metric_name"]
    if name not in server.metrics:
        raise NotListed(f"Invalid metric name: {name}")
    kind, level = server.metrics[name]
    if f"{kind}_metric" != tree["type"]:
        raise NotListed(f"Metric `{name}` is not a {tree['type'].partition('_')[0]} metric")
    compare = _COMPARE[tree.get("comparison_operator", "=")]

    def matches(one: Inference) -> bool:
        values = _values(server, one, name, level)
        return any(compare(value, tree["value"]) for value in (values if server.store == "postgres" else values[-1:]))

    return matches


def _values(server: TensorZeroServer, one: Inference, name: str, level: str) -> list[Any]:
    target = f"{level}_id"
    return [
        given["value"] for given in server.feedback if given["metric_name"] == name and given.get(target) == one[target]
    ]
