"""Which commits a command made, as its own output says."""

from __future__ import annotations

import re
from typing import Final

from gitgoodbench.feedback.records import MadeCommit

_GIT: Final = r"""\bgit(?:\s+(?:-[cC]\s+(?:"[^"]*"|'[^']*'|\S+)|--?[\w-]+(?:=\S+)?)){0,8}\s+"""
_COMMITS: Final = re.compile(_GIT + r"(?:commit|cherry-pick|revert|merge|rebase|am)(?![\w-])")
_SHOWS_HEAD: Final = re.compile(_GIT + r"(?:log|rev-parse|show)(?![\w-])")
_SUMMARY: Final = re.compile(r"^\[[^\]\n]{1,300}? ([0-9a-f]{7,64})\] ", re.MULTILINE)
"""The line that `git commit` prints: `[main 1234abc] subject`, `[main (root-commit) 1234abc] subject`."""
_FIRST_ID: Final = re.compile(r"^(?:commit )?([0-9a-f]{7,64})\b", re.MULTILINE)
_COMMAND: Final = 20_000
_OUTPUT: Final = 1_000_000
"""Characters that are looked at."""


class CommitWatch:
    """Follows the commands of a session: a quiet `git commit` may be followed by a command that shows its id."""

    def __init__(self) -> None:
        self._quiet = False
        self._time: float | None = None

    def see(self, command: str, output: str, time: float | None) -> tuple[MadeCommit, ...]:
        """The commits that a command which succeeded made, or that it shows of the one before."""
        command, output = command[:_COMMAND], output[:_OUTPUT]
        commits = _COMMITS.search(command) is not None
        if commits:
            self._quiet, self._time = not output.strip(), time
            if named := _SUMMARY.findall(output):
                return tuple(MadeCommit(one, time) for one in dict.fromkeys(named))
        if (commits or self._quiet) and _SHOWS_HEAD.search(command) and (first := _FIRST_ID.search(output)):
            self._quiet = False
            return (MadeCommit(first.group(1), self._time),)
        return ()
