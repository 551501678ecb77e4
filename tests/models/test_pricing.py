from __future__ import annotations

import json
from importlib.resources import files

import pytest

from gitgoodbench.cli import run
from gitgoodbench.models.faults import Refusal, Whom, meaning
from gitgoodbench.models.pricing import PROVIDERS, Price, list_price, meant_model, price_table, prices_of, provider_at


@pytest.mark.parametrize(
    ("model", "prices"),
    [
        ("gpt-4o", (2.50, 1.25, 10.00)),
        ("gpt-4o-2024-08-06", (2.50, 1.25, 10.00)),
        ("gpt-4o-2024-05-13", (5.00, None, 15.00)),
        ("gpt-4o-mini", (0.15, 0.075, 0.60)),
        ("gpt-4o-mini-2024-07-18", (0.15, 0.075, 0.60)),
        ("gpt-4.1", (2.00, 0.50, 8.00)),
        ("gpt-4.1-nano", (0.10, 0.025, 0.40)),
        ("o3", (2.00, 0.50, 8.00)),
        ("o4-mini-2025-04-16", (1.10, 0.275, 4.40)),
        ("gpt-5", (1.25, 0.125, 10.00)),
    ],
)
def test_list_prices(model: str, prices: tuple[float, float | None, float]) -> None:
    found = list_price(model)
    assert found is not None
    assert (found.input, found.cached_input, found.output) == prices


def test_a_snapshot_without_an_entry_costs_what_its_family_costs() -> None:
    assert list_price("gpt-4o-2031-01-01") == list_price("gpt-4o")
    assert list_price("claude-sonnet-4-5-20310101", "anthropic") == list_price("claude-sonnet-4-5", "anthropic")


@pytest.mark.parametrize("model", ["", "gpt-99", "ft:gpt-4o:acme", "GPT-4O", "gpt-4o-", "claude-sonnet-4-5"])
def test_other_models_have_no_price_at_openai(model: str) -> None:
    assert list_price(model) is None


def test_prices_belong_to_the_provider_whose_server_is_asked() -> None:
    assert provider_at("api.anthropic.com") == "anthropic"
    assert provider_at("Generativelanguage.GoogleAPIs.com") == "gemini"
    assert provider_at("localhost") is None
    assert list_price("gpt-4o", None) is None
    found = list_price("claude-sonnet-4-5", "anthropic")
    assert found is not None
    assert (found.input, found.cached_input, found.written_input, found.written_input_1h, found.output) == (
        3.0, 0.3, 3.75, 6.0, 15.0,
    )  # fmt: skip


def test_every_provider_has_prices_and_the_table_says_its_date_and_licence() -> None:
    table = price_table()
    assert set(table.models) == set(PROVIDERS.values())
    assert all(table.models.values())
    raw = json.loads((files("gitgoodbench.data") / "prices.json").read_bytes())
    assert raw["as_of"] == table.as_of
    assert raw["licence"].startswith("MIT License\n\nCopyright (c) 2023 Berri AI\n")


def test_a_price_is_found_by_provider_and_name() -> None:
    assert list(prices_of("anthropic/claude-sonnet-4-5")) == [("anthropic", "claude-sonnet-4-5")]
    assert ("groq", "openai/gpt-oss-120b") in prices_of("gpt-oss-120b")
    assert prices_of("no-such-model") == {}


def test_cached_tokens_are_a_part_of_the_prompt() -> None:
    price = Price(input=2.50, cached_input=1.25, output=10.00)
    assert price.cost(1_000_000, 0, 0) == pytest.approx(2.50)
    assert price.cost(1_000_000, 400_000, 100_000) == pytest.approx(0.6 * 2.50 + 0.4 * 1.25 + 1.00)
    assert price.cost(10, 999, 0) == pytest.approx(12.5e-6)
    assert price.cost(0, 0, 0) == 0.0


def test_each_kind_of_token_has_its_price() -> None:
    price = Price(input=3.0, cached_input=0.3, output=15.0, written_input=3.75, written_input_1h=6.0, reasoning=20.0)
    written = price.cost(1_000_000, 500_000, 0, written_tokens=300_000, written_1h_tokens=100_000)
    assert written == pytest.approx(0.5 * 0.3 + 0.3 * 3.75 + 0.1 * 6.0 + 0.1 * 3.0)
    assert price.cost(0, 0, 1_000_000, reasoning_tokens=900_000) == pytest.approx(0.9 * 20 + 0.1 * 15)


def test_without_a_price_of_their_own_tokens_cost_what_the_others_of_their_side_do() -> None:
    price = Price(input=2.0, cached_input=None, output=8.0)
    dearest = price.cost(1_000_000, 250_000, 1_000_000, written_tokens=250_000, reasoning_tokens=500_000)
    assert dearest == pytest.approx(10.0)


def test_a_long_prompt_has_the_price_of_long_prompts_from_its_first_token() -> None:
    price = list_price("gemini-2.5-pro", "gemini")
    assert price is not None
    assert price.cost(200_000, 0, 1000) == pytest.approx(200_000 * 1.25e-6 + 1000 * 10e-6)
    assert price.cost(200_001, 0, 1000) == pytest.approx(200_001 * 2.5e-6 + 1000 * 15e-6)


def test_batches_have_their_own_price_or_none() -> None:
    price = list_price("gpt-4.1")
    assert price is not None
    assert price.cost(1_000_000, 0, 1_000_000, batch=True) == pytest.approx(1.0 + 4.0)
    with pytest.raises(ValueError, match="no price for batches"):
        Price(1.0, 1.0, 1.0).cost(1, 0, 1, batch=True)


def test_prices_of_a_model_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prices", "gpt-4.1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:6] == [
        "openai gpt-4.1: US dollars per million tokens",
        "  input 2",
        "  cached input 0.5",
        "  output 8",
        "  batch: input 1",
        "  batch: output 4",
    ]
    assert lines[-1].startswith(f"as of {price_table().as_of}: model_prices_and_context_window.json of litellm ")


def test_a_model_without_a_list_price_is_said_with_what_comes_near(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prices", "gpt-4oo"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("gitgoodbench: no list price of 'gpt-4oo' is known (there are: gpt-4o, ")


def test_a_name_that_is_nearly_one_of_the_table_is_taken_for_that_one() -> None:
    assert meant_model("gpt-4.1-minni") == "did you mean gpt-4.1-mini? "
    assert meant_model("anthropic/claude-sonet-4-5") == "did you mean anthropic/claude-sonnet-4-5? "
    assert [meant_model(name) for name in ("gpt-4.1-mini", "qwen", "my-own", "")] == [""] * 4


def test_a_server_that_lacks_a_misspelt_model_is_asked_for_the_one_that_was_meant() -> None:
    refusal = Refusal(404, "The model does not exist", code="model_not_found")
    problem = meaning(refusal, Whom("gpt-4.1-minni", "api.openai.com"))
    assert str(problem) == (
        "api.openai.com does not have the model 'gpt-4.1-minni' (HTTP 404: The model does not exist): did you mean "
        "gpt-4.1-mini? choose another with --model"
    )
