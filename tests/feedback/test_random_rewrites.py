"""Any sequence of Git commands, hooks on or off: each edit counts for one commit, and for one that holds it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gitgoodbench.feedback.records import State
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import commit_of, commits
from gitgoodbench.feedback.store.results import edit_results, result_of
from tests.feedback.support_repository import Developer
from tests.feedback.test_pipeline import NO_HOOKS, Work

STEPS = 12


class Wanderer:
    """Does what people do, at random. Each edit is a new file, so where it is can be told from trees alone."""

    def __init__(self, work: Work, seed: int) -> None:
        self.work, self.random, self.count = work, random.Random(seed), 0

    def content(self, number: int) -> str:
        return f"def function_{number}(a, b):\n    return a * {number} + b - {number * 7}\n"

    def hooks(self) -> tuple[str, ...]:
        return NO_HOOKS if self.random.random() < 0.3 else ()

    def try_git(self, *arguments: str, **variables: str) -> bool:
        work = self.work
        work.ada.clock = int(work.log.time)
        work.log.time += 60
        return work.ada.run(work.folder, "git", *arguments, **variables).returncode == 0

    def commit(self) -> None:
        for _ in range(self.random.randint(1, 2)):
            self.count += 1
            self.work.write(f"t{self.count}", f"f{self.count}.py", self.content(self.count))
        self.try_git("add", "--all")
        self.try_git(*self.hooks(), "commit", "--quiet", "--message", f"Commit {self.count}")

    def amend(self) -> None:
        self.try_git(*self.hooks(), "commit", "--quiet", "--amend", "--message", f"Amended {self.random.random()}")

    def rebase(self) -> None:
        verb = self.random.choice(["2s/^pick/fixup/", "2s/^pick/squash/", "1{h;d};2G", "1s/^pick/reword/", "2d"])
        editor = {"GIT_SEQUENCE_EDITOR": f"sed -i -e '{verb}'", "GIT_EDITOR": "true"}
        if not self.try_git(*self.hooks(), "rebase", "--quiet", "--interactive", "HEAD~2", **editor):
            self.try_git("rebase", "--abort")

    def split(self) -> None:
        if self.try_git("reset", "--quiet", "HEAD~1"):
            for path in sorted(self.work.folder.glob("f*.py")):
                self.try_git("add", path.name)
                self.try_git(*self.hooks(), "commit", "--quiet", "--message", f"Only {path.name}")

    def branch(self) -> None:
        self.try_git(
            "checkout", "--quiet", "-B", self.random.choice(["one", "two"]), f"HEAD~{self.random.randint(0, 1)}"
        )

    def switch(self) -> None:
        self.try_git("checkout", "--quiet", self.random.choice(["one", "two", "main"]))

    def pick(self) -> None:
        if not self.try_git(*self.hooks(), "cherry-pick", "--allow-empty", self.random.choice(["one", "two", "main"])):
            self.try_git("cherry-pick", "--abort")

    def merge(self) -> None:
        name = self.random.choice(["one", "two", "main"])
        if not self.try_git(*self.hooks(), "merge", "--quiet", "--no-edit", name):
            self.try_git("merge", "--abort")

    def run(self) -> None:
        self.work.run()

    def wander(self) -> None:
        steps = [self.commit, self.commit, self.amend, self.rebase, self.split, self.branch, self.switch, self.pick,
                 self.merge, self.run]  # fmt: skip
        for _ in range(3):
            self.commit()
        for _ in range(STEPS):
            self.random.choice(steps)()
        self.work.run()


@pytest.mark.parametrize("seed", [0, 1, 2, 143])
def test_each_edit_counts_for_one_commit_that_holds_it(ada: Developer, tmp_path: Path, seed: int) -> None:
    work = Work(ada, tmp_path / "app")
    wanderer = Wanderer(work, seed)
    wanderer.wander()
    reachable = set(ada.git(work.folder, "rev-list", "--all").split())
    with Store(work.repository.common) as store:
        results = {one.key.edit: one for one in edit_results(store) if one.state != "indirect"}
        shown = [
            one.key.edit for commit in commits(store) if (found := result_of(store, commit.id)) for one in found.edits
        ]
        counting = {one.id for one in commits(store) if one.moved_to is None and one.copy_of is None}
    assert set(results) == {f"t{number}" for number in range(1, wanderer.count + 1)}
    assert len(shown) == len(set(shown))
    for name, result in results.items():
        file = f"f{name[1:]}.py"
        holders = set(ada.git(work.folder, "log", "--all", "--format=%H", "--diff-filter=A", "--", file).split())
        states: set[State] = {"scored"} if holders else {"scored", "pending"}
        assert result.state in states, (name, result)
        if holders:
            assert result.reward == 1.0, (name, result)
            assert result.commit in counting
            assert result.commit in holders & reachable, (name, commit_text(work, result.commit), holders)


def commit_text(work: Work, commit: str | None) -> str:
    with Store(work.repository.common) as store:
        return str(commit and commit_of(store, commit))
