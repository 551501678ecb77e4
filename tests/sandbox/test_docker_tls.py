"""A sandbox of a daemon that is reached by TCP with TLS (opt-in: GITGOODBENCH_TEST_TLS_DOCKER=tcp://127.0.0.1:2376).

DOCKER_TLS_VERIFY and DOCKER_CERT_PATH say how, as for the `docker` command.
"""

from __future__ import annotations

import os

import pytest

from gitgoodbench.sandbox.docker import DockerProvider

HOST = os.environ.get("GITGOODBENCH_TEST_TLS_DOCKER")


@pytest.mark.docker
@pytest.mark.skipif(HOST is None, reason="GITGOODBENCH_TEST_TLS_DOCKER names no daemon")
def test_commands_run_over_an_attached_stream_with_tls() -> None:
    provider = DockerProvider(host=HOST)
    with provider.open(run_id="tls", episode_id="tls") as sandbox:
        sandbox.put("large", os.urandom(3_000_000))
        assert len(sandbox.get("large", limit=4_000_000)) == 3_000_000
        assert sandbox.exec(["wc", "-c", "large"]).stdout.split()[0] == b"3000000"
        assert sandbox.exec(["sleep", "60"], timeout_s=0.5).timed_out
        assert sandbox.exec(["echo", "still here"]).stdout == b"still here\n"
