"""The scorer of our tasks in Inspect AI, its metric, and Inspect's models as judges.

It scores what the store holds, so `inspect score` needs the log alone. What is unknown is NaN in a sample's score, as
Inspect marks what is not scored; the metric leaves it out, and counts what is known.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from gitgoodbench.api.bench import Task
from gitgoodbench.api.scored import Scored
from gitgoodbench.errors import InfrastructureFailed
from gitgoodbench.extras import needed
from gitgoodbench.frameworks.inspect_episodes import BenchArguments, Left, in_thread, keep_outcome, live_session
from gitgoodbench.models.answer import Answer
from gitgoodbench.models.messages import Message
from gitgoodbench.models.meter import Budget, Meter, Tokens
from gitgoodbench.scenario import Outcome
from gitgoodbench.scoring.judge.judge import Judge
from gitgoodbench.scoring.judge.panel import Panel
from gitgoodbench.scoring.judge.prompt import RESPONSE_FORMAT

with needed("inspect", "anyio", "inspect_ai"):
    import anyio.from_thread
    from inspect_ai.model import (
        ChatMessage,
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageUser,
        GenerateConfig,
        Model,
        ModelOutput,
        ResponseSchema,
        get_model,
        model_roles,
    )
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
    from inspect_ai.solver import TaskState
    from inspect_ai.util import JSONSchema, LimitExceededError

GRADER: Final = "grader"
_UNKNOWN: Final = float("nan")


@metric(name="known")
def known() -> Metric:
    """Mean and standard error of the values that are known, and how many are. Never NaN."""

    def figures(scores: list[SampleScore]) -> dict[str, float]:
        values = [value for score in scores if (value := _number(score.score.value)) is not None]
        if not values:
            return {"count": 0.0}
        error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
        return {"mean": statistics.fmean(values), "stderr": error, "count": float(len(values))}

    return figures  # type: ignore[no-any-return,unused-ignore]


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


@scorer(name="git_outcome", metrics={"*": [known()]})
def git_outcome() -> Scorer:
    """Score what the agent left, with `Bench.score`. The role `grader`, where it is given, judges histories."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        left = state.store_as(Left)
        if (session := live_session(state)) is not None:
            await keep_outcome(left, session)
        if left.outcome is None:
            raise InfrastructureFailed("the log has no outcome of this sample: its agent never began")
        given, outcome = BenchArguments.of(state), Outcome.from_json(left.outcome)
        panel = _panel(state.metadata["judge"])
        scored, names = await in_thread(_scored, given, state, outcome, panel, left.judge)
        if not scored.status.is_answer:
            raise InfrastructureFailed(f"{scored.status}: {scored.error}")
        left.judge = None if scored.judge is None else dict(scored.judge)
        return _score(scored, outcome, names)

    return score


def _scored(
    given: BenchArguments, state: TaskState, outcome: Outcome, panel: Panel | None, judged: dict[str, Any] | None
) -> tuple[Scored, tuple[str, ...]]:
    bench = given.scoring_bench()
    task = bench.task(state.metadata["task"])
    scored = bench.score(task, outcome, state.epoch - 1, panel=panel, judged=judged)
    return scored, _names(given, task)


@lru_cache(maxsize=64)
def _names(given: BenchArguments, task: Task) -> tuple[str, ...]:
    """Everything that a scenario can say of an outcome, which it says of one that is nothing, too: Inspect wants the
    same values of every sample.
    """
    return tuple(_values(given.scoring_bench().score(task, Outcome(None, None))))


def _values(scored: Scored) -> dict[str, float]:
    """The figures of a verdict under the names of result.json; NaN where one is unknown."""
    gates = {f"gate_{name}": met for name, met in scored.gates.items()}
    found = {"solved": scored.solved, "solved_paper": scored.solved_paper, **gates, **scored.scores}
    return {name: _UNKNOWN if value is None else float(value) for name, value in found.items()} | {
        "reward": scored.reward
    }


def _score(scored: Scored, outcome: Outcome, names: Sequence[str]) -> Score:
    value = {**dict.fromkeys(names, _UNKNOWN), **_values(scored)}
    about = {"status": scored.status.value, "facts": dict(scored.facts), "judge": scored.judge and dict(scored.judge)}
    return Score(value=value, answer=outcome.head, explanation=scored.error, metadata=about)


def _panel(judge: dict[str, int] | None) -> Panel | None:
    """The judges: the models of the role `grader`; None where it is not given: no model judges its own work unasked.

    judge: `repeats`, `limit` and `max_tokens`, as the flags `--judge-...` of `gitgoodbench eval`.
    """
    bound = model_roles().get(GRADER)
    models: list[Model] = [] if bound is None else list(bound) if isinstance(bound, list) else [get_model(role=GRADER)]
    if not models or judge is None:
        return None
    config = GenerateConfig(
        temperature=0.0,
        max_tokens=judge["max_tokens"],
        response_schema=_schema(),
    )
    judges = [Judge(GraderModel(model, config)) for model in models]
    return Panel(judges, repeats=judge["repeats"], limit=judge["limit"])


def _schema() -> ResponseSchema:
    asked = RESPONSE_FORMAT["json_schema"]
    schema = JSONSchema.model_validate(asked["schema"])
    return ResponseSchema(name=asked["name"], json_schema=schema, strict=asked["strict"])


class GraderModel:
    """A model of Inspect's as `Judge` asks it: from a thread beside the event loop."""

    def __init__(self, model: Model, config: GenerateConfig) -> None:
        self.name: str = str(model)
        self._model = model
        self._config = config

    def meter(self, budget: Budget) -> Meter:
        return Meter(budget)

    def answer(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], meter: Meter) -> Answer:  # noqa: ARG002
        """One answer. Trying again is Inspect's business (--max-retries).

        Raises:
            InfrastructureFailed: the model's server failed.
        """
        meter.check()
        meter.requests += 1
        try:
            output = anyio.from_thread.run(self._generate, messages)
        except LimitExceededError:
            raise
        except Exception as problem:
            raise InfrastructureFailed(f"{type(problem).__name__}: {problem}") from problem
        return _answer(output)

    async def _generate(self, messages: Sequence[Message]) -> ModelOutput:
        return await self._model.generate([_message(message) for message in messages], config=self._config)


_KINDS: Final = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
_FINISHES: Final = {"max_tokens": "length", "model_length": "length", "content_filter": "content_filter"}


def _message(message: Message) -> ChatMessage:
    return _KINDS[message["role"]](content=message["content"] or "")


def _answer(output: ModelOutput) -> Answer:
    usage = output.usage
    tokens = (
        Tokens() if usage is None else Tokens(usage.input_tokens, usage.input_tokens_cache_read, usage.output_tokens)
    )
    text = output.completion
    return Answer(
        message={"role": "assistant", "content": text},
        calls=(),
        finish_reason=_FINISHES.get(output.stop_reason, "stop"),
        tokens=tokens,
        text=text,
        model=output.model,
    )
