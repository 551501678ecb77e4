"""Small random repositories: a history in any shape, with files of any kind, made by one `git fast-import`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from gitgoodbench.git.process import Git

File = tuple[str, bytes]
"""Mode and content; of a submodule the commit's id."""

PATHS = [b"a.py", b"b.kt", b"d/c.java", b"d/e.py", b"d/n.txt", b"g/h.py", b"g/d", b'f/\xff "q.py', b"s.kts", b"g"]
_NEW_NAMES = [*PATHS, b"h/c.java", b"h/e.py", b"h/n.txt", b"a.py/x.py"]


@dataclass
class _Commit:
    parents: list[int]
    files: dict[bytes, File]
    date: int
    message: bytes = b"A commit\n"
    children: list[int] = field(default_factory=list)


def random_repository(random: Random, path: Path, *, commits: int) -> Git:
    """A bare repository at `path`, each of its commits on a branch of its own."""
    path.mkdir(parents=True)
    git = Git(path)
    git.run("init", "--quiet", "--bare", "--template=")
    git.run("fast-import", "--quiet", "--force", stdin=b"".join(_stream(_history(random, commits))))
    return git


def _history(random: Random, count: int) -> list[_Commit]:
    history = [_Commit([], {path: _fresh(path) for path in PATHS[:7]}, 1_600_000_000)]
    for _ in range(count - 1):
        parents = _parents(random, history)
        files = dict(history[parents[0]].files) if parents else {}
        for parent in parents[1:]:
            for path, file in history[parent].files.items():
                if random.random() < 0.5:
                    files[path] = file
        for _ in range(random.choice((0, 1, 2, 3, 4)) if len(parents) < 2 else random.choice((0, 0, 1))):
            _change(random, files)
        history.append(_Commit(parents, _without_clashes(files), 1_600_000_000 + random.randrange(10**6)))
    return history


def _parents(random: Random, history: list[_Commit]) -> list[int]:
    recent = list(range(len(history)))[-5:]
    kind = random.random()
    if kind < 0.02:
        return []
    if kind < 0.6 or len(recent) < 2:
        return [random.choice((recent[-1], *recent))]
    return random.sample(recent, 3 if kind > 0.97 and len(recent) > 2 else 2)


def _change(random: Random, files: dict[bytes, File]) -> None:
    kind = random.choices(
        ["line", "line at the end", "delete", "move", "move folder", "add", "mode", "type", "attributes"],
        [12, 4, 0.7, 2, 2, 2, 1, 0.7, 0.4],
    )[0]
    path = random.choice(sorted(files) or PATHS) if random.random() < 0.5 else PATHS[0]
    mode, content = files.get(path, ("100644", b""))
    if kind == "add" or path not in files:
        path = random.choice(_NEW_NAMES)
        files[path] = _fresh(path)
    elif kind == "delete":
        del files[path]
    elif kind == "move":
        files[random.choice(_NEW_NAMES)] = files.pop(path)
    elif kind == "move folder":
        for old in [name for name in files if name.startswith(b"d/")]:
            files[old.replace(b"d/", b"h/", 1)] = files.pop(old)
    elif kind == "attributes":
        files[b".gitattributes"] = ("100644", random.choice((b"*.py merge=union\n", b"*.py -merge\n", b"* text\n")))
    elif kind == "mode" and mode.startswith("100"):
        files[path] = ("100755" if mode == "100644" else "100644", content)
    elif kind == "type":
        files[path] = random.choice((("120000", b"target%d" % random.randrange(3)), ("160000", _submodule(random))))
    elif mode.startswith("100"):
        files[path] = (mode, _edited(random, content, at_end=kind == "line at the end"))


def _edited(random: Random, content: bytes, *, at_end: bool) -> bytes:
    lines = content.split(b"\n")
    new = random.choices(
        [b"one", b"two", b"  two", b"++i;", b"=======", b"<<<<<<< x", b"caf\xe9", b"crlf\r", b"\0"],
        [4, 4, 2, 2, 2, 2, 1, 1, 0.3],
    )[0]
    if at_end:
        return b"\n".join([*lines[:-1], new, *random.choice(([b""], []))])
    lines[random.randrange(len(lines))] = new
    return b"\n".join(lines)


def _fresh(path: bytes) -> File:
    return "100644", b"".join(b"%s line %d\n" % (path, number) for number in range(8))


def _submodule(random: Random) -> bytes:
    return b"%040x" % random.randrange(1, 4)


def _without_clashes(files: dict[bytes, File]) -> dict[bytes, File]:
    """No file where a folder must be."""
    return {path: file for path, file in files.items() if not any(name.startswith(path + b"/") for name in files)}


def _stream(history: list[_Commit]) -> Iterator[bytes]:
    for number, commit in enumerate(history, 1):
        yield b"commit refs/heads/c%d\nmark :%d\n" % (number, number)
        yield b"committer a <a@example.org> %d +0000\n" % commit.date
        yield b"data %d\n%s\n" % (len(commit.message), commit.message)
        for position, parent in enumerate(commit.parents):
            yield b"%s :%d\n" % (b"merge" if position else b"from", parent + 1)
        yield b"deleteall\n"
        for path, (mode, content) in commit.files.items():
            name = b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'
            if mode == "160000":
                yield b"M 160000 %s %s\n" % (content, name)
            else:
                yield b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), name, len(content), content)
        yield b"\n"
