"""What is known of an assistant's work, whichever program it was: sessions, messages, edits, and what became of them.

Contents are bytes, as they stand in files. Times are seconds since 1970, UTC. Unknown is None, never 0.
Prompts are not in here: nothing of what a person wrote is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

_BYTES: Final = {"ser_json_bytes": "base64", "val_json_bytes": "base64"}
"""How bytes are kept in JSON."""

Kind = Literal["edit", "answer", "indirect"]
Outcome = Literal["applied", "denied", "failed", "reverted", "unknown"]
State = Literal["scored", "superseded", "not_applied", "indirect", "pending"]
EvidenceKind = Literal["environment", "hash", "content", "attribution", "time"]


@dataclass(frozen=True, order=True)
class Key:
    """What an edit is known by, for ever: reading a log again finds the same edit under the same key."""

    source: str
    session: str
    edit: str

    def __str__(self) -> str:
        return f"{self.source}/{self.session}/{self.edit}"


@dataclass(frozen=True)
class Part:
    """A piece of a file before and after an edit.

    before: None where nothing was there (a new file, a piece of an answer). line: the number of the piece's first line
    in the file after the edit, from 1; None where it is not known.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _BYTES

    before: bytes | None
    after: bytes
    line: int | None = None


@dataclass(frozen=True)
class Edit:
    """One edit of one file, one piece of code of an answer, or one piece of indirect work.

    kind: `edit` was made by a tool, `answer` is code in text, `indirect` is work that changes no file by itself (a
    plan, a command, a review), of which only tool and time are kept. tool: as the program calls it. path: the file, as
    the log has it, absolute where it can be; None where it is not known. language: what a fence said, or None. parts:
    what was changed; one part of a whole file where the log has that (`whole`). outcome: what the log says about
    whether it was applied; an answer's is `unknown`. reason: why it was not, in a word or two. user_modified: a person
    changed it in the program before it was applied. message: the model's answer that it was part of (see `Message`).
    commits: ids (or their beginnings) of commits that the log itself says it is in.
    """

    key: Key
    kind: Kind
    tool: str
    time: float | None
    path: str | None = None
    language: str | None = None
    parts: tuple[Part, ...] = ()
    whole: bool = False
    outcome: Outcome = "unknown"
    reason: str | None = None
    user_modified: bool = False
    model: str | None = None
    message: str | None = None
    commits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Message:
    """One answer of a model: what it cost. A log may repeat it; it counts once, the last time it was written.

    input_tokens: all of them, those from a cache included. cost: in US dollars, as the log says, never computed here.
    latency: seconds from request to the whole answer.
    """

    id: str
    time: float | None = None
    model: str | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    latency: float | None = None


@dataclass(frozen=True)
class MadeCommit:
    """A commit that the log shows the assistant making: its id (or the beginning of it), and when."""

    id: str
    time: float | None


