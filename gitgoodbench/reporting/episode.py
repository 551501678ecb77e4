"""One episode for people: how it ended, its gates and scores, and both versions of what the agent made.

Made of a result alone, without a repository. Anything in it may be hostile, so every line is
cleaned before it reaches a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gitgoodbench.details import CommitDetail, ConflictDetail, Details, HistoriesDetail
from gitgoodbench.reporting.money import episode_costs
from gitgoodbench.reporting.why import reasons
from gitgoodbench.runs.account import NOTHING_SPENT, Account
from gitgoodbench.runs.result import Result
from gitgoodbench.text import on_one_line

_NONE = "-"


def list_lines(results: Iterable[Result]) -> Iterator[str]:
    """One line for each episode."""
    for result in results:
        yield on_one_line(f"{'/'.join(map(str, result.key))}  {result.status}  {_solved(result)}")


def episode_lines(result: Result, account: Account = NOTHING_SPENT) -> Iterator[str]:
    """The whole episode. account: of its run."""
    yield from _blocks(
        [*_head(result), *episode_costs(result, account)],
        _named(f"{_solved(result)}, because", list(reasons(result))),
        _named("gates", [f"{name}: {'met' if met else 'missed'}" for name, met in result.gates.items()]),
        _named("scores", [f"{name}: {_number(value)}" for name, value in result.scores.items()]),
        _named("failed before", [_attempt(result, number) for number in range(len(result.attempts))]),
        *(() if result.details is None else _details(result.details)),
    )


def _blocks(*blocks: Sequence[str]) -> Iterator[str]:
    """Blocks with a blank line between them."""
    for number, block in enumerate(block for block in blocks if block):
        if number:
            yield ""
        yield from map(on_one_line, block)


def _named(name: str, lines: Sequence[str]) -> list[str]:
    return [name, *(f"  {line}" for line in lines)] if lines else []


def _head(result: Result) -> list[str]:
    who = result.agent if result.model is None else f"{result.agent} {result.model}"
    lines = [
        "/".join(map(str, result.key)),
        f"{result.name}, {result.language}, {result.difficulty}; {who}",
        f"{result.status}, {_solved(result)}",
    ]
    if result.error is not None and result.solved:
        lines.append(f"{result.error.kind}: {result.error.message}")
    if result.started is not None:
        lines.append(f"from {result.started} to {result.ended}")
    if result.judge is not None:
        lines.append(f"judge: {result.judge.state}, {result.judge.verdict or 'no verdict'}")
    return lines


def _solved(result: Result) -> str:
    return {True: "solved", False: "not solved", None: "solved unknown"}[result.solved]


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:.3f}"


def _attempt(result: Result, number: int) -> str:
    attempt = result.attempts[number]
    why = "" if attempt.error is None else f": {attempt.error.message}"
    return f"{attempt.started or 'unknown time'} {attempt.status}{why}"


def _details(details: Details) -> Iterator[list[str]]:
    ids = [
        f"{name}: {value if isinstance(value, str) else ' '.join(value) if value else 'none'}"
        for name, value in details.ids.items()
    ]
    yield _named("sample", ids)
    if details.trees.truth is not None:
        yield _named("trees", [f"agent: {details.trees.agent or 'none'}", f"truth: {details.trees.truth}"])
    for file in details.files:
        reach = ", out of reach of answers to the conflicts" if file.out_of_reach else ""
        yield [f"{file.path}: {'exact' if file.exact else 'differs'}{reach}"]
        for conflict in file.conflicts:
            yield list(_conflict(conflict))
    if details.histories is not None:
        yield from _histories(details.histories)
    yield _named("from the agent's tree to the truth", _lines(details.diff or ""))
    if details.cut:
        yield ["Some of it is not shown whole: details.json beside result.json has more."]


def _conflict(conflict: ConflictDetail) -> Iterator[str]:
    exact = "exact" if conflict.exact else "differs"
    similarity = "" if conflict.similarity is None else f", similarity {conflict.similarity:.3f}"
    kind = "" if conflict.kind == "text" else f" ({conflict.kind})"
    yield f"conflict {conflict.number}{kind}: {exact}{similarity}"
    if conflict.exact and conflict.agent_text == conflict.truth_text:
        yield from _named("  both", _text(conflict.truth_text))
    else:
        yield from _named("  agent", _text(conflict.agent_text))
        yield from _named("  truth", _text(conflict.truth_text))
    if conflict.cut:
        yield "  [cut]"


def _text(text: str | None) -> list[str]:
    if text is None:
        return ["  [no file]"]
    return [f"  {line}" for line in _lines(text)] or ["  [empty]"]


def _lines(text: str) -> list[str]:
    """By line feeds alone; a carriage return shows."""
    lines = text.split("\n")
    return lines[:-1] if not lines[-1] else lines


def _histories(histories: HistoriesDetail) -> Iterator[list[str]]:
    yield _named(f"agent's commits: {histories.agent_commits}", list(_commits(histories.agent, "truth")))
    yield _named(f"real commits: {histories.truth_commits}", list(_commits(histories.truth, "agent")))
    pairs = [
        f"agent {pair.agent} - truth {pair.truth}: {'at most ' if pair.at_least < pair.similarity else ''}"
        f"{pair.similarity:.3f}"
        for pair in histories.pairs or ()
    ]
    yield _named("pairing", pairs)
    groups = [f"agent {group.agent} - truth {group.truth}: {group.lines}" for group in histories.groups or ()]
    yield _named("lines in common", groups)


def _commits(commits: Sequence[CommitDetail], other: str) -> Iterator[str]:
    for number, commit in enumerate(commits, start=1):
        subject = next(iter(_lines(commit.message.strip("\n"))), "") or "[no message]"
        size = "" if commit.added is None else f", +{commit.added} -{commit.removed}"
        same = "" if commit.same_as is None else f", same lines as {other} {commit.same_as}"
        yield f"{number}. {commit.id[:12]} {subject} ({len(commit.files)} files{size}{same})"
