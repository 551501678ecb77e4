"""How far mining is, as whoever waits for it is told."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from gitgoodbench.dataset.types import sample_types
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.mining.contract import mined_types
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.repository import mine_repository
from gitgoodbench.mining.steps import StepFile, watching_steps
from gitgoodbench.mining.targets import Target
from gitgoodbench.mining.task import Mined, Order, mine_target, slug
from gitgoodbench.workspace.network import Step
from tests.support.mined import mixed_repository


def test_mining_tells_what_it_reads_replays_and_compares(tmp_path: Path) -> None:
    builder = mixed_repository(tmp_path / "repository")
    told: list[tuple[str, int, int | None]] = []
    mined = mine_repository(builder.git, tell=lambda *step: told.append(step))
    assert [done for name, done, total in told if name == "reading commits"] == list(range(mined.counts["commits"]))
    replayed = [(done, total) for name, done, total in told if name == "replaying merges"]
    assert replayed == [(done, len(replayed)) for done in range(len(replayed))]
    assert len(replayed) == mined.counts["merges"]


def test_a_worker_writes_its_steps_and_removes_them(tmp_path: Path) -> None:
    builder = mixed_repository(tmp_path / "repository")
    target = Target(Project(name="acme/tool"), Mirror(builder.path))
    (tmp_path / "steps").mkdir()
    with watching_steps(tmp_path / "steps", lambda _: None, every_s=60):
        assert isinstance(mine_target(target, Order(steps=tmp_path / "steps"), ()), Mined)
    assert list((tmp_path / "steps").iterdir()) == []
    assert isinstance(mine_target(target, Order(steps=tmp_path / "elsewhere"), ()), Mined)


def test_steps_reach_who_watches_until_the_work_has_ended(tmp_path: Path) -> None:
    heard: list[Step] = []
    change = threading.Condition()

    def hear(step: Step) -> None:
        with change:
            heard.append(step)
            change.notify()

    (tmp_path / "steps").mkdir()
    (tmp_path / "steps" / "acme__killed").write_text("{")
    with watching_steps(tmp_path / "steps", hear, every_s=0.01), change:
        file = StepFile(tmp_path / "steps" / slug("acme/tool"), "acme/tool")
        with file.kept():
            file.tell("reading commits", 12, 40)
            file.tell("reading commits", 13, 40)
            assert change.wait_for(lambda: Step("acme/tool", "reading commits", 12, 40) in heard, 20)
        assert change.wait_for(lambda: heard[-1] == Step("acme/tool", None), 20)
    assert {step.done for step in heard} == {0, 12}


def test_what_lies_in_the_folder_and_is_no_step_is_passed_over(tmp_path: Path) -> None:
    heard: list[Step] = []
    with watching_steps(tmp_path / "steps", heard.append, every_s=0.01):
        for number, text in enumerate(("", "{", "[]", '{"repository": "x"}', '{"other": 1}')):
            (tmp_path / "steps" / f"{number}").write_text(text)
        threading.Event().wait(0.1)
    assert heard == []


def test_mining_tells_of_every_part_before_it_begins(tmp_path: Path) -> None:
    builder = mixed_repository(tmp_path / "repository")
    told: list[str] = []
    mine_repository(builder.git, tell=lambda name, _done, _total: told.append(name))
    parts = [name for name in dict.fromkeys(told) if not name.startswith(("writing down", "replaying", "comparing"))]
    titles = [kind.title for kind in mined_types(sample_types()).values()]
    assert parts == ["listing commits", "reading commits", *(f"finding {title}" for title in titles)]
    assert {f"writing down {title}" for title in titles} <= set(told)


def test_a_new_step_is_written_at_once(tmp_path: Path) -> None:
    (tmp_path / "steps").mkdir()
    place = tmp_path / "steps" / slug("acme/tool")
    file = StepFile(place, "acme/tool")
    with file.kept():
        file.tell("reading commits", 12)
        file.tell("finding chains", 0)
        assert json.loads(place.read_bytes())["name"] == "finding chains"
        file.tell("finding chains", 1)
        assert json.loads(place.read_bytes())["done"] == 0
