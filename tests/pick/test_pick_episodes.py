"""A pick as an agent meets it: its tools, its gates, its scores, and what its workspace does not hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.agents.calls import call_tool
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.process import Git
from gitgoodbench.sample_types.specs import CherryPickSpec
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, Outcome, ToolSet
from gitgoodbench.workspace.leaks import leaked_objects
from gitgoodbench.workspace.store import open_store
from tests.support.picks import PICK, PickCase, begin, make_pick, play, score
from tests.support.repositories import RepositoryBuilder

BEFORE = {b"a.py": b"a = 1\nb = 2\nc = 3\n", b"z.py": b"z = 0\n"}
AFTER = {b"a.py": b"a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n", b"z.py": b"z = 0\n"}
LOCAL = {b"a.py": b"a = 1\nb = 2\nc = 33\n", b"z.py": b"z = 0\n"}
TRUTH = {b"a.py": b"a = 1\nb = 2\nc = 33\nd = 4\ne = 5\n", b"z.py": b"z = 0\n"}
TOOLS = (ToolSet.PUBLISHED, ToolSet.EXTENDED, ToolSet.SHELL)
EVERY = (*TOOLS, ToolSet.OWN)


@pytest.fixture
def case(tmp_path: Path) -> PickCase:
    return make_pick(tmp_path / "r.git", BEFORE, AFTER, LOCAL, TRUTH)


def say(episode: Any, tool: str, **arguments: Any) -> str:
    return str(call_tool(episode.tools, tool, arguments).text)


def shell(episode: Any, command: str) -> str:
    return say(episode, "run_command", command=command, timeout_s=60)


def met(case: PickCase, outcome: Outcome) -> list[str]:
    return [name for name, is_met in score(case, outcome).gates.items() if is_met]


def test_the_last_answer_commits_one_commit_with_the_message_of_the_source(
    case: PickCase, local_provider: SandboxProvider
) -> None:
    with begin(case, local_provider) as (episode, _):
        prompt = "\n".join(str(message["content"]) for message in episode.prompt)
        assert "Fix it\n\nAt last.\n" in prompt
        assert f">>>>>>> {case.picked[:7]} (Fix it)" in prompt
        assert case.result not in prompt
        assert case.onto not in prompt
        said = say(episode, "resolve_current_merge_conflict_with", content="c = 33\nd = 4\ne = 5\n", reason="both")
        assert said == "All conflicts are resolved and the pick is committed. Nothing is left to do."
        assert episode.finished
        outcome = episode.outcome()
        assert episode.git.line("log", "-1", "--format=%P") == case.onto
        assert episode.git.run("log", "-1", "--format=%B") == b"Fix it\n\nAt last.\n\n"
        assert episode.git.execute("rev-parse", "--verify", "CHERRY_PICK_HEAD").returncode != 0
    assert outcome.state == {"uncommitted": [], "unmerged": [], "merge_in_progress": False}
    verdict = score(case, outcome)
    assert verdict.solved
    assert all(verdict.gates.values())
    assert {verdict.scores[name] for name in ("exact_match", "port_similarity", "port_lines", "port_ted")} == {1.0}


def test_the_source_is_shown(case: PickCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider) as (episode, _):
        shown = say(episode, "view_picked_commit", reason="look")
        assert shown.startswith(f"commit {case.picked}\n\nFix it\n\nAt last.\n\ndiff --git a/a.py b/a.py\n")
        assert "\n+d = 4\n+e = 5\n" in shown
        path = {"relative_path_from_project_root": "a.py"}
        assert say(episode, "view_file_at_source", **path) == AFTER[b"a.py"].decode()
        assert say(episode, "view_file_at_source", version="before", **path) == BEFORE[b"a.py"].decode()
        path = {"relative_path_from_project_root": "no.py"}
        assert "after the commit there is no file no.py" in say(episode, "view_file_at_source", **path)
        assert say(episode, "view_diff_for", relative_path_from_project_root="a.py").count("\n-c = 33\n") == 1


def test_a_revert_shows_the_state_before_the_commit_as_incoming(
    tmp_path: Path, local_provider: SandboxProvider
) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    root = builder.commit(BEFORE)
    picked = builder.commit(AFTER, [root], b"Add\n")
    onto = builder.commit({**AFTER, b"a.py": b"a = 1\nb = 2\nc = 3\nd = 44\ne = 5\n"}, [picked])
    result = builder.commit(BEFORE, [onto])
    case = PickCase(builder, "revert", picked, onto, result)
    with begin(case, local_provider) as (episode, _):
        assert f">>>>>>> parent of {picked[:7]} (Add)" in str(episode.prompt[1]["content"])
        said = say(episode, "resolve_current_merge_conflict_with", content="", reason="gone")
        assert said == "All conflicts are resolved and the revert is committed. Nothing is left to do."
        assert episode.git.line("log", "-1", "--format=%s") == 'Revert "Add"'
        assert score(case, episode.outcome()).solved


@pytest.mark.parametrize("tools", TOOLS)
@pytest.mark.parametrize("agent", ["ours", "theirs", "union", "patch-fuzz", "token-merge", "tool-oracle"])
def test_reference_agents_leave_one_commit_and_nothing_undone(
    case: PickCase, local_provider: SandboxProvider, agent: str, tools: ToolSet
) -> None:
    if tools is ToolSet.EXTENDED and agent not in ("ours", "tool-oracle"):
        pytest.skip("as with the published tools")
    verdict, episode = play(case, local_provider, agent, tools)
    assert all(verdict.gates.values())
    assert verdict.solved is (agent in ("patch-fuzz", "tool-oracle", "token-merge"))
    assert (episode.facts["attainable"], episode.facts["core"]) == (True, False)


def test_gates_say_what_is_missing(case: PickCase, local_provider: SandboxProvider) -> None:
    fix = "printf 'a = 1\\nb = 2\\nc = 33\\nd = 4\\ne = 5\\n' > a.py && git add a.py"
    rest = ["one_commit", "nothing_in_progress", "clean", "nothing_unmerged", "no_leftover_markers"]
    for commands, missing in (
        (["git add -A && git commit -qm x"], {"no_leftover_markers"}),
        ([fix, "git commit -qm one", "git commit -q --allow-empty -m two"], {"one_commit", "no_leftover_markers"}),
        ([fix, "git commit -qm x", "touch new"], {"clean"}),
        ([fix, "git commit -qm x", f"git update-ref CHERRY_PICK_HEAD {case.picked}"], {"nothing_in_progress"}),
        (["git cherry-pick --abort"], {"one_commit", "no_leftover_markers"}),
    ):
        with begin(case, local_provider, ToolSet.SHELL) as (episode, _):
            for command in commands:
                assert shell(episode, command).startswith("exit code 0"), command
            outcome = episode.outcome()
        assert met(case, outcome) == [name for name in rest if name not in missing], commands
        assert score(case, outcome).solved is missing.isdisjoint({"one_commit", "no_leftover_markers"})


def test_an_untouched_pick_has_gained_nothing(case: PickCase, local_provider: SandboxProvider) -> None:
    with begin(case, local_provider, ToolSet.SHELL) as (episode, _):
        shell(episode, "git add -A && git commit -qm x")
        verdict = score(case, episode.outcome())
    assert verdict.scores["port_similarity"] == 0.0
    assert verdict.scores["port_lines"] == pytest.approx(2 / 6)  # three markers and a line too much
    assert verdict.facts["port_untouched"] is not None


def test_a_pick_that_changes_nothing_is_a_commit_all_the_same(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_pick(tmp_path / "r.git", BEFORE, AFTER, LOCAL, LOCAL)
    for agent, tools in (("oracle", ToolSet.PUBLISHED), ("ours", ToolSet.PUBLISHED), ("tool-oracle", ToolSet.SHELL)):
        verdict, _ = play(case, local_provider, agent, tools)
        assert verdict.solved
        assert verdict.scores["port_similarity"] == 1.0
    with begin(case, local_provider, ToolSet.SHELL) as (episode, _):
        assert not score(case, episode.outcome()).solved


def test_a_row_that_says_something_else_than_the_repository_is_refused(
    case: PickCase, local_provider: SandboxProvider
) -> None:
    for changed, says in (
        (PickCase(case.builder, "pick", case.picked, case.picked, case.result), "but its parents are"),
        (PickCase(case.builder, "pick", case.result, case.onto, case.result), "holds the real commit"),
        (PickCase(case.builder, "pick", case.picked, case.onto, case.result, 2), "no mainline 2"),
    ):
        with pytest.raises(SetupFailed, match=says), begin(changed, local_provider):
            pass


CHEAT = """
git rev-list --all --objects --no-object-names; git cat-file --batch-all-objects --batch-check='%(objectname)'
git log --all --oneline; git reflog --all; cat .git/packed-refs .git/FETCH_HEAD .git/ORIG_HEAD; git remote -v
git tag; git for-each-ref; find .git -type f | head -100; env; git fsck --lost-found --unreachable
"""


@pytest.mark.parametrize("tools", EVERY)
def test_the_answer_is_nowhere_in_the_sandbox(case: PickCase, local_provider: SandboxProvider, tools: ToolSet) -> None:
    later = case.builder.commit({b"a.py": b"later\n"}, [case.result])
    case.builder.branch("later", later)
    case.git.run("update-ref", "refs/tags/v1", case.result)
    case.git.run("update-ref", "refs/pull/1/head", case.result)
    with begin(case, local_provider, tools) as (episode, sandbox):
        derived = [str(episode.facts["automatic_tree"])]
        known = [case.onto, case.picked]
        assert leaked_objects(episode.git, case.git, [case.result, later], known, derived) == []
        refs = episode.git.run("for-each-ref", "--format=%(refname) %(objectname)").decode()
        assert refs == f"refs/heads/incoming {case.picked}\nrefs/heads/local {case.onto}\n"
        secret = secrets(case.git, [case.result, later], known)
        assert len(secret) == 6
        said = "".join(str(message["content"]) for message in episode.prompt)
        if tools is ToolSet.SHELL:
            said += shell(episode, CHEAT)
        elif tools is ToolSet.OWN:
            done = sandbox.exec(["sh", "-c", CHEAT], env=episode.git.environment)
            said += (done.stdout + done.stderr).decode()
        else:
            where = {"relative_path_from_project_root": "."}
            said += say(episode, "view_picked_commit") + say(episode, "view_diff_for", **where)
        assert case.picked in said
        assert not any(oid in said for oid in secret)


def secrets(git: Git, answers: list[str], known: list[str]) -> set[str]:
    listing = ("rev-list", "--objects", "--no-object-names", *answers)
    reached = set(git.run("rev-list", "--objects", "--no-object-names", *known).decode().split())
    return set(git.run(*listing).decode().split()) - reached


def test_history_can_be_cut(case: PickCase, local_provider: SandboxProvider) -> None:
    older = case.builder.commit(BEFORE)
    root = case.builder.commit(BEFORE, [older])
    picked = case.builder.commit(AFTER, [root], b"Fix it\n")
    onto = case.builder.commit(LOCAL, [root])
    cut = PickCase(case.builder, "pick", picked, onto, case.builder.commit(TRUTH, [onto]))
    for history, count in ((0, 3), (1, 3), (9, 4)):
        with begin(cut, local_provider, history=history) as (episode, _):
            assert len(episode.git.run("rev-list", "--all").split()) == count
            assert "+d = 4" in say(episode, "view_picked_commit")


def test_no_pick_of_the_built_in_suite_leaks_its_answer(local_provider: SandboxProvider) -> None:
    store = open_store(None, None, offline=True)
    samples = [sample for sample in load_suite("mini").samples if isinstance(sample.spec, CherryPickSpec)]
    assert len(samples) >= 12
    for sample in samples[:: len(samples) // 3]:
        assert isinstance(sample.spec, CherryPickSpec)
        known = [sample.spec.onto, sample.spec.picked_commit]
        mirror = store.mirror(sample.name, known).borrow()
        with local_provider.open(run_id="test", episode_id=sample.id) as sandbox:
            episode: Any = PICK.prepare(sample, store, sandbox, EpisodeOptions())
            derived = [str(episode.facts["automatic_tree"])]
            assert leaked_objects(episode.git, mirror, [sample.spec.result_commit], known, derived) == []
