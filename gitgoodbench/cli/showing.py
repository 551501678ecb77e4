"""What `gitgoodbench show` does after its arguments are read."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gitgoodbench.cli.running import find_run
from gitgoodbench.errors import UserError
from gitgoodbench.reporting.conversation import Conversation
from gitgoodbench.reporting.episode import episode_lines, list_lines
from gitgoodbench.reporting.money import account_line
from gitgoodbench.reporting.summary import account_of
from gitgoodbench.reporting.wrapping import wrap_indented
from gitgoodbench.runs.damage import damaged_results
from gitgoodbench.runs.paths import EpisodePaths, RunPaths
from gitgoodbench.runs.result import Damaged, Result, examine, read_result
from gitgoodbench.runs.tail import Tail
from gitgoodbench.runs.trajectories import read_conversation
from gitgoodbench.runs.underway import Begun, UnderWay, begun_of
from gitgoodbench.text import on_one_line

_LOOK_EVERY_S = 0.5
_ASK_WHO_WORKS_EVERY = 6
"""Looks; who holds a run is asked rarely, and only where nothing else is heard of it."""


def show_run(run: str, sample: str | None, *, follow: bool = False, full: bool = False) -> int:
    """Print the list of a run's episodes, or those of one sample; returns the exit code.

    Args:
        follow: go on while they are being worked on.
        full: long texts of the conversation whole.

    Raises:
        UserError: there is no such run, or no episode of that sample in it.
    """
    paths = _paths(run)
    for damage in damaged_results(paths):
        sys.stderr.write(f"{on_one_line(str(damage))}\n")
    if sample is None:
        return _list(paths, follow=follow)
    under_way = UnderWay(paths)
    begun = _begun(paths, sample, under_way, follow=follow)
    if not begun:
        raise _unknown(run, sample, paths)
    for number, episode in enumerate(begun):
        _print([""] if number else [])
        _show(episode, paths, under_way, follow=follow, full=full)
    return 0


def show_run_as_json(run: str, sample: str | None) -> int:
    """Print the episodes of a sample as a JSON list; returns the exit code.

    Each has `episode`, its `result` (null without one), and its `conversation`: `messages`, `ending`, and `asides`, the
    conversations of sub-agents (null where nothing was said).

    Raises:
        UserError: no sample is named, there is no such run, or no episode of that sample in it.
    """
    if sample is None:
        raise UserError(f"--json shows the episodes of one sample: gitgoodbench show {run} SAMPLE --json")
    paths = _paths(run)
    begun = begun_of(paths, sample)
    if not begun:
        raise _unknown(run, sample, paths)
    json.dump([_as_json(episode) for episode in begun], sys.stdout, indent=2)
    sys.stdout.write("\n")
    return 0


def _as_json(episode: Begun) -> dict[str, Any]:
    result = read_result(episode.files.result)
    said = read_conversation(episode.files)
    conversation = said and {
        "messages": said.messages,
        "ending": said.ending,
        "asides": [{"name": one.name, "call": one.call, "messages": one.messages} for one in said.asides],
    }
    return {
        "episode": episode.id,
        "result": None if result is None else result.model_dump(mode="json"),
        "conversation": conversation,
    }


def _paths(run: str) -> RunPaths:
    return find_run(run) if not (Path(run) / "samples").is_dir() else RunPaths(Path(run))


def _unknown(run: str, sample: str, paths: RunPaths) -> UserError:
    return UserError(
        f"no episode of run {paths.folder} is of sample {on_one_line(sample)}: `gitgoodbench show {run}` lists them"
    )


def _list(paths: RunPaths, *, follow: bool) -> int:
    """A line for each finished episode, and for those that are under way."""
    under_way = UnderWay(paths)
    shown: dict[Path, int] = {}
    while True:
        running = under_way.episodes()
        worker = under_way.worker()
        for path in paths.result_files():
            written = path.stat().st_mtime_ns
            if shown.get(path) != written and (result := read_result(path)) is not None:
                shown[path] = written
                _print(list_lines([result]))
        if worker is None or not follow:
            break
        time.sleep(_LOOK_EVERY_S * _ASK_WHO_WORKS_EVERY)
    _print(on_one_line(f"{episode}  {'running' if worker else 'broken off'}") for episode in sorted(running))
    line = account_line(account_of(paths))
    _print([] if line is None else [line])
    return 0


def _begun(paths: RunPaths, sample: str, under_way: UnderWay, *, follow: bool) -> list[Begun]:
    """The episodes of the sample; to be followed, they may begin later."""
    while not (begun := begun_of(paths, sample)) and follow and under_way.worker() is not None:
        time.sleep(_LOOK_EVERY_S * _ASK_WHO_WORKS_EVERY)
    return begun


def _show(episode: Begun, paths: RunPaths, under_way: UnderWay, *, follow: bool, full: bool) -> None:
    """The conversation, and below it the result: how it ended, why it is not solved, what was made beside the truth."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    said = read_conversation(episode.files)
    conversation = Conversation(width=width, full=full, main=None if said is None else said.name)
    _print([on_one_line(episode.id), ""])
    for line in _said(episode, under_way, follow=follow):
        _print(conversation.lines(line))
        sys.stdout.flush()
    for message in _former_messages(episode.files):
        _print(conversation.message(message))
    result = examine(episode.files.result)
    if isinstance(result, Result) and episode.id not in under_way.episodes():
        for text in episode_lines(result, account_of(paths)):
            _print(wrap_indented(text, width))
    else:
        _print([_why_no_result(result, episode, under_way)])
    if logs := episode.files.own_logs():
        _print(["", "the agent's own log", *(on_one_line(f"  {episode.files.folder / log}") for log in logs)])


def _said(episode: Begun, under_way: UnderWay, *, follow: bool) -> Iterator[dict[str, Any]]:
    """The lines of the trajectory; to be followed, until its episode has ended."""
    tail = Tail(episode.files.trajectory)
    quiet = 0
    while True:
        over = not follow or episode.id not in under_way.episodes()
        heard = False
        for line in tail.lines():
            heard = True
            yield line
        if over:
            return
        quiet = 0 if heard else quiet + 1
        if quiet and quiet % _ASK_WHO_WORKS_EVERY == 0 and under_way.worker() is None:
            return
        time.sleep(_LOOK_EVERY_S)


def _former_messages(files: EpisodePaths) -> list[Any]:
    """Of a run from before trajectories were written turn by turn."""
    try:
        messages = json.loads(files.former_trajectory.read_bytes())["messages"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
    return messages if isinstance(messages, list) else []


def _why_no_result(result: Result | Damaged | None, episode: Begun, under_way: UnderWay) -> str:
    worker = under_way.worker()
    if worker is not None and episode.id in under_way.episodes():
        return f"not finished: {worker} is working on it (--follow)"
    if isinstance(result, Damaged):
        return on_one_line(f"no result: {result}; gitgoodbench resume makes it again")
    return "no result: the episode was broken off; gitgoodbench resume plays it again"


def _print(lines: Iterable[str]) -> None:
    """Bytes that the terminal's encoding lacks appear as escapes."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        sys.stdout.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
