from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gitgoodbench.errors import GitGoodBenchError, InfrastructureFailed, SetupFailed
from gitgoodbench.git.process import Git
from gitgoodbench.workspace.mirrors import Mirrors
from gitgoodbench.workspace.network import Network, Step
from tests.support.git_server import GitServer, serve_repositories
from tests.support.hostile import make_hostile
from tests.support.repositories import RepositoryBuilder

ABSENT = "1" * 40


class Source:
    """acme/tool on the server: a branch, a tag, and a commit that only a pull request's ref reaches."""

    def __init__(self, folder: Path) -> None:
        self.repository = RepositoryBuilder(folder / "acme" / "tool.git")
        self.main = self.repository.commit({b"a.py": b"1\n"})
        self.tagged = self.repository.commit({b"a.py": b"2\n"}, [self.main])
        self.pulled = self.repository.commit({b"a.py": b"3\n"}, [self.main])
        self.repository.branch("main", self.main)
        self.repository.git.run("update-ref", "refs/tags/v1", self.tagged)
        self.repository.git.run("update-ref", "refs/pull/1/head", self.pulled)


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Source(tmp_path / "server")


@pytest.fixture
def server(source: Source) -> Iterator[GitServer]:
    with serve_repositories(source.repository.path.parents[1]) as running:
        yield running


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "repos"


def mirrors(
    cache: Path, url: str, *, offline: bool = False, said: list[str] | None = None, **network: object
) -> Mirrors:

    def progress(event: str | Step) -> None:
        if said is not None and isinstance(event, str):
            said.append(event)

    settings = {"sleep": lambda _: None, "timeout_s": 30.0, **network}
    return Mirrors(cache, url, offline, Network(progress, **settings))  # type: ignore[arg-type]


def refused(call: Callable[[], object], kind: type[Exception] = SetupFailed) -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_a_repository_is_cloned_once_bare_and_whole(server: GitServer, source: Source, cache: Path) -> None:
    said: list[str] = []
    store = mirrors(cache, server.url, said=said)
    git_dir = store.mirror("acme/tool", [source.main, source.tagged]).git_dir
    assert git_dir == cache / "acme__tool.git"
    assert Git(git_dir).run("for-each-ref", "--format=%(refname) %(objectname)").decode() == (
        f"refs/heads/main {source.main}\nrefs/tags/v1 {source.tagged}\n"
    )
    assert Git(git_dir).line("rev-parse", "--is-bare-repository") == "true"
    assert said == [f"acme/tool: cloning {server.url}/acme/tool.git", "acme/tool: cloned"]
    assert sorted(path.name for path in cache.iterdir()) == [".incoming", ".locks", "acme__tool.git"]
    assert list((cache / ".incoming").iterdir()) == []

    asked = len(server.requests)
    assert store.mirror("acme/tool", [source.main]).git_dir == git_dir
    assert mirrors(cache, server.url, offline=True).mirror("acme/tool", [source.tagged]).git_dir == git_dir
    assert len(server.requests) == asked


def test_a_commit_of_a_pull_request_is_fetched_by_id_and_kept(server: GitServer, source: Source, cache: Path) -> None:
    said: list[str] = []
    store = mirrors(cache, server.url, said=said)
    git_dir = store.mirror("acme/tool", [source.main]).git_dir
    asked = len(server.requests)
    assert store.mirror("acme/tool", [source.pulled, source.main]).git_dir == git_dir
    assert len(server.requests) > asked
    assert said[-1] == f"acme/tool: fetching commit {source.pulled}"
    assert Git(git_dir).line("rev-parse", f"refs/gitgoodbench/{source.pulled}") == source.pulled

    Git(git_dir).run("reflog", "expire", "--expire=now", "--all")
    Git(git_dir).run("gc", "-q", "--prune=now")
    asked = len(server.requests)
    store.mirror("acme/tool", [source.pulled])
    assert len(server.requests) == asked


def test_a_commit_that_the_server_does_not_have_fails_the_sample(
    server: GitServer, source: Source, cache: Path
) -> None:
    store = mirrors(cache, server.url)
    assert refused(lambda: store.mirror("acme/tool", [source.main, ABSENT])) == (
        f"acme/tool: commit {ABSENT} is on no branch or tag and cannot be fetched from {server.url}/acme/tool.git: "
        "the server does not have it"
    )
    tree = source.repository.git.line("rev-parse", f"{source.main}^{{tree}}")
    assert refused(lambda: store.mirror("acme/tool", [tree])) == (
        f"acme/tool: commit {tree} is a tree, not a commit in {cache}/acme__tool.git"
    )


def test_a_file_url_serves_as_well(source: Source, cache: Path, tmp_path: Path) -> None:
    store = mirrors(cache, f"file://{tmp_path}/server")
    store.mirror("acme/tool", [source.main, source.pulled])
    assert refused(lambda: store.mirror("acme/gone", [])) == (
        f"acme/gone cannot be cloned from file://{tmp_path}/server/acme/gone.git: "
        "there is no such repository, or no more"
    )


