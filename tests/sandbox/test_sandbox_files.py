"""Writing and reading files: byte-exact, and never outside the work folder. The same in every kind of sandbox."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from gitgoodbench.sandbox.base import Sandbox, SandboxPathError, SandboxProvider

ODD_NAMES = [b"new\nline", b"-x", b"--output=pwned", b"caf\xe9", b" ", b"a b/'\"$(x)", "ä".encode()]
OUTSIDE = ["../outside", "/etc/passwd", "a/../../outside", "a/../b", "..", ".", "", "/", "a/", "a/.", "a\0b"]


@pytest.fixture(scope="module")
def sandbox(provider: SandboxProvider) -> Iterator[Sandbox]:
    with provider.open(run_id="tests", episode_id="files") as opened:
        yield opened


@pytest.fixture
def outside(sandbox: Sandbox) -> Iterator[str]:
    """A folder outside the work folder that commands may write to, with the file `secret`."""
    folder = sh(sandbox, 'mktemp -d "$HOME/outside.XXXX"').strip().decode()
    sh(sandbox, 'printf secret > "$1/secret"', folder)
    yield folder
    sandbox.exec(["rm", "-rf", "--", folder])


def sh(sandbox: Sandbox, script: str, *arguments: str | bytes) -> bytes:
    result = sandbox.exec(["sh", "-c", script, "sh", *arguments])
    assert (result.returncode, result.stderr) == (0, b"")
    return result.stdout


def test_bytes_come_back_as_they_went_in(sandbox: Sandbox) -> None:
    content = bytes(range(256)) + b"\r\n\f\x1c no final newline"

    sandbox.put("deep/er/file.bin", content)

    assert sandbox.get("deep/er/file.bin", limit=1000) == content
    assert sh(sandbox, "cat deep/er/file.bin") == content


def test_large_files_stream_in_both_directions(sandbox: Sandbox) -> None:
    content = b"0123456789abcdef" * 500_000

    sandbox.put("large", io.BytesIO(content))

    assert sandbox.get("large", limit=len(content)) == content
    sh(sandbox, "rm large")


def test_an_empty_file_is_a_file(sandbox: Sandbox) -> None:
    sandbox.put("empty", b"")

    assert sandbox.get("empty", limit=0) == b""


def test_the_mode_is_the_one_asked_for(sandbox: Sandbox) -> None:
    sandbox.put("plain", b"")
    sandbox.put("tool", b"#!/bin/sh\necho run\n", mode=0o755)

    assert sh(sandbox, "find plain tool -perm 644") == b"plain\n"
    assert sh(sandbox, "./tool") == b"run\n"


@pytest.mark.parametrize("path", ODD_NAMES)
def test_odd_names_are_names(sandbox: Sandbox, path: bytes) -> None:
    sandbox.put(path, path)

    assert sandbox.get(path, limit=100) == path
    assert sh(sandbox, 'cat "./$1"', path) == path


def test_a_file_is_replaced_whole_and_nothing_else_appears(sandbox: Sandbox) -> None:
    sandbox.put("replaced/file", b"a long first version")
    sandbox.put("replaced/file", b"short")

    assert sandbox.get("replaced/file", limit=100) == b"short"
    assert sh(sandbox, "ls -A replaced") == b"file\n"


@pytest.mark.parametrize("path", OUTSIDE)
def test_paths_that_name_no_file_below_are_refused(sandbox: Sandbox, path: str) -> None:
    with pytest.raises(SandboxPathError, match="does not name a file in the work folder"):
        sandbox.put(path, b"x")
    with pytest.raises(SandboxPathError, match="does not name a file in the work folder"):
        sandbox.get(path, limit=10)


def test_a_linked_folder_leads_nowhere(sandbox: Sandbox, outside: str) -> None:
    sh(sandbox, 'ln -sfn "$1" link', outside)

    with pytest.raises(SandboxPathError, match="symbolic link"):
        sandbox.get("link/secret", limit=100)
    with pytest.raises(SandboxPathError, match="symbolic link"):
        sandbox.put("link/planted", b"x")
    with pytest.raises(SandboxPathError, match="symbolic link"):
        sandbox.put("link/new/planted", b"x")

    assert sh(sandbox, 'ls -A "$1"', outside) == b"secret\n"


def test_a_linked_file_is_not_read(sandbox: Sandbox, outside: str) -> None:
    sh(sandbox, 'ln -sf "$1/secret" secret-link', outside)

    with pytest.raises(SandboxPathError, match="symbolic link"):
        sandbox.get("secret-link", limit=100)


def test_a_linked_file_is_replaced_and_its_target_kept(sandbox: Sandbox, outside: str) -> None:
    sh(sandbox, 'ln -sf "$1/secret" replaced-link', outside)

    sandbox.put("replaced-link", b"mine")

    assert sandbox.get("replaced-link", limit=100) == b"mine"
    assert sh(sandbox, 'cat "$1/secret"', outside) == b"secret"


def test_what_is_not_a_regular_file_is_not_read_and_does_not_block(sandbox: Sandbox) -> None:
    sh(sandbox, "rm -rf pipe folder && mkfifo pipe && mkdir folder")

    for path in ("pipe", "folder"):
        with pytest.raises(SandboxPathError, match="not a regular file"):
            sandbox.get(path, limit=100)
    with pytest.raises(SandboxPathError, match="No such file"):
        sandbox.get("absent", limit=100)


def test_a_file_is_no_folder_and_a_folder_no_file(sandbox: Sandbox) -> None:
    sandbox.put("thing", b"")
    sandbox.put("box/thing", b"")

    with pytest.raises(SandboxPathError, match="a file"):
        sandbox.put("thing/inner", b"x")
    with pytest.raises(SandboxPathError, match="Is a directory"):
        sandbox.put("box", b"x")
    assert sh(sandbox, "ls -A box") == b"thing\n"


def test_a_file_larger_than_the_limit_is_refused_with_its_size(sandbox: Sandbox) -> None:
    sandbox.put("eleven", b"x" * 11)

    with pytest.raises(SandboxPathError, match="has 11 bytes, more than the limit of 10"):
        sandbox.get("eleven", limit=10)
    assert sandbox.get("eleven", limit=11) == b"x" * 11


def test_a_huge_sparse_file_costs_nothing(sandbox: Sandbox) -> None:
    sh(sandbox, "truncate -s 10G huge")

    with pytest.raises(SandboxPathError, match="has 10737418240 bytes"):
        sandbox.get("huge", limit=1_000_000)
    sh(sandbox, "rm huge")


def test_a_path_that_no_file_can_have_is_refused(sandbox: Sandbox) -> None:
    for path in ("\ud800", "x" * 5000, "x/" * 5000 + "x"):
        with pytest.raises(SandboxPathError):
            sandbox.get(path, limit=10)


def test_a_source_that_fails_midway_leaves_the_file_as_it_was(sandbox: Sandbox) -> None:
    class Failing(io.RawIOBase):
        reads = 0

        def read(self, size: int = -1) -> bytes:
            self.reads += 1
            if self.reads > 3:
                raise OSError("the source broke")
            return b"x" * size

    sandbox.put("kept/file", b"kept")

    with pytest.raises(OSError, match="the source broke"):
        sandbox.put("kept/file", Failing())  # type: ignore[arg-type]

    assert sandbox.get("kept/file", limit=100) == b"kept"
    assert sh(sandbox, "ls -A kept") == b"file\n"
