"""One story for each source: an assistant writes, a person changes it, commits, and moves the commit about.

The reward is known by hand: of the 17 nodes of what was written, 10 edits make what was committed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.feedback import pipeline
from gitgoodbench.feedback.records import EditResult
from gitgoodbench.feedback.settings import read_settings
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.results import edit_results
from tests.feedback.support_logs import START
from tests.feedback.support_logs_b import (
    ADD,
    INT,
    AiderChat,
    CopilotLog,
    GeminiLog,
    QwenLog,
    continue_call,
    search_replace,
    shown,
)
from tests.feedback.support_repository import Developer, install_quietly

REWARD = 1 - 10 / 17


def aider(home: Path, folder: Path) -> None:
    chat = AiderChat()
    chat.start()
    chat.answer(search_replace("a.py", "", ADD) + "\n" + search_replace("b.py", "", "no = 1\n"))
    chat.tell("Skipping edits to b.py", "Applied edit to a.py")
    chat.save(folder).rename(home / "history.md")


def gemini(home: Path, folder: Path) -> None:
    log = GeminiLog(home, folder)
    log.write("w1", str(folder / "a.py"), "", ADD)
    log.write("w2", str(folder / "a.py"), "", "no = 1\n", "cancelled")
    log.save()


def qwen(home: Path, folder: Path) -> None:
    log = QwenLog(home, folder)
    for call, content, status in (("w1", ADD, "success"), ("w2", "no = 1\n", "error")):
        log.call(call, "write_file", {"file_path": str(folder / "a.py"), "content": content})
        log.result(call, shown(str(folder / "a.py"), "", content), status)
    log.save()


def copilot(home: Path, folder: Path) -> None:
    log = CopilotLog(home / ".copilot/session-state/c1/events.jsonl", folder)
    log.call("w1", "create", {"path": str(folder / "a.py"), "file_text": ADD}, success=True, result={"content": "ok"})
    no = {"path": str(folder / "a.py"), "file_text": "no = 1\n"}
    log.call("w2", "create", no, success=False, error={"message": "", "code": "denied"})
    log.save()


def continue_(home: Path, folder: Path) -> None:
    items = [
        continue_call("w1", "Write", {"filepath": str(folder / "a.py"), "content": ADD}, "done", "ok"),
        continue_call("w2", "Write", {"filepath": str(folder / "a.py"), "content": "no = 1\n"}, "canceled", "no"),
    ]
    path = home / ".continue/sessions/s1.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"sessionId": "s1", "workspaceDirectory": str(folder), "history": items}))


def openai(home: Path, _: Path) -> None:
    def exchange(known_by: str, call: str, content: str, *results: dict[str, str]) -> str:
        function = {"name": "write_file", "arguments": json.dumps({"path": "a.py", "content": content})}
        message = {"role": "assistant", "tool_calls": [{"id": call, "function": function}]}
        request = {"messages": [{"role": "user", "content": "hi"}, *results]}
        response = {"id": known_by, "created": START, "choices": [{"message": message}]}
        return json.dumps({"request": request, "response": response, "session_id": "s1"}) + "\n"

    denied = {"role": "tool", "tool_call_id": "w2", "content": "The user rejected this edit"}
    lines = [exchange("r2", "w2", "no = 1\n"), exchange("r1", "w1", ADD, denied)]
    (home / "log.jsonl").write_text("".join(lines))


STORIES: dict[str, Callable[[Path, Path], None]] = {
    "aider": aider,
    "continue-cli": continue_,
    "copilot-cli": copilot,
    "gemini-cli": gemini,
    "openai-jsonl": openai,
    "qwen-code": qwen,
}
OPTIONS = {"aider": "history.md", "openai-jsonl": "log.jsonl"}


class Work:
    """A repository with feedback for one source."""

    def __init__(self, ada: Developer, folder: Path, source: str) -> None:
        self.ada, self.folder = ada, ada.repository(folder)
        ada.clock = int(START) - 600
        ada.commit(self.folder, {"base": b"base\n"}, "Root")
        self.repository = install_quietly(self.folder)
        section = "gitgoodbench-feedback"
        ada.git(self.folder, "config", f"{section}.installed", str(int(START) - 300))
        ada.git(self.folder, "config", f"{section}.source", source)
        if source in OPTIONS:
            ada.git(self.folder, "config", f"{section}.source.{source}.path", str(ada.home / OPTIONS[source]))
        ada.clock = int(START) + 10

    def git(self, *arguments: str, folder: Path | None = None) -> str:
        self.ada.clock += 60
        return self.ada.git(folder or self.folder, *arguments)

    def states(self) -> list[tuple[str, float | None, str | None]]:
        """State, reward and the commit's subject of each edit, after a run."""
        ran = pipeline.run(self.repository, read_settings(self.folder), patience=0)
        assert ran.problems == ()
        with Store(self.repository.common) as store:
            results = list(edit_results(store))
        return sorted((one.state, one.reward, self._subject(one)) for one in results)

    def _subject(self, result: EditResult) -> str | None:
        return result.commit and self.ada.git(self.folder, "show", "-s", "--format=%s", result.commit)


@pytest.mark.parametrize("source", STORIES)
def test_a_story(source: str, ada: Developer, tmp_path: Path) -> None:
    work = Work(ada, tmp_path / "app", source)
    STORIES[source](ada.home, work.folder)

    def here(subject: str) -> list[tuple[str, Any, str | None]]:
        return [("not_applied", None, None), ("scored", pytest.approx(REWARD), subject)]

    (work.folder / "a.py").write_text(INT)  # the person changes one of the lines
    work.git("add", "a.py")
    work.git("commit", "-q", "-m", "one")
    assert work.states() == here("one")
    work.git("commit", "-q", "--amend", "-m", "amended")
    assert work.states() == here("amended")

    work.git("checkout", "-q", "-b", "side", "HEAD~1")
    ada.commit(work.folder, {"b.txt": b"b\n"}, "other")
    work.git("cherry-pick", "main")  # a copy counts for nothing
    assert work.states() == here("amended")
    work.git("checkout", "-q", "main")
    work.git("rebase", "-q", "side")  # its change is there already
    assert work.states() == here("amended")
    work.git("branch", "-q", "-D", "side")

    (work.folder / "c.txt").write_text("c\n")
    work.git("add", "c.txt")
    work.git("commit", "-q", "-m", "more")
    work.git("reset", "-q", "--soft", "HEAD~2")
    work.git("commit", "-q", "-m", "squashed")
    assert work.states() == here("squashed")
    work.git("revert", "--no-edit", "HEAD")
    assert work.states() == here("squashed")
    work.git("worktree", "add", "-q", "-b", "tree", str(tmp_path / "tree"), "HEAD~1")
    ada.commit(tmp_path / "tree", {"d.txt": b"d\n"}, "in a tree")
    work.git("merge", "-q", "--no-ff", "-m", "merged", "tree")
    assert work.states() == here("squashed")
