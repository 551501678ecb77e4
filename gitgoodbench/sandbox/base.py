"""The Sandbox contract: a work folder and a way to run commands in it.

One sandbox serves one episode. Commands are argument lists, never shell strings; a command is never retried, since Git
commands are not idempotent; whatever a command started is gone when it has ended or timed out. Paths of `put` and `get`
are relative to the work folder and never leave it, not through `..` and not through symbolic links.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, ClassVar, Literal, Protocol, Self, Unpack, runtime_checkable

from pydantic import BaseModel

from gitgoodbench.errors import GitGoodBenchError, UserError
from gitgoodbench.git.process import ExecOptions, ExecResult
from gitgoodbench.sandbox.channel import ByteStream

DEFAULT_OUTPUT_LIMIT = 64 * 1024 * 1024
"""Bytes of standard output (and as many of standard error) that a command may return; the rest is dropped."""


class SandboxPathError(GitGoodBenchError):
    """A path that leaves the work folder, does not exist, or is not a regular file."""


class SandboxDied(GitGoodBenchError):
    """The sandbox no longer answers, and never will. Where commands are the agent's own, they are to blame."""


class SandboxTaken(SandboxDied):
    """The sandbox was ended from outside, or what runs it no longer answers. No command is to blame."""


@dataclass(frozen=True)
class SandboxLimits:
    """What one sandbox may use. Bytes, cores, processes, seconds."""

    memory: int = 4 * 1024**3
    work_size: int = 2 * 1024**3
    cpus: float = 1.0
    pids: int = 256
    command_timeout_s: float = 120.0


