"""The manifest: what it pins, what a run may not change, and that no secret gets into it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.dataset.loaders import Suite
from gitgoodbench.errors import UserError
from gitgoodbench.plugins import SCENARIOS, Plugin, plugins
from gitgoodbench.runs.config import RunConfig, make_config
from gitgoodbench.runs.manifest import Manifest, differences, make_manifest, read_manifest, write_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.plan import plan_episodes
from gitgoodbench.runs.redact import redact_command, redact_url
from gitgoodbench.runs.session import stored_config
from tests.support.fake_runs import FakeScenario, make_samples

SANDBOX = {"kind": "docker", "image": "i:latest", "image_id": "sha256:aa", "git": "git version 2.39.5", "docker": "20"}


def make(
    config: RunConfig | None = None,
    *,
    samples: int = 3,
    sandbox: dict[str, str] | None = None,
    plugins: Sequence[Plugin] = (),
) -> Manifest:
    suite = Suite("lite", tuple(make_samples(samples)), "JetBrains/git_good_bench-lite", "0" * 40)
    return make_manifest(
        run_id="r",
        config=config or make_config(suite="lite", agent="openai", model="gpt-4o"),
        suite=suite,
        planned=plan_episodes(suite.samples, {"mcr": FakeScenario()}, 1),
        scenarios={"mcr": "f" * 64},
        plugins=plugins,
        agent={"name": "openai", "model": "gpt-4o"},
        sandbox=sandbox or SANDBOX,
        command=("gitgoodbench", "eval", "lite"),
    )


def test_a_manifest_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    paths = RunPaths(tmp_path)
    manifest = make()
    write_manifest(paths, manifest)
    assert read_manifest(paths) == manifest
    written = json.loads(paths.manifest.read_bytes())
    assert written["suite"]["spec"] == f"hf:JetBrains/git_good_bench-lite@{'0' * 40}"
    assert written["plan"]["episodes"] == 3
    assert written["host"]["git"].startswith("2.")
    assert {"joblib", "openai", "pydantic"} <= set(written["host"]["packages"])


def test_the_same_configuration_may_carry_on_with_other_jobs_costs_and_repositories() -> None:
    base = make_config(suite="lite", jobs=2)
    other = make_config(
        suite="lite", jobs=8, max_cost=5.0, repos="/elsewhere", offline=True, base_url="http://localhost:1/v1",
        request_timeout=60.0, max_connections=2, header="X-Team: a",
    )  # fmt: skip
    assert differences(make(base), make(other)) == []


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"temperature": 0.7}, "--temperature: 0.0, now 0.7"),
        ({"max_turns": 10}, "--max-turns: 50, now 10"),
        ({"tools": "extended"}, "--tools: published, now extended"),
        ({"history": 5}, "--history: none, now 5"),
        ({"api": "responses"}, "--api: chat, now responses"),
    ],
)
def test_a_changed_flag_is_shown_with_both_values(changed: dict[str, Any], shown: str) -> None:
    assert differences(make(make_config(suite="lite")), make(make_config(suite="lite", **changed))) == [shown]


def test_another_suite_image_or_git_is_shown() -> None:
    now = make(samples=2, sandbox={**SANDBOX, "image_id": "sha256:bb", "git": "git version 2.47.1"})
    names = [difference.split(":")[0] for difference in differences(make(), now)]
    assert names == ["episodes planned", "sandbox git", "sandbox image_id", "suite fingerprint"]


def test_the_name_of_an_image_and_the_version_of_docker_decide_nothing() -> None:
    assert differences(make(), make(sandbox={**SANDBOX, "image": "renamed", "docker": "27"})) == []


def test_an_image_may_be_named_otherwise_and_a_manifest_of_before_has_it_as_a_field() -> None:
    """Format 1 had `image` in the configuration, null where none was named, and the id in `sandbox` as today."""
    named = make(make_config(suite="lite", opt="docker.image=mine:1"))
    assert differences(make(), named) == differences(named, make(make_config(suite="lite"))) == []
    for image, opt in ((None, ()), ("mine:1", ("docker.image=mine:1",))):
        stored = named.model_dump(mode="json")
        stored["config"] = {**stored["config"], "opt": [], "image": image}
        before = Manifest.model_validate(stored)
        assert (before.config.opt, stored_config(before).opt, differences(before, named)) == (opt, opt, [])
    other = make(make_config(suite="lite", opt=("docker.image=mine:1", "icc.hunks=all")))
    assert differences(named, other) == ['--opt: [], now ["icc.hunks=all"]']


def test_a_resumed_run_takes_the_very_suite_and_sandbox_it_had() -> None:
    config = stored_config(make(), jobs=5, max_cost=None)
    assert (config.suite, config.sandbox, config.jobs) == (
        f"hf:JetBrains/git_good_bench-lite@{'0' * 40}",
        "docker",
        5,
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "has no manifest.json"),
        (b"{", "is damaged"),
        (b"[" * 200_000, "is damaged"),
        (b'{"format": 1}', "not a manifest of this version"),
    ],
)
def test_a_folder_without_a_whole_manifest_is_refused(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(UserError, match=message):
        read_manifest(RunPaths(tmp_path))


@pytest.mark.parametrize(
    ("field", "value", "flag"),
    [("jobs", 0, "--jobs 0"), ("max_turns", -1, "--max-turns -1"), ("max_cost", 0.0, "--max-cost 0.0")],
)
def test_a_value_out_of_range_names_its_flag(field: str, value: float, flag: str) -> None:
    with pytest.raises(UserError, match=flag):
        make_config(suite="lite", **{field: value})


def test_secrets_do_not_get_into_a_command_line() -> None:
    environment = {
        "OPENAI_API_KEY": "sk-proj-abcdefghijkl",
        "HF_TOKEN": "opaque-token-1",
        "GIT_AUTHOR_NAME": "Somebody",
    }
    argv = [
        "gitgoodbench", "eval", "lite", "--api-key", "s3cret", "--token=t0ken", "--max-tokens", "100000",
        "--model", "opaque-token-1", "--base-url", "https://me:pw@host/v1?api_key=zzz&x=1", "Somebody",
        "ghp_0123456789abcdef", "--seed=7",
    ]  # fmt: skip
    assert redact_command(argv, environment) == [
        "gitgoodbench", "eval", "lite", "--api-key", "***", "--token=***", "--max-tokens", "100000",
        "--model", "***", "--base-url", "https://***@host/v1?api_key=***&x=1", "Somebody",
        "***", "--seed=7",
    ]  # fmt: skip


def test_a_harmless_url_stays_as_it_is() -> None:
    assert redact_url("http://localhost:8000/v1?a=b%20c") == "http://localhost:8000/v1?a=b%20c"


def test_the_manifest_holds_no_value_of_a_header() -> None:
    manifest = make(make_config(suite="lite", header=["Authorization: Bearer hunter2", "X-Team: a"]))
    assert manifest.config.header == ("Authorization: ***", "X-Team: ***")
    assert "hunter2" not in manifest.model_dump_json()


def test_the_manifest_holds_no_key_of_a_base_url() -> None:
    manifest = make(make_config(suite="lite", base_url="https://me:hunter2@host/v1"))
    assert "hunter2" not in manifest.model_dump_json()


def test_changed_sources_of_a_package_in_use_are_shown() -> None:
    before = make(plugins=[plugins(SCENARIOS)["mcr"]])
    assert before.plugins == {"scenario mcr": "gitgoodbench"}
    changed = before.distributions["gitgoodbench"].model_copy(update={"source": "0" * 64})
    now = before.model_copy(update={"distributions": {"gitgoodbench": changed}})
    (shown,) = differences(before, now)
    assert shown.startswith("package gitgoodbench: 0.1.0 source ")
    assert shown.endswith(", now 0.1.0 source 000000000000")
    moved = before.model_copy(update={"plugins": {"scenario mcr": "my-fork"}})
    assert differences(before, moved) == ["plug-in scenario mcr: gitgoodbench, now my-fork"]


def test_another_commit_with_the_same_sources_decides_nothing() -> None:
    before = make()
    other = before.distributions["gitgoodbench"].model_copy(update={"commit": "1" * 40, "dirty": False})
    assert differences(before, before.model_copy(update={"distributions": {"gitgoodbench": other}})) == []


def test_a_manifest_of_before_plug_ins_were_pinned_is_read_but_not_resumed(tmp_path: Path) -> None:
    fields = make().model_dump(mode="json")
    del fields["plugins"], fields["distributions"]
    RunPaths(tmp_path).manifest.write_text(json.dumps(fields))
    before = read_manifest(RunPaths(tmp_path))
    (shown,) = differences(before, make())
    assert shown.startswith("package gitgoodbench: 0.1.0, now 0.1.0 source ")
