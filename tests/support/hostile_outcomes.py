"""Outcomes of a few kilobytes that ask for much: packs written byte by byte, since Git would not write them.

A builder gets a `Pack` and the root folder of the commit that it stands on, and gives the trees of the commits that the
agent is said to have made, oldest first.
"""

from __future__ import annotations

import hashlib
import random
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gitgoodbench.git.process import Git
from gitgoodbench.scenario import Outcome

FILE = b"a.py"
"""The file that all samples are about."""

Folder = Mapping[bytes, tuple[bytes, str]]
"""Name -> mode and object id."""

_KINDS = {"commit": 1, "tree": 2, "blob": 3}
_BY_ID = 7
_WHO = b"a <a@example.org> 1577836800 +0000"
_UNIT = 0xFF0000
"""Bytes that one instruction of a delta copies at most."""

MIB = 2**20


@dataclass
class Pack:
    """A pack that is being written. refs: of the bundle. messages: of the commits, by their number."""

    entries: dict[str, bytes] = field(default_factory=dict)
    refs: int = 1

    def put(self, kind: str, data: bytes) -> str:
        """Store an object as it is; its id."""
        oid = _oid(kind, data)
        if oid not in self.entries:
            self.entries[oid] = _head(_KINDS[kind], len(data)) + zlib.compress(data, 9)
        return oid

    def blob(self, data: bytes) -> str:
        return self.put("blob", data)

    def tree(self, folder: Folder) -> str:
        return self.put("tree", tree_bytes(folder))

    def repeated(self, base: bytes, times: int, tail: bytes = b"") -> str:
        """The id of a blob that is another one, of at most 16 MB, so many times: the other one and a short delta."""
        assert len(base) <= _UNIT
        size = len(base).to_bytes(3, "little")
        copy = b"\xf0" + size
        script = _number(len(base)) + _number(len(base) * times + len(tail)) + copy * times
        script += bytes([len(tail)]) + tail if tail else b""
        digest = hashlib.sha1(b"blob %d\0" % (len(base) * times + len(tail)))
        for _ in range(times):
            digest.update(base)
        digest.update(tail)
        below = self.blob(base)
        oid = digest.hexdigest()
        self.entries[oid] = _head(_BY_ID, len(script)) + bytes.fromhex(below) + zlib.compress(script, 9)
        return oid

    def commit(self, tree: str, parents: Sequence[str], message: bytes = b"A commit\n") -> str:
        lines = [b"tree %s" % tree.encode(), *(b"parent %s" % parent.encode() for parent in parents)]
        lines += [b"author " + _WHO, b"committer " + _WHO, b"", message]
        return self.put("commit", b"\n".join(lines))

    def bundle(self, head: str) -> bytes:
        body = b"PACK" + struct.pack(">II", 2, len(self.entries)) + b"".join(self.entries.values())
        refs = b"".join(b"%s refs/heads/%d\n" % (head.encode(), number) for number in range(self.refs - 1))
        return b"# v2 git bundle\n" + refs + b"%s HEAD\n\n" % head.encode() + body + hashlib.sha1(body).digest()


def outcome_of(pack: Pack, head: str) -> Outcome:
    """The outcome of an agent that left nothing else undone."""
    return Outcome(head, pack.bundle(head), {"finished": True, "uncommitted": [], "unmerged": []})


def read_folder(git: Git, commit: str) -> dict[bytes, tuple[bytes, str]]:
    """The root folder of a commit."""
    listed = git.run("ls-tree", "-z", commit).split(b"\0")[:-1]
    heads = (record.partition(b"\t") for record in listed)
    return {name: (head.split()[0].lstrip(b"0"), head.split()[2].decode()) for head, _, name in heads}


def tree_bytes(folder: Folder) -> bytes:
    """A folder as an object, its entries in Git's order."""
    ordered = sorted(folder.items(), key=lambda entry: entry[0] + (b"/" if entry[1][0] == b"40000" else b""))
    return b"".join(b"%s %s\0" % (mode, name) + bytes.fromhex(oid) for name, (mode, oid) in ordered)


def _oid(kind: str, data: bytes) -> str:
    return hashlib.sha1(b"%s %d\0" % (kind.encode(), len(data)) + data).hexdigest()


def _head(kind: int, size: int) -> bytes:
    head, byte, size = bytearray(), kind << 4 | size & 15, size >> 4
    while size:
        head.append(byte | 128)
        byte, size = size & 127, size >> 7
    return bytes([*head, byte])


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


Trees = Callable[[Pack, Folder], Sequence[str]]


def _with(folder: Folder, **named: str) -> dict[bytes, tuple[bytes, str]]:
    return {**folder, **{name.encode(): (b"100644", oid) for name, oid in named.items()}}


def _as_file(pack: Pack, folder: Folder, *contents: str, name: bytes = FILE) -> list[str]:
    """A tree for each id of a blob, which is the file that the sample is about."""
    return [pack.tree({**folder, name: (b"100644", oid)}) for oid in contents]


def delta_blob(pack: Pack, folder: Folder, times: int = 60) -> Sequence[str]:
    """A blob of a gigabyte by one delta."""
    return [pack.tree(_with(folder, big=pack.repeated(bytes(_UNIT), times)))]


