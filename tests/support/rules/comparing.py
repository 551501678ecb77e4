"""Two runs by the same rules compared, episode by episode, and a run's books with those of the model's server."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gitgoodbench import Run
from gitgoodbench.models.meter import Tokens
from gitgoodbench.runs.account import read_ledger
from gitgoodbench.runs.result import Result
from tests.support.rules.commands import rule_for
from tests.support.rules.model import Answered

MAY_DIFFER: Mapping[str, str] = {
    r"run_id|epoch|agent|model|started|ended|usage\..*|turns|timings\..*|attempts#": "who played, and when",
    r"outcome\.(bundle_bytes|bundle_sha256)": "packs are packed anew each time",
    r"merge: outcome\.head": "Git's own message of a merge is not that of the reference agents",
    r"facts\.attainable": "of the tools that were offered",
    r"outcome\.state\.(conflicting_rebases|rebase_in_progress)": "what the published tools, and what a shell, tells",
    r"judge\.(.*\.)?(seconds|tokens|cost_usd|usage|response_id|requests|digest|prompt_tokens|completion_tokens)(\..*)?":
        "what judges cost; their questions have a marker of their own in each run",
}  # fmt: skip
"""Fields of result.json, by their names, that two runs by the same rule need not have in common, and why.

All else is the same, ids of trees and, where a chain is committed, of commits included.
"""

_MAY_DIFFER = re.compile("|".join(f"(?:{pattern})" for pattern in MAY_DIFFER))


def unlike_reference(run: Run, references: Mapping[str, Run]) -> list[str]:
    """Where episodes of a run are not as those of the reference agents of the same rules, in words; empty: nowhere.

    Args:
        references: name of a reference agent -> its run of the same samples.
    """
    found = []
    for result in run.results:
        rule = rule_for(result)
        others = {other.key: other for other in references[rule].results}
        other = others.get((result.scenario, result.sample_id, 1))
        if other is None:
            found.append(f"{result.scenario}/{result.sample_id}: {rule} did not play it")
            continue
        found += [f"{result.scenario}/{result.sample_id} ({rule}): {words}" for words in differences(result, other)]
    return found


def differences(result: Result, reference: Result) -> list[str]:
    """Fields that differ, and must not."""
    mine, theirs = (dict(_fields(entry.model_dump(mode="json"))) for entry in (result, reference))
    prefix = "merge: " if result.scenario == "mcr" else ""
    return [
        f"{name} is {mine.get(name)!r:.200}, not {theirs.get(name)!r:.200}"
        for name in sorted({*mine, *theirs})
        if mine.get(name) != theirs.get(name)
        and not (_MAY_DIFFER.fullmatch(name) or _MAY_DIFFER.fullmatch(prefix + name))
    ]


def unlike_account(run: Run, account: Sequence[Answered]) -> list[str]:
    """Where the books of a run are not those of the server, answer by answer; empty: nowhere."""
    lines = [line for line in read_ledger(run.folder / "ledger.jsonl") if line.event == "answered"]
    told = Counter((line.role, line.tokens or Tokens()) for line in lines)
    billed = Counter((answered.role, answered.bill) for answered in account)
    found = [f"billed, and not in the ledger: {entry}" for entry in (billed - told)]
    found += [f"in the ledger, and not billed: {entry}" for entry in (told - billed)]
    for result in run.results:
        episode = f"{result.scenario}/{result.sample_id}/{result.epoch}"
        own = [line.tokens or Tokens() for line in lines if (line.episode, line.role) == (episode, "agent")]
        sums = (len(own), sum(t.prompt or 0 for t in own), sum(t.completion or 0 for t in own))
        usage = result.usage
        if sums != (usage.requests, usage.prompt_tokens, usage.completion_tokens):
            found.append(f"{episode}: the ledger has {sums}, result.json {usage}")
    return found


def _fields(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every field of a JSON value, by names such as `scores.exact_match`."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _fields(entry, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        yield f"{name}#", len(value)
        for number, entry in enumerate(value):
            yield from _fields(entry, f"{name}.{number}")
    else:
        yield name, value
