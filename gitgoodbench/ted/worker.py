"""The process that parses sources of strangers, started by `isolated`.

A hostile file can make a parser take all memory there is, and its allocator then ends the process; here it is this one.
Requests come on standard input as a line of JSON, {task, language, fragment, comments, spans, sound, sizes}, and texts
of these sizes in UTF-8: readings of one source. Each is answered by a line of JSON, whose `size` says how many bytes
follow it. The task `nodes` is about the best reading; with `sound`, nodes are only sent of one without errors.
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys
from typing import IO, Any

from gitgoodbench.limits import LIMITS, mapped_bytes
from gitgoodbench.ted.definitions import read_definitions
from gitgoodbench.ted.nodes import ARRAYS, best_reading, read_nodes


def main(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests until they end."""
    _limit()
    while header := requests.readline():
        request = json.loads(header)
        answer, body = _answer(request, [requests.read(size) for size in request["sizes"]])
        answers.write(json.dumps({**answer, "size": len(body)}).encode() + b"\n" + body)
        answers.flush()


def _limit() -> None:
    for limit, value in ((resource.RLIMIT_AS, mapped_bytes() + LIMITS.parser_memory), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):  # not every system has every limit
            resource.setrlimit(limit, (value, value))


def _answer(request: dict[str, Any], readings: list[bytes]) -> tuple[dict[str, Any], bytes]:
    at, errors, tree = best_reading(readings, request["language"], fragment=request["fragment"])
    if request["task"] == "definitions":
        return {}, json.dumps(list(read_definitions(tree))).encode()
    if request["task"] == "errors" or (request["sound"] and errors):
        return {"errors": errors}, b""
    nodes = read_nodes(tree, comments=request["comments"], spans=request["spans"])
    arrays = [getattr(nodes, name) for name in ARRAYS]
    facts = {"at": at, "names": nodes.names, "errors": errors, "lengths": [len(values) for values in arrays]}
    return facts, b"".join(values.tobytes() for values in arrays)


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
