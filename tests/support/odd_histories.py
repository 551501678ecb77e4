"""What is done to the history of an odd repository as a whole (see `oddities`)."""

from __future__ import annotations

import os
import shutil
from typing import Final

from gitgoodbench.git.process import Git
from tests.support.odd_repositories import (
    BASE,
    FIRST,
    MERGE,
    PLAIN,
    SECOND,
    THIRD,
    Entry,
    ObjectStore,
    Oddity,
    make_commit,
)

YEAR_2050: Final = 2_524_608_000
FILE: Final = b"100644"
FOLDER: Final = b"40000"


def tip(objects: ObjectStore, oddity: Oddity, parents: list[str], content: bytes = b"new\n") -> str:
    """One commit more."""
    tree = objects.tree([(FILE, b"a.py", objects.blob(content))])
    return make_commit(objects, oddity, THIRD, tree, parents)


def future_branch(objects: ObjectStore, commits: list[str]) -> None:
    objects.ref(b"refs/heads/wip", tip(objects, Oddity(date=lambda _: b"%d +0000" % YEAR_2050), commits[-1:]))


def replaced(objects: ObjectStore, commits: list[str]) -> None:
    objects.ref(b"refs/replace/" + commits[SECOND].encode(), tip(objects, PLAIN, []))
    (objects.path / "info" / "grafts").write_text(f"{commits[FIRST]}\n", encoding="ascii")


def unrelated(objects: ObjectStore, commits: list[str]) -> None:
    stranger = tip(objects, PLAIN, [], b"stranger\n")
    objects.ref(b"refs/heads/joined", tip(objects, PLAIN, [commits[-1], stranger]))


def empty_trees(objects: ObjectStore, commits: list[str]) -> None:
    nothing = objects.tree([])
    first = make_commit(objects, PLAIN, THIRD, nothing, [])
    objects.ref(b"refs/heads/nothing", make_commit(objects, PLAIN, THIRD, nothing, [first, commits[-1]]))


def same_parent_twice(objects: ObjectStore, commits: list[str]) -> None:
    objects.ref(b"refs/heads/twice", tip(objects, PLAIN, [commits[-1], commits[-1]]))


def octopus(objects: ObjectStore, commits: list[str]) -> None:
    sides = [tip(objects, PLAIN, commits[-1:], b"side %d\n" % number) for number in range(3)]
    objects.ref(b"refs/heads/octopus", tip(objects, PLAIN, sides))


def tags(objects: ObjectStore, _: list[str]) -> None:
    tree = objects.tree([])
    tag = objects.store("tag", b"object %s\ntype tree\ntag odd\n\nno tagger\n" % tree.encode())
    objects.ref(b"refs/tags/odd", tag)
    objects.ref(b"refs/tags/tree", tree)
    objects.ref(b"refs/tags/nested", objects.store("tag", b"object %s\ntype tag\ntag n\n\n" % tag.encode()))
    objects.ref(b"refs/tags/blob", objects.blob(b"a tag of a blob\n"))
    objects.ref(b"refs/tags/gone", "1" * 40)


def branches_of_no_commits(objects: ObjectStore, commits: list[str]) -> None:
    objects.ref(b"refs/heads/blob", objects.blob(b"a branch of a blob\n"))
    objects.ref(b"refs/heads/tree", objects.tree([]))
    tag = objects.store("tag", b"object %s\ntype commit\ntag t\n\n" % commits[-1].encode())
    objects.ref(b"refs/heads/tag", tag)
    objects.ref(b"refs/heads/gone", "2" * 40)


def odd_refs(objects: ObjectStore, commits: list[str]) -> None:
    objects.ref(b"refs/heads/empty", "")
    objects.ref(b"refs/heads/zero", "0" * 40)
    objects.ref(b"refs/heads/words", "not an id")
    objects.ref(b"refs/heads/loop", "ref: refs/heads/loop")
    objects.ref(b"refs/heads/nowhere", "ref: refs/heads/absent")
    objects.ref(b"refs/heads/elsewhere", "ref: ../../outside")
    objects.ref(b"refs/heads/a..b", commits[0])
    objects.ref(b"refs/heads/with space", commits[0])
    objects.ref(b"refs/heads/-rf", commits[0])
    objects.ref(b"refs/heads/latin-\xe9", commits[0])
    objects.ref(b"refs/heads/refs/heads/main", commits[0])
    objects.ref(b"refs/heads/locked.lock", commits[0])


