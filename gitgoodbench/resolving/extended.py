"""The extended tools: the published ones, and a way to change lines outside the conflicts before finishing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from gitgoodbench.errors import ToolError
from gitgoodbench.git.objects import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.text import encoding_of, to_bytes
from gitgoodbench.plugin.arguments import message_argument, path_argument
from gitgoodbench.resolving.tools import ResolvingTools
from gitgoodbench.resolving.working_tree import WorkingFile

FileType = Literal["regular", "executable", "symlink", "submodule", "deleted"]
MODES = {"regular": REGULAR, "executable": EXECUTABLE, "symlink": SYMLINK, "submodule": SUBMODULE}
LONGEST_LINK = 4095
_COMMIT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class EditingTools(ResolvingTools):
    """Resolving the last conflict leaves the merge open; `finish` commits it."""

    def functions(self) -> list[Callable[..., str]]:
        return [*super().functions(), self.edit_file, self.finish]

    def edit_file(self, path: str, old_text: str, new_text: str, file_type: FileType | None = None) -> str:
        """Replace a piece of a file that has no open conflict; create, delete or retype a file.

        Use it only where resolving the conflicts makes a change elsewhere necessary. Text is matched and written
        exactly as given (in a file with CRLF line ends, text with plain LF ones is taken to mean CRLF if it does not
        occur as given).

        Args:
            path: path of the file, from the project's root.
            old_text: the text to replace; must occur exactly once. Empty when the file is new, empty, or deleted.
            new_text: the text to put there; of a symlink its target, of a submodule its commit id. Empty when the
            file is deleted.
            file_type: what the file is to be afterwards; leave it out to keep its type (a new file is regular).

        Example:
            edit_file(path="src/app.py", old_text="total()", new_text="sum_all()")
        """
        target = path_argument(path)
        if self.resolution.current is not None and self._is_open(target):
            raise ToolError(f"{show_path(target)} has an open conflict; resolve its conflicts first")
        file = self.files.read(target)
        if file_type == "deleted":
            return self._delete(target, file, old_text, new_text)
        mode = MODES[file_type] if file_type else file.mode if file else REGULAR
        content = self._edited(target, file, old_text, new_text, mode)
        if mode == SYMLINK:
            _check_link(target, content)
        self.files.write(target, WorkingFile(mode, content))
        return f"{show_path(target)} is {'changed' if file else 'created'}."

    def finish(self, message: str) -> str:
        """Commit the merge. Nothing can be changed afterwards.

        Args:
            message: message of the merge commit.

        Example:
            finish(message="Merge branch 'incoming'")
        """
        return self.commit_as(message)

    def commit_as(self, message: str) -> str:
        """Commit with this message, where no conflict remains."""
        if self.resolution.current is not None:
            count = self.resolution.remaining
            raise ToolError(f"{count} conflict{' remains' if count == 1 else 's remain'}; resolve all of them first")
        self.commit(message_argument(message, "message"))
        return f"The {self.task.noun} is committed. Nothing is left to do."

    def all_resolved(self) -> str:
        return (
            "All conflicts are resolved. If other lines must change because of them, edit_file does it; "
            f"then call finish to commit the {self.task.noun}."
        )

    def _is_open(self, path: bytes) -> bool:
        return self.resolution.has_open_conflict(path)

    def _delete(self, path: bytes, file: WorkingFile | None, old_text: str, new_text: str) -> str:
        if file is None:
            raise ToolError(f"{show_path(path)} does not exist")
        if old_text or new_text:
            raise ToolError("to delete a file, leave old_text and new_text empty")
        self.files.place(path, None)
        return f"{show_path(path)} is deleted."

    def _edited(self, path: bytes, file: WorkingFile | None, old_text: str, new_text: str, mode: str) -> bytes:
        """The file's new content."""
        if mode == SUBMODULE:
            if (
                not _COMMIT_ID.fullmatch(new_text)
                or len(new_text) != len(self.task.parents[0])
                or not new_text.strip("0")
            ):
                raise ToolError("new_text of a submodule must be a full commit id")
            return new_text.encode()
        if file is None or file.mode == SUBMODULE:
            if old_text and file is None:
                raise ToolError(f"{show_path(path)} does not exist; to create it, leave old_text empty")
            return to_bytes(new_text, "utf-8")
        encoding = encoding_of(file.content)
        old, new = to_bytes(old_text, encoding), to_bytes(new_text, encoding)
        if old not in file.content and b"\r\n" in file.content and b"\r" not in old + new:
            old, new = old.replace(b"\n", b"\r\n"), new.replace(b"\n", b"\r\n")
        if not old and not new:
            return file.content
        if not old and file.content:
            raise ToolError(f"{show_path(path)} is not empty; old_text must say what to replace")
        occurrences = file.content.count(old) if old else 1
        if occurrences != 1:
            raise ToolError(f"old_text occurs {occurrences} times in {show_path(path)}, it must occur exactly once")
        return file.content.replace(old, new, 1)


def _check_link(path: bytes, target: bytes) -> None:
    """Refuse what neither Git nor the file system takes for a symbolic link."""
    if path.lower() == b".gitmodules":
        raise ToolError(".gitmodules must not be a symbolic link")
    if not target or b"\0" in target or len(target) > LONGEST_LINK:
        raise ToolError(f"the target of a symbolic link has 1 to {LONGEST_LINK} bytes, none of them NUL")
