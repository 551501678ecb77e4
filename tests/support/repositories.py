"""Repositories built commit by commit from plain mappings, through plumbing alone: any bytes, any mode, fixed ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gitgoodbench.git.objects import REGULAR, Entry, write_blob
from gitgoodbench.git.process import Git

Content = bytes | tuple[str, bytes] | Entry
"""A file's bytes; (mode, bytes) for another mode; a ready entry, for submodules."""


class RepositoryBuilder:
    """A bare repository at `path`. Commits are made with explicit parents; dates advance by a day each."""

    def __init__(self, path: Path, *, algorithm: str = "sha1") -> None:
        path.mkdir(parents=True)
        self.path = path
        self.git = Git(path)
        self.git.run("init", "--quiet", "--bare", "--template=", f"--object-format={algorithm}")
        self._count = 0

    def commit(
        self, files: Mapping[bytes, Content], parents: Sequence[str] = (), message: bytes = b"A commit\n"
    ) -> str:
        """A commit whose tree is exactly `files`."""
        tree = self.tree(files)
        self._count += 1
        date = f"{1_600_000_000 + 86_400 * self._count} +0000"
        dated = self.git.with_env(GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
        args = [arg for parent in parents for arg in ("-p", parent)]
        return dated.line("commit-tree", *args, "-F", "-", tree, stdin=message)

    def tree(self, files: Mapping[bytes, Content]) -> str:
        index = self.git.with_env(GIT_INDEX_FILE=str(self.path / "scratch-index"))
        index.run("read-tree", "--empty")
        lines = []
        for path, content in files.items():
            entry = self._entry(content)
            lines.append(b"%s %s\t%s\0" % (entry.mode.encode(), entry.oid.encode(), path))
        index.run("update-index", "-z", "--index-info", stdin=b"".join(lines))
        return index.line("write-tree", "--missing-ok")

    def branch(self, name: str, commit: str) -> None:
        self.git.run("update-ref", f"refs/heads/{name}", commit)

    def _entry(self, content: Content) -> Entry:
        if isinstance(content, Entry):
            return content
        mode, data = content if isinstance(content, tuple) else (REGULAR, content)
        return Entry(mode, write_blob(self.git, data))
