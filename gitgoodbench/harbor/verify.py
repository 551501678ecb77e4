"""The verifier of a task: `python3 -m gitgoodbench.harbor.verify TESTS COLLECTED REWARD`, in an environment of its own.

TESTS has task.json and repository.pack, with the truth; COLLECTED is what the agent left; REWARD is the file that is
written: a flat map of finite numbers. Beside it goes `IDENTITY_FILE`.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gitgoodbench.contained.scenario import contained
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import AgentFailed
from gitgoodbench.files import write_atomically
from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.git.process import Git
from gitgoodbench.harbor.outcome import collected_outcome
from gitgoodbench.scenario import Outcome, Verdict, load_scenarios

IDENTITY_FILE: Final = "task.json"
"""Beside the reward: of which row the task is. The agent has no say in what the verifier writes."""

MOST_UNSOLVED: Final = 0.9
"""The reward of a merge that is not the real one stays below 1 by a tenth, as in `gitgoodbench.api`."""


@dataclass(frozen=True)
class OneRepository:
    """A repository store with one repository."""

    path: Path

    def mirror(self, name: str, commits: Sequence[str]) -> Mirror:  # noqa: ARG002
        """See `RepositoryStore.mirror`."""
        return Mirror(self.path)


def reward_of(verdict: Verdict, full: float) -> float:
    """A number in [0, 1].

    0 where the outcome cannot be read or a gate is not met; 1 where it is solved. Where it is known not to be, 0.9
    times the mean of the scores, an unknown one as 0. Where only a judge could say, that mean in parts of the
    solution's.

    Args:
        full: the mean of the solution's scores.
    """
    if verdict.solved:
        return 1.0
    if verdict.problem is not None or not verdict.gates or not all(verdict.gates.values()):
        return 0.0
    mean = mean_score(verdict)
    if verdict.solved is None:
        return min(1.0, mean / full) if full > 0 else 0.0
    return MOST_UNSOLVED * mean


def mean_score(verdict: Verdict) -> float:
    """The mean of the scores, an unknown one as 0."""
    known = [min(1.0, max(0.0, score)) for score in known_scores(verdict).values()]
    return math.fsum(known) / len(verdict.scores) if verdict.scores else 0.0


def rewards(verdict: Verdict, full: float) -> dict[str, float]:
    """What goes into reward.json: the reward, gates and scores; what is unknown is left out.

    Harbor shows the alphabetically first figure while a job runs, so `reward` comes before all others.
    """
    found = {"reward": reward_of(verdict, full)}
    if verdict.solved is not None:
        found["solved"] = float(verdict.solved)
    found |= {f"reward_gate_{name}": float(met) for name, met in verdict.gates.items()}
    return found | {f"score_{name}": score for name, score in known_scores(verdict).items()}


def known_scores(verdict: Verdict) -> dict[str, float]:
    """The scores that are numbers."""
    return {name: float(score) for name, score in verdict.scores.items() if score is not None and math.isfinite(score)}


def unpack_repository(pack: Path, refs: Mapping[str, str], folder: Path, algorithm: str) -> Path:
    """Make a repository of a pack, with refs by name."""
    folder.mkdir(parents=True)
    git = Git(folder)
    git.run("init", "--bare", "--quiet", "--template=", f"--object-format={algorithm}", str(folder))
    git.run("index-pack", "--stdin", stdin=pack.read_bytes())
    updates = "".join(f"create refs/heads/{name}\0{commit}\0" for name, commit in refs.items())
    git.run("update-ref", "-z", "--stdin", stdin=updates.encode())
    return folder


def verify(tests: Path, collected: Path) -> dict[str, float]:
    """The rewards of what an agent left."""
    task = json.loads((tests / "task.json").read_bytes())
    sample = Sample.model_validate(task["sample"])
    try:
        outcome = collected_outcome(collected, within=collected.parent)
    except AgentFailed as problem:
        outcome = Outcome(None, None, problem=str(problem))
    with temporary_folder("harbor") as folder:
        path = unpack_repository(tests / "repository.pack", task["refs"], folder / "git", task["algorithm"])
        scenario = contained(load_scenarios()[task["scenario"]])
        return rewards(scenario.score(sample, OneRepository(path), outcome), task["full"])


def main() -> None:
    """Verify, and write reward.json, and beside it of which task it is."""
    tests, collected, reward = map(Path, sys.argv[1:4])
    task = json.loads((tests / "task.json").read_bytes())
    identity = {"scenario": task["scenario"], "sample_id": task["sample"]["id"], "row": task["row"]}
    write_atomically(reward.with_name(IDENTITY_FILE), json.dumps(identity).encode("ascii") + b"\n")
    found = verify(tests, collected)
    text = json.dumps(found, indent=2, allow_nan=False)
    write_atomically(reward, text.encode("ascii") + b"\n")
    print(text)


if __name__ == "__main__":
    main()
