"""The figures and plots of a collection, and the card that a dataset on the hub has."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from jinja2 import Environment

from gitgoodbench.text import one_line
from gitgoodbench.trajectories.export import Collected, Format
from gitgoodbench.trajectories.rows import REWARD_RULE, Row

CARD: Final = "README.md"


@dataclass(frozen=True)
class CardFacts:
    """What a card tells. files: of each side, relative to the card. evaluation: suites compared with, by fingerprint;
    None where evaluation data was allowed. plots: title and file."""

    title: str
    form: Format
    sides: Mapping[str, Sequence[Row]]
    files: Mapping[str, str]
    collected: Collected
    evaluation: Sequence[tuple[str, str]] | None
    plots: Sequence[tuple[str, str]] = ()
    pairs: int | None = None


def card_of(facts: CardFacts) -> str:
    """The dataset card, markdown with front matter."""
    rows = [row for side in facts.sides.values() for row in side]
    return _TEMPLATE.render(
        facts=facts,
        rows=rows,
        sides=[(name, _figures(side)) for name, side in facts.sides.items()],
        by_scenario=[
            (name, _figures([row for row in rows if row.scenario == name]))
            for name in sorted({row.scenario for row in rows})
        ],
        models=Counter(row.model or row.agent for row in rows).most_common(),
        licenses=Counter(row.license or "unknown" for row in rows).most_common(),
        size=_size(len(rows)),
        estimated=sum(row.tokens_estimated for row in rows),
        rule=REWARD_RULE,
    )


def draw_plots(rows: Sequence[Row], folder: Path) -> list[tuple[str, str]]:
    """Draw rewards and lengths by scenario; give title and file name of each.

    Raises:
        ImportError: matplotlib is not installed.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    drawn = []
    for title, name, value in (("Reward", "reward", _reward), ("Length in tokens", "tokens", _tokens)):
        figure, axes = pyplot.subplots(figsize=(6, 3), layout="constrained")
        scenarios = sorted({row.scenario for row in rows})
        axes.hist([[value(row) for row in rows if row.scenario == one] for one in scenarios], bins=20, label=scenarios)
        axes.set_xlabel(title)
        axes.set_ylabel("episodes")
        axes.legend()
        figure.savefig(folder / f"{name}.png", dpi=150)
        pyplot.close(figure)
        drawn.append((title, f"{name}.png"))
    return drawn


def _reward(row: Row) -> float:
    return row.reward


def _tokens(row: Row) -> float:
    return row.tokens


def _figures(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "episodes": len(rows),
        "samples": len({row.group for row in rows}),
        "repositories": len({row.repository.lower() for row in rows}),
        "solved": sum(row.solved is True for row in rows),
        "reward": f"{sum(row.reward for row in rows) / len(rows):.3f}" if rows else "-",
        "tokens": sum(row.tokens for row in rows),
        "median_tokens": round(median(row.tokens for row in rows)) if rows else "-",
        "longest": max((row.tokens for row in rows), default="-"),
        "turns": f"{sum(row.turns for row in rows) / len(rows):.1f}" if rows else "-",
    }


def _size(rows: int) -> str:
    for limit, name in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")):
        if rows < limit:
            return name
    return "1M<n<10M"


def _cell(text: object) -> str:
    return one_line(str(text)).replace("|", "\\|")


_ENVIRONMENT: Final = Environment(autoescape=False, trim_blocks=True, lstrip_blocks=True)
_ENVIRONMENT.filters |= {"cell": _cell, "yaml": json.dumps}
_TEMPLATE: Final = _ENVIRONMENT.from_string(
    """---
pretty_name: {{ facts.title | yaml }}
task_categories:
- text-generation
tags:
- agent
- git
- gitgoodbench
- tool-use
size_categories:
- {{ size }}
{% if facts.form != "atif" %}
configs:
- config_name: default
  data_files:
{% for name, file in facts.files.items() %}
  - split: {{ name }}
    path: {{ file | yaml }}
{% endfor %}
{% endif %}
---

# {{ facts.title }}

{{ rows | length }} episodes of agents that work with Git, collected by gitgoodbench, in the format `{{ facts.form }}`.
{% if facts.pairs is not none %}
They make {{ facts.pairs }} preferences: a better and a worse attempt at one sample.
{% endif %}

## Figures

| | episodes | samples | repositories | solved | mean reward | tokens | median | longest | turns |
|---|---|---|---|---|---|---|---|---|---|
{% for name, one in sides + by_scenario if one.episodes %}
| {{ name | cell }} | {{ one.values() | list | join(" | ") }} |
{% endfor %}

Tokens are of whole conversations, as the model's server counted them
{{- "; %d of the lengths are estimated by bytes" % estimated if estimated else "" }}.
{% if facts.files | length > 1 %}
The sides of the split have no repository and no commit in common.
{% else %}
There is one side: nothing was set apart for tests.
{% endif %}

Reward: {{ rule }}. It and the scores that it is made of stand in each row's metadata.

## How it was made

{{ facts.collected.read }} episodes were read. Left out:
{% for reason, count in facts.collected.left_out %}
- {{ count }}: {{ reason }}
{% endfor %}

{{ facts.collected.masked }} secrets and e-mail addresses were masked.
{% if facts.evaluation is none %}
**Evaluation data was allowed: do not train on this and report figures of evaluation suites.**
{% else %}
No row is of a repository or a commit of these evaluation suites:
{% for name, fingerprint in facts.evaluation %}
- {{ name | cell }} (rows {{ fingerprint[:12] }})
{% endfor %}
{% endif %}

| model or agent | episodes |
|---|---|
{% for name, count in models %}
| {{ name | cell }} | {{ count }} |
{% endfor %}

## Licences

The conversations quote code of repositories under these licences.

| licence | episodes |
|---|---|
{% for name, count in licenses %}
| {{ name | cell }} | {{ count }} |
{% endfor %}
{% if facts.plots %}

## Plots

{% for title, file in facts.plots %}
![{{ title }}]({{ file }})
{% endfor %}
{% endif %}
"""
)
