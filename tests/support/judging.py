"""Histories in a line, and judges that a script plays over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from gitgoodbench.git.histories import ChainHistory, CommitView, HistoryPair
from gitgoodbench.models.chat import ChatModel
from gitgoodbench.models.options import ModelFlags
from gitgoodbench.models.parameters import Parameters
from gitgoodbench.models.pricing import Price
from gitgoodbench.models.retry import Backoff
from gitgoodbench.scoring.judge.judge import Judge
from gitgoodbench.scoring.judge.options import JUDGE_FLAGS
from gitgoodbench.scoring.judge.panel import Panel
from gitgoodbench.scoring.judge.prompt import RESPONSE_FORMAT
from tests.support.scripted_llm import Reply, Request, Script, ScriptedServer, says

KEY = "sk-test-0123456789abcdef"
PRICE = Price(input=10.0, cached_input=10.0, output=20.0)


def history(*commits: tuple[str, str]) -> ChainHistory:
    """Commits of (message, patch), oldest first."""
    return ChainHistory(
        tuple(CommitView(message.encode(), patch.encode(), digest=patch) for message, patch in commits)
    )  # fmt: skip


AGENT = history(("Parse dates", "+dates\n"), ("Test dates", "+tests\n"))
REAL = history(("wip", "+da\n"), ("wip", "+tes\n"), ("fix", "+dates\n"))
PAIR = HistoryPair(AGENT, REAL)


def prefers(preferred: str, reason: str = "because", **options: Any) -> Reply:
    """An answer of a judge as it should be."""
    return says(json.dumps({"reason": reason, "preferred": preferred}), **options)


def judged_by(choose: Callable[[str, str], str]) -> Script:
    """A judge that reads: `choose` gets the text of HISTORY-1 and that of HISTORY-2."""

    def play(request: Request) -> Reply:
        return prefers(choose(*histories_in(request.messages[1]["content"])))

    return play


def histories_in(prompt: str) -> tuple[str, str]:
    """What stands between the markers of either history in a user message."""
    opening = re.match(r"Lines that begin with (\[[0-9a-f]{20}\]) are from me", prompt)
    assert opening
    marker = re.escape(opening[1])
    first, second = (
        re.search(rf"^{marker} {label} begins; commits: \d+\n(.*?)^{marker} {label} ends$", prompt, re.M | re.S)
        for label in ("HISTORY-1", "HISTORY-2")
    )
    assert first
    assert second
    return first[1].replace(opening[1], "#"), second[1].replace(opening[1], "#")


def favouring(words: str) -> Callable[[str, str], str]:
    """Prefers the history that holds the words, wherever it stands."""
    return lambda first, second: "HISTORY-1" if words in first else "HISTORY-2" if words in second else "TIE"


def make_judge(server: ScriptedServer, model: str = "judge-a", **settings: Any) -> Judge:
    """A judge at the scripted server that never really waits."""
    chosen: dict[str, Any] = {
        "api_key": KEY,
        "base_url": server.url,
        "price": PRICE,
        "backoff": Backoff(tries=2),
        "sleep": lambda _: None,
        "wait": server.time_out,
        "flags": JUDGE_FLAGS,
        "parameters": Parameters(temperature=0.0, max_output_tokens=100, schema=RESPONSE_FORMAT["json_schema"]),
    }
    return Judge(ChatModel(model, **chosen | settings))


def make_panel(
    server: ScriptedServer,
    *models: str,
    repeats: int = 1,
    limit: int = 60_000,
    flags: ModelFlags = JUDGE_FLAGS,
    **more: Any,
) -> Panel:
    """Judges of these models, by default a single one."""
    judges = [make_judge(server, model, flags=flags, **more) for model in models or ("judge-a",)]
    return Panel(judges, repeats=repeats, limit=limit)
