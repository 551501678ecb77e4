"""What the hook starts in the background: it works until the queue is empty, one at a time in a repository.

`python -m gitgoodbench.feedback.worker`, in the common Git directory. It says nothing; what goes wrong is kept in the
database and in worker.log, and `gitgoodbench feedback status` shows it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path


def main() -> int:
    """Work through the queue of the repository whose common Git directory is the current folder."""
    _detach()
    from gitgoodbench.feedback.pipeline import work  # after the environment is clean

    work(Path.cwd())
    return 0


def _detach() -> None:
    """Leave the terminal, and everything that the shell or Git handed on."""
    with contextlib.suppress(OSError):
        os.setsid()
    os.closerange(3, 1024)
    for name in list(os.environ):
        if name.startswith("GIT_"):
            del os.environ[name]


if __name__ == "__main__":
    sys.exit(main())
