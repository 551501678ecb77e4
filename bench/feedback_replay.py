"""Commit feedback on a real history: its newest steps are committed anew, each behind a made-up session.

    python bench/feedback_replay.py REPOSITORY FOLDER [--commits 50] [--html FILE]

A clone is made in FOLDER, and the hook installed there with a home of its own. Then the trees of the first-parent
history are committed one after another, by `git commit`, eight hours apart. Where one adds five lines of code or more,
a session of Claude Code or Codex is written before, whose edit is one of the kinds of feedback_scores.py; some
sessions also have an edit that was refused, a command, or a draft that they overwrote; some commits are the assistant's
own. The hook and its worker do the rest. At the end, the table of scores by kind is printed from `feedback report`.
"""

from __future__ import annotations

import argparse
import difflib
import json
import statistics
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from feedback_scores import ROOT, Case, added_text, code, made_up, with_added

from gitgoodbench.feedback.changes import FileChange, read_change
from gitgoodbench.feedback.records import Commit, Edit
from gitgoodbench.git.process import Git
from gitgoodbench.ted import language_of_file
from tests.feedback.support_logs import ClaudeLog, CodexLog
from tests.feedback.support_repository import Developer

KINDS: Final = ("exact", "tool", "renamed", "reformatted", "half", "moved", "unrelated")
MODELS: Final = ("model-a", "model-b")
APART: Final = 8 * 3_600
_OLD: Final = 120
"""Steps at the beginning of the history, of which unrelated lines are taken."""


