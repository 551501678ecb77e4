"""Packs that are kept: made once, shared, made anew where they are damaged, and never holding more than they may."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.process import Git
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.workspace import packs, room
from gitgoodbench.workspace.build import build_workspace
from gitgoodbench.workspace.history import PackedHistory, pack_history
from gitgoodbench.workspace.leaks import missing_from
from gitgoodbench.workspace.packs import kept_history
from tests.support.repositories import RepositoryBuilder

Damage = Callable[[Path], None]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GITGOODBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(packs, "_WHOLE", {})
    return tmp_path / "cache" / "packs"


@pytest.fixture
def mirror(tmp_path: Path) -> RepositoryBuilder:
    """Three commits on a line; `main` is the newest, which nobody may know."""
    builder = RepositoryBuilder(tmp_path / "mirror.git")
    tip = builder.commit({b"a.py": b"0\n"})
    for step in (1, 2):
        tip = builder.commit({b"a.py": b"%d\n" % step, b"d/b.py": b"b\n"}, [tip])
    builder.branch("main", tip)
    return builder


def known(mirror: RepositoryBuilder) -> str:
    return mirror.git.line("rev-parse", "main^")


def held(git: Git, history: PackedHistory) -> set[str]:
    return {line.split()[1] for line in git.run("show-index", stdin=history.index.read_bytes()).decode().splitlines()}


def entries(cache: Path) -> list[Path]:
    return [entry for entry in cache.iterdir() if not entry.name.startswith(".")]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was packed."""
    made: list[str] = []
    real = pack_history

    def counting(repository: Git, tips: list[str], folder: Path, **others: list[str]) -> PackedHistory:
        made.append(tips[0])
        return real(repository, tips, folder, **others)

    monkeypatch.setattr(packs, "pack_history", counting)
    return made  # type: ignore[return-value]


def test_a_pack_is_made_once_and_holds_exactly_what_the_tips_reach(
    mirror: RepositoryBuilder, cache: Path, counted: list[str]
) -> None:
    tip = known(mirror)
    for _ in range(3):
        with kept_history(mirror.git, [tip]) as history:
            assert history.kept
            reachable = mirror.git.run("rev-list", "--objects", "--no-object-names", tip).decode().split()
            assert held(mirror.git, history) == set(reachable)
    assert counted == [tip]
    (entry,) = entries(cache)
    assert sorted(file.suffix for file in entry.iterdir()) == [".idx", ".json", ".pack"]


def test_what_is_asked_for_names_the_entry(mirror: RepositoryBuilder, cache: Path) -> None:
    tip, tree = known(mirror), mirror.git.line("rev-parse", "main^{tree}")
    with kept_history(mirror.git, [tip], boundary=[tip]) as history:
        assert history.boundary == (tip,)
        assert mirror.git.line("rev-parse", f"{tip}^") not in held(mirror.git, history)
    with kept_history(mirror.git, [tip], trees=[tree]) as history:
        assert tree in held(mirror.git, history)
    assert len(entries(cache)) == 2


def _truncate(entry: Path) -> None:
    (pack,) = entry.glob("*.pack")
    pack.chmod(0o644)
    pack.write_bytes(pack.read_bytes()[:-1])


def _flip(entry: Path) -> None:
    (pack,) = entry.glob("*.pack")
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 1
    pack.chmod(0o644)
    pack.write_bytes(content)


def _flip_index(entry: Path) -> None:
    (index,) = entry.glob("*.idx")
    content = bytearray(index.read_bytes())
    content[-30] ^= 1
    index.chmod(0o644)
    index.write_bytes(content)


def _lose(entry: Path) -> None:
    (entry / "history.json").unlink()


