"""What the model bridge costs: `PYTHONPATH=. python bench/bridge.py [--rounds N] [--no-docker]`.

The same client asks the same provider directly, through a relay that is a process of this machine, and from inside a
sealed container, in one run and in turn, so that figures of a machine under load compare. Requests are counted,
recorded (transcript, and a ledger that is synced to the disk) and limited as in a run. Milliseconds: least, median and
95th percentile. Then the memory of relays and harness, and eight agents at once, each in a container.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
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
from gitgoodbench.sandbox.docker import COMPANION_USER, DockerProvider, DockerSandbox
from tests.support.relays import relayed

THINKING_S = 0.5
CLIENT = """
import http.client, json, sys, threading, time
port, rounds = int(sys.argv[1]), int(sys.argv[2])
def connect():
    return http.client.HTTPConnection("127.0.0.1", port, timeout=120)
def ask(size, connection=None, stream=False, model="m", first=False):
    link = connection or connect()
    said = [{"role": "user", "content": "x" * size}]
    body = json.dumps({"model": model, "stream": stream, "messages": said, "temperature": 0.5 if model == "m" else 1.5})
    begun = time.perf_counter()
    link.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
    response = link.getresponse()
    data = response.read(1)
    heard = time.perf_counter()
    data += response.read()
    assert response.status == 200, data[:300]
    if connection is None:
        link.close()
    return 1000 * ((heard if first else time.perf_counter()) - begun)
def at_once(count):
    begun = time.perf_counter()
    threads = [threading.Thread(target=ask, args=(4000,), kwargs={"model": "slow"}) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 1000 * (time.perf_counter() - begun)
if len(sys.argv) > 3:
    print(json.dumps([ask(4000, model="slow") for _ in range(rounds)]))
    sys.exit()
kept = connect()
ask(10, kept)
print(json.dumps({
    "4 kB, kept connection": [ask(4000, kept) for _ in range(5 * rounds)],
    "4 kB, new connection": [ask(4000) for _ in range(5 * rounds)],
    "stream, first event": [ask(4000, kept, stream=True, first=True) for _ in range(3 * rounds)],
    "stream of 50 events": [ask(4000, kept, stream=True) for _ in range(3 * rounds)],
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
            parts = [f"data: {json.dumps(event)}\n\n".encode() for event in [*deltas, *end]] + [b"data: [DONE]\n\n"]
            self._send(b"".join(parts), "text/event-stream", first=len(parts[0]))
            return
        message = {"role": "assistant", "content": "word " * 50}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self._send(json.dumps({"id": "1", "model": "m", "choices": [choice], "usage": usage}).encode())

    def _send(self, data: bytes, kind: str = "application/json", first: int = 0) -> None:
        """Send it; the first bytes 20 ms before the others."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if first:
            self.wfile.write(data[:first])
            time.sleep(0.02)
        self.wfile.write(data[first:])

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
    with contained(upstream, meter) as (sandbox, port):
        return dict(_client(sandbox, port, str(rounds)))


@contextlib.contextmanager
def contained(upstream: Upstream, meter: Meter) -> Iterator[tuple[DockerSandbox, str]]:
    """A container, and the port of the bridge in it."""
    with (
        DockerProvider().open(run_id="bench", episode_id="bridge") as sandbox,
        bridged(sandbox, [upstream], meter) as bridge,
    ):
        yield sandbox, bridge.address.rpartition(":")[2]


def _client(sandbox: DockerSandbox, *arguments: str) -> Any:
    result = sandbox.exec(["python3", "-c", CLIENT, *arguments], timeout_s=600)
    assert result.returncode == 0, result.stderr.decode()
    return json.loads(result.stdout)


def eight_agents(port: int, upstream: Upstream, rounds: int) -> None:
    """Eight clients at once, each with a model that takes half a second, on this machine and in containers."""
    command = [sys.executable, "-c", CLIENT, str(port), str(rounds), "slow"]
    begun = time.perf_counter()
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(8)]
    assert [process.wait() for process in processes] == [0] * 8
    direct = time.perf_counter() - begun
    before = _memory("self")
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(contained(upstream, Meter(Budget(10**9, 10**12, None, None)))) for _ in range(8)]
        for sandbox, inner in opened:
            _client(sandbox, inner, "1", "slow")
        after = _memory("self")
        begun = time.perf_counter()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda one: _client(*one, str(rounds), "slow"), opened))
        bridged_s = time.perf_counter() - begun
        look = f"for p in /proc/[0-9]*; do [ $(stat -c %u $p) = {COMPANION_USER} ] && grep VmRSS $p/status; done"
        relay = opened[0][0].exec(["sh", "-c", look]).stdout.decode()
    print(f"relay: {relay.split()[1]} kB; harness: {(after - before) // 8} kB for each of eight episodes")
    print(f"8 agents at once, {rounds} requests each: direct {direct:.2f} s, container {bridged_s:.2f} s", end="")
    print(f" ({bridged_s / direct:.2f}x)")


def _memory(process: str) -> int:
    """Resident, in kB."""
    return int(Path(f"/proc/{process}/status").read_text().partition("VmRSS:")[2].split()[0])


def sync_ms(folder: Path) -> str:
    """What it costs to bring a line to the disk."""
    times = []
    with (folder / "synced").open("ab", buffering=0) as file:
        for _ in range(100):
            begun = time.perf_counter()
            file.write(b"x" * 300)
            os.fsync(file.fileno())
            times.append(1000 * (time.perf_counter() - begun))
    return _figures(times)


def _figures(times: list[float]) -> str:
    return f"{min(times):.1f} / {statistics.median(times):.1f} / {sorted(times)[int(0.95 * (len(times) - 1))]:.1f}"


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
            print("a line synced to the disk   ", sync_ms(Path(folder)), "ms")
            if not chosen.no_docker:
                eight_agents(port, upstream, chosen.rounds)


def show(found: dict[str, dict[str, list[float]]]) -> None:
    """One line for each kind of request, with the ratio of medians to asking directly."""
    for what, ways in found.items():
        direct = statistics.median(ways["direct"])
        cells = []
        for way, times in ways.items():
            ratio = "" if way == "direct" else f" ({statistics.median(times) / direct:.1f}x)"
            cells.append(f"{way} {_figures(times)}{ratio}")
        print(f"{what:28}", ", ".join(cells))


if __name__ == "__main__":
    main()
