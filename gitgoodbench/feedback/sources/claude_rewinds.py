"""Edits that a person took back with Claude Code's `/rewind`.

The log has no record of it. But the next prompt then hangs on an earlier record, and its file-history snapshot says
what the files are: gone, or as a backup in `file-history/<session>`. An edit is reverted where the conversation went
back to before it, and its file is again what it was before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from gitgoodbench.feedback.records import Edit
from gitgoodbench.feedback.sources.draft import WHOLE, Draft
from gitgoodbench.feedback.sources.values import at, name, table

_HISTORY: Final = "file-history"


class Rewinds:
    """Follows one session. backups: where the contents of its snapshots are."""

    def __init__(self, log: Path) -> None:
        self._history = log.parent.parent.parent / _HISTORY
        self._order: dict[str, int] = {}
        self._edited: dict[str, int] = {}
        self._left: dict[str, set[str]] = {}
        self._folders: dict[str, str] = {}

    def record(self, draft: Draft, record: Mapping[str, Any], *, prompt: bool) -> None:
        """Note a record of the conversation. prompt: a person wrote it."""
        position = len(self._order)
        own, parent = name(record, "uuid"), name(record, "parentUuid")
        if prompt and own is not None and parent in self._order:
            left = {edit for edit, when in self._edited.items() if when > self._order[parent] and edit in draft.edits}
            if left:
                self._left[own] = left
                self._folders[own] = name(record, "cwd") or "/"
        if own is not None:
            self._order[own] = position
        for edit in islice(reversed(draft.edits), 8):  # those that this record may have brought
            self._edited.setdefault(edit, position)

    def snapshot(self, draft: Draft, record: Mapping[str, Any]) -> None:
        """Compare the files at a prompt with those before the edits that the conversation went back behind."""
        prompt = name(record, "messageId") or ""
        left = self._left.pop(prompt, None)
        if left is None:
            return
        for path, backup in table(record, "snapshot", "trackedFileBackups").items():
            located = draft.roots.locate(path, self._folders[prompt])
            edits = [
                edit
                for edit in draft.edits.values()
                if edit.key.edit in left and edit.path == located and edit.kind == "edit" and edit.outcome == "applied"
            ]
            if edits and self._is_before(edits[0], draft.session.id, backup):
                for edit in edits:
                    reverted = replace(edit, outcome="reverted", reason="the person took it back")
                    draft.edits[edit.key.edit] = reverted

    def _is_before(self, edit: Edit, session: str, backup: Any) -> bool:
        if not isinstance(backup, dict) or not edit.whole or not edit.parts:
            return False
        before, kept = edit.parts[0].before, at(backup, "backupFileName")
        if kept is None:
            return before is None
        file = self._history / Path(session).name / Path(str(kept)[:255].replace("\0", "")).name
        try:
            content = file.read_bytes() if file.stat().st_size <= WHOLE else None
        except OSError:
            return False
        return content is not None and before is not None and content.replace(b"\r\n", b"\n") == before
