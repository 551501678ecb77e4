"""Two histories side by side, as a result shows them: their commits, what each changes, and which belong together.

Made of what the scores are computed from; nothing is read or compared again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.details import CommitDetail, HistoriesDetail, LineGroup, PairDetail, readable
from gitgoodbench.git.commits import Commit
from gitgoodbench.git.hunks import CONTEXT, Line, Mark
from gitgoodbench.git.objects import Entry
from gitgoodbench.git.paths import show_path
from gitgoodbench.scoring.history_lines import ChangedFile, LineHistory
from gitgoodbench.scoring.similarity_history import CommitPair

MAX_PATCH_BYTES: Final = 256 * 1024
"""Bytes of one commit's patch that are made."""


@dataclass(frozen=True)
class ReadHistory:
    """Commits, oldest first, and what they change; None where that cannot be read. count: also of those not read."""

    commits: Sequence[Commit]
    lines: LineHistory | None
    count: int


@dataclass(frozen=True)
class Correspondence:
    """How the commits of two histories belong together, by position; None where that cannot be known.

    reproduced: the agent's commit of each real one that it changes the same lines as. pairs: see `HistorySimilarity`.
    groups: see `line_groups`.
    """

    reproduced: Mapping[int, int] | None = None
    pairs: Sequence[CommitPair] | None = None
    groups: Mapping[tuple[int, int], int] | None = None


def histories_detail(agent: ReadHistory, truth: ReadHistory, how: Correspondence) -> HistoriesDetail:
    """What a result tells of two histories."""
    reproduced = how.reproduced or {}
    return HistoriesDetail(
        agent=tuple(_commits(agent, {there: here for here, there in reproduced.items()})),
        truth=tuple(_commits(truth, reproduced)),
        agent_commits=agent.count,
        truth_commits=truth.count,
        pairs=None if how.pairs is None else tuple(_pair(pair) for pair in how.pairs),
        groups=None
        if how.groups is None
        else tuple(
            LineGroup(agent=here + 1, truth=there + 1, lines=lines)
            for (here, there), lines in sorted(how.groups.items())
        ),
    )


def _pair(pair: CommitPair) -> PairDetail:
    return PairDetail(
        agent=pair.agent + 1, truth=pair.truth + 1, similarity=pair.at_most, at_least=min(pair.at_least, pair.at_most)
    )


def _commits(history: ReadHistory, same: Mapping[int, int]) -> Iterator[CommitDetail]:
    for position, commit in enumerate(history.commits):
        files = None if history.lines is None else history.lines.commits[position]
        changes = None if files is None else [file.lines for file in files]
        patch, is_whole = (None, True) if files is None else patch_of(files)
        yield CommitDetail(
            id=commit.oid,
            message=readable(commit.message),
            files=tuple(show_path(file.path) for file in files or ()),
            added=None if changes is None else _count(changes, Mark.ADDED),
            removed=None if changes is None else _count(changes, Mark.REMOVED),
            patch=None if patch is None else readable(patch),
            same_as=same[position] + 1 if position in same else None,
            cut=not is_whole,
        )


def _count(changes: Sequence[Mapping[tuple[Mark, bytes], int]], mark: Mark) -> int:
    return sum(count for lines in changes for (kind, _), count in lines.items() if kind is mark)


def patch_of(files: Sequence[ChangedFile], limit: int = MAX_PATCH_BYTES) -> tuple[bytes, bool]:
    """A commit's changes as a diff, up to `limit` bytes and a line; and whether that is all."""
    pieces: list[bytes] = []
    size = 0
    for piece in _patch(files):
        if size > limit:
            return b"".join(pieces), False
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces), True


def _patch(files: Sequence[ChangedFile]) -> Iterator[bytes]:
    for file in files:
        path = show_path(file.path).encode()
        yield b"--- %s\n" % (b"a/" + path if file.before is not None else b"/dev/null")
        yield b"+++ %s\n" % (b"b/" + path if file.after is not None else b"/dev/null")
        modes = [_mode(entry) for entry in (file.before, file.after)]
        if modes[0] != modes[1] and None not in modes:
            yield b"mode %s, now %s\n" % (modes[0], modes[1])
        if file.text is None:
            yield b"not read line by line\n"
        else:
            yield from _hunks(file.text.script)


def _mode(entry: Entry | None) -> bytes | None:
    return None if entry is None else entry.mode.encode()


def _hunks(script: Sequence[Line]) -> Iterator[bytes]:
    """The changed lines with `CONTEXT` kept ones around them; each hunk begins with the numbers of its first line."""
    changed = [position for position, line in enumerate(script) if line.mark is not Mark.KEPT]
    old = new = 1
    shown_to = 0
    upcoming = iter([*changed, None])
    following = next(upcoming)
    is_open = False
    for position, line in enumerate(script):
        while following is not None and following < position:
            following = next(upcoming)
        if line.mark is not Mark.KEPT:
            shown_to = position + CONTEXT + 1
        if position < shown_to or (following is not None and following - position <= CONTEXT):
            if not is_open:
                yield b"@@ -%d +%d @@\n" % (old, new)
            is_open = True
            yield _shown(line)
        else:
            is_open = False
            if following is None:
                return
        old += line.mark is not Mark.ADDED
        new += line.mark is not Mark.REMOVED


def _shown(line: Line) -> bytes:
    end = b"" if line.content.endswith(b"\n") else b"\n\\ No newline at end of file\n"
    return line.mark.value + line.content + end
