"""TensorZero: the inferences of a gateway, read over HTTP.

An episode is a session, an inference a message. Whether a tool did what it was asked to only shows in the input of an
inference that follows in the same episode; of inputs nothing else is looked at, and nothing is kept.

| option | |
|---|---|
| url | of the gateway |
| function | the functions whose inferences are read, separated by commas; default all |
| tag | KEY=VALUE: inferences with this tag are about this repository |
| randomised | true where the gateway chooses variants by lot; default false |

Without `tag`, an inference is about this repository when its tag `cwd` or `repository` is a folder in it, or its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Committer, Log, Place
from gitgoodbench.feedback.records import Edit, Message, Reading, Session
from gitgoodbench.feedback.sources.answers import add_answers
from gitgoodbench.feedback.sources.draft import Draft, Problems, readings_of
from gitgoodbench.feedback.sources.outcomes import outcome_of
from gitgoodbench.feedback.sources.roots import Roots
from gitgoodbench.feedback.sources.tool_calls import add_call, changes_of, looks_only
from gitgoodbench.feedback.sources.values import name, number, rows, seconds, table, text
from gitgoodbench.feedback.tensorzero_client import PAGE, Gateway, Inference, gateway_of
from gitgoodbench.text import did_you_mean

NAME: Final = "tensorzero"
OPTIONS: Final = ("url", "function", "tag", "randomised")
FOLDERS: Final = ("cwd", "repository")
"""Tags that may say which repository an inference is about."""

MAX_PAGES: Final = 500
_MAX_TAGS: Final = 20
_LONGEST_TAG: Final = 200
_INTERNAL: Final = "tensorzero::"


class TensorZero:
    """The source `tensorzero`."""

    name = NAME
    title = "TensorZero"
    variables: tuple[str, ...] = ()

    def committer(self, hints: Mapping[str, str]) -> Committer | None:  # noqa: ARG002
        """A gateway commits nothing."""
        return None

    def logs(self, place: Place) -> Iterator[Log]:
        """The gateway is one log, which has grown when there is a newer inference. Without an address there is none."""
        _check_options(place.options)
        if not place.options.get("url"):
            return
        gateway = gateway_of(place)
        newest = [one for query in _queries(place) for one in gateway.page(**query, limit=1)]
        if newest:
            last = max(newest, key=lambda one: str(one["inference_id"]))
            fingerprint = ",".join(sorted(str(one["inference_id"]) for one in newest))
            yield Log(gateway.url, fingerprint, seconds(last, "timestamp"))

    def read(self, log: Log, place: Place) -> Iterable[Reading]:
        """The episodes of the gateway that are about the repository."""
        _check_options(place.options)
        gateway, problems, reader = gateway_of(place), Problems(), _Reader(place)
        found = [one for query in _queries(place) for one in _all(gateway, query)]
        for inference in sorted(found, key=lambda one: str(one["inference_id"])):
            problems.count(reader.inference(inference))
        yield from readings_of(reader.drafts.values(), problems, Session(NAME, log.name))


def _all(gateway: Gateway, query: Mapping[str, Any]) -> Iterator[Inference]:
    """All pages of a list, from the newest to the oldest."""
    before: dict[str, str] = {}
    for _ in range(MAX_PAGES):
        page = gateway.page(**query, **before, limit=PAGE)
        yield from page
        if len(page) < PAGE:
            return
        before = {"before": min(str(one["inference_id"]) for one in page)}


def _queries(place: Place) -> list[dict[str, Any]]:
    """What to ask the gateway for: each function by itself, or all of them."""
    children: list[dict[str, Any]] = []
    if place.since is not None:
        moment = datetime.fromtimestamp(place.since, UTC).isoformat()
        children.append({"type": "time", "time": moment, "comparison_operator": ">="})
    if (tag := _tag(place.options)) is not None:
        children.append({"type": "tag", "key": tag[0], "value": tag[1], "comparison_operator": "="})
    query = {"filters": {"type": "and", "children": children}} if children else {}
    functions = [one.strip() for one in place.options.get("function", "").split(",") if one.strip()]
    return [{**query, "function_name": function} for function in functions] or [query]


def _tag(options: Mapping[str, str]) -> tuple[str, str] | None:
    given = options.get("tag")
    if not given:
        return None
    key, equals, value = given.partition("=")
    if not key or not equals:
        raise UserError(f"option tag={given}: give tag=KEY=VALUE")
    return key, value


def _check_options(options: Mapping[str, str]) -> None:
    for one in options:
        if one not in OPTIONS:
            raise UserError(f"TensorZero has no option {one!r}: {did_you_mean(one, OPTIONS)}{', '.join(OPTIONS)}")
    if options.get("randomised", "false") not in ("true", "false"):
        raise UserError(f"option randomised={options['randomised']}: true or false")
    _tag(options)


@dataclass(frozen=True)
class _About:
    """What an inference's edits have in common. folder: what their relative paths start from."""

    message: Message
    folder: str


