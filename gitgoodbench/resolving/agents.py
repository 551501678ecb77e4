"""Reference agents that resolve conflicts. They need no model; what they score is what any figure must be read against.

Some settle every conflict by one rule (`resolving.rules`). `tool-oracle` knows the real commit and goes as near to it
as the tools let it: what it cannot solve, no agent can with these tools. `oracle` puts the real tree in place past all
tools: what it cannot solve is a fault of the harness. All but `oracle` work through the tools alone.
"""

from __future__ import annotations

import base64
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence

from gitgoodbench.git.conflicts import PathConflict
from gitgoodbench.git.objects import (
    EXECUTABLE,
    REGULAR,
    SUBMODULE,
    SYMLINK,
    Entry,
    Tree,
    changed_paths,
    read_blobs,
    stage,
)
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.text import encoding_of, to_text
from gitgoodbench.resolving.episode import ResolvingEpisode
from gitgoodbench.resolving.resolution import Answer, Resolution
from gitgoodbench.resolving.rules import Material, Rule
from gitgoodbench.scenario import Call, Policy
from gitgoodbench.shell_tools import ShellTools
from gitgoodbench.workspace.build import check_out, commit_index, put_objects, write_changed

_TYPES = {REGULAR: "regular", EXECUTABLE: "executable", SYMLINK: "symlink", SUBMODULE: "submodule"}
_CHUNK = 60_000


def policies_of(rules: Mapping[str, Rule]) -> Mapping[str, Policy]:
    """Reference agents: those that follow a rule, and those that know the truth."""
    return {
        **{name: _by_rule(rule) for name, rule in rules.items()},
        "tool-oracle": tool_oracle,
        "oracle": oracle,
    }


def oracle(episode: ResolvingEpisode, call: Call) -> None:  # noqa: ARG001
    """Put the real commit's tree in place and commit it, without any tool."""
    reference, model, task = episode.reference, episode.resolution.model, episode.task
    put_objects(episode.sandbox, reference.mirror, [reference.commit], task.begun_with)
    paths = (*changed_paths(model.automatic, reference.tree), *model.replay.conflicted)
    changes = {path: reference.tree.get(path) for path in paths}
    changes = dict(sorted(changes.items(), key=lambda change: change[1] is not None))  # what goes comes first
    stage(episode.git, changes)
    if not write_changed(episode.git, changes):
        check_out(episode.git, episode.git.line("write-tree", "--missing-ok"))
    commit_index(episode.git, _message(episode).encode() + b"\n", task.parents, task.pending)
    episode.bypassed_tools = True


def tool_oracle(episode: ResolvingEpisode, call: Call) -> None:
    """Answer every conflict as the real commit did; with more tools, also change what it changed elsewhere."""
    reference = episode.reference
    if isinstance(episode.toolbox, ShellTools):
        _apply_by_shell(episode, call, reference.tree, _truth_reader(episode))
        return
    _answer_all(episode, call, reference.solution.answers)
    if _has_tool(episode, "edit_file"):
        _edit_the_rest(episode, call)
        call("finish", message=_message(episode))


def _message(episode: ResolvingEpisode) -> str:
    """The first line of what the commit is called where an agent does not say."""
    subject = to_text(episode.task.message, "utf-8").strip().partition("\n")[0].replace("\0", "")
    return subject[:500].strip() or f"Finish the {episode.task.noun}"


def _by_rule(rule: Rule) -> Policy:
    def policy(episode: ResolvingEpisode, call: Call) -> None:
        model = episode.resolution.model
        git = episode.replayed
        answers = rule(Material(git, model, lambda oids: read_blobs(git, oids)))
        if isinstance(episode.toolbox, ShellTools):
            _resolve_by_shell(episode, call, answers)
            return
        _answer_all(episode, call, answers)
        if _has_tool(episode, "finish"):
            call("finish", message=_message(episode))

    return policy


def _answer_all(episode: ResolvingEpisode, call: Call, answers: Sequence[Answer]) -> None:
    """Answer the conflicts in order through the tools. A call that is refused is repeated once: it is meant so."""
    resolution = episode.resolution
    refused = None
    while (number := resolution.current) is not None:
        conflict, chosen = resolution.conflict(number), answers[number]
        if isinstance(conflict, PathConflict):
            call("resolve_current_merge_conflict_by_choosing", choice=str(chosen), reason="Reference agent.")
        else:
            assert isinstance(chosen, bytes)
            text = to_text(chosen, encoding_of(resolution.content(conflict.path)))
            call("resolve_current_merge_conflict_with", content=text, reason="Reference agent.")
        if resolution.current == number == refused:
            return
        refused = number if resolution.current == number else None


