"""Rollouts of Codex, of all generations: one edit a call and file, what came of it, and what it cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.feedback.capture import capture
from gitgoodbench.feedback.contract import Committer, Place
from gitgoodbench.feedback.records import Edit, MadeCommit, Message, Part, Reading
from gitgoodbench.feedback.sources.codex import Codex
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.readings import edits_of, messages_of
from tests.feedback.support_logs import START, CodexLog, by_id, patch_text, place_of, readings_of

SOURCE = Codex()
ADD = "def add(a, b):\n    return a + b\n"
ADDED = ("*** Add File: a.py", "+def add(a, b):", "+    return a + b")
UPDATED = ("*** Update File: a.py", "@@", " def add(a, b):", "-    return a + b", "+    return int(a) + int(b)")
DIFF = "@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a + b\n+    return int(a) + int(b)\n"
AFTER = b"def add(a, b):\n    return int(a) + int(b)\n"
SUCCESS = "Success. Updated the following files:\nA a.py\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.fixture
def place(root: Path, tmp_path: Path) -> Place:
    return place_of(root, home=tmp_path / "home")


@pytest.fixture
def log(root: Path, tmp_path: Path) -> CodexLog:
    return CodexLog(tmp_path / "home/.codex/sessions/2026/11/30/rollout-2026-c1.jsonl", root)


def read(log: CodexLog, place: Place) -> Reading:
    log.save()
    (reading,) = readings_of(SOURCE, place)
    return reading


def edits(log: CodexLog, place: Place) -> dict[str, Edit]:
    return by_id(read(log, place))


def test_newest_generation(log: CodexLog, place: Place, root: Path) -> None:
    log.patch("call_1", *ADDED)
    log.usage("resp_1")
    log.changed("call_1", {str(root / "a.py"): {"type": "add", "content": ADD}})
    log.output("call_1", f"Exit code: 0\nWall time: 0 seconds\nOutput:\n{SUCCESS}")
    log.patch("call_2", *UPDATED)
    log.usage("resp_2")
    log.changed("call_2", {str(root / "a.py"): {"type": "update", "unified_diff": DIFF, "move_path": None}})
    reading = read(log, place)
    first, second = reading.edits
    assert (first.parts, first.whole, first.message) == ((Part(None, ADD.encode(), 1),), True, "resp_1")
    assert (second.parts, second.whole, second.message) == ((Part(ADD.encode(), AFTER, 1),), False, "resp_2")
    assert {(one.kind, one.tool, one.outcome, one.model, one.path) for one in reading.edits} == {
        ("edit", "apply_patch", "applied", "m-2", str(root / "a.py"))
    }
    assert first.time == START + 4
    assert reading.messages[0] == Message("resp_1", START + 3, "m-2", 100, 5, 20, 3)
    session = reading.session
    assert (session.id, session.version, session.head, session.branch) == ("c1", "0.171.0", "d" * 40, "main")


def test_generation_with_a_tool_of_its_own_and_an_event(log: CodexLog, place: Place, root: Path) -> None:
    log.item(
        type="custom_tool_call", name="apply_patch", call_id="call_1", input=patch_text(*ADDED), status="completed"
    )
    log.output("call_1", json.dumps({"output": SUCCESS, "metadata": {"exit_code": 0}}), "custom_tool_call_output")
    log.item(type="custom_tool_call", name="apply_patch", call_id="call_2", input=patch_text(*UPDATED))
    log.event(
        type="patch_apply_end", call_id="call_2", success=True,
        changes={"a.py": {"update": {"unified_diff": DIFF, "move_path": None}}},
    )  # fmt: skip
    first, second = edits(log, place).values()
    assert (first.parts, first.outcome) == ((Part(None, ADD.encode(), 1),), "applied")
    assert (second.parts, second.outcome, second.path) == (
        (Part(ADD.encode(), AFTER, 1),),
        "applied",
        str(root / "a.py"),
    )


def test_generation_with_a_function(log: CodexLog, place: Place) -> None:
    arguments = json.dumps({"patch": patch_text(*UPDATED)})
    log.item(type="function_call", name="apply_patch", call_id="call_1", arguments=arguments)
    log.output("call_1", SUCCESS)
    (edit,) = edits(log, place).values()
    assert (edit.parts, edit.outcome) == ((Part(ADD.encode(), AFTER),), "applied")


@pytest.mark.parametrize("tool", ["exec_command", "shell_command", "shell"])
def test_a_patch_in_a_command_without_a_record(log: CodexLog, place: Place, root: Path, tool: str) -> None:
    (root / "sub").mkdir()
    log.shell("call_1", f"apply_patch <<'EOF'\n{patch_text(*ADDED)}\nEOF", tool=tool, workdir="sub")
    log.output("call_1", 'Wall time: 0.0 seconds\nOutput:\n{"output":"Success. ","metadata":{"exit_code":0}}')
    (edit,) = edits(log, place).values()
    assert (edit.kind, edit.outcome, edit.path) == ("edit", "applied", str(root / "sub/a.py"))


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("apply_patch verification failed: Failed to find expected lines in a.py", "failed"),
        ('{"output":"boom","metadata":{"exit_code":1}}', "failed"),
        ("exec command rejected by user", "denied"),
        ("patch rejected by user", "denied"),
    ],
)
def test_what_the_model_was_told_of_a_patch_that_was_not_applied(
    log: CodexLog, place: Place, said: str, outcome: str
) -> None:
    log.patch("call_1", *UPDATED)
    log.output("call_1", said)
    (edit,) = edits(log, place).values()
    assert (edit.outcome, edit.parts) == (outcome, (Part(ADD.encode(), AFTER),))
    assert edit.reason


@pytest.mark.parametrize(("status", "outcome"), [("failed", "failed"), ("declined", "denied"), ("new", "unknown")])
def test_the_record_decides_over_what_the_model_was_told(
    log: CodexLog, place: Place, root: Path, status: str, outcome: str
) -> None:
    change = {str(root / "a.py"): {"type": "update", "unified_diff": DIFF}}
    for call, told_first in (("call_1", True), ("call_2", False)):
        log.patch(call, *UPDATED)
        if told_first:
            log.output(call, SUCCESS)
        log.changed(call, change, status)
        if not told_first:
            log.output(call, SUCCESS)
    assert [edit.outcome for edit in edits(log, place).values()] == [outcome, outcome]


def test_a_patch_of_several_files_is_an_edit_for_each(log: CodexLog, place: Place, root: Path) -> None:
    log.patch(
        "call_1", *ADDED, "*** Update File: old.py", "*** Move to: new.py", "@@", "-x", "+y", "*** Delete File: c.py"
    )
    log.usage("resp_1")
    called = edits(log, place)
    diff = "@@ -3 +3 @@\n-x\n+y\n"
    log.changed(
        "call_1",
        {
            str(root / "c.py"): {"type": "delete", "content": "gone\n"},
            str(root / "old.py"): {"type": "update", "unified_diff": diff, "move_path": str(root / "new.py")},
            str(root / "a.py"): {"type": "add", "content": ADD},
        },
    )  # fmt: skip
    found = edits(log, place)
    assert set(called) == set(found) == {f"call_1:{root / name}" for name in ("a.py", "new.py", "c.py")}
    assert [edit.outcome for edit in called.values()] == ["unknown"] * 3
    by_path = {Path(edit.path or "").name: edit for edit in found.values()}
    assert by_path["new.py"].parts == (Part(b"x\n", b"y\n", 3),)
    assert by_path["c.py"].parts == (Part(b"gone\n", b"", 1),)
    assert {edit.message for edit in found.values()} == {"resp_1"}


def test_an_interrupted_turn_and_an_undone_one(log: CodexLog, place: Place, root: Path) -> None:
    for turn in ("1", "2"):
        log.event(type="task_started")
        log.patch(f"call_{turn}", *ADDED)
        log.changed(f"call_{turn}", {str(root / f"{turn}.py"): {"type": "add", "content": ADD}})
    log.event(type="task_started")
    log.patch("call_3", *UPDATED)
    log.event(type="turn_aborted", reason="interrupted")
    log.event(type="undo_completed", success=False)
    log.event(type="undo_completed", success=True)
    assert {key: edit.outcome for key, edit in edits(log, place).items()} == {
        "call_1": "applied", "call_2": "reverted", "call_3": "failed",
    }  # fmt: skip


def test_usage_of_older_generations_counts_once(log: CodexLog, place: Place) -> None:
    def tokens(total: int) -> None:
        last = {"input_tokens": 90, "cached_input_tokens": 1, "output_tokens": 10, "reasoning_output_tokens": 2}
        log.event(type="token_count", info={"total_token_usage": {"total_tokens": total}, "last_token_usage": last})

    log.event(type="token_count", info=None)
    log.patch("call_1", *ADDED)
    tokens(100)
    tokens(100)  # again, since a limit changed
    log.output("call_1", SUCCESS)
    tokens(200)
    reading = read(log, place)
    assert [(one.id, one.input_tokens, one.output_tokens) for one in reading.messages] == [
        ("total-100", 90, 10), ("total-200", 90, 10),
    ]  # fmt: skip
    assert reading.edits[0].message == "total-100"
    log.usage("resp_1")
    assert [one.id for one in read(log, place).messages] == ["resp_1"]


def test_commands_commits_plans_and_answers(log: CodexLog, place: Place, root: Path) -> None:
    log.shell("call_1", "git add -A && git commit -qm secret && git log -1 --format=%H")
    log.event(
        type="item_completed", completed_at_ms=int(log.time * 1000),
        item={"type": "CommandExecution", "id": "call_1", "cwd": f"file://{root}", "exit_code": 0,
              "status": "completed", "command": ["bash", "-lc", "git commit -qm secret && git log -1"],
              "aggregated_output": "1" * 40 + "\n"},
    )  # fmt: skip
    log.output("call_1", "Chunk ID: 4bb7a0\nProcess exited with code 0\nOutput:\n" + "1" * 40)
    log.shell("call_2", "git commit -m y", tool="shell")
    log.output("call_2", json.dumps({"output": "[main abcdef1] y\n", "metadata": {"exit_code": 0}}))
    log.shell("call_3", "git commit -m n")
    log.output("call_3", "Process exited with code 1\nOutput:\n[main abcdef2] n\n")
    log.item(type="function_call", name="update_plan", call_id="call_4", arguments='{"plan": "secret"}')
    log.output("call_4", "Plan updated")
    log.item(type="function_call", name="view_image", call_id="call_5", arguments="{}")
    log.output("call_5", "secret")
    say = [{"type": "output_text", "text": "```python:a.py\nx = 1\n```"}]
    log.item(type="message", role="assistant", id="msg_1", content=say)
    log.item(type="message", role="user", content=[{"type": "input_text", "text": "```python\nsecret = 1\n```"}])
    reading = read(log, place)
    *work, answer = reading.edits
    assert [(one.key.edit, one.kind, one.tool, one.outcome) for one in work] == [
        ("call_1", "indirect", "exec_command", "applied"), ("call_2", "indirect", "shell", "applied"),
        ("call_3", "indirect", "exec_command", "failed"), ("call_4", "indirect", "update_plan", "applied"),
    ]  # fmt: skip
    assert [one.id for one in reading.session.commits] == ["1" * 40, "abcdef1"]
    assert reading.session.commits[0] == MadeCommit("1" * 40, START + 3)
    assert (answer.kind, answer.path, answer.parts) == ("answer", str(root / "a.py"), (Part(None, b"x = 1\n"),))
    assert "secret" not in repr(reading)


def test_sub_agents_have_a_parent(log: CodexLog, place: Place, root: Path) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "c0", "depth": 1}}}
    assert read(CodexLog(log.path, root, "c9", source=source), place).session.parent == "c0"


def test_what_a_fork_repeats_counts_once(log: CodexLog, place: Place, root: Path) -> None:
    log.patch("call_1", *ADDED)
    log.usage("resp_1")
    log.output("call_1", SUCCESS)
    log.save()
    fork = CodexLog(log.path.with_name("rollout-2026-c2.jsonl"), root, "c2", forked_from_id="c1")
    fork.time += 1000
    for record in log.records:
        fork.add(record["type"], record["payload"])  # with the time of the fork
    fork.patch("call_2", *UPDATED)
    fork.usage("resp_2")
    fork.output("call_2", SUCCESS)
    fork.save()
    with Store(root / ".git") as store:
        capture(store, place, [SOURCE])
        found = {one: [edit.key.edit for edit in edits_of(store, "codex", one)] for one in ("c1", "c2")}
        assert found == {"c1": ["call_1"], "c2": ["call_2"]}
        assert [one.id for one in messages_of(store, "codex", "c2")] == ["resp_2"]


def test_archived_sessions_and_another_home(log: CodexLog, root: Path, tmp_path: Path) -> None:
    log.path = tmp_path / "elsewhere/archived_sessions/rollout-x.jsonl"
    log.patch("call_1", *ADDED)
    log.save()
    place = place_of(root, home=tmp_path / "home", environment={"CODEX_HOME": str(tmp_path / "elsewhere")})
    assert [reading.session.id for reading in readings_of(SOURCE, place)] == ["c1"]


def test_what_is_not_known_is_counted(log: CodexLog, place: Place) -> None:
    log.add("brand_new", {})
    log.item(type="new_item")
    log.event(type="item_completed", item={"type": "NewItem"})
    log.records.insert(0, {"type": "response_item", "payload": {}})
    reading = read(log, place)
    assert (reading.understood, reading.not_understood) == (2, 4)
    assert reading.problems == (
        "a record before any session",
        "type 'brand_new'",
        "response_item, type 'new_item'",
        "event_msg, type 'NewItem'",
    )


def test_who_committed() -> None:
    assert SOURCE.committer({"CODEX_THREAD_ID": "c1", "CODEX_TOOL_CALL_ID": "x"}) == Committer("c1")
    assert SOURCE.committer({"CODEX_TOOL_CALL_ID": "x"}) == Committer(None)
    assert SOURCE.committer({"CLAUDECODE": "1"}) is None
