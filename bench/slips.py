"""The slips that bench/models_slips.py plays, each with what a model does that reads the results: a table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

REASON = "because"


@dataclass(frozen=True)
class Written:
    """A call as a model writes it. arguments: an object, or text that is to be one."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)


Play = Generator[Sequence[Written], list[str], None]
"""A scripted model: yields the calls of an answer, gets their results."""


@dataclass(frozen=True)
class Slip:
    """A way to err. If it stays a loss, `why` says why nothing can mend it.

    clean: the same without the slip, where that is not the scenario's own.
    """

    scenario: str
    name: str
    play: Callable[[], Play]
    why: str = ""
    clean: Callable[[], Play] | None = None


def refused(result: str) -> bool:
    return result.startswith("error:")


# Interactive rebase: commit 0 is kept, commit 2 mends it, commit 1 gets another message.

PLAN: list[dict[str, Any]] = [
    {"commit_index": 0, "command": "pick"},
    {"commit_index": 2, "command": "fixup"},
    {"commit_index": 1, "command": "reword", "commit_msg": "Explain the middle"},
]


def plan(items: Any = PLAN, **more: Any) -> Written:
    return Written("update_rebase_todo_list", {"rebase_todo_list_items": items, "reason": REASON, **more})


def changed(position: int, **fields: Any) -> list[dict[str, Any]]:
    return [{**item, **fields} if at == position else item for at, item in enumerate(PLAN)]


EXECUTE = Written("execute_rebase", {"reason": REASON})


def rebase(*wrong: Written) -> Callable[[], Play]:
    """Send the wrong answer; then the plan where it was refused, and execute until that is done."""

    def play() -> Play:
        results = yield wrong
        planned = any(
            call.name == "update_rebase_todo_list" and not refused(result)
            for call, result in zip(wrong, results, strict=True)
        )
        warned = any(
            "Warning" in result or "not carried out" in result or "leaves every" in result for result in results
        )
        unused = any("is not used" in result for result in results)
        if not planned or warned or unused or "conflict" in results[-1]:
            yield [plan()]
        for _ in range(3):
            (result,) = yield [EXECUTE]
            if not refused(result):
                return
            yield [plan()]

    return play


def clean_rebase() -> Play:
    yield [plan()]
    yield [EXECUTE]


CONFLICTING = [
    {"commit_index": 2, "command": "pick"},
    {"commit_index": 0, "command": "fixup"},
    {"commit_index": 1, "command": "reword", "commit_msg": "Explain the middle"},
]
DROPPING = [PLAN[0], {"commit_index": 2, "command": "drop"}, PLAN[2]]
FROM_ONE = [{**item, "commit_index": item["commit_index"] + 1} for item in PLAN]
PICKS = [{"commit_index": index, "command": "pick"} for index in range(3)]

