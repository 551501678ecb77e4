"""Where judges enter a run: when they are asked, by which models, and over which histories."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gitgoodbench.agents.registry import asks_model
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import UserError
from gitgoodbench.files import write_atomically
from gitgoodbench.models.names import ApiName
from gitgoodbench.models.options import key_in, server_of
from gitgoodbench.models.recording import recording
from gitgoodbench.runs.account import JUDGE
from gitgoodbench.runs.bookkeeping import Account, Bookkeeper, EpisodeBooks
from gitgoodbench.runs.config import RunConfig
from gitgoodbench.runs.paths import EpisodePaths
from gitgoodbench.runs.result import dump_json
from gitgoodbench.runs.transcript import Transcript
from gitgoodbench.scenario import JudgedScenario, Outcome, Scenario
from gitgoodbench.scoring.judge.options import (
    DEFAULT_LIMIT,
    DEFAULT_MAX_TOKENS,
    DEFAULT_MODEL,
    JUDGE_FLAGS,
    JudgeKind,
    JudgeOptions,
)
from gitgoodbench.scoring.judge.panel import Panel
from gitgoodbench.scoring.judge.prompt import Question
from gitgoodbench.scoring.judge.record import JudgeRecord
from gitgoodbench.workspace.store import RepositoryStore

NO_JUDGE = JudgeKind.NONE
LLM_JUDGE = JudgeKind.LLM

_SNAPSHOT_DATE = re.compile(r"-\d{4}-\d{2}-\d{2}$")


def choose_judge(fields: Mapping[str, Any], agents: Sequence[str]) -> str:
    """`llm` or `none`, where the user has not said which.

    A judge is asked when one is described, or when a model of OpenAI's is evaluated anyway; never because a key happens
    to be there, nor at OpenAI when the model is evaluated elsewhere.

    Args:
        fields: of `RunConfig`. agents: all agents of the command: one table has one judge.

    Raises:
        UserError: a judge is described and refused in one breath.
    """
    described = any(value for name, value in fields.items() if name.startswith("judge_"))
    chosen = fields.get("judge")
    if chosen == NO_JUDGE and described:
        raise UserError(
            "--judge none says that nobody judges, and another --judge flag says who: leave one of them out"
        )
    if chosen is not None:
        return str(chosen)
    elsewhere = server_of(fields.get("base_url")) is not None or fields.get("api") == ApiName.ANTHROPIC
    asks = any(map(asks_model, agents)) and not elsewhere
    at_openai = asks and bool(key_in(JUDGE_FLAGS.keys))
    return LLM_JUDGE if described or at_openai else NO_JUDGE


def resolve_judge(config: RunConfig, scenarios: Iterable[Scenario]) -> RunConfig:
    """The configuration with everything about the judge written down, and without what no scenario has a use for."""
    judged = any(isinstance(scenario, JudgedScenario) for scenario in scenarios)
    if not judged or config.judge != LLM_JUDGE:
        given = {name for name in RunConfig.model_fields if name.startswith("judge_")}
        nobody = {name: RunConfig.model_fields[name].default for name in given}
        return config.model_copy(update=nobody | {"judge": NO_JUDGE})
    update = {
        "judge_model": tuple(dict.fromkeys(config.judge_model)) or (DEFAULT_MODEL,),
        "judge_api": config.judge_api or ApiName.CHAT,
        "judge_base_url": server_of(config.judge_base_url, config.judge_api or ApiName.CHAT),
        "judge_repeats": config.judge_repeats or 1,
        "judge_limit": config.judge_limit or DEFAULT_LIMIT,
        "judge_max_tokens": config.judge_max_tokens or DEFAULT_MAX_TOKENS,
    }
    return config.model_copy(update=update)


def judge_options(config: RunConfig) -> JudgeOptions | None:
    """The judges of a resolved configuration; None without."""
    if config.judge != LLM_JUDGE:
        return None
    same_server = config.judge_base_url is not None and config.judge_base_url == config.base_url
    return JudgeOptions(
        models=config.judge_model,
        base_url=config.judge_base_url,
        repeats=config.judge_repeats or 1,
        limit=config.judge_limit or DEFAULT_LIMIT,
        max_tokens=config.judge_max_tokens or DEFAULT_MAX_TOKENS,
        request_timeout_s=config.request_timeout,
        max_connections=config.max_connections,
        api=config.judge_api or ApiName.CHAT,
        reasoning_effort=config.judge_reasoning_effort,
        headers=config.header if same_server else (),
        price_input=config.judge_price_input,
        price_output=config.judge_price_output,
    )


def judges_itself(config: RunConfig) -> str | None:
    """The judge that is the evaluated model, if one is: models tend to prefer their own work. Servers may differ."""
    if not asks_model(config.agent) or config.judge != LLM_JUDGE:
        return None
    return next((judge for judge in config.judge_model if same_model(judge, config.model)), None)


def same_model(one: str, other: str | None) -> bool:
    """Whether two names mean one model, dated snapshots and letter case aside."""
    return other is not None and _family(one) == _family(other)


def _family(model: str) -> str:
    return _SNAPSHOT_DATE.sub("", model.casefold())


def judge_outcome(
    episode_id: str,
    sample: Sample,
    scenario: JudgedScenario,
    store: RepositoryStore,
    outcome: Outcome,
    panel: Panel,
    *,
    files: EpisodePaths | None,
    before: JudgeRecord | None = None,
    books: EpisodeBooks | None = None,
) -> JudgeRecord:
    """Ask the judges about an outcome that was scored, and store what they were asked in its folder, if it has one.

    before: what judges said so far; see `Panel.compare`. books: keep what judges say from now on.

    Raises:
        OSError: the prompts cannot be written.
        RunAborted: no episode can be judged.
        SetupFailed: the real history cannot be had.
    """

    def keep(question: Question) -> None:
        if files is None:
            return
        prompts = {order.value: messages for order, messages in question.prompts.items()}
        write_atomically(files.judge_prompts, dump_json({"prompts": question.digest, **prompts}))

    pair = scenario.histories(sample, store, outcome)
    with _kept(books, files, episode_id):
        return panel.compare(pair, seed=episode_id, before=before, keep=keep)


@contextlib.contextmanager
def _kept(books: EpisodeBooks | None, files: EpisodePaths | None, episode_id: str) -> Iterator[None]:
    """Keep what judges are asked, and what they say and cost."""
    if books is None:
        yield
        return
    transcript = None if files is None else Transcript(files.judging, copy=books.copy, episode=episode_id)
    try:
        account = Account(episode_id, JUDGE)
        with recording(Bookkeeper(books.ledger, account, transcript, books.judge_cache, witness=books.witness)):
            yield
    finally:
        if transcript is not None:
            transcript.close()
