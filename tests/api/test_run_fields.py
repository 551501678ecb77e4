"""What a type checker sees of `evaluate`'s keywords: the fields of a run, and nothing else."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import mypy.api
import pytest

from gitgoodbench import UserError, evaluate
from gitgoodbench.api.fields import RunFields
from gitgoodbench.runs.config import RunConfig
from tests.support.project import ROOT
from tests.support.run_fields import MODULE, generated

SCRIPT = """\
from pathlib import Path

from gitgoodbench import Run, Session, evaluate
from gitgoodbench.tools import ToolSet


def agent(session: Session) -> None: ...


run: Run = evaluate("mini", agent, scenario="mcr", sample=["a", "b"], limit=3, tools="shell", repos=Path("here"))
run = evaluate("mini", agent="oracle", out="results", run_id="one", jobs=2, tools=ToolSet.EXTENDED, judge="none")
evaluate("mini", sceanrio="mcr")
evaluate("mini", limit="3")
evaluate("mini", tools="shel")
evaluate("mini", 3)
"""


def test_the_keywords_are_the_fields_of_a_run() -> None:
    assert MODULE.read_text("utf-8") == generated(), "python -m tests.support.run_fields writes them anew"
    own = [name for name, part in inspect.signature(evaluate).parameters.items() if part.kind is not part.VAR_KEYWORD]
    assert sorted([*own, *RunFields.__annotations__]) == sorted(
        ["events", "otel", "out", "run_id", *RunConfig.model_fields]
    )


def test_a_keyword_that_is_none_is_refused_when_it_is_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^--sceanrio mcr: extra inputs are not permitted$"):
        evaluate("mini", agent="oracle", out=tmp_path, sceanrio="mcr")  # type: ignore[call-arg]


@pytest.mark.project
def test_a_type_checker_sees_wrong_names_and_types_in_a_users_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    (tmp_path / "script.py").write_text(SCRIPT)
    report, _, _ = mypy.api.run(["--strict", "--no-error-summary", str(tmp_path / "script.py")])
    found = [
        re.sub(r'.*script\.py:(\d+): error: (.*?) (to|for) "evaluate".*', r"\1 \2", line)
        for line in report.splitlines()
        if ": error:" in line
    ]
    assert found == [
        '12 Unexpected keyword argument "sceanrio"',
        '13 Argument "limit"',
        '14 Argument "tools"',
        "15 Argument 2",
    ]
