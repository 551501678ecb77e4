"""Which commit each edit counts for: one, the earliest of those that hold most of it.

An edit can be in a commit that touches its file, in the same working tree, after it. A commit's time is in whole
seconds and its own second belongs to it: an edit at 12:00:00.7 can be in a commit of 12:00:00. Of several, in this
order: the one that the log names for the edit; one that adds at least half of its lines; one that its session made
(the hook's environment or the log say so); one that another tool's record gives to it; the one with more of its lines,
by tenths; the earliest. An edit that was committed in pieces (`git add -p`) counts for the commit with most of its
lines, and not for the others.

Code that is found in another file than the one it was written to, or that an answer only shows, counts where most of
its lines are, as long as no edit of that file brought them.

Where the work tree can be looked at, an edit that is not in the newest commit and still stands in its file waits for
the commit to come. Edits that have a link already may be given again, so that a later commit can take them over.

Clocks: an edit that looks later than its commit is taken to be in it where the commit holds most of its lines, up to
ten minutes, or up to a day where the commit is known to be its session's. `scoring.skew_of` reports it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gitgoodbench.feedback.changes import CommitChange
from gitgoodbench.feedback.claims import Claim, Committed, telling
from gitgoodbench.feedback.locating import Sessions
from gitgoodbench.feedback.records import Attribution, Commit, Edit, Evidence, Key, Link, Session
from gitgoodbench.feedback.scoring import conversation_of, is_direct
from gitgoodbench.git.paths import show_path

MOST: Final = 0.5
"""The share of an edit's lines that says that a commit holds it."""

WINDOW: Final = 3 * 86_400.0
"""Seconds before a commit in which an edit may be of which the commit holds no line."""

CONTENT_WINDOW: Final = 60 * 86_400.0
"""Seconds before a commit in which an edit may be that it does hold."""

SKEW: Final = 600.0
"""Seconds by which an edit may look later than the commit that holds it."""

OWN_SKEW: Final = 86_400.0
"""The same where the edit's own session made the commit."""

_BY_AI: Final = ("ai", "mixed")

_FEW: Final = 2
"""Telling lines without which code is not taken to have moved."""


def _nothing(_: str) -> Sequence[Attribution]:
    return ()


def _unknown(_root: str, _path: str) -> bytes | None:
    return None


def link_edits(
    edits: Sequence[Edit],
    commits: Sequence[Commit],
    sessions: Iterable[Session],
    change_of: Callable[[str], CommitChange],
    attribution: Callable[[str], Sequence[Attribution]] = _nothing,
    *,
    roots: Iterable[str] = (),
    work_tree: Callable[[str, str], bytes | None] = _unknown,
) -> list[Link]:
    """Link edits to commits.

    Args:
        edits: in the order of their logs. Those that were not applied are left out.
        commits: that count, the oldest first.
        sessions: those of the edits, with the sessions that started them.
        change_of: the change of a commit.
        attribution: what other tools say of a commit.
        roots: all working trees of the repository.
        work_tree: the content of a file now, by working tree and absolute path; None where it is not there.
    """
    known = {(one.source, one.id): one for one in sessions}
    trees = list(dict.fromkeys([*roots, *(commit.root for commit in commits if commit.root is not None)]))
    linker = _Linker(known, [Committed(one, change_of) for one in commits], attribution, work_tree)
    claims = [Claim.of(edit, trees, known) for edit in edits if is_direct(edit)]
    links = {claim.edit.key: link for claim in claims if (link := linker.by_path(claim)) is not None}
    for claim in claims:
        if claim.edit.key not in links and (link := linker.by_content(claim)) is not None:
            links[claim.edit.key] = link
    indirect = _indirect(edits, links, {one.id: one for one in commits}, known)
    return [*links.values(), *indirect]


@dataclass(frozen=True)
class _Candidate:
    """A commit that an edit may be in, with what speaks for it."""

    committed: Committed
    path: bytes | None
    named: bool
    own: str | None
    share: float
    held: str
    record: str | None
    late: float | None

    @property
    def rank(self) -> tuple[bool, bool, bool, bool, float]:
        return self.named, self.share >= MOST, self.own is not None, self.record is not None, round(self.share, 1)

    def link(self, key: Key) -> Link:
        """The link with its evidence."""
        evidence: list[Evidence] = []
        if self.own is not None and not self.own.startswith("the log"):
            evidence.append(Evidence("environment", self.own))
        if self.named:
            evidence.append(Evidence("hash", "the log names the commit for this edit"))
        if self.own is not None and self.own.startswith("the log"):
            evidence.append(Evidence("hash", self.own))
        if self.share > 0:
            evidence.append(Evidence("content", self.held))
        if self.record is not None:
            evidence.append(Evidence("attribution", self.record))
        if self.late is not None:
            evidence.append(Evidence("time", _in_words(self.late)))
        return Link(key, self.committed.commit.id, tuple(evidence))


def _in_words(late: float) -> str:
    """The seconds that an edit is later than its commit's own second."""
    if late >= 1:
        return f"{late - 1:.1f} s after the commit: the clocks differ"
    return "in the second of the commit" if late >= 0 else f"{-late:.1f} s before the commit"


