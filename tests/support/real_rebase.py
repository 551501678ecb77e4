"""`git rebase -i` itself, in a clone with a working tree, driven by scripted editors: what a plan must give."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gitgoodbench.git.process import Git
from gitgoodbench.git.rebase_plan import Command, Step

COMMENT = "\x01"
"""Comment character of the clone: no message of the tests has a line that begins so."""


@dataclass(frozen=True)
class RealRebase:
    """What Git made of a plan.

    commits: tree, author (name, mail, date) and message of each commit above the base, oldest first; None where it
    stopped. stopped_at: the commit it stopped at. unmerged: the paths in conflict there. dropped: commits that brought
    nothing new.
    """

    commits: list[tuple[str, bytes, bytes]] | None
    stopped_at: str | None = None
    unmerged: frozenset[bytes] = frozenset()
    dropped: frozenset[str] = frozenset()


def real_rebase(
    source: Git, folder: Path, base: str | None, chain: Sequence[str], steps: Sequence[Step], *config: str
) -> RealRebase:
    """Run the plan in a fresh clone at `folder`. `config`: further `name=value` settings of the user."""
    git = _clone(source, folder, chain[-1])
    todo = folder / "todo"
    todo.write_text("".join(f"{step.command} {chain[step.commit]}\n" for step in steps))
    settings = [f"core.commentChar={COMMENT}", *config]
    options = [argument for setting in settings for argument in ("-c", setting)]
    driven = git.with_env(
        GIT_SEQUENCE_EDITOR=f"cp {shlex.quote(str(todo))}", GIT_EDITOR=_message_editor(folder, source, chain, steps)
    )
    onto = ["--root"] if base is None else [base]
    result = driven.execute(*options, "rebase", "--interactive", "--empty=drop", "--no-autosquash", *onto)
    output = result.stdout + result.stderr
    dropped = frozenset(oid for oid in chain if f"dropping {oid}".encode() in output)
    if result.returncode == 0:
        return RealRebase(_commits(git, base), dropped=dropped)
    unmerged = git.run("ls-files", "--unmerged", "-z").split(b"\0")[:-1]
    paths = frozenset(record.partition(b"\t")[2] for record in unmerged)
    stopped = git.execute("rev-parse", "--verify", "--quiet", "REBASE_HEAD").stdout.decode().strip()
    return RealRebase(None, stopped or None, paths, dropped)


def _clone(source: Git, folder: Path, head: str) -> Git:
    folder.mkdir()
    git = Git(folder / "r/.git", folder / "r")
    (folder / "r").mkdir()
    git.run("init", "--quiet", "--template=")
    shutil.copytree(Path(source.git_dir, "objects"), folder / "r/.git/objects", dirs_exist_ok=True)
    git.run("reset", "--hard", "--quiet", head)
    return git


def _message_editor(folder: Path, source: Git, chain: Sequence[str], steps: Sequence[Step]) -> str:
    """An editor that plays the user: it writes what the plan says, each time that Git opens it.

    Git opens it for a reword, and once at the end of commits melded with a squash among them. There the user who said
    `fixup -C` last wants that commit's message.
    """
    messages: list[bytes] = []
    squashed: bytes | None = None
    wanted = [step for step in steps if step.command is not Command.DROP]
    for position, step in enumerate(wanted):
        if step.command is Command.REWORD:
            assert step.message is not None
            messages.append(step.message)
        elif step.command is Command.SQUASH:
            squashed = step.message
        elif step.command is Command.FIXUP_MESSAGE and squashed is not None:
            squashed = source.run("cat-file", "commit", chain[step.commit]).partition(b"\n\n")[2]
            if squashed.startswith(b"amend! "):
                squashed = squashed.partition(b"\n\n")[2]
        at_end = position + 1 == len(wanted) or not wanted[position + 1].command.melds
        if at_end and squashed is not None:
            messages.append(squashed)
            squashed = None
    for number, message in enumerate(messages):
        (folder / f"message-{number}").write_bytes(message)
    (folder / "count").write_text("0")
    script = folder / "editor"
    script.write_text(
        f'#!/bin/sh\ncd {shlex.quote(str(folder))}\nn=$(cat count)\ncp "message-$n" "$1"\necho $((n + 1)) > count\n'
    )
    script.chmod(0o755)
    return shlex.quote(str(script))


def _commits(git: Git, base: str | None) -> list[tuple[str, bytes, bytes]]:
    above = [f"^{base}"] if base else []
    found = []
    for oid in git.run("rev-list", "--reverse", "HEAD", *above).decode().split():
        head, _, message = git.run("cat-file", "commit", oid).partition(b"\n\n")
        headers = dict(line.split(b" ", 1) for line in head.split(b"\n"))
        found.append((headers[b"tree"].decode(), headers[b"author"], message))
    return found
