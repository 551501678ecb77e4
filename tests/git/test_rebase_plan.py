"""Plans as groups of steps, and the message that each group gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitgoodbench.git.messages import clean_message
from gitgoodbench.git.process import Git
from gitgoodbench.git.rebase_plan import Command, Step, groups_of, message_of, unchanged_plan

MESSAGES = [b"First\n", b"Second\n", b"\n  \nThird\n\n\n# not a comment  \n", b"amend! First\n\n\nFourth\n"]
PICK, DROP, FIXUP = Command.PICK, Command.DROP, Command.FIXUP


def test_dropped_commits_are_in_no_group() -> None:
    steps = [Step(1, DROP), Step(0, PICK), Step(3, DROP), Step(2, FIXUP), Step(4, Command.REWORD, b"x")]
    assert groups_of(steps) == [(steps[1], steps[3]), (steps[4],)]
    assert groups_of(unchanged_plan(2)) == [(Step(0, PICK),), (Step(1, PICK),)]


@pytest.mark.parametrize("command", [FIXUP, Command.SQUASH, Command.FIXUP_MESSAGE])
def test_nothing_melds_into_nothing(command: Command) -> None:
    with pytest.raises(ValueError, match=f"^{command} without a commit before it$"):
        groups_of([Step(1, DROP), Step(0, command, b"x")])


@pytest.mark.parametrize(
    ("group", "message"),
    [
        pytest.param((Step(0, PICK),), b"First\n", id="pick"),
        pytest.param((Step(2, PICK),), b"Third\n\n\n# not a comment  \n", id="a picked message keeps its text"),
        pytest.param((Step(0, PICK), Step(1, FIXUP)), b"First\n", id="fixup"),
        pytest.param((Step(0, PICK), Step(1, Command.FIXUP_MESSAGE)), b"Second\n", id="fixup -C"),
        pytest.param((Step(0, PICK), Step(3, Command.FIXUP_MESSAGE)), b"Fourth\n", id="fixup -C of amend!"),
        pytest.param((Step(0, PICK), Step(1, Command.SQUASH, b"Both  \n\n\n\n#1")), b"Both\n\n#1\n", id="squash"),
        pytest.param((Step(0, Command.REWORD, b"New"), Step(1, FIXUP)), b"New\n", id="reword, then fixup"),
        pytest.param(
            (Step(0, PICK), Step(1, Command.SQUASH, b"Both"), Step(2, Command.SQUASH, b"All"), Step(3, FIXUP)),
            b"All\n",
            id="the last squash decides",
        ),
        pytest.param(
            (Step(0, PICK), Step(1, Command.SQUASH, b"Both"), Step(2, Command.FIXUP_MESSAGE)),
            b"Third\n\n# not a comment\n",
            id="fixup -C after squash",
        ),
    ],
)
def test_the_last_step_that_brings_a_message_decides(group: tuple[Step, ...], message: bytes) -> None:
    assert message_of(group, MESSAGES) == message


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b" \t\r\n\n",
        b"a",
        b"\n\n a \n\n\n b\t\r\n\n",
        b"# a\n#b\r\n\x0c\n\x0b \nc",
        "é\u2028 \x1c\n\n\nx\xa0\n".encode(),
        b"caf\xe9 \n",
    ],
)
def test_whitespace_is_cleaned_as_git_does_it(message: bytes, tmp_path: Path) -> None:
    assert clean_message(message) == Git(tmp_path).run("stripspace", stdin=message)
