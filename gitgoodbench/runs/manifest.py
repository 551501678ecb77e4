"""manifest.json: everything that decides the results of a run, pinned when the run is made.

A run carries on only under the configuration it was made with. `differences` says what would be different.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import gitgoodbench
from gitgoodbench.dataset.loaders import Suite
from gitgoodbench.errors import UserError
from gitgoodbench.files import write_atomically
from gitgoodbench.git.version import host_git_version
from gitgoodbench.plugin_options import deciding_options
from gitgoodbench.plugins import GROUPS, HARNESS, SCENARIOS, SCORES, Pin, Plugin, pin
from gitgoodbench.runs.config import MAY_CHANGE, RESOLVED_ELSEWHERE, RunConfig, spelling
from gitgoodbench.runs.events import utc_now
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.plan import PlannedEpisode, in_suite_order
from gitgoodbench.runs.redact import redact_url, without_values
from gitgoodbench.runs.result import dump_json

FORMAT = 1

_ON_RECORD = frozenset({"image", "docker", "python", "python3"})
"""What a sandbox says of itself that decides no result: names and versions of what surrounds Git and the image."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SuitePin(_Part):
    """Which samples: `spec` loads the very same again; `fingerprint` is of all samples, before the selection."""

    spec: str
    source: str
    revision: str | None
    fingerprint: str
    samples: int
    invalid: tuple[str, ...]


class PlanPin(_Part):
    """How many episodes, and the hash of which ones in which order."""

    samples: int
    episodes: int
    fingerprint: str


class HostPin(_Part):
    """This machine. Only Git's version decides results (it replays merges and scores); the rest is for the record."""

    git: str
    python: str
    platform: str
    packages: dict[str, str]


class ScoringPin(_Part):
    """What scores outcomes: the packages, as in `Manifest.distributions`, and Git, which replays merges.

    started: when saved outcomes began to be scored by it (UTC).
    """

    started: str
    git: str
    distributions: dict[str, Pin]

    @property
    def rules(self) -> dict[str, str]:
        """Package -> version and hash of its sources; Git's version. Results of other rules are not comparable."""
        return {**{name: found.rule for name, found in self.distributions.items()}, "git": self.git}


class Manifest(_Part):
    """See the module. scenarios: fingerprints. plugins: `scenario mcr` -> the distribution that brings it, for every
    plug-in in use; distributions: each of these, and the harness, as it was. denominators: by scenario, the
    facts that a report counts by, and the words for them. Manifests of before have none of these.

    agent: name and model as resolved; sandbox: what the provider says of itself.

    models: by role and name, what a small request before the first episode showed: API, server, and its dialect.

    judge: hash of the judges' instructions; empty without a judge. Which judges there are is in the config.

    rescored: what saved outcomes were last scored by, after the run; None: nothing was scored again.
    """

    format: int = FORMAT
    gitgoodbench: str
    run_id: str
    created: str
    command: tuple[str, ...]
    config: RunConfig
    suite: SuitePin
    plan: PlanPin
    scenarios: dict[str, str]
    plugins: dict[str, str] = Field(default_factory=dict)
    denominators: dict[str, dict[str, str]] = Field(default_factory=dict)
    distributions: dict[str, Pin] = Field(default_factory=dict)
    agent: dict[str, Any]
    sandbox: dict[str, str]
    judge: dict[str, str] = Field(default_factory=dict)
    models: dict[str, dict[str, Any]] = Field(default_factory=dict)
    host: HostPin
    rescored: ScoringPin | None = None

    @property
    def scoring(self) -> ScoringPin:
        """What the episodes of this run are scored by when they are played."""
        packages = _scoring_packages(self.plugins)
        distributions = {name: self.distributions[name] for name in packages if name in self.distributions}
        return ScoringPin(
            started=self.created,
            git=self.host.git,
            distributions=distributions or {HARNESS: Pin(version=self.gitgoodbench)},
        )


def pin_scoring(scoring: Iterable[Plugin]) -> ScoringPin:
    """Pin what scores at this moment: the harness, Git, and the packages of these scenarios and scores.

    Raises:
        UserError: there is no Git.
    """
    names = sorted({HARNESS, *(plugin.distribution for plugin in scoring)})
    return ScoringPin(started=utc_now(), git=host_git_version(), distributions={name: pin(name) for name in names})


def _scoring_packages(brought: Mapping[str, str]) -> list[str]:
    kinds = (GROUPS[SCENARIOS], GROUPS[SCORES])
    return sorted({HARNESS, *(package for name, package in brought.items() if name.split()[0] in kinds)})


