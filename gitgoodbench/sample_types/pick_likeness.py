"""How like two changes are, by the lines that they remove and add, whatever files these are in."""

from __future__ import annotations

from collections import Counter
from typing import Final

from gitgoodbench.git.process import Git

MOST_BYTES: Final = 32 * 1024 * 1024
"""Of a diff that are read: more lines count as not there."""

_COMMAND: Final = (
    "diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--unified=0",
    "--full-index",
)  # fmt: skip


def likeness(git: Git, one: tuple[str | None, str | None], other: tuple[str | None, str | None]) -> float | None:
    """The Jaccard index of the multisets of changed lines; None where one cannot be read.

    Each change is a pair of commits, before and after; None is nothing. Nothing and nothing are alike.
    """
    lines = [changed_lines(git, *change) for change in (one, other)]
    first, second = lines
    if first is None or second is None:
        return None
    union = (first | second).total()
    return (first & second).total() / union if union else 1.0


def changed_lines(git: Git, before: str | None, after: str | None) -> Counter[bytes] | None:
    """The removed and added lines, with `-` or `+` before them."""
    nothing = git.line("hash-object", "-t", "tree", "-w", "--stdin", stdin=b"")
    result = git.execute(*_COMMAND, before or nothing, after or nothing, output_limit=MOST_BYTES)
    if result.returncode != 0 and not result.truncated:
        return None
    found: Counter[bytes] = Counter()
    inside = False
    for line in result.stdout.split(b"\n"):
        if line.startswith(b"diff --git "):
            inside = False
        elif line.startswith(b"@@ "):
            inside = True
        elif inside and line[:1] in (b"-", b"+"):
            found[line] += 1
    return found
