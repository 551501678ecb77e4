"""Resolutions that look like slips are refused once, with what to do; sent again they are taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.agents.calls import call_tool
from gitgoodbench.sandbox.base import SandboxProvider
from tests.support.merges import begin, make_merge

LINES = b"".join(b"line %d\n" % number for number in range(20))
LOCAL, INCOMING = (LINES.replace(b"line 5\n", side) for side in (b"local\n", b"incoming\n"))


def answers(tmp_path: Path, provider: SandboxProvider, content: str, *sides: bytes) -> list[str]:
    """What the tool says to the content, and to the same content again where the first was refused."""
    files = ({b"a.py": text} for text in (LINES, *(sides or (LOCAL, INCOMING)), LINES))
    with begin(make_merge(tmp_path / "r.git", *files), provider) as (episode, _):
        told = []
        while not episode.finished:
            told.append(call_tool(episode.tools, "resolve_current_merge_conflict_with", {"content": content}).text)
        return told


@pytest.mark.parametrize(
    ("content", "slip"),
    [
        ("line 3\nline 4\nfirst\n", "content repeats 2 lines that stand before the conflict"),
        ("first\nline 6", "content repeats the line that stands after the conflict"),
        ("```python\nfirst\n```", "content stands between fences"),
        ("~~~~\nfirst\n~~~~\n", "content stands between fences"),
        ("  ````python\n  first\n  ````\n", "content stands between fences"),
        ("<<<<<<< HEAD\nfirst\n", "content still holds the conflict's marker line '<<<<<<< HEAD'"),
    ],
)
def test_a_probable_slip_is_refused_once(
    tmp_path: Path, local_provider: SandboxProvider, content: str, slip: str
) -> None:
    refused, taken = answers(tmp_path, local_provider, content)
    assert refused.startswith(f"error: not resolved: {slip}")
    assert refused.endswith("If it shall be so, send the same content again")
    assert taken.startswith("All conflicts are resolved")


def test_what_a_side_has_itself_is_no_slip(tmp_path: Path, local_provider: SandboxProvider) -> None:
    local, incoming = (LINES.replace(b"line 5\n", side) for side in (b"line 4\nlocal\n", b"other\n"))
    assert len(answers(tmp_path, local_provider, "line 4\nlocal\n", local, incoming)) == 1


def test_a_line_without_a_word_may_be_repeated(tmp_path: Path, local_provider: SandboxProvider) -> None:
    local, incoming = (LINES.replace(b"line 5\n", side).replace(b"line 6\n", b"}\n") for side in (b"x\n", b"y\n"))
    assert len(answers(tmp_path, local_provider, "z\n}\n", local, incoming)) == 1