class Sandbox(Protocol):
    """See the module's docstring. Used as a context manager: leaving it removes everything."""

    kind: str
    """The name of its plug-in, such as `docker` or `local`; goes into results."""

    isolated: bool
    """Whether hostile commands are contained. Tool sets with a shell are refused where it is false."""

    work_dir: str
    """Absolute path of the work folder as commands inside see it. Empty at first."""

    def exec(self, argv: Sequence[str | bytes], **options: Unpack[ExecOptions]) -> ExecResult:
        """Run a command to its end.

        Args:
            options: see `ExecOptions`. cwd: absolute, or relative to the work folder (the default).
            env: the whole environment of the command; None gives a minimal one (PATH, HOME, LC_ALL).
            timeout_s: after so many seconds the command and all its descendants are killed and the result says
                `timed_out`; None takes `SandboxLimits.command_timeout_s`.
            output_limit: bytes of standard output, and of standard error, to keep (default `DEFAULT_OUTPUT_LIMIT`).

        Raises:
            SandboxDied: the sandbox no longer answers.
        """
        ...

    def put(self, path: str | bytes, data: bytes | BinaryIO, *, mode: int = 0o644) -> None:
        """Write a regular file, whole, making parent folders.

        It replaces what is there: a symbolic link itself, not its target.

        Raises:
            SandboxPathError: the path leaves the work folder or runs through a file or symbolic link, or the file
                cannot be written (a folder is in its place, the disk is full).
        """
        ...

    def get(self, path: str | bytes, *, limit: int) -> bytes:
        """Read a regular file of at most `limit` bytes.

        Raises:
            SandboxPathError: as for `put`, or the file is absent, special, a link, or larger than `limit`.
        """
        ...

    def close(self) -> None:
        """Remove the sandbox with everything in it. May be called twice."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True)
class Placed:
    """What stands at a path of the work folder. mode: of a file. content: of a file; of a link, its target."""

    path: bytes
    kind: Literal["folder", "file", "link"]
    mode: int = 0o644
    content: bytes = b""


@runtime_checkable
class SharingSandbox(Sandbox, Protocol):
    """A sandbox that can take files of this machine which never change, and be refilled to be used once more.

    shared: the files that it has taken, by their paths in the work folder.
    lent_folder: an absolute path in the sandbox, below which files can be shared, too: nothing is copied then. None:
    there is no such place.
    """

    shared: Mapping[str, Path]
    lent_folder: str | None

    def share(self, path: str, file: Path) -> None:
        """Put a file into the work folder, or below `lent_folder`, to be read only, without a copy where that can be.

        Raises:
            SandboxPathError: as for `put`.
            OSError: the file cannot be read.
        """
        ...

    def refill(self, files: Sequence[Placed] = (), keep: Collection[str] = ()) -> None:
        """Have these files in the work folder, those shared ones that are to be kept, and nothing else.

        Raises:
            SandboxDied: the sandbox no longer answers, or cannot be emptied or filled.
        """
        ...


@runtime_checkable
class Interruptible(Protocol):
    """A sandbox whose command can be ended before its time."""

    def interrupt(self) -> None:
        """End the command that runs now, if one does; its result says `timed_out`. Any thread may call it."""
        ...


@runtime_checkable
class Accompanied(Protocol):
    """A sandbox in which a program of the harness can run beside the commands, out of their reach."""

    def accompany(self, argv: Sequence[str]) -> ByteStream:
        """Start a program as a user that is neither the commands' nor the supervisor's; its standard streams.

        It lives until it ends by itself or the sandbox does; commands that end do not take it with them.

        Raises:
            InfrastructureFailed: it could not be started.
        """
        ...


@dataclass(frozen=True)
class Needs:
    """What an agent's own program needs of each sandbox, beyond a work folder.

    who: the agent, for messages. image: what holds the program, unless the user names an image; None: any. build: the
    command that makes that image. home: a writable folder of the agent's own, outside the work folder, from which
    programs may be run. mounts: folders of this machine, to be read only, by the paths where they are seen.
    programs: by name, command lines that print a version, for the manifest; the image must have them.
    """

    who: str
    image: str | None = None
    build: str | None = None
    home: str | None = None
    mounts: Mapping[str, Path] = field(default_factory=dict)
    programs: Mapping[str, Sequence[str]] = field(default_factory=dict)


class SandboxProvider(Protocol):
    """Makes sandboxes of one kind. `describe` goes into the manifest (image digest, Git's version, limits)."""

    kind: str
    isolated: bool

    def open(self, *, run_id: str, episode_id: str) -> Sandbox:
        """A fresh sandbox, labelled so that `gitgoodbench clean` finds it after a crash.

        Raises:
            InfrastructureFailed: it could not be made.
        """
        ...

    def describe(self) -> Mapping[str, str]: ...


@runtime_checkable
class EquippingProvider(SandboxProvider, Protocol):
    """A provider whose sandboxes can have what agents with programs of their own need."""

    @property
    def summary(self) -> str:
        """One line for the user: what its sandboxes are made of."""
        ...

    def equipped(self, needs: Needs) -> SandboxProvider:
        """The same provider, of sandboxes that have it.

        Raises:
            UserError: they cannot: the image is missing, or a folder cannot be had there.
        """
        ...


def equip(provider: SandboxProvider, needs: Needs) -> SandboxProvider:
    """The provider of sandboxes that have what an agent needs.

    Raises:
        UserError: they cannot have it.
    """
    if not provider.isolated or not isinstance(provider, EquippingProvider):
        raise UserError(
            f"--agent {needs.who} runs a program of its own, and a sandbox of kind {provider.kind} does not contain "
            "it: start Docker and use --sandbox docker"
            if not provider.isolated
            else f"--agent {needs.who} runs a program of its own, for which --sandbox {provider.kind} has no place: "
            "use --sandbox docker"
        )
    return provider.equipped(needs)


@dataclass(frozen=True)
class SandboxSettings:
    """What a user chooses for sandboxes. own: options of plug-ins. needs: of the agent; see `equip` for all of them."""

    limits: SandboxLimits | None = None
    own: tuple[BaseModel, ...] = ()
    needs: Needs | None = None


@dataclass(frozen=True)
class Choice:
    """A provider, and one line for the user that says which it is and why."""

    provider: SandboxProvider
    reason: str


class SandboxKind(ABC):
    """Base of what an entry point of the group `gitgoodbench.sandboxes` names: makes the provider of that kind.

    The provider's `kind` is the name of the entry point, but for kinds that choose among others (`auto`).

    options: of its own, for `--opt`, if it has any. among: the kinds that it chooses among, whose options it passes on.
    """

    options: ClassVar[type[BaseModel] | None] = None
    among: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def choose(self, settings: SandboxSettings) -> Choice:
        """The provider.

        Raises:
            UserError: it is not available here, or not as it was asked for.
        """