REBASE_SLIPS = [
    ("a word in another case, and execute in the same answer", rebase(plan(changed(1, command="Fixup")), EXECUTE)),
    ("an unknown word, and execute in the same answer", rebase(plan(changed(1, command="meld")), EXECUTE)),
    ("an unknown word", rebase(plan(changed(1, command="combine")))),
    ("a word in capitals", rebase(plan(changed(0, command="PICK")))),
    ("Git's abbreviations", rebase(plan([PLAN[0] | {"command": "p"}, PLAN[1] | {"command": "f"}, PLAN[2] | {"command": "r"}]))),
    ("fixup -c", rebase(plan([PLAN[0], PLAN[1] | {"command": "fixup"}, PLAN[2]]), EXECUTE)),
    ("blanks around a word", rebase(plan(changed(1, command=" fixup ")))),
    ("indexes counted from one", rebase(plan(FROM_ONE), EXECUTE)),
    ("an index in quotes", rebase(plan(changed(0, commit_index="0")))),
    ("an index as a fraction", rebase(plan(changed(1, commit_index=2.0)))),
    ("a negative index", rebase(plan(changed(0, commit_index=-1)), EXECUTE)),
    ("items as strings of JSON", rebase(plan([json.dumps(item) for item in PLAN]))),
    ("the list as a string of JSON", rebase(plan(json.dumps(PLAN)))),
    ("a commit left out", rebase(plan(PLAN[:2]), EXECUTE)),
    ("a commit twice", rebase(plan([*PLAN, PLAN[0]]), EXECUTE)),
    ("a commit dropped by mistake", rebase(plan(DROPPING))),
    ("a commit dropped by mistake, executed in the same answer", rebase(plan(DROPPING), EXECUTE)),
    ("executed before there is a plan", rebase(EXECUTE)),
    ("executed before the plan, in one answer", rebase(EXECUTE, plan())),
    ("a plan that changes nothing, executed", rebase(plan(PICKS), EXECUTE)),
    ("commits moved so that they conflict", rebase(plan(CONFLICTING))),
    ("commits moved so that they conflict, executed in the same answer", rebase(plan(CONFLICTING), EXECUTE)),
    ("reword without a message", rebase(plan([*PLAN[:2], {"commit_index": 1, "command": "reword"}]), EXECUTE)),
    ("reword with a blank message", rebase(plan(changed(2, commit_msg=" \n ")), EXECUTE)),
    ("a NUL in a message", rebase(plan(changed(2, commit_msg="a\0b")), EXECUTE)),
    ("a field of another name", rebase(plan([*PLAN[:2], {"commit_index": 1, "command": "reword", "message": "x"}]), EXECUTE)),
    ("an argument of another name", rebase(Written("update_rebase_todo_list", {"items": PLAN, "reason": REASON}), EXECUTE)),
    ("no reason", rebase(Written("update_rebase_todo_list", {"rebase_todo_list_items": PLAN}))),
    ("a plan that begins with fixup", rebase(plan([PLAN[1], PLAN[0], PLAN[2]]), EXECUTE)),
    ("arguments that are no JSON", rebase(Written("update_rebase_todo_list", '{"rebase_todo_list_items": ['), EXECUTE)),
    ("a tool that does not exist", rebase(Written("git_rebase", {}), EXECUTE)),
    ("a look at a commit that is not there, then plan and execute", rebase(Written("show_changes_in", {"commit_index": 3}), plan(), EXECUTE)),
    ("a message with CRLF and trailing blanks", rebase(plan(changed(2, commit_msg="Explain the middle  \r\n")))),
    ("a new message with pick, executed in the same answer", rebase(plan(changed(2, command="pick")), EXECUTE)),
    ("executed twice in one answer", rebase(plan(), EXECUTE, EXECUTE)),
    ("another plan after the execution, in one answer", rebase(plan(), EXECUTE, plan(PICKS))),
    ("a look, the plan and the execution in one answer", rebase(Written("view_rebase_todo", {}), plan(), EXECUTE)),
    ("two plans in one answer, the first refused", rebase(plan(FROM_ONE), plan(), EXECUTE)),
]  # fmt: skip

# Iterative committing: three hunks, a commit for each, then the other file.

MESSAGES = {"+one": "Say one", "+two": "Say two", "+three": "Say three"}
REST = Written("commit_remaining_changes", {"commit_message": "Adapt the rest", "reason": REASON})
_SHOWN = re.compile(r"^Hunk (\d+) \(of \d+\) in [^\n]*:\n(.*?)(?=^Hunk \d+ \(|\Z)", re.MULTILINE | re.DOTALL)


def hunks(selected: Any, message: Any = "Say one", **more: Any) -> Written:
    return Written(
        "commit_changes_in", {"selected_hunks": selected, "commit_message": message, "reason": REASON, **more}
    )


def divide(*wrong: Written, means: Sequence[str] = ("+one",)) -> Callable[[], Play]:
    """Send the wrong answer; then commit each hunk that is not, by the number that it was last shown under."""

    def play() -> Play:
        done: set[str] = set()
        shown = {"+one": 1, "+two": 2, "+three": 3}
        rest_done = False
        results = yield wrong
        for call, result, meant in zip(wrong, results, [*means, *[""] * len(wrong)], strict=False):
            if not refused(result) and call.name == "commit_changes_in":
                done.add(meant)
                shown = numbers_in(result) or shown
        for sign, message in MESSAGES.items():
            if sign in done:
                continue
            if sign not in shown:
                return  # it is told that nothing of this kind remains
            (result,) = yield [hunks([shown[sign]], message)]
            shown = numbers_in(result) or shown
            rest_done = "Everything is committed" in result
        if not rest_done:
            yield [REST]

    return play


