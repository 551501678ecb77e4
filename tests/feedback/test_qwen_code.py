"""Sessions of qwen-code: calls and results in records of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.feedback.contract import Committer, Place
from gitgoodbench.feedback.records import MadeCommit, Message, Part
from gitgoodbench.feedback.sources.qwen_code import QwenCode
from tests.feedback.support_logs import START, by_id, place_of, readings_of
from tests.feedback.support_logs_b import ADD, COMMIT, HEAD, INT, GeminiLog, QwenLog, shown

SOURCE = QwenCode()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.fixture
def place(root: Path, tmp_path: Path) -> Place:
    return place_of(root, home=tmp_path / "home")


@pytest.fixture
def log(root: Path, tmp_path: Path) -> QwenLog:
    return QwenLog(tmp_path / "home", root)


def test_calls_find_their_results(log: QwenLog, place: Place, root: Path) -> None:
    path = str(root / "a.py")
    first = log.call("c1", "write_file", {"file_path": path, "content": ADD})
    log.result("c1", shown(path, "", ADD))
    log.call("c2", "edit", {"file_path": path, "old_string": "a + b", "new_string": "int(a) + int(b)"})
    log.result("c2", shown(path, ADD, INT))
    log.call("c3", "edit", {"file_path": path, "old_string": "nowhere", "new_string": "x"})
    log.result("c3", "Failed to edit, 0 occurrences found", "error")
    log.call("c4", "write_file", {"file_path": path, "content": "no"})
    log.result("c4", {"fileDiff": "", "fileName": "a.py"}, "cancelled")
    log.call("c5", "write_file", {"file_path": path, "content": "cut"})
    log.save()
    (reading,) = readings_of(SOURCE, place)
    edits = by_id(reading)
    assert {key: (edit.outcome, edit.parts) for key, edit in edits.items()} == {
        "c1": ("applied", (Part(None, ADD.encode(), 1),)),
        "c2": ("applied", (Part(ADD.encode(), INT.encode(), 1),)),
        "c3": ("failed", (Part(b"nowhere", b"x"),)),
        "c4": ("denied", (Part(None, b"no", 1),)),
        "c5": ("unknown", (Part(None, b"cut", 1),)),
    }
    assert reading.messages[0] == Message(first, START + 2, "qwen3", 100, 5, 20, None, None, 0.25)
    assert edits["c1"].message == first
    session = reading.session
    assert (session.id, session.version, session.branch, session.folder) == ("q1", "0.15.10", "main", str(root))
    assert reading.not_understood == 0


def test_its_commits_and_answers(log: QwenLog, place: Place) -> None:
    log.call("c1", "run_shell_command", {"command": COMMIT})
    log.result("c1", HEAD)
    log.say({"text": "thinking", "thought": True}, {"text": f"```python:a.py\n{ADD}```"})
    log.save()
    (reading,) = readings_of(SOURCE, place)
    assert reading.session.commits == (MadeCommit(HEAD, START + 3),)
    assert [(edit.kind, edit.tool) for edit in reading.edits] == [("indirect", "run_shell_command"), ("answer", "text")]


def test_sessions_of_two_folders_in_one_file_are_told_apart(log: QwenLog, place: Place, tmp_path: Path) -> None:
    log.say({"text": f"```python\n{ADD}```"})
    log.common = {**log.common, "sessionId": "q2", "cwd": str(tmp_path / "elsewhere")}
    log.say({"text": f"```python\n{ADD}```"})
    log.save()
    (reading,) = readings_of(SOURCE, place)
    assert reading.session.id == "q1"


def test_chats_of_older_versions_are_read_as_those_of_gemini(place: Place, root: Path, tmp_path: Path) -> None:
    log = GeminiLog(tmp_path / "home", root)
    log.write("w1", str(root / "a.py"), "", ADD)
    log.save()
    chats = tmp_path / "home/.qwen/tmp/0123/chats"
    chats.mkdir(parents=True)
    whole = {**log.records[0], "messages": [log.records[-1]]}
    (chats / "session-1.json").write_text(json.dumps(whole))
    (reading,) = readings_of(SOURCE, place)
    assert reading.session.source == "qwen-code"
    assert [edit.key.source for edit in reading.edits] == ["qwen-code"]


def test_its_environment_is_known() -> None:
    assert SOURCE.committer({"QWEN_CODE": "1"}) == Committer(None)
    assert SOURCE.committer({}) is None
