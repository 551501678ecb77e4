"""A model in a sealed container: reached through the bridge and in no other way; every end is told, nothing stays."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.bridge.session import Bridge, bridged
from gitgoodbench.bridge.upstream import Upstream
from gitgoodbench.errors import InfrastructureFailed, LimitReached
from gitgoodbench.models.meter import Budget, Meter
from gitgoodbench.sandbox.docker import COMPANION_USER, DockerProvider, DockerSandbox
from tests.support.bridge_clients import APIS, KEY, PATHS, PRICE, UNLIMITED, answer, question
from tests.support.scripted_llm import ScriptedServer, fault

pytestmark = pytest.mark.docker

_ASK = """
import http.client, json, os, socket, sys, time
def ask(path, body):
    connection = http.client.HTTPConnection("127.0.0.1", 8099, timeout=60)
    connection.request("POST", path, json.dumps(body))
    response = connection.getresponse()
    return response.status, response.read().decode()
"""


@pytest.fixture
def sandbox(docker_provider: DockerProvider) -> Iterator[DockerSandbox]:
    with docker_provider.open(run_id="bridge", episode_id="session") as sandbox:
        yield sandbox


def _upstreams(server: ScriptedServer, **settings: Any) -> list[Upstream]:
    chosen: dict[str, Any] = {"price": PRICE, "sleep": lambda _: None, **settings}
    return [Upstream("scripted", api=api, api_key=KEY, base_url=server.url, **chosen) for api in APIS]


def _inside(sandbox: DockerSandbox, code: str) -> Any:
    result = sandbox.exec(["python3", "-c", _ASK + code], timeout_s=60)
    assert result.returncode == 0, result.stderr.decode()
    return json.loads(result.stdout)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("api", APIS)
def test_a_program_in_the_container_reaches_the_model(sandbox: DockerSandbox, api: str, streamed: bool) -> None:
    more: dict[str, Any] = {"stream_options": {"include_usage": True}} if api == "chat" and streamed else {}
    body = question(api, streamed=streamed, **more)
    with ScriptedServer([answer(api, streamed=streamed)]) as server:
        meter = Meter(UNLIMITED, PRICE)
        with bridged(sandbox, _upstreams(server), meter) as bridge:
            assert bridge.base_url(api) == "http://127.0.0.1:8099" + ("" if api == "anthropic" else "/v1")
            reply = _inside(sandbox, f"print(json.dumps(ask({PATHS[api]!r}, json.loads({json.dumps(body)!r}))))")
    assert reply == [200, answer(api, streamed=streamed).body.decode()]
    assert meter.usage.prompt_tokens == 100


def test_the_key_is_nowhere_in_the_container(sandbox: DockerSandbox) -> None:
    script = [answer("chat"), fault.status(400, f"the key {KEY} is not good")]
    with (
        ScriptedServer(script) as server,
        bridged(sandbox, _upstreams(server), Meter(UNLIMITED, PRICE)),
    ):
        code = f"print(json.dumps([ask({PATHS['chat']!r}, {question('chat')!r}) for _ in range(2)]))"
        replies = _inside(sandbox, code)
        for user in ("0", "1000", str(COMPANION_USER)):
            look = "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; grep -rsl KEY /tmp /work /dev/shm"
            found = sandbox.container.exec_run(["sh", "-c", look.replace("KEY", KEY[:12])], user=user).output
            assert isinstance(found, bytes)
            assert KEY.encode() not in found
            assert b"/tmp/" not in found
    assert [status for status, _ in replies] == [200, 400]
    assert KEY not in json.dumps(replies)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def _memory_of(pid: int) -> bytes:
    """What a process has in memory that can be written."""
    found = bytearray()
    process = Path(f"/proc/{pid}")
    with (process / "maps").open() as maps, (process / "mem").open("rb", 0) as memory:
        for line in maps:
            where, mode, *_ = line.split()
            if mode.startswith("rw"):
                start, end = (int(number, 16) for number in where.split("-"))
                memory.seek(start)
                found += memory.read(end - start)
    return bytes(found)


def test_the_key_is_not_in_the_relay_s_memory(sandbox: DockerSandbox) -> None:
    asked = "a question that went through the relay " * 3
    with (
        ScriptedServer([answer("chat")]) as server,
        bridged(sandbox, _upstreams(server), Meter(UNLIMITED, PRICE)),
    ):
        assert _inside(sandbox, f"print(ask({PATHS['chat']!r}, {question('chat', asked)!r})[0])") == 200
        rows = sandbox.container.top(ps_args="-eo pid,uid")["Processes"]
        pids = [int(pid) for pid, uid in rows if uid == str(COMPANION_USER)]
        assert len(pids) == 1
        try:
            memory = _memory_of(pids[0])
        except OSError:
            pytest.skip("only root on the daemon's machine can read a relay")
    assert b"holds no secret" in memory  # it was read: the relay's own source text
    assert KEY.encode() not in memory


def test_floods_garbage_and_halves_end_no_more_than_their_connection(sandbox: DockerSandbox) -> None:
    with ScriptedServer([answer("chat")]) as server, bridged(sandbox, _upstreams(server), Meter(UNLIMITED)) as bridge:
        status = _inside(
            sandbox,
            f"""
def connect():
    return socket.create_connection(("127.0.0.1", 8099), timeout=20)
def lose(sent, half=False):
    with connect() as talk:
        try:
            talk.sendall(sent)
            if half:
                talk.shutdown(socket.SHUT_WR)
            while talk.recv(65536):
                pass
        except OSError:
            pass
