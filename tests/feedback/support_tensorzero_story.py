"""From an inference to its feedback: all that happens after a commit, step by step."""

from __future__ import annotations

import time
from pathlib import Path

from gitgoodbench.feedback.capture import capture
from gitgoodbench.feedback.changes import read_change
from gitgoodbench.feedback.contract import Place
from gitgoodbench.feedback.linking import link_edits
from gitgoodbench.feedback.outbox import Delivered, deliver, enqueue
from gitgoodbench.feedback.records import Commit, CommitResult
from gitgoodbench.feedback.scoring import score_commit
from gitgoodbench.feedback.settling import settled_in
from gitgoodbench.feedback.sinks.tensorzero import TensorZero as Sink
from gitgoodbench.feedback.sources.tensorzero import TensorZero as Source
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.commits import links_of, move_commit, save_commit, save_links
from gitgoodbench.feedback.store.readings import edit_of, sessions, unlinked_edits
from gitgoodbench.feedback.store.results import save_result
from gitgoodbench.git.process import Git


class Story:
    """A repository whose assistant asks a gateway."""

    def __init__(self, root: Path, url: str) -> None:
        (root / "src").mkdir(parents=True)
        self.root = root
        self.git = Git(root / ".git", root)
        self.git.run("init", "--quiet")
        self.git.run("commit", "--quiet", "--allow-empty", "--message=first")
        self.store = Store(root / ".git")
        self.place = Place((root,), root / ".git", root.parent, options={"url": url})

    def commit(self, path: str, content: str) -> Commit:
        """What a person commits."""
        (self.root / path).write_bytes(content.encode())
        self.git.run("add", "--all")
        now = f"@{int(time.time())} +0000"
        self.git.with_env(GIT_COMMITTER_DATE=now).run("commit", "--quiet", f"--message=Change {path}")
        made, parent = self.git.line("rev-parse", "HEAD"), self.git.line("rev-parse", "HEAD^")
        at = int(self.git.line("show", "--no-patch", "--format=%ct", made))
        commit = Commit(made, (parent,), at, "Ada", "ada@example.org", root=str(self.root))
        save_commit(self.store, commit)
        return commit

    def score(self, commit: Commit) -> CommitResult:
        """Read the gateway, link, score, and queue what the gateway gets."""
        captured = capture(self.store, self.place, [Source()], options={"tensorzero": self.place.options})
        assert captured.problems == ()
        edits, known = list(unlinked_edits(self.store)), list(sessions(self.store))
        change = read_change(self.git, commit.id)
        save_links(self.store, link_edits(edits, [commit], known, lambda _: change, roots=[str(self.root)]))
        return self.rescore(commit)

    def rescore(self, commit: Commit) -> CommitResult:
        """Score what is linked to a commit, and queue what the gateway gets."""
        links = links_of(self.store, commit.id)
        edits = [edit for link in links if (edit := edit_of(self.store, link.key)) is not None]
        result = score_commit(commit, read_change(self.git, commit.id), edits, sessions(self.store), links)
        save_result(self.store, result)
        enqueue(self.store, Sink(), result, self.place)
        return result

    def deliver(self, *, later: float = 0.0) -> Delivered:
        """Deliver what has settled, after some seconds."""
        settled = settled_in(self.store, self.git, time.time() + later)
        (delivered,) = deliver(self.store, [(Sink(), self.place)], settled=settled)
        return delivered

    def push(self) -> None:
        """What a push leaves here."""
        self.git.run("update-ref", "refs/remotes/origin/main", "HEAD")

    def amend(self, old: Commit, path: str, content: str) -> Commit:
        """Let another commit take the place of the last one, with its edits."""
        self.git.run("reset", "--quiet", "--soft", "HEAD~1")
        new = self.commit(path, content)
        move_commit(self.store, old.id, new.id)
        enqueue(self.store, Sink(), CommitResult(old, (), (), rule="moved"), self.place)
        return new
