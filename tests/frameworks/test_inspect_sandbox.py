"""Our sandbox as a sandbox of Inspect AI: its own tools and agents work in the episode.

In an environment of its own (make test-frameworks).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.sandbox.docker import DockerProvider
from tests.frameworks.conftest import Asking
from tests.support.inspect_runs import expected_of
from tests.support.scripted_answers import Answers, figures, run_of_eval

pytestmark = [pytest.mark.frameworks, pytest.mark.docker, pytest.mark.timeout(900)]
pytest.importorskip("inspect_ai", reason="another framework's environment")

from inspect_ai import eval as inspect_eval  # noqa: E402
from inspect_ai import task_with  # noqa: E402
from inspect_ai.agent import react  # noqa: E402
from inspect_ai.model import get_model  # noqa: E402
from inspect_ai.solver import Generate, Solver, TaskState, solver  # noqa: E402
from inspect_ai.tool import bash  # noqa: E402
from inspect_ai.util import SandboxUserUnsupportedError, sandbox  # noqa: E402

from gitgoodbench.frameworks import inspect_tasks  # noqa: E402

SIDES = ("ours", "theirs")


def samples(folder: Path, agent: Solver, limit: int, server_url: str) -> list[Any]:
    """The samples of a run of Inspect's on merges, with a shell in Docker."""
    task = vars(inspect_tasks)["mcr"](tools="shell", sandbox="docker", offline=True)
    model = get_model("openai-api/scripted/scripted", base_url=server_url, api_key="none")
    (log,) = inspect_eval(
        task_with(task, solver=agent), model=model, limit=limit, log_dir=str(folder / "logs"), display="none"
    )
    assert log.status == "success", log.error
    assert log.samples is not None
    return list(log.samples)


def answering(prompts: Mapping[str, str], tool: str, argument: str, last: tuple[str, dict[str, str]]) -> Answers:
    """A model that takes one side of each merge by a command, and says that it is done."""
    commands = {
        task: f"git checkout --{SIDES[number % 2]} -- . ; git add -A && git commit --quiet --no-edit"
        for number, task in enumerate(sorted(prompts))
    }
    return Answers({task: [(tool, {argument: command}), last] for task, command in commands.items()}, prompts)


def test_an_agent_of_inspects_with_its_own_shell_tool_has_the_figures_of_ours(
    docker_provider: DockerProvider, asked: Asking, tmp_path: Path
) -> None:
    assert docker_provider.isolated
    prompts = asked("mcr", tools="shell", sandbox="docker").answers.prompts
    ours = answering(prompts, "run_command", "command", ("finish", {}))
    expected = figures(run_of_eval(ours, "mcr", tmp_path, tools="shell", sandbox="docker"))
    with answering(prompts, "bash", "command", ("submit", {"answer": "done"})).served() as server:
        found = samples(tmp_path, react(prompt=None, tools=[bash()]), len(prompts), server.url)
    for sample in found:
        score = sample.scores["git_outcome"]
        assert score.value == pytest.approx(expected_of(expected[sample.metadata["task"]]), nan_ok=True)
        assert score.value["gate_committed"] == 1.0


@solver
def uses_the_sandbox() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        box = sandbox()
        await box.write_file("made/here.txt", "text\r\n")
        await box.write_file("/tmp/made.bin", b"\x00\xff")
        assert await box.read_file("made/here.txt") == "text\r\n"
        assert await box.read_file("/tmp/made.bin", text=False) == b"\x00\xff"
        ran = await box.exec(["cat", "-", "here.txt"], input="first\n", cwd="made", env={"A": "b"})
        assert (ran.success, ran.stdout) == (True, "first\ntext\r\n")
        failed = await box.exec(["git", "rev-parse", "--verify", "nothing"])
        assert (failed.success, failed.returncode) == (False, 128)
        with pytest.raises(FileNotFoundError):
            await box.read_file("absent.txt")
        with pytest.raises(IsADirectoryError):
            await box.read_file("made")
        with pytest.raises(IsADirectoryError):
            await box.write_file("made", "text")
        with pytest.raises(PermissionError):
            await box.write_file("/proc/no/such", "text")
        with pytest.raises(UnicodeDecodeError):
            await box.read_file("/tmp/made.bin")
        with pytest.raises(SandboxUserUnsupportedError):
            await box.exec(["id"], user="root")
        with pytest.raises(TimeoutError):
            await box.exec(["sleep", "60"], timeout=1)
        state.store.set("done", True)
        return state

    return solve


def test_files_and_commands_are_those_of_the_episode(docker_provider: DockerProvider, tmp_path: Path) -> None:
    assert docker_provider.isolated
    (sample,) = samples(tmp_path, uses_the_sandbox(), 1, "http://127.0.0.1:9/v1")
    assert sample.error is None
    assert sample.store["done"] is True
    assert sample.scores["git_outcome"].value["gate_committed"] == 0.0
