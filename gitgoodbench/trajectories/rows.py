"""An episode as a row of training data: what was said, which tools there were, and what it was worth."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from gitgoodbench.api.scored import MOST_UNSOLVED, reward_of
from gitgoodbench.api.tools import ToolSetName, tool_schemas
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.dataset.types import sample_type
from gitgoodbench.errors import UserError
from gitgoodbench.models.messages import Message
from gitgoodbench.runs.manifest import Manifest
from gitgoodbench.runs.result import Result
from gitgoodbench.runs.trajectories import Conversation
from gitgoodbench.scenario import ToolSet
from gitgoodbench.trajectories.answered import answered
from gitgoodbench.trajectories.messages import cleaned
from gitgoodbench.trajectories.packed import MessageSpool
from gitgoodbench.trajectories.source import Source

REWARD_RULE: Final = (
    f"1 if solved; else 0 if a gate is not met or nothing was scored; else {MOST_UNSOLVED} times the mean of the "
    "scores, an unknown score as 0"
)

BYTES_PER_TOKEN: Final = 4
"""For the length of a conversation that no server has counted; such a length is marked as estimated."""

NOT_SCORED: Final = "without an answer that was scored"
NO_CONVERSATION: Final = "without a conversation, as predictions are"
NOTHING_DONE: Final = "in which nobody said or did anything"


@dataclass(frozen=True)
class AsideRow:
    """What a sub-agent was told, said and did (`models.messages.Aside`), and the tools that it was given."""

    name: str
    messages: Sequence[Message]
    tools: tuple[dict[str, Any], ...]
    call: str | None


@dataclass(frozen=True)
class Row:
    """One episode.

    id: run, scenario, sample and epoch, unique among the rows of different runs. messages: the conversation in Chat
    Completions form, from the prompt to the model's last answer or a tool's last result; each call that something
    follows has its result. tools: their schemas, empty where they are not known. reward: see `REWARD_RULE`.
    tokens: length of the whole conversation, as the server counted its last request and answer; tokens_estimated: it
    was computed of its bytes. license: of the repository, None where the suite does not say. commits: ids of the sample
    and of what it was made of. suite: the fingerprint of its rows. masked: secrets and addresses that were replaced.
    """

    id: str
    run_id: str
    scenario: str
    sample_id: str
    epoch: int
    messages: Sequence[Message]
    tools: tuple[dict[str, Any], ...]
    reward: float
    solved: bool | None
    status: str
    gates: Mapping[str, bool]
    scores: Mapping[str, float | None]
    agent: str
    model: str | None
    repository: str
    language: str
    difficulty: str
    sample_type: str | None
    license: str | None
    tokens: int
    tokens_estimated: bool
    turns: int
    cost_usd: float | None
    commits: tuple[str, ...]
    suite: str
    harness: str
    rules: Mapping[str, str]
    masked: int = 0
    asides: tuple[AsideRow, ...] = ()

    @property
    def group(self) -> tuple[str, str]:
        """Rows with the same are attempts at the same."""
        return self.scenario, self.sample_id

    @property
    def start(self) -> int:
        """The number of messages before the model's first answer: the prompt."""
        return next((at for at, one in enumerate(self.messages) if one["role"] == "assistant"), len(self.messages))

    def metadata(self) -> dict[str, Any]:
        """Everything but messages and tools, as JSON values, and how the reward is made. asides: their number."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        kept = {name: value for name, value in fields.items() if name not in ("messages", "tools")}
        kept |= {name: dict(kept[name]) for name in ("gates", "scores", "rules")} | {"asides": len(self.asides)}
        return {**kept, "commits": list(self.commits), "reward_rule": REWARD_RULE}

    def value(self, score: str) -> float | None:
        """A score, or `reward`."""
        return self.reward if score == "reward" else self.scores.get(score)


def read_rows(source: Source, spool: MessageSpool, left_out: Counter[str] | None = None) -> Iterator[Row]:
    """The episodes of a run in which a model or a program acted and that were scored, in the order of its files.

    Args:
        spool: where their conversations lie.
        left_out: counts the episodes that are no rows, by reason.

    Raises:
        UserError: the tools of a scenario that is not installed.
    """
    samples = _samples_of(source.manifest)
    known: dict[str, Any] = {}
    counted = Counter[str]() if left_out is None else left_out
    for result in source.results():
        if not result.status.is_answer:
            counted[NOT_SCORED] += 1
        elif (conversation := source.conversation(result)) is None:
            counted[NO_CONVERSATION] += 1
        elif (row := _row(source, result, conversation, samples.get(result.sample_id), spool, known)) is None:
            counted[NOTHING_DONE] += 1
        else:
            yield row


def _row(
    source: Source,
    result: Result,
    conversation: Conversation,
    sample: Sample | None,
    spool: MessageSpool,
    known: dict[str, Any],
) -> Row | None:
    """The row of an episode; None where nobody acted in it. known: what many rows have in common, by its digest."""
    messages = answered(filter(None, map(cleaned, conversation.messages)))
    if not any(message["role"] == "assistant" for message in messages):
        return None
    tokens, estimated = _length(conversation, messages)

    def shared(value: Any) -> Any:
        return known.setdefault(digest(value), value)

    return Row(
        id="/".join((source.id, *map(str, result.key))),
        run_id=source.id,
        scenario=sys.intern(result.scenario),
        sample_id=result.sample_id,
        epoch=result.epoch,
        messages=spool.pack(messages),
        tools=shared(_tools(conversation, messages, result.scenario, source.manifest.config.tools)),
        reward=reward_of(result),
        solved=result.solved,
        status=result.status.value,
        gates=shared(dict(result.gates)),
        scores={sys.intern(name): _finite(score) for name, score in result.scores.items()},
        agent=sys.intern(result.agent),
        model=result.model if result.model is None else sys.intern(result.model),
        repository=sys.intern(result.name),
        language=sys.intern(result.language),
        difficulty=sys.intern(result.difficulty),
        sample_type=None if sample is None else sample.sample_type,
        license=None if sample is None else sample.license or None,
        tokens=tokens,
        tokens_estimated=estimated,
        turns=sum(message["role"] == "assistant" for message in messages),
        cost_usd=result.usage.cost_usd,
        commits=shared(tuple(sorted(_commits(result, sample)))),
        suite=source.manifest.suite.fingerprint,
        harness=source.manifest.gitgoodbench,
        rules=shared(dict(result.scored_by)),
        asides=tuple(_asides(conversation, spool, shared)),
    )


def _asides(conversation: Conversation, spool: MessageSpool, shared: Callable[[Any], Any]) -> Iterator[AsideRow]:
    """The conversations of sub-agents in which something was said."""
    for one in conversation.asides:
        messages = answered(filter(None, map(cleaned, one.messages)))
        if any(message["role"] == "assistant" for message in messages):
            yield AsideRow(one.name, spool.pack(messages), shared(_asked_tools(one.lines)), one.call)


def _samples_of(manifest: Manifest) -> dict[str, Sample]:
    """The rows of the run's suite by id; none where they cannot be had, or are others by now."""
    try:
        suite = load_suite(manifest.suite.spec, skip_invalid=True, offline=True)
    except UserError:
        return {}
    return {one.id: one for one in suite.samples} if suite.fingerprint == manifest.suite.fingerprint else {}


