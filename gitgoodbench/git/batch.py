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
from gitgoodbench.git.objects import FOLDER, Entry
from gitgoodbench.git.process import Git

_TREES_KEPT: Final = 128
_ASKED_AT_ONCE: Final = 50
"""So few that the names fit into the pipe while Git waits for its answers to be read."""


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
        wanted = list(dict.fromkeys(oids))
        for start in range(0, len(wanted), _ASKED_AT_ONCE):
            asked = wanted[start : start + _ASKED_AT_ONCE]
            self._send(*asked)
            answers = [self._receive(oid) for oid in asked]
            for oid, found in zip(asked, answers, strict=True):
                if found is None:
                    raise MissingObjectError(f"{oid} is missing")
                contents[oid] = found.content
        return contents

    def differences(self, before: str, after: str) -> dict[bytes, tuple[Entry | None, Entry | None]]:
        """Paths of files, links and submodules that differ between two commits or trees, with both entries.

        Raises:
            MissingObjectError: a tree is missing.
        """
        differing: dict[bytes, tuple[Entry | None, Entry | None]] = {}
        folders = (Entry(FOLDER, self._root(before)), Entry(FOLDER, self._root(after)))
        self._compare(b"", *folders, differing)
        return differing

    def entry(self, treeish: str, path: bytes) -> Entry | None:
        """What is at a path, a folder included; None where nothing is.

        Raises:
            MissingObjectError: a tree on the way is missing.
        """
        entry: Entry | None = Entry(FOLDER, self._root(treeish))
        for name in path.split(b"/"):
            if entry is None or entry.mode != FOLDER:
                return None
            entry = self._folder(entry.oid).get(name)
        return entry

    def _root(self, treeish: str) -> str:
        found = self._ask(f"{treeish}^{{tree}}")
        if found is None:
            raise MissingObjectError(f"the tree of {treeish} is missing")
        return found.oid

    def _compare(
        self, path: bytes, old: Entry | None, new: Entry | None,
        differing: dict[bytes, tuple[Entry | None, Entry | None]],
    ) -> None:  # fmt: skip
        """Add the differences between what two trees have at a path: a file, a folder or nothing."""
        if old == new:
            return
        files = tuple(None if entry is None or entry.mode == FOLDER else entry for entry in (old, new))
        if any(files):
            differing[path] = (files[0], files[1])
        before, after = (
            self._folder(entry.oid) if entry is not None and entry.mode == FOLDER else {} for entry in (old, new)
        )
        prefix = path + b"/" if path else b""
        for name in sorted(before.keys() | after.keys()):
            self._compare(prefix + name, before.get(name), after.get(name), differing)

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
            folder[name] = Entry(mode.decode("ascii"), content[end + 1 : start].hex())
        return folder

    def _ask(self, name: str) -> _Object | None:
        self._send(name)
        return self._receive(name)

    def _send(self, *names: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{name}\n" for name in names).encode("ascii"))
        self._process.stdin.flush()

    def _receive(self, name: str) -> _Object | None:
        assert self._process.stdout is not None
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
