"""What goes between the harness and a process that reads an outcome: JSON, each after its length.

The harness believes none of it: what comes is data, of limited size, and nothing in it is run.
"""

from __future__ import annotations

import base64
import json
import socket
import struct
import time
from collections.abc import Mapping
from typing import Any, Final

from gitgoodbench.details import Details
from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.histories import ChainHistory, CommitView, HistoryPair
from gitgoodbench.scenario import Verdict

_LENGTH: Final = struct.Struct(">Q")
_CHUNK_BYTES: Final = 1024 * 1024


class BadFrame(GitGoodBenchError):
    """What came is no frame, or one that is too large."""


class TooLate(Exception):
    """Nothing came in time."""


def send(connection: socket.socket, frame: Mapping[str, Any]) -> None:
    """Send a frame."""
    data = json.dumps(frame).encode("ascii")
    connection.sendall(_LENGTH.pack(len(data)) + data)


def send_bytes(connection: socket.socket, data: bytes) -> None:
    """Send bytes after their length."""
    connection.sendall(_LENGTH.pack(len(data)))
    connection.sendall(data)


def receive_bytes(connection: socket.socket) -> bytes:
    """What `send_bytes` has sent, from somebody who is trusted.

    Raises:
        BadFrame: it is cut off.
    """
    (size,) = _LENGTH.unpack(_read(connection, _LENGTH.size, None) or bytes(_LENGTH.size))
    return _read(connection, size, None)


def receive(connection: socket.socket, most: int, until: float | None = None) -> dict[str, Any] | None:
    """The next frame; None at the end.

    Args:
        most: bytes that it may have. until: when to give up, by `time.monotonic`.

    Raises:
        BadFrame: it has more, is cut off, or is no JSON object.
        TooLate: it has not come by then.
    """
    head = _read(connection, _LENGTH.size, until)
    if not head:
        return None
    (size,) = _LENGTH.unpack(head)
    if size > most:
        raise BadFrame(f"its answer has more than the limit of {most} bytes")
    try:
        frame = json.loads(_read(connection, size, until))
    except (ValueError, RecursionError) as problem:
        raise BadFrame("its answer is no JSON") from problem
    if not isinstance(frame, dict):
        raise BadFrame("its answer is no JSON object")
    return frame


def _read(connection: socket.socket, size: int, until: float | None) -> bytes:
    """So many bytes; none if the connection ends before the first of them."""
    data = bytearray()
    while len(data) < size:
        if until is not None and until <= time.monotonic():
            raise TooLate
        connection.settimeout(None if until is None else max(0.001, until - time.monotonic()))
        try:
            chunk = connection.recv(min(size - len(data), _CHUNK_BYTES))
        except TimeoutError:
            raise TooLate from None
        except ConnectionResetError:
            chunk = b""
        if not chunk:
            if not data:
                return b""
            raise BadFrame("its answer is cut off")
        data += chunk
    return bytes(data)


def verdict_fields(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON values."""
    return {
        "solved": verdict.solved,
        "solved_paper": verdict.solved_paper,
        "gates": dict(verdict.gates),
        "scores": dict(verdict.scores),
        "facts": dict(verdict.facts),
        "problem": verdict.problem,
        "limit": verdict.limit,
        "details": None if verdict.details is None else verdict.details.model_dump(mode="json"),
    }


def verdict_of(fields: Mapping[str, Any]) -> Verdict:
    """The verdict that `verdict_fields` wrote."""
    details = fields["details"]
    return Verdict(**{**fields, "details": None if details is None else Details.model_validate(details)})


def histories_fields(pair: HistoryPair | None) -> dict[str, Any] | None:
    """Histories as JSON values."""
    if pair is None:
        return None
    return {"agent": _history_fields(pair.agent), "real": _history_fields(pair.real)}


def histories_of(fields: Mapping[str, Any] | None) -> HistoryPair | None:
    """The histories that `histories_fields` wrote."""
    return None if fields is None else HistoryPair(_history_of(fields["agent"]), _history_of(fields["real"]))


def _history_fields(history: ChainHistory) -> dict[str, Any]:
    commits = [
        {**vars(commit), "message": _text(commit.message), "patch": _text(commit.patch)} for commit in history.commits
    ]
    return {**vars(history), "commits": commits}


def _history_of(fields: Mapping[str, Any]) -> ChainHistory:
    commits = tuple(
        CommitView(**{**commit, "message": _bytes(commit["message"]), "patch": _bytes(commit["patch"])})
        for commit in fields["commits"]
    )
    return ChainHistory(**{**fields, "commits": commits})


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
