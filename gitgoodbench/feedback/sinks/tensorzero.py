"""TensorZero: the reward of each inference as feedback, and what should have been written as its demonstration.

An inference is one answer of a model. Its reward is the engine's formula over all of its edits in one commit; the rest
goes along as tags. Feedback is appended, never replaced, so the outbox sends only what has settled.

| option | |
|---|---|
| url | of the gateway |
| metric | a float metric of inferences; default ted_reward |
| kept, normalised | a float metric of inferences that gets this number besides; default none, they are tags |
| demonstrations | true (default) or false |
| sources | whose messages are inferences of this gateway; default tensorzero |
| settle | minutes after which a commit that is not pushed has settled; default 60 |
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Item, Place, Refused, Withheld
from gitgoodbench.feedback.demonstrations import LeftOut, Replacement, make_demonstration, same_blocks
from gitgoodbench.feedback.outbox import SETTLE, settle_minutes
from gitgoodbench.feedback.records import CommitResult, EditResult, MatchedPiece
from gitgoodbench.feedback.tensorzero_client import UUID7, Gateway, Inference, gateway_of
from gitgoodbench.text import did_you_mean

METRIC: Final = "ted_reward"
EXTRA: Final = ("kept", "normalised")
OPTIONS: Final = ("url", "metric", *EXTRA, "demonstrations", "sources", SETTLE)

DIGITS: Final = 6
"""Decimals of what is sent: some stores keep single precision."""
CLOSE: Final = 1e-6
"""By how much a number may differ that is read back."""
LONGEST_TAG: Final = 1000


class TensorZero:
    """The sink `tensorzero`."""

    name = "tensorzero"
    title = "TensorZero"
    remote = True

    def __init__(self) -> None:
        self._gateways: dict[tuple[str | None, str | None], Gateway] = {}
        self._lock = threading.Lock()

    def check(self, place: Place) -> str:
        """Whether the gateway answers and has the metrics; nothing is stored."""
        check_options(place.options)
        gateway = self._gateway(place)
        metrics = list(_metrics(place.options).values())
        for metric in metrics:
            gateway.page(limit=0, filters=_is_about(metric, 0.0))
            body = {"inference_id": NOBODY, "metric_name": metric, "value": 0.5, "dryrun": True}
            try:
                gateway.feedback(body)
            except Refused as answer:
                if "UUID" not in str(answer):
                    raise UserError(f"{gateway.url} answers: {answer}") from answer
        return f"{gateway.url} answers, and has the metric{'s' * (len(metrics) > 1)} {', '.join(metrics)}"

    def items(self, result: CommitResult, place: Place) -> Iterable[Item]:
        """A reward for each inference, and what its demonstration is made of."""
        check_options(place.options)
        for inference, edits in inferences_of(result, _sources(place.options)).items():
            digest = hashlib.blake2b("\n".join(str(edit.key) for edit in edits).encode(), digest_size=8).hexdigest()
            tags = _tags(result, edits) | {"delivery": digest}
            for number, metric in _metrics(place.options).items():
                value = _over_all(edits, number)
                if value is not None:
                    payload = {"inference": inference, "metric": metric, "value": round(value, DIGITS), "tags": tags}
                    yield Item(f"{metric}/{inference}/{digest}", payload)
            pieces = [piece for edit in edits for piece in edit.pieces]
            if pieces and _flag(place.options, "demonstrations"):
                payload = {"inference": inference, "pieces": [_piece(one) for one in pieces], "tags": tags}
                yield Item(f"demonstration/{inference}/{digest}", payload)

    def send(self, item: Item, place: Place, *, dry: bool = False) -> str:
        """Give the feedback."""
        payload = _payload(item)
        gateway = self._gateway(place)
        if "metric" in payload:
            value, metric = payload["value"], payload["metric"]
        else:
            value, metric = self._blocks(gateway, payload), "demonstration"
        body = {"inference_id": payload["inference"], "metric_name": metric, "value": value, "tags": payload["tags"]}
        return gateway.feedback(body | ({"dryrun": True} if dry else {}))

    def confirm(self, item: Item, reference: str, place: Place) -> bool:
        """Whether the feedback is stored."""
        payload = _payload(item)
        gateway = self._gateway(place)
        listed = gateway.feedback_of(payload["inference"])
        if listed is not None:
            return any(_is_ours(one, payload, reference) for one in listed)
        inference = gateway.inferences([payload["inference"]]).get(payload["inference"])
        if inference is None:
            return False
        if "metric" in payload:
            return _has_value(gateway, inference, payload)
        return _is_demonstrated(gateway, inference, payload, reference)

    def _blocks(self, gateway: Gateway, payload: Mapping[str, Any]) -> list[dict[str, Any]]:
        inference = gateway.inferences([payload["inference"]]).get(payload["inference"])
        if inference is None:
            raise Refused(f"there is no inference {payload['inference']}")
        try:
            return _demonstration(inference, payload)
        except LeftOut as reason:
            raise Withheld(f"no demonstration: {reason}") from reason

    def _gateway(self, place: Place) -> Gateway:
        with self._lock:
            made = gateway_of(place)
            return self._gateways.setdefault((made.url, made.key), made)


NOBODY: Final = "00000000-0000-4000-8000-000000000000"
"""No inference has this id: it is looked at after the metric, and before anything is searched for."""


def inferences_of(result: CommitResult, sources: Iterable[str]) -> dict[str, list[EditResult]]:
    """The scored edits of a commit by the inference that made them."""
    found: dict[str, list[EditResult]] = {}
    for edit in sorted(result.edits, key=lambda one: str(one.key)):
        if edit.state == "scored" and edit.reward is not None and edit.key.source in sources:
            message = edit.message or edit.key.edit.partition(":")[0]
            if UUID7.fullmatch(message):
                found.setdefault(message, []).append(edit)
    return found


def check_options(options: Mapping[str, str]) -> None:
    """Say so if an option is not known or wrong.

    Raises:
        UserError: one is.
    """
    for name in options:
        if name not in OPTIONS:
            raise UserError(f"TensorZero has no option {name!r}: {did_you_mean(name, OPTIONS)}{', '.join(OPTIONS)}")
    _flag(options, "demonstrations")
    settle_minutes(options)


def _flag(options: Mapping[str, str], name: str) -> bool:
    given = options.get(name, "true").lower()
    if given not in ("true", "false"):
        raise UserError(f"option {name}={given}: true or false")
    return given == "true"


def _sources(options: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(name.strip() for name in options.get("sources", "tensorzero").split(",") if name.strip())


def _metrics(options: Mapping[str, str]) -> dict[str, str]:
    """The metric for each number."""
    return {"reward": options.get("metric") or METRIC} | {name: options[name] for name in EXTRA if options.get(name)}


def _over_all(edits: Sequence[EditResult], number: str) -> float | None:
    """The formula over the snippets of several edits: 1 less the sum of their distances over the sum of their sizes.

    An edit's distances sum up to (1 - r) times its size. Nodes count, and lines only where no edit was compared as a
    tree, as within one edit.
    """
    for measure in ("tree", "lines"):
        pairs = [(getattr(edit, number), edit.size) for edit in edits if edit.measure == measure]
        known = [(value, size) for value, size in pairs if value is not None and size]
        if known:
            return float(sum(value * size for value, size in known) / sum(size for _, size in known))
    return None


def _tags(result: CommitResult, edits: Sequence[EditResult]) -> dict[str, str]:
    """All else that is known, as the strings that tags are."""
    commit = result.commit
    tags = {
        "commit": commit.id,
        "path": _listed(edit.path for edit in edits),
        "language": _listed(edit.language for edit in edits),
        "source": _listed(edit.key.source for edit in edits),
        "state": _listed(edit.state for edit in edits),
        "edits": str(len(edits)),
        "edit": _listed(str(edit.key) for edit in edits),
        "size": str(sum(edit.size or 0 for edit in edits)),
        "measure": _listed(edit.measure for edit in edits),
        "committed_by": commit.committed_by or "person",
        "rule": result.rule,
    }
    for number in EXTRA:
        value = _over_all(edits, number)
        if value is not None:
            tags[number] = str(round(value, DIGITS))
    return {name: value for name, value in tags.items() if value}


def _listed(values: Iterable[str | None]) -> str:
    text = ", ".join(dict.fromkeys(value for value in values if value))
    text = text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
    return text if len(text) <= LONGEST_TAG else f"{text[: LONGEST_TAG - 3]}..."


def _piece(piece: MatchedPiece) -> dict[str, Any]:
    return {
        "snippet": piece.snippet.decode("utf-8", "surrogateescape"),
        "committed": piece.matched.decode("utf-8", "surrogateescape"),
        "alike": 1 - piece.distance / piece.size if piece.size else 0.0,
    }


def _payload(item: Item) -> Mapping[str, Any]:
    if item.payload is None:
        raise Refused("feedback that was given cannot be taken back")
    return item.payload


def _demonstration(inference: Inference, payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    from gitgoodbench.feedback.secrets import mask  # takes a while to import

    def secret(text: str) -> bool:
        try:
            return mask(text.encode("utf-8", "surrogatepass"))[1] > 0
        except UserError as problem:
            raise LeftOut(str(problem)) from problem

    if any("\udc80" <= character <= "\udcff" for one in payload["pieces"] for character in one["committed"]):
        raise LeftOut("what was committed is not UTF-8")
    replacements = [Replacement(**one) for one in payload["pieces"]]
    return make_demonstration(inference.get("output"), replacements, secret)


def _is_ours(row: Mapping[str, Any], payload: Mapping[str, Any], reference: str) -> bool:
    """Whether a row of feedback is this one: by its id, or by its tag where the id was never heard."""
    if reference:
        return row.get("id") == reference
    tags = row.get("tags")
    kind = payload.get("metric", "demonstration")
    return (
        (row.get("metric_name") == kind or row.get("type") == kind)
        and isinstance(tags, dict)
        and tags.get("delivery") == payload["tags"]["delivery"]
    )


def _is_about(metric: str, value: float) -> dict[str, Any]:
    bounds = ((">=", value - CLOSE), ("<=", value + CLOSE))
    children = [
        {"type": "float_metric", "metric_name": metric, "value": bound, "comparison_operator": operator}
        for operator, bound in bounds
    ]
    return {"type": "and", "children": children}


def _has_value(gateway: Gateway, inference: Inference, payload: Mapping[str, Any]) -> bool:
    """Whether an inference has a value of a metric, as the gateway's own filter finds it."""
    found = gateway.page(
        function_name=inference.get("function_name"),
        episode_id=inference.get("episode_id"),
        filters=_is_about(payload["metric"], payload["value"]),
        limit=1000,
    )
    return any(one["inference_id"] == payload["inference"] for one in found)


def _is_demonstrated(gateway: Gateway, inference: Inference, payload: Mapping[str, Any], reference: str) -> bool:
    """Whether a demonstration is stored. Only the latest can be seen, which may be somebody else's by now."""
    latest = gateway.inferences([payload["inference"]], demonstrations=True).get(payload["inference"])
    if latest is None:
        return False
    try:
        return bool(reference) or same_blocks(latest.get("output"), _demonstration(inference, payload))
    except LeftOut:
        return False
