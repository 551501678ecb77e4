"""What commits are, read for many at once: parents, times, people, and what makes two of them the same change."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gitgoodbench.git.commits import recoded
from gitgoodbench.git.process import Git

_PERSON: Final = re.compile(rb"(?P<name>[^<>\n]*?) ?<(?P<mail>[^<>\n]*)> (?P<time>-?\d+)")


@dataclass(frozen=True)
class Facts:
    """A commit. authored: name, mail and date of its author, as they stand there: a copy of a commit keeps them."""

    id: str
    parents: tuple[str, ...]
    time: int
    author: str
    email: str
    authored: bytes
    message: bytes

    @property
    def subject(self) -> bytes:
        """The first line of the message."""
        return self.message.lstrip(b"\n").partition(b"\n")[0]


def read_facts(git: Git, commits: Iterable[str]) -> dict[str, Facts]:
    """The facts of commits by id; those that the repository lacks are left out."""
    wanted = list(dict.fromkeys(commits))
    if not wanted:
        return {}
    output = git.run("cat-file", "--batch", stdin="".join(f"{one}\n" for one in wanted).encode())
    facts, start = {}, 0
    for commit in wanted:
        end = output.index(b"\n", start)
        header, start = output[start:end].split(), end + 1
        if header[-1] == b"missing":
            continue
        size = int(header[2])
        if header[1] == b"commit":
            facts[commit] = _parse(commit, output[start : start + size])
        start += size + 1
    return facts


def patch_ids(git: Git, commits: Iterable[str]) -> dict[str, str]:
    """The stable patch ids of commits; those that change nothing, and merges, are left out."""
    with tempfile.TemporaryFile() as names:
        names.write("".join(f"{one}\n" for one in dict.fromkeys(commits)).encode())
        names.seek(0)
        shown = ("diff-tree", "--stdin", "-p", "-r", "--root", "--full-index", "--no-renames")
        with git.stream(*shown, stdin=names) as patches:
            assert patches.stdout is not None
            with git.stream("patch-id", "--stable", stdin=patches.stdout) as ids:
                assert ids.stdout is not None
                lines = ids.stdout.read().decode("ascii").split("\n")
                ids.wait()
            patches.wait()
    return {commit: patch for patch, _, commit in (line.partition(" ") for line in lines) if commit}


def tips(git: Git) -> list[str]:
    """The commits that are checked out in the working trees, attached to a branch or not."""
    listed = git.run("worktree", "list", "--porcelain", "-z", check=False)
    heads = (field[5:].decode("ascii") for field in listed.split(b"\0") if field.startswith(b"HEAD "))
    return [head for head in heads if head.strip("0")]


def unreachable(git: Git, commits: Iterable[str]) -> set[str]:
    """Which of the commits no branch, tag, remote branch or working tree leads to, or are gone altogether."""
    wanted = set(commits)
    if not wanted:
        return set()
    there = set(_present(git, wanted))
    names = "".join(f"{one}\n" for one in sorted(there)).encode()
    apart = ("--not", "--branches", "--remotes", "--tags", *tips(git))
    left = git.run("rev-list", "--stdin", *apart, stdin=names).decode("ascii").split("\n") if there else []
    return (wanted - there) | (wanted & set(left))


def commits_since(git: Git, since: int, most: int) -> list[str]:
    """The newest commits that branches, tags or working trees lead to, committed since a time."""
    options = (f"--since={since}", f"--max-count={most}", "--branches", "--remotes", "--tags", *tips(git))
    return git.run("rev-list", "--no-merges", *options).decode("ascii").split()


def _present(git: Git, commits: Iterable[str]) -> Iterator[str]:
    asked = "".join(f"{one}\n" for one in sorted(commits)).encode()
    for line in git.run("cat-file", "--batch-check=%(objecttype) %(objectname)", stdin=asked).split(b"\n"):
        if line.startswith(b"commit "):
            yield line[7:].decode("ascii")


def _parse(commit: str, content: bytes) -> Facts:
    head, _, message = content.partition(b"\n\n")
    headers: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        headers.setdefault(name, []).append(value)
    encoding = headers.get(b"encoding", [b""])[0].decode("ascii", "replace")
    authored = headers.get(b"author", [b""])[0]
    author = _PERSON.match(recoded(authored, encoding))
    committer = _PERSON.match(headers.get(b"committer", [b""])[0])
    return Facts(
        commit,
        tuple(parent.decode("ascii") for parent in headers.get(b"parent", ())),
        time=int(committer["time"]) if committer else 0,
        author=author["name"].decode("utf-8", "replace") if author else "",
        email=author["mail"].decode("utf-8", "replace") if author else "",
        authored=authored,
        message=recoded(message, encoding),
    )
