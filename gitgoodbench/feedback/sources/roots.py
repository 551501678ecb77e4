"""Which paths of a log lie in the repository, however the log spells them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Final

from gitgoodbench.feedback.contract import Place
from gitgoodbench.feedback.sources.jsonl import mentions

_HEAD: Final = 256 * 1024
_FOLDER: Final = re.compile(rb'"(?:cwd|directory|worktree)"\s*:\s*("(?:[^"\\]|\\.){1,4096}")')
_PLAIN: Final = re.compile(rb"[\w .+@=-]+")
"""Names that stand in JSON as they are, whichever program wrote it."""


class Roots:
    """The working trees of a repository."""

    def __init__(self, place: Place) -> None:
        self._reals: dict[Path, Path] = {}
        spelled = {root: root for root in place.roots} | {self._real(root): root for root in place.roots}
        self._roots = sorted(spelled.items(), key=lambda one: -len(one[0].parts))  # an inner working tree first
        self._names = {root.name.encode() for root in spelled}

    def locate(self, path: str | None, folder: str | None = None) -> str | None:
        """The path, absolute, beginning with a root as the repository spells it; None where it lies in none of them.

        folder: what a relative path starts from. What lies in a Git directory is in no working tree.
        """
        if not path or "\0" in path or "\0" in (folder or ""):
            return None
        whole = Path(os.path.normpath(Path(folder or "", path)))
        if not whole.is_absolute():
            return None
        found = self._under(whole) or self._under(self._real(whole.parent) / whole.name)
        return None if found is None or ".git" in found.parts else str(found)

    def in_file(self, path: Path) -> bool:
        """Whether a log can have to do with the repository: it names a root's last folder, or a folder in a root.

        Raises:
            OSError: it cannot be opened.
        """
        if not all(_PLAIN.fullmatch(name) for name in self._names) or mentions(path, self._names):
            return True
        with path.open("rb") as file:
            head = file.read(_HEAD)
        return any(self.locate(_text(quoted)) for quoted in set(_FOLDER.findall(head)))

    def _real(self, folder: Path) -> Path:
        if folder not in self._reals:
            self._reals[folder] = Path(os.path.realpath(folder))
        return self._reals[folder]

    def _under(self, path: Path) -> Path | None:
        return next(
            (spelled / path.relative_to(root) for root, spelled in self._roots if path.is_relative_to(root)), None
        )


def _text(quoted: bytes) -> str | None:
    try:
        found = json.loads(quoted)
    except ValueError:
        return None
    return found if isinstance(found, str) else None
