"""The overview in a browser: what it counts, how it is filtered and walked through, and who can use it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from gitgoodbench.api.running import Run
from gitgoodbench.reporting.summary import summarize_cell
from gitgoodbench.runs.result import Result
from gitgoodbench.scoring.statistics import Proportion
from tests.support.browser import THEMES, WIDTHS, Browser


def shown(figure: Proportion) -> str:
    """A rate as the table has it."""
    if figure.interval is None or figure.rate is None:
        return "-"
    low, high = figure.interval
    return f"{figure.hits}/{figure.total} {100 * figure.rate:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def table(browser: Browser) -> dict[str, dict[str, str]]:
    """Run -> header -> text."""
    script = """
        const heads = [...document.querySelectorAll("#runs thead th")].map((one) => one.textContent.trim());
        return [...document.querySelectorAll("#runs tbody tr")].map((row) => [
            row.querySelector(".run").textContent,
            Object.fromEntries([...row.cells].map((cell, at) => [heads[at], cell.textContent.trim()])),
        ]);
    """
    return dict(browser.run(script))


def index(site: Path, query: str = "") -> str:
    return f"{(site / 'index.html').as_uri()}{query}"


def check_figures(browser: Browser, runs: list[Run], kept: dict[str, list[Result]]) -> None:
    """The table against the harness's own figures, epochs of one sample as clusters included."""
    found = table(browser)
    assert set(found) == {run.id for run in runs if kept[run.id]}
    for name, row in found.items():
        cell = summarize_cell(kept[name], {"splittable": "splittable", "attainable": "attainable"})
        assert row["episodes"] == str(cell.rows)
        assert row["solved of attainable"] == shown(cell.of_attainable)
        assert row["solved of answers"] == shown(cell.of_answers)
        assert row["solved of all"] == shown(cell.of_all)
        assert row["all gates"] == shown(cell.all_gates)
        assert row["failures"] == str(cell.rows - cell.answers)
        assert row["s/episode"] == (f"{cell.seconds:.1f}" if (cell.seconds or 0) < 100 else f"{cell.seconds:.0f}")


def test_the_table_has_the_figures_of_the_report(browser: Browser, runs: list[Run], site: Path) -> None:
    browser.open(index(site))
    check_figures(browser, runs, {run.id: list(run.results) for run in runs})
    row = table(browser)["lite-gpt-4o"]
    gpt = next(run for run in runs if run.id == "lite-gpt-4o")
    judging = gpt.summary.overall.judging
    assert judging is not None
    assert row["judge wins"] == shown(judging.total.wins)
    assert row["judge ties"] == shown(judging.total.ties)
    total = gpt.summary.total
    assert row["cost"] == f"≥ ${total.cost_usd:.2f}"
    assert row["tokens"] == f"{total.tokens:,}"
    assert "same samples" in row["suite"]
    assert browser.console() == []


def test_filters_stand_in_the_address_and_recount_everything(browser: Browser, runs: list[Run], site: Path) -> None:
    browser.open(index(site, "?scenario=mcr&difficulty=easy&difficulty=medium&conflicts=2-8"))
    kept = {
        run.id: [
            result
            for result in run.results
            if result.scenario == "mcr"
            and result.difficulty in ("easy", "medium")
            and 2 <= result.facts.get("conflicts", facts_of(runs, result).get("conflicts", 0)) <= 8
        ]
        for run in runs
    }
    check_figures(browser, runs, kept)
    browser.one("details[data-filter=language] summary").click()
    browser.one("details[data-filter=language] input[value=java]").click()
    assert "language=java" in browser.driver.current_url
    check_figures(browser, runs, {name: [r for r in some if r.language == "java"] for name, some in kept.items()})
    link = browser.one("table.heat a.cell").get_attribute("href") or ""
    assert "language=java" in link
    assert "conflicts=2-8" in link
    browser.one(".filters button").click()
    assert browser.driver.current_url == index(site, "?")
    check_figures(browser, runs, {run.id: list(run.results) for run in runs})


def facts_of(runs: list[Run], result: Result) -> dict[str, object]:
    """Facts of the sample, from another run where this episode has none."""
    every = (other for run in runs for other in run.results if other.key == result.key)
    return max((other.facts for other in every), key=len)


def test_search_narrows_as_one_types(browser: Browser, site: Path) -> None:
    browser.open(index(site))
    browser.press("/", "owner1", " ", "merge")
    browser.wait("new URLSearchParams(location.search).get('q') === 'owner1 merge'")
    names = browser.run("return [...document.querySelectorAll('.heat tbody th')].map((one) => one.textContent)")
    assert names
    assert all("owner1" in name and "merge" in name for name in names)
    assert browser.run("return document.activeElement.id") == "search"


