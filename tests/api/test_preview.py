"""Previews tell, without a sandbox, what an agent will be given."""

from __future__ import annotations

import pytest

from gitgoodbench import Bench, tool_schemas
from gitgoodbench.sandbox.local import LocalProvider
from tests.support.leftovers import leftovers


@pytest.mark.parametrize("tools", ["published", "extended"])
def test_a_preview_is_what_the_session_gives(tools: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench("mini", tools=tools, sandbox="local", offline=True)  # type: ignore[arg-type]
    chosen = [next(task for task in bench.tasks if task.scenario == name) for name in ("mcr", "ir", "icc")]
    given = []
    for task in chosen:
        with bench.open(task) as session:
            given.append((session.prompt, session.tools, session.facts))
    monkeypatch.setattr(LocalProvider, "open", None)
    previews = [bench.preview(task) for task in chosen]
    assert [(list(each.prompt), list(each.tools), dict(each.facts)) for each in previews] == given
    for task, preview in zip(chosen, previews, strict=True):
        schemas = tool_schemas(task.scenario, tools)  # type: ignore[arg-type]
        assert [schema for schema in schemas if schema in preview.tools] == list(preview.tools)


def test_a_shell_is_previewed_without_docker(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench("mini", sandbox="local", offline=True)
    options = bench._config.options
    monkeypatch.setattr(LocalProvider, "open", None)
    from dataclasses import replace

    from gitgoodbench.scenario import PreviewingScenario, ToolSet

    for task in [next(task for task in bench.tasks if task.scenario == name) for name in ("mcr", "ir", "icc")]:
        scenario = bench._scenario(task)
        assert isinstance(scenario, PreviewingScenario)
        preview = scenario.preview(task.sample, bench._store, replace(options, tool_set=ToolSet.SHELL))
        assert [tool["function"]["name"] for tool in preview.tools] == ["run_command", "finish"]


def test_a_scenario_that_cannot_preview_is_opened_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench("mini", scenario="ir", sandbox="local", offline=True)
    task = bench.tasks[0]
    told = bench.preview(task)
    before = leftovers()
    monkeypatch.setattr("gitgoodbench.api.bench.load_scenarios", lambda: {"ir": object()})
    preview = bench.preview(task)
    assert (list(preview.prompt), list(preview.tools)) == (list(told.prompt), list(told.tools))
    bench.close()
    assert leftovers() == before
