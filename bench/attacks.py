"""50 attacks on the supervisor from inside a Docker sandbox, each 20 times: forged replies and survivors.

    python bench/attacks.py [--times 20] [--only WORD ...] [--image IMAGE]

After every attack the sandbox is asked questions that only the supervisor can answer rightly (a fresh word comes back,
an exit code, bytes put and got): a wrong answer is a forged reply, and so is a result that the attack made up. The
daemon then lists the processes: whatever is left beside the supervisor is a survivor, and so is a container that
outlives its sandbox's death. Exit code 1 if there is any. An attack may end its own sandbox: that is counted, too.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from dataclasses import dataclass, field

import docker.errors
from attack_scripts import ATTACKS, FORGED_CODE, Attack

from gitgoodbench.sandbox.base import SandboxDied, SandboxLimits
from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE
from gitgoodbench.sandbox.docker import DockerProvider, DockerSandbox

MIB = 1024 * 1024
LIMITS = SandboxLimits(memory=256 * MIB, work_size=32 * MIB, cpus=1.0, pids=64, command_timeout_s=30.0)


@dataclass
class Tally:
    """What one attack came to, over all its repetitions."""

    name: str
    times: int = 0
    forged: list[str] = field(default_factory=list)
    survivors: list[str] = field(default_factory=list)
    deaths: list[str] = field(default_factory=list)


def measure(provider: DockerProvider, attack: Attack, times: int) -> Tally:
    """Make one attack so many times, in one sandbox as long as it lives."""
    tally = Tally(attack.name)
    sandbox = open_sandbox(provider, attack)
    try:
        for _ in range(times):
            tally.times += 1
            try:
                attempt(sandbox, attack, tally)
            except SandboxDied as death:
                tally.deaths.append(str(death))
                if outlives(sandbox):
                    tally.survivors.append("container")
                sandbox.close()
                sandbox = open_sandbox(provider, attack)
    finally:
        sandbox.close()
    return tally


def open_sandbox(provider: DockerProvider, attack: Attack) -> DockerSandbox:
    return provider.open(run_id="bench-attacks", episode_id=attack.name.replace(" ", "-"))


def attempt(sandbox: DockerSandbox, attack: Attack, tally: Tally) -> None:
    """One attack, and the questions afterwards."""
    result = sandbox.exec(["python3", "-c", attack.script], timeout_s=attack.timeout_s, stdin=b"stdin")
    if result.returncode == FORGED_CODE:
        tally.forged.append(f"a result that was made up: {result.stdout[:60]!r}")
    tally.survivors += survivors(sandbox)
    for _ in range(3):
        word = secrets.token_hex(8)
        answer = sandbox.exec(["sh", "-c", 'cat; echo "$1"; exit 5', "sh", word], stdin=word.encode())
        if (answer.returncode, answer.stdout, answer.stderr) != (5, f"{word}{word}\n".encode(), b""):
            tally.forged.append(f"{answer.returncode} {answer.stdout[:60]!r} {answer.stderr[:60]!r}")
    clear = "chmod -R u+rwx . /tmp/* /dev/shm/* 2>/dev/null; rm -rf ./* ./.[!.]* /tmp/* /tmp/.[!.]* /dev/shm/*"
    sandbox.exec(["sh", "-c", clear])
    data = secrets.token_bytes(1000)
    sandbox.put("probe/file", data)
    if sandbox.get("probe/file", limit=1000) != data:
        tally.forged.append("other bytes than were put")
    tally.survivors += survivors(sandbox)


def survivors(sandbox: DockerSandbox) -> list[str]:
    """What runs beside the supervisor, as the daemon sees it."""
    try:
        rows = sandbox.container.top(ps_args="-eo pid,comm,args")["Processes"]
    except docker.errors.APIError:  # the container is gone, as the next call will notice
        return []
    return [row[1] for row in rows if row[1] != "python3" or "sys.stdin.buffer.raw" not in row[2]]


def outlives(sandbox: DockerSandbox) -> bool:
    """Whether a dead sandbox's container still runs, once it has been closed."""
    sandbox.close()
    for _ in range(200):
        try:
            sandbox.container.reload()
        except docker.errors.NotFound:
            return False
        time.sleep(0.05)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", nargs="*", default=[], help="attacks whose names contain one of these words")
    parser.add_argument("--image", default=DEFAULT_IMAGE)
    arguments = parser.parse_args()
    provider = DockerProvider(arguments.image, LIMITS)
    chosen = [attack for attack in ATTACKS if not arguments.only or any(word in attack.name for word in arguments.only)]
    print(f"{'attack':52} {'times':>5} {'forged':>6} {'survivors':>9} {'sandbox ended':>13}")
    tallies = []
    for attack in chosen:
        tally = measure(provider, attack, arguments.times)
        tallies.append(tally)
        counts = f"{tally.times:5} {len(tally.forged):6} {len(tally.survivors):9} {len(tally.deaths):13}"
        print(f"{tally.name:52} {counts}", *sorted({*tally.forged, *tally.survivors, *tally.deaths})[:3], flush=True)
    forged, left, ended = (sum(len(getattr(t, kind)) for t in tallies) for kind in ("forged", "survivors", "deaths"))
    print(f"{f'{len(tallies)} attacks':52} {sum(t.times for t in tallies):5} {forged:6} {left:9} {ended:13}")
    return 1 if forged or left else 0


if __name__ == "__main__":
    sys.exit(main())
