"""Any program as an agent: it resolves a merge in the sealed sandbox, its model reached by the bridge alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.agents.base import AgentSettings
from gitgoodbench.agents.cli import playing
from gitgoodbench.agents.cli.command import Command, CommandOptions
from gitgoodbench.agents.cli.contract import Task
from gitgoodbench.agents.cli.home import HOME
from gitgoodbench.errors import AgentFailed, RunAborted, Status, UserError
from gitgoodbench.models.meter import Budget
from gitgoodbench.models.options import ModelOptions
from gitgoodbench.plugin_options import read_options
from gitgoodbench.sandbox.base import Sandbox, equip
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


def _agent(server: ScriptedServer | None, folder: Path | None, argv: str = "", **own: Any) -> Any:
    chosen = CommandOptions(argv=argv or "python3 agent.py {prompt_file}", folder=folder, **own)
    base_url = "http://127.0.0.1:9/v1" if server is None else server.url
    return Command().make(AgentSettings(ModelOptions("scripted", base_url=base_url), (chosen,)))


@contextmanager
def _begun(case: MergeCase, provider: DockerProvider, agent: Any) -> Iterator[tuple[Any, Sandbox]]:
    with begin(case, equip(provider, agent.needs), ToolSet.OWN) as begun:
        yield begun


def _resolves(request: Request) -> Reply:
    return calls("sh", line=RESOLVE) if request.turn == 0 else says("Done.")


@pytest.mark.docker
def test_a_program_resolves_a_merge(case: MergeCase, folder: Path, docker_provider: DockerProvider) -> None:
    with ScriptedServer(_resolves) as server:
        agent = _agent(server, folder)
        with _begun(case, docker_provider, agent) as (episode, sandbox):
            trajectory = agent.run(episode, Budget())
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
        (_resolves, Budget(), "python3 -c 1/0", Status.AGENT_FAILED, "exit code 1, without an answer of its model; it"),
        (_resolves, Budget(), "/no/such", Status.AGENT_FAILED, "exit code 127, without an answer"),
        (_resolves, Budget(timeout_s=2.0), "sleep 60", Status.LIMIT_REACHED, "time limit"),
    ],
)
def test_how_it_ends_is_the_hosts_word(
    case: MergeCase, folder: Path, docker_provider: DockerProvider,
    script: Any, budget: Budget, argv: str, status: Status | None, error: str,
) -> None:  # fmt: skip
    with ScriptedServer(script) as server:
        agent = _agent(server, folder, argv)
        with _begun(case, docker_provider, agent) as (episode, _):
            if status is None:
                with pytest.raises(RunAborted, match=error):
                    agent.run(episode, budget)
                return
            trajectory = agent.run(episode, budget)
            episode.outcome()
    assert trajectory.status is status
    assert error in str(trajectory.error)


@pytest.mark.docker
@pytest.mark.parametrize(
    ("ok", "status"), [("", Status.COMPLETED), ("0,3", Status.COMPLETED), ("0", Status.AGENT_FAILED)]
)
def test_the_user_says_which_exit_codes_are_failures(
    case: MergeCase, folder: Path, docker_provider: DockerProvider, ok: str, status: Status
) -> None:
    program = "sh -c 'python3 {folder}/agent.py {prompt_file}; echo tired >&2; exit 3'"
    with ScriptedServer(_resolves) as server:
        agent = _agent(server, folder, program, ok=ok)
        with _begun(case, docker_provider, agent) as (episode, _):
            trajectory = agent.run(episode, Budget())
            outcome = episode.outcome()
    said = "the program ended with exit code 3; it said: tired"
    assert trajectory.status is status
    assert (trajectory.error, trajectory.notes) == ((None, (said,)) if status is Status.COMPLETED else (said, ()))
    assert score(case, outcome).solved is True


@pytest.mark.docker
def test_its_home_is_a_place_to_live_and_its_folder_cannot_be_written(
    case: MergeCase, folder: Path, docker_provider: DockerProvider
) -> None:
    """One program tries what agents do at home; what it writes to standard output is kept beside the trajectory."""
    (folder / "look.sh").write_text(
        'set -e; ask() { python3 "$1/agent.py" "$2" >/dev/null; }; ask "$@"\n'
        'for d in "$HOME" "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME" "$TMPDIR"; do\n'
        'printf "#!/bin/sh\\necho ran\\n" > "$d/x"; chmod +x "$d/x"; "$d/x"; done\n'
        'touch "$1/x" 2>&1 || true; cat "$2" | wc -c; env | grep ^GIT_CONFIG_GLOBAL'
    )
    with ScriptedServer(_resolves) as server:
        agent = _agent(
            server, folder, "sh look.sh {folder} {prompt_file}", env="COLOUR='dark blue' GIT_CONFIG_GLOBAL=/x"
        )
        with _begun(case, docker_provider, agent) as (episode, _):
            trajectory = agent.run(episode, Budget())
    assert (trajectory.status, trajectory.notes) == (Status.COMPLETED, ())
    *ran, refused, size, config = trajectory.logs["stdout.txt"].decode().splitlines()
    assert ran == ["ran"] * 6
    assert "Read-only file system" in refused
    assert int(size) > 1000
    assert config == "GIT_CONFIG_GLOBAL=/dev/null"


@pytest.mark.docker
@pytest.mark.parametrize("turns", [50, 1])
def test_what_it_started_ends_with_it(
    case: MergeCase, folder: Path, docker_provider: DockerProvider, turns: int
) -> None:
    """Daemons, too, whether it ended by itself or was interrupted; what was committed by then stays."""
    (folder / "daemon.sh").write_text(
        "for n in 1 2 3; do setsid nohup sleep 600 >/dev/null 2>&1 & done\n"
        'python3 "$1" "$2"; while [ -n "$3" ]; do sleep 600; done\n'
    )
    with ScriptedServer(_resolves) as server:
        waits = "" if turns > 1 else " waits"
        agent = _agent(server, folder, f"sh daemon.sh agent.py {{prompt_file}}{waits}")
        with _begun(case, docker_provider, agent) as (episode, sandbox):
            trajectory = agent.run(episode, Budget(max_turns=turns))
            left = sandbox.exec(["sh", "-c", "cat /proc/[0-9]*/comm"]).stdout.split()
            outcome = episode.outcome()
    assert trajectory.status is (Status.COMPLETED if turns > 1 else Status.LIMIT_REACHED)
    assert b"sleep" not in left
    assert score(case, outcome).solved is True


def test_it_takes_no_tools_of_ours(folder: Path) -> None:
    with pytest.raises(RunAborted, match="brings its own tools: use --tools own"):
        _agent(None, folder).run(FakeEpisode(), Budget())


def test_what_cannot_be_run_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--agent command needs a program: --agent-arg argv="):
        Command().make(AgentSettings())
    with pytest.raises(UserError, match="cannot be read: No closing quotation"):
        _agent(None, None, "python3 'x")
    with pytest.raises(UserError, match=r"--agent-arg folder=.*absent: there is no such folder"):
        _agent(None, tmp_path / "absent")


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (
            {"argv": "python3 x {prompt_fil}"},
            r"argv: \{prompt_fil\} is no place .* did you mean prompt_file\? there are",
        ),
        ({"argv": "python3 {folder}/x", "folder": None}, r"argv: \{folder\} needs a folder: --agent-arg folder=DIR"),
        ({"ok": "0,256"}, "ok=0,256: write exit codes from 0 to 255"),
        ({"ok": "²"}, "ok=²: write exit codes"),
    ],
)
def test_a_slip_in_an_option_is_said_at_once(folder: Path, own: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        _agent(None, **{"folder": folder, **own})


def test_a_folder_is_named_and_is_one(folder: Path) -> None:
    with pytest.raises(UserError, match=r"folder=.*agent.py: that is no folder"):
        _agent(None, folder / "agent.py")
    with pytest.raises(UserError, match=r"command.folder=: .*name a folder, or leave the option out"):
        read_options(["command.folder="])
    (here,) = read_options(["command.folder=."])
    assert isinstance(here, CommandOptions)
    assert here.folder == Path.cwd()


@pytest.mark.docker
@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_program_that_changes_ends_the_run(
    case: MergeCase, folder: Path, docker_provider: DockerProvider, when: str
) -> None:
    def changed(request: Request) -> Reply:
        (folder / "agent.py").write_text(AGENT + "\n")
        return _resolves(request)

    with ScriptedServer(changed) as server:
        agent = _agent(server, folder)
        (folder / "__pycache__").mkdir()
        if when == "before":
            (folder / "more.py").touch()
        with _begun(case, docker_provider, agent) as (episode, _):
            with pytest.raises(RunAborted, match="program has changed since the run began, and sandboxes see it"):
                agent.run(episode, Budget())
            assert len(server.requests) == (0 if when == "before" else 2)


@pytest.mark.docker
def test_output_beyond_what_is_kept_is_told(
    case: MergeCase, folder: Path, docker_provider: DockerProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "OUTPUT_LIMIT", 1000)
    agent = _agent(None, folder, "sh -c 'yes | head -c 5000'")
    with _begun(case, docker_provider, agent) as (episode, _):
        trajectory = agent.run(episode, Budget())
    assert len(trajectory.logs["stdout.txt"]) == 1000
    assert trajectory.notes[-1] == "the program printed more than is kept: 1000 bytes of each stream"


def test_words_that_name_files_of_the_folder_mean_these(folder: Path) -> None:
    """`python3 agent.py {prompt_file}` runs the folder's agent.py, and not the repository's."""
    task = Task(b"Do it.", f"{HOME}/prompt.md", "chat", "http://127.0.0.1:8099/v1", "m", None, HOME)
    options = CommandOptions(
        argv="python3 agent.py other.py --at={base_url} {prompt} '{x}' {prompt_file}", folder=folder
    )
    invocation = Command().invocation(replace(task, prompt=b"Say {model}.", options=options))
    assert list(invocation.argv) == [
        "python3", "/opt/agents/command/agent.py", "other.py", "--at=http://127.0.0.1:8099/v1", "Say {model}.", "{x}",
        f"{HOME}/prompt.md",
    ]  # fmt: skip
    with pytest.raises(
        AgentFailed, match=r"the prompt has 200000 bytes, more than an argument takes: use \{prompt_file"
    ):
        Command().invocation(replace(task, prompt=b"x" * 200_000, options=options))
