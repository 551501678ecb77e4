from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from gitgoodbench.agents.base import AgentSettings
from gitgoodbench.agents.registry import agent_names, asks_model, make_agent, named_agents
from gitgoodbench.errors import RunAborted, Status, UserError
from gitgoodbench.models.meter import Budget
from gitgoodbench.models.options import ModelOptions
from gitgoodbench.plugins import AGENTS, plugins
from tests.support.fake_episode import FakeEpisode
from tests.support.scripted_llm import ScriptedServer, calls

END = calls("finish", message="m")


class Offering:
    """As much of a scenario as the registry looks at."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def reference_agents(self) -> dict[str, Any]:
        return dict.fromkeys(self._names, lambda _, call: call("finish", message="m") and None)


SCENARIOS: Any = {"mcr": Offering("oracle", "ours"), "ir": Offering("oracle")}


def test_agents_by_name() -> None:
    assert agent_names(SCENARIOS) == [*plugins(AGENTS), "oracle", "ours"]
    assert {"codex", "command", "noop", "openai"} <= set(plugins(AGENTS))
    assert make_agent("noop", SCENARIOS, AgentSettings()).name == "noop"
    oracle = make_agent("oracle", SCENARIOS, AgentSettings())
    assert (oracle.name, oracle.model) == ("oracle", None)
    assert oracle.for_scenario("ir").run(FakeEpisode(), Budget()).status is Status.COMPLETED
    ours = make_agent("ours", SCENARIOS, AgentSettings())
    assert ours.run(FakeEpisode(), Budget()).status is Status.COMPLETED
    with pytest.raises(UserError, match="'ours' does not play the scenario 'ir', only: mcr"):
        ours.for_scenario("ir")


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UserError) as raised:
        make_agent("gpt", SCENARIOS, AgentSettings())
    known = ", ".join(agent_names(SCENARIOS))
    assert str(raised.value) == f"--agent gpt: there is no agent 'gpt'; the agents are: {known}"


def test_openai_needs_a_key() -> None:
    with pytest.raises(UserError, match=r"^OPENAI_API_KEY is not set: .*--base-url.*--agent noop"):
        make_agent("openai", {}, AgentSettings())
    with pytest.raises(UserError, match="OPENAI_API_KEY is not set"):
        make_agent("openai", {}, AgentSettings(ModelOptions(base_url="https://api.openai.com/v1")))


@pytest.mark.parametrize("key", ["sk-\u20ac", "sk-a\nb", "sk-a\x00"[:-1] + "\x7f"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UserError) as raised:
        make_agent("openai", {}, AgentSettings())
    assert str(raised.value) == "OPENAI_API_KEY holds characters that no key has: copy it again"


def test_blanks_around_a_key_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " sk-0123456789\n")
    with ScriptedServer([END]) as server:
        _run(ModelOptions(base_url=server.url))
        assert server.requests[0].headers["authorization"] == "Bearer sk-0123456789"


def test_a_compatible_server_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer([END, END]) as server:
        _run(ModelOptions(model="local", base_url=server.url))
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        _run(ModelOptions(model="local"))
        assert [request.headers["authorization"] for request in server.requests] == ["Bearer none"] * 2
        assert server.requests[0].body["model"] == "local"
        assert server.requests[0].body["temperature"] == 0.0


def test_the_price_of_a_compatible_server_is_unknown_unless_given() -> None:
    with ScriptedServer([END, END]) as server:
        assert _run(ModelOptions(base_url=server.url)).usage.cost_usd is None
        priced = ModelOptions(base_url=server.url, price_input=3.0, price_output=5.0)
        assert _run(priced).usage.cost_usd == pytest.approx((100 * 3.0 + 10 * 5.0) / 1e6)


def test_openai_itself_has_list_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    done = FakeEpisode()
    done.message = "m"
    make_agent("openai", {}, AgentSettings(ModelOptions(model="gpt-4o-2024-08-06"))).run(done, Budget(max_cost_usd=1.0))
    with pytest.raises(RunAborted, match="needs the price of 'gpt-99'"):
        make_agent("openai", {}, AgentSettings(ModelOptions(model="gpt-99"))).run(done, Budget(max_cost_usd=1.0))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ModelOptions(base_url="localhost:8000/v1"), "'localhost:8000/v1' is no base URL: it must look like http"),
        (ModelOptions(base_url="ftp://x/v1"), "is no base URL"),
        (ModelOptions(base_url="http://"), "is no base URL"),
        (ModelOptions(base_url="http://[::1/v1"), "is no base URL"),
        (ModelOptions(base_url="http://x\n/v1"), "is no base URL"),
        (ModelOptions(base_url="http://me:secret@x/v1"), "holds a user name or password"),
        (ModelOptions(base_url="http://x/v1", model=""), "'' is no name of a model"),
        (ModelOptions(base_url="http://x/v1", model="a\udce9"), "is no name of a model"),
        (ModelOptions(base_url="http://x/v1", price_input=1.0), "--price-input and --price-output go together"),
        (ModelOptions(base_url="http://x/v1", price_input=-1.0, price_output=1.0), "-1 is no price"),
        (ModelOptions(base_url="http://x/v1", price_input=1.0, price_output=float("nan")), "nan is no price"),
        (ModelOptions(base_url="http://x/v1", request_timeout_s=0.0), "a request time-out of 0 s is no time"),
    ],
)
def test_a_mistake_is_named_in_one_line(options: ModelOptions, message: str) -> None:
    with pytest.raises(UserError) as raised:
        make_agent("openai", {}, AgentSettings(options))
    assert message in str(raised.value)
    assert "secret" not in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_the_sdk_is_not_imported_before_a_model_is_wanted() -> None:
    program = (
        "import sys, gitgoodbench.agents.registry as r, gitgoodbench.agents.loop;"
        "r.make_agent('noop', {}, r.AgentSettings()); print('openai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def _run(options: ModelOptions) -> Any:
    trajectory = make_agent("openai", {}, AgentSettings(options)).run(FakeEpisode(), Budget())
    assert trajectory.status is Status.COMPLETED
    return trajectory


def test_reference_stands_for_every_agent_that_needs_no_model() -> None:
    assert named_agents(["reference", "oracle", "openai"], SCENARIOS) == ["noop", "oracle", "ours", "openai"]
    assert [asks_model(name) for name in ("openai", "noop", "oracle")] == [True, False, False]
