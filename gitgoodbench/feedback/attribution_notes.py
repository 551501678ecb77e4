"""Notes in which other tools say who wrote what: git-ai's (authorship/3.0.0), and qwen-code's.

git-ai: `git_ai_standard_v3.0.0.md` in git-ai-project/git-ai. Lines of files by the key of who wrote them, a line `---`,
and JSON in which the keys stand for: `s_` a session, `h_` a person, a bare number an entry of `prompts`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gitgoodbench.feedback.assistants import known_assistant
from gitgoodbench.feedback.records import Attribution

GIT_AI: Final = "refs/notes/ai"
QWEN_CODE: Final = "refs/notes/ai-attribution"

_VERSION: Final = re.compile(r"authorship/3\.\d+\.\d+")
_DIVIDER: Final = re.compile(r"^---$\n", re.M)
_RANGES: Final = re.compile(r"\d{1,9}(?:-\d{1,9})?(?:,\d{1,9}(?:-\d{1,9})?)*")


def read_git_ai(note: bytes) -> Iterator[Attribution]:
    """What a note of git-ai says. A note that is damaged, or of another version, says nothing.

    Git may have appended one note to another when commits were rewritten; all are read.
    """
    rest = note.decode("utf-8", "replace").replace("\r\n", "\n")
    while (divider := _DIVIDER.search(rest)) is not None:
        attestations, after = rest[: divider.start()], rest[divider.end() :].lstrip()
        try:
            metadata, end = json.JSONDecoder().raw_decode(after)
        except (ValueError, RecursionError):
            return
        if _VERSION.fullmatch(str(as_mapping(metadata).get("schema_version"))):
            yield from _attested(attestations.split("\n"), as_mapping(metadata))
        rest = after[end:]


def read_qwen_code(note: bytes) -> Iterator[Attribution]:
    """What a note of qwen-code says: files, in which it or a person wrote characters; it knows no lines."""
    try:
        metadata, _ = json.JSONDecoder().raw_decode(note.decode("utf-8", "replace").lstrip())
    except (ValueError, RecursionError):
        return
    metadata = as_mapping(metadata)
    if metadata.get("version") != 1:
        return
    model = metadata.get("generator")
    for path, file in as_mapping(metadata.get("files")).items():
        counts = [as_mapping(file).get(name) for name in ("aiChars", "humanChars")]
        ai, human = (isinstance(count, int) and count > 0 for count in counts)
        if ai:
            name = model if isinstance(model, str) else None
            yield Attribution("qwen-code", "mixed" if human else "ai", tool="qwen-code", model=name, path=path)


def as_mapping(value: object) -> Mapping[str, Any]:
    """A JSON object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def _attested(lines: list[str], metadata: Mapping[str, Any]) -> Iterator[Attribution]:
    path = None
    for line in filter(None, map(str.rstrip, lines)):
        if not line.startswith("  "):
            path = _unquoted(line)
            continue
        key, _, ranges = line[2:].partition(" ")
        if path is not None and _RANGES.fullmatch(ranges):
            yield _of_key(key, metadata, path, tuple(sorted(_ranges(ranges))))


def _of_key(key: str, metadata: Mapping[str, Any], path: str, lines: tuple[tuple[int, int], ...]) -> Attribution:
    if key.startswith("h_"):
        return Attribution("git-ai", "human", path=path, lines=lines)
    table, name = ("sessions", key.partition("::")[0]) if key.startswith("s_") else ("prompts", key)
    agent = as_mapping(as_mapping(as_mapping(metadata.get(table)).get(name)).get("agent_id"))
    tool, session, model = (agent.get(part) for part in ("tool", "id", "model"))
    return Attribution(
        "git-ai",
        "ai",
        tool=(known_assistant(tool) or tool) if isinstance(tool, str) else None,
        model=model if isinstance(model, str) else None,
        session=session if isinstance(session, str) else None,
        path=path,
        lines=lines,
    )


def _ranges(text: str) -> Iterator[tuple[int, int]]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        start, end = int(first), int(last or first)
        if 1 <= start <= end:
            yield start, end


def _unquoted(line: str) -> str:
    return line[1:-1] if len(line) > 1 and line[0] == line[-1] == '"' else line
