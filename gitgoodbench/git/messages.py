"""Commit messages as Git leaves them. Pure."""

from __future__ import annotations


def clean_message(message: bytes) -> bytes:
    """Whitespace as `git stripspace` leaves it: no blanks at line ends, no blank lines at either end, none twice.

    Every message that an agent writes is cleaned so, as `git commit --cleanup=whitespace` does: line ends CRLF become
    LF, what is indented stays indented, lines that start with `#` are text like any other.
    """
    lines: list[bytes] = []
    for line in message.split(b"\n"):
        stripped = line.rstrip(b" \t\r\n")
        if stripped or (lines and lines[-1]):
            lines.append(stripped)
    if lines and not lines[-1]:
        lines.pop()
    return b"".join(line + b"\n" for line in lines)
