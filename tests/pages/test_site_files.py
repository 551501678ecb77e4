"""The folder of pages: what is in it, that it harms nothing else, and that nothing in it runs but its own scripts."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gitgoodbench.api.running import Run, load_run
from gitgoodbench.errors import UserError
from gitgoodbench.reporting.pages.page import POLICY
from gitgoodbench.reporting.pages.script import data_script
from gitgoodbench.reporting.pages.site import MARKER, write_bundle, write_site
from tests.support.page_runs import PLAYERS, Sizes, make_runs
from tests.support.project import ROOT

PAGES = ROOT / "gitgoodbench" / "reporting" / "pages"
HOSTILE = "</script><script>x</script>\u2028\u2029\u202e\udc80\ud800'\\\"\0\x7f`${x}é"


@pytest.fixture(scope="module")
def one_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return load_run(make_runs(tmp_path_factory.mktemp("one"), Sizes(samples=2), PLAYERS[:1])[0])


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def read_back(script: bytes) -> object:
    """What `ggb.data` is given, by the rules of JavaScript for strings in single quotes."""
    found = re.fullmatch(r"ggb\.data\('([^'\\]+)', '((?:[^'\\]|\\.)*)'\);\n", script.decode("ascii"))
    assert found is not None
    return json.loads(re.sub(r"\\(.)", r"\1", found[2]))


def test_data_comes_back_as_it_was() -> None:
    value = {"__proto__": {"a": HOSTILE}, HOSTILE: [1, None, True, 0.5], "constructor": "x"}
    script = data_script("key", value)
    assert read_back(script) == value
    assert b"<" not in script
    assert not re.search(rb"[^\n -~]", script)


def test_what_is_no_number_is_null() -> None:
    assert read_back(data_script("key", [float("inf"), float("nan")])) == [None, None]


def test_every_episode_has_a_file_and_the_marker_names_all(one_run: Run, tmp_path: Path) -> None:
    count = write_site([one_run], tmp_path / "out")
    names = files_in(tmp_path / "out")
    assert len(names) == count
    assert set(json.loads((tmp_path / "out" / MARKER).read_bytes())["files"]) == names
    episodes = [name for name in names if name.startswith("data/episodes/")]
    assert len(episodes) == len(one_run.results)
    records = [read_back((tmp_path / "out" / name).read_bytes()) for name in episodes]
    raw = [json.loads(record["raw"]) for record in records]  # type: ignore[index]
    assert {one["sample_id"] for one in raw} == {result.sample_id for result in one_run.results}


def test_the_same_run_gives_the_same_files(one_run: Run, tmp_path: Path) -> None:
    write_site([one_run], tmp_path / "a")
    write_site([one_run, one_run], tmp_path / "b")
    assert files_in(tmp_path / "a") == files_in(tmp_path / "b")
    for name in files_in(tmp_path / "a"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_pages_of_before_go_and_files_of_others_stay(runs: list[Run], one_run: Run, tmp_path: Path) -> None:
    write_site(runs, tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    (tmp_path / "out" / "data" / "mine.csv").write_text("1,2")
    write_site([one_run], tmp_path / "out")
    write_site([one_run], tmp_path / "fresh")
    assert files_in(tmp_path / "out") == files_in(tmp_path / "fresh") | {"notes.txt", "data/mine.csv"}


@pytest.mark.parametrize("marker", [None, b"not json", b'{"files": 7}', b"[]"])
def test_a_folder_of_others_is_left_alone(one_run: Run, tmp_path: Path, marker: bytes | None) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    if marker is not None:
        (tmp_path / MARKER).write_bytes(marker)
    before = files_in(tmp_path)
    with pytest.raises(UserError, match="holds something else than pages"):
        write_site([one_run], tmp_path)
    assert files_in(tmp_path) == before


def test_a_marker_that_names_files_elsewhere_takes_none_of_them(one_run: Run, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x")
    out = tmp_path / "out"
    out.mkdir()
    names = ["../precious", str(tmp_path / "precious")]
    (out / MARKER).write_text(json.dumps({"files": names}))
    write_site([one_run], out)
    assert (tmp_path / "precious").read_text() == "x"


def test_a_file_in_the_place_of_the_folder(one_run: Run, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(UserError, match="is a file"):
        write_site([one_run], tmp_path / "out")


def test_the_bundle_holds_the_folder(one_run: Run, tmp_path: Path) -> None:
    write_site([one_run], tmp_path / "out")
    write_bundle([one_run], tmp_path / "share.zip")
    write_bundle([one_run], tmp_path / "share.zip")  # ours is replaced
    with zipfile.ZipFile(tmp_path / "share.zip") as bundle:
        assert bundle.testzip() is None
        inside = {name.removeprefix("share/"): bundle.read(name) for name in bundle.namelist()}
    assert inside == {name: (tmp_path / "out" / name).read_bytes() for name in files_in(tmp_path / "out")}
    assert files_in(tmp_path) - {f"out/{name}" for name in inside} == {"share.zip"}


def test_a_zip_file_of_others_is_left_alone(one_run: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "theirs.zip", "w") as theirs:
        theirs.writestr("a.txt", "a")
    before = (tmp_path / "theirs.zip").read_bytes()
    with pytest.raises(UserError, match="is no bundle of gitgoodbench"):
        write_bundle([one_run], tmp_path / "theirs.zip")
    assert (tmp_path / "theirs.zip").read_bytes() == before


class _Inline(HTMLParser):
    """Collects what a strict policy would refuse, and what leads elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.policies: list[str] = []
        self.refused: list[str] = []
        self.targets: list[str] = []
        self._script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policies.append(values["content"] or "")
        self.refused += [name for name, _ in attrs if name.startswith("on") or name == "style"]
        self.refused += [tag] if tag == "style" else []
        self.targets += [values[name] or "" for name in ("src", "href") if name in values]
        self._script = tag == "script"

    def handle_data(self, data: str) -> None:
        if self._script and data.strip():
            self.refused.append(data)


def test_pages_hold_no_inline_script_or_style_and_load_only_their_own(site: Path) -> None:
    pages = list(site.glob("*.html"))
    assert len(pages) >= 2
    for page in pages:
        found = _Inline()
        found.feed(page.read_text())
        assert found.policies == [POLICY]
        assert found.refused == []
        for target in found.targets:
            assert target in ("data:,", "#main") or (site / target).is_file(), target
    assert POLICY.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in POLICY


def test_no_script_of_ours_reads_text_as_html() -> None:
    """Nothing but `textContent` and nodes: what is shown is hostile."""
    banned = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|\bfetch\(|XMLHttp"
    for script in (PAGES / "assets").glob("*.js"):
        assert not re.search(banned, script.read_text()), script.name


def test_libraries_of_others_are_those_that_are_pinned() -> None:
    rows = re.findall(r"^\| (\S+) \| .* \| ([0-9a-f]{64}) \|$", (PAGES / "vendor" / "VENDOR.md").read_text(), re.M)
    kept = {path.name for path in (PAGES / "vendor").iterdir() if path.suffix in (".js", ".css", ".wasm")}
    assert {name for name, _ in rows} == kept
    for name, digest in rows:
        assert hashlib.sha256((PAGES / "vendor" / name).read_bytes()).hexdigest() == digest
        assert list((PAGES / "vendor").glob(f"{name.split('.')[0]}*LICENSE*")), f"{name} has no licence beside it"
