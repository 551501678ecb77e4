"""Episodes that workers play: the same results, the same account, and nothing lost with a worker."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import gitgoodbench
from gitgoodbench.clusters.backends import Workers
from gitgoodbench.clusters.hub import Told
from gitgoodbench.clusters.pools import open_pool
from gitgoodbench.errors import RunAborted, SetupFailed, UserError
from gitgoodbench.models.connections import connections_to
from gitgoodbench.runs.account import read_account
from gitgoodbench.runs.cluster import driver, mirrors, worker
from gitgoodbench.runs.cluster.errand import KEYS, Done, Errand, RunOrder, lent_keys
from gitgoodbench.runs.cluster.link import Link
from gitgoodbench.runs.episode import play_recorded, try_to_settle
from gitgoodbench.runs.events import read_events
from gitgoodbench.runs.stop import Stop
from gitgoodbench.workspace.store import open_store
from tests.support.billing import ANSWER, PRICE, BillingServer
from tests.support.llm_reply import Reply
from tests.support.scripted_llm import Request, calls, says

TURNS = 3
PAID: dict[str, Any] = {"agent": "openai", "model": "m", "price_input": PRICE, "price_output": PRICE}
SMALL: dict[str, Any] = {"sandbox": "local", "scenario": "mcr", "limit": 2, "jobs": 2}


def looking(request: Request) -> Reply:
    """Calls a tool that there is not, and then has nothing more to say."""
    return calls("look_around", number=request.turn) if request.turn < TURNS else says("that is all")


class InProcess:
    """A pool whose workers are threads of this process, which talk to the driver as any other."""

    size = 2
    host = "127.0.0.1"

    def submit(self, function: Callable[[Any], Any], argument: Any, told: Told) -> Callable[[], None]:
        def run() -> None:
            try:
                told("done", function(argument))
            except SystemExit as gone:
                told("lost", str(gone))

        threading.Thread(target=run, daemon=True).start()
        return lambda: None


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> InProcess:
    pool = InProcess()

    @contextmanager
    def open_pool(workers: Workers) -> Iterator[InProcess]:  # noqa: ARG001
        yield pool

    monkeypatch.setattr(driver, "open_pool", open_pool)
    return pool


def play(folder: Path, **fields: Any) -> gitgoodbench.Run:
    return gitgoodbench.evaluate("mini", out=folder, run_id="r", **SMALL | fields)


def results(folder: Path) -> dict[str, dict[str, Any]]:
    """Every field of every result, but for times and attempts."""
    found = {}
    for path in sorted(folder.glob("r/samples/*/*/*/result.json")):
        result = json.loads(path.read_bytes())
        for name in ("started", "ended", "timings", "attempts"):
            del result[name]
        found["/".join(path.parts[-4:])] = result
    return found


def differ(before: Path, after: Path) -> list[str]:
    one, other = results(before), results(after)
    assert one
    assert one.keys() == other.keys()
    return [place for place in one if one[place] != other[place]]


def conversation(folder: Path) -> list[list[Any]]:
    """What was said in each episode, but for times."""
    said = []
    for path in sorted(folder.glob("r/samples/*/*/*/trajectory.jsonl")):
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        messages = [line.get("message") or {} for line in lines]  # ids of calls are the server's
        words = [(message.get("role"), message.get("content")) for message in messages]
        said.append([(line["kind"], line.get("number"), line.get("messages")) for line in lines] + words)
    return said


@pytest.mark.usefixtures("in_process")
def test_workers_give_the_same_results_words_and_account(tmp_path: Path) -> None:
    with BillingServer(looking) as server:
        here = play(tmp_path / "here", **PAID, base_url=server.url)
        there = play(tmp_path / "there", **PAID, base_url=server.url, backend="loky")
    assert differ(here.folder.parent, there.folder.parent) == []
    assert conversation(tmp_path / "here") == conversation(tmp_path / "there")
    sums = [read_account(run.folder / "ledger.jsonl").spent for run in (here, there)]
    assert sums[0] == sums[1]
    events = [[event["event"] for event in read_events(run.folder / "run.log")] for run in (here, there)]
    assert sorted(events[0]) == sorted(events[1])


@pytest.mark.usefixtures("in_process")
def test_the_cost_limit_holds_over_all_workers(tmp_path: Path) -> None:
    limit = 3 * ANSWER
    with BillingServer(looking) as server:
        play(tmp_path, **PAID, base_url=server.url, backend="loky", max_cost=limit)
        spent = read_account(tmp_path / "r" / "ledger.jsonl").total()
        assert spent.cost_usd == pytest.approx(server.billed)
        assert server.billed < limit + 2 * ANSWER
        first = len(server.requests)
        whole = play(tmp_path, **PAID, base_url=server.url, backend="loky", max_cost=100)
    assert len(whole.results) == SMALL["limit"]
    assert first < SMALL["limit"] * (TURNS + 1) < len(server.requests)


@pytest.mark.usefixtures("in_process")
def test_the_limit_of_connections_holds_over_all_workers(tmp_path: Path) -> None:
    most, under_way, lock = [0], [0], threading.Lock()

    def slow(request: Request) -> Reply:
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        threading.Event().wait(0.02)
        with lock:
            under_way[0] -= 1
        return looking(request)

    with BillingServer(slow) as server:
        play(tmp_path, **PAID, base_url=server.url, backend="loky", max_connections=1)
        assert connections_to(server.url, 1).limit == 1
        assert connections_to(server.url, 1)._busy == 0
    assert most[0] == 1


@pytest.mark.usefixtures("in_process")
def test_a_worker_that_is_lost_costs_its_attempt_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first worker vanishes in the middle of a conversation: its episode is played again, and says so."""
    clean = play(tmp_path / "clean", agent="oracle", limit=2)
    real, losses = play_recorded, iter(["die"])

    def dying(*arguments: Any) -> Any:
        if next(losses, None):
            raise SystemExit("killed")
        return real(*arguments)

    monkeypatch.setattr(worker, "play_recorded", dying)
    monkeypatch.setattr(driver, "work", lambda errand: worker.work(errand))
    real_close = Link.close
    monkeypatch.setattr(Link, "close", lambda link: link._wire.close() if lost() else real_close(link))
    alive = iter([True])

    def lost() -> bool:
        return next(alive, False)

    run = play(tmp_path / "there", agent="oracle", limit=2, backend="loky")
    assert differ(clean.folder.parent, run.folder.parent) == []
    events = [event["event"] for event in read_events(run.folder / "run.log")]
    assert events.count("worker_lost") == 1
    assert sum(len(result.attempts) for result in run.results) == 1