def large_blobs(pack: Pack, folder: Folder) -> Sequence[str]:
    """Forty blobs of 95 MiB each, none of them too large by itself."""
    base = b"x" * (5 * MIB)
    return [pack.tree(_with(folder, **{f"f{n}": pack.repeated(base, 19, b"%d" % n) for n in range(40)}))]


def large_text(pack: Pack, folder: Folder) -> Sequence[str]:
    """The file becomes 50 MB of lines, then others."""
    line = b"x" * 59 + b"\n"
    return _as_file(pack, folder, pack.repeated(line * 80_000, 10), pack.repeated(line * 80_000, 11, b"y\n"))


def newlines(pack: Pack, folder: Folder, size: int = MIB) -> Sequence[str]:
    """A file of newlines."""
    return _as_file(pack, folder, pack.blob(b"a" + b"\n" * (size - 1)), name=b"z.txt")


def newlines_of_code(pack: Pack, folder: Folder) -> Sequence[str]:
    """Fifteen MiB of newlines as the file that the sample is about."""
    return _as_file(pack, folder, pack.repeated(b"\n" * MIB, 15), pack.repeated(b"\n" * MIB, 14, b"a\n"))


def long_line(pack: Pack, folder: Folder) -> Sequence[str]:
    """Code of 1.8 MB on one line."""
    calls = b"f(a, 1); g(b, 2); " * 1000
    return _as_file(pack, folder, pack.repeated(calls, 100), pack.repeated(calls, 99, b"h(c)"))


def many_statements(pack: Pack, folder: Folder) -> Sequence[str]:
    """Two hundred thousand statements, twice another way round."""
    one, other = b"a = f(b)\n" * 2000, b"b = g(a)\n" * 2000
    return _as_file(pack, folder, pack.repeated(one, 100), pack.repeated(other, 100))


def deep_brackets(pack: Pack, folder: Folder) -> Sequence[str]:
    """Brackets in brackets, a hundred thousand deep."""
    return _as_file(pack, folder, pack.blob(b"a = " + b"[" * 100_000 + b"]" * 100_000 + b"\n"))


def deep_lists(pack: Pack, folder: Folder) -> Sequence[str]:
    """YAML that ends the parser."""
    return _as_file(pack, folder, pack.blob(b"- " * 1000 + b"x\n"), name=b"a.yaml")


def deep_code(pack: Pack, folder: Folder) -> Sequence[str]:
    """Blocks in blocks with siblings on both sides: what tree edit distance finds hardest."""

    def nested(word: bytes) -> bytes:
        lines = [b" " * depth + b"if %s:\n" % word + b" " * (depth + 1) + b"f(1, 2)\n" for depth in range(90)]
        return b"".join(lines) + b"".join(b" " * depth + b"g(%s, 3)\n" % word for depth in range(90, -1, -1))

    return _as_file(pack, folder, pack.repeated(nested(b"a"), 60), pack.repeated(nested(b"b"), 60))


def random_lines(pack: Pack, folder: Folder) -> Sequence[str]:
    """Lines of two kinds in random order, and others: what a diff finds hardest."""
    orders = [random.Random(seed).choices((b"a\n", b"b\n"), k=120_000) for seed in range(3)]
    return _as_file(pack, folder, *(pack.blob(b"".join(order)) for order in orders), name=b"z.txt")


def deep_paths(pack: Pack, folder: Folder, depth: int = 1000, length: int = 1000) -> Sequence[str]:
    """Folders in folders with long names: the paths together have half a gigabyte."""
    oid = pack.tree({b"f": (b"100644", pack.blob(b"x"))})
    for _ in range(depth):
        oid = pack.tree({b"d" * length: (b"40000", oid)})
    return [pack.tree({**folder, b"deep": (b"40000", oid)})]


def deep_tree(pack: Pack, folder: Folder) -> Sequence[str]:
    """Folders in folders, as many as there is room for."""
    return deep_paths(pack, folder, 1600, 1)


def repeating_tree(pack: Pack, folder: Folder) -> Sequence[str]:
    """Ten folders that each hold the next one ten times: 10^10 files in eleven objects."""
    mode, oid = b"100644", pack.blob(b"x")
    for _ in range(10):
        mode, oid = b"40000", pack.tree({b"%d" % n: (mode, oid) for n in range(10)})
    return [pack.tree({**folder, b"deep": (b"40000", oid)})]


def wide_tree(pack: Pack, folder: Folder) -> Sequence[str]:
    """Twenty-five thousand files in one folder, and the same once more."""
    oid = pack.blob(b"x\n")
    return [
        pack.tree({**folder, **{b"w%s%05d" % (p, n): (b"100644", oid) for n in range(13_000)}}) for p in (b"a", b"b")
    ]


def many_files(pack: Pack, folder: Folder) -> Sequence[str]:
    """A thousand files of a MiB each, that all appear in one commit and change in the next."""
    base = b"x" * 63 + b"\n"
    trees = []
    for times in (15, 16):
        oid = pack.repeated(base * 1024, times)
        trees.append(pack.tree({**folder, **{b"f%04d" % n: (b"100644", oid) for n in range(1000)}}))
    return trees