def test_a_sha256_repository_is_mirrored(tmp_path: Path, cache: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "server" / "acme" / "new.git", algorithm="sha256")
    commit = repository.commit({b"a.py": b"1\n"})
    repository.git.run("update-ref", "refs/pull/1/head", commit)
    repository.branch("main", repository.commit({b"b.py": b"1\n"}))
    mirrors(cache, f"file://{tmp_path}/server").mirror("acme/new", [commit])


def test_offline_says_what_is_not_there_and_writes_nothing(source: Source, cache: Path, tmp_path: Path) -> None:
    url = f"file://{tmp_path}/server"
    store = mirrors(cache, url, offline=True)
    assert refused(lambda: store.mirror("acme/tool", [source.main])) == (
        f"acme/tool is not in the cache {cache}, and offline was asked for"
    )
    assert not cache.exists()
    mirrors(cache, url).mirror("acme/tool", [source.main])
    assert refused(lambda: store.mirror("acme/tool", [source.pulled])) == (
        f"acme/tool: commit {source.pulled} is not in the cached mirror {cache}/acme__tool.git, "
        "and offline was asked for"
    )


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (404, "there is no such repository, or no more"),
        (410, "there is no such repository, or no more"),
        (401, "the server asks for a login: the repository is gone or private"),
        (451, "the server has disabled access to it"),
    ],
)
def test_a_vanished_repository_fails_the_sample_at_once(
    status: int, reason: str, server: GitServer, cache: Path
) -> None:
    server.statuses = [status] * 9
    store = mirrors(cache, server.url)
    assert refused(lambda: store.mirror("acme/tool", [])) == (
        f"acme/tool cannot be cloned from {server.url}/acme/tool.git: {reason}"
    )
    assert len(server.requests) == 1
    assert list((cache / ".incoming").iterdir()) == []


@pytest.mark.parametrize("status", [500, 502, 503, 429, 403, 0])
def test_a_server_in_trouble_is_tried_three_times_and_is_no_fault_of_the_sample(
    status: int, server: GitServer, cache: Path
) -> None:
    server.statuses = [status] * 99
    slept: list[float] = []
    message = refused(
        lambda: mirrors(cache, server.url, sleep=slept.append).mirror("acme/tool", []), InfrastructureFailed
    )
    assert message.startswith("acme/tool: the network failed 3 times: unable to access ")
    assert slept == [1.0, 2.0]


def test_a_transfer_that_breaks_is_tried_again(server: GitServer, source: Source, cache: Path) -> None:
    server.statuses = [503]
    said: list[str] = []
    mirrors(cache, server.url, said=said).mirror("acme/tool", [source.main])
    assert said[1].startswith("acme/tool: trying again after: unable to access ")
    assert said[2:] == ["acme/tool: cloned"]
    server.statuses = [500, 500]
    mirrors(cache, server.url).mirror("acme/tool", [source.pulled])


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://no-such-host.invalid"])
def test_an_unreachable_server_is_no_fault_of_the_sample(
    url: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    message = refused(lambda: mirrors(cache, url).mirror("acme/tool", []), InfrastructureFailed)
    assert message.startswith("acme/tool: the network failed 3 times: unable to access ")


def test_a_server_that_never_answers_uses_up_the_time_once(server: GitServer, cache: Path) -> None:
    server.hold.clear()
    message = refused(lambda: mirrors(cache, server.url, timeout_s=0.5).mirror("acme/tool", []), InfrastructureFailed)
    assert message == "acme/tool: Git did not end within 0.5 s"
    assert len(server.requests) == 1
    assert list((cache / ".incoming").iterdir()) == []


def test_threads_that_want_the_same_repository_clone_it_once(server: GitServer, source: Source, cache: Path) -> None:
    server.hold.clear()
    said: list[str] = []
    waiting = threading.Event()

    def say(event: str | Step) -> None:
        said.append(str(event))
        if said.count("acme/tool: waiting: it is being fetched elsewhere") == 3:
            waiting.set()

    store = Mirrors(cache, server.url, network=Network(say))
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(store.mirror, "acme/tool", [source.main]) for _ in range(4)]
        assert waiting.wait(20)
        server.hold.set()
        assert {answer.result().git_dir for answer in answers} == {cache / "acme__tool.git"}
    assert said.count(f"acme/tool: cloning {server.url}/acme/tool.git") == 1


def test_a_process_waits_for_another(server: GitServer, source: Source, cache: Path) -> None:
    server.hold.clear()
    process = multiprocessing.get_context("spawn").Process(
        target=clone_elsewhere, args=(str(cache), server.url, source.main)
    )
    process.start()
    while not server.requests:
        assert process.is_alive()
        time.sleep(0.02)
    waited = threading.Event()
    store = Mirrors(cache, server.url, network=Network(lambda event: waited.set() if "waiting" in str(event) else None))
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(store.mirror, "acme/tool", [source.main])
        assert waited.wait(20)
        server.hold.set()
        assert answer.result().git_dir == cache / "acme__tool.git"
    process.join(20)
    assert process.exitcode == 0
    assert sum("info/refs" in request for request in server.requests) == 1


