"""Stories that tests build, and the repositories that come of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.process import Git
from gitgoodbench.sample_types.merges import ConflictingMerge
from tests.support.mining import mine_all

HEADER = """\
repository mini/test
language python
start 2023-02-06T09:00:00+01:00
person ada Ada Okafor <ada@tidewater.example>
person jörg Jörg Weiß <joerg@tidewater.example>

"""


class Repository:
    """A built story, asked for bytes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.git = Git(path)

    def file(self, path: str, revision: str = "main") -> bytes:
        return self.git.run("cat-file", "blob", f"{revision}:{path}")

    def mode(self, path: str, revision: str = "main") -> str:
        return self.git.line("ls-tree", "--format=%(objectmode)", revision, "--", path)

    def paths(self, revision: str = "main") -> list[bytes]:
        return self.git.run("ls-tree", "-r", "-z", "--name-only", revision).split(b"\0")[:-1]

    def merges(self) -> list[ConflictingMerge]:
        return list(mine_all(Mirror(self.path).borrow(refs=True)).merges)


Build = Callable[..., Repository]


def first_commit(files: str) -> str:
    return f"commit main ada\n  First\n{files}\n"


DIVERGED = (
    first_commit("write a.py\n|one\n|two\n|three\n|four\n|five")
    + """\
branch side from main
commit side ada
  Side
edit a.py
@@
-two
+zwei

commit main ada
  Main
edit a.py
@@
-two
+deux

merge main ada from side
  Merge branch 'side'
"""
)


def located(folder: Path, before: str, problem: str) -> str:
    """The message for a problem whose line is counted from the end of the text before it."""
    line, message = problem.split(": ", 1)
    return f"{folder / '01.story'}:{before.count(chr(10)) + 1 + int(line)}: {message}"