def renamed_files(pack: Pack, folder: Folder) -> Sequence[str]:
    """Nine hundred files that are all renamed and slightly changed."""
    trees = []
    for side in (b"a", b"b"):
        files = {
            b"%s%03d" % (side, n): (b"100644", pack.blob(b"%s%d\nsame\nsame\nsame\n" % (side, n))) for n in range(900)
        }
        trees.append(pack.tree({**folder, **files}))
    return trees


def many_commits(pack: Pack, folder: Folder) -> Sequence[str]:
    """Five hundred commits that each change the file."""
    return _as_file(pack, folder, *(pack.blob(b"a = %d\n" % n) for n in range(360)))


def large_patches(pack: Pack, folder: Folder) -> Sequence[str]:
    """Two hundred commits with a patch of two MiB each."""
    base = (b"x" * 63 + b"\n") * 1024
    return _as_file(pack, folder, *(pack.repeated(base, 16, b"%d\n" % n) for n in range(200)), name=b"z.txt")


def attributes(pack: Pack, folder: Folder) -> Sequence[str]:
    """Attributes of five MiB."""
    return _as_file(pack, folder, pack.repeated(b"*.a* -diff merge=union\n" * 1000, 220), name=b".gitattributes")


def many_refs(pack: Pack, folder: Folder) -> Sequence[str]:
    """A bundle with a thousand refs."""
    pack.refs = 1000
    return _as_file(pack, folder, pack.blob(b"a = 0\n"))


TREES: Mapping[str, Trees] = {
    builder.__name__: builder
    for builder in (
        delta_blob, large_blobs, large_text, newlines, newlines_of_code, long_line, many_statements, deep_brackets,
        deep_lists, deep_code, random_lines, deep_paths, deep_tree, repeating_tree, wide_tree, many_files,
        renamed_files, many_commits, large_patches, attributes, many_refs,
    )
}  # fmt: skip
"""What is hostile about the contents."""


def in_a_chain(git: Git, start: str, trees: Trees) -> Outcome:
    """The commits on top of `start`, and one more that brings its tree back."""
    pack, folder = Pack(), read_folder(git, start)
    head = start
    for number, tree in enumerate(trees(pack, folder)):
        head = pack.commit(tree, [head], b"Step %d\n" % number)
    return outcome_of(pack, pack.commit(pack.tree(folder), [head], b"The end\n"))


def in_a_merge(git: Git, local: str, incoming: str, trees: Trees) -> Outcome:
    """A merge of two commits with the last tree; the others are commits below it."""
    pack, folder = Pack(), read_folder(git, local)
    *below, last = trees(pack, folder)
    head = local
    for number, tree in enumerate(below):
        head = pack.commit(tree, [head], b"Step %d\n" % number)
    return outcome_of(pack, pack.commit(last, [head, incoming], b"Merge\n"))


def huge_message(git: Git, parents: Sequence[str]) -> Outcome:
    """A message of 60 MiB."""
    return _of_commits(git, parents, lambda pack, tree: pack.commit(tree, parents, b"word " * (12 * MIB)))


def trailers(git: Git, parents: Sequence[str]) -> Outcome:
    """A message of 8 MB that looks like nothing but references and trailers."""
    return _of_commits(
        git, parents, lambda pack, tree: pack.commit(tree, parents, b"fix #1, see #2: [#3] a/b#4 " * 300_000)
    )


def octopus(git: Git, parents: Sequence[str]) -> Outcome:
    """A commit with five hundred parents."""

    def made(pack: Pack, tree: str) -> str:
        many = [pack.commit(tree, parents, b"%d\n" % number) for number in range(500)]
        return pack.commit(tree, [*parents, *many], b"All\n")

    return _of_commits(git, parents, made)


def criss_cross(git: Git, parents: Sequence[str]) -> Outcome:
    """Three hundred pairs of commits, each with both of the pair before as parents."""

    def made(pack: Pack, tree: str) -> str:
        pair = list(parents)
        for number in range(300):
            pair = [pack.commit(tree, order, b"%d\n" % number) for order in (pair, pair[::-1])]
        return pack.commit(tree, pair, b"The end\n")

    return _of_commits(git, parents, made)


def empty_commits(git: Git, parents: Sequence[str]) -> Outcome:
    """Six hundred commits without a change."""

    def made(pack: Pack, tree: str) -> str:
        head = pack.commit(tree, parents)
        for number in range(600):
            head = pack.commit(tree, [head], b"%d\n" % number)
        return head

    return _of_commits(git, parents, made)


def _of_commits(git: Git, parents: Sequence[str], made: Callable[[Pack, str], str]) -> Outcome:
    pack = Pack()
    return outcome_of(pack, made(pack, pack.tree(read_folder(git, parents[0]))))


HISTORIES: Mapping[str, Callable[[Git, Sequence[str]], Outcome]] = {
    builder.__name__: builder for builder in (huge_message, trailers, octopus, criss_cross, empty_commits)
}
"""What is hostile about the commits."""
