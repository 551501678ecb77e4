"""A session of each program: it writes a file of two lines, and then wants something that it is not allowed to.

Each is called as `story(home, folder, session, name)`: the file `name` of a working tree, in a session of its own. Ids
differ between sessions: what two of them share is a copy, from where a session was resumed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.feedback.support_logs import (
    START,
    ClaudeLog,
    CodexLog,
    OpenCodeSession,
    opencode_database,
    patch_text,
)
from tests.feedback.support_logs_b import (
    ADD,
    AiderChat,
    CopilotLog,
    GeminiLog,
    QwenLog,
    continue_call,
    search_replace,
    shown,
)
from tests.support.tensorzero_rows import TOOL
from tests.support.tensorzero_server import TensorZeroServer, new_id

NO = "no = 1\n"
Story = Callable[[Path, Path, str, str], None]


def claude(home: Path, folder: Path, session: str, name: str) -> None:
    log = ClaudeLog(home / f".claude/projects/x/{session}.jsonl", folder, session)
    log.write(f"w1-{session}", folder / name, ADD)
    log.refuse(f"w2-{session}", folder / name, NO, "The user doesn't want to proceed with this tool use.")
    log.save()


def _codex(home: Path, folder: Path, session: str) -> CodexLog:
    path = home / f".codex/sessions/2026/11/30/rollout-2026-11-30T11-36-39-{session}.jsonl"
    return CodexLog(path, folder, session)


def _patch(name: str, content: str) -> tuple[str, ...]:
    return (f"*** Add File: {name}", *(f"+{line}" for line in content.splitlines()))


def codex_items(home: Path, folder: Path, session: str, name: str) -> None:
    """The newest generation: a patch in a command, and a record of the change."""
    log = _codex(home, folder, session)
    for call, content, status in ((f"w1-{session}", ADD, "completed"), (f"w2-{session}", NO, "declined")):
        log.patch(call, *_patch(name, content))
        log.changed(call, {str(folder / name): {"type": "add", "content": content}}, status)
    log.save()


def codex_events(home: Path, folder: Path, session: str, name: str) -> None:
    """The generation before: a tool of its own, and an event."""
    log = _codex(home, folder, session)
    for call, content, success in ((f"w1-{session}", ADD, True), (f"w2-{session}", NO, False)):
        log.item(type="custom_tool_call", name="apply_patch", call_id=call, input=patch_text(*_patch(name, content)))
        changes = {name: {"add": {"content": content}}}
        log.event(type="patch_apply_end", call_id=call, success=success, changes=changes)
    log.save()


def codex_functions(home: Path, folder: Path, session: str, name: str) -> None:
    """The oldest one: a function, and what the model was told."""
    log = _codex(home, folder, session)
    success = f"Success. Updated the following files:\nA {name}\n"
    for call, content, said in ((f"w1-{session}", ADD, success), (f"w2-{session}", NO, "patch rejected by user")):
        arguments = json.dumps({"input": patch_text(*_patch(name, content))})
        log.item(type="function_call", name="apply_patch", call_id=call, arguments=arguments)
        log.output(call, said)
    log.save()


def _opencode(folder: Path, session: str, name: str) -> OpenCodeSession:
    made = OpenCodeSession(folder, f"ses_{session}")
    made.message(f"msg_{session}")
    made.write(f"w1-{session}", folder / name, ADD)
    denied = "The user rejected permission to use this specific tool call."
    made.write(f"w2-{session}", folder / name, NO, status="error", error=denied)
    return made


def opencode(home: Path, folder: Path, session: str, name: str) -> None:
    data = home / ".local/share/opencode"
    if (data / "opencode.db").exists():
        import sqlite3

        connection = sqlite3.connect(data / "opencode.db")
    else:
        connection = opencode_database(data)
    made = _opencode(folder, session, name)
    made.parts = [(f"{one}_{session}", message, part) for one, message, part in made.parts]
    made.save(connection)
    connection.close()


def opencode_files(home: Path, folder: Path, session: str, name: str) -> None:
    _opencode(folder, session, name).save_files(home / ".local/share/opencode")


def aider(_home: Path, folder: Path, _session: str, name: str) -> None:
    chat = AiderChat()
    chat.start()
    chat.answer(search_replace(name, "", ADD) + "\n" + search_replace("no.py", "", NO))
    chat.tell("Skipping edits to no.py", f"Applied edit to {name}")
    chat.save(folder)


def gemini(home: Path, folder: Path, session: str, name: str) -> None:
    log = GeminiLog(home, folder, session, session, messages=f"m-{session}-")
    log.write(f"w1-{session}", str(folder / name), "", ADD)
    log.write(f"w2-{session}", str(folder / name), "", NO, "cancelled")
    log.save()


def qwen(home: Path, folder: Path, session: str, name: str) -> None:
    log = QwenLog(home, folder, session, records=f"u-{session}-")
    for call, content, status in ((f"w1-{session}", ADD, "success"), (f"w2-{session}", NO, "error")):
        log.call(call, "write_file", {"file_path": str(folder / name), "content": content})
        log.result(call, shown(str(folder / name), "", content), status)
    log.save()


def copilot(home: Path, folder: Path, session: str, name: str) -> None:
    log = CopilotLog(home / f".copilot/session-state/{session}/events.jsonl", folder)
    path = str(folder / name)
    log.call(f"w1-{session}", "create", {"path": path, "file_text": ADD}, success=True, result={"content": "ok"})
    denied = {"message": "", "code": "denied"}
    log.call(f"w2-{session}", "create", {"path": path, "file_text": NO}, success=False, error=denied)
    log.save()


def continue_(home: Path, folder: Path, session: str, name: str) -> None:
    items = [
        continue_call("w1", "Write", {"filepath": str(folder / name), "content": ADD}, "done", "ok"),
        continue_call("w2", "Write", {"filepath": str(folder / name), "content": NO}, "canceled", "no"),
    ]
    path = home / f".continue/sessions/{session}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"sessionId": session, "workspaceDirectory": str(folder), "history": items}))


def openai(home: Path, folder: Path, session: str, name: str) -> None:
    def exchange(known_by: str, call: str, content: str, *results: dict[str, str]) -> str:
        arguments = json.dumps({"path": str(folder / name), "content": content})
        message = {"role": "assistant", "tool_calls": [{"id": call, "function": {"name": "write_file",
                                                                                 "arguments": arguments}}]}  # fmt: skip
        request = {"messages": [{"role": "user", "content": "hi"}, *results]}
        response = {"id": known_by + session, "created": START, "choices": [{"message": message}]}
        return json.dumps({"request": request, "response": response, "session_id": session}) + "\n"

    denied = {"role": "tool", "tool_call_id": "w2", "content": "The user rejected this edit"}
    with (home / "log.jsonl").open("a") as log:
        log.write(exchange("r2", "w2", NO) + exchange("r1", "w1", ADD, denied))


def tensorzero(gateway: TensorZeroServer) -> Story:
    """Inferences of a gateway; that the second one's call was refused shows in the input of the one after it."""

    def story(_home: Path, folder: Path, _session: str, name: str) -> None:
        episode = new_id(int(START * 1000))
        tags = {"cwd": str(folder)}

        def call(identity: str, content: str) -> dict[str, Any]:
            arguments = {"path": str(folder / name), "content": content}
            return {"type": "tool_call", "id": identity, "name": "write_file", "raw_name": "write_file",
                    "arguments": arguments}  # fmt: skip

        outputs = ([call("w1", ADD)], [call("w2", NO)], [{"type": "text", "text": "As you like."}])
        for output in outputs:
            at = START + len(gateway.inferences)  # ids tell their order by time, and by chance where that is equal
            gateway.add_inference("coder", output, tools=[TOOL], tags=tags, episode=episode, at=at)
        refused = {"type": "tool_result", "id": "w2", "name": "write_file", "result": "The user rejected this edit"}
        gateway.inferences[-1]["input"] = {"messages": [{"role": "user", "content": [refused]}]}

    return story


STORIES: dict[str, Story] = {
    "aider": aider,
    "claude-code": claude,
    "codex 0.171": codex_items,
    "codex 0.128": codex_events,
    "codex 0.99": codex_functions,
    "continue-cli": continue_,
    "copilot-cli": copilot,
    "gemini-cli": gemini,
    "openai-jsonl": openai,
    "opencode": opencode,
    "opencode 1.1": opencode_files,
    "qwen-code": qwen,
}
