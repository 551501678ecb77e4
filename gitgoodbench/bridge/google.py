"""Google's Gemini API (`generateContent`): what of a request is passed on, and how a reply is read.

Model and stream stand in the address of a request, not in its body; while it is here, they are fields of it.
https://ai.google.dev/api/generate-content. Names come in camel case or with underscores. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from gitgoodbench.models.apis.base import Glance, mapping
from gitgoodbench.models.meter import Tokens
from gitgoodbench.models.reading import count, name_or_none
from gitgoodbench.text import one_line

_ADDRESS: Final = re.compile(r"/v1(?:alpha|beta)?/models/[A-Za-z0-9._-]{1,200}:(generateContent|streamGenerateContent)")
_FIELDS: Final = frozenset(
    {"contents", "systeminstruction", "tools", "toolconfig", "generationconfig", "safetysettings", "stream"}
)
_GENERATION: Final = frozenset(
    {
        "temperature", "topp", "topk", "maxoutputtokens", "stopsequences", "seed", "presencepenalty",
        "frequencypenalty", "responsemimetype", "responseschema", "responsejsonschema", "responselogprobs", "logprobs",
        "thinkingconfig", "mediaresolution",
    }
)  # fmt: skip
_REMOTE: Final = "filedata"
_OF_A_CALL: Final = frozenset({"args", "response"})


def plain(name: str) -> str:
    """A field's name, however it is written."""
    return name.replace("_", "").lower()


def field_of(value: Any, name: str) -> Any:
    """A field by its plain name; None where it is absent."""
    return next((entry for key, entry in mapping(value).items() if plain(str(key)) == name), None)


def streamed_at(path: str, query: str) -> bool | None:
    """Whether a request to this address asks for a stream of events; None: it is none of this API."""
    found = _ADDRESS.fullmatch(path)
    if found is None:
        return None
    if found[1] == "generateContent":
        return False
    return True if "alt=sse" in query.split("&") else None


def closed_body(body: Mapping[str, Any], left_out: list[str]) -> dict[str, Any]:
    """The request without what would lead around the closed network; what that was is added to `left_out`."""
    closed: dict[str, Any] = {}
    for name, value in body.items():
        if plain(name) in _FIELDS:
            closed[name] = value
        elif plain(name) not in ("model", "store") and not (value is None or value is False):
            left_out.append(f"field {one_line(name, 60)}")
    for name, value in list(closed.items()):
        kind = plain(name)
        if kind in ("contents", "systeminstruction"):
            closed[name] = _without_files(value, left_out)
        elif kind == "generationconfig":
            closed[name] = _only(value, _GENERATION, name, left_out)
        elif kind == "toolconfig":
            closed[name] = _only(value, frozenset({"functioncallingconfig"}), name, left_out)
        elif kind == "tools":
            closed[name] = _functions(value, left_out)
    if not any(closed[name] for name in closed if plain(name) == "tools"):
        closed = {name: value for name, value in closed.items() if plain(name) not in ("tools", "toolconfig")}
    return closed


def _functions(value: Any, left_out: list[str]) -> list[dict[str, Any]]:
    """Of the tools, those that the client carries out."""
    kept = []
    for tool in value if isinstance(value, list) else [value]:
        fields = mapping(tool)
        left_out += [f"tool {one_line(name, 60)}" for name in fields if plain(name) != "functiondeclarations"]
        declared = {name: entry for name, entry in fields.items() if plain(name) == "functiondeclarations" and entry}
        if declared:
            kept.append(declared)
    return kept


def _only(value: Any, names: frozenset[str], what: str, left_out: list[str]) -> dict[str, Any]:
    fields = mapping(value)
    left_out += [f"field {what}.{one_line(name, 60)}" for name in fields if plain(name) not in names]
    return {name: entry for name, entry in fields.items() if plain(name) in names}


def _without_files(value: Any, left_out: list[str]) -> Any:
    """Content without parts that the provider would fetch."""
    if isinstance(value, list):
        return [_without_files(entry, left_out) for entry in value]
    if not isinstance(value, dict):
        return value
    if any(plain(name) == _REMOTE for name in value):
        left_out.append("remote fileData")
        return {"text": "[fileData left out: it lies elsewhere]"}
    return {
        name: entry if plain(name) in _OF_A_CALL else _without_files(entry, left_out) for name, entry in value.items()
    }


class Google:
    """What the bridge needs of an API (`models.apis.base.Api`)."""

    name = "google"
    offers = "generateContent"

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Any:
        """The reply that a stream of events stands for: each holds some parts, the last one why it ended.

        Raises:
            ValueError: the stream is cut off.
        """
        whole: dict[str, Any] = {}
        parts: list[Any] = []
        candidate: dict[str, Any] = {}
        for event in events:
            whole |= event
            first = _first(event.get("candidates"))
            candidate |= first
            _append(parts, mapping(first.get("content")).get("parts"))
        if not (whole.get("error") or candidate.get("finishReason") or mapping(whole.get("promptFeedback"))):
            raise ValueError("the stream is cut off")
        return {**whole, "candidates": [{**candidate, "content": {"role": "model", "parts": parts}}]}

    def glance(self, reply: Any) -> Glance:
        """See `Api.glance`. Thoughts are completion, and what tools cost is prompt."""
        reply = mapping(reply)
        usage = mapping(reply.get("usageMetadata"))
        said, thought = count(usage.get("candidatesTokenCount")), count(usage.get("thoughtsTokenCount"))
        asked, tools = count(usage.get("promptTokenCount")), count(usage.get("toolUsePromptTokenCount"))
        tokens = Tokens(
            prompt=_sum(asked, tools),
            cached=count(usage.get("cachedContentTokenCount")),
            completion=_sum(said, thought) if said is not None or thought is not None else _rest(usage, asked),
            reasoning=thought,
        )
        return Glance(
            tokens,
            name_or_none(reply.get("responseId")),
            name_or_none(reply.get("modelVersion")),
            name_or_none(_first(reply.get("candidates")).get("finishReason")),
        )


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None and second is None else (first or 0) + (second or 0)


def _rest(usage: Mapping[str, Any], asked: int | None) -> int | None:
    """Tokens of an answer that are not counted apart, as of an empty one."""
    total = count(usage.get("totalTokenCount"))
    return None if total is None or asked is None else max(0, total - asked)


def _first(value: Any) -> Mapping[str, Any]:
    return mapping(value[0]) if isinstance(value, list) and value else {}


def _append(parts: list[Any], more: Any) -> None:
    """Add the parts of an event; texts that follow one another are one."""
    for part in more if isinstance(more, list) else ():
        last = parts[-1] if parts else {}
        if _is_text(last) and _is_text(part) and bool(last.get("thought")) == bool(part.get("thought")):
            parts[-1] = {**last, **part, "text": last["text"] + part["text"]}
        else:
            parts.append(part)


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def first_parts(reply: Any) -> Iterable[Any] | None:
    """The parts of the answer; None where the reply holds none, not even an empty one."""
    reply = mapping(reply)
    if not isinstance(reply.get("candidates"), list):
        return None if "promptFeedback" not in reply else []
    parts = mapping(_first(reply["candidates"]).get("content")).get("parts")
    return parts if isinstance(parts, list) else []
