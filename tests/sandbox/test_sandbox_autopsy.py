"""Who ended a container: the agent inside, or somebody outside."""

from __future__ import annotations

from typing import Any

import docker.errors
import pytest

from gitgoodbench.sandbox.autopsy import cause_of_death
from gitgoodbench.sandbox.base import SandboxDied, SandboxTaken
from gitgoodbench.sandbox.channel import ChannelBroken

GONE = ChannelBroken("the supervisor is gone")
LATE = ChannelBroken("no reply in time", late=True)


class FakeDaemon:
    """A container and its client: what the daemon remembers, and whether the container runs."""

    def __init__(self, actions: list[str], *, code: str = "137", running: bool = False) -> None:
        self.client = self
        self.id = "c1"
        self.status = "running"
        self._running = running
        self._events = [{"Action": action, "Actor": {"Attributes": {"exitCode": code}}} for action in actions]

    def info(self) -> dict[str, str]:
        return {"SystemTime": "2026-01-02T03:04:05.678901234Z"}

    def reload(self) -> None:
        if not self._running:
            raise docker.errors.NotFound("no such container")

    def events(self, **asked: Any) -> list[dict[str, Any]]:
        assert asked == {"since": 1, "until": 1767323046, "filters": {"container": "c1"}, "decode": True}
        return self._events


def cause(daemon: Any, broken: ChannelBroken = GONE, said: bytes = b"") -> tuple[type[SandboxDied], str]:
    death = cause_of_death(daemon, broken, said)
    return type(death), str(death)


@pytest.mark.parametrize(
    ("actions", "kind", "message"),
    [
        (["create", "start", "oom", "die", "destroy"], SandboxDied, "out of memory, and its supervisor was killed"),
        (["create", "start", "die", "destroy"], SandboxDied, "its supervisor ended with exit code 137"),
        (["create", "start", "oom", "kill", "die"], SandboxTaken, "the container was ended from outside (kill)"),
        (["start", "kill", "die", "stop"], SandboxTaken, "the container was ended from outside (kill, stop)"),
        (["start", "pause"], SandboxTaken, "the container was ended from outside (pause)"),
        ([], SandboxTaken, "the container was lost: the supervisor is gone"),
    ],
)
def test_what_the_daemon_remembers_names_the_cause(actions: list[str], kind: type[SandboxDied], message: str) -> None:
    found, said = cause(FakeDaemon(actions))

    assert (found, said.removeprefix("the sandbox was lost: ")) == (kind, message)


def test_the_last_line_of_a_supervisor_that_broke_is_shown() -> None:
    assert cause(FakeDaemon(["die"], code="1"), said=b"Traceback\nMemoryError\n") == (
        SandboxDied,
        "the sandbox was lost: its supervisor ended with exit code 1: MemoryError",
    )


def test_a_container_that_runs_but_is_silent_was_silenced_from_inside() -> None:
    assert cause(FakeDaemon(["start"], running=True), LATE) == (
        SandboxDied,
        "the sandbox was lost: no reply in time, although its container runs",
    )
    assert cause(FakeDaemon([]), LATE)[0] is SandboxTaken
