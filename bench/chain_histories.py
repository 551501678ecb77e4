"""Histories of a chain, as the reference agents make them, but without a sandbox.

`squash-all` and `autosquash` (folding neighbours) of interactive rebase; `one-commit`, `per-hunk`, `by-definition`,
`oracle`, and `tool-oracle` with each tool set and choice of hunks, of committing. Chains are those that
`gitgoodbench mine` finds.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gitgoodbench.scenarios.icc.changes import FileContent, read_changes, with_text
from gitgoodbench.scenarios.icc.division import Division
from gitgoodbench.scenarios.icc.grouping import read_grouping
from gitgoodbench.scenarios.icc.nearest import is_attainable, mixed_hunks, pieces_by_commit
from gitgoodbench.scenarios.icc.policies import group_by_definition
from gitgoodbench.scenarios.ir.episode import Reference
from gitgoodbench.scenarios.ir.policies import adjacent_targets, fixup_targets

from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.objects import Entry, Tree, read_tree
from gitgoodbench.git.process import Git
from gitgoodbench.sample_types.chains import Chain
from gitgoodbench.workspace.chain import CommitChain

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.mining import mine_all

State = dict[bytes, Entry | FileContent | None]
History = list[tuple[bytes, State]]
"""Commits, oldest first: the message, and what then stands at the paths touched so far."""


@dataclass(frozen=True)
class Made:
    """An agent's history; attainable: what the harness says of the sample, for `tool-oracle`."""

    agent: str
    history: History
    attainable: bool | None = None


def histories(mirror: Git, chain: Chain) -> Iterator[Made]:
    spec = CommitChain(chain.base, chain.commits)
    commits = read_commits(mirror, chain.commits)
    real: History = [(commit.message, _between(mirror, chain.base, commit.oid)) for commit in commits]
    yield Made("oracle", real)
    yield Made("squash-all", [(b"\n".join(message for message, _ in real), real[-1][1])])
    base = read_commits(mirror, [chain.base])[0]
    folded = adjacent_targets(fixup_targets(Reference(mirror, base, tuple(commits))), len(real))
    yield Made("autosquash", [step for number, step in enumerate(real) if number + 1 not in folded])
    for hunks in ("chain-file", "all"):
        changes = read_changes(mirror, chain.base, chain.commits[-1], renames=hunks == "all")
        for tools in ("published", "extended"):
            chosen = [change for change in changes if hunks == "all" or change.new_path == chain.path]
            offered = [with_text(mirror, change, paired=tools == "extended") for change in chosen]
            rest = [change for change in changes if change not in chosen]
            grouping = read_grouping(mirror, spec, offered)
            division = Division(offered, rest)
            attainable = is_attainable(mirror, spec, division, grouping, split=tools == "extended")
            if tools == "extended":
                for number, cuts in mixed_hunks(division, grouping):
                    division.begin_answer()
                    division.split(number, cuts)
            groups = pieces_by_commit(division, grouping, len(real))
            named = [(real[number][0], pieces) for number, pieces in groups.items()]
            yield Made(f"tool-oracle {tools} {hunks}", _taken(division, named), attainable)
            if tools == "published" and hunks == "chain-file":
                division = Division(offered, rest)
                yield Made("one-commit", _taken(division, [(b"Change everything\n", division.remaining[:])]))
                division = Division(offered, rest)
                single = [(b"Change part %d\n" % number, [piece]) for number, piece in enumerate(division.remaining)]
                yield Made("per-hunk", _taken(division, single))
                division = Division(offered, rest)
                defined = [(group.message.encode(), list(group.pieces)) for group in group_by_definition(division)]
                yield Made("by-definition", _taken(division, defined))


def _taken(division: Division, groups: Sequence[tuple[bytes, Any]]) -> History:
    made: History = [(message, division.take(pieces)) for message, pieces in groups]
    if not division.rest_committed:
        made.append((b"Change the other files\n", division.take_rest()))
    return made


def _between(mirror: Git, base: str, commit: str) -> State:
    changes = read_changes(mirror, base, commit, renames=False)
    return {path: entry for change in changes for path, entry in change.at_end.items()}


def write(git: Git, base: str, history: History) -> list[str]:
    """The commits, through `git fast-import`; each begins with the base's files."""
    parent, stream = base, b""
    for number, (message, state) in enumerate(history, 1):
        stream += b"commit refs/heads/made\nmark :%d\ncommitter A <a@example.org> 1600000000 +0000\n" % number
        stream += b"data %d\n%s\nfrom %s\n" % (len(message), message, parent.encode())
        if number > 1:
            stream += b"".join(_written(path, None) for path in history[number - 2][1])
            stream += b"".join(_restored(git, base, history[number - 2][1]))
        for path, entry in sorted(state.items(), key=lambda item: item[1] is not None):
            stream += _written(path, entry)
        parent = f":{number}"
    marks = Path(git.git_dir) / "marks"
    git.run(
        "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--force", f"--export-marks={marks}", stdin=stream
    )
    found = dict(line.split() for line in marks.read_text().splitlines())
    return [found[f":{number}"] for number in range(1, len(history) + 1)]


def _restored(git: Git, base: str, touched: State) -> Iterator[bytes]:
    tree = _files(git, base)
    yield from (_written(path, tree[path]) for path in touched if path in tree)


@cache
def _files(git: Git, commit: str) -> Tree:
    return read_tree(git, commit)


def _written(path: bytes, entry: Entry | FileContent | None) -> bytes:
    if entry is None:
        return b"D %s\n" % _quoted(path)
    if isinstance(entry, FileContent):
        data = b"data %d\n%s\n" % (len(entry.content), entry.content)
        return b"M %s inline %s\n%s" % (entry.mode.encode(), _quoted(path), data)
    return b"M %s %s %s\n" % (entry.mode.encode(), entry.oid.encode(), _quoted(path))


def _quoted(path: bytes) -> bytes:
    return b'"%s"' % path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")


def chains_of(git: Git, sample: int, seed: int) -> list[Chain]:
    found = [chain for chain in mine_all(git).chains if chain.file_lines]
    return random.Random(seed).sample(found, sample) if sample and len(found) > sample else found
