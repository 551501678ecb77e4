"""A developer of each test's own: no configuration of whoever runs the tests counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.feedback.support_repository import Developer


@pytest.fixture
def ada(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Developer:
    """A developer, whose home and Git configuration this process has as well."""
    developer = Developer(tmp_path / "home")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(developer.home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return developer
