"""One environment: the server makes one for each WebSocket connection, and closes it with the connection."""

from __future__ import annotations

import dataclasses
from typing import Any

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

from gitgoodbench import __version__
from gitgoodbench.api.bench import Bench, Task
from gitgoodbench.api.session import Session
from gitgoodbench.errors import UserError
from gitgoodbench.frameworks.choosing import choose_task
from gitgoodbench.frameworks.components import Components, metrics_of
from gitgoodbench.frameworks.openenv.records import GitAction, GitObservation, GitState


class GitEnvironment(Environment[GitAction, GitObservation, GitState]):
    """Episodes of a bench, one after the other."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self._bench = bench
        self._task: Task | None = None
        self._session: Session | None = None
        self._state = GitState()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        scenario: str | None = None,
        task: str | None = None,
        **others: Any,
    ) -> GitObservation:
        """Begin an episode.

        Args:
            seed: names the task where `task` does not.
            others: refused, so that a mistyped column is no surprise.

        Raises:
            UserError: there is no such task, or column.
            EpisodeError: the sample cannot be set up.
        """
        if others:
            raise UserError(f"reset knows no {', '.join(sorted(others))}; it takes seed, episode_id, scenario and task")
        chosen = choose_task(self._bench, scenario, task, seed)
        self._task = None
        session = self._begun(chosen)
        self._task, self._session = chosen, session
        self._state = GitState(episode_id=episode_id, step_count=0, task=chosen.id)
        return GitObservation(task=chosen.id, prompt=session.prompt, tools=session.tools, reminder=session.reminder)

    def _begun(self, task: Task) -> Session:
        """The session, with an episode of the task: that of the episode before, or the first one."""
        if self._session is None:
            return self._bench.open(task)
        try:
            self._bench.reset(self._session, task)
        except BaseException:
            self.close()
            raise
        return self._session

    def step(self, action: GitAction, timeout_s: float | None = None, **others: Any) -> GitObservation:  # noqa: ARG002
        """Call a tool. The observation of the call that ends the episode has the reward.

        The sandbox stays for the next episode.

        Raises:
            UserError: there is no episode: it has not begun, or it has ended.
        """
        session = self._session
        if session is None or self._task is None:
            raise UserError("no episode is under way: call reset first, and keep the WebSocket open between calls")
        self._state.step_count += 1
        if action.tool is None:
            return self._ended(session, self._task, "", is_error=False)
        result = session.call(action.tool, action.arguments)
        if session.finished:
            return self._ended(session, self._task, result.text, is_error=result.is_error)
        return GitObservation(task=self._task.id, text=result.text, is_error=result.is_error, reminder=session.reminder)

    def _ended(self, session: Session, task: Task, text: str, *, is_error: bool) -> GitObservation:
        self._task = None
        scored = self._bench.score(task, session.finish())
        parts = dataclasses.asdict(Components.of(scored))
        self._state.status, self._state.reward = scored.status.value, scored.reward
        return GitObservation(
            task=task.id, text=text, is_error=is_error, done=True, reward=scored.reward,
            metadata={"status": scored.status.value, "error": scored.error, **parts, "metrics": metrics_of(scored)},
        )  # fmt: skip

    @property
    def state(self) -> GitState:
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        return EnvironmentMetadata(
            name="gitgoodbench", description="Work with Git: merge conflicts, rebases, commits.", version=__version__
        )

    def list_splits(self) -> list[str]:
        """One split: the suite."""
        return ["suite"]

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Id and scenario of every task; `reset(task=ID)` takes the id."""
        del split
        return [{"id": task.id, "scenario": task.scenario, "index": n} for n, task in enumerate(self._bench.tasks)]

    def num_tasks(self, split: str) -> int:
        return len(self.list_tasks(split))

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        return self.list_tasks(split)[index]

    def close(self) -> None:
        """Remove the sandbox."""
        session, self._session = self._session, None
        if session is not None:
            session.close()
