"""Rewards of finished jobs of Harbor, by scenario; print a table.

harbor run -p tasks -a oracle -o jobs --job-name oracle
harbor run -p tasks -a nop -o jobs --job-name nop
python bench/harbor_jobs.py jobs/oracle jobs/nop
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path


def rewards_of(job: Path) -> dict[str, list[float | None]]:
    """The rewards of a job's trials by scenario; None of a trial that has none."""
    found: dict[str, list[float | None]] = {}
    for result in sorted(job.glob("*/result.json")):
        told = json.loads(result.read_bytes())
        if "trial_name" not in told:
            continue
        scenario = str(told["task_name"]).rpartition("/")[2].partition("-")[0]
        rewards = (told.get("verifier_result") or {}).get("rewards") or {}
        found.setdefault(scenario, []).append(rewards.get("reward"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="+", type=Path)
    print("| job | scenario | trials | with a reward | least | mean | most |\n|---|---|---:|---:|---:|---:|---:|")
    for job in parser.parse_args().jobs:
        for scenario, rewards in sorted(rewards_of(job).items()):
            known = [reward for reward in rewards if reward is not None]
            mean = sum(known) / len(known) if known else float("nan")
            figures = f"{min(known, default=mean):.2f} | {mean:.2f} | {max(known, default=mean):.2f}"
            print(f"| {job.name} | {scenario} | {len(rewards)} | {len(known)} | {figures} |")


if __name__ == "__main__":
    main()
