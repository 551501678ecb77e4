"""A sandbox around a supervisor: everything of the contract but how the supervisor is started.

There is one supervisor in the life of a sandbox. Whatever ends it, or the channel to it, ends the sandbox: nobody needs
to know what an earlier one has left behind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self, Unpack

from gitgoodbench.git.process import ExecOptions, ExecResult
from gitgoodbench.sandbox.base import DEFAULT_OUTPUT_LIMIT, Placed, SandboxDied, SandboxLimits, SandboxPathError
from gitgoodbench.sandbox.channel import ByteStream, Channel, ChannelBroken, Reply, chunks
from gitgoodbench.sandbox.frames import DATA, ERR, OUT
from gitgoodbench.sandbox.travelling import program, sources_of

DEFAULT_GRACE_S: Final = 15.0
"""Seconds beyond a command's own limit in which the supervisor must have reported its end."""

_TRAVELLERS: Final = (
    "frames", "supervisor_files", "supervisor_refill", "supervisor_users", "supervisor_processes", "supervisor",
)  # fmt: skip
_START_S: Final = 30.0
_KILLED: Final = -9
_LONGEST_S: Final = 7 * 24 * 3600.0


def supervisor_sources() -> dict[str, str]:
    """The text of each module of a supervisor, in the order of their imports."""
    return sources_of(str(__package__), _TRAVELLERS)


def supervisor_program(settings: Mapping[str, Any]) -> bytes:
    """What a supervisor reads first: its modules, and the arguments of its `main`."""
    return program(supervisor_sources(), settings)


