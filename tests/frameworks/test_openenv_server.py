"""OpenEnv 0.10 over a real server, by its own client: the figures of `gitgoodbench eval` on the same answers.

In an environment of its own (make test-frameworks).
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest

from gitgoodbench.frameworks.components import Components, metrics_of
from tests.frameworks.conftest import Asking
from tests.support.leftovers import leftovers
from tests.support.scripted_answers import Answers, figures

pytestmark = [pytest.mark.frameworks, pytest.mark.timeout(600)]
pytest.importorskip("openenv", reason="another framework's environment")

from gitgoodbench.frameworks.openenv import GitAction, GitGoodBenchEnv, GitObservation  # noqa: E402

ANSWER = GitAction(tool="resolve_current_merge_conflict_with", arguments={"content": "mine\n"})


@contextmanager
def serving(port: int, *options: str) -> Iterator[str]:
    """`gitgoodbench serve`, once it answers and until the block ends; then nothing of it is left."""
    command = [sys.executable, "-m", "gitgoodbench", "serve", "--openenv", "mini", "--port", str(port), *options]
    process = subprocess.Popen([*command, "--sandbox", "local", "--offline"], env=os.environ)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{url}/health", process)
        yield url
        opened = leftovers(process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)
    assert opened, "its helpers"
    assert [path for path in opened | leftovers(process.pid) if Path(path).exists()] == []


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "the server has ended"
        try:
            urllib.request.urlopen(url, timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    pytest.fail("the server does not answer")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(18731, "--max-open", "16") as url:
        yield url


def play(url: str, task: str, answers: Answers) -> GitObservation:
    """The last observation of a task."""
    with GitGoodBenchEnv(url).sync() as env:
        opened: GitObservation = env.reset(task=task).observation
        assert opened.prompt[1]["content"] == answers.prompts[task]
        last = opened
        for name, arguments in answers.calls[task]:
            last = env.step(GitAction(tool=name, arguments=arguments)).observation
        if not last.done:
            last = env.step(GitAction()).observation
        assert env.state().reward == last.reward
    return last


@pytest.mark.parametrize("scenario", ["mcr", "ir", "icc"])
def test_its_figures_are_those_of_eval(scenario: str, url: str, asked: Asking) -> None:
    for task, scored in figures(asked(scenario).run).items():
        last = play(url, task, asked(scenario).answers)
        assert (last.done, last.reward) == (True, scored.reward)
        assert last.metadata["status"] == scored.status.value
        assert last.metadata["metrics"] == pytest.approx(metrics_of(scored))
        assert {part: last.metadata[part] for part in ("exact", "graded")} == asdict(Components.of(scored))


def test_many_sessions_at_once_know_nothing_of_each_other(url: str) -> None:
    async def rollout(number: int) -> tuple[str, float | None]:
        async with GitGoodBenchEnv(url, message_timeout_s=120) as env:
            opened = await env.reset(seed=number % 2, scenario="mcr")
            result = await env.step(ANSWER)
            return opened.observation.task, result.reward

    async def all_at_once() -> list[tuple[str, float | None]]:
        return await asyncio.gather(*(rollout(number) for number in range(12)))

    played = asyncio.run(all_at_once())
    assert len(set(played)) == 2
    assert played[::2] == [played[0]] * 6


def test_what_is_wrong_is_told_and_the_session_goes_on(url: str) -> None:
    with GitGoodBenchEnv(url).sync() as env:
        with pytest.raises(RuntimeError, match="no episode is under way"):
            env.step(ANSWER)
        with pytest.raises(RuntimeError, match=re.escape("there is no task 'mcr/none'")):
            env.reset(task="mcr/none")
        with pytest.raises(RuntimeError, match="reset knows no sample"):
            env.reset(sample="x")
        env.reset(scenario="mcr", seed=0)
        refused = env.step(GitAction(tool="no_such_tool")).observation
        assert (refused.is_error, refused.done) == (True, False)
        assert env.step(ANSWER).done
