"""Memory of `gitgoodbench trajectories`: `python bench/trajectories.py RUN [--episodes N ...] [--format F ...]`.

Makes a run of N episodes of the episodes of RUN, each with answers and results of tools of its own, of random words
(--kilobytes in all), and exports it in each format by the command, in a process of its own. Tells the peak of its
memory (maximum resident set), and seconds. Memory that grows with N by more than a small row is a fault.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from gitgoodbench.folders import temporary_folder
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.trajectories.export import FORMATS

TURNS = 10


def multiply(run: RunPaths, copy: RunPaths, episodes: int, kilobytes: int = 40) -> None:
    """Write a run of so many episodes."""
    copy.samples.mkdir(parents=True)
    copy.manifest.write_bytes(run.manifest.read_bytes())
    chance = random.Random(episodes)
    kept = [path.parent for path in run.result_files() if (path.parent / "trajectory.jsonl").exists()]
    for number, folder in enumerate(itertools.islice(itertools.cycle(kept), episodes)):
        result = json.loads((folder / "result.json").read_bytes())
        epoch = number // len(kept) + 1
        target = copy.episode(result["scenario"], result["sample_id"], epoch).folder
        target.mkdir(parents=True)
        (target / "result.json").write_text(json.dumps({**result, "epoch": epoch}))
        (target / "trajectory.jsonl").write_text(
            "".join(longer((folder / "trajectory.jsonl").read_text(), chance, kilobytes))
        )


def longer(lines: str, chance: random.Random, kilobytes: int) -> list[str]:
    """The lines of a trajectory that goes on for some turns more, and ends without a line of its own."""
    kept = [line for line in lines.splitlines(keepends=True) if '"kind":"end"' not in line[:40]]
    number = 1000
    for turn in range(TURNS):
        words = " ".join(f"{chance.getrandbits(40):x}" for _ in range(kilobytes * 1024 // TURNS // 22))
        call = {
            "id": f"more_{turn}",
            "type": "function",
            "function": {"name": "view", "arguments": json.dumps({"of": words})},
        }
        for message in (
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": words},
        ):
            number += 1
            kept.append(json.dumps({"kind": "message", "time": "", "number": number, "message": message}) + "\n")
    return kept


def export(folder: Path, form: str, out: Path) -> tuple[float, float]:
    """Peak memory in MB and seconds of one export."""
    command = [sys.executable, "-m", "gitgoodbench", "trajectories", str(folder), "--allow-evaluation-data"]
    begun = time.monotonic()
    process = subprocess.Popen([*command, "--format", form, "--out", str(out)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the export as {form} failed")
    return used.ru_maxrss / 1024, time.monotonic() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--episodes", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--format", nargs="+", default=list(FORMATS))
    parser.add_argument("--kilobytes", type=int, default=40)
    asked: Any = parser.parse_args()
    peaks: dict[str, list[float]] = {}
    for count in asked.episodes:
        with temporary_folder("trajectories", large=True) as folder:
            multiply(RunPaths(asked.run), RunPaths(folder / "run"), count, asked.kilobytes)
            for form in asked.format:
                peak, seconds = export(folder / "run", form, folder / form)
                peaks.setdefault(form, []).append(peak)
                print(f"{count:6} episodes, {form:8}: {peak:6.0f} MB, {seconds:6.1f} s", flush=True)
    for form, found in peaks.items():
        if len(found) > 1:
            growth = (found[-1] - found[0]) * 1024 / (asked.episodes[-1] - asked.episodes[0])
            print(f"{form:8}: {growth:.1f} kB more for each episode more")


if __name__ == "__main__":
    main()