def test_an_episode_that_kills_every_worker_fails_for_infrastructure(
    tmp_path: Path, in_process: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(_: Any, __: Any, told: Told) -> Callable[[], None]:
        told("lost", "TerminatedWorkerError: out of memory")
        return lambda: None

    monkeypatch.setattr(in_process, "submit", lose)
    run = play(tmp_path, agent="oracle", limit=1, retry_failed=0, backend="loky")
    (result,) = run.results
    assert (result.status.value, len(result.attempts)) == ("infrastructure_failed", driver.TRIES - 1)
    assert result.error is not None
    assert "lost 3 times: TerminatedWorkerError: out of memory" in result.error.message


@pytest.mark.usefixtures("in_process")
def test_what_a_lost_worker_had_played_is_only_scored_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, losses = try_to_settle, iter(["die"])

    def dying(*arguments: Any) -> Any:
        if next(losses, None):
            raise SystemExit("killed")
        return real(*arguments)

    monkeypatch.setattr(worker, "try_to_settle", dying)
    with BillingServer(looking) as server:
        run = play(tmp_path, **PAID, limit=1, base_url=server.url, backend="loky")
        assert [request.turn for request in server.requests] == list(range(len(server.requests)))
    events = [event["event"] for event in read_events(run.folder / "run.log")]
    assert (events.count("worker_lost"), events.count("outcome_saved")) == (1, 1)
    assert [result.attempts for result in run.results] == [()]


@pytest.mark.usefixtures("in_process")
def test_an_interrupted_run_waits_for_sandboxes_of_its_workers_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted, told, ends = threading.Event(), threading.Event(), list[str | None]()
    real_work, real_give_up = worker.work, Stop.give_up

    def working(errand: Errand) -> Done:
        done = real_work(errand)
        ends.append(done.problem)
        return done

    def giving_up(stop: Stop, reason: str) -> None:
        real_give_up(stop, reason)
        told.set()

    monkeypatch.setattr(driver, "work", working)
    monkeypatch.setattr(Stop, "give_up", giving_up)

    def interrupting(request: Request) -> Reply:
        if not interrupted.is_set():
            interrupted.set()
            os.kill(os.getpid(), signal.SIGINT)
            told.wait(60)  # its worker is told to stop
        return looking(request)

    with BillingServer(interrupting) as server:
        fields = {**PAID, "base_url": server.url}
        with pytest.raises(KeyboardInterrupt):
            play(tmp_path / "there", **fields, jobs=1, backend="loky")
        assert ends == ["given_up"]  # by now: its sandbox is closed
        assert results(tmp_path / "there") == {}
        play(tmp_path / "there", **fields, backend="loky")
        play(tmp_path / "here", **fields)
    assert differ(tmp_path / "here", tmp_path / "there") == []


@pytest.mark.usefixtures("in_process")
def test_an_episode_has_no_more_time_elsewhere(tmp_path: Path) -> None:
    with BillingServer(looking) as server:
        for folder, backend in (("here", "threading"), ("there", "loky")):
            run = play(tmp_path / folder, **PAID, limit=1, base_url=server.url, timeout=0.000_001, backend=backend)
            assert [result.status.value for result in run.results] == ["limit_reached"]
    assert differ(tmp_path / "here", tmp_path / "there") == []


@pytest.mark.usefixtures("in_process")
def test_a_worker_of_another_version_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "host_git_version", lambda: "2.30.0")
    with pytest.raises(RunAborted, match=r"is not set up as this machine: Git is 2\.30\.0 there"):
        play(tmp_path, agent="oracle", limit=1, backend="loky")


