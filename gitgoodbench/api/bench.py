"""A bench: the tasks of a suite, open for anybody to play, and the harness's verdict on what comes out."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Any, Final, Literal, Self

from gitgoodbench.api.arguments import config_of
from gitgoodbench.api.opening import Asked, Opening, OpenSessions
from gitgoodbench.api.scored import Scored
from gitgoodbench.api.session import Session
from gitgoodbench.api.warming import warm_up
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import EpisodeError, UserError
from gitgoodbench.runs.inputs import check_isolation, check_offers_tools, load_inputs
from gitgoodbench.runs.judging import judge_options, resolve_judge
from gitgoodbench.runs.play import record_of
from gitgoodbench.runs.result import FORMAT, ErrorRecord, Result
from gitgoodbench.runs.settings import SharedSettings
from gitgoodbench.runs.settle import Settling, settle
from gitgoodbench.sandbox.base import SandboxProvider, SandboxSettings
from gitgoodbench.sandbox.select import make_provider
from gitgoodbench.scenario import Outcome, Preview, PreviewingScenario, Scenario, load_scenarios
from gitgoodbench.scoring.judge.panel import Panel, open_panel
from gitgoodbench.scoring.judge.record import JudgeRecord
from gitgoodbench.workspace.store import open_store

_AGENT: Final = "session"


@dataclass(frozen=True)
class Task:
    """A sample under one scenario type: what an agent is given. id: `mcr/owner_name_merge_0001`, unique in a suite."""

    id: str
    sample: Sample
    scenario: str


class Bench:
    """The tasks of a suite, and all that is needed to play and score them. No run folder is written.

    Used by any number of threads and event loops at once. Leaving a `with` block, `close`, or the end of the process
    closes the sessions that are still open.
    """

    def __init__(
        self,
        suite: str | os.PathLike[str] = "mini",
        scenario: str | Sequence[str] | None = None,
        tools: Literal["published", "extended", "shell"] = "published",
        sandbox: str = "auto",
        repos: str | os.PathLike[str] | None = None,
        offline: bool = False,
        history: int | None = None,
        judge: str | Sequence[str] | Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        max_open: int = 16,
    ) -> None:
        """
        Args:
            suite: as `gitgoodbench eval` takes it: a name, `hf:org/name`, or a file.
            scenario: only these scenario types; None: all that apply.
            sandbox: `docker`, `local` (isolates nothing), or `auto`, which takes Docker where it answers.
            repos: a folder of local repositories, in place of clones.
            offline: never touch the network for the suite and its repositories.
            history: commits of history in a workspace; None: all.
            judge: the model, or models, that settle what needs a judge; or the fields `model`, `base_url`, `repeats`,
                `limit`, `max_tokens` of the judges. None: `solved` of such outcomes stays unknown.
            options: those of plug-ins, such as `{"icc.hunks": "all"}`, some of which have a flag's name, too (`image`),
                and further fields of a run's configuration, such as `strict_tools`.
            max_open: sessions that are open at once; opening one more waits for another to close.

        Raises:
            UserError: a name, row, file or value is not what it must be, or the sandbox cannot be had.
        """
        self._config = config_of(
            scenario, judge, options or {},
            suite=os.fspath(suite), tools=tools, sandbox=sandbox, offline=offline, repos=repos, history=history,
        )  # fmt: skip
        check_offers_tools(self._config.tools)
        self._inputs = load_inputs(self._config)
        self._config = resolve_judge(self._config, self._inputs.scenarios.values())
        settings = SandboxSettings(own=self._config.options.own)
        self._provider: SandboxProvider = make_provider(self._config.sandbox, settings=settings).provider
        check_isolation(self._config.tools, self._provider)
        self._store = open_store(self._config.repos, offline=offline)
        self._settings = SharedSettings(self._store, self._config.options)
        self._id = f"api-{uuid.uuid4().hex[:12]}"
        self._sessions = OpenSessions(self._id, self._provider, self._settings, self._config.tools, max_open)
        self.tasks = tuple(
            Task(f"{planned.scenario}/{planned.sample.id}", planned.sample, planned.scenario)
            for planned in self._inputs.planned
        )

    @cached_property
    def _panel(self) -> Panel | None:
        judges = judge_options(self._config)
        return None if judges is None else open_panel(judges)

    def task(self, task_id: str) -> Task:
        """The task of that id.

        Raises:
            UserError: there is none.
        """
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise UserError(f"there is no task {task_id!r} in {self._config.suite}; `tasks` has them all")

    def preview(self, task: Task) -> Preview:
        """Prompt and tools of a task, without a sandbox where its scenario can tell them so; all of ours can.

        Raises:
            EpisodeError: the sample cannot be set up, or no sandbox can be had.
        """
        self._scenario(task)
        scenario = load_scenarios()[task.scenario]
        if isinstance(scenario, PreviewingScenario):
            return scenario.preview(task.sample, self._store, self._config.options)
        with self.open(task) as session:
            return Preview(tuple(session.prompt), tuple(session.tools), session.facts)

    def open(self, task: Task, seed: int = 0) -> Session:
        """Set a task up in a sandbox of its own. Waits while `max_open` sessions are open.

        The same answers give the same commit ids, whatever the seed.

        Args:
            seed: which attempt at the task it is; names the session.

        Raises:
            UserError: this thread has opened all of `max_open` sessions and would wait for itself.
            EpisodeError: the sample cannot be set up, or no sandbox can be had.
        """
        return self._sessions.open(self._asked(task, seed))

    def reset(self, session: Session, task: Task, seed: int = 0) -> None:
        """Begin another episode in an open session, of the same task or another one; nothing of the one before is left.

        Where the tools have no shell, the session's sandbox is emptied and used again: that takes milliseconds. Else it
        gets a new one.

        Raises:
            SessionError: the session is closed, or in use.
            EpisodeError: as for `open`; the session can only be closed then.
        """
        self._sessions.renew(session, self._asked(task, seed))

    async def areset(self, session: Session, task: Task, seed: int = 0) -> None:
        """`reset` for asyncio."""
        await asyncio.get_running_loop().run_in_executor(self._sessions.executor, self.reset, session, task, seed)

    def aopen(self, task: Task, seed: int = 0) -> Opening:
        """`open` for asyncio: `async with bench.aopen(task) as session`, or `await` it and close it yourself."""
        return self._sessions.opening(self._asked(task, seed))

    def _asked(self, task: Task, seed: int) -> Asked:
        scenario = self._scenario(task)
        return Asked(f"{task.id}/{seed}", task.sample, scenario)

    def score(
        self,
        task: Task,
        outcome: Outcome,
        seed: int = 0,
        *,
        panel: Panel | None = None,
        judged: Mapping[str, Any] | None = None,
    ) -> Scored:
        """The harness's verdict on an outcome, from this process or another one; needs no sandbox.

        Args:
            seed: of the session. What a judge sees first depends on it; 0 is as in the first epoch of a run.
            panel: for bridges to frameworks whose models judge: judges in place of the bench's own.
            judged: what judges have said of this outcome before (`Scored.judge`): a verdict is not asked for again.

        Raises:
            RunAborted: no judge can be asked (a rejected key, an exhausted quota).
        """
        before = None if judged is None else JudgeRecord.model_validate(judged)
        return Scored.of(self._settled(task, outcome, seed, panel or self._panel, before))

    async def ascore(self, task: Task, outcome: Outcome, seed: int = 0) -> Scored:
        """`score` for asyncio."""
        return await asyncio.get_running_loop().run_in_executor(
            self._sessions.executor, self.score, task, outcome, seed
        )

    def _settled(
        self, task: Task, outcome: Outcome, seed: int, panel: Panel | None, judged: JudgeRecord | None
    ) -> Result:
        scenario = self._scenario(task)
        if not isinstance(outcome, Outcome):
            given = type(outcome).__name__
            raise UserError(f"{given} is no Outcome: session.finish() gives one, Outcome.from_json reads one")
        status, sample = outcome.agent_status, task.sample
        record = record_of(outcome, status, outcome.agent_error)
        result = Result(
            format=FORMAT, run_id=self._id, sample_id=sample.id, scenario=task.scenario, epoch=seed + 1,
            agent=_AGENT, model=None, name=sample.name, language=sample.programming_language,
            difficulty=sample.difficulty, status=status, success=status.is_success, outcome=record, judge=judged,
            error=ErrorRecord.why(status, record.agent_error),
        )  # fmt: skip
        if not status.is_answer:
            return result
        try:
            settling = Settling(self._store, self._config.tools, panel)
            return settle(result, outcome, sample, scenario, settling)
        except EpisodeError as problem:
            failed: Mapping[str, Any] = {"status": problem.status, "success": False, "error": ErrorRecord.of(problem)}
            return result.model_copy(update=failed)

    def warm_up(self) -> None:
        """Compile, start the parser, and open and close one sandbox, so that no episode's time pays for it."""
        warm_up()
        self._provider.open(run_id=self._id, episode_id="warm-up").close()

    def close(self) -> None:
        """Close what is still open. The bench can be used again."""
        self._sessions.close()
        self._settings.forget()

    def _scenario(self, task: Task) -> Scenario:
        if not isinstance(task, Task):
            raise UserError(f"{type(task).__name__} is no Task: bench.tasks holds them, bench.task(ID) gives one")
        try:
            return self._inputs.scenarios[task.scenario]
        except KeyError:
            raise UserError(f"the scenario {task.scenario!r} of task {task.id} is not of this bench") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
