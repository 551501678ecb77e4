"""Runs of real command-line agents: where they are kept, and the table of them at the end.

AGENTS names the agents (`make test-agents AGENTS="codex opencode"`), AGENTS_OUT the folder of the runs. What was done
with the same sources of the harness is not done again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitgoodbench.plugins import HARNESS, pin
from tests.support.rules.figures import Figures, table

ALL = ("codex", "claude-code", "mini-swe-agent", "opencode", "qwen-code", "gemini-cli", "goose")
CHOSEN = tuple(os.environ.get("AGENTS", "").split()) or ALL
OUT = Path(os.environ.get("AGENTS_OUT", ".agents"))
_TOLD: list[str] = []


@pytest.fixture(scope="session")
def out() -> Path:
    """The folder of the runs."""
    folder = OUT.resolve() / str(pin(HARNESS).source)[:12]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session", autouse=True)
def _figures(out: Path) -> Iterator[None]:
    yield
    _TOLD[:] = table([figures for agent in CHOSEN for figures in Figures.read(out, agent)])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table of what was played."""
    if _TOLD:
        terminalreporter.write_sep("=", "agents")
        for line in _TOLD:
            terminalreporter.write_line(line)
