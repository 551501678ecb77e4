"""Paths between bytes and text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.git.paths import parse_path, show_path
from gitgoodbench.git.tree_paths import is_tree_path


@given(st.binary(min_size=1))
def test_every_path_comes_back(path: bytes) -> None:
    assert parse_path(show_path(path)) == path


@given(st.binary(min_size=1))
def test_shown_paths_are_printable_text(path: bytes) -> None:
    assert show_path(path).isprintable()


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (b"src/app.py", "src/app.py"),
        ("gr\u00fc\u00dfe/\u706f.kt".encode(), "gr\u00fc\u00dfe/\u706f.kt"),
        (b"caf\xe9.py", '"caf\\351.py"'),
        (b"a b/ b/c", "a b/ b/c"),
        (b"-x", "-x"),
        (b"two\nlines", '"two\\nlines"'),
        (b'"quoted"', '"\\"quoted\\""'),
    ],
)
def test_paths_are_shown_as_git_shows_them(path: bytes, shown: str) -> None:
    assert show_path(path) == shown


def test_malformed_quoting_is_refused() -> None:
    with pytest.raises(ValueError, match="well-formed"):
        parse_path('"a\\q"')


@pytest.mark.parametrize(
    "path",
    [
        *(b"", b"/etc/passwd", b"a//b", b"../x", b"a/../b", b"./a", b".git/config", b"a/.GIT/x", b"a\0"),
        *(b".git.", b"a/.git . .", b"git~1/x", b".git:stream", b"a\\.git\\x"),
        *(b".g\xe2\x80\x8cit", b".git\xef\xbb\xbf"),
    ],
)
def test_paths_that_no_tree_may_hold(path: bytes) -> None:
    assert not is_tree_path(path)


@pytest.mark.parametrize(
    "path", [b"a", b"-x", b"a b/c", b".gitignore", b"caf\xe9", b"...", b"a\nb", b".git\t", b"git~2", b"a.git"]
)
def test_odd_but_proper_paths(path: bytes) -> None:
    assert is_tree_path(path)
