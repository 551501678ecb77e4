"""Who wrote what in a commit, as other tools recorded it: evidence for linking. None of it is ever written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Final

from gitgoodbench.feedback.agent_trace import read_traces
from gitgoodbench.feedback.assistants import attributions_in_message
from gitgoodbench.feedback.attribution_notes import GIT_AI, QWEN_CODE, read_git_ai, read_qwen_code
from gitgoodbench.feedback.note_tree import read_note_text
from gitgoodbench.feedback.records import Attribution
from gitgoodbench.git.batch import ObjectReader
from gitgoodbench.git.commits import parse_commit
from gitgoodbench.git.process import Git

_NOTES: Final = ((GIT_AI, read_git_ai), (QWEN_CODE, read_qwen_code))


def attributions(
    git: Git, commit: str, root: Path | None, *, reader: ObjectReader | None = None
) -> tuple[Attribution, ...]:
    """What the notes of git-ai and qwen-code, Agent Trace records and trailers say about a commit, lines first.

    root: the working tree in which it was made, where Agent Trace keeps its records; None where that is not known.
    reader: give one to ask about many commits.
    """
    with nullcontext(reader) if reader is not None else ObjectReader(git) as asked:
        return tuple(dict.fromkeys(_attributions(asked, commit, root)))


def _attributions(reader: ObjectReader, commit: str, root: Path | None) -> Iterator[Attribution]:
    for ref, read in _NOTES:
        note = read_note_text(reader, ref, commit)
        if note is not None:
            yield from read(note)
    content = reader.blob(commit)
    if content is None:
        return
    said = parse_commit(commit, content)
    if root is not None:
        traces = read_traces(root)
        for revision in (commit, *said.parents[:1]):
            yield from traces.get(revision, ())
    yield from attributions_in_message(said.message)