@dataclass(frozen=True)
class Session:
    """One conversation with an assistant.

    version: of the program. folder: where it worked; None where the log does not say. parent: the session that started
    it (sub-agents). head, branch: what was checked out when it began. variant: what an experiment chose (a prompt, a
    model by lot), and randomised whether by lot. tags: whatever else the log says that one may want to compare by.
    """

    source: str
    id: str
    version: str | None = None
    folder: str | None = None
    started: float | None = None
    parent: str | None = None
    head: str | None = None
    branch: str | None = None
    variant: str | None = None
    randomised: bool = False
    commits: tuple[MadeCommit, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Reading:
    """All that a log says about one session.

    understood, not_understood: the number of its records; problems: what some of the latter are (their type or the
    error, never their content).
    """

    session: Session
    edits: tuple[Edit, ...] = ()
    messages: tuple[Message, ...] = ()
    understood: int = 0
    not_understood: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Commit:
    """A commit of the repository, as it is recorded.

    time: the committer's, in whole seconds. patch: its patch id (None where it changes nothing, or is a merge). root:
    the working tree in which it was made; None where that is not known. hints: what the hook saw in its environment.
    committed_by: the source whose assistant ran `git commit`; None for a person. seen_by: how it became known.
    moved_to: the commit that took its place (amend, rebase, squash); its edits count there. copy_of: the commit of
    which it is a cherry-pick; its edits count there.
    """

    id: str
    parents: tuple[str, ...]
    time: int
    author: str
    email: str
    patch: str | None = None
    root: str | None = None
    branch: str | None = None
    hints: tuple[tuple[str, str], ...] = ()
    committed_by: str | None = None
    seen_by: Literal["hook", "rewrite", "reflog", "range"] = "hook"
    moved_to: str | None = None
    copy_of: str | None = None


@dataclass(frozen=True)
class Evidence:
    """Why an edit is taken to be in a commit. detail: for a reader, without contents."""

    kind: EvidenceKind
    detail: str


@dataclass(frozen=True)
class Attribution:
    """What another tool's record says about who wrote lines of a commit.

    origin: the kind of record. tool: by the name of its source here where it is known, else as the record has it.
    session: as the record has it. path: in the repository; None for the whole commit. lines: first and last, from 1, of
    the file in the commit; () where the record does not say.
    """

    origin: Literal["git-ai", "qwen-code", "agent-trace", "trailer"]
    contributor: Literal["ai", "human", "mixed", "unknown"]
    tool: str | None = None
    model: str | None = None
    session: str | None = None
    path: str | None = None
    lines: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Link:
    """An edit and the one commit that it counts for. evidence: the strongest first, never empty."""

    key: Key
    commit: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class MatchedPiece:
    """One snippet and what it became.

    snippet: what the edit added. matched: the closest source in the commit. path, line: where that is; None where
    nothing was comparable. size, distance: in `measure`s.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _BYTES

    snippet: bytes
    matched: bytes
    path: str | None
    line: int | None
    size: int
    distance: int
    measure: Literal["tree", "lines"] | None


@dataclass(frozen=True)
class EditResult:
    """What became of one edit.

    commit: None while it is pending, and where it was not applied. path: in the repository. reward: r of the lines that
    it adds, in [0, 1]; None where there is none, as the state says. kept: the share of its nodes (or lines) that are
    unchanged. normalised: the reward with quotes and blanks made alike. size: nodes (or lines) that the reward counts.
    reason: why the state is what it is, in a few words. message: the model's answer that it was part of, as in `Edit`.
    """

    key: Key
    state: State
    commit: str | None = None
    path: str | None = None
    language: str | None = None
    model: str | None = None
    reward: float | None = None
    kept: float | None = None
    normalised: float | None = None
    size: int | None = None
    measure: Literal["tree", "lines"] | None = None
    reason: str | None = None
    evidence: tuple[Evidence, ...] = ()
    pieces: tuple[MatchedPiece, ...] = ()
    message: str | None = None


@dataclass(frozen=True)
class ConversationResult:
    """The net change of one session in one commit: what its edits add together, later ones laid over earlier ones."""

    source: str
    session: str
    commit: str
    reward: float | None
    kept: float | None
    normalised: float | None
    size: int | None
    edits: int


@dataclass(frozen=True)
class CommitResult:
    """All results of one commit, replaced as a whole when it is scored again. rule: which rules they follow."""

    commit: Commit
    edits: tuple[EditResult, ...]
    conversations: tuple[ConversationResult, ...]
    rule: str
    skew: float | None = None
    """Seconds by which the assistant's clock seems to differ from the committer's; None where nothing tells."""


@dataclass(frozen=True)
class Survival:
    """What still stands, on one day, of the lines of an edit that a commit brought.

    day: whole days after the commit. tip: the commit looked at; lines: of the edit in the commit; standing: those that
    line origins still give to it; reverted: the commit was undone as a whole. Where no branch leads to the commit any
    more, tip and standing are None: nothing can be said.
    """

    key: Key
    commit: str
    day: int
    tip: str | None
    lines: int
    standing: int | None
    reverted: bool = False
    seen_at: float = field(default=0.0, compare=False)
