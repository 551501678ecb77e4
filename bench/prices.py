"""Makes data/prices.json anew from the price table that litellm ships.

    pip download --no-deps litellm && unzip litellm-*.whl
    python bench/prices.py litellm/model_prices_and_context_window_backup.json litellm-*.dist-info

Kept are chat models of the providers whose servers `gitgoodbench.models.pricing` knows, with the prices of text tokens.
Left out are models that are priced by anything else (per request, per second, by several steps of length, not at all).
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from email import message_from_string
from pathlib import Path
from typing import Any

from gitgoodbench.models.pricing import PROVIDERS

OUT = Path(__file__).parents[1] / "data" / "prices.json"
MODES = ("chat", "responses", "completion")
FIELDS = {
    "input": "input_cost_per_token",
    "cached_input": "cache_read_input_token_cost",
    "written_input": "cache_creation_input_token_cost",
    "output": "output_cost_per_token",
    "reasoning": "output_cost_per_reasoning_token",
}
HOUR = "cache_creation_input_token_cost_above_1hr"
LONGER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


def price_of(entry: dict[str, Any]) -> dict[str, Any] | None:
    """An entry of the table as the fields of a `Price`; None where it is not priced by tokens alone."""
    steps = [match for key in entry if (match := LONGER.fullmatch(key))]
    if entry.get("input_cost_per_token") is None or entry.get("output_cost_per_token") is None:
        return None
    if len(steps) > 1 or "tiered_pricing" in entry or "input_cost_per_request" in entry:
        return None
    price = _fields(entry, "")
    if HOUR in entry:
        price["written_input_1h"] = _per_million(entry[HOUR])
    if "input" in (batch := _fields(entry, "_batches")) and "output" in batch:
        price["batch"] = batch
    for step in steps:
        longer = {"output": price["output"], **_fields(entry, f"_above_{step[1]}k_tokens")}
        price["longer"] = {"above": int(step[1]) * 1000, **longer}
    return price


def _fields(entry: dict[str, Any], suffix: str) -> dict[str, Any]:
    return {
        name: _per_million(entry[key + suffix]) for name, key in FIELDS.items() if entry.get(key + suffix) is not None
    }


def _per_million(dollars: Any) -> float:
    return round(float(dollars) * 1e6, 9)


def prices_in(table: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By provider and model. A name with the provider before it stands for the name alone."""
    found: dict[str, dict[str, Any]] = {provider: {} for provider in sorted(set(PROVIDERS.values()))}
    for name, entry in sorted(table.items()):
        provider = entry.get("litellm_provider")
        if provider in found and entry.get("mode") in MODES and (price := price_of(entry)) is not None:
            found[provider].setdefault(name.removeprefix(f"{provider}/"), price)
    return found


def main(table: Path, information: Path) -> None:
    version = message_from_string((information / "METADATA").read_text("utf-8"))["Version"]
    licence = (information / "licenses" / "LICENSE").read_text("utf-8")
    head = {
        "as_of": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "source": f"model_prices_and_context_window.json of litellm {version}, by BerriAI; cut to text tokens",
        "licence": licence[licence.index("MIT License") :],
        "unit": "US dollars per million tokens",
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    lines.append('  "models": {')
    lines.append(
        ",\n".join(
            f"    {json.dumps(provider)}: {{\n"
            + ",\n".join(f"      {json.dumps(name)}: {json.dumps(price)}" for name, price in models.items())
            + "\n    }"
            for provider, models in prices_in(json.loads(table.read_bytes())).items()
        )
    )
    OUT.write_text("{\n" + "\n".join(lines) + "\n  }\n}\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
