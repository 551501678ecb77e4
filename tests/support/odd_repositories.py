"""Repositories that are odd in one way each: what Git allows, what it once wrote, and what others wrote by hand.

All of them have one history, in which a merge conflicts in `a.py` and a chain of three commits modifies that file; an
`Oddity` says what is different. Objects are written byte for byte, without Git, which refuses many of them.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gitgoodbench.dataset.sample import Sample
from gitgoodbench.dataset.types import sample_type
from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.targets import Target
from gitgoodbench.mining.task import Failed, Order, mine_target

BASE, OURS, THEIRS, MERGE, FIRST, SECOND, THIRD = range(7)
"""Commits of the common history, oldest first. The chain is the last three."""

_PARENTS: Final[tuple[tuple[int, ...], ...]] = ((), (BASE,), (BASE,), (OURS, THEIRS), (MERGE,), (FIRST,), (SECOND,))
_LINES: Final = tuple(range(40))
_CHANGES: Final[tuple[Mapping[int, str], ...]] = (
    {},
    {0: "ours"},
    {0: "theirs"},
    {0: "both"},
    {0: "both", 10: "first"},
    {0: "both", 10: "first", 20: "second"},
    {0: "both", 10: "first", 20: "second", 30: "third"},
)

Entry = tuple[bytes, bytes, str]
"""Mode as it is written, name, id."""


class ObjectStore:
    """A bare repository at `path` whose files are written here and not by Git."""

    def __init__(self, path: Path) -> None:
        self.path = path
        for part in ("objects/info", "objects/pack", "refs/heads", "info"):
            (path / part).mkdir(parents=True)
        (path / "HEAD").write_bytes(b"ref: refs/heads/main\n")
        (path / "config").write_bytes(b"[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n")

    def store(self, kind: str, content: bytes) -> str:
        """Write an object, whatever it says; returns its id."""
        data = b"%s %d\0%s" % (kind.encode(), len(content), content)
        oid = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        file = self.file(oid)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(zlib.compress(data, 1))
        return oid

    def file(self, oid: str) -> Path:
        """Where the object lies."""
        return self.path / "objects" / oid[:2] / oid[2:]

    def blob(self, content: bytes) -> str:
        return self.store("blob", content)

    def tree(self, entries: Iterable[Entry], *, ordered: bool = True) -> str:
        """A tree; in the order that Git wants unless it is not `ordered`."""
        listed = list(entries)
        if ordered:
            listed.sort(key=lambda entry: entry[1] + (b"/" if entry[0].lstrip(b"0") == b"40000" else b""))
        return self.store(
            "tree", b"".join(b"%s %s\0%s" % (mode, name, bytes.fromhex(oid)) for mode, name, oid in listed)
        )

    def ref(self, name: bytes, content: str) -> None:
        file = Path(str(self.path), *(part.decode("utf-8", "surrogateescape") for part in name.split(b"/")))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{content}\n", encoding="ascii")


def plain_date(number: int) -> bytes:
    return b"%d +0000" % (1_600_000_000 + 86_400 * number)


@dataclass(frozen=True)
class Oddity:
    """What is odd in a repository. All but the last are asked for each commit of the history, by number.

    source: content of `a.py` from its plain one. mode: of `a.py`. extra: further entries of the root. ordered: whether
    trees are sorted. date: time and zone of both people. people: the two header lines, in place of those made of
    `date`. headers: lines behind them. message: of the commit. history: what is done to the whole, with its commits.
    """

    source: Callable[[int, bytes], bytes] = lambda _, content: content
    mode: bytes = b"100644"
    extra: Callable[[ObjectStore, int], Iterable[Entry]] = lambda _, __: ()
    ordered: bool = True
    date: Callable[[int], bytes] = plain_date
    people: Callable[[int], bytes | None] = lambda _: None
    headers: Callable[[int], bytes] = lambda _: b""
    message: Callable[[int], bytes] = lambda number: b"Commit %d\n" % number
    history: Callable[[ObjectStore, list[str]], None] = lambda _, __: None


PLAIN: Final = Oddity()


def build(path: Path, oddity: Oddity, mark: str = "") -> list[str]:
    """Make the repository and return the ids of its common history.

    Args:
        mark: makes contents, and so ids and rows, those of this repository alone.
    """
    objects = ObjectStore(path)
    commits: list[str] = []
    for number, parents in enumerate(_PARENTS):
        source = "".join(f"value_{line} = {_CHANGES[number].get(line, 'plain')!r}\n" for line in _LINES)
        source = f"mark = {mark!r}\n" * 3 + source
        entries = [
            (oddity.mode, b"a.py", objects.blob(oddity.source(number, source.encode()))),
            (b"100644", b"other.py", objects.blob(f"other = {mark!r}\n".encode())),
            *oddity.extra(objects, number),
        ]
        tree = objects.tree(entries, ordered=oddity.ordered)
        commits.append(make_commit(objects, oddity, number, tree, [commits[parent] for parent in parents]))
    objects.ref(b"refs/heads/main", commits[-1])
    oddity.history(objects, commits)
    return commits


def make_commit(objects: ObjectStore, oddity: Oddity, number: int, tree: str, parents: Iterable[str]) -> str:
    """A commit as the oddity wants it."""
    date = oddity.date(number)
    people = oddity.people(number)
    if people is None:
        people = b"author A <a@example.org> %s\ncommitter C <c@example.org> %s\n" % (date, date)
    head = b"tree %s\n" % tree.encode() + b"".join(b"parent %s\n" % parent.encode() for parent in parents)
    return objects.store("commit", head + people + oddity.headers(number) + b"\n" + oddity.message(number))


def mined_rows(path: Path) -> list[dict[str, Any]]:
    """The lines about candidates of the repository's mined file.

    Raises:
        GitGoodBenchError: it cannot be mined; the message is the reason.
    """
    return _mined(path)[1:]


def left_out(path: Path) -> dict[str, int]:
    """What mining the repository says that it left out, where there was any."""
    counts: dict[str, int] = _mined(path)[0]["left_out"]
    return {what: count for what, count in counts.items() if count}


def _mined(path: Path) -> list[dict[str, Any]]:
    mined = mine_target(Target(Project(name="acme/odd"), Mirror(path)), Order(), ())
    if isinstance(mined, Failed):
        raise GitGoodBenchError(mined.reason)
    assert mined.content is not None
    return [json.loads(line) for line in mined.content.split(b"\n")[:-1]]


def mined_samples(path: Path) -> list[Sample]:
    """The mined rows as those of a dataset, whatever their difficulty."""
    return [_sample(row["sample_type"], row["spec"]) for row in mined_rows(path)]


def samples(commits: Sequence[str]) -> list[Sample]:
    """The merge and the chain of the common history as rows, where mining would not give them."""
    merge = {
        "merge_commit_hash": commits[MERGE],
        "parents": (commits[OURS], commits[THEIRS]),
        "number_of_files_with_merge_conflict": 1,
        "total_number_of_merge_conflicts": 1,
        "files_in_merge_conflict": ("a.py",),
    }
    chain = {
        "file": "a.py",
        "branch": "main",
        "times_seen_consecutively": 3,
        "purity": 1.0,
        "newest_commit": commits[THIRD],
        "oldest_commit": commits[FIRST],
    }
    return [_sample("merge", merge), _sample("file_commit_chain", chain)]


def _sample(kind: str, spec: Mapping[str, Any]) -> Sample:
    return Sample(
        id=f"acme_odd_{kind}_0000", name="acme/odd", programming_language="python", sample_type=kind,
        difficulty="easy", spec=sample_type(kind).spec.model_validate(spec),
    )  # fmt: skip
