"""A sandbox around a supervisor: everything of the contract but how the supervisor is started."""

from __future__ import annotations

import json
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self, Unpack

from gitgoodbench.git.process import ExecOptions, ExecResult
from gitgoodbench.sandbox.base import DEFAULT_OUTPUT_LIMIT, SandboxDied, SandboxLimits, SandboxPathError
from gitgoodbench.sandbox.channel import ByteStream, Channel, ChannelBroken, chunks
from gitgoodbench.sandbox.frames import DATA, ERR, OUT

DEFAULT_GRACE_S: Final = 15.0
"""Seconds beyond a command's own limit in which the supervisor must have reported its end."""

_TRAVELLERS: Final = ("frames", "supervisor_files", "supervisor_processes", "supervisor")
_BOOTSTRAP: Final = """
import json, sys, types
for name, source in json.loads(sys.argv[1]).items():
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(source, name, "exec"), module.__dict__)
module.main(**json.loads(sys.argv[2]))
"""
_TRIES: Final = 3
_START_S: Final = 30.0
_IDLE_S: Final = 10.0
_LONGEST_S: Final = 7 * 24 * 3600.0
_LOST: Final = b"gitgoodbench: the command took the supervisor of the sandbox down; everything in it was killed\n"


def supervisor_argv(python: str, *, root: str, home: str, alone: bool) -> list[str]:
    """The command line that starts a supervisor; `supervisor.main` explains the arguments."""
    folder = Path(__file__).parent
    sources = {f"{__package__}.{name}": (folder / f"{name}.py").read_text("utf-8") for name in _TRAVELLERS}
    settings = {"root": root, "home": home, "alone": alone}
    return [python, "-I", "-S", "-X", "utf8", "-c", _BOOTSTRAP, json.dumps(sources), json.dumps(settings)]


class SupervisedSandbox(ABC):
    """See `sandbox.base.Sandbox`. For one thread at a time, but for `close`, which any thread may call at any moment.

    A command that kills or stops its own supervisor, which is in its power, ends with everything else in the sandbox.
    Its result says killed (-9), and `timed_out` where the supervisor was still there but silent; its output is lost;
    the sandbox goes on with a new supervisor.
    """

    kind: str
    isolated: bool
    work_dir: str

    def __init__(self, limits: SandboxLimits, grace_s: float = DEFAULT_GRACE_S) -> None:
        self.limits = limits
        self._grace_s = grace_s
        self._channel: Channel | None = None
        self._closed = False
        self._used_at = 0.0

    @abstractmethod
    def _connect(self) -> ByteStream:
        """Start a supervisor; anything an earlier one left running is killed.

        Raises:
            SandboxDied: it cannot be started.
        """

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
        try:
            reply = self._live().call(
                request,
                chunks(options.get("stdin", b"")),
                room={OUT: limit, ERR: limit},
                timeout_s=timeout_s + self._grace_s,
            )
            return ExecResult(
                _number(reply.result, "returncode"),
                reply.payloads[OUT],
                reply.payloads[ERR],
                timed_out=reply.result.get("timed_out") is True,
                truncated=reply.result.get("truncated") is True,
            )
        except ChannelBroken as broken:
            self._revive()
            return ExecResult(-signal.SIGKILL, b"", _LOST, timed_out=broken.late)

    def put(self, path: str | bytes, data: bytes | BinaryIO, *, mode: int = 0o644) -> None:
        """See `Sandbox.put`."""
        self._move({"op": "put", "path": _text(path), "mode": mode}, data, {})

    def get(self, path: str | bytes, *, limit: int) -> bytes:
        """See `Sandbox.get`."""
        request = {"op": "get", "path": _text(path), "limit": limit}
        return self._move(request, b"", {DATA: limit})[DATA]

    def start(self) -> None:
        """Start a supervisor, in the place of an earlier one if there was one.

        Raises:
            SandboxDied: it does not start, or does not answer.
        """
        self._drop_channel()
        self._refuse_when_closed()
        channel = Channel(self._connect())
        try:
            channel.call({"op": "hello"}, timeout_s=_START_S)
        except ChannelBroken as broken:
            raise SandboxDied(f"the supervisor of the sandbox does not start: {broken}") from broken
        self._channel = channel
        self._used_at = time.monotonic()

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

    def _revive(self) -> None:
        """Start a new supervisor, which takes more than one try where processes of the old one use up what there is."""
        for attempt in range(1, _TRIES + 1):
            try:
                self.start()
            except SandboxDied:
                if self._closed or attempt == _TRIES:
                    raise
            else:
                return

    def _move(
        self, request: Mapping[str, Any], data: bytes | BinaryIO, room: Mapping[bytes, int]
    ) -> Mapping[bytes, bytes]:
        try:
            reply = self._live().call(
                request, chunks(data), room=room, timeout_s=self.limits.command_timeout_s + self._grace_s
            )
        except ChannelBroken as broken:
            self._drop_channel()
            raise SandboxDied(f"the sandbox was lost: {broken}") from broken
        refusal = reply.result.get("refused")
        if refusal is not None:
            raise SandboxPathError(str(refusal)[:1000])
        return reply.payloads

    def _live(self) -> Channel:
        """The channel, tried first where it may be dead: idle for a while, or closed by an exception."""
        self._refuse_when_closed()
        if self._channel is None or self._channel.closed or not self._answers(self._channel):
            self.start()
        assert self._channel is not None
        self._used_at = time.monotonic()
        return self._channel

    def _answers(self, channel: Channel) -> bool:
        if time.monotonic() - self._used_at < _IDLE_S:
            return True
        try:
            channel.call({"op": "hello"}, timeout_s=_START_S)
        except ChannelBroken:
            return False
        return True

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise SandboxDied("the sandbox is closed")

    def _drop_channel(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None


def _text(value: str | bytes) -> str:
    """Bytes as a string that JSON carries, one character each. A lone surrogate, no text at all, becomes odd bytes."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    try:
        return value.encode("utf-8", "surrogateescape").decode("latin-1")
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass").decode("latin-1")


def _number(result: Mapping[str, Any], name: str) -> int:
    value = result.get(name)
    if not isinstance(value, int) or not -128 <= value <= 255:
        raise ChannelBroken(f"a result without {name}")
    return value
