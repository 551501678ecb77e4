"""Chats of Gemini CLI: the last record of a message counts, results say what was done."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from gitgoodbench.feedback.contract import Committer, Place
from gitgoodbench.feedback.records import Key, MadeCommit, Message, Part
from gitgoodbench.feedback.sources.gemini_cli import GeminiCli
from tests.feedback.support_logs import START, by_id, place_of, readings_of
from tests.feedback.support_logs_b import ADD, COMMIT, HEAD, INT, GeminiLog, shown

SOURCE = GeminiCli()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.fixture
def place(root: Path, tmp_path: Path) -> Place:
    return place_of(root, home=tmp_path / "home")


@pytest.fixture
def log(root: Path, tmp_path: Path) -> GeminiLog:
    return GeminiLog(tmp_path / "home", root)


def test_an_edit_is_the_file_before_and_after(log: GeminiLog, place: Place, root: Path) -> None:
    path = str(root / "a.py")
    message = log.write("w1", path, "", ADD)
    args = {"file_path": path, "old_string": "a + b", "new_string": "int(a) + int(b)"}
    log.call("r1", "replace", args, shown(path, ADD, INT))
    log.save()
    (reading,) = readings_of(SOURCE, place)
    first, second = reading.edits
    assert first.key == Key("gemini-cli", "g1", "w1")
    assert (first.kind, first.tool, first.path, first.parts, first.whole) == (
        "edit", "write_file", path, (Part(None, ADD.encode(), 1),), True,
    )  # fmt: skip
    assert second.parts == (Part(ADD.encode(), INT.encode(), 1),)
    assert {edit.outcome for edit in reading.edits} == {"applied"}
    assert (first.model, first.message, first.time) == ("gemini-2.5-flash", message, START + 2)


def test_a_message_that_is_written_twice_counts_once(log: GeminiLog, place: Place, root: Path) -> None:
    message = log.write("w1", str(root / "a.py"), "", ADD)
    log.save()
    (reading,) = readings_of(SOURCE, place)
    assert reading.messages == (Message(message, START + 1, "gemini-2.5-flash", 100, 5, 23, 3),)
    assert len(reading.edits) == 1
    assert (reading.understood, reading.not_understood) == (5, 0)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [("error", "failed"), ("cancelled", "denied"), ("awaiting_approval", "unknown"), ("executing", "unknown")],
)
def test_what_was_not_done_is_kept_as_that(log: GeminiLog, place: Place, root: Path, status: str, outcome: str) -> None:
    log.call("w1", "write_file", {"file_path": str(root / "a.py"), "content": ADD}, "Error: no", status)
    log.save()
    (edit,) = readings_of(SOURCE, place)[0].edits
    assert (edit.outcome, edit.parts) == (outcome, (Part(None, ADD.encode(), 1),))
    assert edit.reason is not None


def test_what_a_person_changed_before_it_was_applied_is_what_the_model_wanted(
    log: GeminiLog, place: Place, root: Path
) -> None:
    path = str(root / "a.py")
    args = {"file_path": path, "content": INT, "ai_proposed_content": "x = 1\n", "modified_by_user": True}
    log.call("w1", "write_file", args, shown(path, ADD, INT, by_user=1))
    log.save()
    (edit,) = readings_of(SOURCE, place)[0].edits
    assert edit.user_modified
    assert edit.parts == (Part(ADD.encode(), b"x = 1\n", 1),)


def test_commits_that_it_made_are_known_though_no_hook_ran(log: GeminiLog, place: Place, root: Path) -> None:
    log.write("w1", str(root / "a.py"), "", ADD)
    log.call("s1", "run_shell_command", {"command": COMMIT}, HEAD)
    log.save()
    (reading,) = readings_of(SOURCE, place)
    assert reading.session.commits == (MadeCommit(HEAD, START + 3),)
    shell = by_id(reading)["s1"]
    assert (shell.kind, shell.tool, shell.parts, shell.path) == ("indirect", "run_shell_command", (), None)


def test_text_answers_are_code_in_fences_and_looking_is_no_work(log: GeminiLog, place: Place, root: Path) -> None:
    log.call("l1", "read_file", {"file_path": str(root / "a.py")}, "")
    log.say(f"Use:\n\n```python:a.py\n{ADD}```\n\n```console\n$ ls\n```\n")
    log.save()
    (reading,) = readings_of(SOURCE, place)
    (edit,) = reading.edits
    assert (edit.kind, edit.path, edit.language, edit.outcome) == ("answer", str(root / "a.py"), "python", "unknown")
    assert edit.parts == (Part(None, ADD.encode()),)


def test_the_folder_is_known_by_a_file_by_the_registry_or_by_its_hash(log: GeminiLog, place: Place, root: Path) -> None:
    log.write("w1", "a.py", "", ADD)
    log.records[-1]["toolCalls"][0]["resultDisplay"]["filePath"] = "a.py"
    log.save(rooted=False)
    assert [edit for reading in readings_of(SOURCE, place) for edit in reading.edits] == []
    registry = log.project.parents[1] / "projects.json"
    registry.write_text(json.dumps({"projects": {str(root): "app"}}))
    assert readings_of(SOURCE, place)[0].edits[0].path == str(root / "a.py")
    registry.unlink()
    log.records[0]["projectHash"] = hashlib.sha256(str(root).encode()).hexdigest()
    log.records[2]["content"] = f"in {root.name}"
    log.save(rooted=False)
    assert readings_of(SOURCE, place)[0].session.folder == str(root)


def test_older_chats_are_one_object(log: GeminiLog, place: Place, root: Path) -> None:
    log.write("w1", str(root / "a.py"), "", ADD)
    log.save()
    log.path.unlink()
    whole = {**log.records[0], "messages": [log.records[-1], {"id": "x", "type": "user", "content": "hi"}]}
    log.path.with_suffix(".json").write_text(json.dumps(whole, indent=2))
    (reading,) = readings_of(SOURCE, place)
    assert [edit.key.edit for edit in reading.edits] == ["w1"]
    assert reading.session.started == START


def test_sub_agents_are_sessions_of_their_own(log: GeminiLog, place: Place, root: Path) -> None:
    log.write("w1", str(root / "a.py"), "", ADD)
    log.records[0] |= {"kind": "subagent", "sessionId": "child"}
    log.path = log.path.parent / "parent-id" / "child.jsonl"
    log.save()
    (reading,) = readings_of(SOURCE, place)
    assert (reading.session.id, reading.session.parent) == ("child", "parent-id")


def test_chats_of_other_repositories_are_left_alone(log: GeminiLog, place: Place, tmp_path: Path) -> None:
    log.root = tmp_path / "other"
    log.write("w1", str(tmp_path / "other" / "a.py"), "", ADD)
    log.save()
    assert readings_of(SOURCE, place) == []


def test_a_home_elsewhere(log: GeminiLog, root: Path, tmp_path: Path) -> None:
    log.write("w1", str(root / "a.py"), "", ADD)
    log.save()
    elsewhere = place_of(root, home=tmp_path, environment={"GEMINI_CLI_HOME": str(tmp_path / "home")})
    assert len(readings_of(SOURCE, elsewhere)) == 1
    assert len(readings_of(SOURCE, place_of(root, home=tmp_path, folder=str(tmp_path / "home/.gemini")))) == 1


def test_its_environment_is_known() -> None:
    assert SOURCE.committer({"GEMINI_CLI": "1"}) == Committer(None)
    assert SOURCE.committer({"QWEN_CODE": "1"}) is None
