"""Logs with any value anywhere are read and can be kept: what does not fit is counted, nothing is raised."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitgoodbench.feedback.contract import Log, Source
from gitgoodbench.feedback.sources.claude_code import ClaudeCode
from gitgoodbench.feedback.sources.codex import Codex
from gitgoodbench.feedback.sources.opencode import OpenCode
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.readings import save_readings
from tests.feedback.support_logs import (
    ClaudeLog,
    CodexLog,
    OpenCodeSession,
    opencode_database,
    place_of,
    read_file,
    readings_of,
)

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 10**30, 1e308, float("inf"), float("nan"), "", "\0", "\ud800", "/", "..", "a" * 5000]),
    st.text(max_size=5),
    st.lists(st.none() | st.text(max_size=2) | st.just({}), max_size=2),
    st.dictionaries(
        st.sampled_from(["type", "id", "text", "lines", "changes", "path"]), st.none() | st.text(), max_size=2
    ),
)
FILE = "def f():\n    return 1\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where in a value there is something, from the outside in."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(entry, (*path, key))


def changed(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """The value with another one at a place."""
    found = inner = copy.deepcopy(value)
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = odd
    return found


def kept(source: Source, common: Path, readings: list[Any]) -> None:
    with Store(common) as store:
        save_readings(store, source.name, Log("x", "1"), readings, 0.0)


def claude_records(root: Path) -> list[dict[str, Any]]:
    log = ClaudeLog(root, root)
    log.write("t1", root / "a.py", FILE)
    log.edit("t2", root / "a.py", FILE, "1", "2")
    log.write("t3", root / "a.py", FILE + "x\n", before=FILE)
    log.call("t4", "NotebookEdit", {"notebook_path": str(root / "n.ipynb"), "cell_id": "c", "new_source": "x"})
    log.result("t4", {"original_file": '{"cells": [{"id": "c", "source": ["y"]}]}', "language": "python"})
    log.call("t5", "MultiEdit", {"file_path": str(root / "a.py"), "edits": [{"old_string": "1", "new_string": "2"}]})
    log.result("t5", {"originalFileContents": FILE, "edits": [{"old_string": "1", "new_string": "2"}]})
    log.bash("t6", "git commit -m x", "[main 1234abc] x")
    log.say("```python:a.py\nx = 1\n```", isSidechain=True)
    own = log.ask("again", parentUuid=log.records[0]["uuid"])
    backups = {"a.py": {"backupFileName": None}, "n.ipynb": {"backupFileName": "x@v1"}}
    log.records.append({"type": "file-history-snapshot", "messageId": own, "snapshot": {"trackedFileBackups": backups}})
    return log.records


def codex_records(root: Path) -> list[dict[str, Any]]:
    log = CodexLog(root, root, forked_from_id="c0", source={"subagent": {"thread_spawn": {"parent_thread_id": "c0"}}})
    log.shell("1", f"apply_patch <<'E'\n{PATCH}\nE", workdir="sub")
    log.changed(
        "1", {str(root / "a.py"): {"type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n", "move_path": None}}
    )
    log.usage("r1")
    log.item(type="custom_tool_call", name="apply_patch", call_id="2", input=PATCH)
    log.output("2", json.dumps({"output": "Success", "metadata": {"exit_code": 0}}), "custom_tool_call_output")
    log.event(type="patch_apply_end", call_id="3", success=True, changes={"b.py": {"add": {"content": "x"}}})
    log.event(type="token_count", info={"total_token_usage": {"total_tokens": 1}, "last_token_usage": {}})
    log.event(type="undo_completed", success=True)
    log.shell("4", "git commit -m x", tool="shell")
    log.output("4", "[main 1234abc] x")
    item = {
        "type": "CommandExecution",
        "id": "5",
        "cwd": "file:///x",
        "command": ["sh", "-c", "git log"],
        "exit_code": 0,
    }
    log.event(type="item_completed", item=item)
    log.item(type="message", role="assistant", content=[{"type": "output_text", "text": "```py\nx\n```"}])
    return log.records


@pytest.mark.parametrize(("source", "records"), [(ClaudeCode(), claude_records), (Codex(), codex_records)])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_anywhere_in_a_record(tmp_path: Path, source: Source, records: Any, data: st.DataObject) -> None:
    root = tmp_path / "app"
    lines = records(root)
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, len(lines) - 1))
        path = data.draw(st.sampled_from(list(places(lines[number])) or [("type",)]))
        lines[number] = changed(lines[number], path, data.draw(ODD))
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    readings = read_file(source, log, place_of(root, home=tmp_path))
    assert sum(reading.understood + reading.not_understood for reading in readings) <= len(lines)
    kept(source, tmp_path, readings)


def opencode_session(root: Path) -> OpenCodeSession:
    session = OpenCodeSession(root)
    session.message("msg_1")
    session.part(type="step-start", snapshot="1" * 40)
    session.write("1", root / "a.py", FILE, exists=True)
    session.edit("2", root / "a.py", "1", "2", "@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n")
    session.tool("3", "apply_patch", {"patchText": PATCH}, metadata={"files": [{"filePath": "a.py", "patch": "@@"}]})
    session.tool("4", "multiedit", {"filePath": "a.py", "edits": [{"oldString": "1", "newString": "2"}]})
    session.tool("5", "bash", {"command": "git commit -m x"}, output="[main 1234abc] x", metadata={"exit": 0})
    session.part(type="text", text="```python\nx = 1\n```", time={"end": 1})
    return session


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_anywhere_in_opencode(tmp_path: Path, data: st.DataObject) -> None:
    root = tmp_path / "app"
    session = opencode_session(root)
    number = data.draw(st.integers(0, len(session.parts)))
    if number == len(session.parts):
        path = data.draw(st.sampled_from(list(places(session.messages["msg_1"]))))
        session.messages["msg_1"] = changed(session.messages["msg_1"], path, data.draw(ODD))
    else:
        known_by, message, part = session.parts[number]
        path = data.draw(st.sampled_from(list(places(part))))
        session.parts[number] = (known_by, message, changed(part, path, data.draw(ODD)))
    session.session["revert"] = data.draw(
        st.sampled_from([None, "{", "[]", '{"messageID": 3}', '{"messageID": "msg_1"}'])
    )
    folder = tmp_path / ".local/share/opencode"
    (folder / "opencode.db").unlink(missing_ok=True)
    database = opencode_database(folder)
    try:
        session.save(database)
        readings = readings_of(OpenCode(), place_of(root, home=tmp_path))
    finally:
        database.close()
    kept(OpenCode(), tmp_path, readings)


def test_odd_rows_of_a_database(tmp_path: Path) -> None:
    database: sqlite3.Connection = opencode_database(tmp_path / ".local/share/opencode")
    root = tmp_path / "app"
    opencode_session(root).save(database)
    for odd in (None, 5, 1.5, b"\xff\xfe", "\0", "x" * 5000):
        database.execute("UPDATE part SET message_id = ? WHERE id = 'prt_001'", (odd,))
        database.execute("UPDATE session SET project_id = ?, version = ?, revert = ?, parent_id = ?", (odd,) * 4)
        database.execute("UPDATE message SET time_created = ?", (odd,))
        database.commit()
        readings = readings_of(OpenCode(), place_of(root, home=tmp_path))
        assert len(readings) == 1
        kept(OpenCode(), tmp_path, readings)
    database.execute("UPDATE session SET directory = ?", (b"\xff",))
    database.commit()
    assert readings_of(OpenCode(), place_of(root, home=tmp_path)) == []
    database.close()
