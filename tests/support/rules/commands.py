"""The rules: from what a task says to the command lines that do it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gitgoodbench.runs.result import Result

PROGRAMS = Path(__file__).parent
_MERGE = re.compile(r"The merge has (\d+) conflicts?")
_REBASE = re.compile(r"(?:These are the (\d+) commits|This is the commit)")
_ROOT = re.compile(r"git rebase -i --root")
_DIVISION = re.compile(r"The work is about (.+?)(?: \(\w+\))?, which has (\d+) uncommitted hunks?")
RULES: Mapping[str, Sequence[str]] = {
    "mcr": ("union-reverse", "theirs", "union", "ours"),
    "ir": ("reword-last", "squash-all"),
    "icc": ("per-hunk", "one-commit"),
}
"""Names of reference agents, by scenario. The number of conflicts, commits or hunks says which one it is."""

_FINISHING = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
"""What mini-swe-agent wants to be printed at the end, and says so."""


@dataclass(frozen=True)
class Task:
    """What is to be done. rule: the name of the reference agent that does the same. lines: commands that do it."""

    scenario: str
    rule: str
    lines: Sequence[str]


def rule_of(scenario: str, count: int) -> str:
    """The rule for a task with so many conflicts, commits or hunks."""
    rules = RULES[scenario]
    return rules[count % len(rules)]


def rule_for(result: Result) -> str:
    """The rule by which an episode was played."""
    fact = {"mcr": "conflicts", "ir": "commits", "icc": "hunks"}[result.scenario]
    return rule_of(result.scenario, result.facts[fact])


def task_in(text: str) -> Task:
    """The task that a conversation begins with.

    Raises:
        ValueError: there is none.
    """
    if found := _MERGE.search(text):
        rule = rule_of("mcr", int(found[1]))
        lines = ["git status --short", _run("merge.py", rule)]
        task = Task("mcr", rule, lines)
    elif found := _DIVISION.search(text):
        rule = rule_of("icc", int(found[2]))
        task = Task("icc", rule, ["git diff --stat", _run("divide.py", rule, found[1])])
    elif found := _REBASE.search(text):
        count = int(found[1] or 1)
        rule = rule_of("ir", count)
        newest = "0" if _ROOT.search(text) else str(count)
        task = Task("ir", rule, ["git log --oneline -8", _run("rebase.py", rule, newest)])
    else:
        raise ValueError(f"no task is told: {text[:300]!r}")
    ending = [f"echo {_FINISHING}"] if _FINISHING in text else []
    return Task(task.scenario, task.rule, [*task.lines, *ending])


def _run(program: str, *arguments: str) -> str:
    """A command line that carries a program along."""
    code = (PROGRAMS / program).read_text()
    quoted = " ".join("'" + argument.replace("'", "'\\''") + "'" for argument in arguments)
    return f"python3 - {quoted} <<'END_OF_PROGRAM'\n{code}END_OF_PROGRAM"
