"""A model for the programs in one sandbox, while a block lasts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gitgoodbench.bridge.endpoint import ModelEndpoint
from gitgoodbench.bridge.start import open_relay
from gitgoodbench.bridge.upstream import Upstream
from gitgoodbench.models.meter import Meter
from gitgoodbench.sandbox.base import Interruptible, Sandbox


@dataclass(frozen=True)
class Bridge:
    """address: of the bridge, as programs in the sandbox see it. endpoint: what was asked, and why it ended."""

    address: str
    endpoint: ModelEndpoint

    def base_url(self, api: str) -> str:
        """What clients of the API take for its base URL: those of Anthropic and Google add the version themselves."""
        return self.address if api in ("anthropic", "google") else f"{self.address}/v1"


@contextlib.contextmanager
def bridged(sandbox: Sandbox, upstreams: Sequence[Upstream], meter: Meter) -> Iterator[Bridge]:
    """Let programs in the sandbox reach models, within what the meter allows, on record with this thread's recorder.

    What cannot go on (a limit, a broken provider, a lost relay) interrupts the command that runs, and is the endpoint's
    `ending`.

    Raises:
        UserError: the sandbox contains nothing (`open_relay`).
        InfrastructureFailed: the relay does not start.
    """

    def interrupt() -> None:
        if isinstance(sandbox, Interruptible):
            sandbox.interrupt()

    endpoint = ModelEndpoint(upstreams, meter, interrupt)
    with open_relay(sandbox, endpoint.serve, endpoint.lose) as mux:
        try:
            yield Bridge(f"http://127.0.0.1:{mux.port}", endpoint)
        finally:
            endpoint.close()
