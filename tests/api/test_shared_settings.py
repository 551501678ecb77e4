"""Episodes of one sample share its set-up; what an agent does in one is never seen in another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench import Bench, Outcome, Session, SessionError, Task
from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.process import Git
from gitgoodbench.scenario import load_scenarios
from gitgoodbench.workspace import layout, room
from gitgoodbench.workspace.leaks import leaked_objects
from tests.support.leftovers import leftovers

AGENTS = {
    "mcr": ("tool-oracle", "union"),
    "pick": ("token-merge",),
    "ir": ("squash-all",),
    "icc": ("per-hunk", "one-commit"),
}


@pytest.fixture(params=["local", pytest.param("docker", marks=pytest.mark.docker)])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    if request.param == "docker":
        request.getfixturevalue("docker_provider")
    with Bench("mini", tools="extended", sandbox=request.param, offline=True) as bench:
        yield bench


def some_tasks(bench: Bench, count: int = 3) -> list[Task]:
    """Of each scenario."""
    return [task for name in AGENTS for task in [each for each in bench.tasks if each.scenario == name][:count]]


def play(session: Session, task: Task, agent: str) -> Outcome:
    policy = load_scenarios()[task.scenario].reference_agents()[agent]
    policy(session._episode, lambda name, **arguments: session.call(name, arguments).text)
    return session.finish()


def played(bench: Bench, session: Session, task: Task, agent: str) -> dict[str, Any]:
    facts = session.facts
    before = session.reminder
    outcome = play(session, task, agent)
    return {
        "prompt": session.prompt, "tools": session.tools, "messages": session.messages, "facts": facts,
        "reminder": before, "outcome": outcome.to_json(), "scored": bench.score(task, outcome).to_dict(),
    }  # fmt: skip


def without_sharing(task: Task, agent: str, monkeypatch: pytest.MonkeyPatch, nowhere: Path) -> dict[str, Any]:
    """In a bench of its own, without a cache of packs and without layouts."""
    with monkeypatch.context() as patched:
        patched.setattr(room, "cache_home", lambda: nowhere)
        with Bench("mini", tools="extended", sandbox="local", offline=True) as alone, alone.open(task) as session:
            return played(alone, session, task, agent)


def test_shared_reset_and_lone_episodes_are_equal_in_every_field(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    for task in some_tasks(bench):
        for agent in AGENTS[task.scenario]:
            alone = without_sharing(task, agent, monkeypatch, tmp_path / "file")
            with bench.open(task) as session:
                assert played(bench, session, task, agent) == alone
                for _ in range(2):
                    bench.reset(session, task)
                    assert played(bench, session, task, agent) == alone
            with bench.open(task) as session:
                assert played(bench, session, task, agent) == alone


def test_a_reset_leaves_nothing_of_another_sample_and_holds_no_answer(bench: Bench) -> None:
    tasks = some_tasks(bench, 2)
    objects: dict[str, set[str]] = {}
    with bench.open(tasks[-1]) as session:
        for task in [*tasks, *tasks]:
            bench.reset(session, task)
            episode: Any = session._episode
            there = held(episode.git)
            assert objects.setdefault(task.id, there) == there
            assert leaked(task, episode) == []
            assert session.sandbox.exec(["test", "-e", "planted"]).returncode == 1
            session.sandbox.put("planted", b"x")
            planted = episode.git.line("hash-object", "-w", "--stdin", stdin=b"planted")
            assert planted in held(episode.git)


def held(git: Git) -> set[str]:
    return set(git.run("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").decode().split())


def leaked(task: Task, episode: Any) -> list[str]:
    """Objects of the real commits that what the agent may know does not reach."""
    reference = episode.reference
    if task.scenario in ("mcr", "pick"):
        derived = [episode.facts["automatic_tree"]]
        return leaked_objects(episode.git, reference.mirror, [reference.commit], episode.task.begun_with, derived)
    if task.scenario == "ir":  # the chain itself is known, and what came after it is the answer to nothing
        newest = reference.commits[-1].oid
        later = reference.mirror.run("rev-list", "--all", "--not", newest).decode().split()
        return leaked_objects(episode.git, reference.mirror, later, [newest]) if later else []
    newest = reference.chain.newest
    final = reference.mirror.run("ls-tree", "-r", "--format=%(objectname)", newest).decode().split()
    found = leaked_objects(episode.git, reference.mirror, reference.chain.commits, [episode.base])
    return sorted(set(found) - set(final))


def test_a_reset_runs_no_command_and_keeps_the_sandbox(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for task in some_tasks(bench, 1):
        with bench.open(task) as session:
            play(session, task, AGENTS[task.scenario][0])
            sandbox: Any = session.sandbox
            with monkeypatch.context() as patched:
                patched.setattr(sandbox, "exec", lambda *_, **__: pytest.fail("a command"))
                bench.reset(session, task)
            assert session.sandbox is sandbox
            assert not session.finished


def test_a_sandbox_that_cannot_be_emptied_is_replaced(bench: Bench) -> None:
    task = bench.tasks[0]
    with bench.open(task) as session:
        before = session.sandbox
        session.sandbox.put("/".join(["d"] * 300), b"")
        bench.reset(session, task)
        assert session.sandbox is not before
        assert session.sandbox.exec(["test", "-e", "d"]).returncode == 1


def test_a_sample_that_cannot_be_set_up_ends_the_session(bench: Bench) -> None:
    chain = next(task for task in bench.tasks if task.scenario == "ir")
    with bench.open(chain) as session:
        with pytest.raises(SetupFailed, match="is no merge"):
            bench.reset(session, Task("mcr/none", chain.sample, "mcr"))
        with pytest.raises(SessionError, match="is closed"):
            session.call("view_rebase_todo", {})


def test_a_session_whose_sandbox_died_gets_another_one(bench: Bench) -> None:
    with bench.open(bench.tasks[1]):
        pass  # what all sandboxes share is started now
    before = leftovers()
    with bench.open(bench.tasks[0]) as session:
        session.sandbox._channel.close()  # type: ignore[attr-defined]
        bench.reset(session, bench.tasks[0])
        assert session.sandbox.exec(["true"]).returncode == 0
    bench.close()
    assert leftovers() - before == set()


def test_a_closed_session_is_not_reset(bench: Bench) -> None:
    session = bench.open(bench.tasks[0])
    session.close()
    with pytest.raises(SessionError, match="is closed"):
        bench.reset(session, bench.tasks[0])


def test_a_pack_that_the_cache_has_let_go_of_is_made_anew(bench: Bench, tmp_path: Path) -> None:
    task = bench.tasks[0]
    with bench.open(task) as session:
        kept = bench._settings._kept[task.scenario, task.sample.id]
        assert kept.layout is not None
        gone = dict.fromkeys(kept.layout.shared, tmp_path / "gone")
        kept.layout = layout.Layout(kept.layout.files, gone)
        there = held(session._episode.git)  # type: ignore[union-attr]
    with bench.open(task) as session:
        assert held(session._episode.git) == there  # type: ignore[union-attr]
        assert kept.layout is None
    with bench.open(task):
        assert kept.layout is not None


def test_what_is_as_the_index_has_it_stays_out_of_a_layout(bench: Bench) -> None:
    task = next(task for task in bench.tasks if task.scenario == "icc")
    with bench.open(task) as session:
        tracked = set(_files(session))
    with bench.open(task) as session:
        present = set(_files(session))
        uncommitted: Any = session.finish().state["uncommitted"]
    assert present < tracked
    assert present == set(uncommitted)


def _files(session: Session) -> list[str]:
    listed = session.sandbox.exec(["find", ".", "-type", "f", "-not", "-path", "./.git/*", "-printf", "%P\\n"])
    return listed.stdout.decode().splitlines()
