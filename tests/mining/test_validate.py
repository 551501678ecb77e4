"""Replaying rows: what is right passes, and each way of being wrong is named."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.cli import run
from gitgoodbench.dataset.findings import Kind, RowReport
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.dataset.writers import row_of, write_samples
from gitgoodbench.mining.options import LANGUAGES
from gitgoodbench.mining.records import number_rows
from gitgoodbench.mining.repository import mine_repository
from gitgoodbench.mining.validate import Validator, validate_sample, validate_samples
from gitgoodbench.sample_types.chain_check import CHAIN
from gitgoodbench.sample_types.merge_check import CONFLICTS, FILES
from gitgoodbench.sample_types.specs import MergeSpec, chain_spec, merge_spec
from gitgoodbench.sandbox.local import LocalProvider
from gitgoodbench.scenario import Scenario
from gitgoodbench.workspace.network import Step
from tests.support.merges import MCR, make_merge
from tests.support.mined import lines, mixed_repository, project
from tests.support.repositories import RepositoryBuilder
from tests.support.samples import chain_sample, merge_sample
from tests.support.stuck import Stuck


@dataclass(frozen=True)
class Corpus:
    """A mined repository in a folder for --repos, and how to validate rows about it."""

    folder: Path
    builder: RepositoryBuilder
    samples: list[Sample]

    def validate(self, sample: Sample, scenarios: dict[str, Scenario] | None = None) -> RowReport:
        from gitgoodbench.workspace.store import open_store

        chosen = {"mcr": MCR} if scenarios is None else scenarios
        return validate_sample(sample, Validator(chosen, open_store(self.folder), LocalProvider()))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("repos")
    builder = mixed_repository(folder / "acme" / "tool")
    rows = number_rows(project(), mine_repository(builder.git).candidates(LANGUAGES))
    return Corpus(folder, builder, [row.sample() for row in rows])


def changed(sample: Sample, **fields: Any) -> Sample:
    return sample.model_copy(update={"spec": sample.spec.model_copy(update=fields)})


def findings(report: RowReport) -> list[tuple[str, str]]:
    return [(finding.kind, finding.reason) for finding in report.findings]


def test_what_was_mined_is_right(corpus: Corpus) -> None:
    reports = [corpus.validate(sample) for sample in corpus.samples]
    assert [findings(report) for report in reports] == [[], [], [], []]
    assert [report.scenarios for report in reports] == [("mcr",), (), (), ()]
    assert [report.attainable for report in reports] == [True, None, None, None]


def test_a_merge_that_lists_other_conflicts_is_named_with_the_difference(corpus: Corpus) -> None:
    wrong = changed(
        corpus.samples[0], total_number_of_merge_conflicts=2, files_in_merge_conflict=("src/main.py", "src/other.py"),
        number_of_files_with_merge_conflict=2,
    )  # fmt: skip
    assert findings(corpus.validate(wrong)) == [
        (FILES, "2 listed, 1 found; not in conflict: 'src/other.py'"),
        (CONFLICTS, "2 listed, 1 found"),
    ]


def test_a_merge_with_a_conflict_more_that_has_no_text_is_named(tmp_path: Path) -> None:
    base = {b"a.py": lines(0, 1), b"b.py": lines(5, 6, 7)}
    case = make_merge(
        tmp_path / "acme" / "tool", base, {b"a.py": lines(0, "a")}, {b"a.py": lines(0, "b"), b"b.py": lines(5, 6, 8)},
        {b"a.py": lines(0, "c")},
    )  # fmt: skip
    sample = changed(
        case.sample.model_copy(update={"name": "acme/tool"}),
        files_in_merge_conflict=("a.py", "b.py"), number_of_files_with_merge_conflict=2,
    )  # fmt: skip
    report = Corpus(tmp_path, case.builder, []).validate(sample)
    assert findings(report) == [(CONFLICTS, "1 listed, 2 found, 1 of them without text")]


def test_a_truth_beyond_the_conflicts_is_unattainable_and_no_mistake(tmp_path: Path) -> None:
    base = {b"listed.py": lines(0, 1, 2, 3, 4, 5, 6, 7, 8)}
    ours, theirs = (
        {b"listed.py": lines(0, 1, 2, 3, 4, 5, 6, 7, "a")},
        {b"listed.py": lines(0, 1, 2, 3, 4, 5, 6, 7, "b")},
    )
    truth = {b"listed.py": lines("evil", 1, 2, 3, 4, 5, 6, 7, "c")}
    case = make_merge(tmp_path / "acme" / "tool", base, ours, theirs, truth)
    report = Corpus(tmp_path, case.builder, []).validate(case.sample.model_copy(update={"name": "acme/tool"}))
    assert (report.attainable, findings(report)) == (False, [])


def test_rows_that_cannot_be_set_up_say_why(corpus: Corpus) -> None:
    merge = corpus.samples[0]
    spec = merge_spec(merge)
    other = changed(merge, parents=(spec.parents[0], spec.merge_commit_hash))
    ((kind, reason),) = findings(corpus.validate(other))
    assert (kind, reason) == (
        Kind.SETUP, f"the parents of {spec.merge_commit_hash} are {' '.join(spec.parents)}",
    )  # fmt: skip
    ((kind, reason),) = findings(corpus.validate(merge_sample(name="acme/tool")))
    assert kind is Kind.SETUP
    assert "is missing in" in reason
    ((kind, reason),) = findings(corpus.validate(merge_sample(name="acme/nowhere")))
    assert "acme/nowhere is not in" in reason


def test_an_agent_that_does_not_solve_its_sample_is_a_finding(corpus: Corpus) -> None:
    class Lazy:
        """The scenario, with reference agents that do nothing."""

        def __getattr__(self, name: str) -> Any:
            return getattr(MCR, name)

        def reference_agents(self) -> dict[str, Any]:
            return {"oracle": lambda *_: None, "tool-oracle": lambda *_: None}

    report = corpus.validate(corpus.samples[0], {"mcr": Lazy()})
    assert findings(report) == [
        (Kind.ORACLE, "mcr: gave_up: oracle stopped with work left"),
        (Kind.TOOL_ORACLE, "mcr: gave_up: tool-oracle stopped with work left"),
    ]


def test_a_chain_is_checked_for_its_commits_its_file_and_its_purity(corpus: Corpus) -> None:
    chain = corpus.samples[1]
    first = chain_spec(chain).oldest_commit
    root = corpus.builder.git.line("rev-parse", f"{first}^")
    merge = merge_spec(corpus.samples[0])
    cases = {
        "purity 0.7 is listed, 1 counted": changed(chain, purity=0.7),
        f"oldest_commit {root} is not the oldest: 3 first parents before the newest is {first}": changed(
            chain, oldest_commit=root
        ),
        "no ancestor of the newest": changed(chain, oldest_commit=merge.merge_commit_hash),
        f"no base: {root} has no parent": changed(chain, times_seen_consecutively=5, oldest_commit=root),
        "only 5 of 6 commits: history ends there": changed(chain, times_seen_consecutively=6),
        f"commit {first} does not touch src/other.py": changed(chain, file="src/other.py"),
        f"not linear: {merge.merge_commit_hash} is a merge": changed(
            chain, newest_commit=merge.merge_commit_hash, times_seen_consecutively=2
        ),
    }
    for expected, sample in cases.items():
        reasons = [reason for _, reason in findings(corpus.validate(sample))]
        assert any(expected in reason for reason in reasons), (expected, reasons)


def test_a_chain_whose_oldest_commit_adds_the_file_is_named(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "acme" / "tool")
    commits = [builder.commit({b"old.py": b""})]
    for number in range(3):
        commits.append(builder.commit({b"old.py": b"", b"new.py": lines(*range(number + 1))}, [commits[-1]]))
    sample = changed(
        chain_sample(name="acme/tool"), file="new.py", newest_commit=commits[3], oldest_commit=commits[1], purity=1.0
    )
    report = Corpus(tmp_path, builder, []).validate(sample)
    assert findings(report) == [(CHAIN, f"commit {commits[1]} adds new.py")]


def test_rows_are_replayed_several_at_a_time(corpus: Corpus) -> None:
    from gitgoodbench.workspace.store import open_store

    validator = Validator({"mcr": MCR}, open_store(corpus.folder), LocalProvider())
    reports = list(validate_samples(corpus.samples, validator, 2))
    assert {report.sample.id for report in reports} == {sample.id for sample in corpus.samples}


def test_every_stage_of_a_row_is_told_and_the_end_of_a_repository(corpus: Corpus) -> None:
    from gitgoodbench.workspace.store import open_store

    told: list[str | Step] = []
    merges = [sample for sample in corpus.samples if isinstance(sample.spec, MergeSpec)][:1]
    validator = Validator({"mcr": MCR}, open_store(corpus.folder), LocalProvider())
    list(validate_samples(merges, validator, 1, told.append))
    [first] = merges
    stages = ["opening the repository", "comparing the row with the repository"]
    for agent in ("oracle", "tool-oracle"):
        stages += [f"preparing mcr for {agent}", f"{agent} plays mcr", f"scoring {agent} in mcr"]
    assert told == [
        *(Step("acme/tool", "replaying rows", 0, 1, f"{stage}, {first.id}") for stage in stages),
        Step("acme/tool", None),
    ]


def test_an_interruption_leaves_a_row_that_is_busy_in_c(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    from gitgoodbench.mining import validate
    from gitgoodbench.workspace.store import open_store

    stuck = Stuck()

    def replay(sample: Sample, *_: object) -> RowReport:
        stuck.work()
        return RowReport(sample, (), None, ())

    monkeypatch.setattr(validate, "validate_sample", replay)
    validator = Validator({"mcr": MCR}, open_store(corpus.folder), LocalProvider())
    with pytest.raises(KeyboardInterrupt):
        list(validate_samples(corpus.samples, validator, 1))
    assert not stuck.ended.is_set()
    stuck.release()


def test_the_command_reads_a_dataset_folder_lists_what_is_wrong_and_says_so_by_its_exit_code(
    corpus: Corpus, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, samples in (("lite", corpus.samples[:1]), ("full", corpus.samples[1:])):
        (tmp_path / name).mkdir()
        write_samples(samples, tmp_path / name / "samples.parquet")
    repos = ["--repos", str(corpus.folder), "--jobs", "2"]
    assert run(["validate", str(tmp_path), *repos]) == 0
    assert "4 rows replayed, 4 are right" in capsys.readouterr().out
    rows = [row_of(changed(corpus.samples[1], purity=0.6)), {"id": "broken"}]
    dataset = tmp_path / "rows.jsonl"
    dataset.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    out = tmp_path / "findings.jsonl"
    assert run(["validate", str(dataset), *repos, "--out", str(out)]) == 3
    printed = capsys.readouterr().out
    assert "1 rows replayed, 0 are right" in printed
    assert "purity 0.6 is listed, 1 counted" in printed
    assert "all: 1 not a row, 1 other purity" in printed
    written = [json.loads(line) for line in out.read_bytes().splitlines()]
    assert [entry["id"] for entry in written] == [None, "acme_tool_file_commit_chain_0000"]
    assert written[1]["findings"] == [{"kind": "other purity", "reason": "purity 0.6 is listed, 1 counted"}]
