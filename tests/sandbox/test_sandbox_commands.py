"""Running commands: the same in every kind of sandbox."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from gitgoodbench.sandbox.base import Sandbox, SandboxDied, SandboxProvider

ESCAPEE = """
import os, signal, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
with open("escapee.tmp", "w") as file: file.write(str(os.getpid()))
os.rename("escapee.tmp", "escapee")
time.sleep(600)
"""
"""Double-forked, in a session of its own, deaf to gentle signals; writes its process id to `escapee`."""


@pytest.fixture(scope="module")
def sandbox(provider: SandboxProvider) -> Iterator[Sandbox]:
    with provider.open(run_id="tests", episode_id="commands") as opened:
        yield opened


def sh(sandbox: Sandbox, script: str, *arguments: str | bytes, timeout_s: float = 60.0) -> bytes:
    result = sandbox.exec(["sh", "-c", script, "sh", *arguments], timeout_s=timeout_s)
    assert (result.returncode, result.stderr) == (0, b"")
    return result.stdout


def escapee_lives(sandbox: Sandbox) -> bool:
    return sandbox.exec(["sh", "-c", "kill -0 $(cat escapee)"]).returncode == 0


def test_output_error_and_exit_code_come_back_apart(sandbox: Sandbox) -> None:
    result = sandbox.exec(["sh", "-c", "printf 'out\\r\\n\\0'; printf err >&2; exit 7"])

    assert (result.returncode, result.stdout, result.stderr) == (7, b"out\r\n\0", b"err")
    assert not result.timed_out
    assert not result.truncated


def test_a_command_killed_by_a_signal_has_its_negative_number(sandbox: Sandbox) -> None:
    assert sandbox.exec(["sh", "-c", "kill -SEGV $$"]).returncode == -11


def test_signals_that_the_supervisor_ignores_still_end_a_command(sandbox: Sandbox) -> None:
    assert [sandbox.exec(["sh", "-c", f"kill -{name} $$"]).returncode for name in ("HUP", "INT", "PIPE", "TERM")] == [
        -1,
        -2,
        -13,
        -15,
    ]


def test_a_command_that_is_not_there_exits_with_127(sandbox: Sandbox) -> None:
    result = sandbox.exec(["no-such-command"])

    assert (result.returncode, result.stderr) == (127, b"cannot run no-such-command: No such file or directory\n")


def test_a_command_that_cannot_be_run_exits_with_126(sandbox: Sandbox) -> None:
    assert sandbox.exec(["/"]).returncode == 126


def test_a_folder_that_is_not_there_exits_with_126(sandbox: Sandbox) -> None:
    result = sandbox.exec(["true"], cwd="no/such/folder")

    assert (result.returncode, result.stderr) == (126, b"cannot run true: No such file or directory\n")


def test_no_command_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(ValueError, match="no command"):
        sandbox.exec([])


def test_arguments_arrive_byte_for_byte(sandbox: Sandbox) -> None:
    odd = [b"", b"a b", b"new\nline", b"'\"`$(touch pwned)", b"-x", b"--output=pwned", b"\xff\xfe\x80", "ä€".encode()]

    printed = sh(sandbox, 'printf "%s\\0" "$@"', *odd)

    assert printed == b"".join(argument + b"\0" for argument in odd)
    assert sandbox.exec(["sh", "-c", "ls pwned"]).returncode != 0


def test_a_string_with_undecodable_bytes_becomes_those_bytes(sandbox: Sandbox) -> None:
    assert sh(sandbox, 'printf %s "$1"', os.fsdecode(b"caf\xe9")) == b"caf\xe9"


def test_arguments_that_no_command_can_have_do_no_harm(sandbox: Sandbox) -> None:
    assert sandbox.exec(["printf", "a\0b"]).returncode == 126
    assert sandbox.exec(["true", "x" * 3_000_000]).returncode == 126
    assert sandbox.exec(["printf", "%s", "\ud800"]).stdout == b"\xed\xa0\x80"


def test_the_environment_is_exactly_the_one_given(sandbox: Sandbox) -> None:
    result = sandbox.exec(["env", "-0"], env={"PATH": "/usr/bin:/bin", "ODD": "new\nline=\udcff"})

    variables = dict(entry.split(b"=", 1) for entry in result.stdout.split(b"\0")[:-1])
    assert variables.keys() == {b"PATH", b"ODD"}
    assert variables[b"ODD"] == b"new\nline=\xff"


def test_without_an_environment_a_command_gets_a_minimal_one(sandbox: Sandbox) -> None:
    names = {entry.split(b"=", 1)[0] for entry in sandbox.exec(["env", "-0"]).stdout.split(b"\0")[:-1]}

    assert names == {b"PATH", b"HOME", b"LC_ALL"}
    sh(sandbox, 'test -d "$HOME" && test -w "$HOME"')


def test_commands_start_in_the_work_folder_or_where_they_are_told(sandbox: Sandbox) -> None:
    sandbox.put("folder/inner/file", b"")

    assert sandbox.exec(["pwd"]).stdout == os.fsencode(sandbox.work_dir) + b"\n"
    assert sandbox.exec(["pwd"], cwd=b"folder/inner").stdout == os.fsencode(f"{sandbox.work_dir}/folder/inner\n")
    assert sandbox.exec(["pwd"], cwd="/").stdout == b"/\n"


def test_large_input_goes_through_a_command_unchanged(sandbox: Sandbox) -> None:
    data = bytes(range(256)) * 40_000

    assert sandbox.exec(["cat"], stdin=data).stdout == data


def test_input_that_nobody_reads_does_not_block(sandbox: Sandbox) -> None:
    assert sandbox.exec(["true"], stdin=b"x" * 5_000_000).returncode == 0


def test_without_input_a_command_reads_its_end(sandbox: Sandbox) -> None:
    assert sandbox.exec(["cat"]).stdout == b""


def test_output_beyond_the_limit_is_dropped_on_each_stream(sandbox: Sandbox) -> None:
    script = "head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2; exit 3"

    result = sandbox.exec(["sh", "-c", script], output_limit=100_000)

    assert (result.returncode, result.truncated) == (3, True)
    assert (result.stdout, result.stderr) == (b"\0" * 100_000, b"\0" * 100_000)


def test_output_that_just_fits_is_whole(sandbox: Sandbox) -> None:
    result = sandbox.exec(["printf", "12345"], output_limit=5)

    assert (result.stdout, result.truncated) == (b"12345", False)


def test_endless_output_ends_with_the_time_limit(sandbox: Sandbox) -> None:
    result = sandbox.exec(["yes"], timeout_s=0.5, output_limit=1000)

    assert (result.stdout, result.truncated, result.timed_out) == (b"y\n" * 500, True, True)


def test_a_command_that_takes_too_long_is_killed_and_its_output_kept(sandbox: Sandbox) -> None:
    result = sandbox.exec(["sh", "-c", "echo before; sleep 600"], timeout_s=2)

    assert (result.returncode, result.stdout, result.timed_out) == (-9, b"before\n", True)
    assert sandbox.exec(["echo", "after"]).stdout == b"after\n"


def test_a_background_process_that_holds_the_output_open_delays_nothing(sandbox: Sandbox) -> None:
    assert sh(sandbox, "sleep 600 & echo done") == b"done\n"


def test_a_process_that_hides_does_not_outlive_the_end_of_its_command(sandbox: Sandbox) -> None:
    sandbox.put("escapee.py", ESCAPEE.encode())

    script = "rm -f escapee; python3 escapee.py; while ! test -e escapee; do sleep 0.02; done; kill -0 $(cat escapee)"

    sh(sandbox, script)

    assert not escapee_lives(sandbox)


def test_a_process_that_hides_does_not_outlive_a_time_limit(sandbox: Sandbox) -> None:
    sandbox.put("escapee.py", ESCAPEE.encode())
    script = "rm -f escapee; python3 escapee.py; trap '' TERM HUP; sleep 600"

    result = sandbox.exec(["sh", "-c", script], timeout_s=1.5)

    assert (result.returncode, result.timed_out) == (-9, True)
    assert sandbox.get("escapee", limit=100).isdigit()
    assert not escapee_lives(sandbox)


def test_a_command_gets_no_descriptor_but_its_own_three(sandbox: Sandbox) -> None:
    listing = "import os\nfor n in range(100):\n  try: os.fstat(n); print(n)\n  except OSError: pass"

    assert sandbox.exec(["python3", "-c", listing]).stdout == b"0\n1\n2\n"


def test_git_runs(sandbox: Sandbox) -> None:
    assert sandbox.exec(["git", "--version"]).stdout.startswith(b"git version ")


def test_a_closed_sandbox_says_so_and_may_be_closed_again(provider: SandboxProvider) -> None:
    sandbox = provider.open(run_id="tests", episode_id="closed")
    sandbox.close()
    sandbox.close()

    with pytest.raises(SandboxDied, match="closed"):
        sandbox.exec(["true"])


def test_sandboxes_start_empty_and_know_nothing_of_each_other(provider: SandboxProvider, sandbox: Sandbox) -> None:
    sandbox.put("secret", b"")

    with provider.open(run_id="tests", episode_id="another") as another:
        assert another.exec(["ls", "-A"]).stdout == b""


def test_a_provider_describes_itself_in_strings(provider: SandboxProvider) -> None:
    facts = provider.describe()

    assert facts["kind"] == provider.kind
    assert facts["git"].startswith("git version ")
    assert all(isinstance(value, str) for value in facts.values())
