"""What a page shows of one episode, as JSON: what the files of the run hold, and what is said about it."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from gitgoodbench.details import Details
from gitgoodbench.git.paths import show_path
from gitgoodbench.reporting.money import episode_costs
from gitgoodbench.reporting.pages.episode.again import command, commit_links
from gitgoodbench.reporting.pages.episode.sentence import sentence
from gitgoodbench.reporting.pages.episode.trees import ALONE, TreeLimits, may_have_trees, trees_record
from gitgoodbench.reporting.pages.episode.turns import conversation_record
from gitgoodbench.reporting.pages.shown import Shown
from gitgoodbench.reporting.why import reasons
from gitgoodbench.runs.paths import EpisodePaths
from gitgoodbench.runs.result import Result, dump_json
from gitgoodbench.runs.trajectories import earlier_conversations
from gitgoodbench.stories.suite import repository_names

JsonObject = dict[str, Any]


def episode_record(shown: Shown, result: Result) -> JsonObject:
    """The episode.

    key: its name in addresses. raw: result.json, letter by letter. details: details.json, where it has more than the
    result. sentence, reasons: why it counts as it does. links: commits of the sample. command: plays it again; None
    where none does. logs: the agent's own, by their paths in the episode's folder. earlier: conversations of attempts
    before. prompts: what judges were asked. trees: whether there is a file with syntax trees.
    """
    files = shown.paths.episode(*result.key)
    manifest, details = shown.run.manifest, full_details(files, result)
    conversation = shown.run.conversation(result)
    is_played = manifest.command[:1] != ("gitgoodbench.evaluate",) and not shown.paths.predictions.exists()
    published = None if result.name in repository_names() else result.name
    return {
        "key": shown.key(result),
        "raw": _raw(files.result, result),
        "details": _beside(files),
        "sentence": sentence(result),
        "reasons": list(reasons(result)),
        "costs": episode_costs(result, shown.account),
        "links": commit_links(details, published) if details is not None else {},
        "command": command(manifest, result) if is_played else None,
        "logs": [show_path(os.fsencode(name)) for name in files.own_logs()],
        "conversation": None if conversation is None else conversation_record(conversation),
        "earlier": [conversation_record(earlier) for earlier in earlier_conversations(files)],
        "prompts": _json(files.judge_prompts),
        "trees": details is not None and may_have_trees(details),
    }


def episode_trees(shown: Shown, result: Result, limits: TreeLimits = ALONE) -> JsonObject | None:
    """Syntax trees of what differs in the episode; None where nothing does that could be compared."""
    details = full_details(shown.paths.episode(*result.key), result)
    return trees_record(details, limits) if details is not None and may_have_trees(details) else None


def full_details(files: EpisodePaths, result: Result) -> Details | None:
    """The details at the greatest length that is kept."""
    beside = _beside(files)
    if beside is not None:
        with contextlib.suppress(ValueError):
            return Details.model_validate(beside)
    return result.details


def _beside(files: EpisodePaths) -> JsonObject | None:
    found = _json(files.details)
    return found if isinstance(found, dict) else None


def _raw(path: Path, result: Result) -> str:
    try:
        return path.read_bytes().decode("utf-8", "backslashreplace")
    except OSError:
        return dump_json(result.model_dump(mode="json")).decode("ascii")


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