class _Reader:
    """Takes inferences, the oldest first."""

    def __init__(self, place: Place) -> None:
        self.drafts: dict[str, Draft] = {}
        self._roots, self._place = Roots(place), place
        self._calls: dict[tuple[str, str], list[str]] = {}
        self._randomised = place.options.get("randomised") == "true"

    def inference(self, inference: Inference) -> str | None:
        """Take one; gives why it was not understood."""
        episode = name(inference, "episode_id")
        if episode is None:
            return "an inference without its episode"
        tags = {key: value for key, value in table(inference, "tags").items() if isinstance(value, str)}
        folder = self._folder(tags)
        if folder is None:
            return None if any(key in tags for key in FOLDERS) else "an inference that names no repository"
        draft = self.drafts.setdefault(episode, Draft(NAME, episode, self._roots))
        message = Message(
            str(inference["inference_id"]),
            time=seconds(inference, "timestamp"),
            model=tags.get("model"),
            latency=_thousandth(number(inference, "processing_time_ms")),
        )
        draft.messages[message.id] = message
        draft.works_in(folder)
        self._describe(draft, inference, message, tags)
        self._resolve(draft, inference)
        output = rows(inference, "output")
        for position, block in enumerate(output):
            self._block(draft, _About(message, folder), position, block)
        return None if output or table(inference, "output") == {} else "an output that is no list of blocks"

    def _folder(self, tags: Mapping[str, str]) -> str | None:
        """The folder in the repository that an inference is about; None where it is about another one."""
        root = self._place.roots[0]
        if _tag(self._place.options) is not None:
            return self._roots.locate(tags.get("cwd")) or str(root)
        for key in FOLDERS:
            named = tags.get(key)
            if named is not None and (found := self._roots.locate(named)) is not None:
                return found
            if named == root.name:
                return str(root)
        return None

    def _describe(self, draft: Draft, inference: Inference, message: Message, tags: Mapping[str, str]) -> None:
        """Note what one may want to compare by."""
        draft.note(started=message.time)
        session = draft.session
        known = dict(session.tags)
        new = {"function": text(inference, "function_name") or ""} | dict(tags)
        for key, value in new.items():
            if value and len(known) < _MAX_TAGS and not key.startswith(_INTERNAL) and key not in FOLDERS:
                known.setdefault(key, value[:_LONGEST_TAG])
        variants = dict.fromkeys((session.variant or "").split(" + ") if session.variant else ())
        variants.update(dict.fromkeys(filter(None, [text(inference, "variant_name")])))
        draft.session = replace(
            session,
            tags=tuple(known.items()),
            variant=" + ".join(sorted(variants)) or None,
            randomised=self._randomised,
        )

    def _block(self, draft: Draft, about: _About, position: int, block: Any) -> None:
        """Take a content block of an output."""
        message, known_by = about.message, f"{about.message.id}:{position}"
        said = text(block, "text")
        if text(block, "type") == "text" and said is not None:
            add_answers(
                draft, said, known_by, time=message.time, folder=about.folder, model=message.model, message=message.id
            )
        if text(block, "type") != "tool_call":
            return
        tool = text(block, "name") or text(block, "raw_name") or "unknown"
        if looks_only(tool):
            return
        edit = Edit(
            draft.key(known_by), "indirect", tool, message.time, outcome="unknown",
            reason="the log has no result of it", model=message.model, message=message.id,
        )  # fmt: skip
        arguments = block.get("arguments") or block.get("raw_arguments")
        before = set(draft.edits)
        changes = changes_of(tool, arguments)
        if changes:
            add_call(draft, edit, changes, about.folder)
        else:
            draft.add(edit, about.folder)
        self._calls[draft.session.id, str(block.get("id"))] = [one for one in draft.edits if one not in before]

    def _resolve(self, draft: Draft, inference: Inference) -> None:
        """Note what became of earlier calls: their results are in the input."""
        for said in rows(inference, "input", "messages"):
            for block in rows(said, "content"):
                if text(block, "type") != "tool_result":
                    continue
                outcome, reason = outcome_of(text(block, "result") or "")
                for known_by in self._calls.pop((draft.session.id, str(block.get("id"))), ()):
                    draft.edits[known_by] = replace(draft.edits[known_by], outcome=outcome, reason=reason)


def _thousandth(value: float | None) -> float | None:
    return None if value is None else value / 1000
