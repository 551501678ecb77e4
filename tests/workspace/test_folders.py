"""Temporary folders go, whatever was put into them."""

from __future__ import annotations

import os

from gitgoodbench.folders import make_folder, remove_folder


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