def test_an_agent_of_this_process_is_not_sent(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--backend loky: this agent lives in this process"):
        play(tmp_path, agent=lambda session: session.give_up(), backend="loky")


def children() -> list[int]:
    """The worker processes of loky that this process has."""
    listing = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, check=True
    )
    return [int(line.split()[0]) for line in listing.stdout.decode().splitlines() if "popen_loky_posix" in line]


def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    """Real processes: one gets SIGKILL while its model is answering."""
    killed: list[int] = []
    lock = threading.Lock()

    def killing(request: Request) -> Reply:
        with lock:
            if not killed and request.turn == 1:
                killed.extend(children()[:1])
                os.kill(killed[0], signal.SIGKILL)
        return looking(request)

    with BillingServer(killing) as server:
        run = play(tmp_path / "there", **PAID, limit=2, base_url=server.url, backend="loky")
        here = play(tmp_path / "here", **PAID, limit=2, base_url=server.url)
    assert killed
    assert differ(here.folder.parent, run.folder.parent) == []
    events = [event["event"] for event in read_events(run.folder / "run.log")]
    assert events.count("worker_lost") == 1
    sums = [read_account(each.folder / "ledger.jsonl").total() for each in (run, here)]
    assert sums[0].requests >= sums[1].requests == sums[1].answers
    assert children() == []


