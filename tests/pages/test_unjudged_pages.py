"""Pages of many runs of which some scenarios were not judged, and some not played at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.api.running import load_run
from gitgoodbench.reporting.pages.site import write_site
from tests.support.browser import Browser
from tests.support.page_runs import Player, Sizes, make_runs

BOTH = ("icc", "mcr")


@pytest.fixture(scope="module")
def unjudged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of sixteen runs: icc by all and judged of none, mcr by the first two."""
    folder = tmp_path_factory.mktemp("unjudged")
    players = [Player(f"agent-{at:02}", None, at / 16, 0.0, 2.0, BOTH if at < 2 else ("icc",)) for at in range(16)]
    made = make_runs(folder, Sizes(samples=4, failing=0), players)
    for file in (file for run in made for file in run.glob("samples/icc/*/*/result.json")):
        file.write_text(json.dumps(json.loads(file.read_bytes()) | {"solved": None, "solved_paper": None}))
    write_site([load_run(run) for run in made], folder / "pages")
    return folder / "pages"


def test_what_nobody_judged_is_not_counted_as_not_solved(browser: Browser, unjudged: Path) -> None:
    """Neither is a map wider than a telephone where runs were not played."""
    cell = """const heads = [...document.querySelectorAll("#runs thead th")].map((one) => one.textContent.trim());
        return document.querySelector("#runs tbody tr").cells[heads.indexOf("solved of all")].textContent.trim()"""
    browser.emulate(360, "dark")
    browser.open((unjudged / "index.html").as_uri())
    assert browser.run(cell) == "-"
    assert browser.sideways() == 0
    browser.open(f"{(unjudged / 'index.html').as_uri()}?scenario=mcr")
    assert "/4 " in browser.run(cell)


def test_the_comparison_says_what_was_compared(browser: Browser, unjudged: Path) -> None:
    browser.open(f"{(unjudged / 'compare.html').as_uri()}?a=lite-agent-14&b=lite-agent-15")
    shown = browser.run("return document.body.innerText")
    assert "Of 4 common episodes of icc, which nobody judged, A (agent-14) alone met all gates in" in shown
