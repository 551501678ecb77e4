"""Commands: what they print, what they refuse, and their exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gitgoodbench
from gitgoodbench.errors import GitGoodBenchError, InfrastructureFailed, RunAborted
from gitgoodbench.runs import inputs
from gitgoodbench.scenario import Verdict
from tests.cli.conftest import CommandLine
from tests.support.fake_runs import SOLVED, UNSOLVED, FakeScenario

HEAVY = ("openai", "docker", "datasets", "pandas", "joblib", "rich.progress", "huggingface_hub")


@pytest.mark.parametrize("arguments", [["--help"], ["eval", "--help"], ["report", "--help"], ["image", "--help"]])
def test_help_answers_at_once_because_it_loads_nothing_heavy(arguments: list[str]) -> None:
    script = (
        "import sys; from gitgoodbench.cli import run; code = run(sys.argv[1:]);"
        "print('\\n' + repr((code, sorted(sys.modules))))"
    )
    shown = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    code, modules = eval(shown.stdout.rstrip().split("\n")[-1])
    assert code == 0
    assert set(HEAVY) & set(modules) == set()
    assert "Usage: gitgoodbench" in shown.stdout


def test_help_of_every_command_has_an_example(command: CommandLine) -> None:
    for name in ("eval", "resume", "score", "report", "show", "runs", "schema", "doctor", "clean"):
        shown = command(name, "--help")
        assert shown.code == 0
        assert f"\n    gitgoodbench {name}" in shown.out


def test_the_version_is_shown(command: CommandLine) -> None:
    assert command("--version").out == f"gitgoodbench {gitgoodbench.__version__}\n"


def test_no_command_shows_the_help(command: CommandLine) -> None:
    shown = command()
    assert shown.code in (0, 2)  # older versions of Typer call it no mistake
    assert "Commands:" in shown.out + shown.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["frob"], "No such command 'frob'"),
        (["eval"], "Missing argument 'SUITE'"),
        (["eval", "lite", "--frob"], "No such option: --frob"),
        (["eval", "lite", "--tools", "magic"], "'magic' is not one of 'published', 'extended', 'shell', 'own'"),
        (["eval", "lite", "--jobs", "many"], "Invalid value for '--jobs'"),
        (["eval", "frobnicate"], "there is no suite 'frobnicate'"),
        (["eval", "nowhere.jsonl"], "nowhere.jsonl"),
        (["resume", "nowhere"], "nowhere is not the folder of a run"),
        (["score", "nowhere"], "nowhere is not the folder of a run"),
        (["report", "nowhere"], "nowhere is not the folder of a run"),
        (["show", "nowhere"], "nowhere is not the folder of a run"),
        (["report"], "name one run or several: `gitgoodbench runs` lists those in results/"),
        (["report", "--html", "pages"], "name one run or several"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(command: CommandLine, arguments: list[str], expected: str) -> None:
    shown = command(*arguments)
    assert shown.code == 2
    assert shown.error.startswith("gitgoodbench: ")
    assert expected in shown.error
    assert shown.out == ""


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--agent", "wizard"], "there is no agent 'wizard'"),
        (["--agent", "openai"], "OPENAI_API_KEY is not set"),
        (
            ["--base-url", "http://localhost:1/v1", "--max-cost", "1"],
            "--max-cost cannot be watched: the price of gpt-4o",
        ),
        (["--base-url", "http://localhost:1/v1", "--price-input", "1"], "--price-input and --price-output go together"),
        (["--scenario", "chess"], "--scenario chess: there is no such scenario; installed are: mcr"),
        (["--agent", "noop", "--run-id", "../r"], "--run-id '../r': use letters"),
        (["--agent", "noop", "--language", "cobol"], "no sample is left by --language cobol"),
        (["--agent", "noop", "--limit", "0"], "Invalid value for '--limit'"),
        (["--agent", "noop", "--max-cost", "0"], "--max-cost 0"),
        (["--agent", "noop", "--temperature", "3"], "Invalid value for '--temperature'"),
        (["--agent", "noop", "--tools", "shell"], "--tools shell needs a sandbox that contains it, and local does not"),
        (["--config", "none.toml"], "--config none.toml cannot be read: No such file"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_made(
    command: CommandLine, flags: list[str], expected: str
) -> None:
    shown = command.eval(*flags)
    assert shown.code == 2
    assert expected in shown.error
    assert not command.out.exists()
    assert command.provider.sandboxes == []


def test_an_evaluation_leaves_its_run_and_prints_its_table(command: CommandLine) -> None:
    shown = command.noop()
    assert shown.code == 0
    assert " ".join(shown.out.split("\n")[3].split()).startswith("noop 5 5/5 100.0 % 5/5 100.0 % [56.6, 100.0]")
    assert "[5/5] mcr/" in shown.err
    assert f"results: {command.out / 'r'}" in shown.err
    names = {path.name for path in (command.out / "r").iterdir()}
    assert names == {"ledger.jsonl", "manifest.json", "run.log", ".lock", "samples", "summary.json", "summary.csv"}
    assert len(command.results()) == 5
    assert json.loads((command.out / "r/summary.json").read_bytes())["total"]["of_answers"]["hits"] == 5


def test_agents_get_a_run_each_and_one_table(command: CommandLine) -> None:
    command.scenario.reference_agents = lambda: {"ours": lambda *_: None}  # type: ignore[method-assign]
    shown = command.eval("--agent", "noop", "--agent", "ours", "--agent", "noop", "--run-id", "r")
    assert shown.code == 0
    assert [line.split()[0] for line in shown.out.split("\n")[3:5]] == ["noop", "ours"]
    assert sorted(path.name for path in command.out.iterdir()) == ["r-noop", "r-ours"]


@pytest.fixture
def two_scenarios(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Scenarios `mcr`, with the agent `ours`, and `ir`, over the same samples; `oracle` plays both."""
    policies = {"mcr": ("ours", "oracle"), "ir": ("oracle",)}
    scenarios = {name: FakeScenario(name) for name in policies}
    for name, scenario in scenarios.items():
        agents = dict.fromkeys(policies[name], lambda *_: None)
        scenario.reference_agents = lambda agents=agents: agents  # type: ignore[misc, method-assign]
    monkeypatch.setattr(inputs, "load_scenarios", lambda: scenarios)
    return command


