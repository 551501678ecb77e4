"""What is recorded moves with the change, whatever Git command moved it, with hooks and without: never doubled, never
lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.feedback import pipeline
from gitgoodbench.feedback.records import Commit, Evidence, Key, Link
from gitgoodbench.feedback.repository import Repository, discover
from gitgoodbench.feedback.rewriting import standing_of
from gitgoodbench.feedback.settings import Settings
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import commit_of, commits, links_of, save_links
from tests.feedback.support_repository import Developer, install_quietly

NO_HOOKS = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": ""}
"""As Gemini CLI runs Git."""


class Project:
    """A repository with three commits on a branch, whose edits are recorded: one for each commit."""

    def __init__(self, ada: Developer, folder: Path) -> None:
        self.ada, self.folder = ada, ada.repository(folder)
        self.repository: Repository = install_quietly(self.folder)
        self.settings = Settings(sources=(), installed=1.0)
        self.root = ada.commit(self.folder, {"base": b"base\n"}, "Root")
        self.names: dict[str, str] = {}
        for name in "abc":
            self.names[name] = ada.commit(self.folder, {name: name.encode() * 3 + b"\n"}, f"Add {name}")
        self.run()
        with self.store() as store:
            save_links(store, (self.link(name, commit) for name, commit in self.names.items()))

    def link(self, name: str, commit: str) -> Link:
        return Link(Key("s", "1", name), commit, (Evidence("content", "exact"),))

    def store(self) -> Store:
        return Store(self.repository.common)

    def run(self, *ranges: str) -> pipeline.Run:
        return pipeline.run(self.repository, self.settings, ranges)

    def git(self, *arguments: str, **variables: str) -> str:
        self.ada.clock += 60
        return self.ada.git(self.folder, *arguments, **variables)

    def edits_of(self, revision: str) -> str:
        """The edits that count for a commit, by name."""
        commit = self.git("rev-parse", revision)
        with self.store() as store:
            return "".join(link.key.edit for link in links_of(store, commit))

    def counting(self) -> list[str]:
        """The subjects of the commits that count, oldest first."""
        with self.store() as store:
            shown = [one.id for one in commits(store) if one.moved_to is None and one.copy_of is None]
        return [self.git("show", "--no-patch", "--format=%s", one) for one in shown]

    def all_edits(self) -> dict[str, str]:
        """The commit of every edit, as standing now."""
        with self.store() as store:
            return {link.key.edit: one.id for one in commits(store) for link in links_of(store, one.id)}


@pytest.fixture
def project(ada: Developer, tmp_path: Path) -> Project:
    return Project(ada, tmp_path / "project")


@pytest.fixture(params=[{}, NO_HOOKS], ids=["hooks", "no hooks"])
def hooks(request: pytest.FixtureRequest) -> dict[str, str]:
    """The environment of a Git that calls hooks, and of one that does not."""
    found: dict[str, str] = request.param
    return found


def test_commits_enter_with_what_the_hook_saw(project: Project) -> None:
    with project.store() as store:
        found = list(commits(store))
    assert [one.id for one in found] == [project.root, *project.names.values()]
    last = found[-1]
    assert last == Commit(
        project.names["c"], (project.names["b"],), project.ada.clock, "Ada", "ada@example.invalid",
        patch=last.patch, root=str(project.folder), branch="main",
    )  # fmt: skip
    assert last.patch is not None


def test_amend(project: Project, hooks: dict[str, str]) -> None:
    project.ada.commit(project.folder, {"c": b"ccc\nmore\n"}, "Better", "--amend", **hooks)
    project.run()
    assert project.edits_of("HEAD") == "c"
    assert project.counting() == ["Root", "Add a", "Add b", "Better"]
    assert project.run().commits == 0
    assert project.all_edits().keys() == set("abc")


def test_amended_twice_before_anything_ran(project: Project, hooks: dict[str, str]) -> None:
    project.git("commit", "--quiet", "--amend", "--message", "One", **hooks)
    project.git("commit", "--quiet", "--amend", "--message", "Two", **hooks)
    project.git("commit", "--quiet", "--amend", "--message", "Three", **hooks)
    project.run()
    assert project.edits_of("HEAD") == "c"
    assert project.counting()[-1] == "Three"
    assert len(project.counting()) == 4


def rebase(project: Project, plan: str, hooks: dict[str, str], *options: str) -> None:
    """`git rebase --interactive` with a plan such as `pick b, fixup c`."""
    lines = "".join(f"{step.split()[0]} {project.names[step.split()[1]]}\\n" for step in plan.split(", "))
    editor = f"printf '{lines}' >"
    project.git("rebase", "--quiet", "--interactive", *options, project.root,
                GIT_SEQUENCE_EDITOR=editor, GIT_EDITOR="sed -i 1s/Add/Put/", **hooks)  # fmt: skip


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("reword a, pick b, pick c", {"HEAD~2": "a", "HEAD~1": "b", "HEAD": "c"}),
        ("pick c, pick a, pick b", {"HEAD~2": "c", "HEAD~1": "a", "HEAD": "b"}),
        ("pick b, pick a", {"HEAD~1": "b", "HEAD": "a"}),
    ],
)
def test_interactive_rebase(project: Project, hooks: dict[str, str], plan: str, expected: dict[str, str]) -> None:
    rebase(project, plan, hooks)
    project.run()
    assert {name: project.edits_of(name) for name in expected} == expected
    assert project.all_edits().keys() == set("abc")
    project.run()
    assert {name: project.edits_of(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("pick a, squash b, pick c", {"HEAD~1": "ab", "HEAD": "c"}),
        ("pick a, fixup b, fixup c", {"HEAD": "abc"}),
        ("pick c, fixup a, pick b", {"HEAD~1": "ac", "HEAD": "b"}),
    ],
)
def test_squash_and_fixup_fold(project: Project, plan: str, expected: dict[str, str]) -> None:
    rebase(project, plan, {})
    project.run()
    assert {name: project.edits_of(name) for name in expected} == expected
    assert len(project.counting()) == 1 + len(expected)


def test_a_squash_without_hooks_keeps_every_edit(project: Project) -> None:
    """Which commits went into the squashed one is not known then; their edits stay until they are found by content."""
    rebase(project, "pick a, fixup b, pick c", NO_HOOKS)
    project.run()
    assert project.edits_of("HEAD~1") == "a"
    assert project.edits_of("HEAD") == "c"
    assert project.all_edits()["b"] == project.names["b"]


def test_autosquash(project: Project) -> None:
    fixup = project.ada.commit(project.folder, {"a": b"aaa\nfixed\n"}, "fixup! Add a")
    project.run()
    with project.store() as store:
        save_links(store, [project.link("f", fixup)])
    project.git("rebase", "--quiet", "--interactive", "--autosquash", project.root, GIT_SEQUENCE_EDITOR=":")
    project.run()
    assert [project.edits_of(name) for name in ("HEAD~2", "HEAD~1", "HEAD")] == ["af", "b", "c"]


def test_rebase_onto_another_branch(project: Project, hooks: dict[str, str]) -> None:
    project.git("checkout", "--quiet", "-b", "other", project.root)
    project.ada.commit(project.folder, {"other": b"o\n"}, "Other")
    project.git("rebase", "--quiet", "other", "main", **hooks)
    project.run()
    assert [project.edits_of(name) for name in ("main~2", "main~1", "main")] == ["a", "b", "c"]
    assert sorted(project.counting()) == ["Add a", "Add b", "Add c", "Other", "Root"]


@pytest.mark.parametrize("options", [(), ("-x",)])
def test_a_cherry_pick_counts_for_nothing(project: Project, hooks: dict[str, str], options: tuple[str, ...]) -> None:
    project.git("checkout", "--quiet", "-b", "other", project.root)
    project.git("cherry-pick", *options, f"{project.names['a']}..{project.names['c']}", **hooks)
    project.run()
    assert (project.edits_of("main~1"), project.edits_of("main")) == ("b", "c")
    assert (project.edits_of("other~1"), project.edits_of("other")) == ("", "")
    assert project.counting() == ["Root", "Add a", "Add b", "Add c"]


def test_a_cherry_pick_without_commit_is_known_by_its_patch(project: Project) -> None:
    project.git("checkout", "--quiet", "-b", "other", project.root)
    project.git("cherry-pick", "--no-commit", project.names["b"])
    project.git("commit", "--quiet", "--message", "Mine now")
    project.run()
    with project.store() as store:
        found = commit_of(store, project.git("rev-parse", "HEAD"))
    assert found is not None
    assert found.copy_of == project.names["b"]


def test_a_cherry_pick_takes_the_place_of_an_original_that_is_gone(project: Project) -> None:
    project.git("checkout", "--quiet", "-b", "other", project.root)
    project.git("cherry-pick", project.names["b"])
    project.run()
    project.git("branch", "--force", "main", project.root)
    project.run()
    assert project.edits_of("other") == "b"
    assert set(project.counting()) == {"Root", "Add a", "Add b", "Add c"}


def test_revert_and_revert_of_the_revert(project: Project, hooks: dict[str, str]) -> None:
    project.git("revert", "--no-edit", "HEAD", **hooks)
    project.git("revert", "--no-edit", "HEAD", **hooks)
    project.run()
    assert (project.edits_of("HEAD"), project.edits_of("HEAD~1"), project.edits_of("HEAD~2")) == ("", "", "c")
    assert len(project.counting()) == 6


def test_the_same_change_made_again_is_no_copy(project: Project) -> None:
    project.git("revert", "--no-edit", "HEAD")
    again = project.ada.commit(project.folder, {"c": b"ccc\n"}, "Add c once more")
    project.run()
    with project.store() as store:
        found = commit_of(store, again)
    assert found is not None
    assert found.copy_of is None


def test_reset_and_commit_again(project: Project, hooks: dict[str, str]) -> None:
    project.git("reset", "--soft", "HEAD~1")
    project.git("commit", "--quiet", "--message", "The same in other words", **hooks)
    project.run()
    assert project.edits_of("HEAD") == "c"
    assert project.counting()[-1] == "The same in other words"


def test_an_amend_that_is_taken_back(project: Project) -> None:
    project.git("commit", "--quiet", "--amend", "--message", "Worse")
    project.run()
    project.git("reset", "--hard", "--quiet", "HEAD@{1}")
    project.run()
    assert project.git("rev-parse", "HEAD") == project.names["c"]
    assert project.edits_of("HEAD") == "c"
    assert project.run().commits == 0
    assert project.edits_of("HEAD") == "c"


def test_a_branch_that_is_thrown_away_keeps_its_edits(project: Project) -> None:
    project.git("checkout", "--quiet", "-b", "other", project.root)
    project.git("branch", "-D", "main")
    project.run()
    assert project.all_edits() == project.names


def test_a_whole_history_written_anew(project: Project) -> None:
    project.git("-c", "advice.setUpstreamFailure=false", "filter-branch", "--force", "--msg-filter", "sed s/Add/Put/",
                "main", FILTER_BRANCH_SQUELCH_WARNING="1")  # fmt: skip
    project.run()
    assert [project.edits_of(name) for name in ("main~2", "main~1", "main")] == ["a", "b", "c"]


def test_a_commit_in_a_worktree_that_is_gone(project: Project, tmp_path: Path, hooks: dict[str, str]) -> None:
    project.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    commit = project.ada.commit(tmp_path / "side", {"side": b"s\n"}, "Aside", **hooks)
    project.git("worktree", "remove", "--force", str(tmp_path / "side"))
    project.run()
    with project.store() as store:
        found = commit_of(store, commit)
    assert found is not None
    assert (found.seen_by, found.root) == (("reflog", None) if hooks else ("hook", str(tmp_path / "side")))


def test_commits_from_elsewhere_are_not_ours(project: Project, ada: Developer, tmp_path: Path) -> None:
    ada.git(tmp_path, "clone", "--quiet", str(project.folder), "clone")
    theirs = ada.commit(tmp_path / "clone", {"theirs": b"t\n"}, "Theirs")
    project.git("pull", "--quiet", "--ff-only", str(tmp_path / "clone"), "main")
    project.run()
    with project.store() as store:
        assert commit_of(store, theirs) is None
    assert project.git("rev-parse", "HEAD") == theirs


def test_a_merge_is_a_commit_and_moves_nothing(project: Project, hooks: dict[str, str]) -> None:
    project.git("checkout", "--quiet", "-b", "other", project.root)
    project.ada.commit(project.folder, {"other": b"o\n"}, "Other")
    project.git("merge", "--quiet", "--no-edit", "main", **hooks)
    project.run()
    with project.store() as store:
        found = commit_of(store, project.git("rev-parse", "HEAD"))
    assert found is not None
    assert (len(found.parents), found.patch, found.copy_of) == (2, None, None)
    assert project.all_edits() == project.names


def test_a_rebase_without_an_end_leaves_nothing_behind(project: Project) -> None:
    project.git("checkout", "--quiet", "-b", "other", project.root)
    project.ada.commit(project.folder, {"c": b"conflict\n"}, "Other")
    project.ada.run(project.folder, "git", "rebase", "--quiet", "other", "main")
    project.git("rebase", "--abort")
    project.run()
    assert project.counting() == ["Root", "Add a", "Add b", "Add c", "Other"]
    assert project.all_edits() == project.names


def test_commits_at_once_are_all_found(project: Project, ada: Developer) -> None:
    """HEAD may have gone on when a hook looks at it."""
    first = ada.commit(project.folder, {"d": b"d\n"}, "Add d", **NO_HOOKS)
    second = ada.commit(project.folder, {"e": b"e\n"}, "Add e")
    done = project.run()
    assert (done.commits, done.caught_up) == (1, 1)
    with project.store() as store:
        found = {one.id: one.seen_by for one in commits(store)}
    assert (found[first], found[second]) == ("reflog", "hook")


def test_a_range_of_the_past(ada: Developer, tmp_path: Path) -> None:
    folder = ada.repository(tmp_path / "old")
    made = [ada.commit(folder, {"a": str(i).encode()}) for i in range(3)]
    repository = discover(folder)
    pipeline.run(repository, Settings(sources=()), ["HEAD"])
    pipeline.run(repository, Settings(sources=()), ["HEAD~2..HEAD"])
    with Store(repository.common) as store:
        assert [one.id for one in commits(store)] == made[1:]
        assert {one.seen_by for one in commits(store)} == {"range"}
        assert standing_of(store, made[2]) == made[2]
