"""The JSON schemas: shipped as generated, and true of every file of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gitgoodbench.cli import run
from gitgoodbench.reporting.schemas import SCHEMAS, generated, shipped
from gitgoodbench.runs.episode import run_episode
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.plan import plan_episodes
from gitgoodbench.scoring.judge.votes import Vote
from tests.support.fake_judging import FakeJudge, FakeJudgedScenario, judged_context, opinion
from tests.support.fake_runs import make_result, make_samples


def check(name: str, value: Any) -> None:
    jsonschema.Draft202012Validator(json.loads(shipped(name))).validate(value)


@pytest.mark.parametrize("name", list(SCHEMAS))
def test_what_is_shipped_is_what_the_types_say(name: str) -> None:
    assert shipped(name) == generated(name), "python -m gitgoodbench.reporting.schemas writes them anew"
    jsonschema.Draft202012Validator.check_schema(json.loads(shipped(name)))


def files_of(folder: Path) -> Iterator[tuple[str, Path]]:
    paths = RunPaths(folder)
    yield from (("manifest", paths.manifest), ("summary", paths.summary_json))
    for result in paths.result_files():
        yield "result", result


def test_every_file_of_a_real_run_is_as_its_schema_says(tmp_path: Path) -> None:
    flags = ["--sample", "mini_cairn_*_0000", "--sandbox", "local", "--out", str(tmp_path), "--run-id", "r"]
    assert run(["eval", "mini", "--agent", "ours", "--agent", "squash-all", *flags]) == 0
    seen = set()
    for agent in ("ours", "squash-all"):
        folder = tmp_path / f"r-{agent}"
        for name, path in files_of(folder):
            seen.add(name)
            check(name, json.loads(path.read_bytes()))
        for line in RunPaths(folder).log.read_text().splitlines():
            check("run-log", json.loads(line))
        for path in folder.glob("samples/*/*/*/trajectory.jsonl"):
            for line in path.read_text("utf-8").splitlines():
                seen.add("trajectory")
                check("trajectory", json.loads(line))
        details = [json.loads(path.read_bytes())["details"] for path in RunPaths(folder).result_files()]
        assert details
        for detail in details:
            check("details", detail)
    assert seen == {"manifest", "summary", "result", "trajectory"}


def test_what_judges_were_asked_is_as_its_schema_says(tmp_path: Path) -> None:
    context = judged_context(tmp_path, FakeJudge(lambda: opinion(Vote.WIN)))
    planned = plan_episodes(make_samples(1), {"ir": FakeJudgedScenario()}, 1)[0]
    run_episode(planned, context)
    files = planned.paths(context.paths)
    check("judge-prompts", json.loads(files.judge_prompts.read_bytes()))
    check("result", json.loads(files.result.read_bytes()))


def test_a_schema_says_what_is_wrong() -> None:
    result = json.loads(make_result().model_dump_json())
    check("result", result)
    with pytest.raises(jsonschema.ValidationError, match="'wonderful' is not one of"):
        check("result", {**result, "status": "wonderful"})


def test_schemas_are_printed_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "details"]) == 0
    assert capsys.readouterr().out == generated("details")
    assert run(["schema"]) == 0
    assert capsys.readouterr().out.split() == list(SCHEMAS)
    assert run(["schema", "frob"]) == 2
    assert "there is no schema 'frob'" in capsys.readouterr().err
