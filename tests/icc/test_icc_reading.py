"""Everything that a division is about can be read through the tools, page by page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.sandbox.base import SandboxProvider
from tests.support.chains import begin, commit, icc_options, make_chain
from tests.support.reading import read_all

LONG = b"".join(b"line %d of a long hunk\n" % number for number in range(3000))


def test_a_hunk_too_long_to_be_shown_is_read_page_by_page(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_chain(tmp_path / "r.git", [{b"a.py": b"a\n"}, {b"a.py": b"a\n" + LONG[:100]}, {b"a.py": b"a\n" + LONG}])
    with begin(case, local_provider) as (episode, _):
        prompt = episode.prompt[1]["content"]
        assert "view_hunk(hunk=1), page by page, shows them ...]" in prompt
        assert "line 2999" not in prompt
        shown = read_all(episode, "view_hunk", hunk=1)
    assert [line[1:] for line in shown.split("\n")[3:]] == LONG.decode().split("\n")[:-1]


def test_the_rest_is_shown_as_a_patch_and_read_page_by_page(tmp_path: Path, local_provider: SandboxProvider) -> None:
    files: dict[bytes, Any] = {b"b.txt": LONG, b"link": ("120000", b"elsewhere"), b"data.bin": b"\0" * 40}
    case = make_chain(tmp_path / "r.git", [{b"a.py": b"1\n"}, {b"a.py": b"2\n"}, {b"a.py": b"3\n", **files}])
    with begin(case, local_provider) as (episode, _):
        told = commit(episode, 1)
        assert "call view_remaining_changes with offset=20000 for what follows]" in told
        patch = read_all(episode, "view_remaining_changes")
    assert "".join(f"+{line}\n" for line in LONG.decode().split("\n")[:-1]) in patch
    assert "new file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+elsewhere\n" in patch


def test_a_short_rest_brings_no_tool_of_its_own(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_chain(tmp_path / "r.git", [{b"a.py": b"1\n"}, {b"a.py": b"2\n", b"b": b"b\n"}, {b"a.py": b"3\n"}])
    with begin(case, local_provider) as (episode, _):
        assert [tool.name for tool in episode.tools] == ["commit_changes_in", "commit_remaining_changes"]


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (("120000", b"old"), ("120000", b"new"), "from a symbolic link to old to a symbolic link to new"),
        (b"\0\xff", b"\0\xfe\xff", "from a file of 2 bytes to a file of 3 bytes"),
        (b"\0\xff", b"\0\xfe", "from a file of 2 bytes to another like it"),
        (b"\0\xff", ("120000", b"x"), "from a file of 2 bytes to a symbolic link to x"),
    ],
)
def test_what_has_no_lines_is_told_by_target_and_size(
    tmp_path: Path, local_provider: SandboxProvider, before: Any, after: Any, shown: str
) -> None:
    versions = [{b"a.py": b"1\n", b"x": before}, {b"a.py": b"2\n", b"x": before}, {b"a.py": b"3\n", b"x": after}]
    case = make_chain(tmp_path / "r.git", versions)
    with begin(case, local_provider, icc_options(hunks="all")) as (episode, _):
        assert f"in x: it changes as a whole, {shown}" in episode.prompt[1]["content"]
