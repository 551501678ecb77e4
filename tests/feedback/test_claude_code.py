"""Logs of Claude Code: what was applied, what was not, and what each answer cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.feedback.contract import Committer, Place
from gitgoodbench.feedback.records import Edit, MadeCommit, Message, Part, Reading
from gitgoodbench.feedback.sources.claude_code import ClaudeCode
from tests.feedback.support_logs import START, ClaudeLog, by_id, place_of, readings_of

SOURCE = ClaudeCode()
ADD = "def add(a, b):\n    return a + b\n"
DENIED = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit)."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.fixture
def place(root: Path, tmp_path: Path) -> Place:
    return place_of(root, home=tmp_path / "home")


@pytest.fixture
def log(root: Path, tmp_path: Path) -> ClaudeLog:
    return ClaudeLog(tmp_path / "home/.claude/projects/-some-slug/s1.jsonl", root)


def only(readings: list[Reading]) -> Reading:
    (reading,) = readings
    return reading


def read(log: ClaudeLog, place: Place) -> Reading:
    log.save()
    return only(readings_of(SOURCE, place))


def edits(log: ClaudeLog, place: Place) -> dict[str, Edit]:
    return by_id(read(log, place))


def test_edits_are_whole_files_before_and_after(log: ClaudeLog, place: Place, root: Path) -> None:
    log.write("t1", root / "a.py", ADD)
    log.edit("t2", root / "a.py", ADD, "a + b", "int(a) + int(b)")
    log.write("t3", root / "a.py", "x = 1\n", before=ADD)
    found = edits(log, place)
    after = b"def add(a, b):\n    return int(a) + int(b)\n"
    assert found["t1"].parts == (Part(None, ADD.encode(), 1),)
    assert found["t2"].parts == (Part(ADD.encode(), after, 1),)
    assert found["t3"].parts == (Part(ADD.encode(), b"x = 1\n", 1),)
    assert {(edit.kind, edit.outcome, edit.whole, edit.path) for edit in found.values()} == {
        ("edit", "applied", True, str(root / "a.py"))
    }
    assert (found["t1"].time, found["t1"].model, found["t1"].message) == (START + 1, "m-1", "msg-t1")


def test_tabs_come_from_the_file_and_not_from_the_patch_that_is_shown(log: ClaudeLog, place: Place, root: Path) -> None:
    before = "func f() {\n\treturn 1\n}\n"
    log.edit("t1", root / "a.go", before, "\treturn 1", "\tx := 2\n\treturn x")
    log.write("t2", root / "a.go", "func f() {\n\treturn 3\n}\n", before=before, originalFile=None)
    found = edits(log, place)
    assert found["t1"].parts == (Part(before.encode(), b"func f() {\n\tx := 2\n\treturn x\n}\n", 1),)
    (part,) = found["t2"].parts  # an old log, without the file as it was
    assert part == Part(b"func f() {\n  return 1\n}\n", b"func f() {\n\treturn 3\n}\n", 1)


def test_all_places_and_a_line_taken_away(log: ClaudeLog, place: Place, root: Path) -> None:
    before = "a = 1\nb = a\nc = a\n"
    log.edit("t1", root / "a.py", before, "a", "z", all_=True)
    log.call("t2", "Edit", {"file_path": str(root / "a.py"), "old_string": "b = a", "new_string": ""})
    log.result("t2", {"filePath": str(root / "a.py"), "oldString": "b = a", "newString": "", "originalFile": before,
                      "structuredPatch": [{"oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 2,
                                           "lines": [" a = 1", "-b = a", " c = a"]}]})  # fmt: skip
    found = edits(log, place)
    assert found["t1"].parts[0].after == b"z = 1\nb = z\nc = z\n"
    assert found["t2"].parts[0].after == b"a = 1\nc = a\n"


def test_multi_edit_of_old_logs(log: ClaudeLog, place: Place, root: Path) -> None:
    pairs = [{"old_string": "one", "new_string": "1"}, {"old_string": "two", "new_string": "2"}]
    log.call("t1", "MultiEdit", {"file_path": str(root / "a.txt"), "edits": pairs})
    log.result("t1", {"filePath": str(root / "a.txt"), "edits": pairs, "originalFileContents": "one\ntwo\n"})
    assert edits(log, place)["t1"].parts == (Part(b"one\ntwo\n", b"1\n2\n", 1),)


def test_notebook_cells(log: ClaudeLog, place: Place, root: Path) -> None:
    notebook = json.dumps({"cells": [{"id": "c1", "source": ["x = 1\n", "y = 2"]}, {"id": "c2", "source": "z"}]})
    detail = {"new_source": "x = 3", "cell_id": "c1", "language": "julia", "edit_mode": "replace", "error": "",
              "cell_type": "code", "original_file": notebook, "notebook_path": str(root / "n.ipynb")}  # fmt: skip
    log.call("t1", "NotebookEdit", {"notebook_path": str(root / "n.ipynb"), "cell_id": "c1", "new_source": "x = 3"})
    log.result("t1", detail)
    log.call("t2", "NotebookEdit", {"notebook_path": str(root / "n.ipynb"), "new_source": "w", "edit_mode": "insert"})
    log.result("t2", {**detail, "new_source": "w", "edit_mode": "insert"})
    log.call("t3", "NotebookEdit", {"notebook_path": str(root / "n.ipynb"), "cell_id": "c9", "new_source": "w"})
    log.result("t3", {**detail, "error": "Cell not found"})
    found = edits(log, place)
    assert found["t1"].parts == (Part(b"x = 1\ny = 2", b"x = 3"),)
    assert (found["t1"].path, found["t1"].language, found["t1"].whole) == (str(root / "n.ipynb"), "julia", False)
    assert found["t2"].parts == (Part(None, b"w"),)
    assert found["t3"].outcome == "failed"


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (DENIED, "denied"),
        ("Claude requested permissions to write to /x, but you haven't granted it yet.", "denied"),
        ("Permission for this tool use was denied.", "denied"),
        ("<tool_use_error>String to replace not found in file.</tool_use_error>", "failed"),
        ("EACCES: permission denied, open", "failed"),
    ],
)
def test_what_was_not_applied_is_kept_with_its_reason(
    log: ClaudeLog, place: Place, root: Path, said: str, outcome: str
) -> None:
    log.refuse("t1", root / "a.py", ADD, said)
    edit = edits(log, place)["t1"]
    assert (edit.outcome, edit.parts) == (outcome, (Part(None, ADD.encode(), 1),))
    assert edit.reason
    assert said not in edit.reason


def test_a_person_who_changes_the_edit_does_not_change_what_the_assistant_wanted(
    log: ClaudeLog, place: Place, root: Path
) -> None:
    log.write("t1", root / "a.py", ADD)
    log.records[-1]["toolUseResult"] |= {"content": "# mine\n", "userModified": True}
    edit = edits(log, place)["t1"]
    assert edit.user_modified
    assert edit.outcome == "applied"
    assert edit.parts == (Part(None, ADD.encode(), 1),)


def test_a_call_without_result_is_of_unknown_outcome(log: ClaudeLog, place: Place, root: Path) -> None:
    log.call("t1", "Write", {"file_path": str(root / "a.py"), "content": ADD})
    edit = edits(log, place)["t1"]
    assert (edit.outcome, edit.parts) == ("unknown", (Part(None, ADD.encode(), 1),))


def test_a_message_counts_once_and_its_last_record_wins(log: ClaudeLog, place: Place) -> None:
    log.ask("please")
    log.block({"type": "text", "text": "I"}, "m1", {"input_tokens": 3, "output_tokens": 1})
    log.block(
        {"type": "text", "text": "will"}, "m1", {"input_tokens": 3, "output_tokens": 9, "cache_read_input_tokens": 4}
    )
    log.block({"type": "text", "text": "API Error"}, "m2", isApiErrorMessage=True)
    assert read(log, place).messages == (Message("m1", START + 2, "m-1", 7, 4, 9, latency=2.0),)


def test_what_a_rewind_takes_back_is_reverted(log: ClaudeLog, place: Place, root: Path) -> None:
    def ask(parent: str | None, **backups: str | None) -> str:
        own = log.ask("please", parentUuid=parent) if parent else log.ask("please")
        kept = {path: {"backupFileName": backup, "version": 2} for path, backup in backups.items()}
        log.records.append(
            {"type": "file-history-snapshot", "messageId": own, "snapshot": {"trackedFileBackups": kept}}
        )
        return own

    history = log.path.parents[2] / "file-history/s1"
    history.mkdir(parents=True)
    (history / "old@v2").write_text(ADD)
    (history / "other@v2").write_text("# by hand\n")
    first = ask(None)
    log.write("t1", root / "new.py", ADD)
    second = log.say("done")
    ask(second, **{"new.py": "old@v2"})  # goes on, and the file is as the first edit left it
    log.edit("t2", root / "new.py", ADD, "a + b", "int(a) + int(b)")
    log.write("t3", root / "made.py", ADD)
    log.edit("t4", root / "other.py", ADD, "a + b", "b + a")
    ask(second, **{"new.py": "old@v2", "made.py": None, "other.py": "other@v2"})
    assert {key: edit.outcome for key, edit in edits(log, place).items()} == {
        "t1": "applied", "t2": "reverted", "t3": "reverted", "t4": "applied",
    }  # fmt: skip
    log.write("t5", root / "late.py", ADD)
    ask(first, **{"new.py": None, "late.py": "gone@v9"})
    assert {key: edit.outcome for key, edit in edits(log, place).items()} == {
        "t1": "reverted", "t2": "reverted", "t3": "reverted", "t4": "applied", "t5": "applied",
    }  # fmt: skip


def test_a_file_that_is_gone_while_the_conversation_goes_on_was_not_taken_back(
    log: ClaudeLog, place: Place, root: Path
) -> None:
    log.write("t1", root / "new.py", ADD)
    own = log.ask("now on another branch")
    kept = {"new.py": {"backupFileName": None, "version": 2}}
    log.records.append({"type": "file-history-snapshot", "messageId": own, "snapshot": {"trackedFileBackups": kept}})
    assert edits(log, place)["t1"].outcome == "applied"


def test_answers_plans_and_commands(log: ClaudeLog, place: Place, root: Path) -> None:
    own = log.say("First:\n\n```python\nx = 1\n```\n\nthen\n\n```python:lib/a.py\ny = 2\n```\n```console\n$ ls\n```\n")
    log.call("t1", "TodoWrite", {"todos": ["secret plan"]})
    log.result("t1", {})
    log.call("t2", "Read", {"file_path": str(root / "a.py")})
    log.result("t2", {})
    log.bash("t3", "make secret", "secret output")
    found = edits(log, place)
    assert list(found) == [f"{own}.0#0", f"{own}.0#1", "t1", "t3"]
    first, second, plan, command = found.values()
    assert (first.kind, first.path, first.language, first.parts[0].after) == ("answer", None, "python", b"x = 1\n")
    assert (second.path, second.outcome) == (str(root / "lib/a.py"), "unknown")
    assert (plan.kind, plan.tool, plan.parts, plan.path) == ("indirect", "TodoWrite", (), None)
    assert "secret" not in repr(plan) + repr(command)


def test_commits_that_the_assistant_makes(log: ClaudeLog, place: Place) -> None:
    log.bash("t1", "git add -A && git commit -m x", "[main (root-commit) 1234abc] x\n 1 file changed\n")
    log.bash("t2", "git commit -qm y && git log -1 --format=%H", "a" * 40 + "\n")
    log.bash("t3", "git -C . commit -qm z", "")
    log.bash("t4", "git log --oneline -2", "bbbbbbb z\naaaaaaa y\n")
    log.bash("t5", "git log --oneline --grep commit", "ccccccc old commit\n")
    log.bash("t6", "git commit -m no", "[main ddddddd] no", error=True)
    assert read(log, place).session.commits == (
        MadeCommit("1234abc", START + 1), MadeCommit("a" * 40, START + 3), MadeCommit("bbbbbbb", START + 5),
    )  # fmt: skip


def test_only_what_lies_in_the_repository_is_kept(log: ClaudeLog, place: Place, root: Path, tmp_path: Path) -> None:
    log.common["cwd"] = str(tmp_path)  # started above it: an edit's own path says where it is
    log.write("t1", root / "a.py", ADD)
    log.write("t2", tmp_path / "application/a.py", ADD)
    log.write("t3", root / ".git/COMMIT_EDITMSG", "x\n")
    log.say("```python\nx = 1\n```")
    assert list(edits(log, place)) == ["t1"]


def test_a_log_of_another_repository_gives_nothing(log: ClaudeLog, place: Place, tmp_path: Path) -> None:
    log.common["cwd"] = str(tmp_path / "app-2")
    log.write("t1", tmp_path / "app-2/a.py", ADD)
    log.save()
    assert readings_of(SOURCE, place) == []


def test_symlinked_folders_and_worktrees_are_found(log: ClaudeLog, root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    (root / "trees/two").mkdir(parents=True)
    log.write("t1", tmp_path / "link/app/new/a.py", ADD)
    log.write("t2", root / "trees/two/b.py", ADD)
    log.save()
    place = place_of(tmp_path / "link/app", root / "trees/two", home=tmp_path / "home")
    found = by_id(only(readings_of(SOURCE, place)))
    assert found["t1"].path == str(tmp_path / "link/app/new/a.py")
    assert found["t2"].path == str(root / "trees/two/b.py")


def test_sub_agents_are_sessions_of_their_own(log: ClaudeLog, place: Place, root: Path) -> None:
    log.write("t1", root / "a.py", ADD)
    log.save()
    agent = ClaudeLog(log.path.with_suffix("") / "subagents/agent-x9.jsonl", root)
    agent.common |= {"isSidechain": True, "agentId": "x9"}
    agent.write("t2", root / "b.py", ADD)
    agent.save()
    old = ClaudeLog(log.path.with_name("old.jsonl"), root, "s0")
    old.common["isSidechain"] = True  # as versions before 2 wrote them: in the file of the session
    old.write("t3", root / "c.py", ADD)
    old.save()
    found = {
        reading.session.id: (reading.session.parent, list(by_id(reading))) for reading in readings_of(SOURCE, place)
    }
    assert found == {
        "s1": (None, ["t1"]), "s1/agent-x9": ("s1", ["t2"]), f"s0/agent-{old.records[0]['uuid']}": ("s0", ["t3"]),
    }  # fmt: skip


def test_what_a_fork_repeats_stays_with_the_session_that_it_was_forked_from(
    log: ClaudeLog, place: Place, root: Path
) -> None:
    log.write("t1", root / "a.py", ADD)
    for record in log.records:
        record |= {"sessionId": "s2", "forkedFrom": {"sessionId": "s1", "messageUuid": record["uuid"]}}
    log.common["sessionId"] = "s2"
    log.write("t2", root / "b.py", ADD)
    log.save()
    assert {one.session.id: list(by_id(one)) for one in readings_of(SOURCE, place)} == {"s1": ["t1"], "s2": ["t2"]}


def test_records_of_unknown_types_are_counted_without_their_contents(log: ClaudeLog, place: Place, root: Path) -> None:
    log.write("t1", root / "a.py", ADD)
    log.add({"type": "summary"})
    log.add({"type": "brand-new"})
    log.add({"type": {"secret": 1}})
    log.add({"type": "user", "message": None})
    reading = read(log, place)
    assert (reading.understood, reading.not_understood) == (3, 3)
    assert reading.problems == (
        "type 'brand-new'", "type of another form", "a record without session or message, type 'user'",
    )  # fmt: skip


def test_a_log_that_nothing_can_be_read_of_is_seen(log: ClaudeLog, place: Place, root: Path) -> None:
    log.path.parent.mkdir(parents=True)
    log.path.write_text(f'{{"kind": "new", "cwd": "{root}"}}\n' * 3)
    reading = only(readings_of(SOURCE, place))
    assert (reading.session.id, reading.not_understood, reading.edits) == ("s1", 3, ())


def test_folder_from_the_environment_and_time(log: ClaudeLog, root: Path, tmp_path: Path) -> None:
    log.write("t1", root / "a.py", ADD)
    log.save()
    elsewhere = place_of(root, home=tmp_path, environment={"CLAUDE_CONFIG_DIR": str(tmp_path / "home/.claude")})
    assert len(readings_of(SOURCE, elsewhere)) == 1
    ended = log.path.stat().st_mtime
    assert list(SOURCE.logs(Place((root,), root, tmp_path / "home", since=ended + 1))) == []


def test_who_committed() -> None:
    assert SOURCE.committer({"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}) == Committer("s1")
    assert SOURCE.committer({"AI_AGENT": "claude-code_2-1-197_agent"}) == Committer(None)
    assert SOURCE.committer({"CODEX_THREAD_ID": "x"}) is None
