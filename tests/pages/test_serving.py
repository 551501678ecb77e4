"""`gitgoodbench view`: who is answered, with what, and what is made anew when a run goes on."""

from __future__ import annotations

import http.client
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitgoodbench.api.running import Run, load_run
from gitgoodbench.errors import UserError
from gitgoodbench.reporting.pages import live, site
from gitgoodbench.reporting.pages.page import POLICY
from gitgoodbench.reporting.pages.serving import HOST, PageServer
from gitgoodbench.reporting.pages.shown import Shown
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import Result, dump_json
from tests.support.page_runs import PLAYERS, Sizes, make_runs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_runs(tmp_path, Sizes(samples=3), PLAYERS[:1])[0]


@pytest.fixture
def server(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PageServer]:
    monkeypatch.setattr(live, "_LOOK_EVERY_S", 0)
    monkeypatch.setattr(live, "_REST", 0)
    with PageServer(live.LivePages([folder], load_run), 0) as found:
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def ask(
    server: PageServer, path: str, *, method: str = "GET", host: str | None = None
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(HOST, server.server_port, timeout=30)
    try:
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"{HOST}:{server.server_port}")
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def test_pages_come_with_a_strict_policy(server: PageServer) -> None:
    for path in ("/", "/index.html", "/episode.html", "/assets/base.css", "/assets/core.js", "/data/overview.js"):
        status, headers, content = ask(server, path)
        assert status == 200, path
        assert headers["Content-Security-Policy"] == f"{POLICY}; frame-ancestors 'none'"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"  # or any page could load the data as a script
        assert "Access-Control-Allow-Origin" not in headers
        assert len(content) == int(headers["Content-Length"])
    assert server.server_address[0] == HOST


def test_head_has_no_content(server: PageServer) -> None:
    status, headers, content = ask(server, "/index.html", method="HEAD")
    assert (status, content) == (200, b"")
    assert int(headers["Content-Length"]) > 0


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil:{port}"]
)
def test_another_host_is_refused(server: PageServer, host: str) -> None:
    status, _, content = ask(server, "/data/overview.js", host=host.format(port=server.server_port))
    assert (status, content) == (403, b"another host\n")


def test_localhost_is_this_host(server: PageServer) -> None:
    assert ask(server, "/", host=f"localhost:{server.server_port}")[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/../live.py", "/%2e%2e/live.py", "/assets/../page.py", "/..%2fpage.py", "//etc/passwd", "/assets", "/assets/",
        "/data/", "/data/episodes/", "/data/episodes/0000.js", "/manifest.json", "/%00", "/assets/base.css%00",
        "/\\..\\x",
    ],
)  # fmt: skip
def test_only_files_of_pages_are_found(server: PageServer, path: str) -> None:
    assert ask(server, path)[0] == 404


def test_nothing_can_be_sent(server: PageServer) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert ask(server, "/", method=method)[0] == 501


def test_only_what_changed_is_made_anew(server: PageServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = sorted(name for name in server.pages._episodes if name.startswith("data/episodes/"))
    first = {name: ask(server, f"/{name}")[2] for name in names}
    before = ask(server, "/data/live.js")[2]
    assert ask(server, "/data/live.js")[2] == before
    made: list[str] = []
    make = site.episode_file

    def recorded(room: str, shown: Shown, result: Result) -> tuple[str, bytes] | None:
        made.append(result.sample_id)
        return make(room, shown, result)

    monkeypatch.setattr(live, "episode_file", recorded)
    result = next(one for one in load_run(folder).results if one.status.is_answer)
    file = RunPaths(folder).episode(*result.key).result
    file.write_bytes(dump_json(result.model_copy(update={"turns": 999}).model_dump(mode="json")))
    assert ask(server, "/data/live.js")[2] != before
    second = {name: ask(server, f"/{name}")[2] for name in names}
    assert made == [result.sample_id]
    changed = [name for name in names if first[name] != second[name]]
    assert len(changed) == 1
    assert rb'turns\\": 999' in second[changed[0]]


def test_an_episode_that_ends_appears(server: PageServer, folder: Path, tmp_path: Path) -> None:
    result = load_run(folder).results[0]
    episode = RunPaths(folder).episode(*result.key).folder
    shutil.move(episode, tmp_path / "aside")
    assert len(overview(server)["episodes"]["key"]) == 8
    shutil.move(tmp_path / "aside", episode)
    assert len(overview(server)["episodes"]["key"]) == 9


def overview(server: PageServer) -> dict[str, dict[str, list[str]]]:
    script = ask(server, "/data/overview.js")[2].decode()
    text = script.removeprefix("ggb.data('overview', '").removesuffix("');\n")
    found: dict[str, dict[str, list[str]]] = json.loads(text.replace("\\'", "'").replace("\\\\", "\\"))
    return found


def test_a_run_that_goes_away_stays_on_show(server: PageServer, folder: Path) -> None:
    (folder / "manifest.json").unlink()
    assert ask(server, "/data/overview.js")[0] == 200


def test_a_port_in_use_is_named(server: PageServer) -> None:
    with pytest.raises(UserError, match=f"port {server.server_port} .* choose another by --port"):
        PageServer(server.pages, server.server_port)


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no manifest\.json"):
        live.LivePages([tmp_path], load_run)


def test_every_file_of_the_folder_is_served(server: PageServer, folder: Path, tmp_path: Path) -> None:
    run: Run = load_run(folder)
    site.write_site([run], tmp_path / "out")
    for path in (tmp_path / "out").rglob("*"):
        name = path.relative_to(tmp_path / "out").as_posix()
        if path.is_file() and name != site.MARKER and path.suffix != ".html":
            assert ask(server, f"/{name}")[2] == path.read_bytes(), name
