"""What goes on in a run right now, read from what its files say as it happens.

run.log says which episodes are being worked on, each trajectory.jsonl how far its agent is, ledger.jsonl what was
spent. So the process that runs and one that only looks on see the same.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from gitgoodbench.runs.account import JUDGE
from gitgoodbench.runs.paths import EpisodePaths, RunPaths
from gitgoodbench.runs.tail import Tail

ENDS = frozenset({"episode_finished", "episode_judged", "episode_given_up", "run_aborted"})


@dataclass
class Playing:
    """One episode that is being worked on. began: UTC, ISO 8601.

    turns: answers of the model. tokens: read and written, as far as the server counts them. doing: the tool that was
    called last, or what else is under way.
    """

    id: str
    began: str
    turns: int = 0
    tokens: int = 0
    doing: str = "setup"

    def seconds(self, now: datetime) -> float:
        """How long it has been worked on."""
        try:
            return max(0.0, (now - datetime.fromisoformat(self.began)).total_seconds())
        except (ValueError, TypeError):
            return 0.0

    def hear(self, line: Mapping[str, Any]) -> None:
        """A line of the episode's trajectory; those of an attempt before are passed over."""
        if str(line.get("time")) < self.began:
            return
        kind = line.get("kind")
        if kind == "answer" or (kind == "message" and _is_answer(line.get("message"))):
            self.turns += 1
            self.doing = _last_tool(line.get("message")) or "answered"
        elif kind == "message" and self.doing == "setup":
            self.doing = "prompt"
        elif kind == "fault" and isinstance(line.get("attempt"), int):
            self.doing = f"try {line['attempt'] + 1}"
        elif kind == "end":
            self.doing = "outcome"
        if kind in ("answer", "fault"):
            self.tokens += _tokens(line.get("tokens"))


@dataclass
class Spending:
    """US dollars, as far as they are known. unknown: whether some requests may have cost more."""

    agents: float = 0.0
    judges: float = 0.0
    unknown: bool = False

    @property
    def total(self) -> float:
        return self.agents + self.judges

    def hear(self, line: Mapping[str, Any]) -> None:
        """A line of the ledger."""
        cost = line.get("cost_usd")
        if not isinstance(cost, int | float):
            self.unknown = self.unknown or line.get("event") in ("answered", "lost", "unreadable", "reported")
        elif line.get("role") == JUDGE:
            self.judges += cost
        else:
            self.agents += cost


@dataclass
class _Followed:
    playing: Playing
    trajectory: Tail


@dataclass
class Activity:
    """Of one run, from now on; what was spent, from its beginning. `look` brings it up to date; any thread may.

    Between an episode's last word and its result, it is being scored, and judged where it needs a judge.
    """

    paths: RunPaths
    spending: Spending = field(default_factory=Spending)
    _watched: dict[str, _Followed] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._log = Tail(self.paths.log, at_end=True)
        self._ledger = Tail(self.paths.ledger)

    def look(self) -> list[Playing]:
        """The episodes that are being worked on, the oldest first."""
        with self._lock:
            for event in self._log.lines():
                self._enter(event)
            for watched in self._watched.values():
                for line in watched.trajectory.lines():
                    watched.playing.hear(line)
            for line in self._ledger.lines():
                self.spending.hear(line)
                self._enter_judging(line)
            return [watched.playing for watched in self._watched.values()]

    def _enter(self, event: Mapping[str, Any]) -> None:
        episode, kind = event.get("episode"), event.get("event")
        if not isinstance(episode, str):
            return
        if kind == "episode_started":
            files = paths_of(self.paths, episode)
            if files is not None:
                began = str(event.get("time"))
                self._watched[episode] = _Followed(Playing(episode, began), Tail(files.trajectory))
        elif kind == "outcome_saved" and episode in self._watched:
            self._watched[episode].playing.doing = "scoring"
        elif kind in ENDS:
            self._watched.pop(episode, None)

    def _enter_judging(self, line: Mapping[str, Any]) -> None:
        watched = self._watched.get(str(line.get("episode")))
        if watched is not None and line.get("role") == JUDGE and line.get("event") == "asked":
            watched.playing.doing = "judging"


class Watched(Protocol):
    """What goes on in one run, or in several."""

    @property
    def spending(self) -> Spending: ...

    def look(self) -> list[Playing]:
        """The episodes that are being worked on, the oldest first."""
        ...


@dataclass(frozen=True)
class Activities:
    """Of several runs at once, by a name of each, which stands behind the ids of its episodes."""

    runs: Mapping[str, Activity]

    @property
    def spending(self) -> Spending:
        every = [activity.spending for activity in self.runs.values()]
        return Spending(
            sum(one.agents for one in every), sum(one.judges for one in every), any(one.unknown for one in every)
        )

    def look(self) -> list[Playing]:
        """See `Watched`."""
        found = [replace(one, id=f"{one.id} {name}") for name, activity in self.runs.items() for one in activity.look()]
        return sorted(found, key=lambda one: one.began)


def paths_of(paths: RunPaths, episode: str) -> EpisodePaths | None:
    """The files of an episode by its id; None where that is no id."""
    scenario, _, rest = episode.partition("/")
    sample, _, epoch = rest.rpartition("/")
    if not scenario or not sample or not epoch.isdecimal():
        return None
    return paths.episode(scenario, sample, int(epoch))


def _tokens(counts: Any) -> int:
    if not isinstance(counts, Mapping):
        return 0
    return sum(count for name in ("prompt", "completion") if isinstance(count := counts.get(name), int))


def _is_answer(message: Any) -> bool:
    """Whether it is the assistant's: so do agents that ask no model here tell of their turns."""
    return isinstance(message, Mapping) and message.get("role") == "assistant"


def _last_tool(message: Any) -> str | None:
    """The name of the last tool that a message calls."""
    calls = message.get("tool_calls") if isinstance(message, Mapping) else None
    try:
        return str(calls[-1]["function"]["name"]) if calls else None
    except (KeyError, TypeError, IndexError):
        return None
