"""Commit objects, read and written as they are: any message, any author, without a configuration's say."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.process import COMMIT_DATE, IDENTITY, Git

_IDENTITY: Final = re.compile(rb"(?P<name>[^<>\n\0]*?) ?<(?P<mail>[^<>\n\0]*)> (?P<date>(?:0|[1-9]\d{0,17}) [+-]\d{4})")


_LATIN_1_ELSE: Final = "gitgoodbench-latin-1"


def _latin_1(problem: UnicodeError) -> tuple[str, int]:
    assert isinstance(problem, UnicodeDecodeError)
    return problem.object[problem.start : problem.start + 1].decode("latin-1"), problem.start + 1


codecs.register_error(_LATIN_1_ELSE, _latin_1)


@dataclass(frozen=True)
class Commit:
    """A commit. author: name, mail and date as they stand in the object, or None where they are malformed.

    Author and message are in UTF-8 where the commit names another encoding, as Git itself turns them before it writes
    them anew. A NUL ends a message: Git neither shows nor writes what comes after it.
    """

    oid: str
    tree: str
    parents: tuple[str, ...]
    author: bytes | None
    message: bytes


def read_commits(git: Git, oids: Iterable[str]) -> list[Commit]:
    """The commits of these ids, through one process.

    Raises:
        GitGoodBenchError: one of them is missing, or is no commit.
    """
    wanted = list(oids)
    output = git.run("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in wanted).encode()) if wanted else b""
    commits, start = [], 0
    for oid in wanted:
        end = output.index(b"\n", start)
        header = output[start:end].split()
        if len(header) != 3 or header[1] != b"commit":
            raise GitGoodBenchError(f"{oid} is {header[1].decode('ascii', 'replace')}, not a commit")
        start = end + 1
        commits.append(parse_commit(oid, output[start : start + int(header[2])]))
        start += int(header[2]) + 1
    return commits


def parse_commit(oid: str, content: bytes) -> Commit:
    """Read a commit object. The first blank line ends the headers; their continuation lines start with a blank."""
    head, _, message = content.partition(b"\n\n")
    headers: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        headers.setdefault(name, []).append(value)
    encoding = headers.get(b"encoding", [b""])[0].decode("ascii", "replace")
    author = _IDENTITY.fullmatch(recoded(headers.get(b"author", [b""])[0], encoding))
    return Commit(
        oid=oid,
        tree=headers[b"tree"][0].decode("ascii"),
        parents=tuple(parent.decode("ascii") for parent in headers.get(b"parent", [])),
        author=None if author is None else b"%s <%s> %s" % author.group("name", "mail", "date"),
        message=recoded(message.partition(b"\0")[0], encoding),
    )


def write_commit(git: Git, tree: str, parents: Sequence[str], message: bytes, author: bytes | None = None) -> str:
    """Store a commit of the harness's committer, at its fixed date; the author is the same unless one is given.

    Nothing of the message is taken for anything but text. As in Git, bytes in it that are no UTF-8 become the
    characters that they are in Latin-1. Returns the commit's id.
    """
    name, mail = IDENTITY
    committer = f"{name} <{mail}> {int(datetime.fromisoformat(COMMIT_DATE).timestamp())} +0000".encode()
    lines = [b"tree " + tree.encode(), *(b"parent " + parent.encode() for parent in parents)]
    lines += [b"author " + (author or committer), b"committer " + committer, b"", message]
    content = b"\n".join(lines).decode("utf-8", _LATIN_1_ELSE).encode("utf-8")
    return git.line("hash-object", "-t", "commit", "-w", "--stdin", stdin=content)


def recoded(text: bytes, encoding: str) -> bytes:
    """Text of a commit that names this encoding, in UTF-8; as it is where it does not fit or is unknown."""
    try:
        return text.decode(encoding).encode("utf-8") if encoding else text
    except (LookupError, UnicodeError):
        return text
