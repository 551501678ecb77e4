"""The page: one file that loads and runs nothing, whatever logs and commits say."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gitgoodbench.cli import run
from gitgoodbench.feedback.records import EditResult, Key, MatchedPiece
from gitgoodbench.feedback.report.page import usual_dimensions
from gitgoodbench.feedback.report.plots import bars_of, scatter_of, weeks_of
from gitgoodbench.feedback.store import Store
from tests.feedback.support_report import MONDAY, commit, result, row, save_results
from tests.feedback.support_repository import Developer

HOSTILE = "</title><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u202e\x00"
VOID = {"meta", "link", "br", "img"}


class Elements(HTMLParser):
    """All elements of a page with their attributes, and whether each is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def project(ada: Developer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = ada.repository(tmp_path / "project")
    monkeypatch.chdir(folder)
    return folder


def hostile_edits(project: Path) -> None:
    """Edits whose names, paths, models, languages, reasons and code are an attacker's."""
    hostile = HOSTILE.encode() + b"\xff\xfe\n"
    with Store(project / ".git") as store:
        for number, reward in enumerate((0.0, 0.5, 1.0)):
            of = commit("abc"[number], MONDAY + number * 7 * 86_400)
            pieces = (
                MatchedPiece(hostile, hostile * 2, HOSTILE, 3, 10, 3, "tree"),
                MatchedPiece(b"z" * 2_000_000, b"", None, None, 1, 1, "lines"),
            )
            edit = result(
                Key(HOSTILE, HOSTILE, str(number)), of, reward, path=f"{HOSTILE}/{HOSTILE}", language=HOSTILE,
                model=HOSTILE, reason=HOSTILE, pieces=pieces,
            )  # fmt: skip
            save_results(store, of, edit)


@pytest.fixture
def page(project: Path) -> str:
    hostile_edits(project)
    assert run(["feedback", "report", "--html", "out.html"]) == 0
    return (project / "out.html").read_bytes().decode()


def test_a_page_runs_and_loads_nothing(page: str) -> None:
    elements = Elements(page)
    assert elements.open == []
    tags = {tag for tag, _ in elements.found}
    assert not tags & {"script", "img", "link", "iframe", "object", "embed", "form", "base", "audio", "video"}
    for _, attributes in elements.found:
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "src", "srcset")]
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in page
    assert "@import" not in page


def test_its_policy_allows_its_own_style_alone(page: str) -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'" in page


def test_hostile_text_is_text(page: str) -> None:
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert not set(page) & {"\x1b", "\u202e", "\x00"}
    assert "\\x1b[31m\\u202e" in page
    assert "\\xff\\xfe" in page
    assert len(page) < 200_000


def test_every_place_that_is_linked_to_is_there(page: str) -> None:
    elements = Elements(page)
    places = {attributes["id"] for _, attributes in elements.found if "id" in attributes}
    linked = {(attributes["href"] or "").removeprefix("#") for tag, attributes in elements.found if tag == "a"}
    assert linked <= places
    assert {"worst", "best", "by-assistant", "plots", "meaning"} <= linked


def test_what_scrolls_can_be_reached_by_keyboard(page: str) -> None:
    for tag, attributes in Elements(page).found:
        if tag == "pre" or attributes.get("class") == "wide":
            assert attributes["tabindex"] == "0"
            assert attributes["aria-label"]


def test_best_and_worst_come_once_each(project: Path) -> None:
    with Store(project / ".git") as store:
        for number in range(4):
            of = commit("abcd"[number])
            edits: list[EditResult] = []
            for name, size in (("small", 3), ("large", 30)):
                piece = MatchedPiece(b"f(a)\n", b"g(a)\n", "a.py", 1, size, 1, "tree")
                edits.append(result(Key("a", "s", f"{name}{number}"), of, number / 4, size=size, pieces=(piece,)))
            save_results(store, of, *edits)
    assert run(["feedback", "report", "--html", "out.html", "--by", "model"]) == 0
    text = (project / "out.html").read_text()
    best = text[text.index('id="best"') :]
    assert re.findall(r"<summary><b>([0-9.]+)</b>", best) == ["0.75", "0.50", "0.25", "0.00"]
    assert "<mark>f</mark>(a)" in best
    assert "<mark>g</mark>(a)" in best
    assert "by-model" in text
    assert "by-folder" not in text


def test_a_page_of_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(project / ".git").close()
    assert run(["feedback", "report", "--html", "out.html"]) == 0
    assert "no edits of an assistant are known yet" in capsys.readouterr().out
    assert Elements((project / "out.html").read_text()).open == []


def test_a_file_that_cannot_be_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(project / ".git").close()
    assert run(["feedback", "report", "--html", "nowhere/out.html"]) == 2
    assert "nowhere/out.html cannot be written (No such file or directory)" in capsys.readouterr().err


def test_plots() -> None:
    bars = bars_of([0.0, 0.05, 0.1, 0.95, 1.0])
    assert [bar.count for bar in bars] == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    assert (bars[0].label, bars[0].height, bars[1].height) == ("0.0 to 0.1", 88, 44)
    scatter = scatter_of([row("a", reward=1.0, size=10), row("b", reward=0.0, size=1_000), row("c", size=None)])
    assert scatter is not None
    assert [(one.x, one.y) for one in scatter.points] == [(2, 4), (98, 96)]
    assert scatter.ticks == ((2, 10), (50, 100), (98, 1_000))
    assert scatter_of([row("a", reward=None, state="pending")]) is None
    weeks = weeks_of([row("a", "c1", 0.5, week="2026-W49"), row("b", "c2", 1.0, week="2026-W48")])
    assert [(week.name, week.at, week.y) for week in weeks] == [("2026-W48", 25, 4), ("2026-W49", 75, 50)]


def test_dimensions_that_tell_something_come_by_themselves() -> None:
    assert usual_dimensions([row("a")]) == ["assistant", "model", "language", "folder"]
    assert usual_dimensions([row("a", variant="y"), row("b", variant="x", person="Bob")])[4:] == ["variant", "person"]
    assert usual_dimensions([row("a"), row("b", person=None)])[4:] == []