@pytest.mark.parametrize("damage", [_truncate, _flip, _flip_index, _lose])
def test_a_damaged_entry_is_made_anew(
    mirror: RepositoryBuilder, cache: Path, counted: list[str], damage: Damage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept_history(mirror.git, [known(mirror)]) as history:
        whole = history.pack.read_bytes()
    damage(*entries(cache))
    monkeypatch.setattr(packs, "_WHOLE", {})  # another process
    with kept_history(mirror.git, [known(mirror)]) as history:
        assert history.pack.read_bytes() == whole
    assert len(counted) == 2


def test_a_cache_that_cannot_be_written_changes_nothing(
    mirror: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GITGOODBENCH_CACHE", str(tmp_path / "file"))
    with kept_history(mirror.git, [known(mirror)]) as history:
        assert not history.kept
        assert held(mirror.git, history)
    assert not history.pack.exists()


def test_what_a_partial_clone_lacks_is_kept_in_mind_and_the_pack_made_anew_once_it_is_there(
    mirror: RepositoryBuilder, counted: list[str]
) -> None:
    blob = mirror.git.line("rev-parse", "main~2:a.py")
    file = mirror.path / "objects" / blob[:2] / blob[2:]
    file.rename(mirror.path / "aside")
    for _ in range(2):
        with kept_history(mirror.git, [known(mirror)]) as history:
            assert history.kept
            assert blob not in held(mirror.git, history)
    (mirror.path / "aside").rename(file)
    with kept_history(mirror.git, [known(mirror)]) as history:
        assert blob in held(mirror.git, history)
    assert len(counted) == 2


def test_a_pack_with_an_object_too_many_is_refused(
    mirror: RepositoryBuilder, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, answer = pack_history, mirror.git.line("rev-parse", "main")

    def leaking(repository: Git, tips: list[str], folder: Path, **others: list[str]) -> PackedHistory:
        return real(repository, [*tips, answer], folder, **others)

    monkeypatch.setattr(packs, "pack_history", leaking)
    with (
        pytest.raises(SetupFailed, match="holds 3 objects that it must not hold"),
        kept_history(mirror.git, [known(mirror)]),
    ):
        pass
    assert entries(cache) == []


def test_a_pack_without_all_objects_is_refused(mirror: RepositoryBuilder) -> None:
    with kept_history(mirror.git, [known(mirror)]) as history:
        assert missing_from(mirror.git, history, [known(mirror)]) == frozenset()
        with pytest.raises(SetupFailed, match="holds 3 too few"):
            missing_from(mirror.git, history, [mirror.git.line("rev-parse", "main")])


def test_threads_that_want_the_same_pack_wait_for_one_that_makes_it(
    mirror: RepositoryBuilder, counted: list[str]
) -> None:
    tip, packed = known(mirror), []

    def want() -> None:
        with kept_history(mirror.git, [tip]) as history:
            packed.append(history.pack)

    threads = [threading.Thread(target=want) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(packed) == 8
    assert len(set(packed)) == len(counted) == 1


def test_a_process_that_is_killed_while_it_makes_a_pack_leaves_no_entry(
    mirror: RepositoryBuilder, cache: Path, counted: list[str]
) -> None:
    program = (
        "import sys, time\n"
        "from gitgoodbench.git.process import Git\n"
        "from gitgoodbench.workspace import packs\n"
        "packs.missing_from = lambda *_: (print('made', flush=True), time.sleep(600))\n"
        "with packs.kept_history(Git(sys.argv[1]), [sys.argv[2]]): pass\n"
    )
    command = [sys.executable, "-c", program, str(mirror.path), known(mirror)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"made\n"
        assert entries(cache) == []
        process.kill()
    with kept_history(mirror.git, [known(mirror)]) as history:
        assert history.kept
    assert len(entries(cache)) == len(counted) == 1


def test_the_entry_that_was_not_used_for_longest_goes_first(
    mirror: RepositoryBuilder, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "_most_bytes", 0)
    first, second = mirror.git.line("rev-parse", "main~2"), known(mirror)
    with kept_history(mirror.git, [first]):
        pass
    with kept_history(mirror.git, [second]):
        assert len(entries(cache)) == 2  # the first may be in use
    long_ago = time.time() - 2 * 3600
    for entry in entries(cache):
        os.utime(entry, (long_ago, long_ago))
    with kept_history(mirror.git, [first]):
        pass
    with kept_history(mirror.git, [mirror.git.line("rev-parse", "main")]):
        assert len(entries(cache)) == 2


def test_sandboxes_on_this_machine_share_the_file(mirror: RepositoryBuilder, local_provider: SandboxProvider) -> None:
    inodes = set()
    for _ in range(2):
        with local_provider.open(run_id="test", episode_id="case") as sandbox:
            build_workspace(sandbox, mirror.git, {"main": known(mirror)})
            (pack,) = Path(sandbox.work_dir, ".git/objects/pack").glob("*.pack")
            inodes.add(pack.stat().st_ino)
            assert not Path(sandbox.work_dir, ".git/objects/info/alternates").exists()
    assert len(inodes) == 1
