"""Why a container's supervisor no longer answers: what the agent did to it, or what somebody else did."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from gitgoodbench.sandbox.base import SandboxDied, SandboxTaken
from gitgoodbench.sandbox.channel import ChannelBroken

if TYPE_CHECKING:
    from docker.models.containers import Container

_FROM_OUTSIDE = ("kill", "stop", "restart", "pause", "update")


def cause_of_death(container: Container, broken: ChannelBroken, said: bytes) -> SandboxDied:
    """Ask the daemon, whose memory of events outlives the container (which removes itself).

    Args:
        said: what the supervisor wrote to its standard error.

    Raises:
        one of `docker_errors`: the daemon does not answer.
    """
    if broken.late and _runs(container):
        return SandboxDied(f"the sandbox was lost: {broken}, although its container runs")
    events = _events(container)
    actions = [str(event.get("Action", "")) for event in events]
    if outside := [action for action in _FROM_OUTSIDE if action in actions]:
        return SandboxTaken(f"the container was ended from outside ({', '.join(outside)})")
    if "die" not in actions:
        return SandboxTaken(f"the container was lost: {broken}")
    if "oom" in actions:
        return SandboxDied("the sandbox was lost: out of memory, and its supervisor was killed")
    code = events[actions.index("die")].get("Actor", {}).get("Attributes", {}).get("exitCode")
    words = said.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return SandboxDied(f"the sandbox was lost: its supervisor ended with exit code {code}" + f": {words}" * bool(words))


def _runs(container: Container) -> bool:
    import docker.errors

    with contextlib.suppress(docker.errors.NotFound):
        container.reload()
        return container.status == "running"
    return False


def _events(container: Container) -> list[Mapping[str, Any]]:
    """What the daemon remembers of the container. Waits a second, in which late news come."""
    client: Any = container.client
    now = datetime.fromisoformat(client.info()["SystemTime"]).timestamp()
    return list(client.events(since=1, until=int(now) + 1, filters={"container": container.id}, decode=True))
