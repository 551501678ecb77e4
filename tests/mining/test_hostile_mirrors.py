"""Whatever a mirror is set to, nobody is shown anything else, and none of its programs runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.git.mirror import Mirror
from gitgoodbench.mining.options import MiningOptions, Refs
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.targets import Target
from gitgoodbench.mining.task import Mined, Order, mine_target
from gitgoodbench.mining.validate import Validator, validate_sample
from gitgoodbench.sandbox.local import LocalProvider
from tests.support import chains, merges, rebases
from tests.support.hostile import make_hostile

OLD = b"".join(b"line %d\n" % number for number in range(40))
NEW = OLD.replace(b"line 3\n", b"line three\n")
LAST = NEW.replace(b"line 30\n", b"line thirty\n")


def unchanged(shown: Callable[[], Any], git_dir: Path, canary: Path, replaced: tuple[str, str]) -> None:
    before = shown()
    make_hostile(git_dir, canary, replaced=replaced)
    assert shown() == before
    assert not canary.exists()


def facts(episode: Any, verdict: Any, outcome: Any, histories: Any = None) -> tuple[Any, ...]:
    return (episode.prompt, [tool.name for tool in episode.tools], episode.facts, verdict, outcome.head, histories)


def test_a_merge_is_shown_and_scored_as_ever(tmp_path: Path) -> None:
    case = merges.make_merge(
        tmp_path / "m", {b"a.py": OLD}, {b"a.py": OLD.replace(b"line 3\n", b"ours\n")}, {b"a.py": NEW}, {b"a.py": LAST}
    )

    def shown() -> Any:
        with merges.begin(case, LocalProvider(), history=1) as (episode, _):
            outcome = episode.outcome()
            verdict, *_ = merges.play(case, LocalProvider(), "oracle")
            return facts(episode, (verdict, merges.score(case, outcome)), outcome)

    unchanged(shown, case.builder.path, tmp_path / "canary", (case.merge, case.local))


def test_a_chain_to_rebase_is_shown_judged_and_scored_as_ever(tmp_path: Path) -> None:
    case = rebases.make_chain(tmp_path / "r", {b"a.py": OLD}, {b"a.py": NEW}, {b"a.py": LAST}, {b"a.py": LAST + b"x\n"})

    def shown() -> Any:
        with rebases.begin(case, LocalProvider(), history=1) as (episode, _):
            outcome = episode.outcome()
            pair = rebases.IR.histories(case.sample, case.store, outcome)
            return facts(episode, rebases.score(case, outcome), outcome, pair)

    unchanged(shown, case.builder.path, tmp_path / "canary", (case.commits[2], case.commits[0]))


def test_a_chain_to_commit_is_shown_judged_and_scored_as_ever(tmp_path: Path) -> None:
    case = chains.make_chain(tmp_path / "c", [{b"a.py": OLD}, {b"a.py": NEW}, {b"a.py": LAST}])

    def shown() -> Any:
        with chains.begin(case, LocalProvider()) as (episode, _):
            for message in ("First", "Second"):
                chains.commit(episode, 1, message=message)
            outcome = episode.outcome()
            pair = chains.ICC.histories(case.sample, case.store, outcome)
            return facts(episode, chains.ICC.score(case.sample, case.store, outcome), outcome, pair)

    unchanged(shown, case.builder.path, tmp_path / "canary", (case.commits[1], case.base))


@pytest.mark.parametrize("refs", list(Refs))
def test_rows_are_mined_and_validated_as_ever(tmp_path: Path, refs: Refs) -> None:
    case = merges.make_merge(
        tmp_path / "m", {b"a.py": OLD}, {b"a.py": OLD.replace(b"line 3\n", b"ours\n")}, {b"a.py": NEW}, {b"a.py": LAST}
    )
    tip = case.merge
    for number in range(4):
        tip = case.builder.commit({b"a.py": LAST + b"more\n" * (number + 1)}, [tip])
    case.builder.branch("main", tip)
    target = Target(Project(name="acme/tool"), Mirror(case.builder.path))

    def shown() -> Any:
        mined = mine_target(target, Order(MiningOptions(refs=refs)), ())
        assert isinstance(mined, Mined)
        assert mined.content is not None
        lines = [json.loads(line) for line in mined.content.splitlines()]
        assert len(lines) == 3
        del lines[0]["seconds"]
        validator = Validator({"mcr": merges.MCR}, case.store, LocalProvider())
        return lines, validate_sample(case.sample, validator)

    unchanged(shown, case.builder.path, tmp_path / "canary", (case.merge, case.local))
