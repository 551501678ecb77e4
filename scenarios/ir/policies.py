"""Reference agents of interactive rebase. They need no model; what they score is what any figure must be read against.

`squash-all` makes one commit of the chain. `reword-last` changes one character of the last message. `autosquash` folds
each commit into the earlier one whose lines it changes, where there is one. They work through the tools alone. `oracle`
leaves what the maintainers left, past all tools: what it cannot pass is a fault of the harness.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.commits import write_commit
from gitgoodbench.git.hunks import Mark
from gitgoodbench.git.messages import clean_message
from gitgoodbench.git.rebase_plan import Command, Step
from gitgoodbench.git.text import to_text
from gitgoodbench.plugin.arguments import MAX_MESSAGE_BYTES
from gitgoodbench.scenario import Call, Policy
from gitgoodbench.scoring.history_lines import ChangedFile, LineHistory, LineReader
from gitgoodbench.shell_tools import ShellTools

from .episode import RebaseEpisode, Reference

REASON = "Reference agent."
REMARK = b"This completes a series of changes.\n"
_TODO = ".git/reference-todo"


def reference_policies() -> Mapping[str, Policy]:
    return {"squash-all": squash_all, "reword-last": reword_last, "autosquash": autosquash, "oracle": oracle}


def oracle(episode: RebaseEpisode, call: Call) -> None:  # noqa: ARG001
    """The real history, commit for commit, with one line more in its newest message.

    The truth of this scenario is the chain that the agent is given, and who leaves it as it was has done nothing: the
    gate `history_changed` says so. The remark is the least change that is one, and moves no line between commits.
    """
    newest = episode.reference.commits[-1]
    message = clean_message(newest.message)
    changed = message + b"\n" + REMARK if message else REMARK
    commit = write_commit(episode.git, newest.tree, newest.parents, changed, newest.author)
    episode.git.run("update-ref", "HEAD", commit)
    episode.bypassed_tools = True


def squash_all(episode: RebaseEpisode, call: Call) -> None:
    """One commit, whose message is all the messages."""
    messages = [commit.message for commit in episode.reference.commits]
    text = _as_text(b"\n".join(clean_message(message) for message in messages))
    if len(messages) == 1:
        steps = [Step(0, Command.REWORD, text)]
    else:
        steps = [Step(0, Command.PICK), *(Step(index, Command.FIXUP) for index in range(1, len(messages) - 1))]
        steps.append(Step(len(messages) - 1, Command.SQUASH, text))
    _carry_out(episode, call, steps)


def reword_last(episode: RebaseEpisode, call: Call) -> None:
    """The chain as it was, with a full stop more at the end of its last subject, or one less where there is one.

    Nothing is better for it. What a judge gives it, it gives to the chain as it was.
    """
    *others, last = range(len(episode.reference.commits))
    subject, line_end, body = _as_text(episode.reference.commits[last].message).partition(b"\n")
    subject = subject[:-1] if len(subject) > 1 and subject.endswith(b".") else subject + b"."
    steps = [Step(index, Command.PICK) for index in others]
    _carry_out(episode, call, [*steps, Step(last, Command.REWORD, _as_text(subject + line_end + body))])


def autosquash(episode: RebaseEpisode, call: Call) -> None:
    """Fold each commit into the earlier one of the chain that has most of the lines which it changes.

    Where moving commits conflicts, only those that follow directly on theirs are folded.
    """
    targets = fixup_targets(episode.reference)
    count = len(episode.reference.commits)
    if _carry_out(episode, call, _plan(targets, count)):
        return
    _carry_out(episode, call, _plan(adjacent_targets(targets, count), count))


def fixup_targets(reference: Reference) -> dict[int, int]:
    """Commit -> the earlier commit of the chain that it corrects, by positions.

    A commit corrects another when more than half of the old lines that it touches were added by that one: the lines it
    removes, or where it only adds, the lines above and below.
    """
    base = None if reference.base is None else reference.base.oid
    try:
        history = LineReader(reference.mirror).read(base, [commit.oid for commit in reference.commits])
    except GitGoodBenchError:
        return {}
    touched = _touched_lines(history)
    targets = {}
    for commit, owners in enumerate(touched):
        if not owners:
            continue
        owner, lines = owners.most_common(1)[0]
        if owner is not None and 2 * lines > owners.total():
            targets[commit] = owner
    return targets


def _touched_lines(history: LineHistory) -> list[Counter[int | None]]:
    """Of each commit, whose lines it touches; None stands for what was there before the chain."""
    owners: dict[bytes, list[int | None]] = {}
    touched = []
    for number, files in enumerate(history.commits):
        counts: Counter[int | None] = Counter()
        for file in files:
            counts.update(_touch(file, number, owners))
        touched.append(counts)
    return touched


def _touch(file: ChangedFile, number: int, owners: dict[bytes, list[int | None]]) -> list[int | None]:
    """The owners of the old lines that a commit touches in a file; the file's lines then have their new owners."""
    if file.text is None:
        return []
    script = file.text.script
    old = owners.get(file.path, [None] * sum(line.mark is not Mark.ADDED for line in script))
    before, after = iter(old), []
    marked: list[tuple[Mark, int | None]] = []
    for line in script:
        owner = number if line.mark is Mark.ADDED else next(before)
        marked.append((line.mark, owner))
        if line.mark is not Mark.REMOVED:
            after.append(owner)
    owners[file.path] = after
    touched = [owner for mark, owner in marked if mark is Mark.REMOVED]
    return touched or list(_neighbours(marked))


