"""What the tools do beside what Git does: one random plan, one random division."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gitgoodbench.agents.calls import call_tool
from gitgoodbench.git.process import Git
from gitgoodbench.git.rebase_plan import Step, groups_of
from gitgoodbench.sandbox.local import LocalProvider
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from tests.support import chains, rebases
from tests.support.random_rebase import random_chain, random_plan
from tests.support.real_rebase import RealRebase, real_rebase
from tests.support.repositories import RepositoryBuilder

# Rebases


def compare_plan(seed: int, folder: Path) -> str:
    """Carry out one random plan both ways; what came of it, beginning with `differs` where they disagree."""
    dice = random.Random(seed)
    builder = RepositoryBuilder(folder / "source.git")
    base, chain = random_chain(dice, builder)
    steps = random_plan(dice, len(chain))
    builder.branch("main", chain[-1])
    real = real_rebase(builder.git, folder / "real", base, chain, steps)
    case = rebases.RebaseCase(builder, base, tuple(chain))
    with rebases.begin(case, LocalProvider()) as (episode, _):
        refused = execute(episode, steps)
        made = commits_above(episode.git, base)
        return judge_plan(chain, steps, real, made, refused, commits_above(builder.git.with_env(), base, chain[-1]))


def execute(episode: Any, steps: Sequence[Step]) -> str | None:
    """Send the plan and execute it, twice where it loses contents; returns the refusal."""
    items = [
        {"commit_index": step.commit, "command": str(step.command), "commit_msg": text_of(step.message)}
        for step in steps
    ]
    episode.begin_answer()
    planned = call_tool(episode.tools, "update_rebase_todo_list", {"rebase_todo_list_items": items})
    if planned.is_error:
        return planned.text
    episode.begin_answer()
    result = call_tool(episode.tools, "execute_rebase", {})
    if result.text.startswith("error: not carried out: the contents"):
        result = call_tool(episode.tools, "execute_rebase", {})
    return result.text if result.is_error else None


def text_of(message: str | bytes | None) -> str | None:
    return message.decode() if isinstance(message, bytes) else message


def judge_plan(
    chain: Sequence[str],
    steps: Sequence[Step],
    real: RealRebase,
    made: list[tuple[str, bytes, bytes]],
    refused: str | None,
    before: list[tuple[str, bytes, bytes]],
) -> str:
    melded = {chain[step.commit] for group in groups_of(steps) if len(group) > 1 for step in group}
    if (real.commits is None and not real.unmerged) or real.dropped & melded:
        return "other by decision (scenarios/ir/README.md)"
    if real.commits is None:
        stopped = chain.index(real.stopped_at) if real.stopped_at else None
        same = refused is not None and f"commit {stopped} (" in refused and made == before
        return "the same conflict" if same else f"differs: conflict, {refused}"
    if refused is not None and "leaves every commit as it is" in refused:
        same = [(tree, message) for tree, _, message in real.commits] == [(t, m) for t, _, m in before]
        return "nothing to do" if same else f"differs: {refused}"
    if refused is not None and "nothing would be left" in refused:
        return "nothing left, refused" if not real.commits else f"differs: {refused}"
    return "the same commits" if refused is None and made == real.commits else f"differs: {refused}"


def commits_above(git: Git, base: str | None, tip: str = "HEAD") -> list[tuple[str, bytes, bytes]]:
    """Tree, author and message of each commit, oldest first."""
    found = []
    for oid in git.run("rev-list", "--reverse", tip, *([f"^{base}"] if base else [])).decode().split():
        head, _, message = git.run("cat-file", "commit", oid).partition(b"\n\n")
        headers = dict(line.split(b" ", 1) for line in head.split(b"\n") if b" " in line)
        found.append((headers[b"tree"].decode(), headers[b"author"], message))
    return found


# Divisions

_HUNK = re.compile(
    r"^Hunk (\d+) \(of \d+\) in [^\n]*:\n(@@ .*?)(?=\n\nHunk \d+ \(|\n\nThe hunks after|\Z)", re.M | re.S
)
_STARTS = re.compile(rb"\A@@ -(\d+)((?:,\d+)?) \+\d+((?:,\d+)?) @@")


def shown_hunks(text: str) -> dict[int, str]:
    return {int(number): body for number, body in _HUNK.findall(text)}


def random_text(dice: random.Random) -> tuple[bytes, bytes, bytes]:
    """A file as it was, half way and as it is in the end: lines of many kinds, also the same ones over and over."""
    end = dice.choice([b"\n", b"\n", b"\r\n"])
    kinds = [
        b"one",
        b"two",
        b"\tthree ",
        b"",
        b"}",
        b"f\x0cg",
        b"a\rb",
        b"\xe2\x80\xa8",
        b"@@ -1 +1 @@",
        b"-- x",
        b"++ y",
    ]
    if dice.random() < 0.3:
        kinds.append(b"caf\xe9")
    old = [dice.choice([*kinds, b"line %d" % number, b"line %d" % number]) for number in range(dice.randint(3, 60))]
    middle, new = edited(dice, old, kinds), edited(dice, old, kinds)
    return tuple(end.join(lines) + dice.choice([end, end, b""]) for lines in (old, middle, new))  # type: ignore[return-value]


def edited(dice: random.Random, lines: Sequence[bytes], kinds: Sequence[bytes]) -> list[bytes]:
    lines = list(lines)
    for _ in range(dice.randint(1, 8)):
        spot = dice.randrange(len(lines) + 1)
        lines[spot : spot + dice.choice([0, 1, 1, 2])] = [dice.choice(kinds) for _ in range(dice.choice([0, 1, 1, 3]))]
    return lines or [b"one"]


def compare_division(seed: int, folder: Path) -> Iterator[str]:
    """Divide one random change; for each commit what came of it."""
    dice = random.Random(seed)
    old, middle, new = random_text(dice)
    if old == new:
        return
    case = chains.make_chain(folder / "r.git", [{b"a.py": old}, {b"a.py": middle}, {b"a.py": new}])
    extended = seed % 2 == 1
    options = EpisodeOptions(ToolSet.EXTENDED if extended else ToolSet.PUBLISHED)
    encoding = "utf-8" if all(is_utf8(text) for text in (old, new)) else "latin-1"
    with chains.begin(case, LocalProvider(), options) as (episode, _):
        shown = shown_hunks(episode.prompt[1]["content"])
        content = old
        while not episode.finished:
            if extended and dice.random() < 0.6:
                shown = shown_hunks(split(dice, episode, shown)) or shown
            chosen = sorted(dice.sample(sorted(shown), 1 if extended else dice.randint(1, len(shown))))
            episode.begin_answer()
            arguments = {"selected_hunks": chosen, "commit_message": f"Commit {chosen}"}
            result = call_tool(episode.tools, "commit_changes_in", arguments)
            if result.is_error:
                yield f"differs: {result.text}"
                return
            patches = [shown[number] for number in reversed(chosen)]
            applied = apply_cached(folder / "apply", content, [as_patch(text, encoding, extended) for text in patches])
            content = episode.git.run("cat-file", "blob", "HEAD:a.py")
            yield "the same file" if content == applied else f"differs: {applied!r}"
            shown = shown_hunks(result.text)
        if content != new:
            yield "differs: the end"


def split(dice: random.Random, episode: Any, shown: dict[int, str]) -> str:
    """Split a hunk somewhere, and show all of them as they are then."""
    number = dice.choice(sorted(shown))
    changed = sum(line[5:6] in ("+", "-") for line in shown[number].split("\n")[1:])
    if changed < 2:
        return ""
    episode.begin_answer()
    result = call_tool(episode.tools, "split_hunk", {"hunk": number, "after_lines": [dice.randint(1, changed - 1)]})
    assert not result.is_error, result.text
    return str(episode.toolbox.left())


def as_patch(shown: str, encoding: str, numbered: bool) -> bytes:
    header, *rows = shown.split("\n")
    rows = [row if row.startswith("\\ No newline") or not numbered else row[5:] for row in rows]
    starts = _STARTS.sub(rb"@@ -\1\2 +\1\3 @@", header.encode(encoding))
    lines = [b"--- a/a.py", b"+++ b/a.py", starts, *(row.encode(encoding) for row in rows)]
    return b"".join(line + b"\n" for line in lines)


def apply_cached(folder: Path, content: bytes, patches: Sequence[bytes]) -> bytes | str:
    """What `git apply --cached` makes of the file, patch by patch; its complaint where it refuses one."""
    git = Git(folder / "r.git", folder)
    if not folder.exists():
        folder.mkdir(parents=True)
        git.run("init", "--quiet", "--template=")
    blob = git.line("hash-object", "-w", "--stdin", stdin=content)
    git.run("update-index", "--add", "--cacheinfo", f"100644,{blob},a.py")
    for patch in patches:
        result = git.execute("apply", "--cached", "--whitespace=nowarn", "-", stdin=patch)
        if result.returncode:
            return result.stderr.decode("utf-8", "replace")
    return git.run("cat-file", "blob", ":a.py")


def is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