lose(os.urandom(100_000) + b"\\n")
lose(b"\\x16\\x03\\x01\\x02\\x00\\x01\\x00\\x01\\xfc\\x03\\x03" + bytes(300) + b"\\n")
lose(b"POST {PATHS["chat"]} HTTP/1.1\\r\\nContent-Length: 99\\r\\n\\r\\nhalf", True)
lose(b"POST {PATHS["chat"]} HTTP/1.1\\r\\nContent-Length: 99999999999\\r\\n\\r\\n" + bytes(4_000_000))
idle = [connect() for _ in range(150)]
for client in idle[:100]:
    client.sendall(b"POST ")
for client in idle:
    client.close()
print(ask({PATHS["chat"]!r}, {question("chat")!r})[0])
""",
        )
        reports = bridge.endpoint.reports
        assert bridge.endpoint.ending is None
    assert status == 200
    assert any("cut off" in words for words in reports)
    assert any("more than 33554432 bytes" in words for words in reports)
    assert len(server.requests) == 1


def test_nothing_else_is_reached_and_what_was_tried_is_told(sandbox: DockerSandbox) -> None:
    with ScriptedServer([answer("chat")]) as server, bridged(sandbox, _upstreams(server), Meter(UNLIMITED)) as bridge:
        tried = _inside(
            sandbox,
            f"""
def raw(text):
    with socket.create_connection(("127.0.0.1", 8099)) as talk:
        talk.sendall(text.encode() + b"\\r\\nHost: x\\r\\n\\r\\n")
        return int(talk.recv(100).split()[1])
found = [raw(line + " HTTP/1.1") for line in (
    "CONNECT api.openai.com:443", "GET http://169.254.169.254/latest", "GET http://{server.url[7:-3]}/v1/models")]
print(json.dumps([*found, ask("/v1/responses", {{"input": "x", "previous_response_id": "resp_1"}})[0]]))
""",
        )
        reports = bridge.endpoint.reports
    assert tried == [403, 404, 404, 400]
    assert len(reports) == 4
    assert server.requests == []


def test_a_spent_budget_interrupts_the_program_and_keeps_its_work(sandbox: DockerSandbox) -> None:
    budget = Budget(max_turns=1, timeout_s=None)
    with ScriptedServer([answer("chat")]) as server:
        with bridged(sandbox, _upstreams(server), Meter(budget, PRICE)) as bridge:
            stubborn = f"""
open("kept", "w").write("work")
while True:
    print(ask({PATHS["chat"]!r}, {question("chat")!r})[0], flush=True)
    time.sleep(0.1)
"""
            result = sandbox.exec(["python3", "-c", _ASK + stubborn], timeout_s=60)
            ending = bridge.endpoint.ending
        assert result.timed_out
        assert result.stdout.startswith(b"200\n402\n")
        assert isinstance(ending, LimitReached)
        assert sandbox.get("kept", limit=100) == b"work"
        left = sandbox.exec(["sh", "-c", "for p in /proc/[0-9]*; do [ $(stat -c %u $p) = 1000 ] && cat $p/comm; done"])
        assert b"python3" not in left.stdout
        assert len(server.requests) == 1


def test_a_relay_that_is_lost_interrupts_a_program_that_waits_for_ever(sandbox: DockerSandbox) -> None:
    waiting = f"""
try:
    ask({PATHS["chat"]!r}, {question("chat")!r})
except OSError:
    time.sleep(50)
"""

    def kill() -> None:
        sandbox.container.exec_run(["sh", "-c", "kill -9 -1"], user=str(COMPANION_USER))

    with (
        ScriptedServer([answer("chat").after(60)]) as server,
        bridged(sandbox, _upstreams(server), Meter(UNLIMITED)) as bridge,
    ):
        killing = threading.Timer(1.0, kill)
        killing.start()
        result = sandbox.exec(["python3", "-c", _ASK + waiting], timeout_s=60)
        killing.join()
        ending = bridge.endpoint.ending
        bridge.endpoint.close(0.0)
    assert result.timed_out
    assert isinstance(ending, InfrastructureFailed)
    assert str(ending) == "the relay in the sandbox is gone"


def test_one_sandbox_may_have_one_bridge_after_the_other(sandbox: DockerSandbox) -> None:
    with ScriptedServer([answer("chat"), answer("chat")]) as server:
        for _ in range(2):
            with bridged(sandbox, _upstreams(server), Meter(UNLIMITED)) as bridge:
                assert isinstance(bridge, Bridge)
                assert _inside(sandbox, f"print(ask({PATHS['chat']!r}, {question('chat')!r})[0])") == 200


def test_bridges_of_two_sandboxes_know_nothing_of_each_other(docker_provider: DockerProvider) -> None:
    with (
        ScriptedServer(lambda request: answer("chat", request.last)) as server,
        docker_provider.open(run_id="bridge", episode_id="1") as one,
        docker_provider.open(run_id="bridge", episode_id="2") as two,
        bridged(one, _upstreams(server), Meter(UNLIMITED)) as first,
        bridged(two, _upstreams(server), Meter(UNLIMITED)) as second,
    ):
        for box, said in ((one, "one"), (two, "two")):
            _inside(box, f"print(ask({PATHS['chat']!r}, {question('chat', said)!r})[0])")
        spoken = [bridge.endpoint.account.conversations()[0][1]["content"] for bridge in (first, second)]
        networks = [sandbox.exec(["readlink", "/proc/self/ns/net"]).stdout for sandbox in (one, two)]
    assert spoken == ["one", "two"]
    assert networks[0] != networks[1]
    for box in (one, two):
        box_network = box.container.attrs["NetworkSettings"]
        assert (list(box_network["Networks"]), box_network.get("Ports") or {}) == (["none"], {})
