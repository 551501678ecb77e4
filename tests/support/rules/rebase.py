"""Rewrite the newest commits of a branch by one rule, with Git's own rebase: `rebase.py squash-all|reword-last COUNT`.

COUNT is 0 where the branch is nothing else: the rebase then begins at the root.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def git(*arguments: str, stdin: bytes | None = None) -> bytes:
    return subprocess.run(["git", *arguments], input=stdin, stdout=subprocess.PIPE, check=True).stdout


def message(commit: str) -> bytes:
    return git("log", "-1", "--format=%B", commit)


def clean(text: bytes) -> bytes:
    return git("stripspace", stdin=text)


def plan(rule: str, commits: list[str]) -> tuple[list[str], bytes]:
    """A command for each commit, and the message of the one that is edited."""
    if rule == "squash-all":
        commands = ["pick", *["fixup"] * (len(commits) - 2), "squash"]
        return commands, b"\n".join(clean(message(commit)) for commit in commits)
    subject, end, body = clean(message(commits[-1])).partition(b"\n")
    subject = subject[:-1] if subject.endswith(b".") else subject + b"."
    return [*["pick"] * (len(commits) - 1), "reword"], subject + end + body


def main() -> None:
    rule, count = sys.argv[1], int(sys.argv[2])
    onto = f"HEAD~{count}" if count else "--root"
    commits = git("rev-list", "--reverse", f"{onto}..HEAD" if count else "HEAD").decode().split()
    commands, text = plan(rule, commits)
    todo, written = Path("/tmp/todo"), Path("/tmp/message")
    todo.write_text("".join(f"{command} {commit}\n" for command, commit in zip(commands, commits, strict=True)))
    written.write_bytes(clean(text))
    editors = {"GIT_SEQUENCE_EDITOR": f"cp {todo}", "GIT_EDITOR": f"cp {written}"}
    options = ("-c", "commit.cleanup=whitespace", "rebase", "-i", "--no-autosquash", onto)
    subprocess.run(["git", *options], env={**os.environ, **editors}, check=True)
    print(git("log", "--oneline", "-5").decode("utf-8", "replace"))


if __name__ == "__main__":
    main()
