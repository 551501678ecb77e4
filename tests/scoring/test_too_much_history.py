"""Histories with too much to compare: scores are unknown with the reason, and nothing else suffers."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.scenario import Verdict
from gitgoodbench.scoring import history_lines, similarity_history
from gitgoodbench.workspace.outcome import outcome_of
from tests.support import rebases

BASE = {b"a.py": b"def f(a):\n    return a\n"}
STEPS = [{b"a.py": b"def f(a):\n    return a + %d\n" % number} for number in (1, 2, 3)]


def squashed(folder: Path) -> Verdict:
    """The verdict on a rebase that leaves one commit in place of the last two."""
    case = rebases.make_chain(folder / "chain.git", BASE, *STEPS)
    head = case.builder.commit(STEPS[-1], [case.commits[0]], b"The rest\n")
    return rebases.score(case, outcome_of(case.git, head, case.commits[-1:], {"finished": True}))


def test_too_many_nodes_leave_only_the_similarity_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = squashed(tmp_path / "usual")
    monkeypatch.setattr(similarity_history, "MAX_NODES", 5)
    verdict = squashed(tmp_path / "less")
    assert usual.scores["history_similarity"] is not None
    assert verdict.scores == {**usual.scores, "history_similarity": None}
    assert verdict.gates == usual.gates
    assert verdict.facts["history_problem"] == "what the commits add has more than 5 nodes"
    assert "history_problem" not in usual.facts


def test_too_many_lines_leave_what_is_told_by_lines_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = squashed(tmp_path / "usual")
    monkeypatch.setattr(history_lines, "MAX_LINES", 5)
    verdict = squashed(tmp_path / "less")
    unknown = ("syntax_valid", "commits_reproduced", "line_grouping", "history_similarity")
    assert verdict.scores == {**usual.scores, **dict.fromkeys(unknown)}
    assert verdict.gates == usual.gates
    assert verdict.facts["history_problem"] == "the changed files hold more than 5 lines"
