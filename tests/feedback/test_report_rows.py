"""The rows of a report: what each edit is, what it cost, and what CSV and JSON say of it, to the letter."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gitgoodbench.feedback.records import Edit, Key, Message, Part, Session, Survival
from gitgoodbench.feedback.report.exports import COLUMNS, as_csv, as_json, group_records, record_of
from gitgoodbench.feedback.report.groups import group_rows
from gitgoodbench.feedback.report.rows import EditRow, Filter, after_days, read_rows
from gitgoodbench.feedback.report.usage import Amount, shared_usage
from gitgoodbench.feedback.store import Store
from gitgoodbench.feedback.store.results import save_survival
from tests.feedback.support_report import MONDAY, commit, result, row, save_outstanding, save_results, save_session

FIRST, SECOND, DENIED = (Key("agent", "s", name) for name in ("e1", "e2", "e3"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "repo/.git") as opened:
        yield opened


@pytest.fixture
def rows(store: Store, tmp_path: Path) -> list[EditRow]:
    """Two edits of one answer in a commit, one of them superseded, and one that was refused a week before."""
    session = Session("agent", "s", variant="terse", randomised=True)
    edits = [Edit(key, "edit", "Edit", float(MONDAY - 60), parts=(Part(None, b"x\n"),)) for key in (FIRST, SECOND)]
    refused = Edit(DENIED, "edit", "Edit", float(MONDAY - 7 * 86_400))
    messages = [
        Message("m0", 1.0, input_tokens=100, output_tokens=1, cost=0.5, latency=2.0),
        Message("m1", 2.0, input_tokens=200, output_tokens=9, cost=None, latency=4.0),
    ]
    save_session(store, session, [*edits, refused], messages)
    of = commit("c", committed_by=None)
    scored = result(FIRST, of, 0.75, message="m1", path="=src/x.py")
    superseded = result(SECOND, of, None, "superseded", message="m1", reason="1 of 1 lines overwritten")
    save_results(store, of, scored, superseded)
    save_outstanding(store, result(DENIED, None, None, "not_applied", path=f"{tmp_path}/repo/top.py", language=None))
    save_survival(
        store, [Survival(FIRST, of.id, day, "t", 4, standing) for day, standing in ((3, 4), (15, 3), (16, 1))]
    )
    return read_rows(store, days=14, roots=[tmp_path / "repo"])


def test_a_json_object_for_each_edit(rows: list[EditRow]) -> None:
    records = [record_of(one) for one in rows]
    assert list(records[0].items()) == [
        ("source", "agent"), ("session", "s"), ("edit", "e1"), ("commit", "c" * 40), ("path", "=src/x.py"),
        ("language", "python"), ("model", "m-1"), ("state", "scored"), ("reward", 0.75), ("kept", 0.75),
        ("evidence", [{"kind": "content", "detail": "all lines"}]), ("committed_by", None), ("normalised", 0.75),
        ("size", 10), ("measure", "tree"), ("reason", None), ("variant", "terse"), ("randomised", True),
        ("time", float(MONDAY)), ("week", "2026-W49"), ("folder", "=src"), ("person", "Ada"), ("survival", 0.75),
        ("survival_day", 15), ("input_tokens", 150.0), ("output_tokens", 5.0), ("cost", None), ("latency", 3.0),
    ]  # fmt: skip
    last = records[2]
    assert [last[name] for name in ("commit", "path", "folder", "week", "state", "person", "input_tokens")] == [
        None, "top.py", ".", "2026-W48", "not_applied", None, None,
    ]  # fmt: skip
    assert json.loads(as_json(records)) == records
    assert as_json(records).count("\n") == 5
    assert as_json([]) == "[]\n"


def test_csv_has_the_same_in_cells_that_are_no_formulas(rows: list[EditRow]) -> None:
    table = list(csv.reader(io.StringIO(as_csv([record_of(one) for one in rows], COLUMNS))))
    assert table[0] == list(COLUMNS)
    assert table[1] == [
        "agent", "s", "e1", "c" * 40, "'=src/x.py", "python", "m-1", "scored", "0.75", "0.75", "content", "", "0.75",
        "10", "tree", "", "terse", "yes", f"{MONDAY}.0", "2026-W49", "'=src", "Ada", "0.75", "15", "150.0", "5.0", "",
        "3.0",
    ]  # fmt: skip
    assert as_csv([], COLUMNS) == ",".join(COLUMNS) + "\n"


def test_the_user_that_is_configured_is_the_person(rows: list[EditRow], store: Store) -> None:
    assert [one.person for one in rows] == ["Ada", "Ada", None]
    assert {one.person for one in read_rows(store, days=14, user="lovelace")} == {"lovelace"}


def test_an_answer_counts_once_for_the_edits_that_it_led_to() -> None:
    keys = [Key("a", "s", name) for name in "pqrs"]
    messages = [Message(f"m{number}", float(number), input_tokens=10**number) for number in range(6)]
    shares = shared_usage(messages, {keys[0]: "m1", keys[1]: "m3", keys[2]: "m3", keys[3]: "gone"})
    assert [shares[key].input_tokens.value for key in keys] == [11, 55_550, 55_550, None]
    assert sum(shares[key].input_tokens.value or 0 for key in keys) == 111_111
    assert shares[keys[0]].cost == Amount(None, False)


def test_an_amount_of_which_a_part_is_unknown_is_not_complete() -> None:
    key = Key("a", "s", "p")
    shares = shared_usage([Message("m0", cost=1.5), Message("m1")], {key: "m1"})
    assert shares[key].cost == Amount(1.5, False)


def test_survival_is_the_first_look_after_so_many_days() -> None:
    looks = [Survival(FIRST, "c", day, tip, 4, standing) for day, tip, standing in (
        (2, "t", 4), (14, None, None), (20, "t", 2), (30, "t", 0))]  # fmt: skip
    assert after_days(looks, 14)[FIRST].day == 20
    assert after_days(looks, 31) == {}
    assert after_days([Survival(FIRST, "c", 20, "t", 0, 0)], 14) == {}


def test_what_was_seen_in_a_commit_whose_place_another_took_is_left_out(rows: list[EditRow], store: Store) -> None:
    assert rows[0].survival == 0.75
    save_survival(store, [replace(Survival(FIRST, "elsewhere", 15, "t", 4, 0))])
    assert read_rows(store, days=14)[0].survival is None


def test_filters() -> None:
    some = [row("a", "c1", time=10.0), row("b", "c2", time=20.0), row("c", None, None, "pending", time=None)]

    def taken(of: Filter) -> list[str]:
        return [one.key.edit for one in some if of.takes(one)]

    assert taken(Filter()) == ["a", "b", "c"]
    assert taken(Filter(since=10.0, until=20.0)) == ["a"]
    assert taken(Filter(since=15.0)) == ["b"]
    assert taken(Filter(commits={"c2"})) == ["b"]
    assert taken(Filter(states=[one.state for one in some[2:]])) == ["c"]


def test_group_records(rows: list[EditRow]) -> None:
    (record,) = group_records([group_rows(rows, "variant")])
    assert (record["by"], record["group"], record["committed_by"]) == ("variant", "terse", None)
    assert [record[name] for name in ("edits", "scored", "superseded", "not_applied", "indirect", "pending")] == [
        3, 1, 1, 1, 0, 0,
    ]  # fmt: skip
    assert (record["reward"], record["reward_low"], record["reward_edits"]) == (0.75, None, 1)
    assert record["kept_nodes"] == 7.5
    assert record["input_tokens"] is None  # that of the refused edit is unknown
