"""How commands end where the machine fails: one line, an exit code, and nothing lost but what could not be printed."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitgoodbench.cli.endings import ended
from gitgoodbench.disk import describe, require_room
from gitgoodbench.errors import UserError

COMMANDS = (["--version"], ["schema", "result"], ["plugins"], ["--help"])
GITGOODBENCH = (sys.executable, "-m", "gitgoodbench")


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_full_standard_output_is_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        shown = subprocess.run([*GITGOODBENCH, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert shown.returncode == 3
    assert shown.stderr == (
        "gitgoodbench: standard output cannot be written (No space left on device): only the printed text is lost, "
        "files are complete; print it to a place that takes it\n"
    )


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_closed_pipe_is_one_line(arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    shown = subprocess.run([*GITGOODBENCH, *arguments], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert shown.returncode == 3
    assert shown.stderr.startswith("gitgoodbench: standard output cannot be written (Broken pipe)")
    assert shown.stderr.count("\n") == 1


def test_no_standard_output_at_all_is_no_error() -> None:
    script = f'exec "{sys.executable}" -m gitgoodbench --version >&-'
    shown = subprocess.run(["sh", "-c", script], stderr=subprocess.PIPE, text=True, check=False)
    assert (shown.returncode, shown.stderr) == (0, "")


def test_an_error_of_the_disk_names_the_file_and_the_way_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITGOODBENCH_CACHE", str(tmp_path))

    def fail() -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / "repos" / "x"))

    assert ended(fail) == 3
    assert capsys.readouterr().err == (
        f"gitgoodbench: {tmp_path}/repos/x: No space left on device; make room or set GITGOODBENCH_CACHE to another "
        "folder\n"
    )


@pytest.mark.parametrize(
    ("number", "filename", "expected"),
    [
        (errno.EROFS, "/data/x", "/data/x: Read-only file system; make it writable"),
        (errno.EACCES, b"/data/\xff", "/data/\udcff: Permission denied; make it writable"),
        (errno.EIO, "/data/x", "/data/x: Input/output error"),
        (errno.ENOSPC, None, "No space left on device; make room"),
    ],
)
def test_an_error_of_the_machine_in_words(number: int, filename: str | bytes | None, expected: str) -> None:
    assert describe(OSError(number, os.strerror(number), filename)) == expected


def test_a_folder_in_which_nothing_fits_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    require_room(tmp_path / "not" / "there", "the folder", "name another")
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(UserError) as refused:
        require_room(tmp_path / "not" / "there", "the folder", "name another")
    assert str(refused.value) == (
        f"the folder {tmp_path}/not/there cannot be written: No space left on device; make room or name another"
    )
    assert list(tmp_path.iterdir()) == []
