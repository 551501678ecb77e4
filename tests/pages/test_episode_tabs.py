"""The page of an episode in a browser: every tab, its keys, who can use it, and that nothing in it runs or hides."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from gitgoodbench.api.running import load_run
from gitgoodbench.reporting.pages.shown import shown_runs
from gitgoodbench.reporting.pages.site import write_site
from tests.support.browser import THEMES, WIDTHS, Browser
from tests.support.episode_runs import BROKEN, LONG_LINE, Said, hostile, make_episode_run, plain

TABS = ("result", "trees", "conversation", "judge", "raw")
SCENARIOS = ("mcr", "ir", "icc", "broken")
SILENT = {
    ("icc", "trees"),
    ("broken", "trees"),
    ("broken", "conversation"),
    ("broken", "judge"),
    ("mcr", "judge"),
    ("mcr", "trees"),
    ("ir", "trees"),
}
"""Tabs that have nothing hostile to show."""
OPEN = "document.querySelector('[role=tabpanel]:not([hidden])')"

Addresses = dict[str, str]
"""The page of the episode of each scenario."""


def make_site(folder: Path, said: Said, extra: str = "") -> Addresses:
    run = load_run(make_episode_run(folder, said, extra))
    write_site([run], folder / "site")
    (shown,) = shown_runs([run])
    page = (folder / "site" / "episode.html").as_uri()
    return {
        "broken" if result.sample_id == BROKEN else result.scenario: f"{page}?e={shown.key(result)}"
        for result in run.results
    }


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Addresses:
    return make_site(tmp_path_factory.mktemp("episodes"), plain)


@pytest.fixture(scope="module")
def hostile_pages(tmp_path_factory: pytest.TempPathFactory) -> Addresses:
    return make_site(tmp_path_factory.mktemp("hostile"), hostile, LONG_LINE)


def open_tab(browser: Browser, address: str, tab: str) -> None:
    browser.open(f"{address}&tab={tab}")
    browser.wait(f"{OPEN}?.getAttribute('aria-busy') === 'false'")
    assert browser.run(f"return {OPEN}.id") == f"panel-{tab}"


def open_all(browser: Browser) -> None:
    """Open whatever is folded, also in what was folded."""
    browser.run(f"{OPEN}.querySelector('.commit')?.click()")
    opening = f"""const closed = {OPEN}.querySelectorAll("details:not([open])");
        closed.forEach((one) => {{ one.open = true; }}); return closed.length"""
    while browser.run(opening):
        browser.wait(f"[...{OPEN}.querySelectorAll('details[open]')].every((one) => one.childElementCount > 1)")


def text(browser: Browser) -> str:
    return str(browser.run(f"return {OPEN}.textContent"))


def texts(browser: Browser, selector: str, inside: str = "") -> list[str]:
    """Of what the open tab has there."""
    found = f"[...{OPEN}.querySelectorAll('{selector}'){inside}]"
    return list(browser.run(f"return {found}.map((one) => one.textContent)"))


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_tab_can_be_used_by_everybody(browser: Browser, pages: Addresses, scenario: str, width: int) -> None:
    for theme in THEMES:
        browser.emulate(width, theme)
        for tab in TABS:
            open_tab(browser, pages[scenario], tab)
            open_all(browser)
            where = f"{tab}, {width}, {theme}"
            assert (where, browser.serious_findings()) == (where, [])
            assert (where, browser.sideways()) == (where, 0)
            assert (where, browser.console()) == (where, [])


def test_a_merge_shows_what_met_and_what_was_made_of_it(browser: Browser, pages: Addresses) -> None:
    browser.emulate(1600, "light")
    open_tab(browser, pages["mcr"], "result")
    heads = "[...table.tHead.rows[0].cells].map((one) => one.textContent).filter((one) => one !== 'line')"
    tables = browser.run(f"return [...{OPEN}.querySelectorAll('table.diff')].map((table) => {heads})")
    assert tables[:2] == [["Ours", "Base", "Theirs"], ["Agent", "Truth"]]
    row = "[...table.tBodies[0].rows].map((row) => [...row.cells].map((one) => [one.textContent, one.className]))"
    made = browser.run(f"const table = {OPEN}.querySelectorAll('table.diff')[1]; return {row}")
    assert [cell[0] for cell in made[2]] == [
        "3", "    return sum(rows) * (1 + tax)", "3", "    return math.fsum(rows) * (1 + tax)"
    ]  # fmt: skip
    assert [cell[1] for cell in made[2]][1::2] == ["code removed", "code added"]
    marked = browser.run(
        f"return [...{OPEN}.querySelectorAll('table.diff')[1].querySelectorAll('mark')].map((one) => one.textContent)"
    )
    assert marked == ["sum", "math.fsum"]
    assert browser.run(f"return {OPEN}.querySelector('.hljs-keyword').textContent") == "def"
    shown = text(browser)
    assert "Base, ours and theirs are not recorded in this run." in shown
    assert "out of reach" in texts(browser, "section.file")[-1]
    marks = browser.run(
        f"return [...{OPEN}.querySelectorAll('.conflict > summary .verdict')].map((one) => one.textContent)"
    )
    assert marks == ["✓ Conflict 1", "✗ Conflict 2", "✗ Conflict 3", "✗ Conflict 4"]


@pytest.mark.parametrize("scenario", ["ir", "icc"])
def test_a_history_joins_what_belongs_together(browser: Browser, pages: Addresses, scenario: str) -> None:
    browser.emulate(1024, "light")
    open_tab(browser, pages[scenario], "result")
    browser.wait(f"{OPEN}.querySelectorAll('.links path').length === 2")
    bars = browser.run(
        f"return [...{OPEN}.querySelectorAll('.bar')].map((bar) => [...bar.children].map((one) => one.title))"
    )
    assert bars == [
        ["4 of real commit 1", "3 of real commit 2", "1 in no real commit"],
        ["4 of real commit 3", "1 in no real commit"],
    ]
    browser.one(".strip.agent .commit").click()
    browser.wait(f"{OPEN}.querySelectorAll('.patch .owned').length > 0")
    owners = browser.run(
        f"return [...{OPEN}.querySelectorAll('.patch .owned')].map((one) => [one.textContent, one.title])"
    )
    assert ["    return math.fsum(rows)", "of real commit 2"] in owners
    assert ["    return sum(rows) * (1 + tax)", "of real commit 1"] in owners
    browser.one(".strip.agent .commit").click()
    browser.wait(f"!{OPEN}.querySelector('.patch')")


def test_trees_stand_side_by_side(browser: Browser, pages: Addresses) -> None:
    browser.emulate(1024, "light")
    open_tab(browser, pages["mcr"], "trees")
    rows = browser.run(
        f"return [...{OPEN}.querySelector('table.tree').querySelectorAll('tbody tr')]"
        ".map((row) => [row.className, ...[...row.cells].map((one) => one.textContent)])"
    )
    assert ["node inserted", "+inserted: only the truth has it", "", "identifier fsum"] in rows
    folded = browser.one("table.tree button.more")
    count = int(folded.text.split()[0])
    folded.click()
    after = browser.run(f"return {OPEN}.querySelector('table.tree').querySelectorAll('tbody tr').length")
    assert after == len(rows) + count


def test_keys_walk_through_tabs_and_turns(browser: Browser, pages: Addresses) -> None:
    browser.emulate(1024, "light")
    browser.open(pages["mcr"])
    browser.one("[role=tab]").click()
    for tab in (*TABS[1:], TABS[0]):
        browser.press(Keys.ARROW_RIGHT)
        assert browser.run("return document.activeElement.id") == f"tab-{tab}"
        assert browser.run(f"return {OPEN}.id") == f"panel-{tab}"
    browser.press(Keys.END)
    assert browser.run(f"return {OPEN}.id") == "panel-raw"
    assert "tab=raw" in browser.driver.current_url
    for key, turn in (("l", "1"), ("l", "2"), ("l", "2"), ("h", "1")):
        browser.press(key)
        browser.wait(f"document.activeElement.dataset.turn === '{turn}'")
    browser.press("k")
    browser.wait("document.body.dataset.ready === 'yes' && document.querySelector('h1').textContent.includes('-ir')")
    assert browser.run(f"return {OPEN}.id") == "panel-conversation"


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("tab", TABS)
def test_nothing_hostile_runs_or_hides(browser: Browser, hostile_pages: Addresses, scenario: str, tab: str) -> None:
    browser.emulate(1024, "dark")
    open_tab(browser, hostile_pages[scenario], tab)
    open_all(browser)
    if (scenario, tab) not in SILENT:
        shown = text(browser)
        for part in ("<script>window.ran = 1</script>", "&lt;b&gt;", "<svg/onload=window.ran=1>"):
            assert part in shown
        escapes = ["\\u202e", "\\ud800", "\\u001b" if tab == "raw" else "\\x1b"]
        assert [escape for escape in escapes if escape not in shown] == []
    for hidden in ("\x1b", "\u202e", "\u2066"):
        assert hidden not in browser.run("return document.body.textContent")
    expand_long_line(browser)
    assert browser.run("return window.ran ?? null") is None
    assert browser.console() == []
    site = hostile_pages[scenario].split("episode.html")[0]
    assert [url for url in browser.requests() if not url.startswith(site)] == []
    assert browser.sideways() == 0


def expand_long_line(browser: Browser) -> None:
    """Show all of a line of two million characters; the page answers meanwhile."""
    found = browser.run(
        f"""const button = [...{OPEN}.querySelectorAll("button.more")].find((one) => one.textContent.includes("2,0"));
        window.grown = button?.parentElement; button?.click(); return Boolean(button)"""
    )
    if found:
        browser.wait("window.grown.textContent.length >= 2_000_000")
        assert browser.run("return window.grown.querySelector('button')") is None


def test_no_script_reads_data_as_html() -> None:
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|srcdoc"
        r"|\beval\(|new Function"
    )
    for entry in (files("gitgoodbench.reporting.pages") / "assets").iterdir():
        if entry.name.endswith(".js"):
            assert (entry.name, forbidden.findall(entry.read_text(encoding="utf-8"))) == (entry.name, [])


def test_what_sub_agents_said_is_folded(browser: Browser, pages: Addresses) -> None:
    browser.emulate(1024, "light")
    open_tab(browser, pages["ir"], "conversation")
    assert texts(browser, "details.aside > summary") == [
        "Sub-agent: conversation 1, 1 turn", "Beside it: conversation 2, 1 turn"
    ]  # fmt: skip
    assert texts(browser, ".turn details.aside > summary") == ["Sub-agent: conversation 1, 1 turn"]
    assert "I am 1." not in text(browser)
    open_all(browser)
    assert "I am 1." in text(browser)
    assert "I am 2." in text(browser)
    open_tab(browser, pages["icc"], "conversation")
    assert texts(browser, "details.aside") == []
