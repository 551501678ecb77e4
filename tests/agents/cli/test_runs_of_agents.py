"""Whole runs of a program of one's own, by the command line that the documentation shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.cli import run
from gitgoodbench.sandbox.docker import DockerProvider
from tests.agents.cli.test_command_agent import AGENT
from tests.support.scripted_llm import Reply, Request, ScriptedServer, calls, says

SAMPLE = "mini_cairn_merge_0000"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "agent.py").write_text(AGENT)
    return tmp_path / "program"


def _resolves(request: Request) -> Reply:
    line = "git checkout --theirs . && git add -A && git commit --no-edit && cat ~/.config/RULES.md"
    return calls("sh", line=line) if request.turn == 0 else says("Done.")


def _eval(out: Path, url: str, image: str, *arguments: str | Path) -> int:
    flags = [
        "--sandbox",
        "docker",
        "--image",
        image,
        "--offline",
        "--base-url",
        url,
        "--model",
        "scripted",
        "--judge",
        "none",
    ]
    chosen = ["--sample", SAMPLE, "--out", out, "--run-id", "r"]
    return run([str(word) for word in ("eval", "mini", *flags, *chosen, *arguments)])


@pytest.mark.docker
def test_the_documented_command_runs_and_resumes_and_a_changed_program_is_refused(
    folder: Path, tmp_path: Path, docker_provider: DockerProvider, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(folder.parent)
    config = tmp_path / "mine"
    config.mkdir()
    (config / "RULES.md").write_text("Be brief.\n")
    own = ("--agent-arg", "argv=python3 agent.py {prompt_file}", "--agent-arg", "dialect=chat", "--agent-arg")
    agent = ("--agent", "command", *own, "folder=program", "--agent-config", "mine")
    with ScriptedServer(_resolves) as server:
        assert _eval(tmp_path / "out", server.url, docker_provider.image, *agent) == 0
        found = tmp_path / "out" / "r"
        result: dict[str, Any] = json.loads(next(found.glob("samples/mcr/*/1/result.json")).read_bytes())
        manifest = json.loads((found / "manifest.json").read_bytes())
        assert (result["status"], result["turns"], result["outcome"]["state"]["uncommitted"]) == ("completed", 2, [])
        assert manifest["config"]["tools"] == "own"
        assert manifest["config"]["temperature"] is None
        assert f"command.folder={folder}" in manifest["config"]["opt"]
        assert manifest["agent"]["config_files"] == ["RULES.md"]
        assert "Be brief." in server.requests[-1].messages[-1]["content"]
        assert b"Be brief" not in b"".join(file.read_bytes() for file in found.glob("samples/mcr/*/1/outcome.bundle"))

        monkeypatch.chdir(tmp_path / "out")
        assert run(["resume", str(found)]) == 0
        (folder / "agent.py").write_text(f"{AGENT}\n# changed\n")
        capsys.readouterr()
        assert run(["resume", str(found)]) == 2
        assert "agent folder: " in capsys.readouterr().err
        (folder / "agent.py").write_text(AGENT)
        (config / "RULES.md").write_text("Be long.\n")
        assert run(["resume", str(found)]) == 2
        assert "agent config: " in capsys.readouterr().err
    assert len(server.requests) == 2
