"""Results as Git notes under `refs/notes/gitgoodbench`, so that they go where the commits go, if the user pushes them.

`git notes` is not used to write: it replaces the ref without looking, so that of several at once most are lost. Here a
lock keeps this program's writers apart, and Git itself refuses to move the ref where anybody else has moved it.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.contract import Item, Place, Refused
from gitgoodbench.feedback.note_tree import new_place, note_places, read_note_text
from gitgoodbench.feedback.notes import Note, NoteDocument, document_of, own_documents, parse_note, replaced
from gitgoodbench.feedback.records import CommitResult
from gitgoodbench.feedback.store import folder_of
from gitgoodbench.files import locked, make_durably, write_atomically
from gitgoodbench.git.batch import MissingObjectError, ObjectReader
from gitgoodbench.git.paths import parse_path
from gitgoodbench.git.process import IDENTITY, Git, GitError

REF: Final = "refs/notes/gitgoodbench"
_ATTEMPTS: Final = 20


def read_note(git: Git, commit: str) -> Note:
    """What a commit's note says, whatever is in it; an empty note where there is none."""
    with ObjectReader(git) as reader:
        return parse_note(read_note_text(reader, REF, commit) or b"")


def write_note(common: Path, commit: str, document: Mapping[str, Any] | None) -> None:
    """Replace this clone's document in a commit's note; None takes it away. Other clones' documents stay.

    Raises:
        Refused: the repository does not have the commit.
        GitError: Git refuses to write, or others move the ref faster than this can follow.
    """
    folder = folder_of(common)
    make_durably(folder)
    with locked(folder / "notes.lock", lambda _: None):
        writer = _writer(folder)
        for attempt in range(_ATTEMPTS):
            try:
                _write(Git(common), writer, commit, document)
                return
            except GitError:
                if attempt == _ATTEMPTS - 1:
                    raise
                time.sleep(0.01 * attempt)  # somebody else writes the ref, by `git notes` or `git fetch`


def _write(git: Git, writer: str, commit: str, document: Mapping[str, Any] | None) -> None:
    with ObjectReader(git) as reader:
        if document is not None and reader.commit(commit) is None:
            raise Refused("the repository does not have the commit any more")
        tip = reader.commit(REF)
        places = [] if tip is None else note_places(reader, tip, commit)
        before = None if tip is None else read_note_text(reader, tip, commit)
        after = replaced(before, writer, document)
        if after == before or (document is None and not own_documents(before, writer)):
            return
        changes = [b"D %s\n" % path for path, _ in places]
        if after is not None:
            place = new_place(reader, tip, commit)
            changes.append(b"M 100644 inline %s\ndata %d\n%s\n" % (place, len(after), after))
    _import(git, tip, changes)


def _import(git: Git, tip: str | None, changes: Iterable[bytes]) -> None:
    """Make a commit of notes on the tip; fast-import refuses where the ref is no longer there."""
    message = b"Notes of gitgoodbench\n"
    head = [
        b"commit %s\n" % REF.encode(),
        f"committer {IDENTITY[0]} <{IDENTITY[1]}> {int(time.time())} +0000\n".encode("ascii"),
        b"data %d\n%s\n" % (len(message), message),
        b"" if tip is None else b"from %s\n" % tip.encode(),
    ]
    git.run("fast-import", "--quiet", "--done", "--date-format=raw", stdin=b"".join([*head, *changes, b"\ndone\n"]))


def _writer(folder: Path) -> str:
    """This clone's random id; it says nothing about whose the clone is."""
    path = folder / "notes-writer"
    if not path.exists():
        write_atomically(path, secrets.token_hex(8).encode("ascii") + b"\n")
    return path.read_text(encoding="ascii").strip()


class Notes:
    """The sink. A note is replaced when its commit is scored again, and taken away when its edits count elsewhere."""

    name: ClassVar = "notes"
    title: ClassVar = "Git notes"
    remote: ClassVar = False

    def check(self, place: Place) -> str:
        """Count the notes.

        Raises:
            UserError: the ref is not one of notes.
        """
        git = Git(place.common)
        listed = git.execute("ls-tree", "-r", "--name-only", REF)
        if not git.run("for-each-ref", REF):
            return f"{REF} will be made with the first note; it is pushed only if you push it"
        if listed.returncode:
            raise UserError(f"{REF} holds no notes: delete it with `git update-ref -d {REF}`, or rename it")
        count = len(listed.stdout.splitlines())
        return f"{count} notes under {REF}; they are pushed only if you push them"

    def items(self, result: CommitResult, place: Place) -> Iterable[Item]:
        """The commit's document; None where no edit counts for it."""
        with ObjectReader(Git(place.common)) as reader:

            def in_commit(path: str) -> bool:
                try:
                    return reader.entry(result.commit.id, parse_path(path)) is not None
                except (MissingObjectError, ValueError):
                    return False

            return [Item(result.commit.id, document_of(result, in_commit))]

    def send(self, item: Item, place: Place, *, dry: bool = False) -> str:
        """Write the note, or take it away.

        Raises:
            Refused: the repository does not have the commit any more.
            OSError: Git could not write; it is tried again.
        """
        try:
            if not dry:
                write_note(place.common, item.key, item.payload)
        except GitError as problem:
            raise OSError(f"the note could not be written: {problem}") from problem
        return REF

    def confirm(self, item: Item, reference: str, place: Place) -> bool:  # noqa: ARG002
        """Whether the note is as it was sent, or is gone."""
        with ObjectReader(Git(place.common)) as reader:
            text = read_note_text(reader, REF, item.key)
        own = own_documents(text, _writer(folder_of(place.common)))
        if item.payload is None:
            return own == []
        return own == [NoteDocument.model_validate({**item.payload, "writer": own[0].writer})] if own else False