def test_an_agent_plays_only_the_scenarios_that_it_is_for_and_that_is_said_once(two_scenarios: CommandLine) -> None:
    agents = ("--agent", "noop", "--agent", "ours", "--agent", "oracle", "--limit", "2", "--run-id", "r")
    shown = two_scenarios.eval(*agents)
    assert shown.code == 0
    assert shown.err.split("\n")[0] == "some agents do not play every scenario; only mcr: ours"
    assert [len(two_scenarios.results(f"r-{agent}")) for agent in ("noop", "ours", "oracle")] == [4, 2, 4]
    assert two_scenarios("resume", two_scenarios.out / "r-ours").code == 0
    dry = two_scenarios.eval(*agents, "--dry-run").out.split("\n")
    assert [line for line in dry if line.startswith(("planned", "  scenario"))] == [
        "planned: 4 episodes over 2 samples, for each of noop, oracle",
        "  scenario: ir 2, mcr 2",
        "planned: 2 episodes over 2 samples, for each of ours",
        "  scenario: mcr 2",
    ]


def test_an_agent_for_none_of_the_chosen_scenarios_is_refused(two_scenarios: CommandLine) -> None:
    shown = two_scenarios.eval("--scenario", "ir", "--agent", "oracle", "--agent", "ours")
    assert shown.code == 2
    assert shown.error == (
        "gitgoodbench: the agent ours plays mcr only, and the chosen samples are for ir: leave it out"
    )
    assert not two_scenarios.out.exists()


def test_a_run_without_an_id_is_named_by_suite_agent_model_and_time(command: CommandLine) -> None:
    assert command.eval("--agent", "noop", "--limit", "1").code == 0
    assert command.eval("--agent", "noop", "--limit", "1").code == 0
    first, second = sorted(path.name for path in command.out.iterdir())
    assert first.startswith("rows-noop-20")
    assert second.startswith("rows-noop-20")


def test_two_runs_are_reported_in_one_table_with_published_figures_beside(command: CommandLine) -> None:
    command.eval("--agent", "noop", "--run-id", "good")
    command.scenario = FakeScenario(verdict=lambda *_: UNSOLVED)
    command.eval("--agent", "noop", "--run-id", "bad")
    shown = command("report", command.out / "good", command.out / "bad", "--by", "language", "--published")
    lines = [" ".join(line.split()) for line in shown.out.split("\n")]
    assert any(line.startswith("noop good 5 5/5 100.0 % 5/5 100.0 %") for line in lines)
    assert any(line.startswith("noop bad 5 5/5 100.0 % 0/5 0.0 %") for line in lines)
    assert "GPT-4o baseline [published, lite, mcr] 60 76.7 % - - 8/60 13.3 %" in lines
    assert "mcr: solved of answers, by language (of attainable)" in lines
    assert "by difficulty" not in shown.out