def _commits(result: Result, sample: Sample | None) -> set[str]:
    """The commits that a sample is about, by the result and by its row."""
    ids = {} if result.details is None else result.details.ids
    found = {one for value in ids.values() for one in ([value] if isinstance(value, str) else value or ())}
    return found if sample is None else found | set(sample_type(sample.sample_type).commits(sample.spec))


def _tools(
    conversation: Conversation, messages: Sequence[Message], scenario: str, tools: str
) -> tuple[dict[str, Any], ...]:
    """The schemas that the model was given; those of the tool set where no model was asked.

    None where it called tools of others, as in conversations from elsewhere: nobody knows their schemas.
    """
    asked = _asked_tools(conversation.lines)
    if asked:
        return asked
    own = () if tools == ToolSet.OWN else tuple(tool_schemas(scenario, cast(ToolSetName, tools)))
    called = {call["function"]["name"] for message in messages for call in message.get("tool_calls") or ()}
    return own if called <= {tool["function"]["name"] for tool in own} else ()


def _asked_tools(lines: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The most tools that were sent along in one request."""
    offered = (tuple(line["asked"]["tools"]) for line in lines if line["kind"] == "request")
    return max(offered, key=len, default=())


def _length(conversation: Conversation, messages: Sequence[Message]) -> tuple[int, bool]:
    """Tokens of the whole conversation, and whether that is an estimate."""
    last = (conversation.answers[-1]["tokens"] if conversation.answers else None) or {}
    prompt, completion = last.get("prompt"), last.get("completion")
    if isinstance(prompt, int) and isinstance(completion, int):
        return prompt + completion, False
    return len(json.dumps(messages).encode()) // BYTES_PER_TOKEN, True


def _finite(score: float | None) -> float | None:
    return score if score is not None and math.isfinite(score) else None


def digest(value: Any) -> str:
    """SHA-256 (hexadecimal) of JSON values."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
