"""Write episodes as task folders of Harbor (task.toml 1.4).

DIR/<scenario>-<sample>/
  task.toml  instruction.md
  environment/   Dockerfile, workspace.tar: the answer-free workspace
  tests/         Dockerfile, test.sh, task.json, repository.pack: the verifier's, with the truth
  solution/      solve.sh, solution.bundle: for the oracle agent
"""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import gitgoodbench
from gitgoodbench.contained.scenario import contained
from gitgoodbench.dataset.loaders import row_fingerprint
from gitgoodbench.errors import SetupFailed
from gitgoodbench.git.process import IDENTITY, Git
from gitgoodbench.harbor.begun import begun_with
from gitgoodbench.harbor.naming import OWNER, task_name
from gitgoodbench.harbor.outcome import COLLECTED, collecting
from gitgoodbench.harbor.solution import Solution, find_solution
from gitgoodbench.runs.plan import PlannedEpisode
from gitgoodbench.sandbox.base import Sandbox
from gitgoodbench.sandbox.daemon import DEFAULT_IMAGE
from gitgoodbench.sandbox.local import LocalProvider
from gitgoodbench.scenario import Episode, EpisodeOptions, RepositoryStore, Scenario, ToolSet

WORKSPACE: Final = "/work"
COMPOSE: Final = "compose"
NETWORKS: Final = ("no-network", "public", COMPOSE)
_CUT_OFF: Final = "services:\n  main:\n    network_mode: none\n"
_AGENT_UID: Final = 1000
_TASK: Final = """\
schema_version = "1.4"
artifacts = [{{ source = {collected} }}]

[task]
name = {name}
description = {description}
keywords = ["git", {scenario}, {language}]

[metadata]
scenario = {scenario}
sample_id = {sample_id}
repository = {repository}
language = {language}
difficulty = {difficulty}
gitgoodbench_version = {version}

[agent]
timeout_sec = {timeout}
user = "agent"

[environment]
network_mode = {network}
cpus = 1
memory_mb = 4096
workdir = "{workspace}"
build_timeout_sec = 600.0

[verifier]
timeout_sec = 900.0
environment_mode = "separate"

[verifier.environment]
network_mode = {network}
cpus = 1
memory_mb = 4096
build_timeout_sec = 1800.0

[[verifier.collect]]
command = {command}
user = "agent"
timeout_sec = 120.0
"""
# Harbor's first process ignores SIGTERM: without STOPSIGNAL every stop waits for ten seconds
_ENVIRONMENT: Final = """\
FROM {image}
USER root
ADD --chown=agent:agent workspace.tar {workspace}/
RUN install -d -o agent -g agent {workspace} /logs/artifacts \\
 && git config --system core.trustctime false && git config --system user.name {name} \\
 && git config --system user.email {mail} && git config --system --add safe.directory {workspace} \\
 && (cd {workspace}; git update-index -q --refresh; chown agent:agent .git/index)
USER agent
ENV HOME=/tmp
WORKDIR {workspace}
STOPSIGNAL SIGKILL
"""
_VERIFIER: Final = """\
FROM {image}
USER root
COPY . /tests/
STOPSIGNAL SIGKILL
"""
_TEST: Final = f"""\
#!/bin/sh
mkdir -p /logs/verifier
exec python3 -m gitgoodbench.harbor.verify /tests {COLLECTED} /logs/verifier/reward.json
"""
_SOLVE: Final = f"""\
#!/bin/sh
set -e
cd {WORKSPACE}
git fetch --quiet /solution/solution.bundle HEAD
git reset --quiet --hard FETCH_HEAD
git status --short
"""


@dataclass(frozen=True)
class HarborOptions:
    """image: of environments; it has Git, Python and the user `agent`. verifier_image: has Git and gitgoodbench.

    network: what `network_mode` says; COMPOSE has a compose file cut the network instead, which needs no other image.
    timeout_s: of the agent. history: see `EpisodeOptions`.
    """

    image: str = DEFAULT_IMAGE
    verifier_image: str = f"gitgoodbench-verifier:{gitgoodbench.__version__}"
    network: str = "no-network"
    timeout_s: float = 1800.0
    history: int | None = None


