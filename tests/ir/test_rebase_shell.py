"""The shell tool set: Git itself, in a container."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.errors import Status, ToolError
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import ToolSet
from tests.support.rebases import RebaseCase, begin, call, left_commits, make_chain, play, score

pytestmark = pytest.mark.docker

LINES = b"".join(b"line %d\n" % number for number in range(9))


@pytest.fixture(params=["base", "root"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> RebaseCase:
    """Commit 2 corrects commit 0."""
    first, second = LINES.replace(b"line 4", b"line four"), LINES.replace(b"line 4", b"line 4!")
    return make_chain(
        tmp_path / "r.git",
        {b"a.py": LINES} if request.param == "base" else None,
        ({b"a.py": first}, b"It's the first\n\n# 'quoted'\n"),
        ({b"a.py": first, b"b.py": b"b\n"}, b"Add b\n"),
        ({b"a.py": second, b"b.py": b"b\n"}, b"Oops\n"),
    )


@pytest.mark.parametrize("agent", ["oracle", "squash-all", "autosquash"])
def test_reference_agents_work_through_the_shell(
    case: RebaseCase, docker_provider: SandboxProvider, agent: str
) -> None:
    verdict, trajectory, commits = play(case, docker_provider, agent, ToolSet.SHELL)
    assert trajectory.status is Status.COMPLETED
    assert all(verdict.gates.values()), verdict.gates
    assert [commit.message for commit in commits] == {
        "oracle": [
            b"It's the first\n\n# 'quoted'\n",
            b"Add b\n",
            b"Oops\n\nThis completes a series of changes.\n",
        ],
        "squash-all": [b"It's the first\n\n# 'quoted'\n\nAdd b\n\nOops\n"],
        "autosquash": [b"It's the first\n\n# 'quoted'\n", b"Add b\n"],
    }[agent]


def test_the_prompt_says_what_to_rewrite(case: RebaseCase, docker_provider: SandboxProvider) -> None:
    with begin(case, docker_provider, ToolSet.SHELL) as (episode, _):
        system = episode.prompt[0]["content"]
        command = "git rebase -i --root" if case.base is None else "git rebase -i HEAD~3"
        assert command in system
        assert "exit code 0" in call(episode, "run_command", command=f"GIT_SEQUENCE_EDITOR=: {command}", timeout_s=60)
        assert not episode.finished
        assert "finish" in episode.reminder


def test_a_rebase_under_way_is_seen(case: RebaseCase, docker_provider: SandboxProvider) -> None:
    with begin(case, docker_provider, ToolSet.SHELL) as (episode, _):
        onto = "--root" if case.base is None else "HEAD~3"
        stop = f"GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -i {onto}"
        call(episode, "run_command", command=stop, timeout_s=60)
        with pytest.raises(ToolError, match=r"^not finished: a rebase is under way"):
            call(episode, "finish", message="done")
        call(episode, "finish", message="done")
        outcome = episode.outcome()
    assert outcome.state["rebase_in_progress"]
    gates = score(case, outcome).gates
    assert gates["finished"]
    assert not gates["nothing_uncommitted"]


def test_what_was_not_committed_is_seen_and_what_was_counts(case: RebaseCase, docker_provider: SandboxProvider) -> None:
    with begin(case, docker_provider, ToolSet.SHELL) as (episode, _):
        call(episode, "run_command", command="git commit -q --amend -m 'Correct it'; echo x > left", timeout_s=60)
        with pytest.raises(ToolError, match=r"^not finished: left is not committed"):
            call(episode, "finish", message="done")
        call(episode, "finish", message="done")
        outcome = episode.outcome()
    assert left_commits(case, outcome)[-1].message == b"Correct it\n"
    assert [gate for gate, met in score(case, outcome).gates.items() if not met] == ["nothing_uncommitted"]
