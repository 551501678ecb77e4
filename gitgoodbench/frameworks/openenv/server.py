"""The server: HTTP and WebSocket, many environments at once over one bench."""

from __future__ import annotations

from typing import Any

import uvicorn
from openenv.core.env_server.http_server import create_fastapi_app

from gitgoodbench.api.bench import Bench
from gitgoodbench.frameworks.openenv.environment import GitEnvironment
from gitgoodbench.frameworks.openenv.records import GitAction, GitObservation, GitState
from gitgoodbench.frameworks.settings import BenchSettings


def app_of(bench: Bench, max_open: int) -> Any:
    """The application, for any ASGI server. Routes are OpenEnv's: `/ws`, `/health`, `/schema`, `/metadata`, ..."""
    return create_fastapi_app(
        lambda: GitEnvironment(bench), GitAction, GitObservation,
        max_concurrent_envs=max_open, env_name="gitgoodbench", state_cls=GitState,
    )  # fmt: skip


def serve(settings: BenchSettings, host: str, port: int) -> None:
    """Serve until interrupted; what scores is ready when the first connection is taken."""
    with settings.bench() as bench:
        bench.warm_up()
        uvicorn.run(app_of(bench, settings.max_open), host=host, port=port, log_level="warning")