def numbers_in(result: str) -> dict[str, int]:
    """Which hunk each of the three is, as the result shows them."""
    return {sign: int(number) for number, body in _SHOWN.findall(result) for sign in MESSAGES if f"\n{sign}" in body}


def clean_division() -> Play:
    return divide(hunks([1]))()


def numbered_once(*numbers: int) -> Callable[[], Play]:
    """Commit, an answer each, the hunks that had these numbers in the beginning; mend what is refused."""

    def play() -> Play:
        open_ones = list(MESSAGES)
        shown = {sign: number for number, sign in enumerate(open_ones, 1)}
        for number in numbers:
            sign = list(MESSAGES)[number - 1]
            (result,) = yield [hunks([number], MESSAGES[sign])]
            shown = numbers_in(result) or shown
            if refused(result):
                (result,) = yield [hunks([shown[sign]], MESSAGES[sign])]
                shown = numbers_in(result) or shown
            open_ones.remove(sign)
        for sign in open_ones:
            if sign in shown:
                (result,) = yield [hunks([shown[sign]], MESSAGES[sign])]
                shown = numbers_in(result) or shown
        yield [REST]

    return play


def in_order(*numbers: int) -> Callable[[], Play]:
    """Commit the hunks that had these numbers in the beginning, then the others, by the numbers that they have now."""

    def play() -> Play:
        left = [1, 2, 3]
        for number in [*numbers, *(number for number in (1, 2, 3) if number not in numbers)]:
            yield [hunks([left.index(number) + 1], list(MESSAGES.values())[number - 1])]
            left.remove(number)
        yield [REST]

    return play


STALE = (
    "a legal call: the number means a hunk in both views. To refuse it once would refuse right calls of every "
    "episode; the answer names what was committed, but no tool takes it back"
)
THREE = [hunks([number], message) for number, message in enumerate(MESSAGES.values(), 1)]
LEGAL = "a legal call, wrong only by what was meant; once a commit is made no tool takes it back"

DIVISION_SLIPS: list[tuple[Any, ...]] = [
    ("three commits in one answer", divide(*THREE, means=tuple(MESSAGES))),
    ("three commits and the rest in one answer", divide(*THREE, REST, means=tuple(MESSAGES))),
    ("one number, not a list", divide(hunks(1))),
    ("a number in quotes", divide(hunks("1"))),
    ("a number in quotes in the list", divide(hunks(["1"]))),
    ("the list as a string of JSON", divide(hunks("[1]"))),
    ("a fraction", divide(hunks([1.0]))),
    ("numbers counted from zero", divide(hunks([0]), hunks([1], "Say two"), hunks([2], "Say three"))),
    ("a hunk that is not there, others in the same answer", divide(hunks([4]), *THREE[1:])),
    ("the same hunk twice in a list", divide(hunks([1, 1]))),
    ("the same hunk in two calls", divide(hunks([1]), hunks([1], "Say two"), means=("+one", ""))),
    ("no hunk", divide(hunks([]), *THREE[1:])),
    ("an empty message", divide(hunks([1], ""), *THREE[1:])),
    ("a blank message", divide(hunks([1], "\n\t \n"))),
    ("a message with CRLF and trailing blanks", divide(hunks([1], "Say one  \r\n\r\n"))),
    ("a NUL in a message", divide(hunks([1], "a\0"), *THREE[1:])),
    ("no message", divide(Written("commit_changes_in", {"selected_hunks": [1], "reason": REASON}), *THREE[1:])),
    ("no reason", divide(Written("commit_changes_in", {"selected_hunks": [1], "commit_message": "Say one"}))),
    ("reason is null", divide(hunks([1], reason=None))),
    ("an argument that does not exist", divide(hunks([1], author="me"), *THREE[1:])),
    ("the rest first", divide(REST, *THREE, means=("", *MESSAGES))),
    ("a tool that does not exist", divide(Written("git_commit", {}), *THREE)),
    ("arguments that are no JSON", divide(Written("commit_changes_in", '{"selected_hunks": [1'), *THREE[1:])),
    ("numbers of the first view, from the last to the first", numbered_once(3, 2, 1), "", in_order(3, 2, 1)),
    ("numbers of the first view, the second of them gone", numbered_once(1, 3), "", in_order(1, 3)),
    ("numbers of the first view, of two answers ago", numbered_once(2, 1, 3), "", in_order(2, 1, 3)),
    ("a number of the first view under which another hunk stands now", numbered_once(1, 2), STALE, in_order(1, 2)),
    ("all hunks too early", divide(hunks("all")), LEGAL),
    ("a range that takes too much", divide(hunks("1-3")), LEGAL),
]

