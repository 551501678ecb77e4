"""Everything that a judge sees of a commit can be read through the tools, page by page, whatever the commit changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.git.histories import read_history
from gitgoodbench.git.objects import EXECUTABLE, SUBMODULE, SYMLINK, Entry
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.text import clean
from tests.support.reading import read_all
from tests.support.rebases import begin, make_chain
from tests.support.repositories import Content

A = b"a\n"
LONG = b"".join(b"line %d of a file that is longer than any page\n" % number for number in range(9000))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({}, {b"long.txt": LONG}, id="a commit of 400 kB"),
        pytest.param({}, {b"one-line.txt": b"x" * 90_000}, id="one long line"),
        pytest.param({b"b": b"\0\1"}, {b"b": b"\0\1\2"}, id="binary"),
        pytest.param({b"l": (SYMLINK, b"old")}, {b"l": (SYMLINK, b"new target")}, id="link"),
        pytest.param({b"s": Entry(SUBMODULE, "1" * 40)}, {b"s": Entry(SUBMODULE, "2" * 40)}, id="submodule"),
        pytest.param({b"m": b"m\n"}, {b"m": (EXECUTABLE, b"m\n")}, id="mode"),
        pytest.param({b"t": b"t\r\n"}, {b"t": b"\xe4\r\nu"}, id="Latin-1, CRLF, no final newline"),
        pytest.param({b"u": b"u\n"}, {b"u": "\u2028 \x0c \ufeff\n".encode()}, id="odd line ends"),
        pytest.param({b"old name": LONG[:900]}, {b"new\tname": LONG[:900]}, id="rename"),
    ],
)
def test_every_byte_of_a_commit_can_be_read(
    tmp_path: Path, local_provider: SandboxProvider, before: dict[bytes, Content], after: dict[bytes, Content]
) -> None:
    start, last = {b"a.py": A, **before}, {b"a.py": A + A, **after}
    case = make_chain(
        tmp_path / "r.git", {b"a.py": b"", **before}, (start, b"First\n"), (last, b"Second\n\n\xe4 body\n")
    )
    (_, seen) = read_history(case.git, case.base, case.commits[-1], patch_limit=10**9).commits
    with begin(case, local_provider) as (episode, _):
        assert sum(len(message["content"]) for message in episode.prompt) <= 100_000
        shown = read_all(episode, "show_changes_in", commit_index=1)
    encoding = "latin-1" if b"\xe4\r" in seen.patch else "utf-8"
    assert clean(seen.patch.decode(encoding, "surrogateescape")).rstrip("\n") in shown
    assert "Second\n\n" in shown
    assert "body" in shown
