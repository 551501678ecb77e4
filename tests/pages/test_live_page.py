"""A page of `gitgoodbench view` in a browser, while its run goes on."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

from gitgoodbench.api.running import load_run
from gitgoodbench.reporting.pages.live import LivePages
from gitgoodbench.reporting.pages.serving import PageServer
from gitgoodbench.runs.paths import RunPaths
from tests.support.browser import Browser
from tests.support.page_runs import PLAYERS, Sizes, make_runs


def test_a_run_in_progress_refreshes(browser: Browser, tmp_path: Path) -> None:
    """The episode that ends while one looks appears; focus and filters stay; no request leaves this machine."""
    (folder,) = make_runs(tmp_path, Sizes(samples=3, failing=0), PLAYERS[:1])
    paths = RunPaths(folder)
    late = load_run(folder).results[-1]
    shutil.move(paths.episode(*late.key).folder, tmp_path / "late")
    with PageServer(LivePages([folder], load_run), 0) as server, paths.held():
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            browser.open(f"{server.address}?scenario=icc&scenario=mcr&scenario=ir")
            assert "running 8/9" in browser.one("#runs").text
            browser.wait("document.getElementById('live').textContent === '1 running'")
            browser.press("j", "j")
            focused = browser.run("return document.activeElement.ariaLabel")
            shutil.move(tmp_path / "late", paths.episode(*late.key).folder)
            browser.wait("document.querySelectorAll('.heat a.cell').length === 9")
            assert "running 9/9" in browser.one("#runs").text
            assert browser.run("return document.activeElement.ariaLabel") == focused
            assert all(url.startswith(server.address) for url in browser.requests())
            assert browser.console() == []
        finally:
            server.shutdown()
            thread.join()