class Replay:
    """A clone, whose commits an assistant takes part in."""

    def __init__(self, source: Path, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.ada = Developer(folder / "home")
        self.clone = folder / "clone"
        self.ada.git(folder, "clone", "--quiet", "--", str(source.resolve()), str(self.clone))
        self.git = Git(self.clone / ".git")
        self.rights: dict[str, str] = {}

    def cli(self, *arguments: str) -> str:
        """Run `gitgoodbench feedback` as the developer."""
        done = self.ada.run(self.clone, sys.executable, "-m", "gitgoodbench", "feedback", *arguments)
        if done.returncode:
            raise SystemExit(done.stderr.decode())
        return done.stdout.decode()

    def steps(self, wanted: int) -> list[tuple[str, Case | None]]:
        """The newest commits of the first-parent history, the oldest first, of which so many get a session."""
        chain = self.ada.git(self.clone, "rev-list", "--first-parent", "HEAD").split("\n")
        found: list[tuple[str, Case | None]] = []
        other: dict[str, bytes] = {}
        for child, parent in pairwise(chain[: -_OLD - 1 : -1]):  # oldest first: lines that no replayed commit adds
            for file in self._code(parent, child):
                other.setdefault(str(language_of_file(file.path)), added_text(file))
        count = 0
        for child, parent in pairwise(chain):
            files = self._code(child, parent)
            case = None
            if files:
                file = max(files, key=lambda one: len(added_text(one)))
                foreign = other.get(str(language_of_file(file.path)))
                if foreign is not None and added_text(file).count(b"\n") <= 400:
                    case = Case(Commit(child, (parent,), 0, "", ""), file, foreign)
                    count += 1
            found.append((child, case))
            if count == wanted:
                break
        self.ada.git(self.clone, "checkout", "--quiet", "-B", "replay", chain[len(found)])
        return found[::-1]

    def _code(self, child: str, parent: str) -> list[FileChange]:
        """The files of code that one commit has more of than another one, in characters that a log can hold."""
        plain = self.ada.git(self.clone, "commit-tree", f"{child}^{{tree}}", "-p", parent, "-m", "As one commit")
        return [one for one in code(read_change(self.git, plain)) if is_text(one.after) and is_text(one.before)]

    def commit(self, child: str, variables: dict[str, str]) -> str:
        """Commit the tree of a commit, hooks and all."""
        self.ada.clock += APART
        self.ada.git(self.clone, "read-tree", "--reset", "-u", child)
        message = self.ada.git(self.clone, "log", "-1", "--format=%s", child)
        self.ada.git(self.clone, "commit", "--quiet", "--allow-empty", "--message", message or "-", **variables)
        return self.ada.head(self.clone)

    def session(self, number: int, case: Case, kind: str) -> str:
        """Write the log of a session whose edit is of a kind; gives its id."""
        edit = made_up(case, kind) or made_up(case, "exact")
        assert edit is not None
        name, model = f"{kind}-{number}", MODELS[number // len(KINDS) % 2]
        at = float(self.ada.clock + APART - 1_800)
        if number % 3 == 2 and edit.whole:
            codex = CodexLog(self.ada.home / f".codex/sessions/2026/rollout-{name}.jsonl", self.clone, name)
            codex.records.clear()
            codex.time = at
            git = {"commit_hash": self.ada.head(self.clone), "branch": "replay"}
            codex.add("session_meta", {"id": name, "cwd": str(self.clone), "cli_version": "0.171.0", "git": git})
            codex.add("turn_context", {"cwd": str(self.clone), "model": model})
            self._by_codex(codex, edit)
            codex.save()
        else:
            claude = ClaudeLog(self.ada.home / f".claude/projects/clone/{name}.jsonl", self.clone, name)
            claude.time = at
            claude.ask("Do the next step.")
            self._by_claude(claude, edit, case, number)
            for record in claude.records:
                if record["type"] == "assistant":
                    record["message"]["model"] = model
            claude.save()
        return name

    def _by_claude(self, log: ClaudeLog, edit: Edit, case: Case, number: int) -> None:
        path, now = self._path(edit), (self._before(edit) or b"").decode()
        if number % 7 == 3:
            log.bash("test", "pytest", "ok")
        if number % 7 == 5:
            log.refuse("no", self.clone / "elsewhere.py", "print(1)\n", "The user doesn't want to proceed.")
        if edit.whole:
            (part,) = edit.parts
            before = None if part.before is None else part.before.decode()
            if number % 10 == 0:
                draft = with_added(case.file, bytes.swapcase).decode()
                log.write("draft", path, draft, before)
                before = draft
            log.write("edit", path, part.after.decode(), before)
            return
        for at, part in enumerate(edit.parts):
            old, new = (part.before or b"").decode(), part.after.decode()
            if old and now.count(old) == 1:
                log.edit(f"edit{at}", path, now, old, new)
                now = now.replace(old, new, 1)

    def _by_codex(self, log: CodexLog, edit: Edit) -> None:
        (part,) = edit.parts
        path, after = self._path(edit), part.after.decode()
        if part.before is None:
            change: dict[str, Any] = {"type": "add", "content": after}
        else:
            old, new = (text.splitlines(keepends=True) for text in (part.before.decode(), after))
            hunks = list(difflib.unified_diff(old, new, n=3))[2:]
            shown = "".join(
                line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in hunks
            )
            change = {"type": "update", "unified_diff": shown, "move_path": None}
        log.patch("edit", f"*** Update File: {path}")
        log.changed("edit", {path: change})
        log.output("edit", "Exit code: 0")
        log.usage("r1")

    def _path(self, edit: Edit) -> str:
        return (edit.path or "").replace(ROOT, str(self.clone), 1)

    def _before(self, edit: Edit) -> bytes | None:
        path = Path(self._path(edit))
        return path.read_bytes() if path.is_file() else None

    def wait(self) -> None:
        """Until the worker has done all that hooks told of."""
        while True:
            status = json.loads(
                self.ada.run(self.clone, sys.executable, "-m", "gitgoodbench", "feedback", "status", "--json").stdout
            )
            if not status["queue"] and status["last"] is not None:
                return
            time.sleep(1)


def is_text(content: bytes | None) -> bool:
    """Whether a log can hold it."""
    try:
        (content or b"").decode()
    except UnicodeDecodeError:
        return False
    return b"\r" not in (content or b"")


def play(replay: Replay, wanted: int) -> float:
    """Commit all steps; gives the seconds that commits took, the median."""
    steps = replay.steps(wanted)
    replay.ada.clock = int(time.time()) - (len(steps) + 1) * APART
    replay.cli("install", "--source", "claude-code", "--source", "codex")
    replay.ada.git(replay.clone, "config", "gitgoodbench-feedback.followdays", "0")  # as if all of it were new
    number, spent = 0, []
    for child, case in steps:
        variables: dict[str, str] = {}
        name = None
        if case is not None:
            kind = KINDS[number % len(KINDS)]
            name = replay.session(number, case, kind)
            if number % 11 == 10 and kind in ("exact", "tool"):
                variables = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": name}
            number += 1
        started = time.perf_counter()
        made = replay.commit(child, variables)
        spent.append(time.perf_counter() - started)
        if name is not None:
            replay.rights[name] = made
    replay.wait()
    replay.ada.git(replay.clone, "config", "gitgoodbench-feedback.followdays", "14")
    print(replay.cli("run").strip())
    return statistics.median(spent)


def table(replay: Replay) -> Iterator[str]:
    """Scores by kind, of the edits as the report has them."""
    records = json.loads(replay.cli("report", "--format", "json"))
    yield (
        f"{'':12}  edits  scored  {'others':30} right commit   reward: mean   min   max   kept  normalised  standing"
    )
    for kind in KINDS:
        own = [one for one in records if one["session"].rpartition("-")[0] == kind]
        scored = [one for one in own if one["state"] == "scored"]
        others = ", ".join(
            f"{sum(one['state'] == state for one in own)} {state}"
            for state in ("superseded", "not_applied", "indirect", "pending")
            if any(one["state"] == state for one in own)
        )
        right = sum(replay.rights[one["session"]] == one["commit"] for one in scored)
        rewards = [one["reward"] for one in scored]
        if not rewards:
            yield f"{kind:12}  {len(own):5}  {0:6}  {others}"
            continue
        means = [mean([one[name] for one in scored]) for name in ("kept", "normalised", "survival")]
        yield (
            f"{kind:12}  {len(own):5}  {len(scored):6}  {others:30} {right:12}   {statistics.mean(rewards):12.2f}  "
            f"{min(rewards):.2f}  {max(rewards):.2f}   {means[0]}  {means[1]:>10}  {means[2]:>8}"
        )


def mean(values: list[float | None]) -> str:
    """Of those that are known."""
    known = [value for value in values if value is not None]
    return f"{statistics.mean(known):.2f}" if known else "-"


def main() -> None:
    """Replay, and print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("repository", type=Path)
    options.add_argument("folder", type=Path, help="a new one")
    options.add_argument("--commits", type=int, default=50, help="that get a session")
    options.add_argument("--html", type=Path)
    chosen = options.parse_args()
    replay = Replay(chosen.repository, chosen.folder)
    seconds = play(replay, chosen.commits)
    print(f"{len(replay.rights)} sessions; a commit took {1000 * seconds:.0f} ms (median, read-tree included)")
    for line in table(replay):
        print(line)
    print(replay.cli("report", "--by", "assistant", "--by", "model"))
    print(replay.cli("compare", "--by", "model"))
    if chosen.html is not None:
        print(replay.cli("report", "--html", str(chosen.html.resolve())))


if __name__ == "__main__":
    main()
