"""Runs whose every text is hostile: nothing of it runs, nothing breaks, nothing is hidden."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.api.running import load_run
from gitgoodbench.errors import Status
from gitgoodbench.reporting.pages.site import write_site
from gitgoodbench.runs.manifest import write_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import ErrorRecord, dump_json
from tests.support.browser import Browser
from tests.support.page_runs import Player, Sizes, conversation_lines, make_runs, manifest_of

MARK = "<img src=x onerror=window.pwned=1></script><script>window.pwned=2</script>"
BIDI = "\u202e\u2066\u200b\u2028\ufeff"
TERMINAL = "\x1b[31mred\x1b[0m\x07\r"
LONE = "\ud800x\udc80"
HOSTILE = f"{MARK}'\"&amp;`${{window.pwned=3}}{BIDI}{TERMINAL}{LONE}é\U0001f600"
LONG = "long " * 400_000
"""Two megabytes."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of a run whose names, errors, facts, details and messages are all hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    player = Player("openai", f"gpt {HOSTILE}", 0.5, 0.1, 10.0)
    (made,) = make_runs(folder, Sizes(samples=2, failing=0.0), [Player("openai", "gpt", 0.5, 0.1, 10.0)])
    paths = RunPaths(made)
    samples = 6
    write_manifest(paths, manifest_of("hostile", player, samples, samples))
    for number, result in enumerate(load_run(made).results):
        kept = result.details
        assert kept is not None
        text = kept.model_dump_json().replace("src/total.py", "src/HOSTILE").replace("Add part", "HOSTILE")
        dumped = result.model_dump(mode="json") | {
            "model": player.model,
            "name": HOSTILE,
            "language": HOSTILE,
            "difficulty": f"hard {HOSTILE}",
            "facts": {**result.facts, "__proto__": {"polluted": True}, HOSTILE: HOSTILE},
            "gates": {**result.gates, HOSTILE: False},
            "scores": {**result.scores, f"score {HOSTILE}": 0.5},
            "details": _hostile(json.loads(text)),
        }
        if number == 0:
            failed = ErrorRecord(kind=HOSTILE, message=HOSTILE).model_dump(mode="json")
            dumped |= {"status": Status.SETUP_FAILED.value, "success": False, "solved": None, "error": failed}
        files = paths.episode(*result.key)
        files.result.write_bytes(dump_json(dumped))
        lines = list(conversation_lines(result, LONG if number == 1 else HOSTILE))
        written = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        files.trajectory.write_bytes(written + b"\xff\xfe broken\n")
    write_site([load_run(made)], folder / "pages")
    return folder / "pages"


def _hostile(value: object) -> object:
    if isinstance(value, str):
        return value.replace("HOSTILE", HOSTILE)
    if isinstance(value, dict):
        return {key: _hostile(entry) for key, entry in value.items()}
    return [_hostile(entry) for entry in value] if isinstance(value, list) else value


def check_harmless(browser: Browser, site: Path) -> None:
    assert browser.run("return window.pwned ?? null") is None
    assert browser.run("return ({}).polluted ?? null") is None
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert browser.run("return document.getElementById('problem').hidden") is True
    assert all(url.startswith(site.as_uri()) for url in browser.requests())
    assert browser.console() == []


def test_the_overview_shows_hostile_names_as_text(browser: Browser, hostile: Path) -> None:
    browser.open((hostile / "index.html").as_uri())
    text = browser.run("return document.querySelector('#runs tbody').textContent")
    assert MARK in text
    for escape in (r"\u202e", r"\u2066", r"\u200b", r"\u2028", r"\ufeff", r"\x1b", r"\x07", r"\ud800", r"\udc80"):
        assert escape in text, escape
    assert "\u202e" not in browser.run("return document.documentElement.outerHTML")
    reasons = browser.run("return document.getElementById('failures').textContent")
    assert MARK in reasons
    check_harmless(browser, hostile)


def test_filters_work_with_hostile_values(browser: Browser, hostile: Path) -> None:
    browser.open((hostile / "index.html").as_uri())
    name = "%3Cimg%20src%3Dx%20onerror%3Dwindow.pwned%3D1%3E"
    query = f"?repository={name}&q=%3Cb%3E&conflicts=x&scenario=__proto__"
    browser.open((hostile / "index.html").as_uri() + query)
    assert browser.run("return document.querySelectorAll('#runs tbody tr').length") == 0
    check_harmless(browser, hostile)


@pytest.mark.parametrize("number", range(6))
def test_every_episode_can_be_looked_at(browser: Browser, hostile: Path, number: int) -> None:
    key = sorted((hostile / "data" / "episodes").iterdir())[number].stem
    browser.open((hostile / "episode.html").as_uri() + f"?e={key}")
    assert browser.run("return document.getElementById('episode').textContent.length") > 0
    assert "\u202e" not in browser.run("return document.documentElement.outerHTML")
    check_harmless(browser, hostile)


@pytest.mark.parametrize("address", ["../../etc/passwd", "%3Cscript%3E", "", "0" * 20])
def test_an_address_of_no_episode_says_so(browser: Browser, hostile: Path, address: str) -> None:
    browser.open((hostile / "episode.html").as_uri() + f"?e={address}")
    assert "cannot be drawn" in browser.one("#problem").text
    assert browser.run("return window.pwned ?? null") is None
