"""The page that compares two runs: figures of `gitgoodbench compare`, turned round, linked, usable by anybody."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

import gitgoodbench
from gitgoodbench.api.running import Run
from gitgoodbench.comparing.records import Pair
from gitgoodbench.reporting.pages.compare import compare_data
from gitgoodbench.reporting.pages.shown import shown_runs
from tests.support.browser import THEMES, WIDTHS, Browser
from tests.support.compared import played, results_of, save

A, B = "lite-gpt-4o", "lite-claude-sonnet-4-5"


def address(site: Path, a: str, b: str, more: str = "") -> str:
    return f"{(site / 'compare.html').as_uri()}?a={quote(a)}&b={quote(b)}{more}"


def rows(browser: Browser, table: str) -> dict[str, list[str]]:
    script = """
        const rows = [...document.querySelectorAll(`#${arguments[0]} tbody tr`)];
        return rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
    """
    return {first: rest for first, *rest in browser.run(script, table)}


def names_of(runs: list[Run]) -> tuple[str, str]:
    """Two runs of all scenarios."""
    names = [run.id for run in runs if len({result.scenario for result in run.results}) == 3]
    return names[0], names[1]


def pair_of(runs: list[Run], a: str, b: str, scenario: str | None) -> Pair:
    found = gitgoodbench.compare(*runs)
    return next(
        pair for pair in found.pairs if (pair.a, pair.b, pair.scenario, pair.score) == (a, b, scenario, "solved")
    )


def test_the_figures_are_those_of_the_command(browser: Browser, runs: list[Run], site: Path) -> None:
    a, b = names_of(runs)
    browser.open(address(site, a, b))
    for scenario in ("icc", "ir", "mcr", None):
        pair = pair_of(runs, a, b, scenario)
        row = rows(browser, "figures")[f"{scenario or 'all scenarios'}: solved"]
        assert row[0] == str(pair.n)
        assert (row[3], row[4]) == (str(pair.only_a), str(pair.only_b))
        assert row[1] == f"{round((pair.mean_a or 0) * pair.n)}/{pair.n} {100 * (pair.mean_a or 0):.1f} %"
        assert row[7] == ("< 0.0001" if (pair.p_mcnemar or 0) < 0.0001 else f"{pair.p_mcnemar:.4f}")
    assert browser.console() == []


def test_exchanged_runs_have_the_same_figures_turned_round(browser: Browser, runs: list[Run], site: Path) -> None:
    a, b = names_of(runs)
    browser.open(address(site, a, b))
    straight = rows(browser, "figures")["all scenarios: solved"]
    browser.one("#swap").click()
    back = rows(browser, "figures")["all scenarios: solved"]
    assert (back[1], back[2], back[3], back[4]) == (straight[2], straight[1], straight[4], straight[3])
    assert back[7:] == straight[7:]
    assert f"a={b}" in browser.driver.current_url
    browser.press("s")
    assert rows(browser, "figures")["all scenarios: solved"] == straight


def test_flips_link_to_the_episodes_of_both_runs(browser: Browser, runs: list[Run], site: Path) -> None:
    a, b = names_of(runs)
    browser.open(address(site, a, b))
    flips = [flip for flip in gitgoodbench.compare(*runs).flips if (flip.a, flip.b) == (a, b)]
    items = browser.all(".flips li")
    assert len(items) == len(flips) > 0
    links = items[0].find_elements("css selector", "a")
    assert [link.text for link in links] == ["A", "B"]
    shown = {each.name: each for each in shown_runs(runs)}
    first = flips[0] if flips[0].solved_by == "a" else next((f for f in flips if f.solved_by == "a"), flips[0])
    key = (first.scenario, first.sample_id, first.epoch)
    result = next(result for result in shown[b].run.results if result.key == key)
    assert f"e={shown[b].key(result)}" in (links[1].get_attribute("href") or "")
    assert first.sample_id in items[0].text


def test_filters_choose_among_the_flips_and_stay_in_the_address(browser: Browser, runs: list[Run], site: Path) -> None:
    a, b = names_of(runs)
    browser.open(address(site, a, b, "&scenario=mcr"))
    flips = [f for f in gitgoodbench.compare(*runs).flips if (f.a, f.b, f.scenario) == (a, b, "mcr")]
    assert len(browser.all(".flips li")) == len(flips)
    assert "ir: solved" in rows(browser, "figures")
    browser.one("#swap").click()
    assert "scenario=mcr" in browser.driver.current_url


def test_parts_have_a_plot_for_each_scenario(browser: Browser, runs: list[Run], site: Path) -> None:
    a, b = names_of(runs)
    browser.open(address(site, a, b))
    words = [plot.get_attribute("aria-label") or "" for plot in browser.all("#forest svg[role=img]")]
    assert [text.partition(":")[0] for text in words] == ["icc", "ir", "mcr", "all scenarios"]
    pair = pair_of(runs, a, b, "mcr")
    assert f"all, {pair.n} episodes: " in words[2]
    assert all(f"{part.dimension}: {part.value}, {part.n} episodes" in words[2] for part in pair.strata)


@pytest.mark.parametrize("theme", THEMES)
def test_the_page_is_usable_by_anybody_at_any_width(browser: Browser, runs: list[Run], site: Path, theme: str) -> None:
    for width in WIDTHS:
        browser.emulate(width, theme)
        browser.open(address(site, *names_of(runs)))
        assert browser.serious_findings() == []
        assert browser.sideways() <= 0
    browser.emulate(1280, "light")


def test_what_differs_is_named_and_nothing_of_it_is_read_as_html(browser: Browser, tmp_path: Path) -> None:
    from gitgoodbench.api.running import load_run
    from gitgoodbench.reporting.pages.site import write_site

    ours = played("a", results_of("110"))
    theirs = played("<img src=x onerror=alert(1)>", results_of("011"), max_turns=7)
    folders = [save(ours, tmp_path), save(type(ours)("b", theirs.folder, theirs.manifest, theirs.results), tmp_path)]
    write_site([load_run(folder) for folder in folders], tmp_path / "pages")
    browser.open((tmp_path / "pages" / "compare.html").as_uri())
    assert "--max-turns: A 50, B 7" in browser.one("#differs").text
    assert "<img src=x" in browser.one("#verdict").text
    assert browser.all("main img") == []
    assert browser.console() == []


def test_runs_with_nothing_in_common_and_a_single_run_say_so(browser: Browser, tmp_path: Path) -> None:
    from gitgoodbench.api.running import load_run
    from gitgoodbench.reporting.pages.site import write_site

    a, b = save(played("a", "1"), tmp_path), save(played("b", results_of("1", scenario="ir")), tmp_path)
    assert compare_data(shown_runs([load_run(a), load_run(b)])) == {"pairs": {}}
    for name, folders, words in (("two", [a, b], "no episode in common"), ("one", [a], "needs two runs")):
        write_site([load_run(folder) for folder in folders], tmp_path / name)
        browser.open((tmp_path / name / "compare.html").as_uri())
        assert words in browser.one("#verdict").text
