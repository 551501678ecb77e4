"""The working tree as the harness's own tools have changed it: what they wrote, over the automatic merge.

Where the tool set has no shell only the tools change files, so what they wrote is what there is. It is kept here and
reaches the sandbox with the commit, made from blobs and index entries and never by reading files back: so bytes,
modes, links and submodules come out exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from gitgoodbench.errors import InfrastructureFailed, ToolError
from gitgoodbench.git.objects import EXECUTABLE, REGULAR, SUBMODULE, Entry, Tree, stage, write_blob
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git
from gitgoodbench.git.tree_paths import is_tree_path
from gitgoodbench.resolving.task import Task
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.workspace.build import commit_index, write_changed

VIEW_LIMIT = 8 * 1024 * 1024
LONGEST_NAME, LONGEST_PATH = 255, 1024
"""Bytes. File systems take no longer names, and every path must fit below the work folder."""


_PERMISSIONS = {REGULAR: 0o644, EXECUTABLE: 0o755}


@dataclass(frozen=True)
class WorkingFile:
    """A path's mode and content; of a symbolic link the target, of a submodule the commit id in ASCII."""

    mode: str
    content: bytes


class WorkingTree:
    """Files over an automatic merge; `git` runs inside the sandbox."""

    def __init__(self, sandbox: Sandbox, git: Git, automatic: Tree) -> None:
        self._sandbox = sandbox
        self._git = git
        self._automatic = automatic
        self._written: dict[bytes, WorkingFile | Entry | None] = {}

    def entry_at(self, path: bytes) -> WorkingFile | Entry | None:
        """What stands at the path: written here, or the automatic merge's entry."""
        return self._written[path] if path in self._written else self._automatic.get(path)

    def read(self, path: bytes) -> WorkingFile | None:
        """The file at the path, or None.

        Raises:
            ToolError: it is too large to be shown, or its content is missing from the repository.
        """
        found = self.entry_at(path)
        if not isinstance(found, Entry):
            return found
        if found.mode == SUBMODULE:
            return WorkingFile(found.mode, found.oid.encode())
        result = self._git.execute("cat-file", "blob", found.oid, output_limit=VIEW_LIMIT)
        if result.returncode != 0 or result.truncated:
            reason = f"is larger than {VIEW_LIMIT} bytes" if result.truncated else "is missing from this repository"
            raise ToolError(f"the content of {show_path(path)} {reason}")
        return WorkingFile(found.mode, result.stdout)

    def has_folder(self, path: bytes) -> bool:
        """Whether the path is a folder with at least one file."""
        inside = path + b"/"
        return any(
            self.entry_at(each) is not None
            for each in itertools.chain(self._written, self._automatic)
            if each.startswith(inside)
        )

    def write(self, path: bytes, file: WorkingFile) -> None:
        """Put a file, link or submodule at the path.

        Raises:
            ToolError: the path cannot be one of a file in this tree.
        """
        self._check(path)
        self._written[path] = file

    def place(self, path: bytes, entry: Entry | None) -> None:
        """Put an object that the repository has at the path; None removes what is there."""
        self._written[path] = entry

    def commit(self, message: bytes, task: Task) -> str:
        """Commit the automatic merge with everything written over it; index and working tree follow. Returns the
        commit's id.
        """
        changes: dict[bytes, Entry | None] = {}
        for path, file in self._written.items():
            if isinstance(file, WorkingFile):
                oid = file.content.decode("ascii") if file.mode == SUBMODULE else write_blob(self._git, file.content)
                changes[path] = Entry(file.mode, oid)
            else:
                changes[path] = file
        stage(self._git, changes)
        commit = commit_index(self._git, message, task.parents, task.pending)
        self._follow(changes)
        return commit

    def _follow(self, changes: Mapping[bytes, Entry | None]) -> None:
        """Bring the sandbox's files to what was committed: by writing them, which is quick, unless paths come or go."""
        written = {path: file for path, file in self._written.items() if isinstance(file, WorkingFile)}
        before = {path: entry for path, entry in self._automatic.items() if path in changes}
        if all(path in written and path in before and before[path].is_file for path in changes) and all(
            file.mode in _PERMISSIONS for file in written.values()
        ):
            for path, file in written.items():
                self._sandbox.put(path, file.content, mode=_PERMISSIONS[file.mode])
            return
        if not write_changed(self._git, changes):
            raise InfrastructureFailed("files of the merge that was committed cannot be written")

    def _check(self, path: bytes) -> None:
        if not is_tree_path(path):
            raise ToolError(f"{show_path(path)} is not a path inside the project")
        parts = path.split(b"/")
        if len(path) > LONGEST_PATH or any(len(part) > LONGEST_NAME for part in parts):
            raise ToolError(f"a path has at most {LONGEST_PATH} bytes, and a name in it {LONGEST_NAME}")
        for end in range(1, len(parts)):
            above = b"/".join(parts[:end])
            if self.entry_at(above) is not None:
                raise ToolError(f"{show_path(above)} is not a folder")
        if self.has_folder(path):
            raise ToolError(f"{show_path(path)} is a folder")
