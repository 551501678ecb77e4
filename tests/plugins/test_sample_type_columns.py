"""Mined columns that sample types of other packages declare."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.agents.base import AgentPlugin
from gitgoodbench.dataset.types import SampleType, titles
from gitgoodbench.errors import UserError
from gitgoodbench.mining.columns import arrow_schema, mined_columns
from gitgoodbench.mining.contract import Miner, mined_types
from gitgoodbench.mining.filters import installed_filters
from gitgoodbench.mining.repository import mine_repository
from gitgoodbench.plugins import SAMPLES
from gitgoodbench.sandbox.base import SandboxKind
from tests.support.mined import mixed_repository
from tests.support.packages import installed, write_package

SOURCE = """
from pydantic import BaseModel
from gitgoodbench.mining.contract import MinedType, Miner

class Spec(BaseModel):
    commit: str

class Columns(BaseModel):
    {column}

class Bisects(MinedType):
    spec = Spec
    columns = Columns
    title = "bisects"

    def commits(self, spec):
        return [spec.commit]

    def miner(self, walk):
        return Nothing()

class Nothing(Miner):
    def found(self):
        return iter(())
"""


def write_bisects(folder: Path, column: str) -> None:
    write_package(
        folder, "bisect-bench", {"bisects.py": SOURCE.format(column=column)}, {SAMPLES: {"bisect": "bisects:Bisects"}}
    )


def test_columns_of_a_type_stand_after_those_of_the_types_before_it(tmp_path: Path) -> None:
    before = list(mined_columns())
    write_bisects(tmp_path, "steps: tuple[int, ...] = ()")
    with installed(tmp_path):
        columns = mined_columns()
        assert (columns["steps"].default, str(arrow_schema(columns).field("steps").type)) == ((), "list<item: int64>")
        assert list(columns) == [*before[: before.index("begun")], "steps", *before[before.index("begun") :]]
        mined = mine_repository(mixed_repository(tmp_path / "repository").git)
        assert (list(mined.found), mined.counts["bisects"]) == (
            ["merge", "file_commit_chain", "cherry_pick", "bisect"],
            0,
        )
    assert list(mined_columns()) == before


@pytest.mark.parametrize(
    ("column", "owner"),
    [
        ("license: str | None = None", "the published columns"),
        ("sketches: tuple[str, ...] = ()", "mining"),
        ("commits: int = 0", "the sample type file_commit_chain"),
    ],
)
def test_a_column_that_is_another_one_already_is_refused(tmp_path: Path, column: str, owner: str) -> None:
    write_bisects(tmp_path, column)
    with installed(tmp_path), pytest.raises(UserError, match=f"the sample type bisect has a column .* of {owner}"):
        mined_columns()


def test_a_column_that_two_types_have_alike_is_one(tmp_path: Path) -> None:
    write_bisects(tmp_path, "commits: tuple[str, ...] = ()")
    with installed(tmp_path):
        assert "commits" in mined_columns()


@pytest.mark.parametrize("column", ["when: complex = 0j", "when: int | str = 0", "when: tuple[int, str] = (0, '')"])
def test_a_column_that_no_file_can_hold_is_named(tmp_path: Path, column: str) -> None:
    write_bisects(tmp_path, column)
    with installed(tmp_path), pytest.raises(UserError, match="the column 'when' of the sample type bisect cannot be"):
        arrow_schema(mined_columns())


def test_types_of_one_title_are_told_apart_by_their_names(tmp_path: Path) -> None:
    """Their miners may also count under words of others: here under that of a title, and of the harness."""
    counts = "    counts = {'commits': 7, 'chains': 8}\n"
    source = SOURCE.format(column="steps: int = 0").replace('"bisects"', '"merges"') + counts
    write_package(tmp_path, "bisect-bench", {"bisects.py": source}, {SAMPLES: {"bisect": "bisects:Bisects"}})
    repository = mixed_repository(tmp_path / "repository")
    with installed(tmp_path):
        assert titles(mined_types()) == {
            "merge": "merges (merge)",
            "file_commit_chain": "chains",
            "cherry_pick": "cherry-picks",
            "bisect": "merges (bisect)",
        }
        steps: list[str] = []
        mined = mine_repository(repository.git, tell=lambda step, *_: steps.append(step))
    assert list(mined.counts) == [
        "commits", "merges (merge)", "conflicting", "chains", "cherry-picks", "pairs",
        "merges (bisect)", "commits (bisect)", "chains (bisect)",
    ]  # fmt: skip
    assert list(mined.counts.values())[-3:] == [0, 7, 8]
    assert mined.counts["merges (merge)"] == len(mined.found["merge"])
    assert "finding merges (bisect)" in steps


def test_a_broken_type_stops_mining_that_asks_for_it_and_nothing_else(tmp_path: Path) -> None:
    write_package(tmp_path, "bisect-bench", {"bisects.py": "raise OSError"}, {SAMPLES: {"bisect": "bisects:Bisects"}})
    with installed(tmp_path):
        assert "commits" in mined_columns()
        assert [rule.name for rule in installed_filters().on_demand] == ["attainable", "pick-attainable", "core"]
        with pytest.raises(UserError, match=r"the sample 'bisect' .* cannot be loaded"):
            mine_repository(mixed_repository(tmp_path / "repository").git)


@pytest.mark.parametrize("contract", [SampleType, Miner, AgentPlugin, SandboxKind])
def test_a_plug_in_that_lacks_what_its_contract_asks_for_cannot_be_made(contract: type) -> None:
    with pytest.raises(TypeError, match="abstract"):
        type("Empty", (contract,), {})()
