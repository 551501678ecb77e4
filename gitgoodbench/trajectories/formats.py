"""What trainers read. Sources: OpenAI's fine-tuning guide, TRL's and LLaMA-Factory's documentation of datasets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from gitgoodbench.errors import UserError
from gitgoodbench.models.messages import Message
from gitgoodbench.trajectories.choosing import Pair
from gitgoodbench.trajectories.messages import well_formed
from gitgoodbench.trajectories.rows import Row

Record = dict[str, Any]

_MARKS: Final = re.compile(r"</?(?:think|tool_call)>")


def openai(row: Row) -> Record:
    """OpenAI fine-tuning: `messages` that end on the assistant, `tools`, `parallel_tool_calls`.

    Nothing else: the service refuses fields that it does not know, so metadata lies in a file beside.
    """
    messages = [_without(message, "reasoning_content") for message in _to_last_answer(row.messages)]
    if not row.tools:  # the service refuses an empty list
        return {"messages": messages}
    parallel = any(len(message.get("tool_calls") or ()) > 1 for message in messages)
    return {"messages": messages, "tools": list(row.tools), "parallel_tool_calls": parallel}


def trl(row: Row) -> Record:
    """TRL, conversational: `prompt` and `completion`, `tools`.

    Chat templates print arguments themselves, so these are objects. A call's id stays, since some templates need it.
    """
    messages = [_with_objects(message) for message in _to_last_answer(row.messages)]
    return {"prompt": messages[: row.start], "completion": messages[row.start :], "tools": list(row.tools)}


def trl_pair(pair: Pair) -> Record:
    """TRL, preference: `prompt`, `chosen` and `rejected`, `tools`."""
    better, worse = trl(pair.better), trl(pair.worse)
    return {
        "prompt": better["prompt"],
        "chosen": better["completion"],
        "rejected": worse["completion"],
        "tools": better["tools"],
    }


def sharegpt(row: Row) -> Record:
    """ShareGPT with tools, as LLaMA-Factory reads it: `conversations`, `system`, `tools` (JSON).

    human and observation stand at odd places, gpt and function_call at even ones. Results of parallel calls are one
    observation, a list. Reasoning stands between the marks of a thought; beside a call text does, too: LLaMA-Factory
    takes it nowhere else in such a turn.
    """
    system = "\n\n".join(message["content"] for message in row.messages if message["role"] == "system")
    turns: list[dict[str, str]] = []
    for sender, messages in _runs([one for one in _to_last_answer(row.messages) if one["role"] != "system"]):
        turns.append({"from": sender, "value": _VALUES[sender](messages)})
    return {"conversations": turns, "system": system, "tools": _dump([tool["function"] for tool in row.tools])}


def _runs(messages: Sequence[Message]) -> list[tuple[str, list[Message]]]:
    """Messages that follow one another from the same side, as one turn each; results and reminders are one side."""
    runs: list[tuple[str, list[Message]]] = []
    for message in messages:
        own = message["role"] == "assistant"
        if runs and (runs[-1][0] in ("gpt", "function_call")) == own:
            runs[-1][1].append(message)
        else:
            runs.append(("gpt" if own else "human", [message]))
    return [(_sender(sender, group), group) for sender, group in runs]


def _sender(sender: str, group: Sequence[Message]) -> str:
    if sender == "gpt":
        return "function_call" if any(one.get("tool_calls") for one in group) else "gpt"
    return "observation" if any(one["role"] == "tool" for one in group) else "human"


def _texts(messages: Sequence[Message]) -> str:
    return "\n\n".join(one["content"] for one in messages if one.get("content"))


def _calls(messages: Sequence[Message]) -> str:
    calls = [
        {"name": call["function"]["name"], "arguments": _arguments(call["function"]["arguments"])}
        for one in messages
        for call in one.get("tool_calls") or ()
    ]
    called = _MARKS.sub(_escaped, _dump(calls[0] if len(calls) == 1 else calls))
    return _thought([text for one in messages for text in (one.get("reasoning_content"), one.get("content"))]) + called


def _escaped(mark: re.Match[str]) -> str:
    """A mark inside of JSON, where it can only be text."""
    return mark[0].replace("<", "\\u003c")


def _answer(messages: Sequence[Message]) -> str:
    return _thought([one.get("reasoning_content") for one in messages]) + _MARKS.sub("", _texts(messages))


def _thought(texts: Iterable[str | None]) -> str:
    """Texts as a thought. The marks that LLaMA-Factory looks for stand around it alone."""
    text = _MARKS.sub("", "\n\n".join(filter(None, texts)))
    return f"<think>\n{text}\n</think>\n\n" if text else ""


def _results(messages: Sequence[Message]) -> str:
    results = [one["content"] for one in messages if one["role"] == "tool"]
    reminders = _texts([one for one in messages if one["role"] != "tool"])
    value = results[0] if len(results) == 1 else _dump(results)
    return f"{value}\n\n{reminders}" if reminders else value


_VALUES: Final[Mapping[str, Callable[[Sequence[Message]], str]]] = {
    "human": _texts,
    "observation": _results,
    "gpt": _answer,
    "function_call": _calls,
}


def _to_last_answer(messages: Sequence[Message]) -> list[Message]:
    """Up to the model's last answer whose calls, if it made any, need no result to make sense of."""
    last = max(at for at, message in enumerate(messages) if message["role"] == "assistant")
    return [dict(message) for message in messages[: last + 1]]


def _with_objects(message: Message) -> Message:
    if not message.get("tool_calls"):
        return message
    calls = [
        {**call, "function": {**call["function"], "arguments": _arguments(call["function"]["arguments"])}}
        for call in message["tool_calls"]
    ]
    return {**message, "content": message.get("content") or "", "tool_calls": calls}


def _arguments(text: str) -> Any:
    """Arguments as an object. The harness records nothing else as a call (`models.messages.recorded_call`)."""
    return well_formed(json.loads(text)) if text.strip() else {}


def _without(message: Message, *names: str) -> Message:
    return {name: value for name, value in message.items() if name not in names}


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def atif(row: Row) -> Record:
    """ATIF 1.8 through the package `atif`; the reward, which it has no field for, is in `final_metrics.extra`.

    Raises:
        UserError: the package is not installed.
    """
    try:
        from gitgoodbench.trajectories.atif_format import trajectory_of
    except ImportError as problem:
        raise UserError(
            "--format atif needs the package atif: run `pip install 'gitgoodbench[trajectories]'`"
        ) from problem
    return trajectory_of(row)