def make_manifest(
    *,
    run_id: str,
    config: RunConfig,
    suite: Suite,
    planned: Sequence[PlannedEpisode],
    scenarios: Mapping[str, str],
    plugins: Sequence[Plugin] = (),
    denominators: Mapping[str, Mapping[str, str]] | None = None,
    agent: Mapping[str, Any],
    sandbox: Mapping[str, str],
    command: Sequence[str],
    judge: Mapping[str, str] | None = None,
) -> Manifest:
    """Pin a run.

    Args:
        scenarios: name -> fingerprint.
        plugins: all that are in use.
        command: already without secrets.
    """
    brought = {f"{plugin.kind} {plugin.name}": plugin.distribution for plugin in plugins}
    servers = {name: getattr(config, name) for name in ("base_url", "judge_base_url")}
    redacted = {name: None if url is None else redact_url(url) for name, url in servers.items()}
    return Manifest(
        gitgoodbench=gitgoodbench.__version__,
        run_id=run_id,
        created=utc_now(),
        command=tuple(command),
        config=config.model_copy(update=redacted | {"header": without_values(config.header)}),
        suite=SuitePin(
            spec=_lasting_spec(suite),
            source=suite.source,
            revision=suite.revision,
            fingerprint=suite.fingerprint,
            samples=len(suite.samples),
            invalid=suite.invalid,
        ),
        plan=PlanPin(
            samples=len({episode.sample.id for episode in planned}),
            episodes=len(planned),
            fingerprint=episodes_fingerprint(episode.id for episode in in_suite_order(planned)),
        ),
        scenarios=dict(scenarios),
        plugins=brought,
        denominators={name: dict(facts) for name, facts in (denominators or {}).items()},
        distributions={name: pin(name) for name in sorted({HARNESS, *brought.values()})},
        agent=dict(agent),
        sandbox=dict(sandbox),
        judge=dict(judge or {}),
        host=describe_host(),
    )


def _lasting_spec(suite: Suite) -> str:
    """A spec that means the same tomorrow and from another folder."""
    if suite.revision is not None:
        return f"hf:{suite.source}@{suite.revision}"
    return suite.source if Path(suite.source).is_absolute() else suite.spec


def episodes_fingerprint(ids: Iterable[str]) -> str:
    """Hash of which episodes a plan has, in the order of the suite."""
    return hashlib.sha256(json.dumps(list(ids)).encode()).hexdigest()


def describe_host() -> HostPin:
    """Git, Python and the packages that this process uses.

    Raises:
        UserError: there is no Git.
    """
    required = (line for line in metadata.requires("gitgoodbench") or () if "extra ==" not in line)
    names = sorted({"".join(c if c.isalnum() or c in "-_" else " " for c in line).split()[0] for line in required})
    return HostPin(
        git=host_git_version(),
        python=platform.python_version(),
        platform=platform.platform(terse=True),
        packages={name: version for name in names if (version := _version(name)) is not None},
    )


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def write_manifest(paths: RunPaths, manifest: Manifest) -> None:
    write_atomically(paths.manifest, dump_json(manifest.model_dump(mode="json")))


def read_manifest(paths: RunPaths) -> Manifest:
    """The manifest of an existing run.

    Raises:
        UserError: there is no run in the folder, or its manifest is not readable.
    """
    try:
        return Manifest.model_validate(json.loads(paths.manifest.read_bytes()))
    except FileNotFoundError as problem:
        raise UserError(f"{paths.folder} is not the folder of a run: it has no manifest.json") from problem
    except OSError as problem:
        raise UserError(f"{paths.manifest} cannot be read: {problem.strerror}") from problem
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{paths.manifest} is not a manifest of this version: {where}: {first['msg']}") from problem
    except (ValueError, RecursionError) as problem:
        raise UserError(
            f"{paths.manifest} is damaged ({problem}): take it from a copy, or run anew under another --run-id"
        ) from problem


def differences(before: Manifest, now: Manifest) -> list[str]:
    """What decides results and has changed, each as `name: before, now after`; empty where the run may resume."""
    old, new = deciding(before), deciding(now)
    if before.rescored is not None:
        old |= {f"scored again by {name}": rule for name, rule in before.rescored.rules.items()}
        new |= {f"scored again by {name}": rule for name, rule in now.scoring.rules.items()}
    return [
        f"{name}: {_shown(old.get(name))}, now {_shown(new.get(name))}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def deciding(manifest: Manifest) -> dict[str, Any]:
    """What decides the results of a run, by a name that people know: flags, versions, hashes."""
    config = manifest.config.model_dump(mode="json")
    found = {
        spelling(name): value
        for name, value in config.items()
        if name not in MAY_CHANGE and name not in RESOLVED_ELSEWHERE
    }
    found[spelling("opt")] = list(deciding_options(manifest.config.opt))
    sandbox = sandbox_deciding(manifest.sandbox)
    parts = {"agent": manifest.agent, "sandbox": sandbox, "scenario": manifest.scenarios, "judge": manifest.judge}
    for part, values in parts.items():
        found |= {f"{part} {name}": value for name, value in values.items()}
    found |= {f"plug-in {name}": package for name, package in manifest.plugins.items()}
    pins = {name: found.rule for name, found in manifest.distributions.items()}
    found |= {f"package {name}": rule for name, rule in ({HARNESS: manifest.gitgoodbench} | pins).items()}
    return found | {
        "Git on this machine": manifest.host.git,
        "suite fingerprint": manifest.suite.fingerprint,
        "episodes planned": f"{manifest.plan.episodes} ({manifest.plan.fingerprint[:12]})",
    }


def sandbox_deciding(described: Mapping[str, str]) -> dict[str, str]:
    """Of what a provider says of its sandboxes, what decides results."""
    return {name: value for name, value in described.items() if name not in _ON_RECORD}


def _shown(value: Any) -> str:
    text = "none" if value is None else value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
