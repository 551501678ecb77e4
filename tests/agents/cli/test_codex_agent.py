"""The command line of Codex, and what it says at its end. The program itself is played by `make test-agents`."""

from __future__ import annotations

import json

from gitgoodbench.agents.cli.codex import Codex
from gitgoodbench.agents.cli.contract import Task
from gitgoodbench.agents.cli.home import HOME
from gitgoodbench.git.process import ExecResult

TASK = Task(
    prompt=b"Do it.", prompt_file=f"{HOME}/prompt.md", api="responses", base_url="http://127.0.0.1:8099/v1",
    model="gpt-5.4", reasoning_effort="high", home=HOME, arguments=("--color", "never"),
)  # fmt: skip


def test_the_prompt_comes_by_standard_input_and_the_model_from_the_bridge() -> None:
    invocation = Codex().invocation(TASK)
    argv = list(invocation.argv)
    assert argv[:2] == ["/opt/agents/codex/bin/codex", "exec"]
    assert argv[argv.index("-m") + 1] == "gpt-5.4"
    assert argv[-3:] == ["--color", "never", "-"]
    assert 'model_reasoning_effort="high"' in argv
    assert any('base_url="http://127.0.0.1:8099/v1"' in word for word in argv)
    assert not any("Do it." in word for word in argv)
    assert invocation.stdin == b"Do it."
    assert invocation.environment["CODEX_HOME"] == f"{HOME}/.codex"
    assert invocation.folders == (".codex",)


def test_its_last_words_are_the_last_message_or_error() -> None:
    message = {"type": "item.completed", "item": {"type": "agent_message", "text": "Done:\nall of it."}}
    failed = {"type": "turn.failed", "error": {"message": "no quota"}}
    usage = {"type": "turn.completed", "usage": {"input_tokens": 1}}

    def said(*events: object, stderr: bytes = b"") -> str:
        return Codex().last_words(ExecResult(0, b"\n".join(json.dumps(e).encode() for e in events), stderr))

    assert said(message, usage) == "Done: all of it."
    assert said(message, failed) == "no quota"
    assert said([], 3, {"item": 3}, usage, stderr=b"oops\n") == "oops"
    assert said() == ""