def _edit_the_rest(episode: ResolvingEpisode, call: Call) -> None:
    """Bring every file that is not yet as in the truth there, deletions first."""
    toolbox = episode.toolbox
    assert not isinstance(toolbox, ShellTools)
    truth, read = episode.reference.tree, _truth_reader(episode)
    changes = changed_paths(_settled_tree(episode), truth)
    for path, (_, after) in sorted(changes.items(), key=lambda change: change[1][1] is not None):
        current = toolbox.files.read(path)
        if after is None:
            if current is not None:
                call("edit_file", path=show_path(path), old_text="", new_text="", file_type="deleted")
            continue
        content = after.oid.encode() if after.mode == SUBMODULE else read(after)
        if current is not None and (current.mode, current.content) == (after.mode, content):
            continue
        replaced = current.content if current is not None and current.mode != SUBMODULE else b""
        encoding = encoding_of(replaced)
        call(
            "edit_file",
            path=show_path(path),
            old_text=to_text(replaced, encoding),
            new_text=to_text(content, "utf-8" if after.mode == SUBMODULE else encoding),
            file_type=_TYPES[after.mode],
        )


def _settled_tree(episode: ResolvingEpisode) -> dict[bytes, Entry]:
    """The automatic merge with the conflicts' answers; content of files that had regions counts as changed."""
    tree = dict(episode.resolution.model.automatic)
    for path, settled in episode.resolution.entries().items():
        if settled is None:
            tree.pop(path, None)
        else:
            entry, content = settled
            tree[path] = Entry(entry.mode, "rewritten") if content is not None else entry
    return tree


def _truth_reader(episode: ResolvingEpisode) -> Callable[[Entry], bytes]:
    def read(entry: Entry) -> bytes:
        return read_blobs(episode.reference.mirror, [entry.oid])[entry.oid] or b""

    return read


def _has_tool(episode: ResolvingEpisode, name: str) -> bool:
    return any(tool.name == name for tool in episode.tools)


def _resolve_by_shell(episode: ResolvingEpisode, call: Call, answers: Sequence[Answer]) -> None:
    """Settle the conflicts in a Resolution of our own, and write the files it makes through the shell."""
    resolution = Resolution(episode.resolution.model)
    while (number := resolution.current) is not None:
        resolution.answer(answers[number])
    target = dict(resolution.model.automatic)
    contents: dict[str, bytes] = {}
    for path, settled in resolution.entries().items():
        if settled is None:
            target.pop(path, None)
            continue
        entry, content = settled
        if content is not None:
            entry = Entry(entry.mode, f"content of {show_path(path)}")
            contents[entry.oid] = content
        target[path] = entry

    def read(entry: Entry) -> bytes:
        if entry.oid in contents:
            return contents[entry.oid]
        return read_blobs(episode.reference.mirror, [entry.oid])[entry.oid] or b""

    _apply_by_shell(episode, call, target, read)


def _apply_by_shell(episode: ResolvingEpisode, call: Call, target: Tree, read: Callable[[Entry], bytes]) -> None:
    """Turn what has stopped into the tree `target` through `run_command`, stage what changed and commit."""
    model, message = episode.resolution.model, _message(episode)
    changes = {path: target.get(path) for path in (*changed_paths(model.automatic, target), *model.replay.conflicted)}
    for path, entry in sorted(changes.items(), key=lambda change: change[1] is not None):
        for command in _shell_commands(path, entry, read):
            call("run_command", command=command, timeout_s=60)
    call("run_command", command=f"git commit -q --allow-empty -m {shlex.quote(message)}", timeout_s=60)
    call("finish", message=_message(episode))


def _shell_commands(path: bytes, entry: Entry | None, read: Callable[[Entry], bytes]) -> Iterator[str]:
    """Commands that make and stage one file; contents travel in base64, a piece per command."""
    bare = path.decode("utf-8", "surrogateescape")
    name = shlex.quote(f"./{bare}")
    if entry is None:
        yield f"git --literal-pathspecs rm -q -r --cached --ignore-unmatch -- {name}; rm -rf -- {name}"
        return
    yield f'rm -rf -- {name}; mkdir -p -- "$(dirname -- {name})"'
    if entry.mode == SUBMODULE:
        yield f"mkdir -p -- {name}; git update-index --add --cacheinfo {entry.mode},{entry.oid},{shlex.quote(bare)}"
        return
    if entry.mode == SYMLINK:
        yield f"ln -s -- {shlex.quote(read(entry).decode('utf-8', 'surrogateescape'))} {name}"
    else:
        encoded = base64.b64encode(read(entry)).decode()
        for start in range(0, max(1, len(encoded)), _CHUNK):
            yield f"printf %s {encoded[start : start + _CHUNK]} | base64 -d >> {name}"
        yield f"chmod {'755' if entry.mode == EXECUTABLE else '644'} -- {name}"
    yield f"git --literal-pathspecs add -f -- {name}"
