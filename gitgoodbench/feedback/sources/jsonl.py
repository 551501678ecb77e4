"""Files of JSON objects, one a line, that a program may be writing at this moment and that may be damaged."""

from __future__ import annotations

import json
import mmap
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gitgoodbench.feedback.contract import Log

LONGEST: Final = 64 * 1024 * 1024
"""Bytes of the longest line that is read; what is longer is counted as not understood."""

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Line:
    """One line. value: its object; None where it was passed over, or, with a problem, where it is damaged."""

    value: dict[str, Any] | None
    problem: str | None = None


def log_of(path: Path) -> Log | None:
    """A file as a log; None where it is gone."""
    try:
        status = path.stat()
    except OSError:
        return None
    return Log(str(path), f"{status.st_size}-{status.st_mtime_ns}", status.st_mtime)


def lines(path: Path, passed_over: Callable[[bytes], bool] | None = None) -> Iterator[Line]:
    """Read the objects of a file; a last line without its end is left out where it is not whole yet.

    passed_over: whether the bytes of a line already say that nothing in it is wanted, so that it is not parsed.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as file:
        while line := file.readline(LONGEST):
            whole = line.endswith(b"\n")
            if not whole and len(line) == LONGEST:
                _finish_line(file)
                yield Line(None, "a line that is too long")
            elif not (content := line.strip(b" \t\r\n\0")):
                continue
            elif passed_over is not None and whole and passed_over(content):
                yield Line(None)
            else:
                found = parse(content)
                if whole or found.problem is None:
                    yield found


def parse(content: bytes) -> Line:
    """One object of JSON. Surrogates that stand alone are what a program writes to a file for them, U+FFFD."""
    try:
        value = json.loads(content.decode("utf-8"))
        if not isinstance(value, dict):
            return Line(None, "a line that is no object")
        return Line(_paired(value) if _ESCAPED_SURROGATE.search(content) else value)
    except UnicodeDecodeError:
        return Line(None, "a line that is not UTF-8")
    except RecursionError:
        return Line(None, "a line that is nested too deeply")
    except ValueError:
        return Line(None, "a line that is not JSON")


def mentions(path: Path, words: Iterable[bytes]) -> bool:
    """Whether one of these stands anywhere in a file.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return any(content.find(word) >= 0 for word in words)


def _finish_line(file: Any) -> None:
    while (piece := file.readline(LONGEST)) and not piece.endswith(b"\n"):
        pass


def _paired(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_paired(key): _paired(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_paired(entry) for entry in value]
    return value
