"""Agent Trace 0.1.0 (cursor/agent-trace): records of which lines came from which conversation with a model.

The specification leaves open where records are kept; its reference keeps them in `.agent-trace/traces.jsonl` in the
working tree, with the revision that was checked out before the commit.
"""

from __future__ import annotations

import datetime
import json
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from gitgoodbench.feedback.assistants import known_assistant
from gitgoodbench.feedback.attribution_notes import as_mapping
from gitgoodbench.feedback.notes import edit_digest, session_digest
from gitgoodbench.feedback.piece_lines import CommitFiles
from gitgoodbench.feedback.records import Attribution, CommitResult, EditResult
from gitgoodbench.git.batch import ObjectReader
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git
from gitgoodbench.text import clean_json

VERSION: Final = "0.1.0"
VENDOR: Final = "com.github.gitgoodbench"
STORE: Final = Path(".agent-trace", "traces.jsonl")

_CONTRIBUTORS: Final = ("human", "ai", "mixed", "unknown")
_LARGEST: Final = 64 * 1024 * 1024
_NAMESPACE: Final = uuid.UUID("7d0cbe2e-6f0a-5a2f-9c55-0f5a3f6f2d11")
_LONGEST_MODEL: Final = 250
_PROVIDERS: Final = {
    "claude-": "anthropic",
    "gpt-": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4-": "openai",
    "gemini-": "google",
    "grok-": "xai",
    "mistral-": "mistral",
    "codestral": "mistral",
    "deepseek-": "deepseek",
}
"""Beginnings of models' names and their providers, as models.dev calls them."""

Range = tuple[int, int]


def read_traces(root: Path) -> Mapping[str, tuple[Attribution, ...]]:
    """What the records in a working tree say, by revision; nothing where there are none, or they cannot be read."""
    path = root / STORE
    try:
        state = path.stat()
        if not path.is_file() or state.st_size > _LARGEST:
            return {}
        return _read_traces(path, state.st_mtime_ns, state.st_size)
    except OSError:
        return {}


@lru_cache(maxsize=8)
def _read_traces(path: Path, _changed: int, _size: int) -> Mapping[str, tuple[Attribution, ...]]:
    traces: dict[str, list[Attribution]] = defaultdict(list)
    for line in path.read_bytes().split(b"\n"):
        try:
            record = as_mapping(json.loads(line))
        except (ValueError, RecursionError):
            continue  # damaged, or half written
        vcs = as_mapping(record.get("vcs"))
        if vcs.get("type") == "git" and isinstance(vcs.get("revision"), str):
            traces[vcs["revision"]].extend(_attributions(record))
    return {revision: tuple(found) for revision, found in traces.items()}


def _attributions(record: Mapping[str, Any]) -> Iterator[Attribution]:
    tool = as_mapping(record.get("tool")).get("name")
    for file in _mappings(record.get("files")):
        path = file.get("path")
        if not isinstance(path, str):
            continue
        for conversation in _mappings(file.get("conversations")):
            lines: dict[tuple[str, str | None], list[Range]] = {}
            for one in _mappings(conversation.get("ranges")):
                by = as_mapping(one.get("contributor")) or as_mapping(conversation.get("contributor"))
                start, end = one.get("start_line"), one.get("end_line")
                if isinstance(start, int) and isinstance(end, int) and 1 <= start <= end:
                    kind, model = by.get("type"), by.get("model_id")
                    known = kind if kind in _CONTRIBUTORS else "unknown"
                    lines.setdefault((known, model if isinstance(model, str) else None), []).append((start, end))
            for (contributor, model), ranges in lines.items():
                yield Attribution(
                    "agent-trace",
                    contributor,  # type: ignore[arg-type]  # one of _CONTRIBUTORS
                    tool=(known_assistant(tool) or tool) if isinstance(tool, str) else None,
                    model=model,
                    session=_session(conversation.get("url")),
                    path=path,
                    lines=tuple(sorted(ranges)),
                )


