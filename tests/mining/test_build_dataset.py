"""Building a dataset: files that `datasets` and our own loaders read, a card, and the way to the hub."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import pytest

from gitgoodbench.cli.building import read_counted
from gitgoodbench.dataset.loaders import load_suite
from gitgoodbench.dataset.rows import COLUMNS
from gitgoodbench.errors import UserError
from gitgoodbench.mining.build import SAMPLES, BuildOptions, build_dataset, number, split_folders
from gitgoodbench.mining.mined_file import write_mined
from gitgoodbench.mining.push import push_to_hub
from gitgoodbench.mining.records import MinedRow
from gitgoodbench.mining.splits import SplitPlan
from tests.support.mined import chain_candidate, merge_candidate, mined_row, project

OPTIONS = BuildOptions(plan=SplitPlan(lite=2, full=3), plots=False, title='Scenarios: "ours"')


def rows() -> list[MinedRow]:
    merges = [mined_row(merge_candidate(10 * n, committed=n)) for n in range(7)]
    chains = [mined_row(chain_candidate(n), project("acme/lib")) for n in range(1, 8)]
    return [*merges, *chains, mined_row(merge_candidate(999, conflicts=9))]


def test_datasets_and_our_loaders_read_the_same_splits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets  # type: ignore[import-untyped]

    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    built = build_dataset(rows(), tmp_path / "dataset", OPTIONS)
    loaded = datasets.load_dataset(str(tmp_path / "dataset"), cache_dir=str(tmp_path / "cache"))
    assert {name: len(split) for name, split in loaded.items()} == {"lite": 4, "full": 6, "train": 4}
    for name, folder in split_folders(tmp_path / "dataset").items():
        assert loaded[name].column_names == list(COLUMNS)
        suite = load_suite(str(folder / SAMPLES))
        assert list(suite.samples) == built.samples[name]
        assert loaded[name]["id"] == [sample.id for sample in suite.samples]
        alone = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
        assert list(alone) == ["train"]


def test_the_same_rows_give_the_same_files(tmp_path: Path) -> None:
    contents = []
    for name in ("one", "two"):
        build_dataset(rows(), tmp_path / name, OPTIONS)
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        contents.append([(path.relative_to(tmp_path / name), path.read_bytes()) for path in files])
    assert contents[0] == contents[1]


def test_ids_are_counted_by_repository_and_sample_type_and_stay_unique_where_slugs_collide() -> None:
    twins = [mined_row(merge_candidate(n), project(name)) for n, name in enumerate(("a-b/c", "a/b-c", "a-b/c"))]
    assert [row.id for row in number([*twins, mined_row(chain_candidate(), project("a-b/c"))])] == [
        "a_b_c_merge_0000",
        "a_b_c_merge_0001",
        "a_b_c_merge_0002",
        "a_b_c_file_commit_chain_0000",
    ]


def test_the_card_tells_what_each_filter_removed_and_how_many_rows_each_split_has(tmp_path: Path) -> None:
    build_dataset(rows(), tmp_path, OPTIONS)
    card = (tmp_path / "README.md").read_text("utf-8")
    assert "Of 15 mined candidates 14 are left." in card
    assert "| conflicts | merges of 1 to 8 conflicts | 1 | 0 |" in card
    assert "| **full** | 2 repositories |  | 6 | 0 | 0 | 6 |" in card
    assert "| acme/tool | MIT License | tiny | 7 |" in card
    assert "content 7" in card
    assert "seed 42" in card


def test_what_is_lost_and_kept_together_is_told_before_anything_is_written_and_in_the_card(tmp_path: Path) -> None:
    folder = tmp_path / "dataset"
    twins = [mined_row(chain_candidate(1, length=4)), mined_row(chain_candidate(9, begun=1)), *rows()]
    seen = []
    plan = SplitPlan(lite=2, full=3, by_repository=True, after=1_600_000_000)
    built = build_dataset(
        twins,
        folder,
        BuildOptions(plan=plan, plots=False),
        lambda planned: seen.append((planned.splits, folder.exists())),
    )
    assert seen == [(built.splits, False)]
    card = (folder / "README.md").read_text("utf-8")
    assert "2 rows are tied to others (2 by commits, 0 by content); of the units that they make (1)" in card
    assert "1 rows are in no split; 1 have commits on both sides of the day." in card
    assert f"The allocation costs {built.splits.cost:.3f}" in card


def test_plots_are_drawn_and_shown_in_the_card(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    build_dataset(rows(), tmp_path, BuildOptions(plan=OPTIONS.plan))
    card = (tmp_path / "README.md").read_text("utf-8")
    drawn = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert drawn == ["chains.png", "conflicts.png", "difficulty.png", "sizes.png", "years.png"]
    assert [name for name in drawn if f"(plots/{name})" not in card] == []


def test_nothing_left_is_an_error_that_says_which_filters_removed_what(tmp_path: Path) -> None:
    strangers = [mined_row(merge_candidate(n), project(stargazers=None)) for n in range(3)]
    with pytest.raises(UserError, match=r"no row is left of 3: stars removes 3 \(3 unknown\); --without FILTER"):
        build_dataset(strangers, tmp_path, OPTIONS)


def test_a_rebuilt_dataset_keeps_no_old_split_and_other_files_are_not_touched(tmp_path: Path) -> None:
    build_dataset(rows(), tmp_path, BuildOptions(plan=SplitPlan(lite=1, full=1, after=3), plots=False))
    assert list(split_folders(tmp_path)) == ["lite", "full", "train", "fresh"]
    build_dataset(rows(), tmp_path, OPTIONS)
    assert list(split_folders(tmp_path)) == ["lite", "full", "train"]
    (tmp_path / "lite" / "thesis.tex").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="lite holds something else than a split"):
        build_dataset(rows(), tmp_path, OPTIONS)
    assert (tmp_path / "lite" / "thesis.tex").exists()


class FakeHub:
    """What was created and uploaded; `refuse`: the dataset that the hub will not take."""

    endpoint = "https://hub.example"

    def __init__(self) -> None:
        self.created: list[tuple[str, bool]] = []
        self.files: dict[str, dict[str, bytes]] = {}
        self.refuse = ""

    def create_repo(self, name: str, *, repo_type: str, private: bool, exist_ok: bool) -> None:
        assert (repo_type, exist_ok) == ("dataset", True)
        if name == self.refuse:
            raise PermissionError("403 Forbidden: no write access")
        self.created.append((name, private))

    def create_commit(self, name: str, *, repo_type: str, operations: list[Any], commit_message: str) -> Any:
        assert (repo_type, bool(commit_message)) == ("dataset", True)
        self.files[name] = {entry.path_in_repo: entry.path_or_fileobj for entry in operations}
        return SimpleNamespace(commit_url=f"{self.endpoint}/{name}/commit/1")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> FakeHub:
    fake = FakeHub()
    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: fake)
    monkeypatch.setattr(huggingface_hub, "get_token", lambda: "hf_secret")
    return fake


def split_files(folder: Path) -> dict[str, Path]:
    build_dataset(rows(), folder, OPTIONS)
    return {name: part / SAMPLES for name, part in split_folders(folder).items()}


def test_each_split_is_uploaded_as_a_dataset_named_as_the_published_ones(hub: FakeHub, tmp_path: Path) -> None:
    files = split_files(tmp_path)
    addresses = push_to_hub(files, "acme/scenarios", "Ours")
    assert hub.created == [("acme/scenarios-lite", True), ("acme/scenarios", True), ("acme/scenarios-train", True)]
    assert addresses["lite"] == "https://hub.example/acme/scenarios-lite/commit/1"
    uploaded = hub.files["acme/scenarios"]
    assert uploaded["data/train-00000-of-00001.parquet"] == files["full"].read_bytes()
    card = uploaded["README.md"].decode()
    assert '  - split: train\n    path: "data/train-00000-of-00001.parquet"' in card
    assert "6 rows." in card


def test_what_was_uploaded_before_a_refusal_is_named_and_the_token_is_not(hub: FakeHub, tmp_path: Path) -> None:
    hub.refuse = "acme/scenarios"
    with pytest.raises(UserError) as raised:
        push_to_hub(split_files(tmp_path), "acme/scenarios", "Ours", public=True)
    message = str(raised.value)
    assert message.startswith("acme/scenarios cannot be uploaded to the hub (https://hub.example): 403 Forbidden")
    assert message.endswith("uploaded before: lite")
    assert "hf_secret" not in message


def test_without_a_token_nothing_is_uploaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub, "get_token", lambda: None)
    with pytest.raises(UserError, match="the hub asks for a token: set HF_TOKEN"):
        push_to_hub(split_files(tmp_path), "acme/scenarios", "Ours")


def test_a_hub_that_does_not_answer_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub, "get_token", lambda: "hf_secret")
    real = huggingface_hub.HfApi
    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: real(endpoint="http://127.0.0.1:9"))
    with pytest.raises(UserError, match=r"acme/scenarios-lite cannot be uploaded to the hub \(http://127.0.0.1:9\)"):
        push_to_hub(split_files(tmp_path), "acme/scenarios", "Ours")


def test_rows_are_written_in_the_published_schema(tmp_path: Path) -> None:
    import pyarrow.parquet

    build_dataset(rows(), tmp_path, OPTIONS)
    table = pyarrow.parquet.read_table(tmp_path / "lite" / SAMPLES)
    assert table.column_names == list(COLUMNS)
    row = table.slice(0, 1).to_pylist()[0]
    assert row["id"].startswith("acme_tool_merge_000")
    assert (row["project_size"], row["stargazers"], row["difficulty"]) == ("tiny", 1000, "easy")
    assert ast.literal_eval(row["scenario"])["files_in_merge_conflict"] == ["a.py"]


def test_every_part_of_building_is_told_before_it_begins(tmp_path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []
    write_mined(rows(), tmp_path / "mined.jsonl")
    read = read_counted([tmp_path / "mined.jsonl"], lambda *step: told.append(step))
    assert told == [("reading rows", done, None) for done in range(len(read) + 1)]
    told.clear()
    build_dataset(read, tmp_path / "dataset", OPTIONS, tell=lambda *step: told.append(step))
    assert told == [
        ("filtering rows", 0, None),
        ("finding rows that are alike, and splitting", 0, None),
        ("writing lite", 0, None),
        ("writing full", 0, None),
        ("writing train", 0, None),
        ("drawing plots and writing the card", 0, None),
    ]
