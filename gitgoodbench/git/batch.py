"""One `git cat-file --batch` process that answers question after question.

For work that asks thousands of small questions, where a process for each would cost more than the answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from functools import lru_cache
from types import TracebackType
from typing import Final, NamedTuple, Self

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.objects import Entry
from gitgoodbench.git.process import Git

_TREES_KEPT: Final = 1024
_TREE_MODE: Final = "040000"


class MissingObjectError(GitGoodBenchError):
    """The repository lacks an object."""


class _Object(NamedTuple):
    oid: str
    kind: str
    content: bytes


class ObjectReader:
    """Context manager. Objects written to the repository while it is open are found too."""

    def __init__(self, git: Git) -> None:
        self._stack = ExitStack()
        self._process = self._stack.enter_context(git.stream("cat-file", "--batch"))
        self._folder = lru_cache(_TREES_KEPT)(self._read_folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def commit(self, name: str) -> str | None:
        """The id of the commit that an id, perhaps abbreviated, names; None where there is none."""
        found = self._ask(name)
        return found.oid if found is not None and found.kind == "commit" else None

    def blob(self, oid: str) -> bytes | None:
        """The content; None where the object is missing."""
        found = self._ask(oid)
        return None if found is None else found.content

    def blobs(self, oids: Iterable[str]) -> dict[str, bytes]:
        """Contents by id.

        Raises:
            MissingObjectError: one of them is missing.
        """
        contents = {}
        for oid in dict.fromkeys(oids):
            content = self.blob(oid)
            if content is None:
                raise MissingObjectError(f"{oid} is missing")
            contents[oid] = content
        return contents

    def tree(self, treeish: str) -> dict[bytes, Entry]:
        """Every file, link and submodule of a commit's or tree's files, by its path from the root.

        Raises:
            MissingObjectError: one of the trees is missing.
        """
        tree: dict[bytes, Entry] = {}
        self._collect(self._root(treeish), b"", tree)
        return tree

    def entry(self, treeish: str, path: bytes) -> Entry | None:
        """What is at a path, a folder included; None where nothing is.

        Raises:
            MissingObjectError: a tree on the way is missing.
        """
        entry: Entry | None = Entry(_TREE_MODE, self._root(treeish))
        for name in path.split(b"/"):
            if entry is None or entry.mode != _TREE_MODE:
                return None
            entry = self._folder(entry.oid).get(name)
        return entry

    def _root(self, treeish: str) -> str:
        found = self._ask(f"{treeish}^{{tree}}")
        if found is None:
            raise MissingObjectError(f"the tree of {treeish} is missing")
        return found.oid

    def _collect(self, oid: str, prefix: bytes, tree: dict[bytes, Entry]) -> None:
        for name, entry in self._folder(oid).items():
            if entry.mode == _TREE_MODE:
                self._collect(entry.oid, prefix + name + b"/", tree)
            else:
                tree[prefix + name] = entry

    def _read_folder(self, oid: str) -> dict[bytes, Entry]:
        found = self._ask(oid)
        if found is None:
            raise MissingObjectError(f"the tree {oid} is missing")
        width = len(oid) // 2
        content, start, folder = found.content, 0, {}
        while start < len(content):
            end = content.index(b"\0", start)
            mode, _, name = content[start:end].partition(b" ")
            start = end + 1 + width
            folder[name] = Entry(mode.decode().zfill(6), content[end + 1 : start].hex())
        return folder

    def _ask(self, name: str) -> _Object | None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{name}\n".encode("ascii"))
        self._process.stdin.flush()
        header = self._process.stdout.readline()
        if not header.endswith(b"\n"):
            raise GitGoodBenchError(f"git cat-file stopped at {name}")
        words = header.split()
        if len(words) != 3:
            return None  # missing, or an abbreviation that is ambiguous
        content = self._process.stdout.read(int(words[2]) + 1)
        if len(content) != int(words[2]) + 1:
            raise GitGoodBenchError(f"git cat-file stopped in {name}")
        return _Object(words[0].decode(), words[1].decode(), content[:-1])
