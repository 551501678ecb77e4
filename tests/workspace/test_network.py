from __future__ import annotations

import sys
import time

import pytest

from gitgoodbench.workspace import network
from gitgoodbench.workspace.network import network_environment


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in network._PASSED_ON:
        if name != "PATH":
            monkeypatch.delenv(name, raising=False)


def test_proxies_and_certificates_are_passed_on_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", "localhost")
    monkeypatch.setenv("SSL_CERT_FILE", "/etc/company.pem")
    monkeypatch.setenv("GIT_ASKPASS", "/usr/bin/ask")
    monkeypatch.setenv("GIT_SSH_COMMAND", "ssh -v")
    monkeypatch.setenv("GIT_TRACE", "1")
    assert network_environment() == {
        "PATH": "/usr/bin",
        "HTTPS_PROXY": "http://proxy:3128",
        "no_proxy": "localhost",
        "SSL_CERT_FILE": "/etc/company.pem",
        "GIT_SSL_CAINFO": "/etc/company.pem",
        "GIT_ALLOW_PROTOCOL": "https:http:file",
        "GIT_HTTP_LOW_SPEED_LIMIT": "1000",
        "GIT_HTTP_LOW_SPEED_TIME": "60",
    }


def test_the_certificates_meant_for_git_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/etc/company.pem")
    monkeypatch.setenv("GIT_SSL_CAINFO", "/etc/git.pem")
    assert network_environment()["GIT_SSL_CAINFO"] == "/etc/git.pem"


WRITE = "import sys; w = sys.stderr.buffer; "


def test_progress_is_reported_and_only_lasting_lines_are_kept() -> None:
    said: list[str] = []
    code = f"{WRITE}w.write(b'start\\n 1%\\r 50%\\r100%, done.\\nfatal: x\\xff\\nunended'); sys.exit(3)"
    result = network._ReportingExecutor(said.append, 0.0).exec([sys.executable, "-c", code])
    assert said == ["1%", "50%"]
    assert (result.returncode, result.stderr) == (3, b"start\n100%, done.\nfatal: x\xff\nunended\n")


def test_progress_is_reported_now_and_then() -> None:
    said: list[str] = []
    code = f"{WRITE}w.write(b''.join(b'%d%%\\r' % n for n in range(100)))"
    network._ReportingExecutor(said.append, 60.0).exec([sys.executable, "-c", code])
    assert said == []


def test_endless_messages_are_cut_at_the_front() -> None:
    code = f"{WRITE}[w.write(b'x' * 99 + b'\\n') for _ in range(5000)]; w.write(b'fatal: the end\\n')"
    result = network._ReportingExecutor(lambda _: None, 60.0).exec([sys.executable, "-c", code])
    assert len(result.stderr) == 64 * 1024
    assert result.stderr.endswith(b"fatal: the end\n")


def test_a_time_out_ends_the_whole_group() -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    start = time.monotonic()
    result = network._ReportingExecutor(lambda _: None, 60.0).exec([sys.executable, "-c", code], timeout_s=0.5)
    assert result.timed_out
    assert time.monotonic() - start < 10


def test_a_command_that_is_killed_by_others_did_not_time_out() -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    result = network._ReportingExecutor(lambda _: None, 60.0).exec([sys.executable, "-c", code], timeout_s=60)
    assert (result.returncode, result.timed_out) == (-9, False)
