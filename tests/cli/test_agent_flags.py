"""--agent-arg, --agent-config and --tools own: who may have them, and what is said where they do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.agents.registry import agents_with_tools
from gitgoodbench.runs.config import make_config
from gitgoodbench.runs.inputs import default_tools
from gitgoodbench.runs.session import resolve
from tests.cli.conftest import CommandLine

ARGV = ("--agent", "command", "--agent-arg", "argv=true")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--agent", "noop", "--tools", "own"), "and noop has none of its own, as claude-code, codex"),
        ((*ARGV, "--tools", "shell"), "--tools shell: command brings its own tools: leave --tools out"),
        ((*ARGV, "--tools", "published"), "--tools published: command brings its own tools"),
        ((*ARGV, "--top-p", "0.5"), "--top-p 0.5: command writes its requests itself: --model-arg KEY=VALUE"),
        ((*ARGV, "--temperature", "0.5"), "--temperature 0.5: command writes its requests itself"),
        ((*ARGV, "--agent-arg", "dialect=chat", "--api", "anthropic"), "--api anthropic: command speaks chat"),
        (("--agent", "codex", "--api", "anthropic"), "--api anthropic: codex speaks responses: leave --api out"),
        ((*ARGV, "--agent-arg", "nothing=1"), "--agent-arg nothing: there is no such option, only: "),
        ((*ARGV, "--agent-arg", "dialect=latin"), "--agent-arg dialect=latin: input should be 'chat'"),
        ((*ARGV, "--agent-arg", "argv"), "--agent-arg argv: write NAME=VALUE"),
        (("--agent", "noop", "--agent-arg", "a=b"), "--agent-arg a=b: noop takes none; where several agents"),
        (("--agent", "noop", "--agent-config", "."), "is no program with a configuration"),
        ((*ARGV, "--agent-config", "absent"), "absent: there is no such folder"),
        (("--agent", "command"), "--agent command needs a program: --agent-arg argv="),
        ((*ARGV, "--agent-arg", "ok=zero"), "--agent-arg ok=zero: write exit codes"),
        ((*ARGV, "--agent-arg", "args='x"), "--agent-arg args: \"'x\" cannot be read: No closing quotation"),
        (ARGV, "--agent command runs a program of its own, and a sandbox of kind local does not contain"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_line(command: CommandLine, arguments: tuple[str, ...], error: str) -> None:
    shown = command.eval("--base-url", "http://127.0.0.1:9/v1", *arguments)
    assert (shown.code, command.out.exists() and any(command.out.iterdir())) == (2, False)
    assert error in shown.error


@pytest.mark.parametrize("agent", agents_with_tools())
def test_each_agent_has_its_own_tools_api_and_parameters(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    for owner in ("OPENAI", "ANTHROPIC", "GEMINI"):
        monkeypatch.setenv(f"{owner}_API_KEY", "sk-the-key-of-mine")
    argument = ("--agent-arg", "argv=true") if agent == "command" else ()
    shown = command.eval("--agent", agent, *argument, "--model", "m", "--reasoning-effort", "high", "--dry-run")
    assert shown.code == 0, shown.err
    config = resolve(make_config(suite="mini", agent=agent, agent_arg=argument[1:], tools=default_tools(agent)))
    assert (config.tools.value, config.temperature) == ("own", None)
    shown = command.eval("--agent", agent, *argument, "--model", "m")
    assert (shown.code, "does not contain it" in shown.error) == (2, True)


def test_a_configuration_holds_no_keys(command: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-the-key-of-mine")
    folder = tmp_path / "config"
    folder.mkdir()
    shown: list[str] = []
    for name, content in (("auth.json", "{}"), ("config.toml", "key='sk-the-key-of-mine'"), ("link", None)):
        file = folder / name
        file.symlink_to("auth.json") if content is None else file.write_text(content)
        shown.append(command.eval("--base-url", "http://127.0.0.1:9/v1", *ARGV, "--agent-config", folder).error)
        file.unlink()
    assert "auth.json holds keys" in shown[0]
    assert "config.toml holds keys" in shown[1]
    assert "link is no regular file" in shown[2]
    assert not any("sk-the-key" in line for line in shown)
