"""Read files of predictions: what is wrong with a file is refused, what is wrong with an answer is the agent's."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from gitgoodbench.agents.base import Trajectory
from gitgoodbench.errors import UserError
from gitgoodbench.models.meter import Usage
from gitgoodbench.scenario import Outcome, Prediction
from gitgoodbench.text import one_line
from gitgoodbench.workspace.prediction import Bundle, Files, FileState, Patch, Series, Step

ANSWERS: Final = ("model_patch", "files", "patches", "bundle", "outcome")
"""The fields of which a prediction has one."""


@dataclass(frozen=True)
class Line:
    """A prediction of a file. place: for messages. fields: all of it."""

    place: str
    sample_id: str
    scenario: str | None
    fields: Mapping[str, Any]

    @property
    def model(self) -> str | None:
        name = self.fields.get("model_name_or_path")
        return name if isinstance(name, str) and name else None


class Unusable(Exception):
    """A prediction that cannot be applied; the message says why."""


def read_lines(path: Path) -> list[Line]:
    """The predictions of a .jsonl file, or of a .json file with a list, or with an object by sample.

    Raises:
        UserError: it cannot be read, or is something else; the message names the line.
    """
    try:
        text = path.read_text("utf-8", "strict")
    except OSError as problem:
        raise UserError(f"{path} cannot be read: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is no UTF-8 text: {problem.reason} at byte {problem.start}") from problem
    found = [_line(path, place, value) for place, value in _values(path, text)]
    if not found:
        raise UserError(f"{path} holds no prediction")
    return found


def _values(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    if path.suffix != ".json":
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield f"line {number}", _json(path, f"line {number}", line)
        return
    whole = _json(path, "it", text)
    if isinstance(whole, dict):
        for sample_id, value in whole.items():
            fields = {"instance_id": sample_id, **value} if isinstance(value, dict) else value
            yield f"entry {sample_id!r}", fields
    elif isinstance(whole, list):
        yield from ((f"entry {number}", value) for number, value in enumerate(whole, 1))
    else:
        raise UserError(f"{path}: a file of predictions holds a list or an object, not {type(whole).__name__}")


def _json(path: Path, place: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise UserError(f"{path}: {place} is not JSON: {one_line(str(problem), 200)}") from problem


def _line(path: Path, place: str, value: Any) -> Line:
    where = f"{path}, {place}"
    if not isinstance(value, dict):
        raise UserError(f"{where}: a prediction is a JSON object, not {type(value).__name__}")
    ids = {value[name] for name in ("sample_id", "instance_id") if isinstance(value.get(name), str)}
    if len(ids) != 1:
        raise UserError(f"{where}: a prediction has a sample_id (or instance_id)")
    scenario = value.get("scenario")
    if scenario is not None and not isinstance(scenario, str):
        raise UserError(f"{where}: scenario is the name of one, such as those that gitgoodbench plugins lists")
    return Line(where, ids.pop(), scenario, value)


def prediction_of(fields: Mapping[str, Any]) -> Prediction | Outcome:
    """What a line predicts.

    Raises:
        Unusable: it cannot be told.
    """
    given = [name for name in ANSWERS if fields.get(name) is not None]
    if not given and any(name in fields for name in ANSWERS):  # SWE-bench writes null where nothing was found
        return Prediction()
    if len(given) != 1:
        have = " and ".join(given) or "none"
        raise Unusable(f"a prediction has one of {', '.join(ANSWERS[:-1])}; this one has {have}")
    name, value = given[0], fields[given[0]]
    if name == "bundle":
        return Prediction(Bundle(_bytes_of(value, "bundle", plain=False)))
    if name == "outcome":
        try:
            return Outcome.from_json(json.dumps(value))
        except UserError as problem:
            raise Unusable(str(problem)) from problem
    steps = _steps(value) if name == "patches" else (_step({**fields, "patch": value} if name[0] == "m" else fields),)
    if fields.get("committed") is not True and all(_is_empty(step) for step in steps):
        return Prediction()
    return Prediction(Series(steps))


def _is_empty(step: Step) -> bool:
    change = step.change
    return not (change.data.strip() if isinstance(change, Patch) else change.states)


def _steps(value: Any) -> tuple[Step, ...]:
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise Unusable("patches is a list of objects with a message and a patch or files")
    return tuple(_step(entry) for entry in value)


def _step(fields: Mapping[str, Any]) -> Step:
    patch, files, message = fields.get("patch"), fields.get("files"), fields.get("message")
    if (patch is None) == (files is None):
        raise Unusable("a commit has either a patch or files")
    said = None if message is None else _bytes_of(message, "message")
    if patch is not None:
        return Step(Patch(_bytes_of(patch, "a patch")), said)
    if not isinstance(files, dict):
        raise Unusable("files is an object: each path with its text, an object with base64, or null")
    return Step(Files({_encoded(path): _state(path, value) for path, value in files.items()}), said)


def _state(path: str, value: Any) -> FileState | None:
    if value is None:
        return None
    mode = value.get("mode") if isinstance(value, dict) else None
    if mode is not None and not isinstance(mode, str):
        raise Unusable(f"{one_line(path)}: a mode is text, such as '100755'")
    return FileState(_bytes_of(value, one_line(path)), mode)


def _bytes_of(value: Any, what: str, *, plain: bool = True) -> bytes:
    """The bytes that a text, or `{"base64": ...}`, stands for; not `plain`: a text is base64 as well."""
    if isinstance(value, dict):
        if isinstance(value.get("text"), str) and "base64" not in value:
            return _encoded(value["text"])
        value, plain = value.get("base64"), False
    if not isinstance(value, str):
        raise Unusable(f"{what} is neither text nor an object with base64")
    if plain:
        return _encoded(value)
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as problem:
        raise Unusable(f"{what} is not valid base64: {problem}") from problem


def _encoded(text: str) -> bytes:
    """UTF-8; lone surrogates are the bytes that `surrogateescape` makes of them, as in paths of samples."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as problem:
        raise Unusable(f"a text cannot be encoded: {problem.reason}") from problem


def trajectory_of(line: Line, outcome: Outcome) -> Trajectory | None:
    """The conversation and the usage that a line tells of; None where it tells of neither.

    Raises:
        UserError: they are not what they must be; the message names the line.
    """
    messages, told = line.fields.get("messages"), line.fields.get("usage")
    if messages is None and told is None:
        return None
    listed = isinstance(messages, list | None) and all(isinstance(one, dict) for one in messages or ())
    if not listed or not isinstance(told, dict | None):
        raise UserError(f"{line.place}: messages is a list of objects, usage an object")
    turns = sum(one.get("role") == "assistant" for one in messages or ())
    usage = _usage(line, told or {}, turns)
    return Trajectory(outcome.agent_status, tuple(messages or ()), usage, turns, outcome.agent_error)


def _usage(line: Line, told: Mapping[str, Any], turns: int) -> Usage:
    def number(name: str, kind: type[int] | type[float] = int) -> Any:
        value = told.get(name)
        if value is None:
            return None
        if not isinstance(value, int | kind) or isinstance(value, bool) or not 0 <= value < 2**53:
            raise UserError(f"{line.place}: usage.{name} is a number from 0 on, or null")
        return value

    usage = Usage(turns, number("prompt_tokens"), number("cached_tokens"), number("completion_tokens"))
    return replace(usage, requests=number("requests") or turns, cost_usd=number("cost_usd", float))
