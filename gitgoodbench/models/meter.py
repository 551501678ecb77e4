"""A budget, and what has been used of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from gitgoodbench.errors import LimitReached
from gitgoodbench.models.pricing import Price

Clock = Callable[[], float]
_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True)
class Budget:
    """Limits of one episode; None is no limit. Tokens are prompt and completion together, cost is in US dollars."""

    max_turns: int | None = 50
    max_tokens: int | None = None
    max_cost_usd: float | None = None
    timeout_s: float | None = 1800.0


@dataclass(frozen=True)
class Usage:
    """What the model's server reported; None is unknown, never 0.

    requests: every HTTP request sent, failed ones included. The other numbers cover the answers that arrived.
    """

    requests: int = 0
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True)
class Tokens:
    """Tokens of one answer as the server counted them; None where it did not.

    cached: read from a cache, and written: stored in one for a price of its own, both parts of `prompt`. reasoning: a
    part of `completion`.
    """

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    written: int | None = None
    reasoning: int | None = None


class TimeIsUp(LimitReached):
    """The wall time of the episode is used up."""


class Meter:
    """Counts turns, requests, tokens, cost and wall time of one episode. The time runs from its making."""

    def __init__(self, budget: Budget, price: Price | None = None, clock: Clock = time.monotonic) -> None:
        self.turns = 0
        self.requests = 0
        self.notes: list[str] = []
        self._budget = budget
        self._price = price
        self._answers: list[Tokens] = []
        self._saved_usd = 0.0
        self._clock = clock
        self._start = clock()

    def count(self, tokens: Tokens) -> None:
        """Count an answer of the model."""
        self.turns += 1
        self._answers.append(tokens)

    def save(self, tokens: Tokens) -> None:
        """An answer, about to be counted, was known before and costs nothing."""
        self._saved_usd += self.cost(tokens) or 0.0

    def note(self, text: str) -> None:
        """Keep a remark for the trajectory, once."""
        if text not in self.notes:
            self.notes.append(text)

    def seconds_left(self) -> float:
        """Wall time left, more than 0; infinite without a limit.

        Raises:
            TimeIsUp: none is left.
        """
        limit = self._budget.timeout_s
        if limit is None:
            return math.inf
        left = limit - (self._clock() - self._start)
        if left <= 0:
            raise TimeIsUp(f"time limit: {limit:g} s")
        return left

    def excuse(self, seconds: float) -> None:
        """Leave out so many seconds: those for which the harness itself held the model up."""
        self._start += seconds

    def check(self, under_way: int = 0) -> None:
        """To be called before the model is asked again.

        Args:
            under_way: requests whose answers are not counted yet. Each may become a turn, and as dear as the dearest.

        Raises:
            LimitReached: a limit is used up; the message begins with its name.
        """
        self.seconds_left()
        budget, usage = self._budget, self.usage
        if budget.max_turns is not None and self.turns + under_way >= budget.max_turns:
            raise LimitReached(f"turn limit: {self.turns} of {budget.max_turns} answers")
        if budget.max_tokens is not None:
            self._check_tokens(budget.max_tokens, usage, under_way)
        if budget.max_cost_usd is not None:
            self._check_cost(budget.max_cost_usd, usage, under_way)

    def _check_tokens(self, limit: int, usage: Usage, under_way: int) -> None:
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            self.note("token limit not watched: the server does not report what it used")
            return
        used = usage.prompt_tokens + usage.completion_tokens
        largest = max(((tokens.prompt or 0) + (tokens.completion or 0) for tokens in self._answers), default=0)
        if used + under_way * largest >= limit:
            raise LimitReached(f"token limit: {used} of {limit} tokens")

    def _check_cost(self, limit: float, usage: Usage, under_way: int) -> None:
        if usage.cost_usd is None:
            self.note("cost limit not watched: the server does not report what it used, or there is no price")
            return
        dearest = max((self.cost(tokens) or 0.0 for tokens in self._answers), default=0.0)
        if usage.cost_usd + under_way * dearest >= limit:
            raise LimitReached(f"cost limit: ${usage.cost_usd:.4f} of ${limit:.4f}")

    @property
    def usage(self) -> Usage:
        answers = self._answers
        if self.requests and not answers:
            return Usage(self.requests)
        return Usage(
            requests=self.requests,
            prompt_tokens=_total([tokens.prompt for tokens in answers], 0),
            cached_tokens=_total([tokens.cached for tokens in answers], 0),
            completion_tokens=_total([tokens.completion for tokens in answers], 0),
            cost_usd=self._spent(),
        )

    def _spent(self) -> float | None:
        """Dollars; a sum of nothing but known answers is exactly 0."""
        total = _total([self.cost(tokens) for tokens in self._answers], 0.0)
        return None if total is None else max(0.0, round(total - self._saved_usd, 12))

    def cost(self, tokens: Tokens) -> float | None:
        """Dollars for one answer; None where the server does not say what it used, or the price is not known."""
        if self._price is None or tokens.prompt is None or tokens.completion is None:
            return None
        return self._price.cost(
            tokens.prompt,
            tokens.cached or 0,
            tokens.completion,
            tokens.written or 0,
            reasoning_tokens=tokens.reasoning or 0,
        )


def _total(parts: list[_Number | None], zero: _Number) -> _Number | None:
    """The sum, unknown where any part is."""
    known = [part for part in parts if part is not None]
    return sum(known, zero) if len(known) == len(parts) else None
