"""Settings of a repository that would run programs, fetch, or change what Git shows, were Git to run in it."""

from __future__ import annotations

from pathlib import Path

from gitgoodbench.git.process import Git

_PROGRAMS = (
    "core.alternateRefsCommand", "core.askPass", "core.editor", "core.fsmonitor", "core.gitProxy", "core.pager",
    "core.sshCommand", "credential.helper", "diff.evil.command", "diff.evil.textconv", "diff.external",
    "filter.evil.clean", "filter.evil.process", "filter.evil.smudge", "gpg.program", "merge.evil.driver",
    "pager.diff", "sequence.editor", "uploadpack.packObjectsHook",
)  # fmt: skip

_ODDITIES = {
    "blame.ignoreRevsFile": "/nowhere",
    "core.abbrev": "4",
    "core.autocrlf": "true",
    "core.bigFileThreshold": "1",
    "core.commentChar": "x",
    "core.commitGraph": "false",
    "core.eol": "crlf",
    "core.ignoreCase": "true",
    "core.precomposeUnicode": "true",
    "core.quotePath": "true",
    "core.symlinks": "false",
    "core.useReplaceRefs": "true",
    "core.whitespace": "tab-in-indent",
    "diff.algorithm": "patience",
    "diff.context": "0",
    "diff.ignoreSubmodules": "all",
    "diff.indentHeuristic": "false",
    "diff.mnemonicPrefix": "true",
    "diff.noprefix": "true",
    "diff.orderFile": "/nowhere",
    "diff.renameLimit": "1",
    "diff.renames": "false",
    "diff.submodule": "log",
    "diff.suppressBlankEmpty": "true",
    "extensions.partialClone": "evil",
    "extensions.worktreeConfig": "true",
    "filter.evil.required": "true",
    "i18n.commitEncoding": "UTF-16",
    "i18n.logOutputEncoding": "UTF-16",
    "log.date": "relative",
    "log.showRoot": "false",
    "merge.conflictStyle": "diff3",
    "merge.default": "evil",
    "merge.directoryRenames": "true",
    "merge.renameLimit": "1",
    "merge.renames": "false",
    "merge.renormalize": "true",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "remote.evil.promisor": "true",
    "rerere.enabled": "true",
    "transfer.hideRefs": "refs/heads",
}


def make_hostile(git_dir: Path, canary: Path, *, replaced: tuple[str, str]) -> None:
    """Add every such setting to a repository. Each program would make the file `canary`.

    Args:
        replaced: a commit, and another that a graft and a replacement put in its place.
    """
    program = git_dir / "program"
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{canary}'\n", encoding="utf-8")
    program.chmod(0o755)
    git = Git(git_dir)
    git.run("replace", *replaced)
    for name in _PROGRAMS:
        git.run("config", name, str(program))
    git.run("config", "remote.evil.url", f"ext::{program} %S")
    git.run("config", "include.path", "more")
    git.run("config", "includeIf.gitdir:/.path", "more")
    (git_dir / "more").write_text("[diff]\n\tcontext = 1\n[core]\n\tbigFileThreshold = 1\n", encoding="ascii")
    (git_dir / "config.worktree").write_text("[core]\n\tbigFileThreshold = 1\n", encoding="ascii")
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info" / "attributes").write_text("* -text -diff merge=evil diff=evil filter=evil\n", encoding="ascii")
    (git_dir / "info" / "grafts").write_text(f"{replaced[0]}\n", encoding="ascii")
    (git_dir / "hooks").mkdir(exist_ok=True)
    for hook in ("post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout", "post-merge"):
        (git_dir / "hooks" / hook).symlink_to(program)
    git.run("config", "core.hooksPath", str(git_dir / "hooks"))
    git.run("config", "core.repositoryFormatVersion", "1")
    for name, value in _ODDITIES.items():
        with (git_dir / "config").open("a", encoding="ascii") as file:  # no Git runs with what is there already
            section, _, key = name.rpartition(".")
            head, _, subsection = section.partition(".")
            quoted = f'{head} "{subsection}"' if subsection else head
            file.write(f"[{quoted}]\n\t{key} = {value}\n")
    canary.unlink(missing_ok=True)
