from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.dataset import hub
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.writers import row_of, write_samples
from gitgoodbench.errors import UserError
from tests.support.fake_hub import serve_dataset
from tests.support.samples import chain_sample, merge_sample

LITE = "JetBrains/git_good_bench-lite"
PINNED = "086d113d9e584ad0dde7cd08a693b17546800f2d"
LATER = "1" * 40

LOAD = """
import json, sys, time
time.sleep = lambda seconds: None  # the hub library waits between its tries
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.errors import UserError
answers = []
for spec in sys.argv[2:]:
    try:
        suite = load_suite(spec, offline=sys.argv[1] == "offline")
        answers.append([suite.source, suite.revision, [sample.license for sample in suite.samples]])
    except UserError as problem:
        answers.append(str(problem))
print(json.dumps(answers))
"""


def as_csv(*samples: Any) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, row_of(samples[0]))
    writer.writeheader()
    writer.writerows(row_of(sample) for sample in samples)
    return text.getvalue().encode()


def load(specs: list[str], folder: Path, *, network: str = "online", **env: str) -> list[Any]:
    """Load in a process of its own, since the hub library reads its environment when it is imported."""
    environment = {"HF_HOME": str(folder / "hf"), "HF_HUB_DISABLE_TELEMETRY": "1", "PATH": "/usr/bin:/bin", **env}
    command = [sys.executable, "-c", LOAD, network, *specs]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True, timeout=120)
    answers: list[Any] = json.loads(result.stdout)
    return answers


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the library takes for the dataset on the hub; its cache is not the user's own."""
    monkeypatch.setattr(hub, "_load_path", lambda _: str(tmp_path / "dataset"))
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "dataset").mkdir()
    return tmp_path / "dataset"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    files = {
        PINNED: {
            "README.md": b"# Lite\n",
            "lite.csv": as_csv(merge_sample(license="pinned"), chain_sample(license="")),
        },
        LATER: {"README.md": b"# Lite\n", "lite.csv": as_csv(merge_sample(license="later"))},
    }
    with serve_dataset(LITE, files) as address:
        yield address


def test_hub_datasets_are_loaded_at_their_revision_and_again_offline(endpoint: str, tmp_path: Path) -> None:
    pinned, later = [LITE, PINNED, ["pinned", ""]], [LITE, LATER, ["later"]]
    specs = ["lite", f"hf:{LITE}", f"hf:{LITE}@{LATER}", f"hf:{LITE}@main"]
    assert load(specs, tmp_path, HF_ENDPOINT=endpoint) == [pinned, later, later, later]

    nowhere = "http://127.0.0.1:9"
    other = "2" * 40
    assert load(["lite", f"hf:{LITE}", f"hf:{LITE}@main", f"hf:{LITE}@{other}", "full"], tmp_path, network="offline",
                HF_ENDPOINT=nowhere) == [
        pinned,
        later,
        f"hub dataset {LITE} at main: offline, only a commit id names a revision",
        f"hub dataset {LITE} at {other}: the hub did not answer, and only {LATER} is in the local cache",
        "hub dataset JetBrains/git_good_bench is not in the local cache, and offline was asked for: "
        "load it once online, or name a local file",
    ]  # fmt: skip
    assert load(["lite"], tmp_path, HF_ENDPOINT=nowhere, HF_HUB_OFFLINE="1") == [pinned]


def test_what_the_hub_does_not_have_is_said(endpoint: str, tmp_path: Path) -> None:
    absent, revision = load(["full", f"hf:{LITE}@v9"], tmp_path, HF_ENDPOINT=endpoint)
    assert absent == (
        "hub dataset JetBrains/git_good_bench: Dataset 'JetBrains/git_good_bench' doesn't exist on the Hub or cannot "
        f"be accessed. Check the name and revision at {endpoint}/datasets"
    )
    assert revision == (
        f"hub dataset {LITE} at v9: Revision 'v9' doesn't exist for dataset '{LITE}' on the Hub. "
        f"Check the name and revision at {endpoint}/datasets"
    )


def test_an_unreachable_hub_is_said(tmp_path: Path) -> None:
    (message,) = load(["lite"], tmp_path, HF_ENDPOINT="http://127.0.0.1:9")
    assert message.startswith(f"hub dataset {LITE} at {PINNED}: the hub cannot be reached (")
    assert message.endswith(". Try again, or name a local file of the same schema")


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet", "rows.jsonl"])
def test_the_library_reads_the_published_schema_in_every_format(name: str, local: Path) -> None:
    samples = (merge_sample(), chain_sample(stargazers=None, license=""))
    write_samples(samples, local / name)
    suite = load_suite("lite")
    assert suite.samples == samples
    assert (suite.source, suite.revision) == (LITE, None)


def test_a_split_of_another_name_is_taken_when_it_is_the_only_one(local: Path) -> None:
    write_samples([merge_sample()], local / "test.csv")
    assert load_suite("full").samples == (merge_sample(),)
    write_samples([merge_sample()], local / "validation.csv")
    with pytest.raises(UserError, match="has no split train but validation, test: save one of them"):
        load_suite("full")


def test_a_dataset_that_is_no_table_is_said(local: Path) -> None:
    (local / "notes.md").write_text("no rows here")
    with pytest.raises(UserError, match="hub dataset JetBrains/git_good_bench cannot be read as a table of rows: "):
        load_suite("full")


def test_a_malformed_row_of_the_hub_names_the_dataset(local: Path) -> None:
    (local / "rows.csv").write_bytes(as_csv(chain_sample(), merge_sample()).replace(b",hard", b",brutal"))
    with pytest.raises(UserError, match=f"^{LITE}, row 2: field difficulty: expected one of"):
        load_suite("lite")


def test_a_local_folder_never_stands_in_for_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / LITE).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=f"{LITE} also exists in the current folder"):
        load_suite("lite")


def test_a_missing_library_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(UserError, match=r"needs the package datasets .*: pip install datasets, or name a local file"):
        load_suite("lite")
