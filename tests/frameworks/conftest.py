"""What every framework is asked, and what `eval` says of it: played once for all tests of a process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from gitgoodbench import Run
from tests.support.scripted_answers import Answers, answers_of, run_of_eval


@dataclass(frozen=True)
class Asked:
    """Answers for some tasks of a scenario, and the run that `eval` makes of them."""

    answers: Answers
    run: Run


Asking = Callable[..., Asked]


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asking:
    """By scenario; `tools` and `sandbox` as `evaluate` takes them."""

    @cache
    def ask(scenario: str, **fields: Any) -> Asked:
        folder = tmp_path_factory.mktemp(scenario)
        answers = answers_of(scenario, folder, **fields)
        return Asked(answers, run_of_eval(answers, scenario, folder, **fields))

    return ask
