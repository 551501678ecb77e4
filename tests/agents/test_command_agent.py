"""Any program as an agent: it resolves a merge in the sealed sandbox, its model reached by the bridge alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.agents.base import AgentSettings
from gitgoodbench.agents.command import FOLDER, Command, CommandOptions
from gitgoodbench.errors import RunAborted, Status, UserError
from gitgoodbench.models.meter import Budget
from gitgoodbench.models.options import ModelOptions
from gitgoodbench.sandbox.docker import DockerProvider
from gitgoodbench.tools import ToolSet
from tests.support.fake_episode import FakeEpisode
from tests.support.merges import MergeCase, begin, make_merge, score
from tests.support.scripted_llm import Reply, Request, ScriptedServer, calls, fault, says

AGENT = """
import json, os, subprocess, sys, urllib.request

def ask(messages):
    body = {"model": "whatever", "messages": messages, "tools": [{"type": "function", "function": {
        "name": "sh", "parameters": {"type": "object", "properties": {"line": {"type": "string"}}}}}]}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode())) as reply:
        return json.load(reply)["choices"][0]["message"]

messages = [{"role": "user", "content": open(sys.argv[1]).read()}]
while True:
    message = ask(messages)
    messages.append(message)
    if not message.get("tool_calls"):
        break
    for call in message["tool_calls"]:
        line = json.loads(call["function"]["arguments"])["line"]
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": done.stdout + done.stderr})
"""
RESOLVE = "git checkout --theirs a.py && git add -A && git commit --no-edit && git status --short"


@pytest.fixture
def case(tmp_path: Path) -> MergeCase:
    sides = ({b"a.py": b"one\ntwo\nthree\n"}, {b"a.py": b"one\nours\nthree\n"}, {b"a.py": b"one\ntheirs\nthree\n"})
    return make_merge(tmp_path / "r.git", *sides, {b"a.py": b"one\ntheirs\nthree\n"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "agent.py").write_text(AGENT)
    return tmp_path / "program"


def _agent(server: ScriptedServer | None, folder: Path | None, argv: str = "", **model: Any) -> Any:
    own = CommandOptions(argv=argv or "python3 {folder}/agent.py {prompt_file}", folder=folder)
    base_url = "http://127.0.0.1:9/v1" if server is None else server.url
    return Command().make(AgentSettings(ModelOptions("scripted", base_url=base_url, **model), (own,)))


def _resolves(request: Request) -> Reply:
    return calls("sh", line=RESOLVE) if request.turn == 0 else says("Done.")


@pytest.mark.docker
def test_a_program_resolves_a_merge(case: MergeCase, folder: Path, docker_provider: DockerProvider) -> None:
    with ScriptedServer(_resolves) as server, begin(case, docker_provider, ToolSet.SHELL) as (episode, sandbox):
        trajectory = _agent(server, folder).run(episode, Budget())
        outcome = episode.outcome()
        assert sandbox.exec(["git", "status", "--short"], cwd=sandbox.work_dir).stdout == b""
    assert (trajectory.status, trajectory.error) == (Status.COMPLETED, None)
    assert score(case, outcome).solved is True
    assert (trajectory.turns, trajectory.usage.prompt_tokens) == (2, 200)
    assert [message["role"] for message in trajectory.messages] == ["user", "assistant", "tool", "assistant"]
    assert "resolves merge conflicts" in server.requests[0].messages[0]["content"]
    assert server.requests[0].body["model"] == "scripted"


@pytest.mark.docker
@pytest.mark.parametrize(
    ("script", "budget", "argv", "status", "error"),
    [
        (_resolves, Budget(max_turns=1), "", Status.LIMIT_REACHED, "turn limit: 1 of 1 answers"),
        (lambda _: fault.status(404), Budget(), "", None, "offers no chat completions"),
        (_resolves, Budget(), "python3 -c 1/0", Status.AGENT_FAILED, "exit code 1, without an answer; it said"),
        (_resolves, Budget(), "/no/such", Status.AGENT_FAILED, "exit code 127, without an answer"),
        (_resolves, Budget(timeout_s=2.0), "sleep 60", Status.LIMIT_REACHED, "time limit"),
        (
            _resolves, Budget(), "sh -c 'python3 {folder}/agent.py {prompt_file}; exit 3'", Status.AGENT_FAILED,
            "exit code 3",
        ),
    ],
)  # fmt: skip
def test_how_it_ends_is_the_hosts_word(
    case: MergeCase, folder: Path, docker_provider: DockerProvider,
    script: Any, budget: Budget, argv: str, status: Status | None, error: str,
) -> None:  # fmt: skip
    with ScriptedServer(script) as server, begin(case, docker_provider, ToolSet.SHELL) as (episode, _):
        agent = _agent(server, folder, argv)
        if status is None:
            with pytest.raises(RunAborted, match=error):
                agent.run(episode, budget)
            return
        trajectory = agent.run(episode, budget)
        episode.outcome()
    assert trajectory.status is status
    assert error in str(trajectory.error)


def test_it_needs_a_shells_workspace(folder: Path) -> None:
    with pytest.raises(RunAborted, match="use --tools shell"):
        _agent(None, folder).run(FakeEpisode(), Budget())


def test_what_cannot_be_run_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"--agent command needs a program: --opt command\.argv="):
        Command().make(AgentSettings())
    with pytest.raises(UserError, match="cannot be read: No closing quotation"):
        _agent(None, None, "python3 'x")
    with pytest.raises(UserError, match="there is no such folder"):
        _agent(None, tmp_path / "absent")


def test_a_folder_is_packed_without_what_it_says_of_this_machine(folder: Path) -> None:
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_bytes(b"x")
    packed = _agent(None, folder).program.folder
    assert packed is not None
    assert b"agent.py" in packed
    assert b"pyc" not in packed
    assert str(folder).encode() not in packed
    assert FOLDER.startswith("/tmp/")
