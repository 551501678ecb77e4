from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitgoodbench.dataset.loaders import PUBLISHED, load_suite
from gitgoodbench.dataset.rows import RowError
from gitgoodbench.dataset.writers import write_samples
from gitgoodbench.errors import UserError
from tests.support.samples import chain_sample, merge_sample

POSSIBLE = (
    "Possible are mini, lite, full, train, hf:org/name[@revision], and the path of a .parquet, .jsonl, .json, .csv file"
)


def test_a_file_is_a_suite_with_its_resolved_path_as_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_samples([merge_sample()], tmp_path / "suite.csv")
    monkeypatch.chdir(tmp_path)
    suite = load_suite("suite.csv")
    assert suite.spec == "suite.csv"
    assert suite.source == str((tmp_path / "suite.csv").resolve())
    assert suite.revision is None
    assert suite.invalid == ()


def test_the_built_in_suite_is_loaded_from_the_package() -> None:
    suite = load_suite("mini")
    assert (suite.source, suite.revision, suite.invalid) == ("gitgoodbench.data/mini/rows.jsonl", None, ())
    assert {sample.name.partition("/")[0] for sample in suite.samples} == {"mini"}
    assert {sample.sample_type for sample in suite.samples} == {"merge", "file_commit_chain", "cherry_pick"}


def test_the_published_suites_are_these() -> None:
    assert {name: str(dataset) for name, dataset in PUBLISHED.items()} == {
        "lite": "hub dataset JetBrains/git_good_bench-lite at 086d113d9e584ad0dde7cd08a693b17546800f2d",
        "full": "hub dataset JetBrains/git_good_bench",
        "train": "hub dataset JetBrains/git_good_bench-train",
    }


def test_a_repeated_id_names_both_rows(tmp_path: Path) -> None:
    path = tmp_path / "suite.csv"
    write_samples([merge_sample(), chain_sample(), merge_sample(license="")], path)
    complaint = (
        f"{path}, row 3: field id: expected an id of its own ({path}, row 1 has the same), "
        "got 'kav_k_gptdiscord_merge_0000'"
    )
    with pytest.raises(RowError) as caught:
        load_suite(str(path))
    assert str(caught.value) == f"{complaint} (--skip-invalid leaves such rows out)"
    suite = load_suite(str(path), skip_invalid=True)
    assert suite.samples == (merge_sample(), chain_sample())
    assert suite.invalid == (complaint,)


def test_a_suite_of_invalid_rows_alone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "suite.jsonl").write_text("{}\n{}\n")
    with pytest.raises(UserError, match=r"holds no sample: all its 2 rows are invalid, the first: .*line 1: field"):
        load_suite(str(tmp_path / "suite.jsonl"), skip_invalid=True)


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("lit", "did you mean lite? "),
        ("Mini", "did you mean mini? "),
        ("swe-bench", ""),
        ("JetBrains/git_good_bench-lite", "did you mean hf:JetBrains/git_good_bench-lite? "),
        ("jetbrains/git_goodbench", "did you mean hf:JetBrains/git_good_bench? "),
        ("", ""),
    ],
)
def test_an_unknown_suite_lists_what_is_possible(spec: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        load_suite(spec)
    assert str(caught.value) == f"there is no suite {spec!r}: {hint}{POSSIBLE}"


@pytest.mark.parametrize("spec", ["hf:", "hf:name", "hf:a/b/c", "hf:a/b@", "hf:a/b@r --x", "hf:../b/c"])
def test_a_malformed_hub_spec_is_explained(spec: str) -> None:
    with pytest.raises(UserError, match="names no hub dataset: write hf:org/name or hf:org/name@revision"):
        load_suite(spec)


def test_importing_the_loaders_imports_nothing_heavy() -> None:
    code = (
        "import sys, gitgoodbench.dataset.loaders, gitgoodbench.dataset.writers, gitgoodbench.workspace.store\n"
        "print(sorted({'datasets', 'pandas', 'pyarrow', 'numpy', 'huggingface_hub'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=dict(os.environ))
    assert result.stdout == b"[]\n"
