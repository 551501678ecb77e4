"""The harness's end of the channel against whatever a hostile or broken other end may send."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Iterator

import pytest

from gitgoodbench.sandbox.attached import AttachedStream
from gitgoodbench.sandbox.channel import Channel, ChannelBroken
from gitgoodbench.sandbox.frames import ABORT, CHUNK, DATA, END, ERR, FRAME, OUT, REQUEST, RESULT
from gitgoodbench.sandbox.local import SocketStream


class Scripted:
    """A stream that says what it is told, in small pieces or for ever, and remembers what it was sent."""

    def __init__(self, said: bytes | Iterator[bytes]) -> None:
        self.pieces = iter([said[i : i + 3] for i in range(0, len(said), 3)]) if isinstance(said, bytes) else said
        self.sent = b""
        self.received = 0
        self.closed = False

    def settimeout(self, seconds: float | None) -> None:
        assert seconds is not None

    def sendall(self, data: bytes) -> None:
        self.sent += data

    def recv(self, size: int) -> bytes:
        piece = next(self.pieces, b"")
        assert len(piece) <= size
        self.received += len(piece)
        return piece

    def shutdown(self) -> None:
        self.pieces = iter([])

    def close(self) -> None:
        self.closed = True


def frame(kind: bytes, payload: bytes) -> bytes:
    return FRAME.pack(kind, len(payload)) + payload


def refusal(said: bytes | Iterator[bytes], room: dict[bytes, int] | None = None) -> tuple[str, Scripted]:
    stream = Scripted(said)
    with pytest.raises(ChannelBroken) as raised:
        Channel(stream).call({"op": "get"}, room={OUT: 10} if room is None else room, timeout_s=30)
    assert stream.closed
    return str(raised.value), stream


def test_a_request_and_its_reply() -> None:
    stream = Scripted(frame(OUT, b"ab") + frame(ERR, b"!") + frame(OUT, b"c") + frame(RESULT, b'{"returncode": 0}'))

    reply = Channel(stream).call({"op": "exec"}, [b"in", b"put"], room={OUT: 3, ERR: 1}, timeout_s=30)

    assert stream.sent == frame(REQUEST, b'{"op": "exec"}') + frame(DATA, b"in") + frame(DATA, b"put") + frame(END, b"")
    assert (reply.result, reply.payloads) == ({"returncode": 0}, {OUT: b"abc", ERR: b"!"})
    assert not stream.closed


def test_garbage_breaks_the_channel() -> None:
    assert "not a reply" in refusal(b"HTTP/1.1 200 OK\r\n\r\n")[0]


def test_a_frame_that_was_not_asked_for_breaks_the_channel() -> None:
    assert "not a reply" in refusal(frame(DATA, b"x"))[0]


def test_a_frame_of_four_gigabytes_is_refused_by_its_header() -> None:
    message, stream = refusal(FRAME.pack(OUT, 0xFFFFFFFF) + b"x" * 1000, room={OUT: 2**40})

    assert message.startswith(r"not a reply: b'O\xff\xff\xff\xff")
    assert stream.received < 20


def test_more_output_than_the_request_allows_is_refused() -> None:
    assert "not a reply" in refusal(frame(OUT, b"123456") + frame(OUT, b"12345"))[0]


def test_endless_output_is_refused_when_the_room_is_used_up() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield frame(OUT, b"x" * 1000)

    assert refusal(endless(), room={OUT: 5 * CHUNK})[1].received < 6 * CHUNK


def test_endless_empty_frames_end_with_the_time() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            time.sleep(0.001)
            yield frame(OUT, b"") * 10

    with pytest.raises(ChannelBroken) as raised:
        Channel(Scripted(endless())).call({}, room={OUT: 10}, timeout_s=0.2)
    assert raised.value.late


def test_a_result_that_is_huge_is_refused() -> None:
    assert "not a reply" in refusal(FRAME.pack(RESULT, 10_000_000))[0]


@pytest.mark.parametrize(
    "result", [b"", b"\xff", b"{", b"[" * 60_000, b"[]", b"null", b"9" * 60_000], ids=lambda value: repr(value[:4])
)
def test_a_result_that_is_not_an_object_is_refused(result: bytes) -> None:
    assert refusal(frame(RESULT, result))[0].startswith("a result that is not")


def test_words_after_the_result_are_refused() -> None:
    stream = Scripted(iter([frame(RESULT, b"{}") + b"more"]))

    with pytest.raises(ChannelBroken, match="after the end"):
        Channel(stream).call({}, timeout_s=30)


def test_a_stream_that_ends_early_breaks_the_channel() -> None:
    for said in (b"", frame(OUT, b"abc")[:6], frame(OUT, b"abc"), frame(RESULT, b"{}")[:-1]):
        assert refusal(said)[0] == "the supervisor is gone"


def test_silence_breaks_the_channel_when_the_time_is_up() -> None:
    near, far = socket.socketpair()
    channel = Channel(SocketStream(near))
    began = time.monotonic()

    with far, pytest.raises(ChannelBroken) as raised:
        channel.call({"op": "hello"}, timeout_s=0.2)

    assert raised.value.late
    assert channel.closed
    assert time.monotonic() - began >= 0.2


def test_a_stream_that_breaks_while_sending_breaks_the_channel() -> None:
    near, far = socket.socketpair()
    far.close()

    with pytest.raises(ChannelBroken) as raised:
        Channel(SocketStream(near)).call({"op": "put"}, [b"x" * CHUNK] * 50, timeout_s=5)
    assert not raised.value.late


def broken() -> Iterator[bytes]:
    yield b"x"
    raise OSError("no such disk")


def test_after_an_error_of_the_body_the_request_is_aborted_and_the_channel_goes_on() -> None:
    stream = Scripted(frame(RESULT, b'{"refused": "aborted"}') + frame(RESULT, b'{"next": 1}'))
    channel = Channel(stream)

    with pytest.raises(OSError, match="no such disk"):
        channel.call({"op": "put"}, broken(), timeout_s=5)

    sent = frame(REQUEST, b'{"op": "put"}') + frame(DATA, b"x") + frame(ABORT, b"")
    assert (stream.sent, channel.closed) == (sent, False)
    assert channel.call({}, timeout_s=5).result == {"next": 1}


def test_a_request_that_cannot_be_aborted_closes_the_channel() -> None:
    stream = Scripted(b"")
    with pytest.raises(OSError, match="no such disk"):
        Channel(stream).call({"op": "put"}, broken(), timeout_s=5)
    assert stream.closed


def test_an_interrupted_reply_is_read_to_its_end_and_dropped() -> None:
    def interrupted() -> Iterator[bytes]:
        yield frame(OUT, b"abc") + frame(OUT, b"defg")[:7]
        raise KeyboardInterrupt

    stream = Scripted(interrupted())
    channel = Channel(stream)
    waits = stream.recv
    rest = [frame(OUT, b"defg")[7:] + frame(RESULT, b'{"returncode": -9}'), frame(RESULT, b'{"next": 1}')]

    def recv(size: int) -> bytes:
        try:
            return waits(size)
        except KeyboardInterrupt:
            stream.pieces = iter(rest)
            raise

    stream.recv = recv  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        channel.call({"op": "exec"}, room={OUT: 7}, timeout_s=5)

    assert stream.sent.endswith(frame(END, b"") + frame(ABORT, b""))
    assert channel.call({}, timeout_s=5).result == {"next": 1}


@pytest.mark.parametrize("step", [1, 7, 8, 9, 1000])
def test_multiplexed_output_is_unwrapped_however_it_is_cut(step: int) -> None:
    def wrapped(kind: int, payload: bytes) -> bytes:
        return struct.pack(">BxxxI", kind, len(payload)) + payload

    said = wrapped(1, b"first") + wrapped(2, b"a warning") + wrapped(1, b"") + wrapped(1, json.dumps([1, 2]).encode())
    stream = AttachedStream(Scripted(iter([said[i : i + step] for i in range(0, len(said), step)])))

    heard = b""
    while data := stream.recv(4):
        assert len(data) <= 4
        heard += data

    assert heard == b"first[1, 2]"
    assert stream.errors == b"a warning"
