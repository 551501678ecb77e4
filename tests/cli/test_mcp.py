"""gitgoodbench mcp: the client of the package mcp plays an episode, over standard input and output and over HTTP."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import TextContent

from gitgoodbench import load_run
from gitgoodbench.cli import run

SAMPLE = "mini_tidewater_merge_0000"


def command(out: Path, *more: str) -> list[str]:
    arguments = ["mcp", "mini", "--sample", SAMPLE, "--sandbox", "local", "--out", str(out), "--run-id", "r"]
    return ["-m", "gitgoodbench", *arguments, *more]


async def play(server: Any, *, finish: bool) -> list[str]:
    """Resolve every conflict with the incoming side, as a client that reads the schemas would; give what was said."""
    said = []
    async with Client(server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"read_task", "finish_task", "view_file_at"} <= set(tools)
        prompt = await client.get_prompt("task", {})
        task = text_of(await client.call_tool("read_task", {}))
        assert isinstance(prompt.messages[0].content, TextContent)
        assert task == prompt.messages[0].content.text
        assert "conflict" in task.lower()
        bad = await client.call_tool("view_file_at", {"relative_path_from_project_root": "no/such", "reason": "x"})
        assert bad.is_error
        said.append(text_of(bad))
        if finish:
            said.append(text_of(await client.call_tool("finish_task", {})))
            late = await client.call_tool("view_file_at", {"relative_path_from_project_root": "a", "reason": "x"})
            assert late.is_error
    return said


def text_of(result: Any) -> str:
    return str(result.content[0].text)


def test_a_client_over_standard_input_and_output_is_an_agent_and_leaves_a_run(tmp_path: Path) -> None:
    server = StdioServerParameters(command=sys.executable, args=command(tmp_path))
    said = anyio.run(lambda: play(server, finish=True))
    assert said[1] == "Finished as it is."
    wait_for(tmp_path / "r" / "summary.json")
    found = load_run(tmp_path / "r")
    assert [(result.agent, result.solved) for result in found.results] == [("mcp-client", False)]
    conversation = found.conversation(found.results[0])
    assert conversation is not None
    assert [message["role"] for message in conversation.messages] == ["system", "user", "assistant", "tool"]
    exporting = ["trajectories", str(tmp_path / "r"), "--allow-evaluation-data", "--out", str(tmp_path / "o.jsonl")]
    assert run(exporting) == 0
    (row,) = (json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines())
    assert row["completion"][0]["tool_calls"][0]["function"]["name"] == "view_file_at"


def test_a_client_that_goes_away_ends_the_episode(tmp_path: Path) -> None:
    server = StdioServerParameters(command=sys.executable, args=command(tmp_path, "--name", "other"))
    anyio.run(lambda: play(server, finish=False))
    wait_for(tmp_path / "r" / "summary.json")
    assert load_run(tmp_path / "r").results[0].agent == "other"


def test_a_client_over_http_is_an_agent(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, *command(tmp_path, "--http", "0")], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        address = ""
        while not address:
            line = process.stderr.readline()
            assert line, "the server ended before it listened"
            found = re.match(r"listening: (http://127\.0\.0\.1:\d+/mcp)", line)
            address = found[1] if found else ""
        anyio.run(lambda: play(address, finish=True))
        assert process.wait(60) == 0
        assert "completed, not solved" in process.stderr.read() or load_run(tmp_path / "r").results
    finally:
        process.kill()
        process.communicate()
    assert load_run(tmp_path / "r").results[0].agent == "mcp-client"


def wait_for(path: Path) -> None:
    """The server saves and scores after its client has gone."""
    with anyio.from_thread.start_blocking_portal() as portal:
        portal.call(_wait, path)


async def _wait(path: Path) -> None:
    with anyio.fail_after(60):
        while not path.exists():
            await anyio.sleep(0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sample", "mini_tidewater_file_commit_chain_0002"], "is for icc and ir: choose one with --scenario"),
        (["--sample", "mini_tidewater_*"], "give the id of one"),
        (["--sample", "nothing"], "nothing"),
    ],
)
def test_mistakes_are_named(arguments: list[str], message: str, tmp_path: Path) -> None:
    command = ["mcp", "mini", "--sandbox", "local", "--out", str(tmp_path), *arguments]
    done = subprocess.run([sys.executable, "-m", "gitgoodbench", *command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
