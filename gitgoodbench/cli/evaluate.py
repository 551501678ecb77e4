"""gitgoodbench eval"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gitgoodbench.cli.config_file import read_config_file
from gitgoodbench.cli.options import (
    Jobs,
    Judge,
    JudgeBaseUrl,
    JudgeLimit,
    JudgeMaxTokens,
    JudgeModel,
    JudgeRepeats,
    MaxCost,
    Offline,
    Repos,
    Tools,
    option,
)


def evaluate(
    suite: Annotated[
        str,
        typer.Argument(
            envvar="GITGOODBENCH_SUITE",
            show_envvar=False,
            metavar="SUITE",
            help="mini, lite, full, train, hf:org/name[@revision], or a .parquet, .jsonl, .json or .csv file.",
        ),
    ],
    agent: Annotated[
        list[str] | None,
        option(
            "--agent",
            "-a",
            help="A model (openai, the default), another installed agent, or a reference agent of a scenario; "
            "reference: all of these (gitgoodbench plugins lists them). Repeat it for one run each, in one report; "
            "each plays the scenarios that it is for.",
        ),
    ] = None,
    model: Annotated[str | None, option("--model", "-m", help="Default: gpt-4o.")] = None,
    base_url: Annotated[
        str | None,
        option("--base-url", help="Any server with the Chat Completions API, such as http://localhost:8000/v1."),
    ] = None,
    temperature: Annotated[float, option("--temperature")] = 0.0,
    seed: Annotated[int | None, option("--seed", help="Sent to the model's server.")] = None,
    price_input: Annotated[
        float | None,
        option("--price-input", help="US dollars per million prompt tokens, for a model without a known price."),
    ] = None,
    price_output: Annotated[
        float | None, option("--price-output", help="US dollars per million completion tokens.")
    ] = None,
    scenario: Annotated[
        list[str] | None,
        option("--scenario", "-s", help="Scenario type, such as mcr; repeatable. Default: all that are installed."),
    ] = None,
    sample: Annotated[
        list[str] | None, option("--sample", metavar="GLOB", help="Only samples whose id fits; repeatable.")
    ] = None,
    language: Annotated[list[str] | None, option("--language", help="Repeatable.")] = None,
    difficulty: Annotated[list[str] | None, option("--difficulty", help="easy, medium, hard; repeatable.")] = None,
    limit: Annotated[int | None, option("--limit", "-n", help="At most so many samples.")] = None,
    shuffle: Annotated[
        int | None, option("--shuffle", metavar="SEED", help="Shuffle the samples by this seed, before --limit.")
    ] = None,
    epochs: Annotated[int, option("--epochs", min=1, help="Run every sample so many times.")] = 1,
    tools: Annotated[
        Tools,
        option(
            "--tools",
            help="published: the paper's; extended: lines outside conflicts too; shell: commands, in Docker only.",
        ),
    ] = Tools.PUBLISHED,
    history: Annotated[
        int | None,
        option("--history", min=1, help="Keep only so many commits of history in the workspace. Default: all of it."),
    ] = None,
    opt: Annotated[
        list[str] | None,
        option(
            "--opt",
            metavar="PLUG-IN.NAME=VALUE",
            help="An option of a plug-in, such as icc.hunks=all; repeatable (gitgoodbench plugins lists them).",
        ),
    ] = None,
    hunks: Annotated[str | None, option("--hunks", help="The same as --opt icc.hunks=...")] = None,
    score: Annotated[
        list[str] | None,
        option("--score", help="A further score that is installed; repeatable. Default: all that apply."),
    ] = None,
    strict_tools: Annotated[
        bool,
        option("--strict-tools", help="Take of a tool call only what its schema says: no quoted numbers, no ranges."),
    ] = False,
    sandbox: Annotated[
        str,
        option(
            "--sandbox",
            help="auto takes Docker where it answers; local is a temporary folder on this machine; or another kind "
            "that is installed.",
        ),
    ] = "auto",
    image: Annotated[str | None, option("--image", help="Image for the docker sandbox.")] = None,
    judge: Judge = None,
    judge_model: JudgeModel = None,
    judge_base_url: JudgeBaseUrl = None,
    judge_repeats: JudgeRepeats = None,
    judge_limit: JudgeLimit = None,
    judge_max_tokens: JudgeMaxTokens = None,
    repos: Repos = None,
    offline: Offline = False,
    jobs: Jobs = None,
    max_turns: Annotated[int, option("--max-turns", min=1, help="Answers per episode.")] = 50,
    max_tokens: Annotated[
        int | None, option("--max-tokens", min=1, help="Prompt and completion tokens together, per episode.")
    ] = None,
    timeout: Annotated[float, option("--timeout", help="Seconds per episode.")] = 1800.0,
    max_episode_cost: Annotated[float | None, option("--max-episode-cost", help="US dollars per episode.")] = None,
    max_cost: MaxCost = None,
    run_id: Annotated[
        str | None,
        option(
            "--run-id", help="Name of the run's folder; the same command with the same id carries on where it stopped."
        ),
    ] = None,
    out: Annotated[Path, option("--out", "-o", help="Parent of run folders.")] = Path("results"),
    skip_invalid: Annotated[bool, option("--skip-invalid", help="Leave malformed rows out, and say how many.")] = False,
    config: Annotated[  # noqa: ARG001
        Path | None,
        option(
            "--config",
            "-c",
            is_eager=True,
            callback=read_config_file,
            help="TOML file with defaults: keys are flags. Order: command line, environment, file, default.",
        ),
    ] = None,
    dry_run: Annotated[bool, option("--dry-run", help="Only show the plan.")] = False,
) -> int:
    """Run agents over a suite and print the table.

    Examples:

      gitgoodbench eval mini --agent oracle --agent noop --sandbox local

      gitgoodbench eval lite --model gpt-4o --max-cost 20 --run-id lite-1

      gitgoodbench eval lite --base-url http://localhost:8000/v1 --model m

      gitgoodbench eval lite --model gpt-4o --judge-model gpt-4.1

      gitgoodbench eval rows.jsonl --repos ~/mirrors --offline --dry-run

    Exit codes: 0 finished, 2 a mistake in the command, 3 finished with failures of infrastructure, 130 interrupted.
    """
    from gitgoodbench.cli.running import evaluate_agents

    return evaluate_agents(
        agents=agent or ["openai"],
        out=out,
        run_id=run_id,
        dry_run=dry_run,
        jobs=jobs,
        fields={
            "suite": suite,
            "model": model,
            "base_url": base_url,
            "temperature": temperature,
            "seed": seed,
            "price_input": price_input,
            "price_output": price_output,
            "scenario": tuple(scenario or ()),
            "sample": tuple(sample or ()),
            "language": tuple(language or ()),
            "difficulty": tuple(difficulty or ()),
            "limit": limit,
            "shuffle": shuffle,
            "epochs": epochs,
            "tools": tools.value,
            "history": history,
            "opt": (*(opt or ()), *([] if hunks is None else [f"icc.hunks={hunks}"])),
            "score": None if not score else tuple(score),
            "strict_tools": strict_tools,
            "sandbox": sandbox,
            "image": image,
            "judge": None if judge is None else judge.value,
            "judge_model": tuple(judge_model or ()),
            "judge_base_url": judge_base_url,
            "judge_repeats": judge_repeats,
            "judge_limit": judge_limit,
            "judge_max_tokens": judge_max_tokens,
            "repos": None if repos is None else str(repos.expanduser().resolve()),
            "offline": offline,
            "max_turns": max_turns,
            "max_tokens": max_tokens,
            "timeout": timeout,
            "max_episode_cost": max_episode_cost,
            "max_cost": max_cost,
            "skip_invalid": skip_invalid,
        },
    )
