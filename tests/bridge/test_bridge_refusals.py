"""Which parts of requests go to a provider: what the client carries out itself, and nothing that the provider would."""

from __future__ import annotations

from typing import Any

import pytest

from gitgoodbench.bridge.refusals import NotAllowed, close_off
from tests.support.bridge_clients import APIS, question

FUNCTION = {
    "chat": {"type": "function", "function": {"name": "shell"}},
    "responses": {"type": "function", "name": "shell"},
    "anthropic": {"name": "shell", "input_schema": {}},
}


@pytest.mark.parametrize("api", APIS)
def test_a_plain_request_stays_as_it_is_but_for_the_model(api: str) -> None:
    body = question(api, "a", "b", "c", streamed=True, temperature=0.5, tools=[FUNCTION[api]], tool_choice="auto")
    closed = close_off(api, {**body, "model": "x", "store": True})
    kept = {"store": False} if api == "responses" else {}
    assert closed.body == {name: value for name, value in body.items() if name != "model"} | kept
    assert closed.left_out == ()


@pytest.mark.parametrize(
    ("api", "kind"),
    [
        ("chat", "web_search"),
        ("chat", "openrouter:web_search"),
        ("responses", "web_search"),
        ("responses", "web_search_preview_2025_03_11"),
        ("responses", "code_interpreter"),
        ("responses", "file_search"),
        ("responses", "image_generation"),
        ("responses", "mcp"),
        ("responses", "computer_use_preview"),
        ("responses", "of_tomorrow"),
        ("anthropic", "web_search_20250305"),
        ("anthropic", "web_fetch_20250910"),
        ("anthropic", "code_execution_20250825"),
        ("anthropic", "mcp_toolset"),
    ],
)
def test_tools_that_the_provider_carries_out_are_left_out(api: str, kind: str) -> None:
    hosted = {"type": kind, "name": "x"}
    choice: dict[str, Any] = {"tool_choice": {"type": kind}}
    closed = close_off(api, question(api, tools=[hosted, FUNCTION[api]], **choice))
    assert closed.body["tools"] == [FUNCTION[api]]
    assert "tool_choice" not in closed.body
    assert closed.left_out == (f"tool {kind}",)
    assert not close_off(api, question(api, tools=[hosted], **choice)).body.keys() & {"tools", "tool_choice"}


@pytest.mark.parametrize(
    ("api", "tool"),
    [
        ("chat", {"type": "custom", "custom": {"name": "x"}}),
        ("responses", {"type": "custom", "name": "apply_patch"}),
        ("responses", {"type": "local_shell"}),
        ("responses", {"type": "shell", "environment": {"type": "local"}}),
        ("responses", {"type": "apply_patch"}),
        ("anthropic", {"type": "custom", "name": "x", "input_schema": {}}),
        ("anthropic", {"type": "bash_20250124", "name": "bash"}),
        ("anthropic", {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}),
    ],
)
def test_tools_that_the_client_carries_out_stay(api: str, tool: dict[str, Any]) -> None:
    closed = close_off(api, question(api, tools=[tool]))
    assert closed.body["tools"] == [tool]
    assert closed.left_out == ()


def test_a_shell_of_the_provider_is_none_of_the_client() -> None:
    for environment in ({"environment": {"type": "container_auto"}}, {}):
        closed = close_off("responses", question("responses", tools=[{"type": "shell", **environment}]))
        assert closed.left_out == ("tool shell",)


def test_tools_in_a_namespace_are_looked_at_one_by_one() -> None:
    inner = [FUNCTION["responses"], {"type": "mcp", "server_url": "https://example.com"}]
    closed = close_off("responses", question("responses", tools=[{"type": "namespace", "name": "n", "tools": inner}]))
    assert closed.body["tools"][0]["tools"] == inner[:1]
    assert closed.left_out == ("tool mcp",)


