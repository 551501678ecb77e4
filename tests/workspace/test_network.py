from __future__ import annotations

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
