"""The real command, killed and interrupted: nothing that finished is lost, nothing of it is done again."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitgoodbench.runs.events import read_events
from gitgoodbench.runs.result import read_result
from gitgoodbench.sandbox.daemon import connect_to_docker
from gitgoodbench.sandbox.docker import DockerProvider
from tests.support.scripted_llm import ScriptedServer, fault

SAMPLES = 20
KILLS = 10


class Command:
    """`gitgoodbench` in a process of its own, with a cache and temporary files of its own."""

    def __init__(self, folder: Path) -> None:
        self.id = f"r{os.getpid()}"
        self.run = folder / "results" / self.id
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITGOODBENCH_", "OPENAI_"))}
        cache = os.environ.get("GITGOODBENCH_CACHE", str(folder / "cache"))
        self.environment = {**kept, "TMPDIR": str(self.temporary), "GITGOODBENCH_CACHE": cache}
        self._folder = folder

    def eval(self, *flags: str, samples: int = 6, sandbox: str = "local") -> list[str]:
        chosen = ["mini", "--scenario", "mcr", "--limit", str(samples), "--sandbox", sandbox, "--jobs", "2"]
        return ["eval", *chosen, "--run-id", self.id, *flags]

    @contextmanager
    def start(self, arguments: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
        argv = [sys.executable, "-m", "gitgoodbench", *arguments]
        with subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=self._folder, env=self.environment, text=True, start_new_session=True,
        ) as process:  # fmt: skip
            try:
                yield process
            finally:
                process.kill()

    def sessions(self) -> int:
        """How many times work on the run has begun."""
        log = self.run / "run.log"
        return sum(event["event"] == "session_started" for event in read_events(log)) if log.exists() else 0

    def finished(self) -> dict[Path, tuple[int, int, bytes]]:
        """Every result there is, with what changes when a file is written again."""
        paths = sorted(self.run.glob("samples/*/*/*/result.json"))
        return {path: (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


def wait_for(condition: object, seconds: float = 60) -> None:
    """Wait until `condition()` holds."""
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


def test_a_run_killed_at_ten_random_moments_loses_nothing_and_repeats_nothing(command: Command) -> None:
    moments = random.Random(42)
    arguments = command.eval("--agent", "oracle", samples=SAMPLES)
    seen: dict[Path, tuple[int, int, bytes]] = {}
    for _ in range(KILLS):
        sessions, more = command.sessions(), len(seen) + moments.choice((0, 1))
        with command.start(arguments) as process:
            while command.sessions() == sessions or len(command.finished()) < more:
                assert process.poll() is None, process.communicate()
                time.sleep(0.01)
            time.sleep(moments.uniform(0, 0.5))
            process.kill()
        now = command.finished()
        assert {path: now[path] for path in seen} == seen
        assert all(read_result(path) is not None for path in now)
        seen = now
        arguments = ["resume", str(command.run)]
    assert 0 < len(seen) < SAMPLES
    with command.start(arguments) as process:
        out, err = process.communicate()
    assert process.returncode == 0, err
    now = command.finished()
    assert {path: now[path] for path in seen} == seen
    assert len(now) == SAMPLES
    results = [json.loads(content) for _, _, content in now.values()]
    assert [(result["sample_id"], result["error"]) for result in results if result["solved"] is not True] == []
    assert f"oracle {SAMPLES} {SAMPLES}/{SAMPLES} 100.0 %" in " ".join(out.split())
    check_that_nothing_finished_was_started_again(command)


def check_that_nothing_finished_was_started_again(command: Command) -> None:
    done: set[str] = set()
    kept = []
    for event in read_events(command.run / "run.log"):
        if event["event"] == "session_started":
            kept.append(event["kept"])
        elif event["event"] == "episode_started":
            assert event["episode"] not in done
        elif event["event"] == "episode_finished":
            done.add(event["episode"])
    assert kept == sorted(kept)
    assert kept[0] == 0
    assert len(kept) == KILLS + 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_cleanly_and_says_how_to_resume(command: Command, number: signal.Signals) -> None:
    with command.start(command.eval("--agent", "oracle")) as process:
        wait_for(lambda: len(command.finished()) >= 2)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"resume with: {sys.executable} -m gitgoodbench resume results/{command.id}" in err
    assert "Traceback" not in err
    assert "episodes have not been run yet" in out
    seen = command.finished()
    assert 2 <= len(seen) < 6
    assert all(read_result(path) is not None for path in seen)
    assert list(command.temporary.iterdir()) == []
    with command.start(["resume", f"results/{command.id}"]) as process:
        process.communicate()
    assert process.returncode == 0
    assert len(command.finished()) == 6
    assert {path: command.finished()[path] for path in seen} == seen


@pytest.mark.docker
def test_an_interrupted_run_leaves_no_container(command: Command, docker_provider: DockerProvider) -> None:
    with command.start(
        command.eval("--agent", "oracle", "--image", docker_provider.image, sandbox="docker")
    ) as process:
        wait_for(lambda: len(command.finished()) >= 1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    with contextlib.closing(connect_to_docker()) as client:
        assert client.containers.list(all=True, filters={"label": f"gitgoodbench.run={command.id}"}) == []
    assert all(read_result(path) is not None for path in command.finished())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_is_answered_while_the_model_is(command: Command, number: signal.Signals) -> None:
    """The server never answers, so only a process that does not wait for it ends at all."""
    with ScriptedServer(lambda _: fault.hang()) as server:
        command.environment["OPENAI_BASE_URL"] = server.url
        agents = ("--agent", "noop", "--agent", "openai", "--agent", "oracle")
        with command.start(command.eval(*agents, "--model", "m", samples=2)) as process:
            wait_for(lambda: len(server.requests) > 1)
            process.send_signal(number)
            out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    noop, openai, oracle = (f"results/{command.id}-{agent}" for agent in ("noop", "openai", "oracle"))
    assert f"results: {noop}\nresults: {openai}\nstopped early: interrupted; 2 episodes are left\n" in err
    assert f"results: {oracle}\nstopped early, too; 1 episodes are left\n" in err
    assert err.endswith(f"gitgoodbench resume {openai} {oracle}\n")
    assert "openai (m): 2 of 2 episodes have not been run yet" in out
    assert "oracle: 1 of 2 episodes have not been run yet" in out
    for folder in (noop, openai, oracle):
        assert (command.run.parent.parent / folder / "summary.json").exists()
    assert list(command.temporary.iterdir()) == []


BUSY = """
import sys, threading
from gitgoodbench.runs.stop import Stop, stopping_on_signals
class Stuck:
    def close(self):
        print("closing", flush=True)
        threading.Event().wait()
stop = Stop()
stop.opened(Stuck)
with stopping_on_signals([stop], lambda: None, "the last words"):
    print("ready", flush=True)
    threading.Event().wait()
"""


def test_a_second_interruption_ends_the_process_while_a_sandbox_cannot_be_closed() -> None:
    argv = [sys.executable, "-c", BUSY]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "closing\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert err == "\nthe last words\n"


def test_two_processes_do_not_work_on_one_run(command: Command) -> None:
    with command.start(command.eval("--agent", "oracle")) as first:
        wait_for(lambda: command.sessions() == 1)
        with command.start(["resume", f"results/{command.id}"]) as second:
            _, err = second.communicate()
        assert second.returncode == 2
        assert err.count("\n") == 1
        assert f"is being worked on by process {first.pid} on " in err
