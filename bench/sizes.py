"""What a run takes by its size: a model, fitted to small runs on this machine, and how far it is off.

    python bench/sizes.py [--agent tool-oracle] [--out DIR]
    python bench/sizes.py --table [--model-s 60] [--cold-s 2.33 --warm-s 0.39]

The second prints what runs of several sizes take by this model, with seconds of an episode as `bench/episodes.py` has
them of a repository of 105 MB (docs/benchmarks.md), and what an agent waits for its model.

Each run is a process of its own with an empty cache: so many samples of the built-in suite, epochs, workers. Measured
are processor time of everything that it starts, the most memory of one process, bytes of its folder and of the cache.
The model, by least squares:

    processor seconds = start + cold * samples + warm * samples * (epochs - 1)
    bytes of the folder = result * samples * epochs
    bytes of the cache = prepared * samples

Clock time is processor time over cores, and what episodes wait for a model over workers, whichever is more. One run is
left out of the fit: it says how far the model is off where it was not fitted.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

FITTED: Final = ((4, 1, 1), (12, 1, 1), (6, 3, 1), (12, 2, 2))
CHECK: Final = (18, 2, 2)
"""Samples, epochs, workers."""

_SUBREAPER: Final = 36
"""prctl(2): whoever loses its parent becomes a child of this process, so that its processor time is counted."""


SIZES: Final = ((120, 1, 4), (900, 1, 8), (900, 5, 16), (5000, 1, 32), (5000, 4, 64))
PREPARED: Final = 1.2e9 / 40
"""Bytes of the cache for a sample of that repository."""

CONVERSATION: Final = 365e6 / 5400
"""Bytes of an episode's files: twelve turns of 1,500 characters (bench/pages.py)."""

CACHE: Final = 4 * 1024**3
"""What `--cache-size` allows on each machine, if nothing is said."""


@dataclass(frozen=True)
class Measured:
    """episodes: that have a result. folder, cache: bytes."""

    samples: int
    epochs: int
    workers: int
    episodes: int
    processor_s: float
    folder: int
    cache: int

    @property
    def terms(self) -> list[float]:
        return [1, self.samples, self.samples * (self.epochs - 1)]


def processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def play(samples: int, epochs: int, workers: int, agent: str, out: Path) -> Measured:
    """One run. Raises where an episode has no result."""
    place, cache = out / f"{samples}-{epochs}-{workers}", out / f"cache-{samples}-{epochs}-{workers}"
    command = [
        sys.executable, "-m", "gitgoodbench", "eval", "mini", "--agent", agent, "--sandbox", "local", "--scenario",
        "mcr", "--limit", str(samples), "--epochs", str(epochs), "--jobs", str(workers), "--out", str(place),
        "--run-id", "r",
    ]  # fmt: skip
    before = processor_s()
    environment = {**os.environ, "GITGOODBENCH_CACHE": str(cache), "PYTHONPATH": str(Path(__file__).parent.parent)}
    subprocess.run(command, env=environment, capture_output=True, check=True)
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass
    used = processor_s() - before
    episodes = len(list(place.glob("r/samples/*/*/*/result.json")))
    assert episodes == samples * epochs, episodes
    prepared = bytes_in(cache / "packs")
    return Measured(samples, epochs, workers, episodes, used, bytes_in(place), prepared)


def fit(runs: Sequence[Measured]) -> tuple[list[float], float, float]:
    """Start, cold and warm seconds; bytes of an episode; bytes of a sample in the cache."""
    seconds, *_ = np.linalg.lstsq(
        np.array([run.terms for run in runs]), np.array([run.processor_s for run in runs]), rcond=None
    )
    episode = sum(run.folder for run in runs) / sum(run.episodes for run in runs)
    sample = sum(run.cache for run in runs) / sum(run.samples for run in runs)
    return [float(part) for part in seconds], episode, sample


def expected(run: Measured, seconds: Sequence[float]) -> float:
    return sum(part * term for part, term in zip(seconds, run.terms, strict=True))


def say(run: Measured, seconds: Sequence[float], episode: float, sample: float) -> None:
    """A run beside the model, with the model's error."""
    parts = {
        "processor s": (run.processor_s, expected(run, seconds)),
        "folder kB": (run.folder / 1e3, episode * run.episodes / 1e3),
        "cache kB": (run.cache / 1e3, sample * run.samples / 1e3),
    }
    words = [f"{name} {real:.1f}, model {made:.1f} ({made / real - 1:+.0%})" for name, (real, made) in parts.items()]
    print(f"{run.samples} samples, {run.epochs} epochs, {run.workers} workers: {'; '.join(words)}", flush=True)


def table(cold_s: float, warm_s: float, model_s: float) -> None:
    """What runs of several sizes take: processor hours of the harness, hours of the clock, disk."""
    print("| samples | epochs | workers | processor hours | hours | results | cache, all machines |")
    print("|---|---|---|---|---|---|---|")
    for samples, epochs, workers in SIZES:
        harness = samples * (cold_s + (epochs - 1) * warm_s)
        hours = (harness + samples * epochs * model_s) / workers / 3600
        folder, cache = samples * epochs * CONVERSATION, samples * PREPARED
        print(
            f"| {samples:,} | {epochs} | {workers} | {harness / 3600:.1f} | {hours:.1f} | {folder / 1e6:,.0f} MB | "
            f"{cache / 1e9:,.1f} GB; {CACHE / 1e9:.1f} GB at most on each |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", default="tool-oracle")
    parser.add_argument("--out", type=Path, help="keep the runs in this folder")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--cold-s", type=float, default=2.33)
    parser.add_argument("--warm-s", type=float, default=0.39)
    parser.add_argument("--model-s", type=float, default=60.0, help="that an episode waits for its model")
    chosen = parser.parse_args()
    if chosen.table:
        table(chosen.cold_s, chosen.warm_s, chosen.model_s)
        return
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as temporary:
        out = (chosen.out or Path(temporary)).absolute()
        runs = []
        play(1, 1, 1, chosen.agent, out)  # compiles what is kept from then on
        for samples, epochs, workers in (*FITTED, CHECK):
            runs.append(play(samples, epochs, workers, chosen.agent, out))
            print(json.dumps(vars(runs[-1])), flush=True)
    seconds, episode, sample = fit(runs[:-1])
    start, cold, warm = seconds
    print(f"start {start:.2f} s, cold {cold:.3f} s, warm {warm:.3f} s; {episode / 1e3:.1f} kB, {sample / 1e3:.1f} kB")
    for run in runs[:-1]:
        say(run, seconds, episode, sample)
    print("not fitted:")
    say(runs[-1], seconds, episode, sample)


if __name__ == "__main__":
    main()
