"""`--global`: hooks for repositories to come.

Where the user has a global `core.hooksPath`, its hooks get our lines, and every repository is served. Where not, a
template folder does it (`init.templateDir`): `git clone` and `git init` copy its hooks. We never set `core.hooksPath`
ourselves: Git would then ignore the hooks of every repository, and pre-commit refuses to be installed.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from gitgoodbench.errors import UserError
from gitgoodbench.feedback.install import Hook, install_hooks, uninstall_hooks, write_script
from gitgoodbench.feedback.repository import ask, ask_path

_TEMPLATE: Final = "init.templateDir"


def data_folder() -> Path:
    """The folder of what is installed for all repositories of a user."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home, "gitgoodbench", "feedback")


def install_everywhere(variables: Iterable[str]) -> list[Hook]:
    """Put our lines into the hooks that all repositories use, or into those that new ones are given.

    Raises:
        UserError: a folder or the user's configuration cannot be written.
    """
    data = data_folder()
    try:
        write_script(data, variables)
    except OSError as problem:
        raise UserError(
            f"{data} cannot be written ({problem.strerror}): set XDG_DATA_HOME to a folder that can"
        ) from problem
    script = shlex.quote(str(data / "hook"))
    shared = _configured("core.hooksPath")
    if shared is not None:
        return install_hooks(shared, script)
    template = _configured(_TEMPLATE)
    if template is None:
        template = data / "template"
        (template / "info").mkdir(parents=True, exist_ok=True)  # as in Git's own template
        (template / "info" / "exclude").touch()
        if ask(Path.home(), "config", "--global", _TEMPLATE, str(template)) is None:
            raise UserError(f"the user's Git configuration cannot be written: set {_TEMPLATE} to {template} by hand")
    return install_hooks(template / "hooks", script)


def uninstall_everywhere() -> list[Path]:
    """Take our lines out again. Hooks that were copied into repositories do nothing from now on."""
    data = data_folder()
    folders = [folder for folder in (_configured("core.hooksPath"), _configured(_TEMPLATE)) if folder is not None]
    changed = [path for folder in folders for path in uninstall_hooks(folder) + uninstall_hooks(folder / "hooks")]
    if _configured(_TEMPLATE) == data / "template":
        ask(Path.home(), "config", "--global", "--unset", _TEMPLATE)
    (data / "hook").unlink(missing_ok=True)
    return changed


def _configured(name: str) -> Path | None:
    return ask_path(Path.home(), "config", "--global", "--type=path", "--get", name)
