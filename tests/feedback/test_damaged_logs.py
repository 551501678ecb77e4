"""Logs that are damaged, hostile or cut: what cannot be read is counted, what can be read is still found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitgoodbench.feedback.contract import Log, Place, Source
from gitgoodbench.feedback.records import Reading
from gitgoodbench.feedback.sources.aider import Aider
from gitgoodbench.feedback.sources.continue_cli import ContinueCli
from gitgoodbench.feedback.sources.copilot_cli import CopilotCli
from gitgoodbench.feedback.sources.gemini_cli import GeminiCli
from gitgoodbench.feedback.sources.openai_jsonl import OpenAIJsonl
from gitgoodbench.feedback.sources.qwen_code import QwenCode
from tests.feedback.support_logs import place_of
from tests.feedback.support_logs_b import (
    ADD,
    COMMIT,
    HEAD,
    INT,
    AiderChat,
    CopilotLog,
    GeminiLog,
    QwenLog,
    continue_call,
    search_replace,
    shown,
)


def gemini(home: Path, root: Path) -> Path:
    log = GeminiLog(home, root)
    log.write("w1", str(root / "a.py"), "", ADD)
    log.call("s1", "run_shell_command", {"command": COMMIT}, HEAD)
    log.say(f"```python:a.py\n{ADD}```")
    return log.save()


def qwen(home: Path, root: Path) -> Path:
    log = QwenLog(home, root)
    log.call("c1", "edit", {"file_path": str(root / "a.py"), "old_string": "a", "new_string": "b"})
    log.result("c1", shown(str(root / "a.py"), ADD, INT))
    return log.save()


def copilot(home: Path, root: Path) -> Path:
    log = CopilotLog(home / ".copilot/session-state/c1/events.jsonl", root)
    log.call("t1", "create", {"path": str(root / "a.py"), "file_text": ADD}, success=True, result={"content": "x"})
    log.call("t2", "bash", {"command": COMMIT}, success=True, result={"content": HEAD})
    return log.save()


def continue_(home: Path, root: Path) -> Path:
    path = home / ".continue/sessions/s1.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    item = continue_call("c1", "Write", {"filepath": str(root / "a.py"), "content": ADD}, "done", "ok")
    path.write_text(json.dumps({"sessionId": "s1", "workspaceDirectory": str(root), "history": [item]}))
    return path


def aider(_: Path, root: Path) -> Path:
    chat = AiderChat()
    chat.start()
    chat.answer(search_replace("a.py", "", ADD))
    chat.tell("Applied edit to a.py", "Commit 1234567 x")
    return chat.save(root)


def openai(_: Path, root: Path) -> Path:
    call = {"id": "c1", "function": {"name": "write_file", "arguments": json.dumps({"path": "a.py", "content": ADD})}}
    message = {"role": "assistant", "content": f"```python\n{ADD}```", "tool_calls": [call]}
    path = root / "log.jsonl"
    request = {"messages": [{"role": "user", "content": "hi"}]}
    path.write_text(
        json.dumps({"request": request, "response": {"id": "r1", "choices": [{"message": message}]}}) + "\n"
    )
    return path


SOURCES: dict[str, tuple[Source, Callable[[Path, Path], Path]]] = {
    "aider": (Aider(), aider),
    "continue": (ContinueCli(), continue_),
    "copilot": (CopilotCli(), copilot),
    "gemini": (GeminiCli(), gemini),
    "openai": (OpenAIJsonl(), openai),
    "qwen": (QwenCode(), qwen),
}
JSONL = ("copilot", "gemini", "openai", "qwen")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "app").mkdir()
    return place_of(tmp_path / "app", home=tmp_path / "home")


def made(name: str, place: Place) -> tuple[Path, bytes]:
    path = SOURCES[name][1](place.home, place.roots[0])
    return path, path.read_bytes()


def read(name: str, path: Path, place: Place) -> list[Reading]:
    return list(SOURCES[name][0].read(Log(str(path), "x"), place))


def keys(readings: list[Reading]) -> set[str]:
    return {edit.key.edit for reading in readings for edit in reading.edits}


@pytest.mark.parametrize("name", SOURCES)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_bytes_in_the_way_are_never_raised(name: str, place: Place, data: st.DataObject) -> None:
    path, content = made(name, place)
    at = data.draw(st.integers(0, len(content)))
    junk = data.draw(
        st.sampled_from([b"\x00", b"\xff\xfe", b"\n", b"{", b'"', b"[" * 3000, b"\\ud800", b"`" * 3, b"\r"])
    )
    cut = data.draw(st.integers(0, 40))
    path.write_bytes(content[:at] + junk + content[at + cut :])
    for reading in read(name, path, place):
        assert all(edit.kind in ("edit", "answer", "indirect") for edit in reading.edits)


SIMPLE = st.none() | st.booleans() | st.integers(-5, 2**70) | st.floats() | st.text(max_size=6) | st.just("\ud800\0")
VALUES = st.recursive(
    SIMPLE, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """Every entry of an object or array, at any depth, as container and key."""
    entries = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [(value, key) for key, _ in entries] + [found for _, entry in entries for found in places_in(entry)]


@pytest.mark.parametrize("name", [*JSONL, "continue"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_values_of_other_types_are_never_raised(name: str, place: Place, data: st.DataObject) -> None:
    path, content = made(name, place)
    records = [json.loads(line) for line in content.splitlines()]
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places_in(records)))
        container[key] = data.draw(VALUES)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    for reading in read(name, path, place):
        assert reading.understood + reading.not_understood <= len(records) + 20


@pytest.mark.parametrize("name", JSONL)
def test_lines_between_are_counted_and_the_rest_is_found(name: str, place: Place) -> None:
    path, content = made(name, place)
    whole = keys(read(name, path, place))
    assert whole
    bad = [b"\xff\xfe", b"{" * 10, b"[" * 100_000, b"null", b'{"half": ', json.dumps("x" * 1000).encode()]
    path.write_bytes(content + b"\n".join(bad) + b"\n\x00\x00\n")
    readings = read(name, path, place)
    assert keys(readings) == whole
    assert sum(reading.not_understood for reading in readings) == len(bad)


@pytest.mark.parametrize("name", JSONL)
def test_a_last_line_that_is_being_written_is_left_for_later(name: str, place: Place) -> None:
    path, content = made(name, place)
    lines = content.splitlines(keepends=True)
    before = read(name, path, place)
    path.write_bytes(content + lines[-1][:-10])
    assert read(name, path, place) == before


@pytest.mark.parametrize("name", SOURCES)
def test_reading_again_finds_the_same_under_the_same_keys(name: str, place: Place) -> None:
    path, _ = made(name, place)
    assert read(name, path, place) == read(name, path, place)


@pytest.mark.parametrize("name", SOURCES)
def test_nothing_of_what_a_person_wrote_is_kept(name: str, place: Place) -> None:
    path, _ = made(name, place)
    if name == "aider":
        path.write_text(path.read_text().replace("> Git repo", "#### PROMPT-TEXT  \n> Git repo"))
    else:
        path.write_text(
            path.read_text().replace("git commit", "PROMPT-TEXT; git commit").replace('"hi"', '"PROMPT-TEXT"')
        )
    assert "PROMPT-TEXT" not in repr(read(name, path, place))


@pytest.mark.parametrize("name", SOURCES)
def test_empty_files(name: str, place: Place) -> None:
    path, _ = made(name, place)
    path.write_bytes(b"")
    assert keys(read(name, path, place)) == set()
