"""What the model bridge costs: `PYTHONPATH=. python bench/bridge.py [--rounds N] [--no-docker]`.

The same client asks the same provider directly, through a relay that is a process of this machine, and from inside a
sealed container, in one run and in turn, so that figures of a machine under load compare. Requests are counted,
recorded (ledger and transcript, synced to the disk) and limited as in a run. Milliseconds: median and 95th percentile.
Then the memory of the relay.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from gitgoodbench.bridge.endpoint import ModelEndpoint
from gitgoodbench.bridge.session import bridged
from gitgoodbench.bridge.upstream import Upstream
from gitgoodbench.models.meter import Budget, Meter
from gitgoodbench.models.recording import recording
from gitgoodbench.runs.bookkeeping import Account, Bookkeeper
from gitgoodbench.runs.ledger import Ledger
from gitgoodbench.runs.transcript import Transcript
from gitgoodbench.sandbox.docker import COMPANION_USER, DockerProvider
from tests.support.relays import relayed

THINKING_S = 0.5
CLIENT = """
import http.client, json, sys, threading, time
port, rounds = int(sys.argv[1]), int(sys.argv[2])
def connect():
    return http.client.HTTPConnection("127.0.0.1", port, timeout=120)
def ask(size, connection=None, stream=False, model="m"):
    link = connection or connect()
    said = [{"role": "user", "content": "x" * size}]
    body = json.dumps({"model": model, "stream": stream, "messages": said, "temperature": 0.5 if model == "m" else 1.5})
    begun = time.perf_counter()
    link.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
    response = link.getresponse()
    data = response.read()
    assert response.status == 200, data[:300]
    if connection is None:
        link.close()
    return 1000 * (time.perf_counter() - begun)
def at_once(count):
    begun = time.perf_counter()
    threads = [threading.Thread(target=ask, args=(4000,), kwargs={"model": "slow"}) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 1000 * (time.perf_counter() - begun)
kept = connect()
ask(10, kept)
print(json.dumps({
    "4 kB, kept connection": [ask(4000, kept) for _ in range(5 * rounds)],
    "4 kB, new connection": [ask(4000) for _ in range(5 * rounds)],
    "4 kB, streamed, 50 events": [ask(4000, stream=True) for _ in range(3 * rounds)],
    "1 MB prompt": [ask(1_000_000, kept) for _ in range(rounds)],
    "8 at once, 0.5 s each": [at_once(8) for _ in range(3)],
}))
"""


class Provider(BaseHTTPRequestHandler):
    """Answers at once, or after half a second where the temperature is high."""

    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body.get("temperature", 0) > 1:
            time.sleep(THINKING_S)
        usage = {"prompt_tokens": 1000, "completion_tokens": 50}
        if body.get("stream"):
            deltas = [{"choices": [{"index": 0, "delta": {"content": "word "}, "finish_reason": None}]}] * 50
            end = [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage}]
            text = "".join(f"data: {json.dumps(event)}\n\n" for event in [*deltas, *end]) + "data: [DONE]\n\n"
            self._send(text.encode(), "text/event-stream")
            return
        message = {"role": "assistant", "content": "word " * 50}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self._send(json.dumps({"id": "1", "model": "m", "choices": [choice], "usage": usage}).encode())

    def _send(self, data: bytes, kind: str = "application/json") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def provide() -> None:
    """Serve until standard input ends."""
    ThreadingHTTPServer.request_queue_size = 64
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


@contextlib.contextmanager
def provider() -> Iterator[int]:
    """The port of a provider in a process of its own."""
    command = [sys.executable, __file__, "--provide"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield int(process.stdout.readline())
        process.stdin.close()


def on_this_machine(port: int, rounds: int) -> dict[str, list[float]]:
    done = subprocess.run([sys.executable, "-c", CLIENT, str(port), str(rounds)], capture_output=True, check=True)
    return dict(json.loads(done.stdout))


def through_relay(upstream: Upstream, meter: Meter, rounds: int) -> dict[str, list[float]]:
    endpoint = ModelEndpoint([upstream], meter)
    with relayed(endpoint.serve, endpoint.lose) as mux:
        found = on_this_machine(mux.port, rounds)
        endpoint.close()
    return found


def from_container(upstream: Upstream, meter: Meter, rounds: int) -> dict[str, list[float]]:
    with (
        DockerProvider().open(run_id="bench", episode_id="bridge") as sandbox,
        bridged(sandbox, [upstream], meter) as bridge,
    ):
        port = bridge.address.rpartition(":")[2]
        result = sandbox.exec(["python3", "-c", CLIENT, port, str(rounds)], timeout_s=600)
        assert result.returncode == 0, result.stderr.decode()
        look = f"for p in /proc/[0-9]*; do [ $(stat -c %u $p) = {COMPANION_USER} ] && grep VmRSS $p/status; done"
        print("relay:", " ".join(sandbox.exec(["sh", "-c", look]).stdout.decode().split()))
    return dict(json.loads(result.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--no-docker", action="store_true")
    parser.add_argument("--provide", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.provide:
        provide()
        return
    with tempfile.TemporaryDirectory() as folder, provider() as port, Ledger(Path(folder) / "ledger.jsonl") as ledger:
        upstream = Upstream("m", api_key="none", base_url=f"http://127.0.0.1:{port}/v1")
        meter = Meter(Budget(10**9, 10**12, None, None))
        ways: dict[str, Callable[[], dict[str, list[float]]]] = {
            "direct": lambda: on_this_machine(port, chosen.rounds),
            "relay": lambda: through_relay(upstream, meter, chosen.rounds),
        }
        if not chosen.no_docker:
            ways["container"] = lambda: from_container(upstream, meter, chosen.rounds)
        transcript = Transcript(Path(folder) / "trajectory.jsonl")
        found: dict[str, dict[str, list[float]]] = {}
        with recording(Bookkeeper(ledger, Account("bench", "agent"), transcript)):
            for _ in range(2):
                for way, measure in ways.items():
                    for what, times in measure().items():
                        found.setdefault(what, {}).setdefault(way, []).extend(times)
        show(found)


def show(found: dict[str, dict[str, list[float]]]) -> None:
    """One line for each kind of request, with the ratio of medians to asking directly."""
    for what, ways in found.items():
        direct = statistics.median(ways["direct"])
        cells = []
        for way, times in ways.items():
            median, last = statistics.median(times), sorted(times)[int(0.95 * (len(times) - 1))]
            ratio = "" if way == "direct" else f" ({median / direct:.1f}x)"
            cells.append(f"{way} {median:.1f} / {last:.1f}{ratio}")
        print(f"{what:28}", ", ".join(cells))


if __name__ == "__main__":
    main()
