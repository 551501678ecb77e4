"""Everything that a merge is scored by can be read through the tools, page by page."""

from __future__ import annotations

from pathlib import Path

from gitgoodbench.git.objects import SUBMODULE, SYMLINK, Entry
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.text import clean
from tests.support.merges import begin, make_merge
from tests.support.reading import read_all
from tests.support.repositories import Content

LONG = [b"line %d of a conflict that is longer than any page\n" % number for number in range(2500)]


def test_a_conflict_and_a_file_that_are_longer_than_a_page(tmp_path: Path, local_provider: SandboxProvider) -> None:
    base = b"".join(LONG)
    local, incoming = (b"".join(word + line for line in LONG) for word in (b"local ", b"incoming "))
    case = make_merge(tmp_path / "r.git", {b"a.py": base}, {b"a.py": local}, {b"a.py": incoming}, {b"a.py": base})
    with begin(case, local_provider) as (episode, _):
        assert sum(len(message["content"]) for message in episode.prompt) <= 100_000
        assert "view_merge_conflict_at(conflict_index=0, context_window_size=0), page by page, shows" in str(
            episode.prompt
        )
        conflict = read_all(episode, "view_merge_conflict_at", conflict_index=0, context_window_size=0)
        current = read_all(episode, "view_current_merge_conflict_with", context_window_size=0)
        file = read_all(episode, "view_file_at", relative_path_from_project_root="a.py")
        diff = read_all(episode, "view_diff_for", relative_path_from_project_root="a.py")
    for text in (conflict, current, file):
        assert local.decode() in text
        assert incoming.decode() in text
    assert all(f"-local {line.decode()}" in diff for line in LONG[::100])
    assert all(f"+incoming {line.decode()}" in diff for line in LONG[::100])


def test_what_has_no_text_is_told_by_target_commit_and_size(tmp_path: Path, local_provider: SandboxProvider) -> None:
    def side(word: bytes, number: int) -> dict[bytes, Content]:
        return {
            b"link": (SYMLINK, b"to-" + word),
            b"lib": Entry(SUBMODULE, str(number) * 40),
            b"data.bin": b"\0" * number,
            b"t.txt": b"\xe4 " + word + b"\r\n",
        }

    truth = side(b"local", 2)
    case = make_merge(tmp_path / "r.git", side(b"base", 1), truth, side(b"incoming", 3), truth)
    with begin(case, local_provider) as (episode, _):
        prompt = episode.prompt[1]["content"]
        shown = read_all(episode, "view_file_at", relative_path_from_project_root="t.txt")
    for words in (
        "link is kept as a symbolic link to to-local",
        "link is kept as a symbolic link to to-incoming",
        f"lib is kept as a submodule at {'2' * 40}",
        f"lib is kept as a submodule at {'3' * 40}",
        "data.bin is kept as a file of 2 bytes",
        "data.bin is kept as a file of 3 bytes",
    ):
        assert words in clean(prompt)
    assert "\xe4 local\r\n" in shown
