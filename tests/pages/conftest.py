"""Runs made up for pages, the folder of their pages, and a headless Chromium that opens them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitgoodbench.api.running import Run, load_run
from gitgoodbench.reporting.pages.site import write_site
from tests.support.browser import Browser
from tests.support.page_runs import Sizes, make_runs


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Six runs of the same samples, in two epochs."""
    return [load_run(folder) for folder in make_runs(tmp_path_factory.mktemp("runs"), Sizes(samples=9, epochs=2))]


@pytest.fixture(scope="session")
def site(runs: list[Run], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of their pages."""
    folder = tmp_path_factory.mktemp("site") / "pages"
    write_site(runs, folder)
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a module; without one they are skipped, or fail where it is required."""
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    if missing:
        words = f"{' and '.join(missing)} not installed (Debian: chromium, chromium-driver)"
        if os.environ.get("TESTS_REQUIRE_BROWSER") == "1":
            pytest.fail(words)
        pytest.skip(words)
    with Browser() as found:
        yield found