def test_a_run_is_found_by_its_id_under_results(command: CommandLine) -> None:
    command.noop()
    assert command("report", "r").code == 0


def test_the_same_command_carries_on_and_repeats_nothing(command: CommandLine) -> None:
    command.noop()
    command.results()[1].write_bytes(b'{"sample_id"')
    before = {path: path.stat().st_mtime_ns for path in command.results()}
    shown = command.noop("--jobs", "3")
    assert shown.code == 0
    assert "5 episodes, 4 of them finished before" in shown.err
    changed = [path for path in command.results() if path.stat().st_mtime_ns != before[path]]
    assert changed == [command.results()[1]]


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        (["--max-turns", "7"], "--max-turns: 50, now 7"),
        (["--tools", "extended"], "--tools: published, now extended"),
        (["--limit", "2"], "--limit: none, now 2; episodes planned: 5"),
    ],
)
def test_a_changed_configuration_is_refused_with_what_differs(
    command: CommandLine, flags: list[str], shown: str
) -> None:
    command.noop()
    refused = command.noop(*flags)
    assert refused.code == 2
    assert shown in refused.error
    assert "another --run-id" in refused.error


def test_changed_prompts_or_rows_are_refused(command: CommandLine) -> None:
    command.noop()
    command.scenario.fingerprint = lambda: "changed"  # type: ignore[method-assign]
    assert "scenario mcr: ffff" in command("resume", "r").error
    command.scenario = FakeScenario()
    command.suite.write_text(command.suite.read_text().replace("s4", "s9"))
    assert "suite fingerprint" in command("resume", "r").error


def test_resume_needs_no_flags(command: CommandLine) -> None:
    def down() -> None:
        raise InfrastructureFailed("no space")

    command.provider.opening = down
    assert command.noop("--epochs", "2", "--difficulty", "hard", "--tools", "extended").code == 3
    command.provider.opening = lambda: None
    shown = command("resume", "results/r")
    assert shown.code == 0
    assert len(command.results()) == 4
    assert "[4/4]" in shown.err


def test_failures_of_infrastructure_end_with_exit_code_3_and_the_way_on(command: CommandLine) -> None:
    def down() -> None:
        raise InfrastructureFailed("no space left for a container")

    command.provider.opening = down
    shown = command.noop()
    assert shown.code == 3
    assert "noop: 5 of 5 rows are no answers" in shown.out
    assert "5 x infrastructure_failed: no space left for a container" in shown.out
    assert f"resume with: gitgoodbench resume {command.out / 'r'}" in shown.err


def test_a_rejected_key_ends_with_exit_code_2_and_its_reason(command: CommandLine) -> None:
    def rejected() -> None:
        raise RunAborted("the server rejects the key (401)")

    command.scenario = FakeScenario(preparing=rejected)
    shown = command.noop()
    assert shown.code == 2
    assert "gitgoodbench: the run was stopped: the server rejects the key (401)" in shown.err
    assert "resume with: gitgoodbench resume" in shown.err
    assert "Traceback" not in shown.err
    assert command.results() == []


def test_scoring_again_needs_neither_sandbox_nor_agent(command: CommandLine) -> None:
    command.scenario = FakeScenario(verdict=lambda *_: UNSOLVED)
    command.noop()
    sandboxes = len(command.provider.sandboxes)
    command.scenario = FakeScenario(verdict=lambda *_: SOLVED)
    shown = command("score", "r")
    assert shown.code == 0
    assert "5 outcomes scored, 5 results changed" in shown.err
    assert "5/5 100.0 %" in shown.out
    assert len(command.provider.sandboxes) == sandboxes


def test_outcomes_that_cannot_be_scored_are_named(command: CommandLine) -> None:
    command.noop()

    def broken(*_: object) -> Verdict:
        raise GitGoodBenchError("git fetch: timed out")

    command.scenario = FakeScenario(verdict=broken)
    shown = command("score", "r")
    assert shown.code == 3
    assert "mcr/s0/1 could not be scored: git fetch: timed out" in shown.err


