"""One or several judges over one pair of histories, by majority."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Protocol

from gitgoodbench.git.histories import HistoryPair
from gitgoodbench.models.finding import Finding
from gitgoodbench.models.options import ModelOptions, chat_settings, price_of
from gitgoodbench.scoring.judge.options import JUDGE_FLAGS, JudgeOptions
from gitgoodbench.scoring.judge.prompt import RESPONSE_FORMAT, Question, make_question, prompt_fingerprint
from gitgoodbench.scoring.judge.record import CutRecord, JudgeRecord, OpinionRecord, State, total_usage
from gitgoodbench.scoring.judge.votes import Vote, majority

Keep = Callable[[Question], None]
"""Stores a question beside its answers."""


class Asks(Protocol):
    """A judge, as `judge.Judge` is one."""

    model: str

    def preflight(self) -> Finding: ...

    def ask(self, question: Question, repeats: int) -> OpinionRecord: ...


class Panel:
    """See the module's docstring. Used by several threads at once."""

    def __init__(self, judges: Sequence[Asks], *, repeats: int, limit: int) -> None:
        self._judges = tuple(judges)
        self._repeats = repeats
        self._limit = limit

    @property
    def models(self) -> tuple[str, ...]:
        """The judges' names."""
        return tuple(judge.model for judge in self._judges)

    def preflight(self) -> dict[str, Finding]:
        """What a small request to each judge shows, by model.

        Raises:
            RunAborted: one of them cannot be asked.
        """
        return {judge.model: judge.preflight() for judge in self._judges}

    def compare(
        self, pair: HistoryPair | None, *, seed: str, before: JudgeRecord | None = None, keep: Keep | None = None
    ) -> JudgeRecord:
        """Judge one episode.

        Args:
            pair: None where the agent left no history: it has lost.
            seed: of the marker in the prompts, such as the episode's id.
            before: what was said so far. Judges that answered the same prompts, as often, are not asked again. Where no
                verdict comes out, and there was one, it stays.
            keep: is given what the judges of the record were asked.

        Raises:
            RunAborted: no episode can be judged (rejected key, exhausted quota, unknown model).
        """
        if pair is None or not pair.agent.commits:
            return JudgeRecord(state=State.NOTHING, verdict=Vote.LOSS)
        question = make_question(pair, seed=seed, limit=self._limit)
        cut = None if question.cut is None else CutRecord(**dataclasses.asdict(question.cut))
        asked = JudgeRecord(
            state=State.IDENTICAL, verdict=Vote.TIE, repeats=self._repeats, prompt=prompt_fingerprint(),
            prompts=question.digest, marker=question.marker, cut=cut,
        )  # fmt: skip
        if question.identical:
            return asked
        known = _answered(before, asked)
        opinions = [known.get(judge.model) or judge.ask(question, self._repeats) for judge in self._judges]
        former = [opinion for model, opinion in known.items() if model not in {judge.model for judge in self._judges}]
        record = _settled(asked, opinions, tuple(former))
        if record.verdict is None and before is not None and before.verdict is not None:
            return before.model_copy(update={"problem": record.problem})
        if keep is not None:
            keep(question)
        return record


def open_panel(options: JudgeOptions) -> Panel:
    """The panel that a user asks for.

    Raises:
        UserError: a missing or unusable API key, a base URL or a name that is none.
    """
    settings = [chat_settings(_model_options(options, model), JUDGE_FLAGS) for model in options.models]
    from gitgoodbench.models.chat import ChatModel  # the SDK takes a second to import
    from gitgoodbench.scoring.judge.judge import Judge

    judges = [Judge(ChatModel(model, **chosen)) for model, chosen in zip(options.models, settings, strict=True)]
    return Panel(judges, repeats=options.repeats, limit=options.limit)


def unpriced_judge(options: JudgeOptions) -> str | None:
    """A judge whose price is not known, if there is one.

    Raises:
        UserError: half a price.
    """
    return next(
        (model for model in options.models if price_of(_model_options(options, model), JUDGE_FLAGS) is None), None
    )


def _model_options(options: JudgeOptions, model: str) -> ModelOptions:
    return ModelOptions(
        model=model,
        api=options.api,
        base_url=options.base_url,
        temperature=0.0,
        max_output_tokens=options.max_tokens,
        reasoning_effort=options.reasoning_effort,
        schema=RESPONSE_FORMAT["json_schema"],
        headers=options.headers,
        price_input=options.price_input,
        price_output=options.price_output,
        request_timeout_s=options.request_timeout_s,
        max_connections=options.max_connections,
    )


def _answered(before: JudgeRecord | None, asked: JudgeRecord) -> dict[str, OpinionRecord]:
    """By model, what is known already of what is asked."""
    if before is None or (before.prompts, before.repeats) != (asked.prompts, asked.repeats):
        return {}
    return {opinion.model: opinion for opinion in (*before.former, *before.judges) if opinion.verdict is not None}


def _settled(asked: JudgeRecord, opinions: Sequence[OpinionRecord], former: tuple[OpinionRecord, ...]) -> JudgeRecord:
    verdict = majority([opinion.verdict for opinion in opinions])
    open_ones = [opinion for opinion in opinions if opinion.verdict is None] if verdict is None else []
    state = State.JUDGED
    if open_ones:
        state = State.FAILED if any(opinion.failed for opinion in open_ones) else State.UNREADABLE
    update = {
        "state": state,
        "verdict": verdict,
        "problem": "; ".join(opinion.problem for opinion in open_ones if opinion.problem) or None,
        "judges": tuple(opinions),
        "former": former,
        "usage": total_usage([opinion.usage for opinion in (*opinions, *former)]),
    }
    return asked.model_copy(update=update)
