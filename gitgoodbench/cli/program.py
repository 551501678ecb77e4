"""How this program is started, so that a command that it prints can be pasted."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

NAME = "gitgoodbench"


def program() -> list[str]:
    """The words that start this program here: its name where that is on PATH, else its path."""
    started = Path(sys.argv[0])
    if started.name == NAME:
        found = shutil.which(NAME)
        return [NAME] if found is not None and Path(found).samefile(started) else [_near(started)]
    if started.name == "__main__.py" and started.parent.name == NAME:
        return [_near(Path(sys.executable)), "-m", NAME]
    return [NAME]


def _near(path: Path) -> str:
    """A path as a user would write it: relative where it lies below this folder."""
    here = Path.cwd()
    absolute = path.absolute()
    return os.path.relpath(absolute, here) if absolute.is_relative_to(here) else str(path)
