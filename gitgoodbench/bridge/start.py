"""Starting a relay in a sandbox."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from gitgoodbench.bridge.mux import Mux, Serve
from gitgoodbench.errors import UserError
from gitgoodbench.sandbox.base import Accompanied, Sandbox
from gitgoodbench.sandbox.travelling import program, sources_of, waiting_argv

PORT: Final = 8099
"""On the loopback of a sandbox, which nothing else uses: addresses in prompts and logs are the same every time."""


def relay_program(port: int) -> bytes:
    """What a relay that waits (`waiting_argv`) reads first."""
    return program(sources_of(str(__package__), ("frames", "relay")), {"port": port})


def open_relay(sandbox: Sandbox, serve: Serve, lost: Callable[[str], None] = lambda _: None) -> Mux:
    """Start a relay in a sandbox and serve what connects to it; before any command runs there.

    Raises:
        UserError: the sandbox contains nothing. A program there has this machine's network: the bridge would be one way
            out among many, and its account of what was asked a fiction.
        InfrastructureFailed: it does not start.
    """
    if not (sandbox.isolated and isinstance(sandbox, Accompanied)):
        raise UserError(
            f"programs of their own are not let into a sandbox of kind {sandbox.kind}, which does not contain them: "
            "use --sandbox docker"
        )
    stream = sandbox.accompany(waiting_argv("python3"))
    stream.sendall(relay_program(PORT))
    return Mux(stream, serve, lost)
