"""What others can bring: sources of assistants' work (`gitgoodbench.feedback_sources`), and sinks for results
(`gitgoodbench.feedback_sinks`). An entry point names a class, which is made without arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from gitgoodbench.feedback.records import CommitResult, Reading
from gitgoodbench.plugins import FEEDBACK_SINKS, FEEDBACK_SOURCES

SOURCES: Final = FEEDBACK_SOURCES
SINKS: Final = FEEDBACK_SINKS


@dataclass(frozen=True)
class Place:
    """Where a repository and its user's files are.

    roots: the working trees of the repository, the main one first. common: the common Git directory. home: the user's.
    environment: where programs' folders may be set (CODEX_HOME, XDG_DATA_HOME). options: what the user configured for
    this source or sink (`gitgoodbench feedback install --source NAME:key=value`). since: logs that ended before are of
    no interest; None for all.
    """

    roots: tuple[Path, ...]
    common: Path
    home: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    since: float | None = None


@dataclass(frozen=True)
class Log:
    """Something that a source can read: a file, a row of a database, a server's list.

    name: what it is known by, a path or a URL. fingerprint: changes whenever there is more to read. ended: when it was
    last written.
    """

    name: str
    fingerprint: str
    ended: float | None = None


@dataclass(frozen=True)
class Committer:
    """The assistant that ran `git commit`. session: None where the environment does not say."""

    session: str | None


class Source(Protocol):
    """Logs of one program.

    variables: environment variables that the hook saves for it. They hold ids and marks, never secrets.
    """

    name: str
    title: str
    variables: tuple[str, ...]

    def committer(self, hints: Mapping[str, str]) -> Committer | None:
        """Whether this program made a commit in whose environment these variables were; None: it did not."""
        ...

    def logs(self, place: Place) -> Iterable[Log]:
        """The logs that may hold work on the repository, found without reading all of them.

        Raises:
            UserError: what is configured cannot be read.
        """
        ...

    def read(self, log: Log, place: Place) -> Iterable[Reading]:
        """Read a log: its sessions that worked in the repository (sub-agents are sessions of their own).

        A log may be incomplete, damaged or still being written: what cannot be understood is counted, never raised.

        Raises:
            OSError: it cannot be opened.
        """
        ...


@dataclass(frozen=True)
class Item:
    """One thing to deliver.

    key: what it is known by within its sink; the same key is never delivered twice, a payload that differs is delivered
    in place of the earlier one where the sink can replace. payload: JSON; None: take back what was delivered.
    """

    key: str
    payload: Mapping[str, Any] | None


class Sink(Protocol):
    """Where results go.

    remote: they leave this machine and cannot be taken back, so they are sent only when the commit has settled. `send`
    and `confirm` of a remote sink are called in several threads at once.
    """

    name: str
    title: str
    remote: bool

    def check(self, place: Place) -> str:
        """Say in one line whether it could deliver now (`feedback status --check`).

        Raises:
            UserError: it could not; the message says what to do.
        """
        ...

    def items(self, result: CommitResult, place: Place) -> Iterable[Item]:
        """What is to be delivered of a commit's results; without a connection."""
        ...

    def send(self, item: Item, place: Place, *, dry: bool = False) -> str:
        """Deliver one item; give what it is known by at the other end. dry: have it checked, and nothing stored.

        Raises:
            Refused: it will never be taken as it is.
            Withheld: it is better not sent.
            Unsure: it may have been taken; it is looked for before it is sent again.
            OSError: it was not taken, and may be later: nobody answered, or the other end is busy.
            UserError: nothing is taken before what is configured is put right.
        """
        ...

    def confirm(self, item: Item, reference: str, place: Place) -> bool:
        """Read back what was delivered: whether it is there, as it is in the item. One with payload None: it is gone.

        reference: what `send` gave; empty where it did not come to an answer.

        Raises:
            OSError: nobody answered; it is asked again later.
        """
        ...


class Refused(Exception):
    """The other end will never take this item; the message says why."""


class Withheld(Refused):
    """The sink itself does not deliver this item, and that is as it should be; the message says why."""


class Unsure(OSError):
    """The connection broke after the item had left: the other end may have taken it."""
