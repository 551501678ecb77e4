"""Put hooks where Git looks for them, beside what is there, and take them out again so that nothing shows.

Where Git looks is what it says itself (`core.hooksPath`, of husky too). A shell script gets our lines at its beginning
and keeps its name, since husky and pre-commit go by `$0`; anything else is moved aside and called by our hook. Files
that the repository tracks are left alone: whoever shares them decides.
"""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from gitgoodbench.errors import UserError
from gitgoodbench.feedback import hook
from gitgoodbench.feedback.excluding import exclude, forget_excluded, is_tracked
from gitgoodbench.feedback.hook import HOOKS
from gitgoodbench.feedback.repository import Repository, ask_path
from gitgoodbench.feedback.store import folder_of
from gitgoodbench.files import make_durably, replacing, write_atomically

PORTABLE: Final = '"$(git rev-parse --git-common-dir 2>/dev/null)/gitgoodbench/feedback/hook"'
_BESIDE: Final = '"${0%/*}/../gitgoodbench/feedback/hook"'
_ASIDE: Final = ".before-gitgoodbench"
_CHAINED: Final = ".gitgoodbench"
_BARE: Final = b"#!/bin/sh\n"
_SUFFIXES: Final = ("", ".legacy", ".old")
"""What pre-commit and lefthook rename hooks to that they find."""

State = Literal["installed", "missing", "by hand"]


@dataclass(frozen=True)
class Hook:
    """One hook. state: `missing`: Git does not call us; `by hand`: the user has to add a line to a tracked file.

    advice: what to do or to know; None where there is nothing.
    """

    name: str
    path: Path
    state: State
    advice: str | None = None


def line_for(name: str) -> str:
    """The line that calls us from a file which people share: it does nothing where feedback is not installed."""
    return f'sh {PORTABLE} {name} "$@" 2>/dev/null || :'


def hooks_folders(repository: Repository) -> list[Path]:
    """Where Git looks for hooks in this repository: one folder, or one in each working tree.

    A relative `core.hooksPath` is of the working tree in which a commit is made. Those that do not have the folder yet
    are left out, but for the first.
    """
    place = repository.roots[0] if repository.roots else repository.common
    configured = ask_path(place, "config", "--type=path", "--get", "core.hooksPath")
    if configured is None:
        return [repository.common / "hooks"]
    folders = dict.fromkeys(Path(os.path.normpath(root / configured)) for root in (repository.roots or (place,)))
    return [folder for number, folder in enumerate(folders) if number == 0 or folder.is_dir()]


def write_script(folder: Path, variables: Iterable[str]) -> None:
    """Write the script that hooks call into a folder of feedback.

    Raises:
        UserError: the hook could not start this installation of gitgoodbench.
        OSError: the folder cannot be written.
    """
    program = _program()
    text = hook.script(program, variables).encode()
    make_durably(folder / "queue")
    target = folder / "hook"
    if not target.is_file() or target.read_bytes() != text:
        write_atomically(target, text)


