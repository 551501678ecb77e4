"""The command lines of the agents that others make, their environments, and what they say at their end.

The programs themselves are played by `make test-agents`. What they print is made up after what they printed there.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from gitgoodbench.agents.base import AgentSettings
from gitgoodbench.agents.cli.claude_code import ClaudeCode
from gitgoodbench.agents.cli.contract import NO_KEY, CliAgent, Task
from gitgoodbench.agents.cli.gemini_cli import GeminiCli
from gitgoodbench.agents.cli.goose import Goose
from gitgoodbench.agents.cli.home import HOME
from gitgoodbench.agents.cli.mini_swe_agent import MiniSweAgent
from gitgoodbench.agents.cli.opencode import OpenCode, OpenCodeOptions
from gitgoodbench.agents.cli.qwen_code import QwenCode
from gitgoodbench.agents.images.locks import read_lock
from gitgoodbench.errors import UserError
from gitgoodbench.git.process import ExecResult
from gitgoodbench.models.options import ModelOptions
from gitgoodbench.plugins import AGENTS, plugins

ALL = (ClaudeCode, GeminiCli, Goose, MiniSweAgent, OpenCode, QwenCode)
EACH = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
PROMPT = "Löse „das“ 🙂 \x85\x7f\u2028 {{task}} $HOME: * \\ 'a' \"b\"\n" + "x" * 300_000
ORIGIN = "http://127.0.0.1:8099"


def task(kind: type[CliAgent], **more: Any) -> Task:
    url = ORIGIN if kind.api in ("anthropic", "google") else f"{ORIGIN}/v1"
    given: dict[str, Any] = {"reasoning_effort": "high", "options": kind.options and kind.options()}
    return Task(
        prompt=PROMPT.encode(), prompt_file=f"{HOME}/prompt.md", api=kind.api, base_url=url, model="some/model-1",
        home=HOME, arguments=("--more", "a b"), **{**given, **more},
    )  # fmt: skip


@EACH
def test_an_agent_is_found_by_its_name_and_is_of_one_version(kind: type[CliAgent]) -> None:
    assert type(plugins(AGENTS)[kind.name].object) is kind
    recipe = kind.recipe()
    assert recipe is not None
    assert kind.image() == f"gitgoodbench-sandbox-{kind.name}:{read_lock(recipe).version}"
    assert kind().version()[kind.name] == [kind().invocation(task(kind)).argv[0], "--version"]
    assert ("node" in kind().version()) is (kind in (GeminiCli, QwenCode))


@EACH
def test_the_prompt_is_no_argument_and_the_model_is_behind_the_bridge(kind: type[CliAgent]) -> None:
    invocation = kind().invocation(task(kind))
    argv = [str(word) for word in invocation.argv]
    assert argv[0].startswith(f"/opt/agents/{kind.name}/bin/")
    assert sum(map(len, argv)) < 2_000
    assert all(len(value) < 4_000 for value in invocation.environment.values())
    assert argv[-2:] == ["--more", "a b"]
    everything = json.dumps([argv, dict(invocation.environment), [v.decode() for v in invocation.files.values()]])
    assert ORIGIN in everything
    assert "some/model-1" in everything
    assert NO_KEY in everything
    assert invocation.stdin in (PROMPT.encode(), b"")
    assert not any(name.startswith("GIT_") for name in invocation.environment)
    assert not any(path.startswith(("/", "..")) for path in invocation.files)


@EACH
def test_what_would_ask_other_servers_is_switched_off(kind: type[CliAgent]) -> None:
    invocation = kind().invocation(task(kind))
    said = [*map(str, invocation.argv), *(f"{n}={v}" for n, v in invocation.environment.items())]
    text = "\n".join([*said, *(content.decode() for content in invocation.files.values())])
    expected = {
        "claude-code": ("DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "WebFetch,WebSearch"),
        "gemini-cli": ('"usageStatisticsEnabled": false', '"enableAutoUpdate": false', "google_web_search"),
        "goose": ("GOOSE_TELEMETRY_ENABLED=false", "GOOSE_DISABLE_SESSION_NAMING=true"),
        "mini-swe-agent": ("LITELLM_TELEMETRY=False", "LITELLM_LOCAL_MODEL_COST_MAP=True"),
        "opencode": ("OPENCODE_DISABLE_MODELS_FETCH=1", '"autoupdate": false', '"websearch": "deny"'),
        "qwen-code": ('"usageStatisticsEnabled": false', '"enableAutoUpdate": false', "web_fetch"),
    }[kind.name]
    assert [word for word in expected if word not in text] == []


@pytest.mark.parametrize("api", ["chat", "responses", "anthropic"])
def test_some_speak_what_the_api_flag_says(api: str) -> None:
    url = ORIGIN if api == "anthropic" else f"{ORIGIN}/v1"
    opencode, goose, mini = (
        kind().invocation(replace(task(kind), api=api, base_url=url)) for kind in (OpenCode, Goose, MiniSweAgent)
    )
    client = {"chat": "@ai-sdk/openai-compatible", "responses": "@ai-sdk/openai", "anthropic": "@ai-sdk/anthropic"}[api]
    provider = json.loads(opencode.environment["OPENCODE_CONFIG_CONTENT"])["provider"]["bridge"]
    assert (provider["npm"], provider["options"]["baseURL"]) == (client, f"{ORIGIN}/v1")
    if api == "anthropic":
        assert (goose.environment["GOOSE_PROVIDER"], goose.environment["ANTHROPIC_HOST"]) == (api, ORIGIN)
        assert "anthropic/some/model-1" in mini.argv
    else:
        path = {"chat": "/v1/chat/completions", "responses": "/v1/responses"}[api]
        assert (goose.environment["OPENAI_HOST"], goose.environment["OPENAI_BASE_PATH"]) == (ORIGIN, path)
        assert ("litellm_response" in mini.argv) is (api == "responses")


def test_an_api_that_it_does_not_speak_is_refused() -> None:
    settings = AgentSettings(ModelOptions(model="m", api="google", base_url="http://localhost:1"))
    with pytest.raises(UserError, match="--api google: goose speaks chat, responses, anthropic"):
        Goose().make(settings)
    assert (GeminiCli().api_of(()), Goose().api_of(())) == ("google", None)


def test_no_agent_signs_its_commits() -> None:
    argv = list(ClaudeCode().invocation(task(ClaudeCode)).argv)
    assert json.loads(str(argv[argv.index("--settings") + 1])) == {"attribution": {"commit": "", "pr": ""}}
    invocation = QwenCode().invocation(task(QwenCode))
    path = invocation.environment["QWEN_CODE_SYSTEM_SETTINGS_PATH"].removeprefix(f"{HOME}/")
    assert json.loads(invocation.files[path])["general"]["gitCoAuthor"] == {"commit": False, "pr": False}


def test_claude_code_is_told_the_effort_and_the_others_leave_it_to_the_bridge() -> None:
    argv = list(ClaudeCode().invocation(task(ClaudeCode)).argv)
    assert argv[argv.index("--effort") + 1] == "high"
    assert "--effort" not in ClaudeCode().invocation(task(ClaudeCode, reasoning_effort=None)).argv
    assert [kind.name for kind in ALL if kind.sets_effort] == ["claude-code"]


def test_mini_swe_agent_reads_the_task_as_it_is() -> None:
    yaml = pytest.importorskip("yaml")
    invocation = MiniSweAgent().invocation(task(MiniSweAgent))
    written = invocation.files["task.yaml"]
    assert written.isascii()
    read = yaml.safe_load(written)
    assert read == {"run": {"task": PROMPT}, "model": {"model_kwargs": {"api_base": f"{ORIGIN}/v1"}}}
    assert f"{HOME}/task.yaml" in invocation.argv


def test_opencode_is_told_what_it_cannot_look_up() -> None:
    chosen = OpenCodeOptions(context=32_000, output=4_000)
    invocation = OpenCode().invocation(task(OpenCode, options=chosen))
    settings = json.loads(invocation.environment["OPENCODE_CONFIG_CONTENT"])
    assert settings["provider"]["bridge"]["models"]["some/model-1"]["limit"] == {"context": 32_000, "output": 4_000}
    assert settings["small_model"] == settings["model"] == "bridge/some/model-1"


SAID: list[tuple[type[CliAgent], list[Any], str]] = [
    (ClaudeCode, [
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done:\nall."}, {"type": "tool_use"}]}},
    ], "Done: all."),
    (ClaudeCode, [{"type": "result", "is_error": True, "result": "API Error: 402"}], "API Error: 402"),
    (GeminiCli, [
        {"type": "message", "role": "assistant", "content": "Done.", "delta": True},
        {"type": "result", "status": "success", "stats": {}},
    ], "Done."),
    (GeminiCli, [{"type": "result", "status": "error", "error": {"message": "402"}}], "402"),
    (Goose, [
        {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}},
        {"type": "message", "message": {"role": "user", "content": [{"type": "toolResponse"}]}},
        {"type": "complete", "total_tokens": 1},
    ], "Done."),
    (Goose, [{"type": "error", "error": "no credit"}], "no credit"),
    (OpenCode, [{"type": "text", "part": {"type": "text", "text": "Done."}}, {"type": "step_finish", "part": {}}],
     "Done."),
    (OpenCode, [{"type": "error", "error": {"name": "APIError", "data": {"message": "no credit"}}}], "no credit"),
    (QwenCode, [
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}},
        {"type": "result", "is_error": False, "result": ""},
    ], "Done."),
    (QwenCode, [{"type": "result", "is_error": True, "error": {"message": "no credit"}}], "no credit"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "events", "said"), SAID)
def test_last_words(kind: type[CliAgent], events: list[Any], said: str) -> None:
    odd = [[], 3, None, {}, {"type": "result"}, {"type": "assistant"}, {"message": []}, {"type": "error", "error": 1}]
    lines = [json.dumps(event).encode() for event in [*events, *odd]]
    result = ExecResult(1, b"\n".join([b"no json", *lines, b"{", b"[" * 5000]), b"")
    assert kind().last_words(result) == said


@EACH
def test_without_an_event_the_last_words_are_what_was_printed(kind: type[CliAgent]) -> None:
    assert kind().last_words(ExecResult(1, b"", b"Traceback\nValueError: x\n")) == "Traceback ValueError: x"
    assert kind().last_words(ExecResult(1, b"", b"")) == ""