def test_the_map_is_ordered_by_how_many_solved(browser: Browser, runs: list[Run], site: Path) -> None:
    browser.open(index(site))
    browser.wait("document.querySelectorAll('.heat tbody tr').length === 54")
    solved = [
        int(text.split("/")[0])
        for text in browser.run("return [...document.querySelectorAll('.heat td.count')].map((one) => one.textContent)")
        if "/" in text
    ]
    assert solved == sorted(solved, reverse=True)
    classes = browser.run("return [...document.querySelectorAll('.heat a.cell')].map((one) => one.className)")
    every = [result for run in runs for result in run.results]
    assert len(classes) == len(every)
    assert classes.count("cell solved") == sum(result.solved is True for result in every)
    assert classes.count("cell broken") == sum(not result.status.is_answer for result in every)
    out = [r for r in every if r.status.is_answer and r.solved is False and r.attainable is False]
    assert classes.count("cell out") == len(out)


def test_columns_sort_by_their_numbers(browser: Browser, site: Path) -> None:
    browser.open(index(site))
    head = next(one for one in browser.all("#runs .sorts") if one.text.endswith("of answers"))
    head.click()
    down = [float(re.findall(r"([\d.]+) %", row["solved of answers"])[0]) for row in table(browser).values()]
    assert down == sorted(down, reverse=True)
    head.send_keys(Keys.ENTER)
    up = [float(re.findall(r"([\d.]+) %", row["solved of answers"])[0]) for row in table(browser).values()]
    assert up == sorted(up)


def test_plots_show_floor_ceiling_and_published_figures(browser: Browser, site: Path) -> None:
    browser.open(index(site))
    labels = browser.run("return [...document.querySelectorAll('#dots svg[role=img]')].map((one) => one.ariaLabel)")
    merges = next(label for label in labels if label.startswith("mcr"))
    assert "best of 2 rules" in merges
    assert "GPT-4o baseline: 8/60 13.3 % [6.9, 24.2] (published" in merges
    assert "tool-oracle" in merges
    assert len(browser.all("#dots .beyond")) == 2  # icc and mcr have a ceiling
    assert len(browser.all("#dots .floor")) == 1
    assert len(browser.all("#scatter svg[role=img]")) == 2


def test_keys_lead_from_the_map_to_an_episode_and_on(browser: Browser, site: Path) -> None:
    browser.open(index(site, "?scenario=mcr"))
    browser.press("?")
    assert browser.run("return document.getElementById('keys').open")
    browser.press(Keys.ESCAPE, "j", "j", Keys.ARROW_RIGHT)
    focused = browser.run("return document.activeElement.ariaLabel")
    browser.press(Keys.ENTER)
    browser.wait("document.body.dataset.page === 'episode.html' && document.body.dataset.ready === 'yes'")
    assert "scenario=mcr" in browser.driver.current_url
    sample = focused.split(",")[0].split(" ")[1]
    assert sample in browser.driver.title
    assert "2 of 18" in browser.one("#position").text
    browser.press("j")
    browser.wait(
        "document.body.dataset.ready === 'yes' && /3 of 18/.test(document.getElementById('position').textContent)"
    )
    browser.press("k")
    browser.wait(
        "document.body.dataset.ready === 'yes' && /2 of 18/.test(document.getElementById('position').textContent)"
    )
    assert len(browser.all("#siblings li")) == 6


def test_a_chosen_theme_stays(browser: Browser, site: Path) -> None:
    browser.open(index(site))
    browser.emulate(1024, "light")
    light = browser.run("return getComputedStyle(document.body.parentNode).backgroundColor")
    browser.one("#theme").click()
    browser.one("#theme").click()
    dark = browser.run("return getComputedStyle(document.body.parentNode).backgroundColor")
    assert light != dark
    browser.open(index(site))
    assert browser.run("return getComputedStyle(document.body.parentNode).backgroundColor") == dark
    browser.one("#theme").click()


@pytest.mark.parametrize("page", ["index.html", "episode.html"])
def test_everybody_can_use_it(browser: Browser, site: Path, page: str) -> None:
    """Three widths, two themes: nothing serious for axe, nothing wider than the window, no word in the console."""
    key = next((site / "data" / "episodes").iterdir()).stem
    browser.open(f"{(site / page).as_uri()}?e={key}")
    for width in WIDTHS:
        for theme in THEMES:
            browser.emulate(width, theme)
            assert browser.serious_findings() == [], (width, theme)
            assert browser.sideways() == 0, width
    assert browser.console() == []
    assert all(url.startswith(site.as_uri()) for url in browser.requests())
