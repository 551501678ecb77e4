"""Commit the changes of a working tree by one rule: `divide.py one-commit|per-hunk FILE`.

FILE's hunks go into one commit together, or each into one of its own; what else is changed follows in a last commit.
"""

from __future__ import annotations

import re
import subprocess
import sys


def git(*arguments: str, stdin: bytes | None = None) -> bytes:
    return subprocess.run(["git", *arguments], input=stdin, stdout=subprocess.PIPE, check=True).stdout


def commit(message: str) -> None:
    git("commit", "-q", "-m", message)


def hunks(path: str) -> list[bytes]:
    """A patch for each hunk of a file that was there before."""
    head, *bodies = re.split(rb"^(?=@@ )", git("diff", "--", path), flags=re.MULTILINE)
    return [head + body for body in bodies]


def main() -> None:
    rule, path = sys.argv[1:]
    found = hunks(path) if rule == "per-hunk" else []
    if rule == "one-commit" or not found:  # a file that is new, or gone, is one part
        git("add", "-A", "-f", "--", path)
        commit("Change everything" if rule == "one-commit" else f"Change part 1 of {path}")
    for number, patch in enumerate(found, 1):
        git("apply", "--cached", "--recount", "-", stdin=patch)
        commit(f"Change part {number} of {path}")
    if git("status", "--porcelain"):
        git("add", "-A", ".")
        commit("Change the other files")
    print(git("log", "--oneline", "-8").decode("utf-8", "replace"))


if __name__ == "__main__":
    main()
