"""The folder of a run.

results/<run-id>/
  manifest.json                 what decides the results; written once
  predictions.jsonl             what was predicted elsewhere (absent where an agent played)
  run.log                       events, one JSON object a line; appended
  ledger.jsonl                  the account: every request to a model, and what came back; appended
  answers/                      replies of models by what was asked, to be used again (--cache)
  .lock                         held by the process that works on the run
  samples/<scenario>/<sample-id>/<epoch>/
    trajectory.jsonl            everything said and done, a line each as it happens; trajectory-1.jsonl, ... are those
                                of attempts before
    agent/                      logs that the agent itself wrote (absent where it wrote none)
    outcome.bundle              what the agent left (absent when nothing could be taken)
    outcome.json                the episode before it is scored: all that scoring needs (absent where nothing was left)
    details.json                the details of result.json at more length (absent where result.json has all of them)
    judging.jsonl               everything said by and to judges, as it happened (absent when nobody was asked)
    judge-prompts.json          what the judges in result.json were asked, in both orders (absent when nobody was)
    result.json                 written last: the episode is finished when it is whole
  summary.json  summary.csv     derived from the result files; can be made again
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gitgoodbench.errors import UserError
from gitgoodbench.files import locked

_LONGEST_NAME = 150
"""Bytes; folders of longer sample ids are shortened (file systems stop at 255, encrypted ones earlier)."""


@dataclass(frozen=True)
class EpisodePaths:
    """The folder of one episode."""

    folder: Path

    @property
    def result(self) -> Path:
        return self.folder / "result.json"

    @property
    def unscored(self) -> Path:
        return self.folder / "outcome.json"

    @property
    def trajectory(self) -> Path:
        return self.folder / "trajectory.jsonl"

    @property
    def former_trajectory(self) -> Path:
        """Of a run before trajectories were written turn by turn."""
        return self.folder / "trajectory.json"

    @property
    def judging(self) -> Path:
        return self.folder / "judging.jsonl"

    def earlier_trajectories(self) -> list[Path]:
        """Those of attempts before, the oldest first."""
        found = (path for path in self.folder.glob("trajectory-*.jsonl") if path.stem[11:].isdecimal())
        return sorted(found, key=lambda path: int(path.stem[11:]))

    @property
    def agent_logs(self) -> Path:
        return self.folder / "agent"

    def own_logs(self) -> list[str]:
        """What an agent wrote of its own work, where it is kept: paths below the episode's folder."""
        kept = (path for path in self.agent_logs.rglob("*") if path.is_file())
        return sorted(path.relative_to(self.folder).as_posix() for path in kept)

    @property
    def details(self) -> Path:
        return self.folder / "details.json"

    @property
    def judge_prompts(self) -> Path:
        return self.folder / "judge-prompts.json"

    @property
    def bundle(self) -> Path:
        return self.folder / "outcome.bundle"


@dataclass(frozen=True)
class RunPaths:
    """The folder of one run."""

    folder: Path

    @property
    def manifest(self) -> Path:
        return self.folder / "manifest.json"

    @property
    def predictions(self) -> Path:
        return self.folder / "predictions.jsonl"

    @property
    def log(self) -> Path:
        return self.folder / "run.log"

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger.jsonl"

    @property
    def answers(self) -> Path:
        return self.folder / "answers"

    @property
    def lock(self) -> Path:
        return self.folder / ".lock"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the run: one process at a time works on it.

        Raises:
            UserError: another process does.
        """
        with locked(self.lock, self._refuse):
            yield

    def _refuse(self, holder: str) -> None:
        raise UserError(f"run {self.folder} is being worked on by {holder}; wait until it ends, or stop it first")

    @property
    def samples(self) -> Path:
        return self.folder / "samples"

    @property
    def summary_json(self) -> Path:
        return self.folder / "summary.json"

    @property
    def summary_csv(self) -> Path:
        return self.folder / "summary.csv"

    def episode(self, scenario: str, sample_id: str, epoch: int) -> EpisodePaths:
        """The folder of one attempt; `epoch` counts from 1."""
        return EpisodePaths(self.samples / scenario / folder_name(sample_id) / str(epoch))

    def result_files(self) -> Iterator[Path]:
        """Every result.json there is, in a stable order; not those that were set aside."""
        return (path for path in sorted(self.samples.glob("*/*/*/result.json")) if path.parent.name.isdecimal())


def folder_name(sample_id: str) -> str:
    """A sample id as the name of a folder: itself, unless it is too long or means another folder (`.`, `..`)."""
    if sample_id.strip(".") and not sample_id.startswith(".") and len(sample_id.encode()) <= _LONGEST_NAME:
        return sample_id
    digest = hashlib.sha256(sample_id.encode()).hexdigest()[:16]
    return f"{sample_id.lstrip('.').encode()[: _LONGEST_NAME - 20].decode('utf-8', 'ignore')}~{digest}"
