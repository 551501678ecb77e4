"""What a note says: it comes back as it was written, whatever Git made of it, and tells nothing private."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.feedback.notes import (
    NoteDocument,
    document_of,
    edit_digest,
    note_line,
    own_documents,
    parse_note,
    replaced,
    session_digest,
)
from gitgoodbench.feedback.records import EditResult, Evidence, EvidenceKind, Key, MatchedPiece, State
from tests.feedback.support_notes import commit_result, edit_result, piece

COMMIT = "1" * 40
OTHER = "2" * 40


def everywhere(_: str) -> bool:
    return True


def document(name: str, commit: str = COMMIT) -> dict[str, object]:
    made = document_of(commit_result(commit, edit_result(commit, name)), everywhere)
    assert made is not None
    return made


def test_a_document_has_what_the_schema_says() -> None:
    edits = edit_result(COMMIT, "toolu_1", reward=2 / 3), edit_result(COMMIT, "p", path=None, state="indirect")
    made = document_of(commit_result(COMMIT, *edits, committed_by="claude-code"), everywhere)
    assert made is not None
    assert {name: value for name, value in made.items() if name != "edits"} == {
        "schema": "gitgoodbench-feedback/1",
        "commit": COMMIT,
        "rule": "1",
        "committed_by": "claude-code",
    }
    (scored,) = (edit for edit in made["edits"] if edit["state"] == "scored")
    assert scored == {
        "source": "claude-code",
        "session": session_digest(edits[0].key),
        "edit": edit_digest(edits[0].key),
        "state": "scored",
        "path": "a.py",
        "language": "python",
        "model": "claude-opus-4-5",
        "reward": 0.666667,
        "kept": 1.0,
        "evidence": ["content", "time"],
    }


def test_sessions_have_the_names_that_git_ai_gives_them() -> None:
    # sha256sum of "claude:3eff38bc-620c-4615-b40a-35c2fa42e8e7" begins so
    assert session_digest(Key("claude", "3eff38bc-620c-4615-b40a-35c2fa42e8e7", "e")) == "s_43025a8cfc5282"


def test_nothing_private_is_in_a_note() -> None:
    secret = b"password = 'hunter2'\n"
    edit = edit_result(
        COMMIT,
        "/users/ada/log.md#4",
        MatchedPiece(secret, secret, "a.py", 1, 3, 0, "tree"),
        session="/users/ada/code/.aider.chat.history.md",
        path="plans/layoffs.md",
        reason="in /home/ada",
    )
    edit = replace(edit, evidence=(Evidence("content", "/users/ada/code/a.py line 4"),))
    made = document_of(commit_result(COMMIT, edit, root="/users/ada/code", hints=(("X", "y"),)), lambda _: False)
    assert made is not None
    text = note_line(made)
    for private in (b"home", b"ada", b"hunter2", b"layoffs", b"plans", b"Ada", b"example.org", b"reason"):
        assert private not in text.replace(COMMIT.encode(), b"")


def test_a_commit_without_edits_has_no_document() -> None:
    edits = edit_result(COMMIT, "1", state="not_applied"), edit_result(COMMIT, "2", state="pending")
    assert document_of(commit_result(COMMIT, *edits), everywhere) is None


def test_two_documents_that_git_put_into_one_note_are_both_read() -> None:
    first, second = ({**document(name), "writer": "w"} for name in ("1", "2"))
    note = parse_note(note_line(first) + b"\n\n" + note_line(second))
    assert [one.edits[0].edit for one in note.documents] == [
        edit_digest(Key("claude-code", "s1", name)) for name in ("1", "2")
    ]
    assert note.others == ()
    assert len(note.edits) == 2


def test_a_document_that_somebody_printed_over_many_lines_is_read() -> None:
    printed = json.dumps({**document("1"), "writer": "w"}, indent=2).encode()
    assert len(parse_note(b"Looks good\n" + printed + b"\nsince Monday\n").documents) == 1


def test_foreign_and_damaged_notes_are_told_apart_and_hurt_nobody() -> None:
    line = note_line({**document("1"), "writer": "w"})
    note = parse_note(b"\xff\xfe\n" + line[:40] + b"\n" + b"[" * 5000 + b'\n{"schema": 3}\n' + line + b"1 2 null\n")
    assert len(note.documents) == 1
    assert len(note.others) == 5


def test_the_last_document_says_what_an_edit_is() -> None:
    old, new = ({**document("1"), "writer": name} for name in ("a", "b"))
    new["edits"] = [{**new["edits"][0], "reward": 0.5}]  # type: ignore[index]
    assert [edit.reward for edit in parse_note(note_line(old) + note_line(new)).edits] == [0.5]


def test_replacing_leaves_one_document_of_the_writer_and_all_of_others() -> None:
    mine, copied = {**document("1"), "writer": "me"}, {**document("1", OTHER), "writer": "me"}
    theirs = {**document("2"), "writer": "you"}
    newer = {"schema": "gitgoodbench-feedback/2", "writer": "new", "what": [1]}
    text = note_line(mine) + b"foreign\n" + note_line(theirs) + note_line(newer) + note_line(copied)
    after = replaced(text, "me", document("3"))
    assert after == note_line(theirs) + note_line(newer) + note_line({**document("3"), "writer": "me"})
    assert replaced(after, "me", None) == note_line(theirs) + note_line(newer)
    assert replaced(note_line(mine), "me", None) is None
    assert replaced(None, "me", None) is None


NAMES = st.text(max_size=20)
SHARES = st.none() | st.floats(0, 1)
STATES: list[State] = ["scored", "superseded", "indirect"]
KINDS: list[EvidenceKind] = ["environment", "hash", "content", "attribution", "time"]
EDITS: st.SearchStrategy[EditResult] = st.builds(
    EditResult,
    key=st.builds(Key, NAMES, NAMES, NAMES),
    state=st.sampled_from(STATES),
    commit=st.just(COMMIT),
    path=st.none() | NAMES,
    language=st.none() | NAMES,
    model=st.none() | NAMES,
    reward=SHARES,
    kept=SHARES,
    evidence=st.lists(st.builds(Evidence, st.sampled_from(KINDS), NAMES), max_size=3).map(tuple),
    pieces=st.just((piece(b"x = 1\n", "a.py", 1),)),
)


@given(st.lists(EDITS, min_size=1, max_size=5), st.binary(max_size=60), st.sampled_from([everywhere, lambda _: False]))
def test_a_note_comes_back_as_it_was_written(
    edits: list[EditResult], before: bytes, in_commit: Callable[[str], bool]
) -> None:
    made = document_of(commit_result(COMMIT, *edits), in_commit)
    assert made is not None
    text = replaced(before, "me", made)
    assert text is not None
    assert text.isascii()
    assert text.count(b"\n") == 1
    assert own_documents(text, "me") == [NoteDocument.model_validate({**made, "writer": "me"})]
    assert len(own_documents(text, "me")[0].edits) == len(edits)


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read_as_a_note(text: bytes) -> None:
    assert parse_note(text).documents == ()
