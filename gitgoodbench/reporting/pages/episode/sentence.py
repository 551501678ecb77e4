"""Why an episode counts as it does, in one sentence made of its gates and of what its details hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitgoodbench.details import Details, HistoriesDetail
from gitgoodbench.runs.result import Result

_NAMED = 3


def sentence(result: Result) -> str:
    """`committed, clean; 2 of 3 conflicts as in the truth; differs in src/a.py`."""
    return "; ".join(_parts(result)) or "nothing is known of what was left"


def _parts(result: Result) -> Iterator[str]:
    if result.error is not None and not result.status.is_answer:
        yield result.error.message
    missed = [_words(name) for name, met in result.gates.items() if not met]
    met = [_words(name) for name, met in result.gates.items() if met]
    if missed:
        yield f"not met: {', '.join(missed)}"
    elif met:
        yield ", ".join(met)
    if result.details is not None:
        yield from _of_details(result.details)
    judge = result.judge
    if judge is not None:
        yield f"judged a {judge.verdict}" if judge.verdict is not None else f"not judged: {_words(judge.state)}"


def _of_details(details: Details) -> Iterator[str]:
    conflicts = [conflict for file in details.files for conflict in file.conflicts]
    exact = sum(conflict.exact for conflict in conflicts)
    if conflicts:
        count = "the conflict" if len(conflicts) == 1 else f"{exact} of {len(conflicts)} conflicts"
        yield f"{count} {'not ' if len(conflicts) == 1 and not exact else ''}as in the truth"
    if details.histories is not None:
        yield _of_histories(details.histories)
    reached = [file.path for file in details.files if not file.exact and not file.out_of_reach]
    beyond = [file.path for file in details.files if not file.exact and file.out_of_reach]
    if reached:
        yield f"differs in {_listed(reached)}"
    if beyond:
        yield f"out of reach of answers to the conflicts: {_listed(beyond)}"


def _of_histories(histories: HistoriesDetail) -> str:
    """How many of the real commits were made again."""
    again = sum(commit.same_as is not None for commit in histories.truth)
    made = histories.agent_commits
    return (
        f"{again} of {histories.truth_commits} real commits made again, line for line, "
        f"in {made} commit{'' if made == 1 else 's'}"
    )


def _words(name: str) -> str:
    return name.replace("_", " ")


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join([*paths[:_NAMED], *([f"{more} more"] if more > 0 else [])])
