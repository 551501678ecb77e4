"""What goes wrong around an agent of ours in sealed sandboxes: each its status, no process left, the account whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench import Run, evaluate
from gitgoodbench.agents.cli import playing
from gitgoodbench.bridge.upstream import Upstream
from gitgoodbench.owner import LABEL
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.sandbox.docker import COMPANION_USER, DockerProvider
from tests.support.dialect import sse
from tests.support.llm_reply import Reply
from tests.support.scripted_llm import Request, ScriptedServer, calls, fault, says

pytestmark = pytest.mark.docker

AGENT = """
import json, os, subprocess, sys, urllib.request

subprocess.Popen(["setsid", "sleep", "1000"])
messages, stream = [{"role": "user", "content": open(sys.argv[1]).read()}], False
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
while True:
    body = json.dumps({"model": "m", "messages": messages, "stream": stream}).encode()
    with urllib.request.urlopen(urllib.request.Request(url, body)) as reply:
        message = {"content": reply.read().decode()} if stream else json.load(reply)["choices"][0]["message"]
    messages.append({"role": "assistant", **message})
    for call in message.get("tool_calls") or ():
        line = json.loads(call["function"]["arguments"])["line"]
        stream = line == "stream"
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": done.stdout + done.stderr})
    if not message.get("tool_calls"):
        break
"""
SAMPLES = [f"mini_lantern_merge_00{number:02}" for number in range(4)]
WORK = calls("sh", line="echo work > kept")
STUCK_COMMIT = calls(
    "sh",
    line="h=$HOME/hooks; mkdir $h; printf '#!/bin/sh\\nsleep 1000\\n' > $h/pre-commit; chmod +x $h/pre-commit; "
    "echo x > new && git add -A && git -c core.hooksPath=$h commit -m half",
)


class Faults:
    """A model that goes wrong in a way of its own in each conversation, after a first answer; `healthy` once set."""

    def __init__(self, *ways: tuple[Reply, Callable[[], Reply]]) -> None:
        self._ways = list(ways)
        self._known: dict[str, tuple[Reply, Callable[[], Reply]]] = {}
        self.healthy = False
        self.asked = 0

    def __call__(self, request: Request) -> Reply:
        self.asked += 1
        if self.healthy:
            return WORK if request.turn == 0 else says("Done.")
        prompt = str(request.messages[0]["content"])
        if prompt not in self._known:
            self._known[prompt] = self._ways[len(self._known)]
        first, then = self._known[prompt]
        return first if request.turn == 0 else then()


class Watch:
    """What is seen of sandboxes when their program has ended. left: processes of commands, of every episode."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, provider: DockerProvider) -> None:
        self._provider = provider
        self.left: list[Counter[str]] = []
        bridged = vars(playing)["bridged"]

        @contextmanager
        def watched(sandbox: Sandbox, *rest: Any) -> Iterator[Any]:
            with bridged(sandbox, *rest) as bridge:
                yield bridge
                self.left.append(_processes(sandbox))

        monkeypatch.setattr(playing, "bridged", watched)
        monkeypatch.setitem(Upstream.__init__.__kwdefaults__ or {}, "sleep", lambda _: None)

    def containers(self, run: str) -> list[Any]:
        found: list[Any] = self._provider._docker().containers.list(all=True, filters={"label": f"{LABEL}.run={run}"})
        return found

    def kill_relays(self, run: str) -> None:
        for container in self.containers(run):
            container.exec_run(["sh", "-c", "kill -9 -1"], user=str(COMPANION_USER))


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch, docker_provider: DockerProvider) -> Watch:
    return Watch(monkeypatch, docker_provider)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "agent.py").write_text(AGENT)
    return tmp_path / "program"


def _processes(sandbox: Sandbox) -> Counter[str]:
    look = "for p in /proc/[0-9]*; do [ $(stat -c %u $p) = 1000 ] && cat $p/comm; done"
    return Counter(sandbox.exec(["sh", "-c", look]).stdout.decode().split())


def _fields(program: Path, server: ScriptedServer, **more: Any) -> dict[str, Any]:
    return {
        "model": "scripted", "base_url": server.url, "sandbox": "docker", "scenario": "mcr",
        "opt": ["command.argv=python3 agent.py {prompt_file}", f"command.folder={program}"],
        "offline": True, "retry_failed": 0, "max_failures": 99, "price_input": 1.0, "price_output": 2.0, **more,
    }  # fmt: skip


def _outcomes(run: Run) -> list[tuple[str, str]]:
    """Status and cause of each episode, as result.json has them."""
    found = {}
    for result in run.results:
        error = result.error.message if result.error else result.outcome and result.outcome.agent_error
        found[result.sample_id] = (result.status.value, error or "")
    return [found[sample] for sample in SAMPLES if sample in found]


