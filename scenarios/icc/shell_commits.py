"""Commits made through `run_command`, for the reference agents: of blobs and index entries, as a script does it."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Iterator, Mapping

from gitgoodbench.git.objects import Entry
from gitgoodbench.scenario import Call

from .changes import FileContent

_CHUNK = 60_000
_SCRATCH = "/tmp/reference-agent"


def commit_by_shell(call: Call, changes: Mapping[bytes, Entry | FileContent | None], message: bytes) -> None:
    """Put the entries into the index and commit it; what goes comes first."""
    for path, state in sorted(changes.items(), key=lambda change: change[1] is not None):
        for command in _stage_commands(path, state):
            call("run_command", command=command, timeout_s=60)
    for command in _write_commands(message):
        call("run_command", command=command, timeout_s=60)
    commit = f"git commit -q --allow-empty --cleanup=verbatim -F {_SCRATCH}"
    call("run_command", command=commit, timeout_s=60)


def _stage_commands(path: bytes, state: Entry | FileContent | None) -> Iterator[str]:
    name = shlex.quote(path.decode("utf-8", "surrogateescape"))
    if state is None:
        yield f"git update-index --force-remove -- {name}"
        return
    oid = state.oid if isinstance(state, Entry) else f"$(git hash-object -w --no-filters {_SCRATCH})"
    if isinstance(state, FileContent):
        yield from _write_commands(state.content)
    yield f'git update-index --add --replace --cacheinfo {state.mode},"{oid}",{name}'


def _write_commands(content: bytes) -> Iterator[str]:
    """Write the scratch file; content travels in base64, a piece per command."""
    encoded = base64.b64encode(content).decode()
    for start in range(0, max(1, len(encoded)), _CHUNK):
        into = ">" if start == 0 else ">>"
        yield f"printf %s {encoded[start : start + _CHUNK]} | base64 -d {into} {_SCRATCH}"