def export_task(
    planned: PlannedEpisode, scenario: Scenario, store: RepositoryStore, out: Path, options: HarborOptions
) -> Path:
    """Write the task of an episode; its folder.

    Raises:
        SetupFailed: the sample cannot be set up, or no solution is known.
        OSError: the folder cannot be written.
    """
    sample, provider = planned.sample, LocalProvider()
    solution = find_solution(sample, scenario, contained(scenario, ()), store, provider)
    folder = out / task_name(planned)
    for part in ("environment", "tests", "solution"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    with provider.open(run_id="harbor", episode_id=planned.id) as sandbox:
        chosen = EpisodeOptions(tool_set=ToolSet.OWN, history=options.history)
        episode = scenario.prepare(sample, store, sandbox, chosen)
        begun = begun_with(sandbox)
        _write_environment(folder / "environment", sandbox, options)
        (folder / "instruction.md").write_text(instruction(episode), encoding="utf-8", errors="backslashreplace")
    _write_solution(folder / "solution", solution)
    if options.network == COMPOSE:
        for part in ("environment", "tests"):
            (folder / part / "docker-compose.yaml").write_text(_CUT_OFF)
    _write_tests(folder / "tests", planned, store, solution, begun, options)
    (folder / "task.toml").write_text(_toml(planned, begun, options), encoding="utf-8")
    return folder


def instruction(episode: Episode) -> str:
    """The prompt as one text, for an agent with tools of its own."""
    said = "\n\n".join(str(message["content"]).strip() for message in episode.prompt)
    return f"{said}\n\nThe working tree is {WORKSPACE}.\n"


def _write_environment(folder: Path, sandbox: Sandbox, options: HarborOptions) -> None:
    def owned(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = _AGENT_UID
        entry.uname = entry.gname = "agent"
        return entry

    with tarfile.open(folder / "workspace.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        archive.add(sandbox.work_dir, arcname=".", filter=owned)
    name, mail = IDENTITY
    text = _ENVIRONMENT.format(image=options.image, workspace=WORKSPACE, name=name, mail=mail)
    (folder / "Dockerfile").write_text(text)


def _write_solution(folder: Path, solution: Solution) -> None:
    """The bundle with a ref, which `git fetch` wants."""
    bundle, head = solution.outcome.bundle, solution.outcome.head
    assert bundle is not None
    assert head is not None
    _, _, pack = bundle.partition(b"\n\n")
    (folder / "solution.bundle").write_bytes(b"# v2 git bundle\n" + head.encode() + b" HEAD\n\n" + pack)
    _write_script(folder / "solve.sh", _SOLVE)


def _write_tests(
    folder: Path,
    planned: PlannedEpisode,
    store: RepositoryStore,
    solution: Solution,
    begun: Sequence[str],
    options: HarborOptions,
) -> None:
    sample = planned.sample
    named = sorted(set(re.findall(r"\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b", sample.spec.model_dump_json())))
    mirror = store.mirror(sample.name, begun).borrow()
    commits = [*begun, *(commit for commit in named if commit not in begun and _is_there(mirror, commit))]
    wanted = "".join(f"{commit}\n" for commit in commits)
    pack = mirror.run("pack-objects", "--revs", "--stdout", "--quiet", stdin=wanted.encode("ascii"))
    (folder / "repository.pack").write_bytes(pack)
    task = {
        "scenario": planned.scenario,
        "sample": sample.model_dump(mode="json"),
        "row": row_fingerprint(sample),
        "refs": {f"kept/{number}": commit for number, commit in enumerate(commits)},
        "algorithm": mirror.line("rev-parse", "--show-object-format"),
        "full": solution.full,
    }
    (folder / "task.json").write_text(json.dumps(task, indent=2))
    (folder / "Dockerfile").write_text(_VERIFIER.format(image=options.verifier_image))
    _write_script(folder / "test.sh", _TEST)


def _is_there(git: Git, commit: str) -> bool:
    return git.execute("cat-file", "-e", f"{commit}^{{commit}}").returncode == 0


def _write_script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _toml(planned: PlannedEpisode, begun: Sequence[str], options: HarborOptions) -> str:
    sample = planned.sample
    if not begun:
        raise SetupFailed(f"the workspace of {planned.id} names no commit")
    texts = {
        "collected": COLLECTED,
        "name": OWNER + task_name(planned),
        "description": f"{planned.scenario} in {sample.name} ({sample.programming_language}, {sample.difficulty})",
        "scenario": planned.scenario,
        "sample_id": sample.id,
        "repository": sample.name,
        "language": sample.programming_language,
        "difficulty": sample.difficulty,
        "version": gitgoodbench.__version__,
        "network": "public" if options.network == COMPOSE else options.network,
        "command": collecting(WORKSPACE, begun, f"{planned.scenario}/{sample.id}"),
    }
    quoted = {name: json.dumps(text) for name, text in texts.items()}
    return _TASK.format(**quoted, workspace=WORKSPACE, timeout=float(options.timeout_s))
