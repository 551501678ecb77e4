"""What a user asks of one run: the flags of `gitgoodbench eval`, resolved and validated, for one agent."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gitgoodbench.dataset.select import Selection
from gitgoodbench.errors import UserError
from gitgoodbench.models.meter import Budget
from gitgoodbench.plugin_options import read_options
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from gitgoodbench.scoring.judge.options import MAX_LIMIT, MOST_REPEATS

MAY_CHANGE = frozenset({"jobs", "max_cost", "repos", "offline", "skip_invalid"})
"""Fields that a resumed run may set anew: they decide how a run goes, not what comes out."""

RESOLVED_ELSEWHERE = frozenset({"suite", "sandbox", "image", "model"})
"""Fields that several spellings stand for; the manifest compares what they were resolved to."""


FORMER: Final = {"hunks": ("icc.hunks", "chain-file")}
"""Fields that are options of a plug-in now, and what they were when nothing was said."""


class RunConfig(BaseModel):
    """One run of one agent over one suite. Prices: US dollars per million tokens; costs: dollars; timeout: seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    suite: str
    agent: str = "openai"
    model: str | None = None
    base_url: str | None = None
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    seed: int | None = None
    price_input: float | None = Field(default=None, ge=0)
    price_output: float | None = Field(default=None, ge=0)

    scenario: tuple[str, ...] = ()
    sample: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    difficulty: tuple[str, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    shuffle: int | None = None
    epochs: int = Field(default=1, ge=1)

    tools: ToolSet = ToolSet.PUBLISHED
    history: int | None = Field(default=None, ge=1)
    strict_tools: bool = False
    opt: tuple[str, ...] = ()
    score: tuple[str, ...] | None = None
    sandbox: str = "auto"
    image: str | None = None

    judge: Literal["none", "llm"] = "none"
    judge_model: tuple[str, ...] = ()
    judge_base_url: str | None = None
    judge_repeats: int | None = Field(default=None, ge=1, le=MOST_REPEATS)
    judge_limit: int | None = Field(default=None, ge=1000, le=MAX_LIMIT)
    judge_max_tokens: int | None = Field(default=None, ge=1)

    max_turns: int | None = Field(default=50, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_episode_cost: float | None = Field(default=None, gt=0)
    timeout: float | None = Field(default=1800.0, gt=0)

    jobs: int = Field(default=1, ge=1)
    max_cost: float | None = Field(default=None, gt=0)
    repos: str | None = None
    offline: bool = False
    skip_invalid: bool = False

    @property
    def selection(self) -> Selection:
        return Selection(self.sample, self.language, self.difficulty, self.shuffle, self.limit)

    @property
    def budget(self) -> Budget:
        return Budget(self.max_turns, self.max_tokens, self.max_episode_cost, self.timeout)

    @property
    def options(self) -> EpisodeOptions:
        return EpisodeOptions(self.tools, self.history, self.strict_tools, read_options(self.opt))

    @model_validator(mode="before")
    @classmethod
    def _read_former_fields(cls, values: Any) -> Any:
        """Fields of before plug-ins had options of their own, in manifests and as flags."""
        if not isinstance(values, dict) or not FORMER.keys() & values.keys():
            return values
        values = dict(values)
        former = {name: values.pop(name) for name in FORMER.keys() & values.keys()}
        given = [f"{FORMER[name][0]}={value}" for name, value in former.items() if value != FORMER[name][1]]
        return values | {"opt": (*values.get("opt", ()), *given)}


def make_config(**fields: object) -> RunConfig:
    """A validated configuration.

    Raises:
        UserError: a value is out of its range; the message names the flag.
    """
    try:
        return RunConfig.model_validate(fields)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        name, value = first["loc"][0], first["input"]
        raise UserError(f"{flag(str(name))} {value}: {first['msg'].lower()}") from problem


def flag(field: str) -> str:
    """The command-line flag of a field."""
    return "SUITE" if field == "suite" else f"--{field.replace('_', '-')}"
