"""Conversations are read in every format in which they were written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from gitgoodbench.errors import Status
from gitgoodbench.models.messages import Aside, Message
from gitgoodbench.models.recording import Exchange, Fate, Request
from gitgoodbench.reporting.transcript_models import TranscriptLine
from gitgoodbench.runs.paths import EpisodePaths
from gitgoodbench.runs.trajectories import numbers_in, read_conversation
from gitgoodbench.runs.transcript import Transcript

HEAD: dict[str, Any] = {"sample_id": "s0", "scenario": "mcr", "epoch": 1, "agent": "openai", "model": "m"}
SYSTEM: Message = {"role": "system", "content": "be good"}
GO: Message = {"role": "user", "content": "go"}
SAID: Message = {"role": "assistant", "content": "hm"}
RESULT: Message = {"role": "tool", "tool_call_id": "c", "content": "the file"}
ENDING: dict[str, Any] = {"status": "completed", "error": None, "turns": 1, "usage": {"requests": 1}, "notes": ["a"]}


def converse(files: EpisodePaths) -> Transcript:
    transcript = Transcript(files.trajectory, **HEAD)
    transcript.message(GO)
    transcript.exchange(Exchange(Request("m", [GO]), Fate.LOST, "t", 1.0, cause="down"))
    transcript.exchange(Exchange(Request("m", [GO]), Fate.ANSWERED, "t", 1.0, message=SAID, finish_reason="stop"))
    transcript.message(RESULT)
    return transcript


def test_a_conversation_that_ended(tmp_path: Path) -> None:
    files = EpisodePaths(tmp_path)
    converse(files).end([GO, SAID, RESULT], **ENDING)
    read = read_conversation(files)
    assert read is not None
    assert (read.head, read.messages, read.ending) == (HEAD, (GO, SAID, RESULT), ENDING)
    assert [line["kind"] for line in read.lines] == [
        "episode", "message", "request", "fault", "answer", "message", "end",
    ]  # fmt: skip
    assert [answer["finish_reason"] for answer in read.answers] == ["stop"]


def test_a_conversation_that_was_killed_in_the_middle_of_a_line(tmp_path: Path) -> None:
    files = EpisodePaths(tmp_path)
    converse(files)
    files.trajectory.write_bytes(files.trajectory.read_bytes() + b'{"kind": "mess')
    read = read_conversation(files)
    assert read is not None
    assert (read.messages, read.ending) == ((GO, SAID, RESULT), None)


def _beside(files: EpisodePaths) -> tuple[Transcript, list[Aside]]:
    """A main conversation "1", a title before it, and a sub-agent in the middle of it."""
    transcript = Transcript(files.trajectory, **HEAD)

    def ask(name: str, messages: list[Message], text: str, tools: tuple[dict[str, Any], ...] = ()) -> Message:
        answer: Message = {"role": "assistant", "content": text}
        request = Request("m", messages, tools)
        transcript.exchange(Exchange(request, Fate.ANSWERED, "t", 1.0, message=answer), conversation=name)
        return answer

    title = [GO, ask("0", [GO], "A title")]
    tool = ({"type": "function", "function": {"name": "Task"}},)
    ask("1", [SYSTEM, GO], "hm", tool)
    helping = [SYSTEM, {"role": "user", "content": "look"}]
    helped = [*helping, ask("2", helping, "seen")]
    ask("1", [SYSTEM, GO, SAID, RESULT], "done", tool)
    return transcript, [Aside("0", tuple(title)), Aside("2", tuple(helped), "c")]


def test_conversations_of_sub_agents_stand_beside_the_main_one(tmp_path: Path) -> None:
    files = EpisodePaths(tmp_path)
    transcript, asides = _beside(files)
    whole = (SYSTEM, GO, SAID, RESULT, {"role": "assistant", "content": "done"})
    running = read_conversation(files)
    assert running is not None
    assert (running.name, running.messages, running.ending) == ("1", whole, None)
    assert [(one.name, one.messages, one.call) for one in running.asides] == [
        (one.name, one.messages, None) for one in asides
    ]
    transcript.end(whole, conversation="1", asides=asides, **ENDING)
    read = read_conversation(files)
    assert read is not None
    assert (read.name, read.messages, read.ending) == ("1", whole, ENDING)
    assert [(one.name, one.messages, one.call) for one in read.asides] == [
        (one.name, one.messages, one.call) for one in asides
    ]
    assert [line["kind"] for line in read.lines] == [
        "episode", "request", "message", "message", "answer", "message", "answer", "end",
    ]  # fmt: skip
    assert [[line["kind"] for line in one.lines] for one in read.asides] == [
        ["episode", "request", "message", "answer", "end"],
        ["episode", "request", "message", "message", "answer", "end"],
    ]  # fmt: skip
    for line in files.trajectory.read_bytes().splitlines():
        TypeAdapter(TranscriptLine).validate_json(line)


def test_a_trajectory_of_before(tmp_path: Path) -> None:
    files = EpisodePaths(tmp_path)
    former = {**HEAD, **ENDING, "status": Status.COMPLETED, "messages": [GO, SAID, RESULT]}
    files.former_trajectory.write_text(json.dumps(former))
    read = read_conversation(files)
    assert read is not None
    assert (read.head, read.messages, read.ending, read.lines) == (HEAD, (GO, SAID, RESULT), ENDING, ())


def test_what_is_no_trajectory_is_none(tmp_path: Path) -> None:
    files = EpisodePaths(tmp_path)
    assert read_conversation(files) is None
    files.former_trajectory.write_text("[]")
    assert read_conversation(files) is None
    files.trajectory.write_text("nothing\n")
    assert read_conversation(files) is None


def test_numbers_of_messages() -> None:
    assert numbers_in([[0, 2], [5, 5], [3, 4]]) == [0, 1, 2, 5, 3, 4]
