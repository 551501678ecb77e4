"""Files as they were before a step of opencode: it keeps a tree of the whole folder for each, in a Git repository of
its own. They are cleared away after some days, so that all of this may be absent."""

from __future__ import annotations

import hashlib
import os
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.batch import ObjectReader
from gitgoodbench.git.objects import FOLDER
from gitgoodbench.git.process import Git

_OID = frozenset("0123456789abcdef")


class Snapshots:
    """The snapshots of one project. folder: `snapshot/<project>`; worktree: the project's."""

    def __init__(self, folder: Path, worktree: str) -> None:
        self._worktree = worktree
        self._stack = ExitStack()
        own = folder / hashlib.sha1(worktree.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
        self._folder = next((one for one in (own, folder) if (one / "HEAD").is_file()), None)
        self._reader: ObjectReader | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def content(self, tree: str | None, path: str) -> tuple[bool, bytes | None]:
        """Whether it is known what a file was in a tree, and its content; None where it did not exist."""
        if self._folder is None or not tree or len(tree) not in (40, 64) or not set(tree) <= _OID:
            return False, None
        relative = os.path.relpath(path, self._worktree)
        if relative.startswith(".."):
            return False, None
        try:
            if self._reader is None:
                self._reader = self._stack.enter_context(ObjectReader(Git(self._folder)))
            entry = self._reader.entry(tree, os.fsencode(relative))
            if entry is None or entry.mode == FOLDER:
                return True, None
            found = self._reader.blob(entry.oid)
        except (GitGoodBenchError, OSError, ValueError):
            self._folder = None  # damaged or cleared away
            return False, None
        return found is not None, found