# Merge conflict resolution: two conflicts, one line each.

ANSWERS = ("first\n", "second\n")


def settle(content: Any, **more: Any) -> Written:
    return Written("resolve_current_merge_conflict_with", {"content": content, "reason": REASON, **more})


def resolve(*wrong: Written) -> Callable[[], Play]:
    """Send the wrong answer; then settle what is open, told by the results."""

    def play() -> Play:
        results = yield wrong
        done = sum(
            not refused(result) and call.name.startswith("resolve") for call, result in zip(wrong, results, strict=True)
        )
        for answer in ANSWERS[done:]:
            yield [settle(answer)]

    return play


def clean_resolution() -> Play:
    return resolve(settle(ANSWERS[0]))()


ORDER = "a legal call: conflicts are answered in order, and the view says which one is current"
VIEW = Written("view_merge_conflict_at", {"conflict_index": 2, "reason": REASON})
MARKED = "<<<<<<< HEAD\nlocal\n=======\nincoming\n>>>>>>> incoming\n"

MERGE_SLIPS: list[tuple[Any, ...]] = [
    ("both conflicts in one answer", resolve(settle(ANSWERS[0]), settle(ANSWERS[1]))),
    ("a conflict that is not there, then both", resolve(VIEW, settle(ANSWERS[0]), settle(ANSWERS[1]))),
    ("the markers left in", resolve(settle(MARKED), settle(ANSWERS[1]))),
    ("no content, then the next", resolve(Written("resolve_current_merge_conflict_with", {"reason": REASON}), settle(ANSWERS[1]))),
    ("content as a list of lines", resolve(settle(["first"]), settle(ANSWERS[1]))),
    ("the tool for conflicts without text", resolve(Written("resolve_current_merge_conflict_by_choosing", {"choice": "LOCAL"}), settle(ANSWERS[1]))),
    ("no reason", resolve(Written("resolve_current_merge_conflict_with", {"content": ANSWERS[0]}))),
    ("a window of null", resolve(Written("view_current_merge_conflict_with", {"context_window_size": None, "reason": REASON}), settle(ANSWERS[0]))),
    ("a window in quotes", resolve(Written("view_current_merge_conflict_with", {"context_window_size": "10"}), settle(ANSWERS[0]))),
    ("a path that does not exist, then both", resolve(Written("view_file_at", {"relative_path_from_project_root": "b.py"}), settle(ANSWERS[0]), settle(ANSWERS[1]))),
    ("the lines before the conflict repeated", resolve(settle("line 3\nline 4\nfirst\n"), settle(ANSWERS[1]))),
    ("the line after the conflict repeated", resolve(settle("first\nline 6\n"))),
    ("fences around the content", resolve(settle("```python\nfirst\n```"), settle(ANSWERS[1]))),
    ("no newline at the end", resolve(settle("first"), settle("second"))),
    ("a look at the second conflict, then its answer", resolve(Written("view_merge_conflict_at", {"conflict_index": 1}), settle(ANSWERS[1])), ORDER),
    ("more answers than conflicts", resolve(settle(ANSWERS[0]), settle(ANSWERS[1]), settle("third\n"))),
]  # fmt: skip


def all_slips() -> list[Slip]:
    listed = (("ir", REBASE_SLIPS), ("icc", DIVISION_SLIPS), ("mcr", MERGE_SLIPS))
    return [Slip(scenario, *slip) for scenario, slips in listed for slip in slips]


CLEAN: Final[Mapping[str, Callable[[], Play]]] = {"ir": clean_rebase, "icc": clean_division, "mcr": clean_resolution}
"""By scenario, the same without a slip."""
