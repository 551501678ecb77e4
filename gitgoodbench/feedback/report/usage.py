"""What edits cost. A model's answer counts once, for the edits that are part of it.

An answer without an edit (it reads, thinks, plans) counts for the next one with edits in its session, after the last
for that one: it led there. Edits of one answer share it evenly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.feedback.records import Key, Message


@dataclass(frozen=True)
class Amount:
    """A sum of which part may be unknown: `value` is of what is known; None where nothing is."""

    value: float | None = None
    complete: bool = False

    def times(self, share: float) -> Amount:
        """A share of it."""
        return Amount(None if self.value is None else self.value * share, self.complete)


def total(amounts: Iterable[Amount]) -> Amount:
    """The sum; nothing at all is unknown."""
    some = list(amounts)
    known = [one.value for one in some if one.value is not None]
    return Amount(sum(known) if known else None, bool(some) and all(one.complete for one in some))


@dataclass(frozen=True)
class Usage:
    """Tokens of input (those from a cache included) and output, US dollars, seconds."""

    input_tokens: Amount = Amount()
    output_tokens: Amount = Amount()
    cost: Amount = Amount()
    latency: Amount = Amount()

    def times(self, share: float) -> Usage:
        """A share of it."""
        return Usage(*(getattr(self, name).times(share) for name in FIELDS))


FIELDS: Final = ("input_tokens", "output_tokens", "cost", "latency")
NOTHING_KNOWN: Final = Usage()


def total_usage(usages: Iterable[Usage]) -> Usage:
    """The sum of each."""
    some = list(usages)
    return Usage(*(total(getattr(one, name) for one in some) for name in FIELDS))


def shared_usage(messages: Sequence[Message], edits: Mapping[Key, str | None]) -> dict[Key, Usage]:
    """What each edit of a session cost.

    Args:
        messages: those of the session, in order.
        edits: the message that each edit was part of; an edit without one, or whose message the log lacks, costs
            an unknown amount.
    """
    known = {message.id for message in messages}
    of_message: dict[str, list[Key]] = {}
    for key, part_of in edits.items():
        if part_of is not None and part_of in known:
            of_message.setdefault(part_of, []).append(key)
    costs: dict[str, list[Usage]] = {name: [] for name in of_message}
    waiting: list[Usage] = []
    last: str | None = None
    for message in messages:
        waiting.append(_usage_of(message))
        if message.id in costs:
            costs[message.id] += waiting
            waiting, last = [], message.id
    if last is not None:
        costs[last] += waiting
    found = dict.fromkeys(edits, NOTHING_KNOWN)
    for name, keys in of_message.items():
        share = total_usage(costs[name]).times(1 / len(keys))
        found.update(dict.fromkeys(keys, share))
    return found


def _usage_of(message: Message) -> Usage:
    values = (message.input_tokens, message.output_tokens, message.cost, message.latency)
    return Usage(*(Amount(value, value is not None) for value in values))
