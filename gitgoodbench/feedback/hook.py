"""The text of hooks. A commit waits for a short shell script, never for Python.

A hook file holds a few lines between marks, which call the script `hook` beside the queue. The script writes down the
event, starts the worker in the background, and says nothing. All that it does may fail: the next run finds the commit
in the reflog.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

HOOKS: Final = ("post-commit", "post-rewrite")
VERSION: Final = 1

_BEGIN: Final = "# >>> gitgoodbench feedback >>>"
_END: Final = "# <<< gitgoodbench feedback <<<"
_LINES: Final = re.compile(
    rb"^# >>> gitgoodbench feedback >>>([^\n]*)\n.*?^# <<< gitgoodbench feedback <<<\n", re.M | re.S
)
_SHELL: Final = re.compile(rb"#! ?(?:/usr)?(?:/local)?/bin/(?:env )?(?:sh|bash|dash|ksh|zsh)(?: -[a-z]+)?\n")
_CALL: Final = b"gitgoodbench/feedback/hook"
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Mark = Literal["", "new", "moved"]


@dataclass(frozen=True)
class Program:
    """What the hook starts: an interpreter, and the file by which it sees whether gitgoodbench is still there."""

    python: str
    worker: str


def is_shell(content: bytes) -> bool:
    """Whether a hook is a shell script, into which lines can be put."""
    return _SHELL.match(content) is not None


def has_lines(content: bytes) -> bool:
    """Whether a hook holds our lines, or a line of the user's own that calls our script."""
    return _CALL in content


def without_lines(content: bytes) -> tuple[bytes, Mark | None]:
    """A hook without our lines, and how it was made; None where it has none."""
    found = _LINES.search(content)
    if found is None:
        return content, None
    word = found.group(1).strip().decode("ascii", "replace")
    mark: Mark = "new" if word == "new" else "moved" if word == "moved" else ""
    return content[: found.start()] + content[found.end() :], mark


def with_lines(content: bytes, lines: str) -> bytes:
    """A shell script with our lines at its beginning, so that no `exit` of it comes before them."""
    shebang = content.index(b"\n") + 1
    return content[:shebang] + lines.encode() + content[shebang:]


def calling(name: str, script: str, mark: Mark = "", chained: str | None = None) -> str:
    """The lines of a hook.

    name: of the hook. script: where ours is, as shell code. chained: as shell code, the program that stood here before,
    which goes on to run with its arguments, its input and its exit status.
    """
    lines = [f"{_BEGIN} {mark}".rstrip(), f"_gitgoodbench={script} || :"]
    call = f'/bin/sh "$_gitgoodbench" {name} "$@" || :'
    if name == "post-rewrite":  # whoever comes after us reads the same input
        lines += [
            "_gitgoodbench_input=$(cat)",
            f'[ ! -f "$_gitgoodbench" ] || printf \'%s\\n\' "$_gitgoodbench_input" | {call}',
            "exec <<GITGOODBENCH",
            "$_gitgoodbench_input",
            "GITGOODBENCH",
        ]
    else:
        lines.append(f'[ ! -f "$_gitgoodbench" ] || {call}')
    if chained is not None:
        lines += [f"_gitgoodbench_next={chained}", '[ ! -x "$_gitgoodbench_next" ] || exec "$_gitgoodbench_next" "$@"']
    return "\n".join([*lines, _END, ""])


def script(program: Program, variables: Iterable[str]) -> str:
    """The script that hooks call, as `hook NAME ARGUMENTS`. variables: of the environment, which it writes down.

    Raises:
        ValueError: the name of a variable is none.
    """
    names = list(dict.fromkeys(variables))
    for name in names:
        if not _VARIABLE.fullmatch(name):
            raise ValueError(f"{name!r} cannot be the name of a variable")
    hints = "\n".join(f'    [ -z "${{{name}+x}}" ] || printf \'%s\\0\' "hint.{name}=${name}"' for name in names)
    return _SCRIPT.format(
        version=VERSION, python=shlex.quote(program.python), worker=shlex.quote(program.worker), hints=hints or "    :"
    )


def version_of(text: str) -> int | None:
    """The version of a script; None where it is not ours."""
    found = re.match(r"#!/bin/sh\n# gitgoodbench feedback (\d+):", text)
    return int(found.group(1)) if found else None


_SCRIPT: Final = """\
#!/bin/sh
# gitgoodbench feedback {version}: writes down that there is a commit, and starts the worker. It never fails.
# `gitgoodbench feedback install` writes this file, `gitgoodbench feedback uninstall` removes it.
python={python}
worker={worker}
newline='
'
kind=$1
rewritten=
[ "$kind" != post-rewrite ] || rewritten=$(cat)

note() {{
  [ -x "$python" ] && [ -f "$worker" ] || return
  # What a commit just wrote is read from its files; Git is asked where it is not there.
  folder=${{GIT_DIR:-.git}}
  head=
  commit=
  [ ! -d "$folder" ] || IFS= read -r head <"$folder/HEAD"
  case $head in
    'ref: refs/'*) [ ! -f "$folder/${{head#ref: }}" ] || IFS= read -r commit <"$folder/${{head#ref: }}" ;;
    *) commit=$head ;;
  esac
  case $commit in
    '' | *[!0-9a-f]*)
      found=$(git rev-parse HEAD --git-dir && echo .) || return
      commit=${{found%%"$newline"*}}
      folder=${{found#*"$newline"}}
      folder=${{folder%"$newline".}}
      head=
      IFS= read -r head <"$folder/HEAD"
      ;;
  esac
  common=$folder
  if [ -f "$folder/commondir" ]; then
    IFS= read -r common <"$folder/commondir"
    case $common in /*) ;; *) common=$folder/$common ;; esac
  fi
  rebasing=
  [ ! -d "$folder/rebase-merge" ] && [ ! -d "$folder/rebase-apply" ] || rebasing=1
  queue=$common/gitgoodbench/feedback/queue
  [ -d "$queue" ] || mkdir -p "$queue" || return
  event=$queue/$commit-$kind-$$
  {{
    printf '%s\\0' 'gitgoodbench event 1' "kind=$kind" "commit=$commit" "root=$PWD" "command=$1" \\
      "rewritten=$rewritten" "rebasing=$rebasing" "head=$head"
{hints}
    printf 'end\\0'
  }} >"$event.partial" && mv -f "$event.partial" "$event" || {{ rm -f "$event.partial"; return; }}
  # A rebase makes commits that nobody will see; its end (post-rewrite) or the next commit starts the worker.
  [ -z "$rebasing" ] || [ "$kind" = post-rewrite ] || return
  cd "$common" || return
  start 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&- &
}}

start() {{
  for name in $(env | sed -n 's/^\\(GIT_[A-Za-z0-9_]*\\)=.*/\\1/p'); do unset "$name"; done
  detach=setsid
  command -v setsid || detach=nohup
  exec "$detach" nice -n 19 "$python" -E -P -m gitgoodbench.feedback.worker
}}

shift
note "$@" </dev/null >/dev/null 2>&1
exit 0
"""
