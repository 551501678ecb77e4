"""A provider, the bridge before it, and clients that ask through it, as programs in a sandbox do."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gitgoodbench.bridge.endpoint import ModelEndpoint
from gitgoodbench.bridge.upstream import Upstream
from gitgoodbench.models.meter import Budget, Meter
from gitgoodbench.models.pricing import Price
from gitgoodbench.models.recording import Recorder, recording
from tests.support.dialect import sse
from tests.support.listening import Listener
from tests.support.llm_reply import Reply, says
from tests.support.relays import relayed
from tests.support.scripted_llm import Script, ScriptedServer

KEY = "sk-the-key-of-the-provider"
PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "anthropic": "/v1/messages"}
APIS = tuple(PATHS)
PRICE = Price(input=1.0, cached_input=1.0, output=2.0)
UNLIMITED = Budget(None, None, None, None)


@dataclass
class Bridged:
    """The bridge on `port`; what the provider got, what the recorder heard, how often it interrupted."""

    port: int
    endpoint: ModelEndpoint
    server: ScriptedServer
    meter: Meter
    interruptions: list[str] = field(default_factory=list)

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def post(
        self, api: str, body: Mapping[str, Any] | bytes, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Status and body of the reply."""
        connection = self.connect()
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", PATHS[api], data, {"Content-Type": "application/json", **(headers or {})})
        response = connection.getresponse()
        try:
            return response.status, response.read()
        finally:
            connection.close()

    def raw(self, data: bytes) -> bytes:
        """What comes back for any bytes at all."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as client:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            received = bytearray()
            try:
                while piece := client.recv(65536):
                    received += piece
            except ConnectionResetError:
                pass
            return bytes(received)


@contextmanager
def bridge_to(
    script: Sequence[Reply] | Script,
    budget: Budget = UNLIMITED,
    recorder: Recorder | None = None,
    apis: Sequence[str] = APIS,
    **settings: Any,
) -> Iterator[Bridged]:
    """The bridge before a provider with that script. settings: of each `Upstream`."""
    with ScriptedServer(script, preflights=False) as server:
        chosen: dict[str, Any] = {"sleep": lambda _: None, "price": PRICE, **settings}
        upstreams = [Upstream("scripted", api=api, api_key=KEY, base_url=server.url, **chosen) for api in apis]
        meter = Meter(budget, PRICE)
        interruptions: list[str] = []
        with recording(recorder or Listener()):
            endpoint = ModelEndpoint(upstreams, meter, lambda: interruptions.append("interrupted"), grace_s=0.05)
        with relayed(endpoint.serve, endpoint.lose) as mux:
            try:
                yield Bridged(mux.port, endpoint, server, meter, interruptions)
            finally:
                endpoint.close()


def question(api: str, *said: str, system: str = "Be good.", streamed: bool = False, **more: Any) -> dict[str, Any]:
    """A request as clients of the API write it: what user and assistant said in turn."""
    turns = [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(said or ("Hi.",))]
    stream = {"stream": True} if streamed else {}
    if api == "responses":
        return {"model": "theirs", "instructions": system, "input": turns, **stream, **more}
    if api == "anthropic":
        return {"model": "theirs", "max_tokens": 9, "system": system, "messages": turns, **stream, **more}
    return {"model": "theirs", "messages": [{"role": "system", "content": system}, *turns], **stream, **more}


def answer(api: str, text: str = "Hello.", *, streamed: bool = False) -> Reply:
    """A provider's answer: 100 tokens in, 10 out."""
    return _MAKERS[api](text, streamed)


def _chat(text: str, streamed: bool) -> Reply:
    if not streamed:
        return says(text)
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "scripted"}
    pieces = [{"role": "assistant", "content": ""}, *({"content": letter} for letter in text)]
    events = [{**chunk, "choices": [{"index": 0, "delta": piece, "finish_reason": None}]} for piece in pieces]
    end = {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    usage = {**chunk, "choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}
    return sse(*events, end, usage)


def _responses(text: str, streamed: bool) -> Reply:
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}]}  # fmt: skip
    body = {"id": "resp_1", "object": "response", "model": "scripted", "status": "completed", "error": None,
            "output": [item], "usage": {"input_tokens": 100, "output_tokens": 10}}  # fmt: skip
    if not streamed:
        return Reply(json.dumps(body).encode())
    deltas = [{"type": "response.output_text.delta", "item_id": "msg_1", "delta": letter} for letter in text]
    return sse(
        {"type": "response.created", "response": {**body, "status": "in_progress", "output": []}}, *deltas,
        {"type": "response.output_item.done", "item": item}, {"type": "response.completed", "response": body}, end="",
    )  # fmt: skip


def _messages(text: str, streamed: bool) -> Reply:
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 100, "output_tokens": 10}}  # fmt: skip
    if not streamed:
        return Reply(json.dumps(body).encode())
    deltas = [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": t}} for t in text]
    return sse(
        {"type": "message_start", "message": {**body, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}, *deltas,
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 10}},
        {"type": "message_stop"}, end="",
    )  # fmt: skip


_MAKERS: dict[str, Callable[[str, bool], Reply]] = {"chat": _chat, "responses": _responses, "anthropic": _messages}
