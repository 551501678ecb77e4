"""The account of a run: what the lines of ledger.jsonl say, and their sums. Reading only; `ledger` writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from gitgoodbench.models.meter import Tokens

AGENT: Final = "agent"
JUDGE: Final = "judge"
PREFLIGHT: Final = "preflight"


class LedgerLine(BaseModel):
    """One line. event: `asked` before a request, then its `Fate`. `reported` is what an agent that asks by means of its
    own says of a whole episode, `carried` what a run of before had no ledger for.

    request: ties a fate to its `asked`; one without a fate was killed while it was asked. episode: the id of an
    episode; empty for what belongs to none. role: who asks. model: as asked for; reported: as the server names it.
    cost_usd: None is unknown. cause: why there is no answer.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())

    time: str
    event: Literal["asked", "answered", "cached", "refused", "unreadable", "lost", "reported", "carried"]
    request: str
    episode: str
    role: str
    model: str | None = None
    reported: str | None = None
    response_id: str | None = None
    seconds: float | None = None
    tokens: Tokens | None = None
    cost_usd: float | None = None
    cause: str | None = None
    requests: int | None = None


@dataclass(frozen=True)
class Spent:
    """Sums over some lines. US dollars; tokens as far as they are known.

    requests: sent to a server. answers: that arrived, cached ones aside. unknown: requests that a provider may have
    billed, at a cost that nobody knows: no token counts, no price, half a reply, a kill.
    """

    cost_usd: float = 0.0
    requests: int = 0
    answers: int = 0
    cached: int = 0
    unknown: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(**{name: value + getattr(other, name) for name, value in vars(self).items()})


@dataclass(frozen=True)
class Account:
    """What a ledger holds, by episode and role."""

    spent: Mapping[tuple[str, str], Spent] = field(default_factory=dict)

    def total(self, *, role: str | None = None, episode: str | None = None) -> Spent:
        """The sum over one role, one episode, or all."""
        if episode is not None:
            parts = self._by_episode.get(episode, ())
        else:
            parts = tuple((by, spent) for (_, by), spent in self.spent.items())
        return sum((spent for by, spent in parts if role in (None, by)), Spent())

    @cached_property
    def _by_episode(self) -> Mapping[str, tuple[tuple[str, Spent], ...]]:
        """Roles and sums of each episode: a run has thousands, and each is asked for."""
        found: dict[str, tuple[tuple[str, Spent], ...]] = {}
        for (episode, role), spent in self.spent.items():
            found[episode] = (*found.get(episode, ()), (role, spent))
        return found


NOTHING_SPENT: Final = Account()


def read_ledger(path: Path) -> Iterator[LedgerLine]:
    """The lines of a ledger, without one that a power failure cut short; none where there is no file."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        for line in file:
            try:
                yield LedgerLine.model_validate(json.loads(line))
            except (ValueError, ValidationError):
                continue


def read_account(path: Path) -> Account:
    """What the ledger of a run holds.

    Raises:
        OSError: it cannot be read.
    """
    return Books(read_ledger(path)).account


class Books:
    """The sums of the lines read so far."""

    def __init__(self, lines: Iterable[LedgerLine]) -> None:
        self.empty = True
        self.spent = 0.0
        self._by: dict[tuple[str, str], Spent] = {}
        self._open: dict[str, LedgerLine] = {}
        self._unpriced: dict[str, int] = {}
        self._dearest: dict[str, float] = {}
        for line in lines:
            self.enter(line)

    def enter(self, line: LedgerLine) -> None:
        self.empty = False
        if line.event == "asked":
            self._open[line.request] = line
            return
        self._open.pop(line.request, None)
        model, cost = line.model or "", line.cost_usd
        if cost is None:
            self._count_unpriced(model)
        else:
            self._dearest[model] = max(cost, self._dearest.get(model, 0.0))
            self.spent += cost
        self._add((line.episode, line.role), _spent(line))

    def give_up_open(self) -> None:
        """Requests of earlier sessions that were under way when their process died: nothing comes back any more."""
        for line in self._open.values():
            self._count_unpriced(line.model or "")
            self._add((line.episode, line.role), Spent(requests=1, unknown=1))
        self._open.clear()

    def _count_unpriced(self, model: str) -> None:
        self._unpriced[model] = self._unpriced.get(model, 0) + 1

    def _add(self, key: tuple[str, str], spent: Spent) -> None:
        self._by[key] = self._by.get(key, Spent()) + spent

    @property
    def possible(self) -> float:
        """Dollars that requests of unknown cost may have cost; those under way are not among them."""
        return sum(count * self._dearest.get(model, 0.0) for model, count in self._unpriced.items())

    @property
    def account(self) -> Account:
        by = dict(self._by)
        for line in self._open.values():
            key = line.episode, line.role
            by[key] = by.get(key, Spent()) + Spent(requests=1, unknown=1)
        return Account(by)


def _spent(line: LedgerLine) -> Spent:
    tokens = line.tokens or Tokens()
    asked = line.event not in ("cached", "carried")
    requests = line.requests if line.requests is not None else int(asked)
    return Spent(
        cost_usd=line.cost_usd or 0.0,
        requests=requests,
        answers=int(line.event == "answered"),
        cached=int(line.event == "cached"),
        unknown=int(line.cost_usd is None),
        prompt_tokens=(tokens.prompt or 0) * asked,
        cached_tokens=(tokens.cached or 0) * asked,
        completion_tokens=(tokens.completion or 0) * asked,
        reasoning_tokens=(tokens.reasoning or 0) * asked,
    )
