"""Logs as assistants write them, record by record."""

from __future__ import annotations

import difflib
import itertools
import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gitgoodbench.feedback.contract import Place, Source
from gitgoodbench.feedback.records import Edit, Reading
from gitgoodbench.feedback.sources.jsonl import log_of

START = 1_796_000_000.0
"""The second in which all sessions begin."""


def iso(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def place_of(*roots: Path, home: Path, environment: dict[str, str] | None = None, **options: str) -> Place:
    return Place(roots, roots[0] / ".git", home, environment or {}, options)


def readings_of(source: Source, place: Place) -> list[Reading]:
    """All that a source finds."""
    return [reading for log in source.logs(place) for reading in source.read(log, place)]


def read_file(source: Source, path: Path, place: Place) -> list[Reading]:
    log = log_of(path)
    assert log is not None
    return list(source.read(log, place))


def by_id(reading: Reading) -> dict[str, Edit]:
    return {edit.key.edit: edit for edit in reading.edits}


def structured(before: str, after: str) -> list[dict[str, Any]]:
    """The patch that Claude Code shows: tabs of the indent as blanks, hunks with three lines of context."""
    shown = [text.replace("\t", "  ").split("\n") for text in (before, after)]
    hunks = []
    for group in difflib.SequenceMatcher(a=shown[0], b=shown[1], autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [f" {line}" for line in shown[0][a:b]]
            else:
                lines += [f"-{line}" for line in shown[0][a:b]] + [f"+{line}" for line in shown[1][c:d]]
        (_, a, _, c, _), (_, _, b, _, d) = group[0], group[-1]
        hunks.append({"oldStart": a + 1, "oldLines": b - a, "newStart": c + 1, "newLines": d - c, "lines": lines})
    return hunks


class ClaudeLog:
    """A session of Claude Code. Each record is a second later than the one before."""

    def __init__(self, path: Path, cwd: Path | str, session: str = "s1", version: str = "2.1.197") -> None:
        self.path = path
        self.session = session
        self.records: list[dict[str, Any]] = []
        self.common: dict[str, Any] = {
            "cwd": str(cwd), "sessionId": session, "version": version, "gitBranch": "main", "isSidechain": False,
        }  # fmt: skip
        self._numbers = itertools.count(1)
        self.time = START

    def add(self, record: dict[str, Any], **more: Any) -> str:
        """Add a record; give its id."""
        known_by = f"{self.session}-u{next(self._numbers)}"
        before = next((one["uuid"] for one in reversed(self.records) if "uuid" in one), None)
        self.records.append(
            {"parentUuid": before, "uuid": known_by, "timestamp": iso(self.time), **self.common, **record, **more}
        )
        self.time += 1.0
        return known_by

    def ask(self, text: str, **more: Any) -> str:
        return self.add({"type": "user", "message": {"role": "user", "content": text}}, **more)

    def block(self, block: dict[str, Any], message: str, usage: dict[str, int] | None = None, **more: Any) -> str:
        """One block of a model's message."""
        told = usage or {
            "input_tokens": 100, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 5, "output_tokens": 20,
        }  # fmt: skip
        return self.add(
            {
                "type": "assistant",
                "message": {"id": message, "role": "assistant", "model": "m-1", "content": [block], "usage": told},
            },
            **more,
        )

    def say(self, text: str, message: str = "msg-say", **more: Any) -> str:
        return self.block({"type": "text", "text": text}, message, **more)

    def call(self, call: str, tool: str, arguments: dict[str, Any], **more: Any) -> None:
        self.block({"type": "tool_use", "id": call, "name": tool, "input": arguments}, f"msg-{call}", **more)

    def result(self, call: str, detail: Any, said: str = "ok", error: bool = False, **more: Any) -> None:
        block = {"type": "tool_result", "tool_use_id": call, "content": said, "is_error": error}
        self.add({"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": detail}, **more)

    def write(self, call: str, path: Path | str, content: str, before: str | None = None, **result: Any) -> None:
        """A Write that is carried out."""
        self.call(call, "Write", {"file_path": str(path), "content": content})
        detail = {
            "type": "create" if before is None else "update", "filePath": str(path), "content": content,
            "structuredPatch": [] if before is None else structured(before, content),
            "originalFile": before, "userModified": False,
        }  # fmt: skip
        self.result(call, {**detail, **result})

    def edit(
        self, call: str, path: Path | str, before: str, old: str, new: str, *, all_: bool = False, **result: Any
    ) -> None:
        """An Edit that is carried out."""
        arguments = {"file_path": str(path), "old_string": old, "new_string": new, "replace_all": all_}
        self.call(call, "Edit", arguments)
        after = before.replace(old, new) if all_ else before.replace(old, new, 1)
        detail = {
            "filePath": str(path), "oldString": old, "newString": new, "originalFile": before,
            "structuredPatch": structured(before, after), "userModified": False, "replaceAll": all_,
        }  # fmt: skip
        self.result(call, {**detail, **result})

    def refuse(self, call: str, path: Path | str, content: str, said: str) -> None:
        """A Write that is not carried out."""
        self.call(call, "Write", {"file_path": str(path), "content": content})
        self.result(call, f"Error: {said}", said, error=True)

    def bash(self, call: str, command: str, output: str, *, error: bool = False) -> None:
        self.call(call, "Bash", {"command": command})
        self.result(call, {"stdout": output, "stderr": "", "interrupted": False}, output, error)

    def save(self) -> Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(self.content())
        return self.path

    def content(self) -> bytes:
        return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in self.records)


class CodexLog:
    """A rollout of Codex. Each record is a second later than the one before."""

    def __init__(self, path: Path, cwd: Path | str, session: str = "c1", **meta: Any) -> None:
        self.path = path
        self.records: list[dict[str, Any]] = []
        self.time = START
        git = {"commit_hash": "d" * 40, "branch": "main"}
        self.add("session_meta", {"id": session, "cwd": str(cwd), "cli_version": "0.171.0", "git": git, **meta})
        self.add("turn_context", {"cwd": str(cwd), "model": "m-2"})

    def add(self, kind: str, payload: Any) -> None:
        self.records.append({"timestamp": iso(self.time), "type": kind, "payload": payload})
        self.time += 1.0

    def item(self, **payload: Any) -> None:
        self.add("response_item", payload)

    def event(self, **payload: Any) -> None:
        self.add("event_msg", payload)

    def shell(self, call: str, line: str, *, tool: str = "exec_command", **more: Any) -> None:
        """A command; how tools take it changed with the versions."""
        command = {"exec_command": {"cmd": line}, "shell_command": {"command": line}}
        arguments = command.get(tool, {"command": ["bash", "-lc", line]}) | more
        self.item(type="function_call", name=tool, call_id=call, arguments=json.dumps(arguments))

    def output(self, call: str, said: str, kind: str = "function_call_output") -> None:
        self.item(type=kind, call_id=call, output=said)

    def patch(self, call: str, *lines: str) -> None:
        """A patch in a command, as the newest versions send it."""
        self.shell(call, "apply_patch <<'EOF'\n" + patch_text(*lines) + "\nEOF")

    def usage(self, response: str) -> None:
        usage = {"input_tokens": 100, "cached_input_tokens": 5, "output_tokens": 20, "reasoning_output_tokens": 3}
        self.add("token_usage_record", {"response_id": response, "usage": usage})

    def changed(self, call: str, changes: dict[str, Any], status: str = "completed") -> None:
        item = {"type": "FileChange", "id": call, "changes": changes, "status": status}
        self.event(type="item_completed", item=item, completed_at_ms=int(self.time * 1000))

    def save(self) -> Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(json.dumps(record) + "\n" for record in self.records))
        return self.path


