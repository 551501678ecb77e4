"""Refilling a work folder: exactly the files that are asked for stand there, whatever stood there before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitgoodbench.sandbox.base import Placed, SandboxDied, SandboxProvider, SharingSandbox

FILES = (
    Placed(b".", "folder"),
    Placed(b"./src", "folder"),
    Placed(b"./src/a.py", "file", 0o644, b"one\n"),
    Placed(b"./src/run", "file", 0o755, b"#!/bin/sh\n"),
    Placed(b"./read only", "file", 0o444, b"never\0changed\r\n"),
    Placed(b"./odd\n\xff -n", "file", 0o644, b""),
    Placed(b"./link", "link", content=b"../\xfe nowhere"),
    Placed(b"./empty", "folder"),
)
LISTED = [
    r"d 755 ./empty ",
    r"d 755 ./src ",
    r"f 444 ./read only ",
    "f 644 ./odd\n\udcff -n ",
    r"f 644 ./src/a.py ",
    r"f 755 ./src/run ",
    "l 777 ./link ../\udcfe nowhere",
]


@pytest.fixture
def sandbox(provider: SandboxProvider) -> Iterator[SharingSandbox]:
    with provider.open(run_id="test", episode_id="refill") as opened:
        assert isinstance(opened, SharingSandbox)
        yield opened


def listed(sandbox: SharingSandbox) -> list[str]:
    found = sandbox.exec(["find", ".", "-mindepth", "1", "-printf", r"%y %m %p %l\0"])
    return sorted(found.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1])


def sh(sandbox: SharingSandbox, script: str) -> str:
    ran = sandbox.exec(["sh", "-ec", script])
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.decode()


def test_an_empty_folder_is_filled_and_a_filled_one_emptied(sandbox: SharingSandbox) -> None:
    sandbox.refill(FILES)
    assert listed(sandbox) == LISTED
    assert sandbox.get("read only", limit=99) == b"never\0changed\r\n"
    sandbox.refill()
    assert listed(sandbox) == []


SPOILED = {
    "other contents": "printf ONE > src/a.py; printf longer > src/run; printf x > odd*",
    "files gone": "rm -rf src/a.py empty read* link",
    "all gone": "rm -rf -- * .[!.]*",
    "more files": 'mkdir -p src/b/c more/d; touch src/b/c/d more/d/e .hidden "$(printf "a\\nb")" -- -rf; mkfifo pipe',
    "other modes": "chmod 600 src/a.py src/run; chmod 666 read*; chmod 700 empty",
    "folders for files": "rm src/a.py link; mkdir -p src/a.py/deep link; touch src/a.py/deep/x",
    "files for folders": "rm -r src empty; touch src empty",
    "links for files": "rm src/a.py odd*; ln -s /etc/passwd src/a.py; rm link; ln -s src link",
    "a link for a folder": "mv src other; ln -s other src; rmdir empty; ln -s / empty",
    "another name of a file": "ln src/a.py twin; printf ONE > twin",
    "read only folders": "mkdir locked; touch locked/in; chmod 555 locked src",
}


@pytest.mark.parametrize("script", SPOILED.values(), ids=SPOILED)
def test_whatever_was_done_is_undone(script: str, sandbox: SharingSandbox) -> None:
    sandbox.refill(FILES)
    sh(sandbox, script)
    sandbox.refill(FILES)
    assert listed(sandbox) == LISTED
    assert [sandbox.get(file.path, limit=99) for file in FILES if file.kind == "file"] == [
        file.content for file in FILES if file.kind == "file"
    ]


def test_nothing_outside_is_written_or_removed(sandbox: SharingSandbox) -> None:
    sandbox.refill(FILES)
    outside = sh(sandbox, "d=$(mktemp -d); mkdir $d/src; echo kept > $d/src/a.py; echo kept > $d/file; echo $d").strip()
    sh(sandbox, f"rm -r src; ln -s {outside}/src src; rm read*; ln -s {outside}/file 'read only'; ln -s {outside} more")
    sandbox.refill(FILES)
    assert listed(sandbox) == LISTED
    assert sh(sandbox, f"cat {outside}/src/a.py {outside}/file; rm -r {outside}") == "kept\nkept\n"


def test_another_name_of_a_file_does_not_see_what_is_written(sandbox: SharingSandbox) -> None:
    sandbox.refill(FILES)
    sh(sandbox, "printf other > src/a.py; ln src/a.py twin")
    sandbox.refill([*FILES, Placed(b"twin", "file", 0o644, b"other")])
    assert sandbox.get("src/a.py", limit=99) == b"one\n"
    assert sandbox.get("twin", limit=99) == b"other"


def test_what_is_right_is_not_touched(sandbox: SharingSandbox) -> None:
    sandbox.refill(FILES)
    look = "stat -c '%i %Y' src src/a.py src/run 'read only' empty"
    sh(sandbox, "touch -d 2001-01-01 src/a.py src/run 'read only' empty; touch -d 2001-01-01 src")
    before = sh(sandbox, look)
    sandbox.refill(FILES)
    assert sh(sandbox, look) == before


def test_shared_files_stay_where_they_are_to_be_kept(sandbox: SharingSandbox, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"1")
    two.write_bytes(b"2")
    sandbox.share("packs/one", one)
    sandbox.share("packs/two", two)
    sandbox.refill(FILES, keep=["packs/one"])
    assert dict(sandbox.shared) == {"packs/one": one}
    assert sandbox.get("packs/one", limit=9) == b"1"
    assert sandbox.exec(["test", "-e", "packs/two"]).returncode == 1
    sandbox.refill()
    assert not sandbox.shared
    assert listed(sandbox) == []
    assert (one.read_bytes(), two.read_bytes()) == (b"1", b"2")


@pytest.mark.parametrize("script", ["rm -f packs/one", "rm -f packs/one; ln -s /etc/passwd packs/one"])
def test_a_kept_file_that_is_gone_ends_the_sandbox(script: str, sandbox: SharingSandbox, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"1")
    sandbox.share("packs/one", tmp_path / "one")
    sh(sandbox, script)
    with pytest.raises(SandboxDied, match="cannot be emptied or filled"):
        sandbox.refill(FILES, keep=["packs/one"])


def test_folders_too_deep_within_each_other_end_the_sandbox(sandbox: SharingSandbox) -> None:
    sandbox.put("/".join(["d"] * 400), b"")
    with pytest.raises(SandboxDied, match="too deep"):
        sandbox.refill()