@pytest.mark.parametrize(
    ("api", "field"),
    [
        ("chat", "web_search_options"), ("chat", "plugins"), ("chat", "models"), ("chat", "n"),
        ("chat", "service_tier"), ("responses", "service_tier"),
        ("anthropic", "mcp_servers"), ("anthropic", "container"), ("anthropic", "betas"),
    ],
)  # fmt: skip
def test_fields_that_are_not_known_are_left_out(api: str, field: str) -> None:
    closed = close_off(api, {**question(api), field: ["x"]})
    assert field not in closed.body
    assert closed.left_out == (f"field {field}",)


@pytest.mark.parametrize("field", ["client_metadata", "metadata", "user"])
def test_who_a_client_is_goes_to_no_provider_and_is_not_worth_a_word(field: str) -> None:
    closed = close_off("responses", {**question("responses"), field: {"id": "x"}})
    assert field not in closed.body
    assert closed.left_out == ()


@pytest.mark.parametrize("field", ["previous_response_id", "conversation", "background", "prompt"])
def test_what_is_kept_at_the_provider_is_refused(field: str) -> None:
    with pytest.raises(NotAllowed, match=f"^{field} is not allowed"):
        close_off("responses", {**question("responses"), field: True})
    assert close_off("responses", {**question("responses"), field: None}).left_out == ()


def test_a_reference_to_an_item_is_refused() -> None:
    body = {"input": [{"type": "item_reference", "id": "rs_1"}]}
    with pytest.raises(NotAllowed, match="item_reference"):
        close_off("responses", body)


@pytest.mark.parametrize(("api", "field"), [("chat", "messages"), ("responses", "input"), ("anthropic", "max_tokens")])
def test_half_a_request_is_refused(api: str, field: str) -> None:
    body = question(api)
    del body[field]
    with pytest.raises(NotAllowed, match=f"{field} is missing"):
        close_off(api, body)


REMOTE = [
    ("chat", {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}),
    ("chat", {"type": "file", "file": {"file_id": "file-1"}}),
    ("chat", {"type": "file", "file": {"file_data": "https://example.com/a.pdf"}}),
    ("responses", {"type": "input_image", "image_url": "http://169.254.169.254/"}),
    ("responses", {"type": "input_image", "file_id": "file-1"}),
    ("responses", {"type": "input_file", "file_url": "HTTPS://example.com/a.pdf"}),
    ("anthropic", {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}),
    ("anthropic", {"type": "document", "source": {"type": "file", "file_id": "file_1"}}),
    ("anthropic", {"type": "container_upload", "file_id": "file_1"}),
]


@pytest.mark.parametrize(("api", "part"), REMOTE)
def test_content_that_the_provider_would_fetch_is_left_out_wherever_it_stands(api: str, part: dict[str, Any]) -> None:
    name = "input" if api == "responses" else "messages"
    result = {"type": "tool_result", "tool_use_id": "t", "content": [part]}
    content = [part, result] if api == "anthropic" else [part]
    closed = close_off(api, {name: [{"role": "user", "content": content}], "max_tokens": 9, "system": []})
    text = {
        "type": "input_text" if api == "responses" else "text",
        "text": f"[{part['type']} left out: it lies elsewhere]",
    }
    (message,) = closed.body[name]
    assert message["content"][0] == text
    if api == "anthropic":
        assert message["content"][1] == {**result, "content": [text]}
    assert f"remote {part['type']}" in closed.left_out


@pytest.mark.parametrize(
    ("api", "part"),
    [
        ("chat", {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}),
        ("responses", {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}),
        ("anthropic", {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}),
        ("anthropic", {"type": "tool_use", "id": "t", "name": "x", "input": {"type": "image", "url": "https://a.b"}}),
    ],
)
def test_content_that_is_there_stays(api: str, part: dict[str, Any]) -> None:
    name = "input" if api == "responses" else "messages"
    closed = close_off(api, {**question(api), name: [{"role": "user", "content": [part]}]})
    assert closed.body[name] == [{"role": "user", "content": [part]}]
    assert closed.left_out == ()
