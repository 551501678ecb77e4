"""An answer on its way to a client: the events of a stream as they come, calls and the end once it is on record.

An answer is paid, so it is written down before it is used: that is, before a call in it can be carried out.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from gitgoodbench.models.endpoint import Hear

_STREAM: Final = "text/event-stream"
_BLANK: Final = re.compile(rb"\r?\n\r?\n|\r\r")
_ENDING: Final = re.compile(
    rb'"finish_reason"\s*:\s*"'
    rb'|"type"\s*:\s*"(?:tool_use|(?:function|custom_tool|local_shell|shell|apply_patch)_call)"'
    rb'|"finishReason"\s*:\s*"|"functionCall"\s*:\s*\{'
    rb'|"type"\s*:\s*"(?:response\.(?:completed|incomplete|failed)|message_delta|message_stop)"'
    rb"|\Adata: ?\[DONE\]"
)
"""Of an event from which on a client could use the answer. Inside of texts, quotes have a backslash before them."""

_ONLY_USAGE: Final = re.compile(rb'"choices"\s*:\s*\[\s*\]')


class Client(Protocol):
    """Where an answer goes. Methods raise OSError where the client is gone."""

    def begin(self, content_type: str) -> None:
        """An answer that comes piece by piece begins."""
        ...

    def write(self, data: bytes) -> None:
        """A piece of it."""
        ...

    def end(self) -> None:
        """It is whole."""
        ...


class Passing:
    """See the module's docstring.

    hide: takes the key out of an event. wanted: whether the client asked for a stream. leaves_usage: the client did not
    ask for the chunk that holds nothing but what was used, and may not know it. begun: whether the client has a part.
    streams: whether the last try's answer comes as a stream.
    """

    def __init__(self, client: Client, hide: Callable[[bytes], bytes], *, wanted: bool, leaves_usage: bool) -> None:
        self._client, self._hide = client, hide
        self._wanted, self._leaves_usage = wanted, leaves_usage
        self._lock = threading.Lock()
        self._try_number = 0
        self._arrived = bytearray()
        self._held = bytearray()
        self._holds = self._gone = False
        self.begun = False
        self.streams = False

    def listen(self) -> Hear:
        """What is told of the pieces of the next try's answer. It never raises: a paid answer is read to its end."""
        with self._lock:
            self._try_number += 1
            self._arrived.clear()
            self._held.clear()
            self._holds = self.streams = False
            return partial(self._hear, self._try_number)

    def finish(self) -> None:
        """The answer is on record: send what was held back of a stream, and its end."""
        with self._lock:
            self._try_number += 1
            rest = bytes(self._held) + self._hide(bytes(self._arrived))
            if not self.begun:
                self._send(lambda: self._client.begin(_STREAM))
            self._send(lambda: self._client.write(rest))
            self._send(self._client.end)

    def _hear(self, try_number: int, content_type: str, data: bytes) -> None:
        with self._lock:
            if try_number != self._try_number or not self._wanted or not content_type.startswith(_STREAM):
                return
            self.streams = True
            self._arrived += data
            start = 0
            passed = bytearray()
            for blank in _BLANK.finditer(self._arrived):
                passed += self._passed(bytes(self._arrived[start : blank.end()]))
                start = blank.end()
            del self._arrived[:start]
            if passed:
                self._pass_on(bytes(passed))

    def _passed(self, event: bytes) -> bytes:
        """What of an event may go to the client now; the rest is held."""
        if self._leaves_usage and _ONLY_USAGE.search(event):
            return b""
        event = self._hide(event)
        self._holds = self._holds or bool(_ENDING.search(event))
        if self._holds:
            self._held += event
            return b""
        return event

    def _pass_on(self, events: bytes) -> None:
        if not self.begun:
            self.begun = True
            self._send(lambda: self._client.begin(_STREAM))
        self._send(lambda: self._client.write(events))

    def _send(self, send: Callable[[], None]) -> None:
        if not self._gone:
            try:
                send()
            except OSError:
                self._gone = True
