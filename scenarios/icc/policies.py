"""Reference agents of iterative committing. They need no model; what they get is what any figure must be read against.

`one-commit`, `per-hunk` and `by-definition` follow one rule each. `tool-oracle` knows the real commits and goes as
near to them as hunks let it. `oracle` commits the real trees past all tools. All but `oracle` work through the tools
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gitgoodbench.git.hunks import Hunk
from gitgoodbench.git.messages import clean_message
from gitgoodbench.git.objects import SUBMODULE, Entry, changed_paths, read_blobs, read_tree, stage
from gitgoodbench.git.paths import show_path
from gitgoodbench.plugin.arguments import MAX_MESSAGE_BYTES
from gitgoodbench.scenario import Call, Policy
from gitgoodbench.scoring.syntax import definitions, enclosing_definition, language_of
from gitgoodbench.shell_tools import ShellTools
from gitgoodbench.workspace.build import commit_index, put_objects

from .changes import FileChange, FileContent, Part
from .division import Division, Piece
from .episode import CommitEpisode
from .nearest import mixed_hunks, pieces_by_commit
from .shell_commits import commit_by_shell
from .tools import ExtendedCommitTools

REASON = "Reference agent."
REST_MESSAGE = "Change the other files"


@dataclass(frozen=True)
class Group:
    """Pieces for one commit."""

    message: str
    pieces: Sequence[Piece]


def reference_policies() -> Mapping[str, Policy]:
    return {
        "one-commit": _by_rule(lambda division: [Group("Change everything", list(division.remaining))]),
        "per-hunk": _by_rule(
            lambda division: [
                Group(f"Change part {number} of {_name(piece.file)}", [piece])
                for number, piece in enumerate(division.remaining, 1)
            ]
        ),
        "by-definition": _by_rule(group_by_definition),
        "tool-oracle": tool_oracle,
        "oracle": oracle,
    }


def oracle(episode: CommitEpisode, call: Call) -> None:  # noqa: ARG001
    """Commit the real trees with the real messages, without any tool."""
    reference = episode.reference
    chain = reference.chain
    put_objects(episode.sandbox, reference.mirror, chain.commits, [episode.base])
    head, before = episode.base, read_tree(reference.mirror, episode.base)
    for commit, message in zip(chain.commits, reference.messages, strict=True):
        after = read_tree(reference.mirror, commit)
        changes = {path: entry for path, (_, entry) in changed_paths(before, after).items()}
        stage(episode.git, dict(sorted(changes.items(), key=lambda change: change[1] is not None)))
        head, before = commit_index(episode.git, message, [head]), after
    episode.bypassed_tools = True


def tool_oracle(episode: CommitEpisode, call: Call) -> None:
    """Commit every hunk where most of its lines were committed really; where hunks can be split, split mixed ones."""
    if isinstance(episode.toolbox, ShellTools):
        _real_commits_by_shell(episode, call)
        return
    division, reference = episode.division, episode.reference
    grouping, messages = reference.grouping, reference.messages
    if isinstance(episode.toolbox, ExtendedCommitTools):
        for number, cuts in mixed_hunks(division, grouping):
            call("split_hunk", hunk=number, after_lines=cuts)
    by_commit = pieces_by_commit(division, grouping, len(messages))
    groups = [Group(_text(messages[number]), pieces) for number, pieces in by_commit.items()]
    _commit_groups(episode, call, groups, _text(messages[-1]))


def group_by_definition(division: Division) -> list[Group]:
    """Hunks of one function or class together, in the order of their first lines; what is in none, file by file."""
    groups: dict[tuple[bytes, str], list[Piece]] = {}
    for piece in division.remaining:
        groups.setdefault((piece.file.new_path, _definition(piece.file, piece.part)), []).append(piece)
    return [
        Group(f"Change {name or show_path(path)}", pieces) for (path, name), pieces in groups.items()
    ]  # fmt: skip


def _by_rule(rule: Callable[[Division], list[Group]]) -> Policy:
    def policy(episode: CommitEpisode, call: Call) -> None:
        _commit_groups(episode, call, rule(episode.division), REST_MESSAGE)

    return policy


def _commit_groups(episode: CommitEpisode, call: Call, groups: Iterable[Group], rest_message: str) -> None:
    """Commit the groups in order, then the other files. A call that is refused is not repeated."""
    division = episode.division
    if isinstance(episode.toolbox, ShellTools):
        own = Division(division.offered, division.rest)
        for group in groups:
            commit_by_shell(call, own.take(group.pieces), group.message.encode("utf-8", "surrogateescape"))
        if not own.rest_committed:
            commit_by_shell(call, own.take_rest(), rest_message.encode("utf-8", "surrogateescape"))
        call("finish", message=REASON)
        return
    for group in groups:
        numbers = [number for number, piece in enumerate(division.remaining, 1) if piece in group.pieces]
        left = len(division.remaining)
        call("commit_changes_in", selected_hunks=numbers, commit_message=group.message, reason=REASON)
        if len(division.remaining) == left:
            return
    if not division.finished:
        call("commit_remaining_changes", commit_message=rest_message, reason=REASON)


def _real_commits_by_shell(episode: CommitEpisode, call: Call) -> None:
    """The real trees, one by one, through `run_command`."""
    reference = episode.reference
    before = read_tree(reference.mirror, episode.base)
    for commit, message in zip(reference.chain.commits, reference.messages, strict=True):
        after = read_tree(reference.mirror, commit)
        changes = {path: new for path, (_, new) in changed_paths(before, after).items()}
        wanted = [entry.oid for entry in changes.values() if entry is not None and entry.mode != SUBMODULE]
        blobs = read_blobs(reference.mirror, wanted)
        commit_by_shell(call, {path: _with_content(entry, blobs) for path, entry in changes.items()}, message)
        before = after
    call("finish", message=REASON)


def _with_content(entry: Entry | None, blobs: Mapping[str, bytes | None]) -> Entry | FileContent | None:
    content = blobs.get(entry.oid) if entry is not None else None
    return entry if entry is None or content is None else FileContent(entry.mode, content)


def _definition(file: FileChange, part: Part) -> str:
    """The name of the innermost function or class that holds all changed lines; empty where there is none."""
    language = language_of(file.new_path)
    if language is None or file.text is None or not isinstance(part, Hunk):
        return ""
    text = file.text
    new = [line for position in part.changed if (line := text.new_line(position)) is not None]
    old = [line for position in part.changed if (line := text.old_line(position)) is not None]
    lines, content = (new, file.new_content) if new else (old, file.old_content)
    found = enclosing_definition(definitions(content, language), min(lines), max(lines) + 1)
    return "" if found is None else found.name


def _name(file: FileChange) -> str:
    return show_path(file.new_path)


def _text(message: bytes) -> str:
    """A real message as a tool takes it: none is empty or too long."""
    return clean_message(message[: MAX_MESSAGE_BYTES - 1]).decode("utf-8", "surrogateescape") or "(no message)"
