"""Paths of edits, as logs have them, in the repository."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath

from gitgoodbench.feedback.changes import CommitChange
from gitgoodbench.feedback.records import Edit, Session

Sessions = Mapping[tuple[str, str], Session]
"""Sessions by source and id."""


def absolute_path(edit: Edit, sessions: Sessions) -> str | None:
    """An edit's path from the root of the file system; None where that is not known."""
    if edit.path is None or "\0" in edit.path:
        return None
    if PurePath(edit.path).is_absolute():
        return os.path.normpath(edit.path)
    session = sessions.get((edit.key.source, edit.key.session))
    if session is None or not session.folder or "\0" in session.folder:
        return None
    return os.path.normpath(PurePath(session.folder) / edit.path)


def path_within(path: str, root: str) -> bytes | None:
    """A path relative to a folder, as Git writes it; None where it lies outside. Links to folders are followed."""
    for name, folder in ((PurePath(path), PurePath(root)), (_resolved(path), Path(root).resolve())):
        if name.is_relative_to(folder) and name != folder:
            return os.fsencode(name.relative_to(folder).as_posix())
    return None


def root_of(path: str, roots: Iterable[str]) -> str | None:
    """The innermost of several working trees that a path lies in; one may lie within another."""
    around = [root for root in roots if path_within(path, root) is not None]
    return max(around, key=lambda root: len(PurePath(root).parts), default=None)


def locate(edit: Edit, root: str | None, change: CommitChange, sessions: Sessions) -> bytes | None:
    """An edit's path in the repository.

    Of a path outside the working tree, or where that is not known, it is the commit's file whose path it ends with, if
    there is one.
    """
    if edit.path is None or "\0" in edit.path:
        return None
    path = absolute_path(edit, sessions)
    if root is not None and path is not None and (found := path_within(path, root)) is not None:
        return found
    name = os.fsencode(os.path.normpath(path or edit.path))
    known = {one for file in change.files for one in (file.path, file.old_path) if one is not None}
    fitting = [one for one in known if name == one or name.endswith(b"/" + one)]
    if fitting:
        return max(fitting, key=len)
    return name if path is None else None


def _resolved(path: str) -> Path:
    """The path with the links in its folders followed; the file itself may be a link that is edited."""
    return Path(path).parent.resolve() / PurePath(path).name
