"""Temporary folders go, whatever was put into them."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.folders import make_folder, remove_folder, tie_folder


def test_folders_deeper_than_python_follows_are_removed() -> None:
    folder = make_folder("test")
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=descriptor)
        below = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)
    remove_folder(folder)
    assert not folder.exists()


def test_a_folder_goes_with_its_owner_although_a_thread_still_writes_into_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Owner:
        pass

    owner, folder, rmtree = Owner(), make_folder("test"), shutil.rmtree
    tie_folder(folder, owner)
    failures = [OSError(errno.ENOTEMPTY, "Directory not empty", "objects")]

    def fail_once(path: Path, **options: Any) -> None:
        if failures:
            raise failures.pop()
        rmtree(path, **options)

    monkeypatch.setattr(shutil, "rmtree", fail_once)
    del owner
    assert (failures, folder.exists()) == ([], False)
