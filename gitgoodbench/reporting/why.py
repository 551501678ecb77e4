"""Why an episode is not solved, in a few lines, from its result alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitgoodbench.details import FileDetail
from gitgoodbench.runs.result import Result
from gitgoodbench.scoring.judge.record import State
from gitgoodbench.scoring.judge.votes import Vote

_NAMED = 5

_UNSETTLED = {
    State.UNREADABLE: "the judges' answers could not be read",
    State.FAILED: "the judges' server failed",
    State.PENDING: "its judges have not been asked yet",
    State.NOTHING: "the agent left no history to be judged",
}


def reasons(result: Result) -> Iterator[str]:
    """One reason a line; none where it is solved."""
    if result.solved:
        return
    if result.error is not None:
        yield f"{result.error.kind}: {result.error.message}"
    outcome = result.outcome
    if outcome is not None and outcome.problem:
        yield f"what the agent left cannot be read: {outcome.problem}"
    missed = [name.replace("_", " ") for name, met in result.gates.items() if not met]
    if missed:
        yield f"gates missed: {', '.join(missed)}"
    if outcome is not None:
        for name, found in outcome.state.items():
            if isinstance(found, list) and found:
                yield f"{name.replace('_', ' ')}: {_listed([str(one) for one in found])}"
    if result.details is not None:
        yield from _differences(result.details.files)
    yield from _judging(result)


def _differences(files: Sequence[FileDetail]) -> Iterator[str]:
    differing = [file for file in files if not file.exact]
    if differing:
        files_of = f"{len(differing)} of {len(files)} files" if len(files) > 1 else "the file"
        verb = "differs" if len(differing) == 1 else "differ"
        yield f"{files_of} {verb} from the truth: {_listed([_file(file) for file in differing])}"


def _file(file: FileDetail) -> str:
    """`a.py (conflict 1)`, `b.py (2 of its 4 conflicts: 3, 5)`; conflicts are numbered over all files."""
    numbers = [str(conflict.number) for conflict in file.conflicts if not conflict.exact]
    if not numbers:
        return f"{file.path} (outside of its conflicts)" if file.conflicts else file.path
    if len(file.conflicts) == 1:
        return f"{file.path} (conflict {numbers[0]})"
    return f"{file.path} ({len(numbers)} of its {len(file.conflicts)} conflicts: {_listed(numbers)})"


def _judging(result: Result) -> Iterator[str]:
    judge = result.judge
    if judge is None:
        if result.solved is None and result.status.is_answer:
            yield "nobody judged it (--judge llm)"
        return
    if judge.state in _UNSETTLED:
        yield _UNSETTLED[judge.state] + (f": {judge.problem}" if judge.problem else "")
    elif judge.verdict is not None and judge.verdict is not Vote.WIN:
        yield f"judged a {judge.verdict} against the real history"
    for opinion in judge.judges:
        spoken = [q for q in opinion.questions if q.reason and q.vote is not None and q.vote is not Vote.WIN]
        for question in spoken[:1]:
            yield f"{opinion.model} ({question.order.replace('_', ' ')}): {question.reason}"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join([*names[:_NAMED], *([f"{more} more"] if more > 0 else [])])