def clone_elsewhere(cache: str, url: str, commit: str) -> None:
    Mirrors(Path(cache), url).mirror("acme/tool", [commit])


def test_what_a_killed_clone_left_is_removed_by_the_next(server: GitServer, source: Source, cache: Path) -> None:
    leftover, other = cache / ".incoming" / "acme__tool.git.abc", cache / ".incoming" / "acme__other.git.abc"
    for folder in (leftover, other):
        (folder / "mirror" / "objects").mkdir(parents=True)
    mirrors(cache, server.url).mirror("acme/tool", [source.main])
    assert list((cache / ".incoming").iterdir()) == [other]


def test_a_damaged_mirror_says_what_to_do(cache: Path, source: Source, tmp_path: Path) -> None:
    (cache / "acme__tool.git").mkdir(parents=True)
    store = mirrors(cache, f"file://{tmp_path}/server")
    message = refused(lambda: store.mirror("acme/tool", [source.main]), InfrastructureFailed)
    assert message.startswith(f"the cached mirror {cache}/acme__tool.git is damaged (not a git repository")
    assert message.endswith("): delete it")


def test_a_cache_that_cannot_be_written_is_no_fault_of_the_sample(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = mirrors(tmp_path / "file", f"file://{tmp_path}/server")
    message = refused(lambda: store.mirror("acme/tool", []), InfrastructureFailed)
    assert message.startswith(f"acme/tool: the cache {tmp_path}/file cannot be used: ")


@pytest.mark.parametrize(
    "base_url",
    ["ext::sh -c touch% {canary} #", "ext://sh -c 'touch {canary}' ", "fd::17", "--upload-pack=touch {canary};"],
)
def test_a_url_that_would_run_a_program_does_not(base_url: str, cache: Path, tmp_path: Path) -> None:
    store = mirrors(cache, base_url.format(canary=tmp_path / "canary"), tries=1)
    refused(lambda: store.mirror("acme/tool", []), GitGoodBenchError)
    assert not (tmp_path / "canary").exists()


def test_the_steps_of_a_clone_are_told(server: GitServer, source: Source, cache: Path) -> None:
    steps: list[Step] = []
    network = Network(lambda event: steps.append(event) if isinstance(event, Step) else None)
    Mirrors(cache, server.url, network=network).mirror("acme/tool", [source.main])
    assert steps[-1] == Step("acme/tool", None)
    assert {(step.done, step.total) for step in steps if step.name == "receiving objects"} == {
        (done, 6) for done in range(1, 7)
    }
    assert {step.repository for step in steps} == {"acme/tool"}


def test_a_clone_is_made_whole_after_its_process_was_killed(server: GitServer, source: Source, cache: Path) -> None:
    server.hold.clear()
    process = multiprocessing.get_context("spawn").Process(
        target=clone_elsewhere, args=(str(cache), server.url, source.main)
    )
    process.start()
    while not server.requests:
        assert process.is_alive()
        time.sleep(0.02)
    process.kill()
    process.join(20)
    server.hold.set()
    assert list(cache.glob(".incoming/acme__tool.git.*")) != []
    git_dir = mirrors(cache, server.url).mirror("acme/tool", [source.main]).git_dir
    assert Git(git_dir).line("rev-parse", "main") == source.main
    assert list(cache.glob(".incoming/*")) == []


def test_a_user_with_odd_configuration_gets_the_same_clone(
    server: GitServer, source: Source, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text(
        f'[url "file:///nowhere/"]\n insteadOf = {server.url}/\n[clone]\n rejectShallow = true\n'
        "[core]\n hooksPath = /nowhere\n[fetch]\n prune = true\n[transfer]\n hideRefs = refs/heads\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare=false'")
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "elsewhere"))
    git_dir = mirrors(cache, server.url).mirror("acme/tool", [source.main]).git_dir
    assert Git(git_dir).line("rev-parse", "main") == source.main
    assert not (tmp_path / "elsewhere").exists()


def test_a_commit_is_fetched_into_a_cached_mirror_whatever_that_is_set_to(
    server: GitServer, source: Source, cache: Path, tmp_path: Path
) -> None:
    store = mirrors(cache, server.url)
    git_dir = store.mirror("acme/tool", [source.main]).git_dir
    make_hostile(git_dir, tmp_path / "canary", replaced=(source.main, source.tagged))
    with (git_dir / "config").open("a", encoding="ascii") as file:
        file.write(f'[url "file:///nowhere/"]\n\tinsteadOf = {server.url}/\n')
    store.mirror("acme/tool", [source.pulled])
    assert (git_dir / "refs" / "gitgoodbench" / source.pulled).read_text("ascii") == f"{source.pulled}\n"
    assert not (tmp_path / "canary").exists()
