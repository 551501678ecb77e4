"""The published tools: look at conflicts, resolve them in order; the last one commits the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from gitgoodbench.errors import ToolError
from gitgoodbench.git.conflicts import Choice, Conflict, ConflictModel, PathConflict, TextConflict
from gitgoodbench.git.objects import SUBMODULE, SYMLINK
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git
from gitgoodbench.git.text import encoding_of, to_bytes, to_text
from gitgoodbench.plugin.arguments import path_argument
from gitgoodbench.plugin.pages import PAGE, page
from gitgoodbench.resolving.display import describe_path_conflict, show_conflict
from gitgoodbench.resolving.resolution import Resolution
from gitgoodbench.resolving.slips import find_slip
from gitgoodbench.resolving.task import Task
from gitgoodbench.resolving.working_tree import VIEW_LIMIT, WorkingFile, WorkingTree
from gitgoodbench.tools import Tool


class ResolvingTools:
    """The state that all of an episode's tools share."""

    def __init__(self, resolution: Resolution, files: WorkingTree, git: Git, task: Task) -> None:
        self.resolution = resolution
        self.files = files
        self.git = git
        self.task = task
        self.committed = False
        self._warned: set[int] = set()

    @property
    def finished(self) -> bool:
        return self.committed

    def functions(self) -> list[Callable[..., str]]:
        """Everything that can be offered as a tool."""
        return [
            self.view_current_merge_conflict_with,
            self.view_merge_conflict_at,
            self.resolve_current_merge_conflict_with,
            self.view_diff_for,
            self.view_file_at,
            self.resolve_current_merge_conflict_by_choosing,
        ]

    def tools(self) -> list[Tool]:
        return offered(self, self.resolution.model)

    def view_current_merge_conflict_with(
        self,
        reason: str = "",  # noqa: ARG002
        context_window_size: int = 5,
        offset: int = 0,
        length: int = PAGE,
    ) -> str:
        """Show the current merge conflict, the only one that can be resolved now, with lines around it.

        Args:
            reason: why you call this tool now.
            context_window_size: how many lines to show before and after the conflict.
            offset: the first character to show; more than 0 for the pages after the first.
            length: how many characters to show at most.

        Example:
            view_current_merge_conflict_with(context_window_size=10, reason="I need to see the enclosing function.")
        """
        number = self.resolution.current
        if number is None:
            raise ToolError("no conflict remains")
        return page(show_conflict(self.resolution, number, max(0, context_window_size)), offset, length)

    def view_merge_conflict_at(
        self,
        conflict_index: int,
        reason: str = "",  # noqa: ARG002
        context_window_size: int = 5,
        offset: int = 0,
        length: int = PAGE,
    ) -> str:
        """Show any merge conflict by its index, with lines around it as they stand now.

        Args:
            conflict_index: index of the conflict, counted from 0 over all files.
            reason: why you call this tool now.
            context_window_size: how many lines to show before and after the conflict.
            offset: the first character to show; more than 0 for the pages after the first.
            length: how many characters to show at most.

        Example:
            view_merge_conflict_at(conflict_index=1, context_window_size=0, reason="It renames what this one uses.")
        """
        total = len(self.resolution.model.conflicts)
        if not 0 <= conflict_index < total:
            raise ToolError(f"conflict_index must be 0 to {total - 1}")
        return page(show_conflict(self.resolution, conflict_index, max(0, context_window_size)), offset, length)

    def resolve_current_merge_conflict_with(self, content: str, reason: str = "") -> str:  # noqa: ARG002
        """Replace the current merge conflict, from its opening to its closing marker line, with content.

        Only the conflict itself is replaced, not the lines around it. Whitespace is kept exactly. An empty content
        removes the conflict's lines.

        Args:
            content: the lines that stand in place of the conflict, without conflict markers.
            reason: why you resolve the conflict so.

        Example:
            resolve_current_merge_conflict_with(content="    return total\\n", reason="Both sides agree on the sum;
            incoming renamed it.")
        """
        number, conflict = self._current()
        if isinstance(conflict, PathConflict):
            raise ToolError(
                f"conflict {number} has no text; use resolve_current_merge_conflict_by_choosing. "
                f"{describe_path_conflict(conflict, self.resolution.descriptions)}"
            )
        answer = to_bytes(content, encoding_of(self.resolution.content(conflict.path)))
        self._refuse_slips(number, conflict, answer)
        self._answer(answer)
        return self._progress(number)

    def resolve_current_merge_conflict_by_choosing(
        self, choice: Literal["local", "incoming", "deletion"], reason: str = ""  # noqa: ARG002
    ) -> str:  # fmt: skip
        """Settle the current merge conflict when it has no text to edit: a deletion, a rename, a binary file, a
        submodule, a mode.

        Args:
            choice: keep what the local side has, keep what the incoming side has, or delete it.
            reason: why you choose so.

        Example:
            resolve_current_merge_conflict_by_choosing(choice="incoming", reason="The file was replaced there.")
        """
        number, conflict = self._current()
        if not isinstance(conflict, PathConflict):
            raise ToolError(f"conflict {number} has text; use resolve_current_merge_conflict_with")
        self._answer(Choice(choice))
        return self._progress(number)

    def view_diff_for(
        self,
        relative_path_from_project_root: str,
        reason: str = "",  # noqa: ARG002
        offset: int = 0,
        length: int = PAGE,
    ) -> str:
        """Show how a file differs between the two sides: `-` lines are local, `+` lines are incoming.

        Args:
            relative_path_from_project_root: path of the file, from the project's root.
            reason: why you call this tool now.
            offset: the first character to show; more than 0 for the pages after the first.
            length: how many characters to show at most.

        Example:
            view_diff_for(relative_path_from_project_root="src/app.py", reason="I want to see all that differs.")
        """
        path = path_argument(relative_path_from_project_root)
        result = self.git.execute(
            "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", *self.task.sides, "--", path,
            output_limit=VIEW_LIMIT,
        )  # fmt: skip
        if result.returncode != 0:
            raise ToolError(f"no difference can be shown: {result.stderr.decode('utf-8', 'replace').strip()}")
        if result.stdout:
            more = f"\n[what follows the first {VIEW_LIMIT} bytes is left out]" if result.truncated else ""
            return page(to_text(result.stdout, encoding_of(result.stdout)) + more, offset, length)
        known = self.git.run("ls-tree", "-r", "--name-only", self.task.sides[0], "--", path)
        if not known:
            raise ToolError(f"neither side has a file {show_path(path)}")
        return f"{show_path(path)} is the same on both sides"

    def view_file_at(
        self,
        relative_path_from_project_root: str,
        reason: str = "",  # noqa: ARG002
        offset: int = 0,
        length: int = PAGE,
    ) -> str:
        """Show a file as it stands now, conflicts that are still open with their markers.

        Args:
            relative_path_from_project_root: path of the file, from the project's root.
            reason: why you call this tool now.
            offset: the first character to show; more than 0 for the pages after the first.
            length: how many characters to show at most.

        Example:
            view_file_at(relative_path_from_project_root="src/app.py", reason="I need the imports.")
        """
        path = path_argument(relative_path_from_project_root)
        file = self.files.read(path)
        if file is None:
            kind = "is a folder" if self.files.has_folder(path) else "does not exist"
            raise ToolError(f"{show_path(path)} {kind}")
        if file.mode == SUBMODULE:
            return f"{show_path(path)} is a submodule at commit {file.content.decode('ascii', 'replace')}"
        text = to_text(file.content, encoding_of(file.content))
        if file.mode == SYMLINK:
            return f"{show_path(path)} is a symbolic link to {text}"
        return page(text, offset, length)

    def _current(self) -> tuple[int, Conflict]:
        number = self.resolution.current
        if number is None:
            raise ToolError("no conflict remains")
        return number, self.resolution.conflict(number)

    def _refuse_slips(self, number: int, conflict: TextConflict, answer: bytes) -> None:
        """Refuse an answer that looks like a slip, once for each conflict: real merges have kept even markers."""
        if number in self._warned:
            return
        slip = find_slip(self.resolution, conflict, answer)
        if slip is not None:
            self._warned.add(number)
            raise ToolError(f"not resolved: {slip}. If it shall be so, send the same content again")

    def _answer(self, answer: bytes | Choice) -> None:
        """Record the answer to the current conflict and bring the files it changes up to date."""
        for path in self.resolution.answer(answer):
            settled = self.resolution.entries().get(path)
            if settled is None:
                self.files.place(path, None)
                continue
            entry, content = settled
            if content is None:
                self.files.place(path, entry)
            else:
                self.files.write(path, WorkingFile(entry.mode, content))

    def _progress(self, number: int) -> str:
        following = self.resolution.current
        if following is not None:
            shown = show_conflict(self.resolution, following, 5)
            return f"Conflict {number} is resolved; {self.resolution.remaining} to go. The current one is now:\n{shown}"
        return self.all_resolved()

    def all_resolved(self) -> str:
        """What happens after the last conflict: the published tools commit."""
        self.commit(self.task.message)
        return f"All conflicts are resolved and the {self.task.noun} is committed. Nothing is left to do."

    def commit(self, message: bytes) -> None:
        self.files.commit(message, self.task)
        self.committed = True


def offered(box: ResolvingTools, model: ConflictModel) -> list[Tool]:
    """Those of a box's tools that the conflicts need: the choosing tool only where a conflict has no text."""
    has_path_conflict = any(isinstance(conflict, PathConflict) for conflict in model.conflicts)
    choosing = ResolvingTools.resolve_current_merge_conflict_by_choosing.__name__
    return [Tool.of(function) for function in box.functions() if has_path_conflict or function.__name__ != choosing]