class SupervisedSandbox(ABC):
    """See `sandbox.base.Sandbox`. For one thread at a time, but for `close`, which any thread may call at any moment.

    A supervisor that is gone, silent or not understood ends the sandbox: that call and every later one raise
    `SandboxDied`. A call that is interrupted ends alone, if the supervisor says so at once.
    """

    kind: str
    isolated: bool
    work_dir: str
    lent_folder: str | None = None

    def __init__(self, limits: SandboxLimits, grace_s: float = DEFAULT_GRACE_S) -> None:
        self.limits = limits
        self._grace_s = grace_s
        self._channel: Channel | None = None
        self._closed = False
        self._death: SandboxDied | None = None
        self.shared: dict[str, Path] = {}

    @abstractmethod
    def _connect(self) -> tuple[ByteStream, Mapping[str, Any]]:
        """Start the supervisor: the stream to it, on which it waits for its program, and the program's settings.

        Raises:
            SandboxDied: it cannot be started.
        """

    def _autopsy(self, broken: ChannelBroken) -> SandboxDied:
        """What a broken channel means."""
        return SandboxDied(f"the sandbox was lost: {broken}")

    @abstractmethod
    def _remove(self) -> None:
        """Remove the sandbox itself; raises InfrastructureFailed."""

    def exec(self, argv: Sequence[str | bytes], **options: Unpack[ExecOptions]) -> ExecResult:
        """See `Sandbox.exec`. 127: the command is not there; 126: it, or the folder to run it in, cannot be used."""
        if not argv:
            raise ValueError("no command")
        cwd, env = options.get("cwd"), options.get("env")
        timeout_s, output_limit = options.get("timeout_s"), options.get("output_limit")
        limit = DEFAULT_OUTPUT_LIMIT if output_limit is None else output_limit
        timeout_s = min(self.limits.command_timeout_s if timeout_s is None else timeout_s, _LONGEST_S)
        request = {
            "op": "exec",
            "argv": [_text(argument) for argument in argv],
            "cwd": None if cwd is None else _text(cwd),
            "env": None if env is None else {_text(name): _text(value) for name, value in env.items()},
            "timeout": timeout_s,
            "limit": limit,
        }
        body, room = chunks(options.get("stdin", b"")), {OUT: limit, ERR: limit}
        reply = self._call(request, body, room, timeout_s)
        return ExecResult(
            reply.result.get("returncode", _KILLED),
            reply.payloads[OUT],
            reply.payloads[ERR],
            timed_out=reply.result.get("timed_out") is True or _was_aborted(reply),
            truncated=reply.result.get("truncated") is True,
        )

    def interrupt(self) -> None:
        """See `Interruptible.interrupt`."""
        if self._channel is not None:
            self._channel.abort()

    def put(self, path: str | bytes, data: bytes | BinaryIO, *, mode: int = 0o644) -> None:
        """See `Sandbox.put`."""
        self._move({"op": "put", "path": _text(path), "mode": mode}, data, {})

    def get(self, path: str | bytes, *, limit: int) -> bytes:
        """See `Sandbox.get`."""
        request = {"op": "get", "path": _text(path), "limit": limit}
        return self._move(request, b"", {DATA: limit})[DATA]

    def share(self, path: str, file: Path) -> None:
        """See `SharingSandbox.share`."""
        with file.open("rb") as stream:
            self.put(path, stream, mode=0o444)
        self.shared[path] = file

    def refill(self, files: Sequence[Placed] = (), keep: Collection[str] = ()) -> None:
        """See `SharingSandbox.refill`: in the supervisor itself, which writes what differs and starts no command."""
        self.shared = {path: file for path, file in self.shared.items() if path in keep}
        request = {
            "op": "refill",
            "entries": [[_text(file.path), file.kind, file.mode, len(file.content)] for file in files],
            "keep": [_text(path) for path in self.shared if not path.startswith("/")],
        }
        try:
            self._move(request, b"".join(file.content for file in files), {})
        except SandboxPathError as problem:
            raise SandboxDied(f"the sandbox cannot be emptied or filled: {problem}") from problem

    def start(self) -> None:
        """Start the supervisor.

        Raises:
            SandboxDied: it does not start, or does not answer.
        """
        stream, settings = self._connect()
        self._channel = Channel(stream, supervisor_program(settings))
        try:
            self._channel.call({"op": "hello"}, timeout_s=_START_S)
        except ChannelBroken as broken:
            raise SandboxDied(f"the supervisor of the sandbox does not start: {broken}") from broken

    def close(self) -> None:
        """See `Sandbox.close`.

        Raises:
            InfrastructureFailed: it cannot be removed; `gitgoodbench clean` can, later.
        """
        if not self._closed:
            self._closed = True
            self._drop_channel()
            self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _move(
        self, request: Mapping[str, Any], data: bytes | BinaryIO, room: Mapping[bytes, int]
    ) -> Mapping[bytes, bytes]:
        reply = self._call(request, chunks(data), room, self.limits.command_timeout_s)
        refusal = reply.result.get("refused")
        if refusal is not None:
            raise SandboxPathError(str(refusal)[:1000])
        return reply.payloads

    def _call(
        self, request: Mapping[str, Any], body: Iterable[bytes], room: Mapping[bytes, int], timeout_s: float
    ) -> Reply:
        channel = self._living_channel()
        try:
            reply = channel.call(request, body, room=room, timeout_s=timeout_s + self._grace_s)
            if request["op"] == "exec":
                _check_returncode(reply)
        except ChannelBroken as broken:
            channel.close()
            self._death = SandboxDied("the sandbox is closed") if self._closed else self._autopsy(broken)
            raise self._death from broken
        return reply

    def _living_channel(self) -> Channel:
        if self._closed or self._channel is None:
            raise SandboxDied("the sandbox is closed")
        if self._death is None and self._channel.closed:
            self._death = SandboxDied("the sandbox was lost with a call that was interrupted")
        if self._death is not None:
            raise self._death.with_traceback(None)
        return self._channel

    def _drop_channel(self) -> None:
        if self._channel is not None:
            self._channel.close()


def _text(value: str | bytes) -> str:
    """Bytes as a string that JSON carries, one character each. A lone surrogate, no text at all, becomes odd bytes."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    try:
        return value.encode("utf-8", "surrogateescape").decode("latin-1")
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass").decode("latin-1")


def _was_aborted(reply: Reply) -> bool:
    """Whether a command was interrupted before it began."""
    return reply.result.get("refused") == "aborted"


def _check_returncode(reply: Reply) -> None:
    if _was_aborted(reply):
        return
    value = reply.result.get("returncode")
    if type(value) is not int or not -128 <= value <= 255:
        raise ChannelBroken("a result without returncode")
