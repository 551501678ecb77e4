"""The home of an agent in its sandbox: putting files there, and taking its own logs out.

What comes out is hostile: names are the host's own, sizes are bounded, nothing but regular files is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from gitgoodbench.errors import InfrastructureFailed, RunAborted
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.text import one_line

HOME: Final = "/home/agent"
XDG: Final[Mapping[str, str]] = {
    "XDG_CONFIG_HOME": f"{HOME}/.config",
    "XDG_DATA_HOME": f"{HOME}/.local/share",
    "XDG_CACHE_HOME": f"{HOME}/.cache",
    "XDG_STATE_HOME": f"{HOME}/.local/state",
}
SCRATCH: Final = f"{HOME}/tmp"

LOGS_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of an agent's own logs that are kept."""

_MOST_LOGS: Final = 50
_LONGEST_NAME: Final = 100

_PYTHON: Final = ("python3", "-I", "-S", "-c")
_PUT: Final = """
import json, os, sys
home, folders, files = json.loads(sys.stdin.buffer.readline())
if not os.path.isdir(home):
    sys.exit(3)
for folder in folders:
    os.makedirs(folder, 0o700, exist_ok=True)
for path, mode, size in files:
    path = os.path.join(home, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(sys.stdin.buffer.read(size))
    os.chmod(path, mode)
"""
_TAKE: Final = """
import json, os, re, stat, sys
home, patterns, limit, most = json.load(sys.stdin.buffer)
found = {}
for top, form in patterns:
    top = os.path.join(home, top) if top else home
    places = os.walk(top) if os.path.realpath(top) == top else []
    for path in (os.path.join(folder, name) for folder, _, names in places for name in names):
        if re.fullmatch(form, os.path.relpath(path, home)):
            try:
                facts = os.lstat(path)
            except OSError:
                continue
            if stat.S_ISREG(facts.st_mode):
                found[path] = facts.st_size
for size, path in sorted((size, path) for path, size in found.items())[-most:]:
    try:
        with open(path, "rb") as file:
            data = file.read(limit)
    except OSError:
        continue
    limit -= len(data)
    sys.stdout.buffer.write(json.dumps([os.path.basename(path), len(data)]).encode() + b"\\n" + data)
"""
_ABSENT: Final = 3
_ODD = re.compile(r"[^A-Za-z0-9._-]+")


def furnish(sandbox: Sandbox, files: Mapping[str, tuple[int, bytes]], folders: Sequence[str] = ()) -> None:
    """Make the folders of a home, and put files there.

    Args:
        files: mode and content, by paths below the home. folders: further ones, by paths below it.

    Raises:
        RunAborted: the sandbox was opened without a home.
        InfrastructureFailed: they cannot be written.
    """
    listed = [[path, mode, len(content)] for path, (mode, content) in files.items()]
    header = json.dumps([HOME, [*XDG.values(), SCRATCH, *(f"{HOME}/{folder}" for folder in folders)], listed]).encode()
    body = header + b"\n" + b"".join(content for _, content in files.values())
    result = sandbox.exec([*_PYTHON, _PUT], stdin=body)
    if result.returncode == _ABSENT:
        raise RunAborted(f"the sandbox has no folder {HOME}: open it with a provider that is `equip`ped for the agent")
    if result.returncode != 0:
        reason = one_line(result.stderr[-300:].decode("utf-8", "replace"))
        raise InfrastructureFailed(f"files of the agent cannot be put into the sandbox: {reason}")


def take_logs(sandbox: Sandbox, patterns: Sequence[str], limit: int = LOGS_LIMIT) -> dict[str, bytes]:
    """The contents of files below the home by safe names: the largest files, of which the largest may be cut.

    Links are not followed, not to folders either. What cannot be read is left out.

    Args:
        patterns: paths below the home; `*` stands for any characters but `/`, `**/` for any folders.

    Raises:
        SandboxDied: the sandbox no longer answers.
    """
    if not patterns:
        return {}
    forms = [(_folder_of(pattern), _form(pattern)) for pattern in patterns]
    request = json.dumps([HOME, forms, limit, _MOST_LOGS]).encode()
    data = sandbox.exec([*_PYTHON, _TAKE], stdin=request, output_limit=2 * limit).stdout
    logs: dict[str, bytes] = {}
    while data:
        header, _, rest = data.partition(b"\n")
        try:
            name, size = json.loads(header)
            name = _ODD.sub("-", str(name))[-_LONGEST_NAME:].lstrip(".-") or "log"
            content, data = rest[: int(size)], rest[int(size) :]
        except (ValueError, TypeError, RecursionError):
            break
        logs[name if name not in logs else f"{len(logs) + 1}-{name}"] = content
    return logs


def _folder_of(pattern: str) -> str:
    """The folder below which a pattern finds files."""
    return pattern.partition("*")[0].rpartition("/")[0]


def _form(pattern: str) -> str:
    """A pattern as a regular expression."""
    written = {"**/": "(?s:.*/)?", "*": "[^/]*"}
    return "".join(written.get(part, re.escape(part)) for part in re.split(r"(\*\*/|\*)", pattern))
