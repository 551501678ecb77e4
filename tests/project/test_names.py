"""Test modules have names of their own: pytest cannot collect two of one name."""

from __future__ import annotations

from collections import Counter

from tests.support.project import ROOT


def test_no_two_test_modules_share_a_name() -> None:
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
