"""A model that works by rules, in every API, and bills what it answers.

    with RuleModel() as model:
        ...  # gitgoodbench eval mini --agent codex --base-url model.url --price-input 1 --price-output 3
    assert model.billed(1.0, 3.0, model.account) == the run's cost

Whoever offers a shell gets the commands of its task one after the other, told by the results that it already holds;
what offers none (a title, a summary) gets a short text. As a judge it prefers the history with fewer commits. Each
answer costs other numbers of tokens, so that no two can be taken for one another.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gitgoodbench.models.finding import OPENING
from gitgoodbench.models.meter import Tokens
from gitgoodbench.runs.account import AGENT, JUDGE, PREFLIGHT
from tests.support.llm_reply import Reply
from tests.support.rules.asked import Asked, Shell, read
from tests.support.rules.commands import task_in
from tests.support.rules.replies import Said, write
from tests.support.scripted_llm import Request, ScriptedServer

DONE = "The work is done and committed."
ASIDE = "Work on a repository"
_HISTORIES = re.compile(r"^\[\w+\] HISTORY-[12] begins; commits: (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Answered:
    """One answer. role: as a ledger has it. size: bytes of the request.

    aside: whether an agent asked for a title or the like, and not for what to do next.
    """

    role: str
    api: str
    client: str
    size: int
    aside: bool
    bill: Tokens


class RuleModel(ScriptedServer):
    """See the module's docstring. account: every answer, in order. played: rule -> conversations begun."""

    def __init__(self, books: Path | None = None) -> None:
        """
        Args:
            books: where the account is kept, too, so that it goes on in a later process.
        """
        super().__init__(self._answer, preflights=False)
        self.account: list[Answered] = _read(books)
        self._file = books
        self.played: Counter[str] = Counter()
        self._books = threading.Lock()

    @staticmethod
    def billed(input_price: float, output_price: float, account: Sequence[Answered]) -> float:
        """US dollars for answers, at these prices per million tokens.

        Messages: what is read from the cache costs a tenth of other input, what is written to it a quarter more.
        """
        return sum(_cost(answered, input_price, output_price) for answered in account)

    def _answer(self, request: Request) -> Reply:
        asked = read(request.path, request.body)
        histories = _HISTORIES.findall(asked.text)
        role = PREFLIGHT if OPENING in asked.text else JUDGE if histories else AGENT
        aside = role == AGENT and asked.shell is None
        client = request.headers.get("user-agent", "")
        with self._books:
            number = len(self.account) + 1
            bill = bill_of(number, asked.api)
            self._book(Answered(role, asked.api, client, len(request.raw), aside, bill))
        if role == PREFLIGHT:
            said = _preflight(number, request.body)
        elif role == JUDGE:
            said = Said(number, _judge(*map(int, histories)))
        else:
            said = Said(number, ASIDE) if asked.shell is None else self._work(number, asked, asked.shell)
        return write(asked, said, bill)

    def _book(self, answered: Answered) -> None:
        self.account.append(answered)
        if self._file is not None:
            with self._file.open("a") as file:
                file.write(json.dumps(asdict(answered)) + "\n")

    def _work(self, number: int, asked: Asked, shell: Shell) -> Said:
        """The next command of the task; of one that still runs, what it writes."""
        if asked.session is not None:
            return Said(number, shell=Shell("write_stdin"), arguments={"session_id": asked.session, "chars": ""})
        task = task_in(asked.text)
        if not asked.results:
            with self._books:
                self.played[f"{task.scenario} {task.rule}"] += 1
        if len(asked.results) >= len(task.lines):
            return Said(number, DONE)
        return Said(number, shell=shell, arguments=shell.arguments(task.lines[len(asked.results)]))


def _cost(answered: Answered, input_price: float, output_price: float) -> float:
    bill = answered.bill
    prompt, cached, written = bill.prompt or 0, bill.cached or 0, bill.written or 0
    if answered.api == "anthropic":
        prompt_cost = (prompt - cached - written + 0.1 * cached + 1.25 * written) * input_price
    else:
        prompt_cost = prompt * input_price
    return (prompt_cost + (bill.completion or 0) * output_price) / 1e6


def _preflight(number: int, body: Mapping[str, Any]) -> Said:
    if not body.get("tools"):
        return Said(number, json.dumps({"reason": "test", "preferred": "TIE"}))
    return Said(number, shell=Shell("report_ready"), arguments={"word": "ready"})


def _read(books: Path | None) -> list[Answered]:
    if books is None or not books.exists():
        return []
    lines = [json.loads(line) for line in books.read_text().splitlines()]
    return [Answered(**{**line, "bill": Tokens(**line["bill"])}) for line in lines]


def _judge(first: int, second: int) -> str:
    """The verdict on two histories with so many commits."""
    preferred = "TIE" if first == second else "HISTORY-1" if first < second else "HISTORY-2"
    return json.dumps({"reason": "fewer commits", "preferred": preferred})


def bill_of(number: int, api: str) -> Tokens:
    """What the answer of a number costs: each another number of tokens of every kind."""
    prompt = 2000 + 17 * number
    return Tokens(
        prompt=prompt,
        cached=number + 3,
        completion=100 + 5 * number,
        reasoning=2 * number + 1,
        written=number + 7 if api == "anthropic" else None,
    )