def test_a_dry_run_counts_and_makes_nothing(command: CommandLine) -> None:
    shown = command.eval("--dry-run", "--epochs", "2", "--language", "kotlin", "--language", "java")
    assert shown.code == 0
    assert shown.out.split("\n") == [
        f"suite {command.suite}: 5 samples from {command.suite}",
        "planned: 6 episodes over 3 samples, for each of openai",
        "  scenario: mcr 6",
        "  language: java 2, kotlin 4",
        "  difficulty: medium 4, hard 2",
        "  epoch: 1 3, 2 3",
        "",
    ]
    assert not command.out.exists()


def planned(command: CommandLine, *flags: str | Path) -> str:
    shown = command.eval("--dry-run", *flags)
    assert shown.code == 0, shown.err
    return shown.out.split("\n")[1].split(" over ")[0]


def test_the_command_line_wins_over_the_environment_over_the_file_over_the_default(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = command.folder / "run.toml"
    file.write_text("limit = 4\n")
    assert planned(command) == "planned: 5 episodes"
    assert planned(command, "--config", file) == "planned: 4 episodes"
    monkeypatch.setenv("GITGOODBENCH_LIMIT", "3")
    assert planned(command, "--config", file) == "planned: 3 episodes"
    assert planned(command, "--config", file, "--limit", "2") == "planned: 2 episodes"


def test_a_config_file_may_use_dashes_lists_and_single_values(command: CommandLine) -> None:
    file = command.folder / "run.toml"
    file.write_text('language = ["java", "kotlin"]\ndifficulty = "medium"\nmax-turns = 9\nmax_cost = 1.5\n')
    assert planned(command, "--config", file) == "planned: 2 episodes"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "limmit = 3",
            "'limmit' is no flag of this command; did you mean limit? known are: agent, agent-arg, agent-config",
        ),
        ("limit = ", "is not TOML"),
        ('limit = "many"', "Invalid value for '--limit'"),
    ],
)
def test_a_config_file_that_is_wrong_is_refused(command: CommandLine, content: str, expected: str) -> None:
    file = command.folder / "run.toml"
    file.write_text(content)
    shown = command.eval("--config", file, "--dry-run")
    assert shown.code == 2
    assert expected in shown.error


def test_several_values_in_the_environment_are_separated_by_blanks(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITGOODBENCH_LANGUAGE", "java kotlin")
    assert planned(command) == "planned: 3 episodes"


def test_invalid_rows_are_an_error_or_left_out_and_counted(command: CommandLine) -> None:
    with command.suite.open("a") as file:
        file.write('{"id": "broken"}\n')
    assert command.eval("--dry-run").code == 2
    shown = command.eval("--dry-run", "--skip-invalid")
    assert shown.code == 0
    assert "left out: 1 invalid rows" in shown.out


def test_the_manifest_holds_no_secret(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "very-secret-value")
    monkeypatch.setattr(sys, "argv", ["gitgoodbench", "eval", "x", "--model", "very-secret-value"])
    command.noop()
    assert "very-secret-value" not in (command.out / "r/manifest.json").read_text()


def test_a_run_folder_that_cannot_be_made_is_a_mistake_of_the_user(command: CommandLine) -> None:
    (command.folder / "file").write_text("")
    shown = command.eval("--agent", "noop", "--out", command.folder / "file")
    assert shown.code == 2
    assert "file cannot be written: Not a directory; name another one with --out" in shown.error


def test_completion_knows_commands_and_flags() -> None:
    def completed(words: str) -> list[str]:
        environment = os.environ | {"_GITGOODBENCH_COMPLETE": "complete_bash", "COMP_WORDS": words}
        environment["COMP_CWORD"] = str(len(words.split()) - 1)
        command = [sys.executable, "-m", "gitgoodbench"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()

    assert completed("gitgoodbench build-d") == ["build-dataset"]
    assert completed("gitgoodbench eval mini --max-tu") == ["--max-turns"]


def test_the_completion_script_is_shown_for_the_current_shell() -> None:
    shown = subprocess.run(
        ["bash", "-c", '"$0" -m gitgoodbench --show-completion; exit $?', sys.executable],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "complete -o default -F _gitgoodbench_completion gitgoodbench" in shown.stdout