def _session(url: object) -> str | None:
    """The last part of a conversation's URL: a transcript's file name without its end, or an id."""
    name = url.rstrip("/").rpartition("/")[2] if isinstance(url, str) else ""
    return name.removesuffix(".jsonl").removesuffix(".json") or None


def _mappings(value: object) -> Iterator[Mapping[str, Any]]:
    return (one for one in value if isinstance(one, dict)) if isinstance(value, list) else iter(())


def trace_record(result: CommitResult, reader: ObjectReader) -> dict[str, Any] | None:
    """A record of what is in a commit of assistants' work; None where no line of it can be named.

    Lines that stand as the model wrote them are `ai`, those that were changed `mixed`. Nothing else is claimed: other
    lines may be anybody's. Sessions and edits go by the digests that notes have, and no contents are in it.
    """
    files: dict[str, dict[tuple[str, str | None], dict[int, str]]] = defaultdict(lambda: defaultdict(dict))
    of_commit = CommitFiles(reader, result.commit.id)
    for edit in result.edits:
        for piece, path, numbers in of_commit.own_lines(edit):
            kinds = files[show_path(path)][session_digest(edit.key), edit.model]
            kind = "mixed" if piece.distance else "ai"
            kinds.update({number: "ai" if kinds.get(number) == "ai" else kind for number in numbers})
    named = {path: {by: kinds for by, kinds in some.items() if kinds} for path, some in files.items()}
    if not any(named.values()):
        return None
    made = datetime.datetime.fromtimestamp(result.commit.time, datetime.UTC)
    return {
        "version": VERSION,
        "id": str(uuid.uuid5(_NAMESPACE, f"{result.commit.id} {result.rule}")),
        "timestamp": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "vcs": {"type": "git", "revision": result.commit.id},
        "tool": {"name": "gitgoodbench", "version": version("gitgoodbench")},
        "files": [
            {
                "path": path,
                "conversations": [_conversation(model, kinds) for (_, model), kinds in sorted(some.items(), key=str)],
            }
            for path, some in sorted(named.items())
            if some
        ],
        "metadata": {
            VENDOR: {
                "rule": result.rule,
                "committed_by": result.commit.committed_by,
                "edits": [_edit(edit) for edit in result.edits if edit.state == "scored"],
            }
        },
    }


def trace_lines(results: Iterable[CommitResult], git: Git) -> Iterator[str]:
    """Records of commits, as lines of JSON."""
    with ObjectReader(git) as reader:
        for result in results:
            record = trace_record(result, reader)
            if record is not None:
                yield json.dumps(clean_json(record), sort_keys=True) + "\n"


def _conversation(model: str | None, kinds: Mapping[int, str]) -> dict[str, Any]:
    """A conversation's lines as ranges, by who wrote them."""
    runs: list[list[int]] = []
    for number in sorted(kinds):
        if runs and runs[-1][1] == number - 1 and kinds[number] == kinds[runs[-1][0]]:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return {
        "contributor": _contributor("ai" if "ai" in kinds.values() else "mixed", model),
        "ranges": [
            {"start_line": start, "end_line": end, "contributor": _contributor(kinds[start], model)}
            for start, end in runs
        ],
    }


def _contributor(kind: str, model: str | None) -> dict[str, str]:
    return {"type": kind} if model is None else {"type": kind, "model_id": model_id(model)}


def model_id(model: str) -> str:
    """A model as `provider/model` where its provider is known, as it is otherwise."""
    provider = next((name for start, name in _PROVIDERS.items() if model.startswith(start)), None)
    named = model if provider is None or "/" in model else f"{provider}/{model}"
    return named[:_LONGEST_MODEL]


def _edit(edit: EditResult) -> dict[str, Any]:
    return {
        "edit": edit_digest(edit.key),
        "session": session_digest(edit.key),
        "source": edit.key.source,
        "path": edit.path,
        "reward": edit.reward,
        "kept": edit.kept,
    }