def _neighbours(marked: Sequence[tuple[Mark, int | None]]) -> Iterable[int | None]:
    """Owners of the kept lines next to added ones."""
    for position, (mark, owner) in enumerate(marked):
        around = marked[max(0, position - 1) : position + 2]
        if mark is Mark.KEPT and any(other is Mark.ADDED for other, _ in around):
            yield owner


def _plan(targets: Mapping[int, int], count: int) -> list[Step]:
    """Every commit in order, each followed by those that are folded into it, directly or through another."""
    folded: dict[int, list[int]] = {}
    roots: dict[int, int] = {}
    for commit in range(count):
        roots[commit] = roots[targets[commit]] if commit in targets else commit
        folded.setdefault(roots[commit], []).append(commit)
    steps = []
    for leader, *others in folded.values():
        steps += [Step(leader, Command.PICK), *(Step(other, Command.FIXUP) for other in others)]
    return steps


def adjacent_targets(targets: Mapping[int, int], count: int) -> dict[int, int]:
    """Those of the targets that can be reached without moving a commit."""
    kept: dict[int, int] = {}
    for commit in range(1, count):
        target = targets.get(commit)
        if target is not None and all(between in kept for between in range(target + 1, commit)):
            kept[commit] = target
    return kept


def _carry_out(episode: RebaseEpisode, call: Call, steps: Sequence[Step]) -> bool:
    """Carry out a plan through whichever tools there are. Returns whether that was the end of it."""
    if isinstance(episode.toolbox, ShellTools):
        return _rebase_by_shell(episode, call, steps)
    items = [
        {"commit_index": step.commit, "command": str(step.command), "commit_msg": _text_of(step)} for step in steps
    ]
    call("update_rebase_todo_list", rebase_todo_list_items=items, reason=REASON)
    call("execute_rebase", reason=REASON)
    return episode.finished


def _rebase_by_shell(episode: RebaseEpisode, call: Call, steps: Sequence[Step]) -> bool:
    """Git's own rebase, with a todo list and a message that are files. Undone where it stops."""
    reference = episode.reference
    todo = "".join(f"{step.command} {reference.commits[step.commit].oid}\n" for step in steps)
    message = next((_text_of(step) for step in reversed(steps) if step.message is not None), None)
    onto = "--root" if reference.base is None else reference.base.oid
    call("run_command", command=f"printf %s {shlex.quote(todo)} > {_TODO}", timeout_s=60)
    call("run_command", command=f"printf %s {shlex.quote(message or '')} > {_TODO}.message", timeout_s=60)
    editors = f"GIT_SEQUENCE_EDITOR='cp {_TODO}' GIT_EDITOR='cp {_TODO}.message'"
    rebase = f"{editors} git -c commit.cleanup=whitespace rebase -i --no-autosquash --empty=drop {onto}"
    said = call("run_command", command=f"{rebase} || {{ git rebase --abort; false; }}", timeout_s=600)
    if not said.startswith("exit code 0"):
        return False
    call("finish", message=REASON)
    return True


def _as_text(message: bytes) -> bytes:
    """A message that the tools take: none is blank, or longer than they allow."""
    return clean_message(message[: MAX_MESSAGE_BYTES - 1].replace(b"\0", b"")) or b"No message\n"


def _text_of(step: Step) -> str | None:
    return None if step.message is None else to_text(step.message, "utf-8")
