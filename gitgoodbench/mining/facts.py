"""Facts about a project computed from its repository, where the list of repositories lacks them.

Lines of code are counted by tokei, licences recognized by identify; both come with the extra `mining`. Without them
these facts stay unknown.
"""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from gitgoodbench.folders import temporary_folder
from gitgoodbench.git.batch import ObjectReader
from gitgoodbench.git.dates import newest_time
from gitgoodbench.git.objects import Entry, read_tree
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.mining.branches import branch_tips, default_branch, short_name
from gitgoodbench.mining.project import Project

_LICENCE_FILE: Final = re.compile(rb"(?:un)?licen[cs]e(?:\.(?:md|txt|rst))?|copying(?:\.(?:md|txt))?", re.IGNORECASE)
_SUFFIX: Final = re.compile(rb"\.[A-Za-z0-9_+-]{1,12}$")
_LARGEST_FILE: Final = 4 * 1024 * 1024
_FILES_IN_FOLDER: Final = 1000


def counters() -> tuple[bool, bool]:
    """Whether lines of code can be counted, and whether licences can be recognized."""
    return importlib.util.find_spec("pytokei") is not None, importlib.util.find_spec("ukkonen") is not None


def compute_facts(git: Git, known: Project, languages: Mapping[str, bytes]) -> Project:
    """Compute a project's facts from its repository. Costly facts that are `known` already are not computed.

    Contributors are distinct addresses of authors; the language is the one of most files at the default branch.

    Args:
        languages: names of languages and how names of their source files end.
    """
    tips = branch_tips(git)
    branch = default_branch(git)
    tree = _tree(git, branch, tips)
    can_count, can_recognize = counters()
    return Project(
        name=known.name,
        programming_language=_language(tree, languages),
        default_branch=branch,
        license=_licence(git, tree) if known.license is None and can_recognize else None,
        branches=len({short_name(name) for name in tips}),
        contributors=_contributors(git) if known.contributors is None else None,
        last_commit=_last_commit(git, tips),
        code_lines=_code_lines(git, tree) if known.code_lines is None and can_count else None,
    )


def _tree(git: Git, branch: str | None, tips: Mapping[str, str]) -> dict[bytes, Entry]:
    commit = next((commit for name, commit in tips.items() if short_name(name) == branch), None)
    if commit is None:
        return {}
    try:
        return read_tree(git, commit)
    except GitError:
        return {}  # a tree is missing


def _language(tree: Mapping[bytes, Entry], languages: Mapping[str, bytes]) -> str | None:
    count = Counter(name for path in tree for name, suffix in languages.items() if path.endswith(suffix))
    return min(count, key=lambda name: (-count[name], name), default=None)


def _licence(git: Git, tree: Mapping[bytes, Entry]) -> str | None:
    """The SPDX id of the licence in the root folder, where it is a known one, word for word or nearly."""
    from identify.identify import license_id

    with temporary_folder("licence") as folder, ObjectReader(git) as reader:
        for path in sorted(path for path in tree if _LICENCE_FILE.fullmatch(path) and tree[path].is_file):
            content = reader.blob(tree[path].oid)
            if content:
                file = folder / "text"
                file.write_text(content.decode("utf-8", "replace"), encoding="utf-8")
                if found := license_id(str(file)):
                    return str(found)
    return None


def _contributors(git: Git) -> int | None:
    addresses = set()
    with git.stream("log", "--branches", "--remotes", "--format=%aE") as process:
        assert process.stdout is not None
        addresses = {line.strip().lower() for line in process.stdout}
        return len(addresses) if process.wait() == 0 else None


def _last_commit(git: Git, tips: Mapping[str, str]) -> str | None:
    """When the newest commit of all branches was made, by its committer; implausible dates are passed over.

    Where no branch ends in a commit with a plausible date, all commits count.
    """
    commits = "".join(f"{commit}\n" for commit in dict.fromkeys(tips.values())).encode("ascii")
    if not commits:
        return None
    listed = git.execute("log", "--no-walk=unsorted", "--ignore-missing", "--format=%ct", "--stdin", stdin=commits)
    newest = newest_time(listed.stdout.split(b"\n"))
    if newest is None:
        with git.stream("log", "--branches", "--remotes", "--ignore-missing", "--format=%ct") as process:
            assert process.stdout is not None
            newest = newest_time(line.rstrip(b"\n") for line in process.stdout)
    return None if newest is None else datetime.fromtimestamp(newest, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _code_lines(git: Git, tree: Mapping[bytes, Entry]) -> int | None:
    """Lines of code, counted on copies of the files under names that nobody else chose."""
    import pytokei

    with temporary_folder("lines") as folder:
        _lay_out(git, tree, folder)
        counted = pytokei.Languages()
        counted.get_statistics([str(folder)], [], pytokei.Config())
        return int(counted.total().code)


def _lay_out(git: Git, tree: Mapping[bytes, Entry], folder: Path) -> None:
    with ObjectReader(git) as reader:
        for number, (path, entry) in enumerate(tree.items()):
            suffix = _SUFFIX.search(path)
            if suffix is None or not entry.is_file:
                continue
            content = reader.blob(entry.oid)
            if content is None or len(content) > _LARGEST_FILE:
                continue
            place = folder / str(number // _FILES_IN_FOLDER)
            place.mkdir(exist_ok=True)
            (place / f"{number}{suffix[0].decode('ascii')}").write_bytes(content)
