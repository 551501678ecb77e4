"""What a user asks of one run, resolved and validated, for one agent: the one declaration of everything it may say.

The flags of `gitgoodbench eval`, `resume` and `score`, their environment variables, the keys of a configuration file,
the manifest and the keywords of `gitgoodbench.evaluate` are all made of the fields here: a new flag is one field.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from gitgoodbench.cache import DEFAULT_CACHE_GIB
from gitgoodbench.clusters.backends import Backend
from gitgoodbench.errors import UserError
from gitgoodbench.models.names import ApiName
from gitgoodbench.runs.flag import SEVERAL, Flag, absolute
from gitgoodbench.runs.order import Order
from gitgoodbench.scoring.judge.options import MAX_LIMIT, MOST_REPEATS, JudgeKind
from gitgoodbench.tools import ToolSet

if TYPE_CHECKING:  # the command line shows its flags without them
    from gitgoodbench.dataset.select import Selection
    from gitgoodbench.models.meter import Budget
    from gitgoodbench.plugin_options import Aliased
    from gitgoodbench.scenario import EpisodeOptions


class RunConfig(BaseModel):
    """One run of one agent over one suite. Prices: US dollars per million tokens; costs: dollars; timeout: seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    suite: Annotated[
        str,
        Flag(
            "mini, lite, full, train, hf:org/name[@revision], or a .parquet, .jsonl, .json or .csv file.", resolved=True
        ),
    ]
    agent: Annotated[
        str,
        Flag(
            "A model (openai, the default), another installed agent, or a reference agent of a scenario; "
            "reference: all of these (gitgoodbench plugins lists them). Repeat it for one run each, in one "
            "report; each plays the scenarios that it is for.",
            ("-a",),
            each=True,
        ),
    ] = "openai"
    model: Annotated[str | None, Flag("Default: gpt-4o.", ("-m",), resolved=True)] = None
    api: Annotated[
        ApiName,
        Flag("chat: Chat Completions, as nearly every server has it; responses: OpenAI's; anthropic: Messages."),
    ] = ApiName.CHAT
    base_url: Annotated[
        str | None,
        Flag("Any server with that API, such as http://localhost:8000/v1.", may_change=True),
    ] = None
    temperature: Annotated[float | None, Flag(), Field(ge=0, le=2)] = 0.0
    top_p: Annotated[float | None, Flag("Default: the server's."), Field(gt=0, le=1)] = None
    seed: Annotated[int | None, Flag("Sent to the model's server.")] = None
    max_output_tokens: Annotated[
        int | None, Flag("Tokens of one answer. Default: the server's; 8192 with --api anthropic."), Field(ge=1)
    ] = None
    reasoning_effort: Annotated[
        str | None, Flag("How much the model thinks, such as low, medium, high. Default: the server's.")
    ] = None
    model_arg: Annotated[
        tuple[str, ...],
        SEVERAL,
        Flag("A further field of every request, such as top_k=20; repeatable.", metavar="KEY=VALUE", blanks=True),
    ] = ()
    header: Annotated[
        tuple[str, ...],
        SEVERAL,
        Flag(
            "A further header of every request to --base-url; repeatable. Its value is not kept with the run.",
            metavar="'NAME: VALUE'",
            may_change=True,
            blanks=True,
        ),
    ] = ()
    request_timeout: Annotated[
        float,
        Flag("Seconds for one request to a model, of agents and judges. Default: 300.", may_change=True, decided=True),
        Field(gt=0),
    ] = 300.0
    max_connections: Annotated[
        int | None,
        Flag("Requests to one server at a time. Default: as many as --jobs; fewer after a 429.", may_change=True),
        Field(ge=1),
    ] = None
    price_input: Annotated[
        float | None,
        Flag("US dollars per million prompt tokens, for a model without a known price.", may_change=True),
        Field(ge=0),
    ] = None
    price_output: Annotated[
        float | None, Flag("US dollars per million completion tokens.", may_change=True), Field(ge=0)
    ] = None

    scenario: Annotated[
        tuple[str, ...],
        SEVERAL,
        Flag("Scenario type, such as mcr; repeatable. Default: all that are installed.", ("-s",)),
    ] = ()
    sample: Annotated[tuple[str, ...], SEVERAL, Flag("Only samples whose id fits; repeatable.", metavar="GLOB")] = ()
    language: Annotated[tuple[str, ...], SEVERAL, Flag("Repeatable.")] = ()
    difficulty: Annotated[tuple[str, ...], SEVERAL, Flag("easy, medium, hard; repeatable.")] = ()
    limit: Annotated[int | None, Flag("At most so many samples.", ("-n",)), Field(ge=1)] = None
    shuffle: Annotated[int | None, Flag("Shuffle the samples by this seed, before --limit.", metavar="SEED")] = None
    epochs: Annotated[int, Flag("Run every sample so many times."), Field(ge=1)] = 1

    tools: Annotated[
        ToolSet,
        Flag(
            "published: the paper's, the default; extended: lines outside conflicts too; shell: commands, in Docker "
            "only; own: the agent's, for those that bring some, whose default it is.",
            decided=True,
        ),
    ] = ToolSet.PUBLISHED
    history: Annotated[
        int | None, Flag("Keep only so many commits of history in the workspace. Default: all of it."), Field(ge=1)
    ] = None
    strict_tools: Annotated[
        bool, Flag("Take of a tool call only what its schema says: no quoted numbers, no ranges.")
    ] = False
    opt: Annotated[
        tuple[str, ...],
        SEVERAL,
        Flag(
            "An option of a plug-in, such as icc.hunks=all; repeatable (gitgoodbench plugins lists them).",
            metavar="PLUG-IN.NAME=VALUE",
        ),
    ] = ()
    agent_arg: Annotated[
        tuple[str, ...],
        SEVERAL,
        Flag(
            "An option of the agent: short for --opt AGENT.NAME=VALUE; repeatable.", metavar="NAME=VALUE", blanks=True
        ),
    ] = ()
    agent_config: Annotated[
        Path | None,
        Flag(
            "Folder with your own configuration of the agent's program (its instructions, skills, settings), which is "
            "put where the program looks for it. Default: none.",
            metavar="DIR",
            resolved=True,
        ),
        BeforeValidator(absolute),
    ] = None
    score: Annotated[
        tuple[str, ...] | None, SEVERAL, Flag("A further score that is installed; repeatable. Default: all that apply.")
    ] = None
    sandbox: Annotated[
        str,
        Flag(
            "auto takes Docker where it answers; local is a temporary folder on this machine; or another kind "
            "that is installed.",
            resolved=True,
        ),
    ] = "auto"

    judge: Annotated[
        JudgeKind,
        Flag(
            "Whether models judge histories (ir, icc). Default: llm where another --judge flag is given, or "
            "where a model at OpenAI is evaluated; else none, which leaves solved unknown and reports the gates.",
            decided=True,
        ),
    ] = JudgeKind.NONE
    judge_model: Annotated[
        tuple[str, ...], SEVERAL, Flag("Default: gpt-4o. Repeat it for several judges, of whom the majority counts.")
    ] = ()
    judge_api: Annotated[ApiName | None, Flag("As --api, for the judges. Default: chat.")] = None
    judge_base_url: Annotated[
        str | None, Flag("Server of the judges; --base-url is the agent's alone.", may_change=True)
    ] = None
    judge_reasoning_effort: Annotated[str | None, Flag("As --reasoning-effort, for the judges.")] = None
    judge_repeats: Annotated[
        int | None, Flag("Ask each judge so many times in each order. Default: 1."), Field(ge=1, le=MOST_REPEATS)
    ] = None
    judge_limit: Annotated[
        int | None,
        Flag("Characters of both histories that a judge is shown, half for each. Default: 120000."),
        Field(ge=1000, le=MAX_LIMIT),
    ] = None
    judge_price_input: Annotated[
        float | None,
        Flag("US dollars per million prompt tokens, for judges without a known price.", may_change=True),
        Field(ge=0),
    ] = None
    judge_price_output: Annotated[
        float | None, Flag("US dollars per million completion tokens.", may_change=True), Field(ge=0)
    ] = None
    judge_max_tokens: Annotated[
        int | None, Flag("Tokens of one answer of a judge, its thinking included. Default: 4096."), Field(ge=1)
    ] = None

    max_turns: Annotated[int | None, Flag("Answers per episode."), Field(ge=1)] = 50
    max_tokens: Annotated[int | None, Flag("Prompt and completion tokens together, per episode."), Field(ge=1)] = None
    max_episode_cost: Annotated[float | None, Flag("US dollars per episode."), Field(gt=0)] = None
    timeout: Annotated[float | None, Flag("Seconds per episode."), Field(gt=0)] = 1800.0

    jobs: Annotated[
        int,
        Flag(
            "Episodes at a time. Default: as many as cores, up to 4; as many as a cluster has.",
            ("-j",),
            may_change=True,
            decided=True,
        ),
        Field(ge=1),
    ] = 1
    order: Annotated[
        Order,
        Flag(
            "sample: all epochs and agents of a sample next to each other; suite: the whole suite, epoch by epoch.",
            may_change=True,
        ),
    ] = Order.SAMPLE
    backend: Annotated[
        Backend,
        Flag(
            "Where episodes are played: threading, in this process; loky: other processes of this machine; dask, ray: "
            "a cluster (docs/scaling.md).",
            may_change=True,
        ),
    ] = Backend.THREADING
    cluster: Annotated[
        str | None,
        Flag(
            "Of the Dask scheduler or the Ray head. Default: what DASK_SCHEDULER_ADDRESS or RAY_ADDRESS says, else a "
            "cluster of this machine.",
            metavar="ADDRESS",
            may_change=True,
        ),
    ] = None
    driver_address: Annotated[
        str | None,
        Flag(
            "How the workers of a cluster reach this process. Default: this machine's address, any free port.",
            metavar="HOST[:PORT]",
            may_change=True,
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        Flag(
            "US dollars for the whole run, agent and judges, over all its sessions; when they are spent nothing more "
            "is asked.",
            may_change=True,
        ),
        Field(gt=0),
    ] = None
    cache_answers: Annotated[
        bool | None,
        Flag(
            "Keep answers by what was asked (model, parameters, messages, tools, epoch), and ask nothing twice. "
            "Default: the judges' answers only.",
            ("--cache/--no-cache",),
            may_change=True,
            decided=True,
        ),
    ] = None
    max_failures: Annotated[
        int,
        Flag(
            "Stop after so many failures of infrastructure in a row of one cause: resume goes on when it is mended.",
            may_change=True,
        ),
        Field(ge=1),
    ] = 5
    retry_failed: Annotated[
        int,
        Flag("Try failures of infrastructure again so many times, at the end of the run.", may_change=True),
        Field(ge=0),
    ] = 1
    repos: Annotated[
        Path | None,
        Flag(
            "Take repositories from this folder: DIR/owner/name, DIR/owner__name or DIR/owner+name/repo.",
            may_change=True,
        ),
        BeforeValidator(absolute),
    ] = None
    cache_size: Annotated[
        float,
        Flag(
            "GiB of prepared samples to keep in the cache; those that were not used for longest go first.",
            may_change=True,
        ),
        Field(ge=0),
    ] = DEFAULT_CACHE_GIB
    offline: Annotated[bool, Flag("Never touch the network for data sets or repositories.", may_change=True)] = False
    skip_invalid: Annotated[bool, Flag("Leave malformed rows out, and say how many.", may_change=True)] = False

    @property
    def selection(self) -> Selection:
        from gitgoodbench.dataset.select import Selection

        return Selection(self.sample, self.language, self.difficulty, self.shuffle, self.limit)

    @property
    def budget(self) -> Budget:
        from gitgoodbench.models.meter import Budget

        return Budget(self.max_turns, self.max_tokens, self.max_episode_cost, self.timeout)

    @property
    def options(self) -> EpisodeOptions:
        from gitgoodbench.plugin_options import read_options
        from gitgoodbench.scenario import EpisodeOptions

        try:
            own = read_options(self.options_of_plugins)
        except UserError as problem:  # in the words that the user said it in
            raise UserError(str(problem).replace(f"--opt {self.agent}.", "--agent-arg ")) from problem
        return EpisodeOptions(self.tools, self.history, self.strict_tools, own)

    @property
    def options_of_plugins(self) -> tuple[str, ...]:
        """`opt`, and `agent_arg` in the same form.

        Raises:
            UserError: one is no NAME=VALUE.
        """
        for argument in self.agent_arg:
            if "=" not in argument:
                raise UserError(f"--agent-arg {argument}: write NAME=VALUE; `gitgoodbench plugins` lists them")
        return (*self.opt, *(f"{self.agent}.{argument}" for argument in self.agent_arg))

    @model_validator(mode="before")
    @classmethod
    def _read_aliases(cls, values: Any) -> Any:
        """Options of plug-ins under the names that they have as flags, in manifests too."""
        if not isinstance(values, dict) or values.keys() <= cls.model_fields.keys():
            return values
        aliases = alias_fields()
        given = [
            f"{aliases[name].option}={value}"
            for name, value in values.items()
            if name in aliases and str(value) != aliases[name].default
        ]
        others = {name: value for name, value in values.items() if name not in aliases}
        return others | {"opt": (*others.get("opt", ()), *given)}


def alias_fields() -> dict[str, Aliased]:
    """The options of plug-ins that are flags, too, by the names of fields. It loads the plug-ins."""
    from gitgoodbench.plugin_options import find_aliases
    from gitgoodbench.plugins import RUN_GROUPS

    return {name.replace("-", "_"): aliased for name, aliased in find_aliases(RUN_GROUPS).items()}


FLAGS: Final = {
    name: next(part for part in field.metadata if isinstance(part, Flag))
    for name, field in RunConfig.model_fields.items()
}
JUDGING: Final = tuple(name for name in FLAGS if name.split("_")[0] == "judge")
MODELLING: Final = (
    "model", "api", "base_url", "temperature", "top_p", "seed", "max_output_tokens", "reasoning_effort", "model_arg",
    "price_input", "price_output",
)  # fmt: skip
"""What only an agent that asks a model has a use for."""
MAY_CHANGE: Final = tuple(name for name, flag in FLAGS.items() if flag.may_change)
RESOLVED_ELSEWHERE: Final = tuple(name for name, flag in FLAGS.items() if flag.resolved)


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
        raise UserError(f"{spelling(str(name))} {value}: {first['msg'].lower()}") from problem


def spelling(field: str) -> str:
    """A field on the command line: what every run needs is an argument, all else a flag."""
    declared = RunConfig.model_fields.get(field)
    return field.upper() if declared and declared.is_required() else f"--{field.replace('_', '-')}"
