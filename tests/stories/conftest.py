"""Stories built in the folder of a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.stories.build import build_story
from gitgoodbench.stories.parser import read_story
from tests.support.stories import HEADER, Build, Repository


@pytest.fixture
def build(tmp_path: Path) -> Build:
    def build(text: str, name: str = "repository.git") -> Repository:
        file = tmp_path / "01.story"
        file.write_bytes((HEADER + text).encode("utf-8"))
        build_story(read_story([file]), tmp_path / name)
        return Repository(tmp_path / name)

    return build