def patch_text(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


class OpenCodeSession:
    """A session of opencode, to be saved in a database or as files. Each part is a second later."""

    def __init__(self, folder: Path, session: str = "ses_1", **more: Any) -> None:
        self.folder = folder
        self.session: dict[str, Any] = {
            "id": session, "project_id": "p1", "directory": str(folder), "version": "1.18.33", "revert": None, **more,
        }  # fmt: skip
        self.messages: dict[str, dict[str, Any]] = {}
        self.parts: list[tuple[str, str, dict[str, Any]]] = []
        self.time = START
        self._numbers = itertools.count()

    def message(self, known_by: str, role: str = "assistant", **more: Any) -> None:
        created = int(self.time * 1000)
        self.messages[known_by] = {
            "id": known_by, "sessionID": self.session["id"], "role": role, "modelID": "m-3", "agent": "build",
            "cost": 0.5,
            "path": {"cwd": str(self.folder), "root": str(self.folder)},
            "tokens": {"input": 100, "output": 20, "reasoning": 3, "cache": {"write": 7, "read": 5}},
            "time": {"created": created, "completed": created + 1500}, **more,
        }  # fmt: skip

    def part(self, **data: Any) -> str:
        """A part of the last message."""
        known_by = f"prt_{next(self._numbers):03}"
        message = list(self.messages)[-1]
        self.parts.append((known_by, message, {"id": known_by, "messageID": message, **data}))
        self.time += 1.0
        return known_by

    def tool(self, call: str, tool: str, arguments: dict[str, Any], **state: Any) -> str:
        time = {"start": int(self.time * 1000), "end": int(self.time * 1000)}
        full = {"status": "completed", "input": arguments, "output": "", "metadata": {}, "time": time, **state}
        return self.part(type="tool", tool=tool, callID=call, state=full)

    def write(self, call: str, path: Path, content: str, *, exists: bool = False, **state: Any) -> str:
        metadata = {"filepath": str(path), "exists": exists}
        return self.tool(call, "write", {"filePath": str(path), "content": content}, metadata=metadata, **state)

    def edit(self, call: str, path: Path, old: str, new: str, diff: str, **state: Any) -> str:
        arguments = {"filePath": str(path), "oldString": old, "newString": new}
        return self.tool(call, "edit", arguments, **{"metadata": {"diff": diff}, **state})

    def save_files(self, data: Path) -> None:
        """As versions before 1.2 did."""
        session, rest = self.session["id"], {"projectID": self.session["project_id"]}
        _write_json(data / "storage/session/p1" / f"{session}.json", {**self.session, **rest})
        for known_by, message in self.messages.items():
            _write_json(data / "storage/message" / session / f"{known_by}.json", message)
        for known_by, message_id, part in self.parts:
            _write_json(data / "storage/part" / message_id / f"{known_by}.json", part)

    def save(self, connection: sqlite3.Connection) -> None:
        """Into a database that `opencode_database` made. Time stamps are the number of parts, so that they grow."""
        stamp = int(self.time * 1000)
        for table in ("session", "message", "part"):
            connection.execute(f"DELETE FROM {table} WHERE {'id' if table == 'session' else 'session_id'} = ?",
                               (self.session["id"],))  # fmt: skip
        row = {**self.session, "time_created": int(START * 1000), "time_updated": stamp}
        columns = ", ".join(row)
        connection.execute(f"INSERT INTO session ({columns}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
        for known_by, message in self.messages.items():
            data = json.dumps({key: value for key, value in message.items() if key not in ("id", "sessionID")})
            values = (known_by, self.session["id"], stamp, stamp, data)
            connection.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", values)
        for known_by, message_id, part in self.parts:
            data = json.dumps({key: value for key, value in part.items() if key not in ("id", "messageID")})
            row = {"a": known_by, "b": message_id, "c": self.session["id"], "d": stamp, "e": stamp, "f": data}
            connection.execute("INSERT INTO part VALUES (:a, :b, :c, :d, :e, :f)", row)
        connection.commit()

    def event(self, connection: sqlite3.Connection, kind: str, data: dict[str, Any]) -> None:
        """What happened, as the database keeps it beside the tables."""
        (seq,) = connection.execute("SELECT count(*) FROM event").fetchone()
        values = (f"evt_{seq}", self.session["id"], seq, f"{kind}.1", json.dumps(data))
        connection.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", values)
        connection.commit()


def opencode_database(data: Path) -> sqlite3.Connection:
    """An empty database in WAL mode, open as the program has it while it runs."""
    data.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(data / "opencode.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.executescript(
        """
        CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, version TEXT,
                              revert TEXT, time_created INTEGER, time_updated INTEGER);
        CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER,
                              data TEXT);
        CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
                           time_updated INTEGER, data TEXT);
        CREATE TABLE event (id TEXT PRIMARY KEY, aggregate_id TEXT, seq INTEGER, type TEXT, data TEXT);
        """
    )
    return connection


def _write_json(path: Path, record: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record))
