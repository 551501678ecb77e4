"""What a note says about a commit, as JSON, and nothing that people who get the notes should not see.

A note has no code, no prompt, no name of a person, no path outside the commit, and not the ids of sessions and edits,
which may hold local paths: digests stand for them, the same ones wherever the note goes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeGuard

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gitgoodbench.feedback.records import CommitResult, EditResult, EvidenceKind, Key, State
from gitgoodbench.text import clean_json

SCHEMA: Final = "gitgoodbench-feedback/1"
_FAMILY: Final = "gitgoodbench-feedback/"
_DIGITS: Final = 14
_DECIMALS: Final = 6
_TEXT: Final = re.compile(r"\S")
_COMMIT: Final = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class NoteEdit(_Strict):
    """One edit: by digests, and as in `EditResult`."""

    source: str
    session: str
    edit: str
    state: State
    path: str | None = None
    language: str | None = None
    model: str | None = None
    reward: float | None = Field(None, ge=0, le=1)
    kept: float | None = Field(None, ge=0, le=1)
    evidence: tuple[EvidenceKind, ...] = Field((), strict=False)


class NoteDocument(_Strict):
    """All of a commit's edits, as one clone of the repository knows them.

    writer: a random id of the clone, so that nobody replaces what others wrote. commit: the one that was scored; a note
    that Git copied when it rewrote a commit names the old one.
    """

    schema_: Literal["gitgoodbench-feedback/1"] = Field(SCHEMA, alias="schema")
    writer: str
    commit: str = Field(pattern=_COMMIT)
    rule: str
    committed_by: str | None = None
    edits: tuple[NoteEdit, ...] = Field((), strict=False)


@dataclass(frozen=True)
class Note:
    """A note as it stands. others: lines that are no document of ours, or damaged."""

    documents: tuple[NoteDocument, ...] = ()
    others: tuple[bytes, ...] = ()

    @property
    def edits(self) -> tuple[NoteEdit, ...]:
        """The edits of all documents; of one that is in several, what the last says."""
        found = {(edit.source, edit.session, edit.edit): edit for one in self.documents for edit in one.edits}
        return tuple(found.values())


def session_digest(key: Key) -> str:
    """What stands for a session in everything that is shared; made as git-ai makes the names of its sessions."""
    return "s_" + _digest(f"{key.source}:{key.session}")


def edit_digest(key: Key) -> str:
    """What stands for an edit in everything that is shared."""
    return "e_" + _digest(str(key))


def document_of(result: CommitResult, in_commit: Callable[[str], bool]) -> dict[str, Any] | None:
    """What is to be noted about a commit; None where no edit counts for it. The clone's id is not in it yet.

    in_commit: whether the commit has a file of this path; other paths are left out.
    """
    edits = [_edit(edit, in_commit) for edit in result.edits if edit.state not in ("pending", "not_applied")]
    if not edits:
        return None
    document: dict[str, Any] = clean_json(
        {
            "schema": SCHEMA,
            "commit": result.commit.id,
            "rule": result.rule,
            "committed_by": result.commit.committed_by,
            "edits": sorted(edits, key=lambda one: (one["session"], one["edit"])),
        }
    )
    return document


def note_line(document: Mapping[str, Any]) -> bytes:
    """A document as the one line that it is in a note: so Git's `cat_sort_uniq` merges notes and breaks none."""
    return json.dumps(document, sort_keys=True, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def parse_note(text: bytes) -> Note:
    """Read a note: one document or several, whatever stands between them."""
    documents: list[NoteDocument] = []
    others: list[bytes] = []
    for piece in _pieces(text):
        if isinstance(piece, bytes):
            others.append(piece)
            continue
        try:
            documents.append(NoteDocument.model_validate(piece))
        except ValidationError:
            others.append(json.dumps(piece).encode("ascii"))
    return Note(tuple(documents), tuple(others))


def replaced(text: bytes | None, writer: str, document: Mapping[str, Any] | None) -> bytes | None:
    """A note with this clone's document in place of its earlier ones; None where nothing is left.

    Documents of other clones stay as they are, those of newer versions, too. Anything else is dropped: the ref is ours.
    """
    lines = [note_line(piece) for piece in _pieces(text or b"") if _is_of_another(piece, writer)]
    if document is not None:
        lines.append(note_line({**document, "writer": writer}))
    return b"".join(lines) or None


def own_documents(text: bytes | None, writer: str) -> list[NoteDocument]:
    """This clone's documents in a note."""
    return [one for one in parse_note(text or b"").documents if one.writer == writer]


def _is_of_another(piece: Mapping[str, Any] | bytes, writer: str) -> TypeGuard[Mapping[str, Any]]:
    if isinstance(piece, bytes):
        return False
    return str(piece.get("schema")).startswith(_FAMILY) and piece.get("writer") not in (None, writer)


def _edit(edit: EditResult, in_commit: Callable[[str], bool]) -> dict[str, Any]:
    return {
        "source": edit.key.source,
        "session": session_digest(edit.key),
        "edit": edit_digest(edit.key),
        "state": edit.state,
        "path": edit.path if edit.path is not None and in_commit(edit.path) else None,
        "language": edit.language,
        "model": edit.model,
        "reward": None if edit.reward is None else round(edit.reward, _DECIMALS),
        "kept": None if edit.kept is None else round(edit.kept, _DECIMALS),
        "evidence": list(dict.fromkeys(one.kind for one in edit.evidence)),
    }


def _pieces(text: bytes) -> Iterator[dict[str, Any] | bytes]:
    """JSON objects that begin a line, and the other lines."""
    found, decoder, position = text.decode("utf-8", "replace"), json.JSONDecoder(), 0
    while (start := _TEXT.search(found, position)) is not None:
        position = start.start()
        try:
            value, end = decoder.raw_decode(found, position)
        except (ValueError, RecursionError):
            value, end = None, -1
        if not isinstance(value, dict):
            end = found.find("\n", position)
            end = len(found) if end < 0 else end
        yield value if isinstance(value, dict) else found[position:end].encode("utf-8")
        position = end


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