def test_a_dask_cluster_plays(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    here = play(tmp_path / "here", agent="oracle", limit=1)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=None
    ) as local:
        address = local.scheduler_address
        there = play(tmp_path / "there", agent="oracle", limit=1, backend="dask", cluster=address)
        with open_pool(Workers(gitgoodbench.clusters.backends.Backend.DASK, None, address)) as pool:
            assert (pool.size, pool.host) == (2, "127.0.0.1")
    assert differ(here.folder.parent, there.folder.parent) == []


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")
def test_ray_plays(tmp_path: Path) -> None:
    here = play(tmp_path / "here", agent="oracle", limit=2)
    there = play(tmp_path / "there", agent="oracle", limit=2, backend="ray")
    assert differ(here.folder.parent, there.folder.parent) == []


class Loopback:
    """A link to a sender of this process."""

    def __init__(self, sender: mirrors.Sender) -> None:
        self.sender = sender
        self.pieces = 0

    def call(self, method: str, *arguments: Any) -> Any:
        self.pieces += method == "piece"
        answers: dict[str, Callable[..., Any]] = {"mirror": self.sender.pack, "piece": self.sender.piece}
        return answers[method](*arguments)


def test_a_repository_that_a_worker_cannot_fetch_is_sent_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITGOODBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(mirrors, "PIECE", 100)
    source = tmp_path / "repos" / "acme" / "tool"
    source.mkdir(parents=True)

    def git(*arguments: str) -> str:
        argv = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments]
        return subprocess.run(argv, cwd=source, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q", "-b", "main")
    commits = []
    for number in range(3):
        (source / "file").write_text(f"{number}\n")
        git("add", "file")
        git("commit", "-q", "-m", str(number))
        commits.append(git("rev-parse", "HEAD"))
    git("reset", "-q", "--hard", "HEAD~1")  # the last one is on no branch
    sender = mirrors.Sender(open_store(tmp_path / "repos"))
    link = Loopback(sender)
    store = mirrors.FarStore(open_store(offline=True), lambda: link)  # type: ignore[arg-type,return-value]
    mirror = store.mirror("acme/tool", commits)
    borrowed = mirror.borrow()
    assert [borrowed.run("show", f"{commit}:file").decode() for commit in commits] == ["0\n", "1\n", "2\n"]
    assert (tmp_path / "cache" / "sent") in mirror.git_dir.parents
    sent, pieces = mirror.git_dir, link.pieces
    assert pieces > 1
    os.utime(sent, (0, 0))
    assert store.mirror("acme/tool", commits).git_dir == sent
    assert link.pieces == pieces  # what is there is not sent again
    assert sent.stat().st_mtime > 0  # it was used, so it goes last
    shutil.rmtree(sent / "objects" / "pack")  # damaged: it is sent again
    assert store.mirror("acme/tool", commits).git_dir == sent
    assert link.pieces == 2 * pieces
    with pytest.raises(SetupFailed, match="acme/other"):
        store.mirror("acme/other", commits)
    sender.close()


def test_keys_are_lent_where_a_worker_has_none_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "its own")
    keys = {"OPENAI_API_KEY": "sk-secret-of-the-driver", "ANTHROPIC_API_KEY": "sk-other-of-the-driver"}
    with lent_keys(keys):
        assert os.environ["OPENAI_API_KEY"] == "sk-secret-of-the-driver"
        assert os.environ["ANTHROPIC_API_KEY"] == "its own"
    assert "OPENAI_API_KEY" not in os.environ
    assert os.environ["ANTHROPIC_API_KEY"] == "its own"
    order = RunOrder("n", None, None, keys=keys)  # type: ignore[arg-type]
    assert "sk-" not in repr(order)


@pytest.mark.usefixtures("in_process")
def test_no_key_is_in_the_folder_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789-never-written")
    with BillingServer(looking) as server:
        play(tmp_path, **PAID, limit=1, base_url=server.url, backend="loky")
        assert server.requests[0].headers["authorization"] == "Bearer sk-0123456789-never-written"
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or b"never-written" not in path.read_bytes(), path
