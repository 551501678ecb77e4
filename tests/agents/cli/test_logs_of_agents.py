"""What is taken out of an agent's home as its own log, whatever lies there."""

from __future__ import annotations

import pytest

from gitgoodbench.agents.cli.home import HOME, furnish, take_logs
from gitgoodbench.sandbox.base import Needs, equip
from gitgoodbench.sandbox.docker import DockerProvider

HOSTILE = r"""
cd "$1" && mkdir -p logs/a/b logs/dir.log && cd logs
mkfifo fifo.log; ln -s /etc/passwd passwd.log; ln -s /etc etc; ln -s /dev/zero zero.log
ln -s . loop1; ln -s . loop2; ln -s /etc ../linked
printf one > a/b/same.log; printf two! > same.log; printf no > other.txt
printf odd:: > "$(printf '\377\n\033[31m.log')"
head -c 5000 /dev/zero > 0-huge.log; printf secret > locked.log; chmod 0 locked.log
printf trajectory > ../mini.json
"""


@pytest.mark.docker
def test_logs_are_regular_files_of_safe_names_and_the_largest_is_cut(docker_provider: DockerProvider) -> None:
    """Two links of a folder to itself would be 2^40 paths for whoever followed them."""
    with equip(docker_provider, Needs("x", home=HOME)).open(run_id="logs", episode_id="1") as sandbox:
        furnish(sandbox, {})
        assert sandbox.exec(["sh", "-c", HOSTILE, "sh", HOME]).stderr == b""
        logs = take_logs(sandbox, ["logs/**/*.log", "linked/**/passwd"], 1000)
        assert logs == {
            "same.log": b"one", "2-same.log": b"two!", "31m.log": b"odd::", "0-huge.log": bytes(988),
        }  # fmt: skip
        assert take_logs(sandbox, ["mini.json"]) == {"mini.json": b"trajectory"}
        assert take_logs(sandbox, ["logs/a/*.log", "absent/*"]) == {}
