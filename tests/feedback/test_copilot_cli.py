"""Events of Copilot CLI, and transcripts of VS Code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.feedback.contract import Committer, Place
from gitgoodbench.feedback.records import MadeCommit, Message, Part
from gitgoodbench.feedback.sources.copilot_cli import CopilotCli
from tests.feedback.support_logs import START, by_id, place_of, readings_of
from tests.feedback.support_logs_b import ADD, COMMIT, HEAD, CopilotLog

SOURCE = CopilotCli()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.fixture
def place(root: Path, tmp_path: Path) -> Place:
    return place_of(root, home=tmp_path / "home")


@pytest.fixture
def log(root: Path, tmp_path: Path) -> CopilotLog:
    return CopilotLog(tmp_path / "home/.copilot/session-state/c1/events.jsonl", root)


def test_edits_and_what_became_of_them(log: CopilotLog, place: Place, root: Path) -> None:
    path = str(root / "a.py")
    edit = {"path": path, "old_str": "    return a + b", "new_str": "    return int(a) + int(b)"}
    diff = (
        f"\ndiff --git a{path} b{path}\n--- a{path}\n+++ b{path}\n@@ -1,3 +1,3 @@\n def add(a, b):\n"
        "-    return a + b\n+    return int(a) + int(b)\n \n"
    )
    log.call("t1", "create", {"path": path, "file_text": ADD}, success=True, result={"content": "Created"})
    log.call("t2", "edit", edit, success=True, result={"content": "ok", "detailedContent": diff})
    log.call("t3", "edit", edit, success=False, error={"message": "No match found", "code": "failure"})
    log.call("t4", "create", {"path": path, "file_text": "no"}, success=False, error={"message": "", "code": "denied"})
    log.call("t5", "view", {"path": path}, success=True, result={"content": ADD})
    log.call("t6", "create", {"path": path, "file_text": "cut"})
    log.save()
    (reading,) = readings_of(SOURCE, place)
    before, after = b"def add(a, b):\n    return a + b\n", b"def add(a, b):\n    return int(a) + int(b)\n"
    assert {key: (edit.outcome, edit.parts) for key, edit in by_id(reading).items()} == {
        "t1": ("applied", (Part(None, ADD.encode(), 1),)),
        "t2": ("applied", (Part(before, after, 1),)),
        "t3": ("failed", (Part(b"    return a + b", b"    return int(a) + int(b)"),)),
        "t4": ("denied", (Part(None, b"no", 1),)),
        "t6": ("unknown", (Part(None, b"cut", 1),)),
    }
    assert reading.messages[0] == Message("api-t1", START + 1, "gpt-5", 100, 5, 20, latency=0.04)
    assert by_id(reading)["t1"].message == "api-t1"
    session = reading.session
    assert (session.version, session.head, session.branch, session.folder, session.started) == (
        "1.0.102", HEAD, "main", str(root), START,
    )  # fmt: skip


def test_a_patch_of_two_files_is_two_edits(log: CopilotLog, place: Place, root: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** Update File: b.py\n@@\n-old\n+new\n*** End Patch"
    log.call("t1", "apply_patch", patch, success=True, result={"content": "ok"})
    log.save()
    edits = by_id(readings_of(SOURCE, place)[0])
    assert {key: (edit.path, edit.parts, edit.whole) for key, edit in edits.items()} == {
        "t1": (str(root / "a.py"), (Part(None, b"x = 1\n", 1),), True),
        "t1#1": (str(root / "b.py"), (Part(b"old\n", b"new\n"),), False),
    }


def test_a_permission_that_is_refused(log: CopilotLog, place: Place, root: Path) -> None:
    log.call("t1", "create", {"path": str(root / "a.py"), "file_text": ADD})
    log.add("permission.completed", toolCallId="t1", result={"kind": "denied-interactively-by-user"})
    log.add("tool.execution_complete", toolCallId="t1", success=False, error={"message": "x"})
    log.save()
    assert by_id(readings_of(SOURCE, place)[0])["t1"].outcome == "denied"


def test_its_commits(log: CopilotLog, place: Place) -> None:
    end = "\n<shellId: 0 completed with exit code 0>"
    log.call("t1", "bash", {"command": COMMIT}, success=True, result={"content": HEAD + end})
    log.call(
        "t2",
        "bash",
        {"command": COMMIT},
        success=True,
        result={"content": "a" * 40 + end},
        shellExecution={"exitCode": 1},
    )
    log.save()
    (reading,) = readings_of(SOURCE, place)
    assert reading.session.commits == (MadeCommit(HEAD, START + 4),)
    assert [(edit.kind, edit.outcome) for edit in reading.edits] == [("indirect", "applied"), ("indirect", "failed")]


def test_a_transcript_of_vs_code_knows_its_folder_by_the_workspace(place: Place, root: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "home/.config/Code/User/workspaceStorage/abc"
    log = CopilotLog(workspace / "GitHub.copilot-chat/transcripts/v1.jsonl", None)
    call = {"filePath": f"file://{root}/a.py", "oldString": "a\n", "newString": "b\n"}
    log.call("t1", "replace_string_in_file", call, success=True)
    log.call("t2", "create_file", {"filePath": str(root / "b.py"), "content": ADD}, success=True)
    pairs = [{"filePath": str(root / name), "oldString": "1", "newString": "2"} for name in ("a.py", "b.py")]
    log.call("t3", "multi_replace_string_in_file", json.dumps({"replacements": pairs}), success=True)
    log.add("assistant.message", messageId="m9", content=f"`c.py`\n```python\n{ADD}```")
    log.save()
    (workspace / "workspace.json").write_text(json.dumps({"folder": f"file://{root}"}))
    (reading,) = readings_of(SOURCE, place)
    assert [(edit.key.edit, edit.path, edit.parts[0].after) for edit in reading.edits] == [
        ("t1", str(root / "a.py"), b"b\n"),
        ("t2", str(root / "b.py"), ADD.encode()),
        ("t3", str(root / "a.py"), b"2"),
        ("t3#1", str(root / "b.py"), b"2"),
        ("m9#0", str(root / "c.py"), ADD.encode()),
    ]
    assert (reading.session.id, reading.session.tags) == ("v1", (("surface", "vscode"),))


def test_events_of_other_kinds(log: CopilotLog, place: Place) -> None:
    log.add("session.model_change", newModel="claude-sonnet-4")
    log.add("assistant.message", messageId="m1", content=f"```python\n{ADD}```")
    log.add("galaxy.brain")
    log.save()
    (reading,) = readings_of(SOURCE, place)
    assert reading.edits[0].model == "claude-sonnet-4"
    assert (reading.understood, reading.not_understood, reading.problems) == (3, 1, ("type 'galaxy.brain'",))


def test_its_environment_is_known() -> None:
    assert SOURCE.committer({"COPILOT_CLI": "1", "COPILOT_AGENT_SESSION_ID": "s"}) == Committer("s")
    assert SOURCE.committer({"COPILOT_CLI": "1"}) == Committer(None)
    assert SOURCE.committer({}) is None
