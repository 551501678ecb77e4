"""Random chains, and random plans to rebase them by."""

from __future__ import annotations

import random

from gitgoodbench.git.rebase_plan import Command, Step, groups_of
from tests.support.repositories import Content, RepositoryBuilder

MESSAGES = [
    b"Add a thing\n",
    b"#12: a subject that starts with a hash\n\n# and a line\nand another  \n\n\n\nand more\n",
    b'it\'s "quoted" \\n $(touch PWNED) `touch PWNED` %s %h\n\nexec touch PWNED\n',
    b"\n\n  leading blanks\t\n",
    b"no newline at the end",
    b"emoji \xf0\x9f\x8e\x89\n\npick 1234567\nexec touch PWNED\n",
    b"caf\xe9 in latin-1\n",
    b"amend! Add a thing\n\nWhat is wanted instead\n",
    b"fixup! Add a thing\n",
    b"Same subject\n",
    b"Same subject\n",
]


def random_chain(dice: random.Random, builder: RepositoryBuilder) -> tuple[str | None, list[str]]:
    """A chain of 1 to 6 commits that edit, add, delete, move and retype a few files, some of them changing nothing."""
    lines = [b"line %d\n" % number for number in range(14)]
    files: dict[bytes, Content] = {b"a.py": b"".join(lines), b"b.py": b"".join(reversed(lines))}
    base = builder.commit(files, message=b"The base\n") if dice.random() < 0.75 else None
    tip, chain = base, []
    for step in range(dice.randint(1, 6)):
        for _ in range(dice.choice([0, 1, 1, 1, 2, 3])):
            _edit(dice, files, step)
        message = dice.choice(MESSAGES)
        tip = builder.commit(files, [tip] if tip else [], message)
        if not message.isascii():
            tip = _as_another_tool_writes_it(dice, builder, tip, message)
        chain.append(tip)
    return base, chain


def _as_another_tool_writes_it(dice: random.Random, builder: RepositoryBuilder, commit: str, message: bytes) -> str:
    """The commit with the bytes of its message as they are, perhaps with a header that says in which encoding."""
    header = dice.choice([b"", b"\nencoding ISO-8859-1", b"\nencoding no-such-thing"])
    head = builder.git.run("cat-file", "commit", commit).partition(b"\n\n")[0]
    content = head + header + b"\n\n" + message
    return builder.git.line("hash-object", "-t", "commit", "-w", "--stdin", stdin=content)


def _edit(dice: random.Random, files: dict[bytes, Content], step: int) -> None:
    kind = dice.random()
    path = dice.choice(sorted(files))
    content = files[path]
    assert isinstance(content, bytes)
    if kind < 0.08 and len(files) > 1:
        del files[path]
    elif kind < 0.16:
        files[dice.choice([b"c.py", b"dir/d.py", b"dir/e f.py"])] = b"new in %d\n" % step * 3
    elif kind < 0.22:
        files[b"moved-" + path] = files.pop(path)
    else:
        lines = content.split(b"\n")
        spot = dice.randrange(len(lines))
        insert = dice.random() < 0.3
        lines[spot : spot + (0 if insert else 1)] = [b"changed by %d" % dice.choice([step, step, 0])]
        files[path] = b"\n".join(lines)


def random_plan(dice: random.Random, commits: int) -> list[Step]:
    order = list(range(commits))
    if dice.random() < 0.6:
        dice.shuffle(order)
    while True:
        steps = []
        for commit in order:
            command = dice.choice([Command.PICK, Command.PICK, *Command])
            if command is Command.DROP and dice.random() < 0.5:
                command = Command.FIXUP
            text = b"Written by the agent %d\n\n# 'not' a comment\n" % commit if command.needs_message else None
            steps.append(Step(commit, command, text))
        try:
            if groups_of(steps):
                return steps
        except ValueError:
            pass
