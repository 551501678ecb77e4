"""Sessions of opencode, in a database that is in use and in files: edits, what was taken back, and broken databases."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.capture import capture
from gitgoodbench.feedback.contract import Committer, Place
from gitgoodbench.feedback.records import Edit, MadeCommit, Message, Part, Reading
from gitgoodbench.feedback.sources.opencode import OpenCode
from gitgoodbench.feedback.store import Store
from gitgoodbench.git.process import Git
from tests.feedback.support_logs import START, OpenCodeSession, by_id, opencode_database, place_of, readings_of

SOURCE = OpenCode()
ADD = "def add(a, b):\n    return a + b\n"
AFTER = "def add(a, b):\n    return int(a) + int(b)\n"
DIFF = "Index: a.py\n==\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a + b\n+    return int(a) + int(b)\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "home/.local/share/opencode"


@pytest.fixture
def place(root: Path, tmp_path: Path) -> Place:
    return place_of(root, home=tmp_path / "home")


@pytest.fixture
def database(data: Path) -> Iterator[sqlite3.Connection]:
    connection = opencode_database(data)
    yield connection
    connection.close()


@pytest.fixture
def session(root: Path) -> OpenCodeSession:
    made = OpenCodeSession(root)
    made.message("msg_1")
    return made


def only(place: Place) -> Reading:
    (reading,) = readings_of(SOURCE, place)
    return reading


def saved(session: OpenCodeSession, database: sqlite3.Connection, place: Place) -> dict[str, Edit]:
    session.save(database)
    return by_id(only(place))


@pytest.mark.parametrize("kept", ["database", "files"])
def test_edits_are_read_while_the_program_has_them_open(
    session: OpenCodeSession, database: sqlite3.Connection, data: Path, place: Place, root: Path, kept: str
) -> None:
    session.write("call_1", root / "a.py", ADD)
    session.edit("call_2", root / "a.py", "return a + b", "return int(a) + int(b)", DIFF)
    if kept == "files":
        session.save_files(data)
    else:
        session.save(database)
        assert (data / "opencode.db-wal").stat().st_size > 0  # not in the database's own file yet
    reading = only(place)
    first, second = reading.edits
    assert first.parts == (Part(None, ADD.encode(), 1),)
    assert second.parts == (Part(ADD.encode(), AFTER.encode(), 1),)
    assert {(one.kind, one.outcome, one.whole, one.model, one.message, one.path) for one in reading.edits} == {
        ("edit", "applied", True, "m-3", "msg_1", str(root / "a.py"))
    }
    assert first.time == START
    assert reading.messages == (Message("msg_1", START + 1.5, "m-3", 112, 5, 20, 3, 0.5, 1.5),)
    assert (reading.session.version, reading.session.tags) == ("1.18.33", (("agent", "build"),))
    assert (reading.understood, reading.not_understood) == (3, 0)


def test_the_indent_that_diffs_lack_comes_from_the_call(
    session: OpenCodeSession, database: sqlite3.Connection, place: Place, root: Path
) -> None:
    shown = "@@ -7,2 +7,3 @@\n def f(self):\n-    return 1\n+    x = 2\n+    return x\n"  # cut by four
    session.edit("call_1", root / "a.py", "        return 1", "        x = 2\n        return x", shown)
    (edit,) = saved(session, database, place).values()
    assert edit.parts == (
        Part(
            b"    def f(self):\n        return 1\n", b"    def f(self):\n        x = 2\n        return x\n", 7
        ),
    )  # fmt: skip
    assert not edit.whole


def test_line_ends_of_the_file_are_kept(
    session: OpenCodeSession, database: sqlite3.Connection, place: Place, root: Path
) -> None:
    session.write("call_1", root / "a.py", ADD.replace("\n", "\r\n"))
    session.edit("call_2", root / "a.py", "return a + b", "return int(a) + int(b)", DIFF)
    assert saved(session, database, place)["call_2"].parts[0].after == AFTER.replace("\n", "\r\n").encode()


def test_versions_that_keep_both_files_are_believed(
    session: OpenCodeSession, database: sqlite3.Connection, place: Place, root: Path
) -> None:
    metadata = {"diff": DIFF, "filediff": {"file": "a.py", "before": "# x\n" + ADD, "after": "# x\n" + AFTER}}
    session.edit("call_1", root / "a.py", "a + b", "int(a) + int(b)", DIFF, metadata=metadata)
    assert saved(session, database, place)["call_1"].parts == (
        Part(b"# x\n" + ADD.encode(), b"# x\n" + AFTER.encode(), 1),
    )


def test_the_snapshot_tells_what_a_write_replaced(
    session: OpenCodeSession, database: sqlite3.Connection, data: Path, place: Place, root: Path
) -> None:
    (root / "a.py").write_text(ADD)
    snapshot = data / "snapshot/p1" / hashlib.sha1(str(root).encode()).hexdigest()
    snapshot.mkdir(parents=True)
    git = Git(snapshot, root)
    git.run("init", "-q")
    git.run("add", "-A")
    session.part(type="step-start", snapshot=git.run("write-tree").decode().strip())
    session.write("call_1", root / "a.py", AFTER, exists=True)
    session.write("call_2", root / "b.py", ADD)
    session.part(type="step-start", snapshot="e" * 40)  # cleared away
    session.write("call_3", root / "a.py", "x = 1\n", exists=True)
    found = saved(session, database, place)
    assert found["call_1"].parts == (Part(ADD.encode(), AFTER.encode(), 1),)
    assert found["call_2"].parts == (Part(None, ADD.encode(), 1),)
    assert found["call_3"].parts == (Part(None, b"x = 1\n", 1),)


def test_patches_and_several_edits_at_once(
    session: OpenCodeSession, database: sqlite3.Connection, place: Place, root: Path
) -> None:
    text = "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** Delete File: b.py\n*** End Patch"
    files = [{"filePath": str(root / "a.py"), "type": "add", "before": "", "after": "x = 1\n"},
             {"filePath": str(root / "b.py"), "type": "delete", "patch": "@@ -1 +0,0 @@\n-y\n"}]  # fmt: skip
    session.tool("call_1", "apply_patch", {"patchText": text}, metadata={"files": files})
    session.tool("call_2", "patch", {"patchText": text})
    edits = [{"oldString": "1", "newString": "2"}, {"oldString": "2", "newString": "3"}]
    session.tool("call_3", "multiedit", {"filePath": str(root / "a.py"), "edits": edits})
    found = saved(session, database, place)
    assert found[f"call_1:{root / 'a.py'}"].parts == (Part(None, b"x = 1\n", 1),)
    assert found[f"call_1:{root / 'b.py'}"].parts == (Part(b"y\n", b"", 1),)
    assert found[f"call_2:{root / 'a.py'}"].parts == (Part(None, b"x = 1\n", 1),)
    assert found["call_3"].parts == (Part(b"x = 1\n", b"x = 3\n", 1),)


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        ({"status": "error", "error": "The user rejected permission to use this specific tool call."}, "denied"),
        ({"status": "error", "error": "The user has specified a rule which prevents you from using this"}, "denied"),
        ({"status": "error", "error": "Tool execution aborted"}, "failed"),
        ({"status": "error", "error": "oldString not found in content"}, "failed"),
        ({"status": "running"}, "unknown"),
        ({"status": ["odd"]}, "unknown"),
    ],
)
def test_what_was_not_applied(
    session: OpenCodeSession,
    database: sqlite3.Connection,
    place: Place,
    root: Path,
    state: dict[str, Any],
    outcome: str,
) -> None:
    session.write("call_1", root / "a.py", ADD, **state)
    (edit,) = saved(session, database, place).values()
    assert (edit.outcome, edit.parts) == (outcome, (Part(None, ADD.encode(), 1),))
    assert edit.reason


def test_what_a_person_takes_back_is_reverted_and_stays_so_when_it_is_removed(
    session: OpenCodeSession, database: sqlite3.Connection, place: Place, root: Path
) -> None:
    session.write("call_1", root / "a.py", ADD)
    session.message("msg_2", role="user")
    session.message("msg_3")
    session.write("call_2", root / "b.py", ADD)
    session.session["revert"] = '{"messageID": "msg_2", "snapshot": "x"}'
    assert [edit.outcome for edit in saved(session, database, place).values()] == ["applied", "reverted"]

    for message, info in session.messages.items():
        session.event(database, "message.updated", {"info": info})
        for _, of, part in session.parts:
            if of == message:
                session.event(database, "message.part.updated", {"part": part})
    for message in ("msg_2", "msg_3"):
        session.event(database, "message.removed", {"messageID": message})
        del session.messages[message]
    session.parts.pop()
    session.session["revert"] = None
    session.message("msg_4")
    session.write("call_3", root / "c.py", ADD)
    found = saved(session, database, place)
    assert {key: edit.outcome for key, edit in found.items()} == {
        "call_1": "applied", "call_2": "reverted", "call_3": "applied",
    }  # fmt: skip


def test_a_part_of_a_message_that_is_taken_back(
    session: OpenCodeSession, database: sqlite3.Connection, place: Place, root: Path
) -> None:
    session.write("call_1", root / "a.py", ADD)
    part = session.write("call_2", root / "b.py", ADD)
    session.session["revert"] = f'{{"messageID": "msg_1", "partID": "{part}"}}'
    assert [edit.outcome for edit in saved(session, database, place).values()] == ["applied", "reverted"]


def test_commands_commits_and_answers(
    session: OpenCodeSession, database: sqlite3.Connection, place: Place, root: Path
) -> None:
    session.tool(
        "call_1", "bash", {"command": "git commit -m secret"}, output="[main abcdef1] secret\n", metadata={"exit": 0}
    )
    session.tool("call_2", "bash", {"command": "git commit -m x"}, output="[main abcdef2] x\n", metadata={"exit": 1})
    session.tool("call_3", "read", {"filePath": str(root / "a.py")})
    session.tool("call_4", "task", {"prompt": "secret"})
    part = session.part(type="text", text="```python:a.py\nx = 1\n```", time={"end": int(START * 1000)})
    session.part(type="text", text="```python\ny = 1\n```", synthetic=True)
    session.message("msg_2", role="user")
    session.part(type="text", text="```python\nsecret = 1\n```")
    session.save(database)
    reading = only(place)
    assert [(one.key.edit, one.kind, one.tool) for one in reading.edits] == [
        ("call_1", "indirect", "bash"), ("call_2", "indirect", "bash"), ("call_4", "indirect", "task"),
        (f"{part}#0", "answer", "text"),
    ]  # fmt: skip
    assert reading.session.commits == (MadeCommit("abcdef1", START),)
    assert reading.edits[-1].path == str(root / "a.py")
    assert "secret" not in repr(reading)


def test_sessions_elsewhere_are_not_listed_and_sub_agents_have_a_parent(
    database: sqlite3.Connection, place: Place, root: Path, tmp_path: Path
) -> None:
    for number, (folder, parent) in enumerate(
        [(root / "sub", "ses_9"), (tmp_path, None), (tmp_path / "app-2", None)]
    ):  # fmt: skip
        session = OpenCodeSession(folder, f"ses_{number}", parent_id=parent)
        session.message(f"msg_{number}")
        session.parts.append((f"prt_{number}", f"msg_{number}", {"type": "step-start"}))
        session.save(database)
    assert [log.name.partition("#")[2] for log in SOURCE.logs(place)] == ["ses_0", "ses_1"]
    assert [reading.session.parent for reading in readings_of(SOURCE, place)] == ["ses_9"]  # the other did nothing here


def test_the_fingerprint_changes_with_the_session_only(
    session: OpenCodeSession, database: sqlite3.Connection, place: Place, root: Path
) -> None:
    def fingerprint() -> str:
        return next(log.fingerprint for log in SOURCE.logs(place) if log.name.endswith("#ses_1"))

    session.write("call_1", root / "a.py", ADD)
    session.save(database)
    first = fingerprint()
    OpenCodeSession(root, "ses_2").save(database)
    assert fingerprint() == first
    session.session["revert"] = '{"messageID": "msg_1"}'
    session.save(database)
    assert fingerprint() != first


def test_records_that_are_not_understood_are_counted(
    session: OpenCodeSession, database: sqlite3.Connection, place: Place, root: Path
) -> None:
    session.part(type="brand-new")
    session.write("call_1", root / "a.py", ADD)
    session.save(database)
    database.execute("INSERT INTO part VALUES ('prt_9', 'msg_1', 'ses_1', 1, 1, '{broken')")
    database.execute("INSERT INTO part VALUES ('prt_8', 'msg_1', 'ses_1', 1, 1, x'ff')")
    database.commit()
    reading = only(place)
    assert (reading.understood, reading.not_understood) == (2, 3)
    assert reading.problems == ("a record that is not JSON", "part 'brand-new'")


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be looked at" * 20, b""])
def test_a_broken_database_is_told_and_files_are_still_read(
    session: OpenCodeSession, data: Path, place: Place, root: Path, content: bytes
) -> None:
    session.write("call_1", root / "a.py", ADD)
    session.save_files(data)
    (data / "opencode.db").write_bytes(content)
    with pytest.raises(UserError, match=r"opencode\.db cannot be read"):
        list(SOURCE.logs(place))
    (root / ".git").mkdir()
    with Store(root / ".git") as store:
        done = capture(store, place, [SOURCE])
    assert done.read == 1
    assert len(done.problems) == 1


def test_a_locked_database_is_told(
    session: OpenCodeSession, database: sqlite3.Connection, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitgoodbench.feedback.sources.opencode_store._WAIT", 0.0)
    session.save(database)
    (log,) = SOURCE.logs(place)
    database.execute("PRAGMA journal_mode = DELETE")
    database.execute("BEGIN EXCLUSIVE")
    with pytest.raises(UserError, match="database is locked"):
        list(SOURCE.logs(place))
    with pytest.raises(OSError, match="database is locked"):
        list(SOURCE.read(log, place))


def test_who_committed() -> None:
    assert SOURCE.committer({"OPENCODE": "1", "OPENCODE_PID": "12"}) == Committer(None)
    assert SOURCE.committer({"AGENT": "1"}) is None
