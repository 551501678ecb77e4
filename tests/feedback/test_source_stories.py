"""One story for each source: an assistant writes, a person changes it, commits, and moves the commit about.

The reward is known by hand: of the 17 nodes of what was written, 10 edits make what was committed. In a second working
tree another session's file is committed as it is: 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.feedback import pipeline
from gitgoodbench.feedback.contract import SOURCES
from gitgoodbench.feedback.records import EditResult
from gitgoodbench.feedback.settings import read_settings
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.results import edit_results
from gitgoodbench.plugins import plugins
from tests.feedback.support_logs import START
from tests.feedback.support_logs_b import ADD, INT
from tests.feedback.support_repository import Developer, install_quietly
from tests.feedback.support_stories import STORIES, tensorzero
from tests.support.tensorzero_server import TensorZeroServer

REWARD = 1 - 10 / 17
NAMES = [*STORIES, "tensorzero"]


class Work:
    """A repository with feedback for one source."""

    def __init__(self, ada: Developer, folder: Path, source: str, **options: str) -> None:
        self.ada, self.folder = ada, ada.repository(folder)
        ada.clock = int(START) - 600
        ada.commit(self.folder, {"base": b"base\n"}, "Root")
        self.repository = install_quietly(self.folder)
        (self.repository.common / "info/exclude").write_text(".aider*\n")
        section = "gitgoodbench-feedback"
        ada.git(self.folder, "config", f"{section}.installed", str(int(START) - 300))
        ada.git(self.folder, "config", f"{section}.source", source)
        for name, value in options.items():
            ada.git(self.folder, "config", f"{section}.source.{source}.{name}", value)
        ada.clock = int(START) + 10

    def git(self, *arguments: str, folder: Path | None = None, **variables: str) -> str:
        self.ada.clock += 60
        return self.ada.git(folder or self.folder, *arguments, **variables)

    def commit(self, name: str, content: str, message: str, *more: str, folder: Path | None = None) -> None:
        ((folder or self.folder) / name).write_text(content)
        self.git("add", name, folder=folder)
        self.git("commit", "-q", "-m", message, *more, folder=folder)

    def states(self) -> list[tuple[str, float | None, str | None]]:
        """State, reward and the commit's subject of each edit, after a run."""
        ran = pipeline.run(self.repository, read_settings(self.folder), patience=0)
        assert ran.problems == ()
        with Store(self.repository.common) as store:
            results = [one for one in edit_results(store) if one.state != "indirect"]
        return sorted((one.state, one.reward, self._subject(one)) for one in results)

    def _subject(self, result: EditResult) -> str | None:
        return result.commit and self.ada.git(self.folder, "show", "-s", "--format=%s", result.commit)


@pytest.fixture
def gateway() -> Iterator[TensorZeroServer]:
    with TensorZeroServer() as gateway:
        yield gateway


def test_every_source_has_a_story() -> None:
    assert {name.split()[0] for name in NAMES} == set(plugins(SOURCES))


@pytest.mark.parametrize("name", NAMES)
def test_a_story(name: str, ada: Developer, tmp_path: Path, gateway: TensorZeroServer) -> None:
    options = {"openai-jsonl": {"path": str(ada.home / "log.jsonl")}, "tensorzero": {"url": gateway.url}}
    work = Work(ada, tmp_path / "app", name.split()[0], **options.get(name, {}))
    story = tensorzero(gateway) if name == "tensorzero" else STORIES[name]
    story(ada.home, work.folder, "s1", "a.py")

    def here(subject: str, *more: Any) -> list[tuple[str, Any, str | None]]:
        return [("not_applied", None, None), ("scored", pytest.approx(REWARD), subject), *more]

    work.commit("a.py", INT, "one")  # the person changed one of the lines
    assert work.states() == here("one")
    work.git("commit", "-q", "--amend", "-m", "amended")
    assert work.states() == here("amended")

    work.git("checkout", "-q", "-b", "side", "HEAD~1")
    ada.commit(work.folder, {"b.txt": b"b\n"}, "other")
    work.git("cherry-pick", "main")  # a copy counts for nothing
    assert work.states() == here("amended")
    work.git("reset", "-q", "--hard", "HEAD~1")
    work.git("checkout", "-q", "main")
    work.git("rebase", "-q", "side")
    assert work.git("log", "--format=%s").split() == ["amended", "other", "Root"]
    assert work.states() == here("amended")

    work.commit("c.txt", "c\n", "more")
    work.commit("c.txt", "d\n", "fixup! amended")
    plan = "sed -i -e '2s/^pick/squash/' -e '3s/^pick/fixup/'"
    work.git("rebase", "-q", "-i", "HEAD~3", GIT_SEQUENCE_EDITOR=plan, GIT_EDITOR="sed -i 1s/.*/squashed/")
    assert work.git("log", "--format=%s").split() == ["squashed", "other", "Root"]
    assert work.states() == here("squashed")
    work.git("revert", "--no-edit", "HEAD")
    assert work.states() == here("squashed")

    tree = tmp_path / "tree"
    work.git("worktree", "add", "-q", "-b", "tree", str(tree), "HEAD~1")
    story(ada.home, tree, "s2", "t.py")
    work.commit("t.py", ADD, "in a tree", folder=tree)
    both = sorted([*here("squashed"), ("not_applied", None, None), ("scored", 1.0, "in a tree")], key=str)
    assert sorted(work.states(), key=str) == both
    work.git("merge", "-q", "--no-ff", "-m", "merged", "tree")
    work.git("worktree", "remove", "--force", str(tree))
    assert sorted(work.states(), key=str) == both
