"""Pages of a whole benchmark: `python bench/pages.py [--samples 300] [--out DIR]`, from the root of the project.

Makes up six runs of 900 episodes each (300 samples of three scenarios; conversations of 12 turns, texts of 1,500
characters), writes their pages, and opens them in a headless Chromium: seconds to write, size of the folder and of the
bundle, time until the overview can be used, how long a filter takes, memory of the page.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from gitgoodbench.api.running import load_run
from gitgoodbench.reporting.pages.site import write_bundle, write_site
from tests.support.browser import Browser
from tests.support.page_runs import PLAYERS, Player, Sizes, make_runs

_SCENARIOS = ("icc", "ir", "mcr")
_READY = """
    const done = arguments[arguments.length - 1];
    const wait = () => document.body.dataset.ready === "yes" ? done(performance.now()) : setTimeout(wait, 5);
    wait();
"""
_ROUNDS = 5


def everywhere() -> list[Player]:
    """The players, each in all scenarios and with conversations."""
    return [
        Player(player.agent, player.model or f"model-{number}", player.skill, 0.01, player.seconds, _SCENARIOS)
        for number, player in enumerate(PLAYERS)
    ]


def megabytes(size: float) -> str:
    return f"{size / 1024**2:.1f} MB"


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class Clock:
    """Seconds since it was last asked, of the clock and of the processor (those of child processes included)."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), self._used()

    @staticmethod
    def _used() -> float:
        return sum(os.times()[:4])

    def since(self) -> str:
        wall, processor = time.perf_counter(), self._used()
        words = f"{wall - self._wall:.1f} s ({processor - self._processor:.1f} s of processor time)"
        self._wall, self._processor = wall, processor
        return words


def measure_writing(folders: Sequence[Path], out: Path) -> None:
    clock = Clock()
    runs = [load_run(folder) for folder in folders]
    episodes = sum(len(run.results) for run in runs)
    print(f"{episodes} episodes of {len(runs)} runs, {megabytes(sum(map(size_of, folders)))}: read in {clock.since()}")
    files = write_site(runs, out / "pages")
    print(f"{files} files written in {clock.since()}: {megabytes(size_of(out / 'pages'))}")
    print(f"overview.js: {megabytes((out / 'pages' / 'data' / 'overview.js').stat().st_size)}")
    write_bundle(runs, out / "pages.zip")
    print(f"the bundle: {clock.since()}; {megabytes((out / 'pages.zip').stat().st_size)}")


def measure_pages(pages: Path) -> None:
    with Browser() as browser:
        index = (pages / "index.html").as_uri()
        browser.open(index)
        ready = []
        for _ in range(_ROUNDS):
            browser.driver.get(index)
            ready.append(browser.driver.execute_async_script(_READY) / 1000)
        print(f"overview can be used after {min(ready):.2f} s (best of {_ROUNDS}; worst {max(ready):.2f} s)")
        time.sleep(2)  # the rest of the map is drawn when there is time
        memory = browser.run("return performance.memory.usedJSHeapSize")
        nodes = browser.run("return document.getElementsByTagName('*').length")
        print(f"memory of its scripts: {megabytes(memory)}; {nodes} elements")
        script = """
            const began = performance.now();
            ggb.filters.set("difficulty", ["hard"]);
            document.body.offsetHeight;
            return performance.now() - began;
        """
        print(f"a filter counts everything anew in {browser.run(script) / 1000:.2f} s")
        key = next((pages / "data" / "episodes").iterdir()).stem
        browser.driver.get(f"{(pages / 'episode.html').as_uri()}?e={key}")
        print(f"an episode is shown after {browser.driver.execute_async_script(_READY) / 1000:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description="Pages of a whole benchmark.")
    parser.add_argument("--samples", type=int, default=300, help="of each scenario")
    parser.add_argument("--out", type=Path, help="keep runs and pages in this folder")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        out = chosen.out or Path(temporary)
        sizes = Sizes(samples=chosen.samples, turns=12, text=1500)
        folders = make_runs(out / "runs", sizes, everywhere())
        measure_writing(folders, out)
        measure_pages(out / "pages")


if __name__ == "__main__":
    main()
