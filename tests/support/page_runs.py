"""Made-up runs to be shown: agents of different skill over the same samples, with conversations, details and ledgers.

Nothing is played: the files of a run are written as the harness writes them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gitgoodbench.details import (
    CommitDetail,
    ConflictDetail,
    Details,
    FileDetail,
    HistoriesDetail,
    LineGroup,
    PairDetail,
    Trees,
)
from gitgoodbench.errors import Status
from gitgoodbench.models.meter import Usage
from gitgoodbench.runs.config import RunConfig
from gitgoodbench.runs.manifest import HostPin, Manifest, PlanPin, SuitePin, write_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import ErrorRecord, OutcomeRecord, Result, Timings, UsageRecord, dump_json
from gitgoodbench.scoring.judge.record import JudgeRecord, OpinionRecord, State
from gitgoodbench.scoring.judge.votes import Vote

DAY = "2026-03-01T10:00:00.000Z"
LANGUAGES = ("java", "kotlin", "python")
DIFFICULTIES = ("easy", "medium", "hard")
GATES = ("committed", "clean", "nothing_unmerged", "no_leftover_markers")
CHAIN_GATES = ("finished", "base_is_ancestor", "linear", "final_tree_exact", "nothing_uncommitted")


@dataclass(frozen=True)
class Player:
    """Who plays, and how well. skill: share of the attainable samples that it solves. dollars, seconds: an episode."""

    agent: str
    model: str | None
    skill: float
    dollars: float
    seconds: float
    scenarios: tuple[str, ...] = ("icc", "ir", "mcr")


PLAYERS = (
    Player("openai", "gpt-4o", 0.3, 0.04, 45.0),
    Player("openai", "qwen3-coder-30b", 0.42, 0.006, 80.0),
    Player("claude-code", "claude-sonnet-4-5", 0.62, 0.31, 150.0),
    Player("ours", None, 0.2, 0.0, 2.0, ("mcr",)),
    Player("theirs", None, 0.14, 0.0, 2.0, ("mcr",)),
    Player("tool-oracle", None, 1.0, 0.0, 2.5, ("mcr", "icc")),
)


@dataclass(frozen=True)
class Sizes:
    """samples: of each scenario. turns: of a conversation. text: characters of a file, a patch, an answer."""

    samples: int = 12
    epochs: int = 1
    turns: int = 3
    text: int = 400
    failing: float = 0.05


@dataclass(frozen=True)
class Sample:
    scenario: str
    id: str
    name: str
    language: str
    difficulty: str
    size: int
    attainable: bool
    hardness: float
    facts: dict[str, Any] = field(default_factory=dict)


def make_runs(folder: Path, sizes: Sizes, players: Sequence[Player] = PLAYERS, seed: int = 1) -> list[Path]:
    """Write a run for each player below the folder; returns theirs."""
    chosen = random.Random(seed)
    samples = list(_samples(sizes, chosen))
    return [_write_run(folder, player, samples, sizes, random.Random(f"{seed} {player}")) for player in players]


def _samples(sizes: Sizes, chosen: random.Random) -> Iterator[Sample]:
    for scenario in ("icc", "ir", "mcr"):
        kind = "merge" if scenario == "mcr" else "chain"
        for number in range(sizes.samples):
            name = f"owner{number % 5}/project{number % 11}"
            size = chosen.randint(1, 8)
            attainable = chosen.random() < 0.7
            facts: dict[str, Any] = {"conflicts" if scenario == "mcr" else "commits": size}
            if scenario != "ir":
                facts["attainable"] = attainable
            if scenario == "icc":
                facts["splittable"] = chosen.random() < 0.8
            yield Sample(
                scenario, f"{name.replace('/', '_')}_{kind}_{number:04}", name, LANGUAGES[number % 3],
                DIFFICULTIES[min(2, size // 3)], size, attainable or scenario == "ir", chosen.random(), facts,
            )  # fmt: skip


def _write_run(folder: Path, player: Player, samples: Sequence[Sample], sizes: Sizes, chosen: random.Random) -> Path:
    run_id = f"lite-{player.model or player.agent}"
    paths = RunPaths(folder / run_id)
    paths.folder.mkdir(parents=True)
    own = [sample for sample in samples if sample.scenario in player.scenarios]
    write_manifest(paths, manifest_of(run_id, player, len(own), len(own) * sizes.epochs))
    with paths.ledger.open("wb") as ledger:
        for sample in own:
            for epoch in range(1, sizes.epochs + 1):
                result = result_of(player, sample, epoch, sizes, chosen, run_id)
                write_episode(paths, result, sizes)
                ledger.writelines(_ledger_lines(result))
    paths.log.write_bytes(b"")
    return paths.folder


def manifest_of(run_id: str, player: Player, samples: int, episodes: int) -> Manifest:
    config = RunConfig(suite="lite", agent=player.agent, model=player.model)
    return Manifest(
        gitgoodbench="0.1.0",
        run_id=run_id,
        created=DAY,
        command=("gitgoodbench", "eval", "lite", "--agent", player.agent),
        config=config,
        suite=SuitePin(
            spec="lite", source="lite", revision=None, fingerprint="f" * 64, samples=samples, invalid=()
        ),
        plan=PlanPin(samples=samples, episodes=episodes, fingerprint="e" * 64),
        scenarios={},
        denominators={
            "mcr": {"attainable": "attainable"},
            "ir": {"attainable": "attainable"},
            "icc": {"splittable": "splittable", "attainable": "attainable"},
        },
        agent={"name": player.agent, "model": player.model},
        sandbox={"kind": "docker", "git": "git version 2.47.1"},
        host=HostPin(git="2.47.1", python="3.12.1", platform="Linux", packages={}),
    )  # fmt: skip


def result_of(player: Player, sample: Sample, epoch: int, sizes: Sizes, chosen: random.Random, run_id: str) -> Result:
    """One episode. Chains are judged; how it ends depends on the player's skill and the sample's hardness."""
    failed = chosen.random() < sizes.failing and player.model is not None
    luck = 0.7 * sample.hardness + 0.3 * chosen.random()
    solved = not failed and luck < player.skill and (sample.attainable or player.agent == "oracle")
    status = Status.SETUP_FAILED if failed else Status.COMPLETED if chosen.random() < 0.93 else Status.LIMIT_REACHED
    answer = status.is_answer
    names = GATES if sample.scenario == "mcr" else CHAIN_GATES
    turns = sizes.turns if player.model else 1
    requests = turns if player.model and answer else 0
    seconds = player.seconds * chosen.uniform(0.5, 1.6)
    outcome = OutcomeRecord(
        head="a" * 40, state={"uncommitted": []}, problem=None, bundle_bytes=None, agent_status=status, agent_error=None
    )
    return Result(
        format=1,
        run_id=run_id,
        sample_id=sample.id,
        scenario=sample.scenario,
        epoch=epoch,
        agent=player.agent,
        model=player.model,
        name=sample.name,
        language=sample.language,
        difficulty=sample.difficulty,
        started=DAY,
        ended=DAY,
        status=status,
        success=status.is_success,
        solved=solved if answer else None,
        solved_paper=solved if answer else None,
        gates={name: solved or chosen.random() < 0.9 for name in names} if answer else {},
        scores=_scores(sample, chosen, solved=solved) if answer else {},
        judge=_judged(chosen, solved=solved) if answer and sample.scenario != "mcr" else None,
        usage=UsageRecord(
            requests=requests,
            prompt_tokens=4000 * requests,
            cached_tokens=0,
            completion_tokens=300 * requests,
            cost_usd=None if requests and chosen.random() < 0.02 else player.dollars * bool(requests),
        ),
        turns=turns if answer else None,
        timings=Timings(setup_s=0.8, agent_s=seconds, outcome_s=0.2, closing_s=0.1, scoring_s=0.9, total_s=seconds + 2),
        facts=sample.facts if answer else {},
        outcome=outcome if answer else None,
        error=ErrorRecord(kind="SetupFailed", message=f"{sample.name} has no commit {'0' * 12}") if failed else None,
        details=_details(sample, sizes, solved=solved) if answer else None,
    )


def _scores(sample: Sample, chosen: random.Random, *, solved: bool) -> dict[str, float | None]:
    if sample.scenario == "mcr":
        part = 1.0 if solved else round(chosen.uniform(0, 0.9), 3)
        return {"exact_match": float(solved), "conflicts_exact": part, "ted_similarity": part}
    part = 1.0 if solved else round(chosen.uniform(0, 0.9), 3)
    return {"line_grouping": part, "history_similarity": None if chosen.random() < 0.1 else part}


def _judged(chosen: random.Random, *, solved: bool) -> JudgeRecord:
    verdict = Vote.WIN if solved else chosen.choice([Vote.TIE, Vote.LOSS])
    opinion = OpinionRecord(
        model="judge-model",
        verdict=verdict,
        agent_first=verdict,
        real_first=verdict,
        consistent=True,
        usage=Usage(2, 900, 0, 60, 0.001),
    )
    return JudgeRecord(state=State.JUDGED, verdict=verdict, judges=(opinion,))


def _details(sample: Sample, sizes: Sizes, *, solved: bool) -> Details:
    text = ("def total(rows):\n    return sum(row.price for row in rows)\n" * (1 + sizes.text // 50))[: sizes.text]
    if sample.scenario == "mcr":
        conflicts = tuple(
            ConflictDetail(
                number=number + 1,
                kind="text",
                exact=solved,
                similarity=1.0 if solved else 0.5,
                agent_text=text if solved else text[:-20],
                truth_text=text,
            )
            for number in range(sample.size)
        )
        return Details(
            ids={"merge": "b" * 40, "parents": ("c" * 40, "d" * 40)},
            trees=Trees(agent="1" * 40, truth="2" * 40),
            files=(FileDetail(path="src/total.py", exact=solved, conflicts=conflicts),),
            diff="" if solved else "-a\n+b\n",
        )
    commits = tuple(
        CommitDetail(
            id=f"{number:040x}",
            message=f"Add part {number}\n",
            files=("src/total.py",),
            added=3,
            removed=1,
            patch=f"+{text}",
        )
        for number in range(sample.size)
    )
    pairs = tuple(PairDetail(agent=n + 1, truth=n + 1, similarity=0.8, at_least=0.8) for n in range(len(commits)))
    groups = tuple(LineGroup(agent=n + 1, truth=n + 1, lines=3) for n in range(len(commits)))
    histories = HistoriesDetail(
        agent=commits, truth=commits, agent_commits=len(commits), truth_commits=len(commits), pairs=pairs, groups=groups
    )
    return Details(ids={"base": "b" * 40, "newest": "c" * 40}, histories=histories)


def write_episode(paths: RunPaths, result: Result, sizes: Sizes) -> None:
    """result.json, and the conversation where there was one."""
    files = paths.episode(*result.key)
    files.folder.mkdir(parents=True)
    files.result.write_bytes(dump_json(result.model_dump(mode="json")))
    if result.status.is_answer:
        lines = conversation_lines(result, "The conflict is in total. " * (1 + sizes.text // 26))
        files.trajectory.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def conversation_lines(result: Result, text: str) -> Iterator[dict[str, Any]]:
    """A conversation of as many turns as the result says, as trajectory.jsonl has it."""
    turns = result.turns or 0
    yield {
        "kind": "episode", "time": DAY, "format": 2, "sample_id": result.sample_id, "scenario": result.scenario,
        "epoch": result.epoch, "agent": result.agent, "model": result.model,
    }  # fmt: skip
    asked = {"api": "chat", "model": result.model or "", "parameters": {"temperature": 0}, "tools": []}
    yield {"kind": "request", "time": DAY, "number": 0, "asked": asked}
    for number, role in enumerate(("system", "user")):
        yield {"kind": "message", "time": DAY, "number": number, "message": {"role": role, "content": text}}
    for turn in range(turns):
        number = 2 + 2 * turn
        arguments = json.dumps({"relative_path_from_project_root": "src/total.py", "reason": text[:80]})
        call = {"id": f"call_{turn}", "type": "function", "function": {"name": "view_file_at", "arguments": arguments}}
        yield {
            "kind": "answer", "time": DAY, "number": number, "conversation": None, "request": 0,
            "messages": [[0, number - 1]], "started": DAY, "seconds": 2.5, "attempt": 1,
            "tokens": {"prompt": 4000, "completion": 300}, "cost_usd": 0.01, "response_id": f"r{turn}",
            "model": result.model, "cached": False, "finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": text, "tool_calls": [call]},
        }  # fmt: skip
        reply = {"role": "tool", "tool_call_id": f"call_{turn}", "content": text}
        yield {"kind": "message", "time": DAY, "number": number + 1, "message": reply}
    yield {
        "kind": "end", "time": DAY, "messages": [[0, 1 + 2 * turns]], "status": result.status.value, "error": None,
        "turns": turns, "usage": vars(Usage(turns, 4000 * turns, 0, 300 * turns, 0.01 * turns)), "notes": [],
    }  # fmt: skip


def _ledger_lines(result: Result) -> Iterator[bytes]:
    episode = "/".join(map(str, result.key))
    requests = result.usage.requests or 0
    for number in range(requests):
        cost = None if result.usage.cost_usd is None else result.usage.cost_usd / requests
        request = {"request": f"{episode} {number}", "episode": episode, "role": "agent", "model": result.model}
        line = {"time": DAY, "event": "asked", **request}
        yield json.dumps(line).encode() + b"\n"
        tokens = {"prompt": 4000, "completion": 300}
        yield json.dumps(line | {"event": "answered", "cost_usd": cost, "tokens": tokens}).encode() + b"\n"
