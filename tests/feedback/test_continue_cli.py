"""Sessions of Continue's command line, which keep no times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.feedback.contract import Place
from gitgoodbench.feedback.records import MadeCommit, Message, Part
from gitgoodbench.feedback.sources.continue_cli import ContinueCli
from tests.feedback.support_logs import by_id, place_of, readings_of
from tests.feedback.support_logs_b import ADD, COMMIT, HEAD, continue_call

SOURCE = ContinueCli()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.fixture
def place(root: Path, tmp_path: Path) -> Place:
    return place_of(root, home=tmp_path / "home")


def save(home: Path, folder: str, *history: dict[str, object]) -> None:
    sessions = home / ".continue/sessions"
    sessions.mkdir(parents=True, exist_ok=True)
    session = {"sessionId": "s1", "title": "T", "workspaceDirectory": folder, "history": history}
    (sessions / "s1.json").write_text(json.dumps(session, indent=1))
    (sessions / "sessions.json").write_text(json.dumps([{"sessionId": "s1"}]))


def test_a_session(place: Place, root: Path) -> None:
    path = str(root / "a.py")
    edit = {"file_path": path, "old_string": "b", "new_string": "B"}
    diff = f"Successfully edited {path}\nDiff:\nIndex: {path}\n--- {path}\n+++ {path}\n@@ -4,2 +4,2 @@\n a\n-b\n+B\n"
    pairs = [{"old_string": "1", "new_string": "2"}, {"old_string": "3", "new_string": "4"}]
    save(
        place.home, str(root),
        {"message": {"role": "user", "content": "do it"}},
        continue_call("c1", "Write", {"filepath": path, "content": ADD}, "done", "Successfully created file"),
        continue_call("c2", "Edit", edit, "done", diff),
        continue_call("c3", "MultiEdit", {"file_path": path, "edits": pairs}, "errored", "string not found"),
        continue_call("c4", "Write", {"filepath": path, "content": "no"}, "canceled", "Permission denied by user"),
        continue_call("c5", "Read", {"filepath": path}, "done", ADD),
        continue_call("c6", "Bash", {"command": COMMIT}, "done", HEAD + "\n"),
        {"message": {"role": "assistant", "content": f"```python:a.py\n{ADD}```"}},
    )  # fmt: skip
    (reading,) = readings_of(SOURCE, place)
    assert [(edit.key.edit, edit.kind, edit.outcome, edit.parts, edit.time) for edit in reading.edits] == [
        ("c1", "edit", "applied", (Part(None, ADD.encode(), 1),), None),
        ("c2", "edit", "applied", (Part(b"a\nb\n", b"a\nB\n", 4),), None),
        ("c3", "edit", "failed", (Part(b"1", b"2"), Part(b"3", b"4")), None),
        ("c4", "edit", "denied", (Part(None, b"no", 1),), None),
        ("c6", "indirect", "applied", (), None),
        ("7#0", "answer", "unknown", (Part(None, ADD.encode()),), None),
    ]
    assert reading.messages[0] == Message("1", None, "m", 100, 5, 20, None, 0.005)
    assert by_id(reading)["c1"].message == "1"
    assert reading.session.commits == (MadeCommit(HEAD, None),)
    assert (reading.session.started, reading.session.folder) == (None, str(root))
    assert (reading.understood, reading.not_understood) == (8, 0)


def test_the_editors_sessions_have_a_url_for_a_folder(place: Place, root: Path) -> None:
    save(place.home, f"file://{root}", continue_call("c1", "Write", {"filepath": "a.py", "content": ADD}, "done", ""))
    assert readings_of(SOURCE, place)[0].edits[0].path == str(root / "a.py")


def test_other_folders_and_broken_files(place: Place, tmp_path: Path) -> None:
    save(
        place.home, str(tmp_path / "other"), continue_call("c1", "Write", {"filepath": "a", "content": ""}, "done", "")
    )
    assert readings_of(SOURCE, place) == []
    (place.home / ".continue/sessions/s1.json").write_text('{"app": ')
    (reading,) = readings_of(SOURCE, place)
    assert (reading.not_understood, reading.problems, reading.edits) == (1, ("a line that is not JSON",), ())
