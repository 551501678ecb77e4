"""What a repository tells about its project, and which branch a commit is on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.process import Git
from gitgoodbench.mining.branches import branches_of, default_branch
from gitgoodbench.mining.facts import compute_facts
from gitgoodbench.mining.options import LANGUAGES
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.targets import Target
from gitgoodbench.mining.task import Mined, Order, mine_target
from tests.support.odd_repositories import build
from tests.support.oddities import ODDITIES
from tests.support.repositories import Content, RepositoryBuilder

MIT = b"""MIT License

Copyright (c) 2024 Acme

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
"""


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repository.git")


def test_licence_lines_of_code_language_and_people_are_computed(builder: RepositoryBuilder) -> None:
    pytest.importorskip("pytokei")
    pytest.importorskip("ukkonen")
    files: dict[bytes, Content] = {
        b"LICENSE": MIT,
        b"a.py": b"# a comment\n\nx = 1\ny = 2\n",
        b"b\xff.java": b"class B {\n}\n",
        b"C.java": b"class C {\n  // nothing\n}\n",
        b"notes.pyi": b"z: int\n",
        b"link.py": ("120000", b"a.py"),
    }
    builder.branch("main", builder.commit(files))
    builder.branch("topic", builder.commit({}, ["main"]))
    facts = compute_facts(builder.git, Project(name="acme/tool"), LANGUAGES)
    assert facts == Project(
        name="acme/tool", programming_language="java", default_branch="main", license="MIT", branches=2,
        contributors=1, last_commit="2020-09-15T12:26:40", code_lines=7,
    )  # fmt: skip


def test_what_is_known_is_not_counted_again(builder: RepositoryBuilder) -> None:
    builder.branch("main", builder.commit({b"a.py": b"x = 1\n", b"LICENSE": MIT}))
    known = Project(name="acme/tool", license="Other", contributors=3, code_lines=5)
    facts = compute_facts(builder.git, known, LANGUAGES)
    assert (facts.license, facts.contributors, facts.code_lines) == (None, None, None)
    assert facts.overlaid(known).license == "Other"
    assert facts.overlaid(known).branches == 1


def test_an_empty_repository_has_no_facts(builder: RepositoryBuilder) -> None:
    facts = compute_facts(builder.git, Project(name="acme/tool", code_lines=0), LANGUAGES)
    assert facts == Project(name="acme/tool", branches=0, contributors=0)


def test_a_commit_is_on_the_default_branch_where_that_holds_it_and_else_on_the_first_by_name(
    builder: RepositoryBuilder,
) -> None:
    root = builder.commit({b"a": b"0"})
    shared = builder.commit({b"a": b"1"}, [root])
    alone = builder.commit({b"a": b"2"}, [root])
    merged = builder.commit({b"a": b"3"}, [shared, alone])
    lost = builder.commit({b"a": b"4"}, [root])
    for name, commit in (("main", shared), ("b", merged), ("a", merged), ("c", alone)):
        builder.branch(name, commit)
    wanted = {root: "main", shared: "main", merged: "a", alone: "a"}
    assert branches_of(builder.git, [*wanted, lost]) == wanted


def test_branches_of_a_remote_count_without_its_name(builder: RepositoryBuilder, tmp_path: Path) -> None:
    builder.branch("trunk", builder.commit({b"a": b"0"}))
    builder.git.run("symbolic-ref", "HEAD", "refs/heads/trunk")
    clone = Git(tmp_path / "clone")
    tip = builder.git.line("rev-parse", "trunk")
    clone_path = tmp_path / "clone"
    clone_path.mkdir()
    clone.run("init", "--quiet", "--bare", "--template=")
    (clone_path / "objects" / "info").mkdir(exist_ok=True)
    (clone_path / "objects" / "info" / "alternates").write_text(f"{builder.path}/objects\n", encoding="utf-8")
    clone.run("update-ref", "refs/remotes/origin/trunk", tip)
    clone.run("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
    assert default_branch(clone) == "trunk"
    assert branches_of(clone, [tip]) == {tip: "trunk"}


def test_a_head_that_points_nowhere_is_no_default_branch(builder: RepositoryBuilder) -> None:
    builder.branch("other", builder.commit({b"a": b"0"}))
    assert default_branch(builder.git) is None


def test_a_default_branch_is_read_as_all_branches_are(builder: RepositoryBuilder) -> None:
    commit = builder.commit({b"a.py": b"0\n"})
    (builder.path / "packed-refs").write_bytes(commit.encode() + b" refs/heads/br\xe9\n")
    (builder.path / "HEAD").write_bytes(b"ref: refs/heads/br\xe9\n")
    assert default_branch(builder.git) == "br\\xe9"
    assert branches_of(builder.git, {commit}) == {commit: "br\\xe9"}
    mined = mine_target(Target(Project(name="acme/tool"), Mirror(builder.path)), Order(), ())
    assert isinstance(mined, Mined)
    assert mined.content is not None
    assert json.loads(mined.content.split(b"\n")[0])["project"]["default_branch"] == "br\\xe9"


@pytest.mark.parametrize("date", [2_524_608_000, 1_600_000_000_000, 2**63, 2**64 + 5])
def test_a_date_that_cannot_be_is_not_the_newest(builder: RepositoryBuilder, date: int) -> None:
    first = builder.commit({b"a.py": b"0\n"})
    made = builder.git.run("cat-file", "commit", first).replace(b"1600086400", b"%d" % date)
    builder.branch("main", first)
    builder.branch("odd", builder.git.line("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=made))
    assert compute_facts(builder.git, Project(name="acme/tool"), LANGUAGES).last_commit == "2020-09-14T12:26:40"


@pytest.mark.parametrize("name", ["date-milliseconds", "date-of-many-digits", "date-year-9999"])
def test_the_newest_date_is_that_of_an_older_commit_where_no_branch_ends_in_a_believable_one(
    tmp_path: Path, name: str
) -> None:
    build(tmp_path / "odd.git", ODDITIES[name])
    git = Mirror(tmp_path / "odd.git").borrow(refs=True)
    assert compute_facts(git, Project(name="acme/tool"), LANGUAGES).last_commit == "2020-09-18T12:26:40"
