"""Resolve a merge that stopped at conflicts by one rule, and commit it: `merge.py ours|theirs|union|union-reverse`.

Runs in the repository, and knows no more than Git's index and the files: what the reference agents of these names make
of the harness's own model of the conflicts.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Stages = dict[int, tuple[str, str]]
"""Stage of the index -> mode and id."""

OURS, THEIRS = 2, 3


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], stdout=subprocess.PIPE, check=True).stdout


def unmerged() -> dict[str, Stages]:
    found: dict[str, Stages] = {}
    for line in git("ls-files", "-u", "-z").split(b"\0")[:-1]:
        head, path = line.split(b"\t", 1)
        mode, oid, stage = head.decode().split()
        found.setdefault(os.fsdecode(path), {})[int(stage)] = mode, oid
    return found


def groups(conflicted: dict[str, Stages]) -> list[list[str]]:
    """Paths that one decision settles: where both sides renamed a file, its old path and both new ones."""
    old = [path for path, stages in conflicted.items() if set(stages) == {1}]
    moved = [path for path, stages in conflicted.items() if len({OURS, THEIRS} & set(stages)) == 1]
    if old:
        others = [path for path in conflicted if path not in old and path not in moved]
        return [[*old, *moved], *([path] for path in others)]
    return [[path] for path in conflicted]


def settle_paths(group: list[str], conflicted: dict[str, Stages], side: int, *, keep: bool) -> None:
    """Settle what one side has and the other has not, or what differs in mode."""
    if keep and not any(side in conflicted[path] for path in group):
        side = OURS + THEIRS - side
    for path in group:
        stages = conflicted[path]
        if side not in stages:
            git("rm", "-q", "--cached", "--ignore-unmatch", "--", path)
            Path(path).unlink(missing_ok=True)
        elif {OURS, THEIRS} <= set(stages) and stages[OURS][0] != stages[THEIRS][0]:
            base = stages.get(1, ("", ""))[0]
            if base not in (stages[OURS][0], stages[THEIRS][0]):
                Path(path).chmod(0o755 if stages[side][0] == "100755" else 0o644)


def fill(path: str, stages: Stages, rule: Callable[[bytes, bytes], bytes]) -> None:
    """Put the rule's text in place of every region between markers."""
    if not Path(path).is_file() or Path(path).is_symlink():
        return
    content = Path(path).read_bytes()
    asked = git("check-attr", "-z", "conflict-marker-size", "--", path).split(b"\0")[2]
    size = int(asked) if asked.isdigit() else 7
    filled = b""
    for candidate in (size, size + 1):  # Git makes markers one longer in a file that both sides renamed
        opening, middle, closing = (re.escape(mark) * candidate + rb"(?: [^\n]*)?\r?\n" for mark in (b"<", b"=", b">"))
        region = rb"^%s((?:(?!%s).*\n)*?)%s((?:(?!%s).*\n)*?)%s" % (opening, middle, middle, closing, closing)

        def text(found: re.Match[bytes]) -> bytes:
            sides = [found[1], found[2]]
            if found.end() == len(content):
                sides = [as_in_file(text, stages.get(stage)) for text, stage in zip(sides, (OURS, THEIRS), strict=True)]
            return rule(*sides)

        filled = re.sub(region, text, content, flags=re.MULTILINE)
        if filled != content:
            break
    Path(path).write_bytes(filled)


def as_in_file(side: bytes, entry: tuple[str, str] | None) -> bytes:
    """A side at the end of its file, without the newline that Git adds where the file has none."""
    whole = git("cat-file", "blob", entry[1]) if entry else b"\n"
    return side if whole.endswith(b"\n") else side.removesuffix(b"\n")


def joined(first: bytes, second: bytes) -> bytes:
    return first + b"\n" * bool(first and second and not first.endswith(b"\n")) + second


RULES: dict[str, tuple[int, bool, Callable[[bytes, bytes], bytes]]] = {
    "ours": (OURS, False, lambda ours, _: ours),
    "theirs": (THEIRS, False, lambda _, theirs: theirs),
    "union": (OURS, True, joined),
    "union-reverse": (THEIRS, True, lambda ours, theirs: joined(theirs, ours)),
}


def main() -> None:
    side, keep, rule = RULES[sys.argv[1]]
    os.chdir(git("rev-parse", "--show-toplevel").removesuffix(b"\n"))
    conflicted = unmerged()
    for group in groups(conflicted):
        settle_paths(group, conflicted, side, keep=keep)
        for path in group:
            fill(path, conflicted[path], rule)
            if os.path.lexists(path):
                git("add", "-f", "--", path)
    git("commit", "-q", "--no-edit")
    print(git("log", "-1", "--stat", "--format=%s").decode("utf-8", "replace"))


if __name__ == "__main__":
    main()