class _Linker:
    """Finds the commit of one edit after the other."""

    def __init__(
        self,
        sessions: Sessions,
        committed: Sequence[Committed],
        attribution: Callable[[str], Sequence[Attribution]],
        work_tree: Callable[[str, str], bytes | None],
    ) -> None:
        self._sessions = sessions
        self._committed = sorted(committed, key=lambda one: one.commit.time)
        self._attribution = attribution
        self._work_tree = work_tree
        self._newest = {one.commit.root: one.commit.id for one in self._committed}
        self._records: dict[str, Sequence[Attribution]] = {}

    def by_path(self, claim: Claim) -> Link | None:
        """The best of the commits that touch its file."""
        found = [one for committed in self._committed if (one := self._candidate(claim, committed)) is not None]
        if not found:
            return None
        best = max(found, key=lambda one: one.rank)
        best.committed.take(claim)
        return best.link(claim.edit.key)

    def by_content(self, claim: Claim) -> Link | None:
        """The best of the commits that hold most of its lines elsewhere."""
        if claim.foreign or telling(claim.rows) < min(_FEW, claim.rows.total()) or self._stands(claim):
            return None
        best: tuple[float, Committed] | None = None
        for committed in self._committed:
            root = committed.commit.root
            late = _late(claim.edit, committed.commit)
            if late is None or not -CONTENT_WINDOW < late < 1 or (root and claim.root and root != claim.root):
                continue
            common = claim.rows & +committed.free
            share = common.total() / claim.rows.total() if telling(common) else 0.0
            if share >= MOST and (best is None or share > best[0]):
                best = share, committed
        if best is None:
            return None
        share, committed = best
        held = f"{round(share * claim.rows.total())} of {claim.rows.total()} lines, in another place"
        late = _late(claim.edit, committed.commit)
        committed.take(claim)
        own = self._made_by(claim.edit, committed.commit)
        return _Candidate(committed, None, False, own, share, held, None, late).link(claim.edit.key)

    def _candidate(self, claim: Claim, committed: Committed) -> _Candidate | None:
        edit, commit = claim.edit, committed.commit
        named = any(len(name) >= 7 and commit.id.startswith(name) for name in edit.commits)
        late = _late(edit, commit)
        if not named and late is not None and not -CONTENT_WINDOW < late < 1 + OWN_SKEW:
            return None
        own = self._made_by(edit, commit)
        path = committed.path_of(claim, self._sessions)
        if path is None:
            return _Candidate(committed, None, named, own, 0.0, "", None, late) if named else None
        rows = committed.rows_at(claim, path)
        common = rows & committed.added[path]
        share = common.total() / rows.total() if rows.total() else 0.0
        held = f"{common.total()} of {rows.total()} lines, in {show_path(path)}"
        record = self._recorded(edit, commit, path)
        found = _Candidate(committed, path, named, own, share, held, record, late)
        return found if named or self._is_likely(claim, found) else None

    def _is_likely(self, claim: Claim, found: _Candidate) -> bool:
        holds, late = found.share >= MOST, found.late
        if claim.edit.kind == "answer" and not holds:
            return False
        if late is None:
            return holds or found.own is not None
        if late >= 1:
            return holds and late < 1 + (SKEW if found.own is None else OWN_SKEW)
        if holds:
            return True
        commit = found.committed.commit
        if -late > WINDOW or (commit.seen_by == "range" and not found.share and found.own is None):
            return False
        return not (self._newest.get(commit.root) == commit.id and self._stands(claim))

    def _stands(self, claim: Claim) -> bool:
        """Whether most of an edit is in its file in the work tree."""
        if claim.root is None or claim.path is None:
            return False
        return claim.is_in_tree(self._work_tree(claim.root, claim.path))

    def _made_by(self, edit: Edit, commit: Commit) -> str | None:
        """How it is known that the edit's session, or the one it works for, made the commit."""
        names = {edit.key.session, conversation_of(edit.key, self._sessions)[1]}
        if any(value in names for _, value in commit.hints):
            return f"committed by session {edit.key.session} of {edit.key.source}"
        for name in names:
            session = self._sessions.get((edit.key.source, name))
            made = () if session is None else session.commits
            if any(len(one.id) >= 7 and commit.id.startswith(one.id) for one in made):
                return "the log shows its session making the commit"
        return None

    def _recorded(self, edit: Edit, commit: Commit, path: bytes) -> str | None:
        if commit.id not in self._records:
            self._records[commit.id] = self._attribution(commit.id)
        for record in self._records[commit.id]:
            same = record.session == edit.key.session if record.session else record.tool == edit.key.source
            if same and record.contributor in _BY_AI and record.path in (None, show_path(path)):
                return f"{record.origin} gives it to {record.tool or record.session}"
        return None


def _late(edit: Edit, commit: Commit) -> float | None:
    """Seconds from the beginning of the commit's second to the edit."""
    return None if edit.time is None else edit.time - commit.time


def _indirect(
    edits: Sequence[Edit], links: dict[Key, Link], commits: dict[str, Commit], sessions: Sessions
) -> list[Link]:
    """Plans, commands and reviews go with the next edit of their conversation that is in a commit, else the last one.

    What came after the commit of the last one was not for it.
    """
    found: list[Link] = []
    conversations: dict[tuple[str, str], list[Edit]] = {}
    for edit in edits:
        conversations.setdefault(conversation_of(edit.key, sessions), []).append(edit)
    for own in conversations.values():
        waiting: list[Edit] = []
        last: Link | None = None
        for edit in own:
            link = links.get(edit.key)
            if link is not None:
                found += (_with(one, link) for one in waiting)
                waiting, last = [], link
            elif edit.kind == "indirect":
                waiting.append(edit)
        for one in waiting:
            late = None if last is None else _late(one, commits[last.commit])
            if last is not None and (late is None or late < 1):
                found.append(_with(one, last))
    return found


def _with(edit: Edit, link: Link) -> Link:
    detail = f"with {link.key.edit} of its conversation"
    return Link(edit.key, link.commit, (Evidence(link.evidence[0].kind, detail),))
