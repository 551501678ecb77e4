"""A change applied to another version of its file, as GNU patch does it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from gitgoodbench.git.conflict_text import split_lines
from gitgoodbench.git.fuzzy_patch import patch_fuzzily
from gitgoodbench.git.hunks import TextChange, change_between
from gitgoodbench.git.process import Git

BASE = b"".join(b"line %d\n" % number for number in range(30))


def blob(git: Git, content: bytes) -> tuple[str, bytes]:
    return git.line("hash-object", "-w", "--stdin", stdin=content), content


@pytest.fixture
def git(tmp_path: Path) -> Git:
    (tmp_path / "r.git").mkdir()
    git = Git(tmp_path / "r.git")
    git.run("init", "--quiet", "--bare", "--template=")
    return git


def change(git: Git, old: bytes, new: bytes) -> TextChange:
    return change_between(git, blob(git, old), blob(git, new))


def test_a_hunk_moves_with_its_lines(git: Git) -> None:
    edit = change(git, BASE, BASE.replace(b"line 9\n", b"nine\n"))
    done = patch_fuzzily(edit.script, b"above\nabove\n" + BASE)
    assert done.content == b"above\nabove\n" + BASE.replace(b"line 9\n", b"nine\n")
    assert (done.applied, done.rejected) == (1, 0)


def test_context_that_differs_is_passed_over_and_kept(git: Git) -> None:
    edit = change(git, BASE, BASE.replace(b"line 9\n", b"nine\n"))
    target = BASE.replace(b"line 8\n", b"eight\n").replace(b"line 11\n", b"eleven\n")
    assert patch_fuzzily(edit.script, target).content == target.replace(b"line 9\n", b"nine\n")


def test_a_removed_line_that_differs_rejects_the_hunk(git: Git) -> None:
    edit = change(git, BASE, BASE.replace(b"line 9\n", b"nine\n").replace(b"line 25\n", b"x\n"))
    target = BASE.replace(b"line 9\n", b"other\n")
    done = patch_fuzzily(edit.script, target)
    assert done.content == target.replace(b"line 25\n", b"x\n")
    assert (done.applied, done.rejected) == (1, 1)


def mutated(random: Random, lines: list[bytes]) -> list[bytes]:
    result = list(lines)
    for _ in range(random.randint(1, 5)):
        at = random.randrange(len(result) + 1)
        kind = random.random()
        if kind < 0.35 and result:
            result[min(at, len(result) - 1)] = b"edit %d\n" % random.randrange(6)
        elif kind < 0.65:
            result[at:at] = [b"new %d\n" % random.randrange(6) for _ in range(random.randint(1, 3))]
        else:
            del result[at : at + random.randint(1, 3)]
    return result


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs GNU patch")
def test_random_files_come_out_as_from_gnu_patch(git: Git, tmp_path: Path) -> None:
    random = Random(7)
    rejected = fuzzy = 0
    for number in range(60):
        few = [b"line %d\n" % random.randrange(5) for _ in range(random.randint(2, 25))]
        old, target = (b"".join(lines) for lines in (few, mutated(random, few)))
        new = b"".join(mutated(random, few))
        if not old or not new or not target or old == new:
            continue
        edit = change(git, old, new)
        diff = git.run("diff", "--diff-algorithm=myers", blob(git, old)[0], blob(git, new)[0])
        body = b"--- f\n+++ f\n" + diff[diff.index(b"\n@@") + 1 :]
        file = tmp_path / f"f{number}"
        file.write_bytes(target)
        command = ["patch", "-F3", "-f", "-s", "--no-backup-if-mismatch", "-r", "-", str(file)]
        ran = subprocess.run(command, input=body, capture_output=True, check=False)
        done = patch_fuzzily(edit.script, target)
        if not done.content:
            continue  # patch removes a file that it empties
        assert file.read_bytes() == done.content, (old, new, target, ran.stdout)
        assert (ran.returncode == 0) == (done.rejected == 0)
        assert done.applied + done.rejected == sum(line.startswith(b"@@ ") for line in split_lines(diff))
        rejected += done.rejected
        fuzzy += done.applied
    assert rejected > 10
    assert fuzzy > 10