def packed_refs(objects: ObjectStore, commits: list[str]) -> None:
    lines = [
        "# pack-refs with: peeled fully-peeled sorted ", f"{commits[0]} refs/heads/\xe9", f"{'3' * 40} refs/heads/gone",
        f"{commits[1]} refs/heads/main", f"{commits[2]} refs/tags/v1", f"^{commits[2]}",
    ]  # fmt: skip
    (objects.path / "packed-refs").write_bytes("\n".join(lines).encode("latin-1") + b"\n")


def detached(objects: ObjectStore, commits: list[str]) -> None:
    (objects.path / "HEAD").write_text(f"{commits[MERGE]}\n", encoding="ascii")


def latin_head(objects: ObjectStore, commits: list[str]) -> None:
    objects.ref(b"refs/heads/br\xe9", commits[-1])
    (objects.path / "HEAD").write_bytes(b"ref: refs/heads/br\xe9\n")


def shallow(objects: ObjectStore, commits: list[str]) -> None:
    (objects.path / "shallow").write_text(f"{commits[BASE]}\n", encoding="ascii")


def side_shallow(objects: ObjectStore, commits: list[str]) -> None:
    """History that ends above the base, which is not there."""
    (objects.path / "shallow").write_text(f"{commits[MERGE]}\n", encoding="ascii")
    for commit in commits[:MERGE]:
        objects.file(commit).unlink()


def alternates(objects: ObjectStore, _: list[str]) -> None:
    lent = objects.path / 'lent "objects"\n'
    shutil.move(objects.path / "objects", lent)
    (objects.path / "objects" / "info").mkdir(parents=True)
    quoted = b'"' + bytes(objects.path) + b'/lent \\"objects\\"\\n"\n'
    (objects.path / "objects" / "info" / "alternates").write_bytes(b"# lent\n" + quoted + b"/nowhere\n")


def without_folder(objects: ObjectStore, _: list[str]) -> None:
    objects.file(objects.tree([(FILE, b"x", objects.blob(b"in the folder\n"))])).unlink()


def folder(objects: ObjectStore, _: int) -> list[Entry]:
    return [(FOLDER, b"folder", objects.tree([(FILE, b"x", objects.blob(b"in the folder\n"))]))]


def damaged_object(objects: ObjectStore, _: list[str]) -> None:
    objects.file(objects.blob(b"damaged\n")).write_bytes(b"garbage")


def damaged_pack(objects: ObjectStore, commits: list[str]) -> None:
    """A branch of its own in a pack whose second half is overwritten."""
    side = tip(objects, PLAIN, commits[-1:], os.urandom(64) * 100)
    objects.ref(b"refs/heads/damaged", side)
    names = "".join(f"{oid}\n" for oid in (side,))
    git = Git(objects.path)
    name = git.line("pack-objects", "--quiet", str(objects.path / "objects" / "pack" / "pack"), stdin=names.encode())
    objects.file(side).unlink()
    pack = objects.path / "objects" / "pack" / f"pack-{name}.pack"
    content = pack.read_bytes()
    pack.chmod(0o644)
    pack.write_bytes(content[:14] + b"\xff" * (len(content) - 34) + content[-20:])


def partial(objects: ObjectStore, _: list[str]) -> None:
    (objects.path / "config").write_text(
        "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\tpartialClone = origin\n"
        '[remote "origin"]\n\turl = file:///nowhere\n\tpromisor = true\n',
        encoding="ascii",
    )
    objects.file(objects.blob(b"not there\n")).unlink()


def stale_graph(objects: ObjectStore, _: list[str]) -> None:
    (objects.path / "objects" / "info" / "commit-graph").write_bytes(b"CGPH" + b"\0" * 64)


def void(_: object) -> None:
    """For expressions in lambdas."""
