"""A real TensorZero, once for all tests: about ten seconds, most of them its migrations."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from tests.support.scripted_llm import Request, ScriptedServer, calls_raw, says
from tests.support.tensorzero_real import BINARIES, Clones, Postgres, RealGateway, migrate, psql
from tests.support.tensorzero_rows import TOOL, Target


@dataclass
class Real:
    """The gateway, its database, and the model that it asks."""

    gateway: RealGateway
    postgres: Postgres
    answers: list[Any]

    @property
    def url(self) -> str:
        return self.gateway.url

    def infer(self, content: str | None = None, *, said: str = "done", **others: Any) -> Target:
        """Have an inference made: a call that writes content to src/a.py, or text."""
        arguments = json.dumps({"path": "src/a.py", "content": content})
        self.answers[:] = [says(said) if content is None else calls_raw("write_file", arguments)]
        body = {
            "function_name": "coder",
            "input": {"messages": [{"role": "user", "content": "a prompt"}]},
            "additional_tools": [TOOL],
            **others,
        }
        made = requests.post(f"{self.url}/inference", json=body, timeout=60).json()
        self.wait_for(made["inference_id"])
        return Target(made["inference_id"], made["episode_id"])

    def wait_for(self, inference: str) -> None:
        """Wait until an inference is stored: that, too, happens after the answer."""
        body = {"ids": [inference]}
        for _ in range(100):
            found = requests.post(f"{self.url}/v1/inferences/get_inferences", json=body, timeout=60).json()
            if found["inferences"]:
                return
            time.sleep(0.05)
        raise AssertionError(f"{inference} was never stored")

    def rows(self, query: str) -> list[list[str]]:
        """What the database holds."""
        return psql(self.postgres.url, query)


@pytest.fixture(scope="session")
def real() -> Iterator[Real]:
    """TensorZero on this machine, with all that it stores in a folder that is removed."""
    try:
        clones = Clones.of_environment()
    except LookupError as problem:
        pytest.fail(str(problem), pytrace=False)
    if not (BINARIES / "initdb").exists():
        pytest.fail(
            f"there is no Postgres 15 in {BINARIES}: install it with pg_cron, or set TESTS_POSTGRES_BIN", pytrace=False
        )
    answers: list[Any] = []

    def script(_: Request) -> Any:
        return answers[0]

    with Postgres() as postgres:
        migrate(postgres.url, clones)
        with ScriptedServer(script) as model, RealGateway(postgres.url, model.url) as gateway:
            yield Real(gateway, postgres, answers)
