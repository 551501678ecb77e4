"""What an agent that worked without this harness is said to have left: values only, hostile like every outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Patch:
    """A change as `git diff --binary` writes it."""

    data: bytes


@dataclass(frozen=True)
class FileState:
    """A file as it is to be. mode: octal text as in a tree; None keeps the one it has, or makes a regular file."""

    content: bytes
    mode: str | None = None


@dataclass(frozen=True)
class Files:
    """A change as the files that it leaves, by path; None deletes. All other files stay as they are."""

    states: Mapping[bytes, FileState | None]


@dataclass(frozen=True)
class Step:
    """One commit: what it changes, and its message (None: nobody said)."""

    change: Patch | Files
    message: bytes | None = None


@dataclass(frozen=True)
class Series:
    """Commits one after the other, the oldest first."""

    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Bundle:
    """Commits as `git bundle create` writes them, without what the workspace begins with."""

    data: bytes


@dataclass(frozen=True)
class Prediction:
    """What was predicted for one episode. content: None for nothing, which leaves the workspace as it begins."""

    content: Series | Bundle | None = field(default=None)