def _whole_account(run: Run) -> tuple[int, int]:
    """The ledger: how often was asked, and how often something came of it; each request has one end at most."""
    lines = [json.loads(line) for line in (run.folder / "ledger.jsonl").read_bytes().splitlines()]
    asked = [line["request"] for line in lines if line["event"] == "asked"]
    ended = [line["request"] for line in lines if line["event"] != "asked"]
    assert len(set(asked)) == len(asked)
    assert len(set(ended)) == len(ended)
    assert set(ended) <= set(asked)
    return len(asked), len(ended)


def test_a_broken_provider_is_no_fault_of_the_agent_and_a_resumed_run_mends_it(
    tmp_path: Path, program: Path, watch: Watch
) -> None:
    def without_relay() -> Reply:
        watch.kill_relays("faults")
        return fault.hang()

    ways: dict[str, Callable[[], Reply]] = {
        "the connection failed": fault.drop,
        "HTTP 429": lambda: fault.rate_limit("0"),
        "no answer within 0.5 s": lambda: fault.drip(0.1),
        "the relay in the sandbox is gone": without_relay,
    }
    faults = Faults(*((WORK, then) for then in ways.values()))
    with ScriptedServer(faults) as server:
        fields = _fields(program, server, sample=SAMPLES, request_timeout=0.5, jobs=1)
        run = evaluate("mini", "command", tmp_path, "faults", **fields)
        for (status, error), cause in zip(_outcomes(run), ways, strict=True):
            assert (status, cause in error) == ("infrastructure_failed", True), error
        assert _whole_account(run) == (faults.asked, faults.asked)
        assert (len(watch.left), watch.containers("faults")) == (len(SAMPLES), [])
        faults.healthy = True
        run = evaluate("mini", "command", tmp_path, "faults", **fields)
        assert _outcomes(run) == [("completed", "")] * len(SAMPLES)
        assert _whole_account(run) == (faults.asked, faults.asked)
    assert all("sleep" not in left and "python3" not in left for left in watch.left)
    assert {len(result.attempts) for result in run.results} == {1}
    assert run.summary.account.total().cost_usd == pytest.approx(len(SAMPLES) * 3 * 120e-6)


def test_limits_that_are_reached_in_the_middle_of_something_end_the_episode_and_keep_its_work(
    tmp_path: Path, program: Path, watch: Watch
) -> None:
    """A command that commits is cut off, and a stream; tokens are used up while the agent goes on."""
    chunk = {"choices": [{"index": 0, "delta": {"content": "word "}, "finish_reason": None}]}
    slow = Reply(sse(*[chunk] * 900).body, content_type="text/event-stream", seconds_per_byte=0.005)
    ways: dict[str, tuple[Reply, Callable[[], Reply]]] = {
        "time limit: the program was still at work": (STUCK_COMMIT, fault.hang),
        "time limit: it ran out while the model was answering": (calls("sh", line="stream"), lambda: slow),
        "token limit: 220 of 150 tokens": (WORK, lambda: WORK),
    }
    faults = Faults(*ways.values())
    with ScriptedServer(faults) as server:
        fields = _fields(program, server, sample=SAMPLES[: len(ways)], timeout=4.0, max_tokens=150)
        run = evaluate("mini", "command", tmp_path, "limits", **fields)
    assert _outcomes(run) == [("limit_reached", cause) for cause in ways]
    assert _whole_account(run) == (faults.asked, faults.asked)
    for result in run.results:
        assert result.solved is False
        assert result.outcome is not None
        assert result.outcome.problem is None
    assert all("sleep" not in left and "python3" not in left for left in watch.left)
    assert (len(watch.left), watch.containers("limits")) == (len(ways), [])


_HARNESS = """
import json, sys
from gitgoodbench import evaluate
evaluate("mini", "command", sys.argv[1], "killed", **json.loads(sys.argv[2]))
"""


def test_a_harness_that_is_killed_leaves_nothing_and_its_run_goes_on(
    tmp_path: Path, program: Path, watch: Watch
) -> None:
    harness: list[subprocess.Popen[bytes]] = []

    def kill() -> Reply:
        assert len(watch.containers("killed")) == 1
        os.kill(harness[0].pid, signal.SIGKILL)
        return says("nobody hears this")

    faults = Faults((WORK, kill))
    with ScriptedServer(faults) as server:
        fields = _fields(program, server, sample=SAMPLES[:1])
        command = [sys.executable, "-c", _HARNESS, str(tmp_path), json.dumps(fields)]
        with subprocess.Popen(command) as process:
            harness.append(process)
            assert process.wait(120) == -signal.SIGKILL
        deadline = time.monotonic() + 30
        while any(container.status == "running" for container in watch.containers("killed")):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        faults.healthy = True
        run = evaluate("mini", "command", tmp_path, "killed", **fields)
        assert _outcomes(run) == [("completed", "")]
        assert _whole_account(run) == (faults.asked, faults.asked - 1)
    assert run.summary.account.total().cost_usd == pytest.approx(3 * 120e-6)