def install_hooks(folder: Path, script: str, *, repository: Repository | None = None) -> list[Hook]:
    """Put our lines into the hooks of a folder. Doing it again changes nothing.

    script: where ours is, as shell code. repository: whose files are left alone where it tracks them.

    Raises:
        UserError: the folder cannot be written, or a hook cannot be moved aside.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_install(folder / name, name, script, repository) for name in HOOKS]
    except OSError as problem:
        raise UserError(
            f"{folder}, where Git looks for hooks, cannot be written ({problem.strerror}): make it writable, or name "
            "another folder with `git config core.hooksPath`"
        ) from problem


def install_in(repository: Repository, variables: Iterable[str]) -> list[Hook]:
    """Write the script of a repository, and put our lines into its hooks.

    Raises:
        UserError: as `install_hooks` and `write_script`.
    """
    write_script(folder_of(repository.common), variables)
    hooks: list[Hook] = []
    for folder in hooks_folders(repository):
        script = _BESIDE if folder == repository.common / "hooks" else PORTABLE
        hooks += install_hooks(folder, script, repository=repository)
    return hooks


def hooks_in(repository: Repository) -> list[Hook]:
    """What is installed in a repository now, where Git looks for it."""
    return [_look_at(folder / name, name, repository) for folder in hooks_folders(repository) for name in HOOKS]


def uninstall_hooks(folder: Path) -> list[Path]:
    """Take our lines out of a folder of hooks; gives the files that are as they were before.

    Raises:
        OSError: a file cannot be written.
    """
    changed = [path for name in HOOKS for suffix in _SUFFIXES if _restore(path := folder / f"{name}{suffix}", name)]
    with contextlib.suppress(OSError):
        (folder / _CHAINED).rmdir()
    return changed


def uninstall_from(repository: Repository, folders: Iterable[Path]) -> list[Path]:
    """Take everything out of a repository but its database. folders: where hooks were put at some time."""
    places = dict.fromkeys([*hooks_folders(repository), repository.common / "hooks", *folders])
    changed = [path for folder in places if folder.is_dir() for path in uninstall_hooks(folder)]
    (folder_of(repository.common) / "hook").unlink(missing_ok=True)
    forget_excluded(repository)
    return changed


def _program() -> hook.Program:
    """This interpreter, once it is sure that the worker can be imported by it from anywhere."""
    worker = Path(__file__).with_name("worker.py")
    started = subprocess.run(
        [sys.executable, "-E", "-P", "-c", "import gitgoodbench.feedback.worker"],
        cwd="/",
        capture_output=True,
        check=False,
    )
    if started.returncode != 0:
        raise UserError(
            f"{sys.executable} finds gitgoodbench only through PYTHONPATH or the current folder, where hooks do not "
            "look: install it with pip"
        )
    return hook.Program(sys.executable, str(worker))


def _install(path: Path, name: str, script: str, repository: Repository | None) -> Hook:
    if _is_current(path, name, script):
        return _look_at(path, name, repository)
    found = _ours(path, name)
    if found is not None:  # another version of our lines, or of the way to the script
        content, mark = hook.without_lines(found.read_bytes())
        if mark is not None:
            _write(found, hook.with_lines(content, _lines(name, script, mark)), _mode(found))
        return _look_at(path, name, repository)
    if repository is not None and is_tracked(path, repository):
        return _look_at(path, name, repository)
    _put(
        path.with_name(f"{name}.legacy") if _is_called_after_pre_commit(path, name) else path, name, script, repository
    )
    return _look_at(path, name, repository)


def _put(path: Path, name: str, script: str, repository: Repository | None) -> None:
    if not os.path.lexists(path):
        _write(path, hook.with_lines(_BARE, _lines(name, script, "new")), 0o755)
        exclude(path, repository)
    elif not path.is_symlink() and _mode(path) & 0o100 and hook.is_shell(path.read_bytes()):
        _write(path, hook.with_lines(path.read_bytes(), _lines(name, script, "")), _mode(path))
    else:
        _move_aside(path, name)
        _write(path, hook.with_lines(_BARE, _lines(name, script, "moved")), 0o755)


def _is_called_after_pre_commit(path: Path, name: str) -> bool:
    """Whether a hook `.legacy` beside this one is called: one of pre-commit is, and stays when it is installed again.

    pre-commit gives it no input, so post-rewrite has to be called by Git itself.
    """
    return name == "post-commit" and b"pre-commit.com" in _content(path)


def _lines(name: str, script: str, mark: hook.Mark) -> str:
    chained = f'"${{0%/*}}/{_CHAINED}/{name}"' if mark == "moved" else None
    return hook.calling(name, script, mark, chained)


def _is_current(path: Path, name: str, script: str) -> bool:
    found = _ours(path, name)
    if found is None:
        return False
    content = found.read_bytes()
    rest, mark = hook.without_lines(content)
    return mark is None or hook.with_lines(rest, _lines(name, script, mark)) == content


def _ours(path: Path, name: str) -> Path | None:
    """The file by which Git calls us: the hook, what pre-commit calls after itself, or husky's file of the user."""
    candidates = [path]
    if _is_called_after_pre_commit(path, name):
        candidates.append(path.with_name(f"{name}.legacy"))
    if path.parent.name == "_":
        candidates.append(path.parent.parent / name)
    return next((one for one in candidates if hook.has_lines(_content(one))), None)


def _look_at(path: Path, name: str, repository: Repository | None) -> Hook:
    content = _content(path)
    ours = _ours(path, name)
    advice = _advice(path, name, content) if ours == path else None
    if ours is not None:
        runs = os.access(path, os.X_OK)
        return Hook(
            name, path, "installed" if runs else "missing", advice if runs else f"make it executable: chmod +x {path}"
        )
    if repository is not None and is_tracked(path, repository):
        return Hook(name, path, "by hand", f"the repository tracks {path}: put this line into it: {line_for(name)}")
    return Hook(name, path, "missing", "run `gitgoodbench feedback install`")


def _advice(path: Path, name: str, content: bytes) -> str | None:
    """How our lines stay in a hook that a program writes anew."""
    line = line_for(name)
    if path.parent.name == "_":
        place = path.parent.parent / name
        return f"husky writes its hooks anew at every `npm install`: to stay, put this line into {place}: {line}"
    if b"call_lefthook" in content:
        return f"lefthook writes its hooks anew when its configuration changes: to stay, let {name} in it run: {line}"
    return None


def _move_aside(path: Path, name: str) -> None:
    aside = path.with_name(name + _ASIDE)
    if os.path.lexists(aside):
        raise UserError(f"{aside} is in the way: it was left by an earlier installation; look at it, and remove it")
    chained = path.parent / _CHAINED
    chained.mkdir(exist_ok=True)
    link = chained / name
    link.unlink(missing_ok=True)
    link.symlink_to(Path("..", aside.name))  # the program that was here finds itself called by its own name
    path.rename(aside)


def _restore(path: Path, name: str) -> bool:
    content, mark = hook.without_lines(_content(path))
    if mark is None:
        return False
    aside = path.with_name(name + _ASIDE)
    if mark == "moved" and content == _BARE and os.path.lexists(aside):
        aside.replace(path)
        (path.parent / _CHAINED / name).unlink(missing_ok=True)
    elif mark == "new" and content == _BARE:
        path.unlink()
    else:
        _write(path, content, _mode(path))
    return True


def _write(path: Path, content: bytes, mode: int) -> None:
    with replacing(path) as partial:
        partial.write_bytes(content)
        partial.chmod(mode)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
