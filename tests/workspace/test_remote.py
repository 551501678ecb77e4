"""A command that talks to a server: what it is given, what is heard of it, and that nothing of it is left."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gitgoodbench.workspace.remote import Answer, UnsafeURLError, check_url, talk

WRITE = "import sys; w = sys.stderr.buffer; "
Step = tuple[str, int, int | None, str]


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., tuple[Answer, list[Step]]]:
    """Runs Python code in place of Git."""

    def run(code: str, timeout_s: float = 30.0, **environment: str) -> tuple[Answer, list[Step]]:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "git").write_text(f"#!{sys.executable}\n{code}\n")
        (tmp_path / "bin" / "git").chmod(0o755)
        steps: list[Step] = []
        environment |= {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
        return talk(["fetch"], tmp_path, environment, timeout_s, lambda *step: steps.append(step)), steps

    return run


Run = Callable[..., tuple[Answer, list[Step]]]


def test_steps_are_shown_and_everything_else_is_kept(run: Run) -> None:
    lines = [
        b"Cloning\n",
        b"remote: Enumerating objects: 7\rremote: Counting objects: 3\rremote: Counting objects: 100% (7/7), done.\n",
        b"Receiving objects:  50% (5/10), 12.00 MiB | 3.00 MiB/s\r",
        b"Receiving objects: 100% (10/10), 1 KiB | 9 KiB/s, done.\n",
        b"Resolving deltas:   0% (0/4)\r",
        b"fatal: x\xff\nunended",
    ]
    answer, steps = run(f"{WRITE}w.write({b''.join(lines)!r}); sys.exit(3)")
    assert steps == [
        ("counting objects", 3, None, ""),
        ("counting objects", 7, 7, ""),
        ("receiving objects", 5, 10, "12.00 MiB | 3.00 MiB/s"),
        ("receiving objects", 10, 10, "1 KiB | 9 KiB/s"),
        ("resolving deltas", 0, 4, ""),
    ]
    assert answer == Answer(3, ["fatal: x\ufffd"], ["Cloning", "unended"])


def test_the_environment_is_the_given_one_and_no_more(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TRACE", "1")
    monkeypatch.setenv("GIT_SSH_COMMAND", "ssh -v")
    monkeypatch.setenv("LANGUAGE", "de")
    answer, _ = run(f"{WRITE}import os; w.write(' '.join(sorted(os.environ)).encode())", GIT_DIR="x", LC_ALL="C")
    assert answer.others == ["GIT_DIR LC_ALL PATH"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (b"100%% (1/%s)" % (b"9" * 400), []),
        (b"100% (5/0), done.", [("counting objects", 5, None, "")]),
        (b"100% (1/1), \x1b[31m\x07red", [("counting objects", 1, 1, "[31mred")]),
    ],
)
def test_numbers_and_text_of_a_server_are_not_believed(said: bytes, expected: list[Step], run: Run) -> None:
    _, steps = run(f"{WRITE}w.write({b'remote: Counting objects: ' + said!r})")
    assert steps == expected


def test_endless_messages_are_cut_at_the_front(run: Run) -> None:
    answer, _ = run(
        f"{WRITE}[w.write(b'x' * 99 + b'\\n') for _ in range(5000)]; w.write(b'y' * 9999 + b'\\nthe end\\n')"
    )
    assert len(answer.others) == 500
    assert max(map(len, answer.others)) == 4096
    assert answer.others[-1] == "the end"


def test_a_time_out_ends_the_whole_group(run: Run) -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    begun = time.monotonic()
    answer, _ = run(code, timeout_s=0.5)
    assert answer.timed_out
    assert time.monotonic() - begun < 30


def test_a_command_that_is_killed_by_others_did_not_time_out(run: Run) -> None:
    answer, _ = run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert (answer.returncode, answer.timed_out) == (-9, False)


def test_what_fails_while_it_is_shown_ends_the_command(tmp_path: Path) -> None:
    (tmp_path / "git").write_text(
        f"#!{sys.executable}\nimport os, sys, time\nopen('pid', 'w').write(str(os.getpid()))\n"
        "sys.stderr.write('Receiving objects: 5\\rReceiving objects: 6\\r'); sys.stderr.flush(); time.sleep(60)\n"
    )
    (tmp_path / "git").chmod(0o755)

    def show(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        talk(["fetch"], tmp_path, {"PATH": f"{tmp_path}:{os.environ['PATH']}"}, 30.0, show)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.parametrize("url", ["ext::sh -c true", "fd::17", "ext://sh"])
def test_remote_helpers_are_refused(url: str) -> None:
    with pytest.raises(UnsafeURLError, match="its URL would run a program on this machine"):
        check_url(url)
