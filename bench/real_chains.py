"""Every file-commit chain of given repositories, rebased and committed anew: does the harness keep its promises?

    python bench/real_chains.py [--limit N | --sample N --seed S] [--jobs N] [--out FILE.jsonl] REPOSITORY...

Repositories are on this machine, bare ones or clones, by path, or as owner/name=PATH. Chains are those that
`gitgoodbench mine` finds: 3 to 6 commits without a merge that all modify one .py, .java or .kt file, of any purity;
windows of one run do not overlap.

For each chain: `oracle` of IR and ICC must end at the exact tree with every gate met and every real commit reproduced;
`tool-oracle` of ICC must end there with every gate met, with the published and with the extended tools, and score 1.0
against the truth exactly where the sample is attainable with them; where every hunk is pure, its commits must hold the
real grouping of the lines; nothing that only the real commits reach may be in the sandbox of ICC. Prints a Markdown
table; exits with 1 when a promise is broken.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from gitgoodbench.agents.reference import ReferenceAgent
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import EpisodeError
from gitgoodbench.git.hunks import Hunk, Mark
from gitgoodbench.git.mirror import Mirror
from gitgoodbench.mining.options import LANGUAGES
from gitgoodbench.mining.records import language_of, sample_id
from gitgoodbench.mining.targets import Target, find_targets
from gitgoodbench.models.meter import Budget
from gitgoodbench.sample_types.chains import Chain
from gitgoodbench.sample_types.specs import FileCommitChainSpec
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.sandbox.local import LocalProvider
from gitgoodbench.scenario import EpisodeOptions, Scenario, ToolSet, load_scenarios
from gitgoodbench.scoring.history_scores import AGAINST_THE_TRUTH
from gitgoodbench.workspace.leaks import leaked_objects

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.mining import mine_all

TRIALS = (
    ("ir", "oracle", ToolSet.PUBLISHED),
    ("icc", "oracle", ToolSet.PUBLISHED),
    ("icc", "tool-oracle", ToolSet.PUBLISHED),
    ("icc", "tool-oracle", ToolSet.EXTENDED),
)
COLUMNS = ("IR `oracle`", "ICC `oracle`", "`tool-oracle` published", "`tool-oracle` extended")
EXCUSES = {
    "as it was": "the chain leaves its file as it was",
    "lacks": "objects missing",
    "missing": "objects missing",
    "cannot be read": "objects missing",
}
"""Why a chain may be one that cannot be set up: words of the error -> how it is counted."""


@dataclass(frozen=True)
class OneRepository:
    """A repository store that knows one repository."""

    repository: Mirror

    def mirror(self, name: str, commits: Sequence[str]) -> Mirror:  # noqa: ARG002
        return self.repository


@dataclass
class Tally:
    """Counts of one repository. grouped: chains whose lines lie in the commits that made them, by tool set;
    attainable: also by tool set.
    """

    chains: int = 0
    tried: int = 0
    unfit: Counter[str] = field(default_factory=Counter)
    exact: Counter[str] = field(default_factory=Counter)
    splittable: int = 0
    attainable: Counter[str] = field(default_factory=Counter)
    pure: int = 0
    pure_by_added: int = 0
    unknown: int = 0
    visible: int = 0
    many_hunks: int = 0
    grouped: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0


def as_sample(name: str, number: int, chain: Chain) -> Sample:
    spec = FileCommitChainSpec(
        file=chain.path.decode("utf-8", "surrogateescape"), times_seen_consecutively=len(chain.commits),
        purity=chain.purity, newest_commit=chain.commits[-1], oldest_commit=chain.commits[0],
    )  # fmt: skip
    return Sample(
        id=sample_id(name, "file_commit_chain", number), name=name, sample_type="file_commit_chain",
        programming_language=language_of([chain.path], LANGUAGES) or "unknown",
        difficulty=chain.difficulty or "hard", spec=spec,
    )  # fmt: skip


def try_chain(
    scenarios: Mapping[str, Scenario], sample: Sample, store: OneRepository, provider: SandboxProvider
) -> dict[str, Any]:
    """What every trial made of the chain: whether it is exact, facts, and broken promises."""
    found: dict[str, Any] = {"sample": sample.id, "exact": {}, "grouped": {}, "attainable": {}, "problems": []}
    for name, agent, tool_set in TRIALS:
        label = f"{name}/{agent}/{tool_set}"
        try:
            _try(found, label, scenarios[name], agent, sample, store, provider, tool_set)
        except EpisodeError as problem:
            found.setdefault("unfit", f"{problem.status}: {problem}")
        except Exception:
            found["problems"].append(f"{label}: {traceback.format_exc()}")
    return found


def _try(
    found: dict[str, Any],
    label: str,
    scenario: Scenario,
    agent: str,
    sample: Sample,
    store: OneRepository,
    provider: SandboxProvider,
    tool_set: ToolSet,
) -> None:
    with provider.open(run_id="real-chains", episode_id=sample.id) as sandbox:
        episode: Any = scenario.prepare(sample, store, sandbox, EpisodeOptions(tool_set))
        if label == "icc/oracle/published":
            found["facts"] = {**episode.facts, "pure_by_added": pure_by_added(episode)}
            found["problems"] += leaked(episode)
        policy = scenario.reference_agents()[agent]
        trajectory = ReferenceAgent(agent, {scenario.name: policy}).run(episode, Budget(timeout_s=None))
        outcome = episode.outcome()
    verdict = scenario.score(sample, store, outcome)
    found["exact"][label] = all(verdict.gates.values())
    if agent == "tool-oracle":
        found["grouped"][str(tool_set)] = grouped(episode)
        attainable = found["attainable"][str(tool_set)] = episode.facts["attainable"]
        against = {score: verdict.scores[score] for score in AGAINST_THE_TRUTH}
        if attainable is not None and attainable != all(value in (1.0, None) for value in against.values()):
            found["problems"].append(f"{label}: attainable {attainable}, scores {against}")
    if trajectory.error or verdict.problem or not all(verdict.gates.values()):
        problem = trajectory.error or verdict.problem
        found["problems"].append(f"{label}: {problem}, gates {dict(verdict.gates)}")
    if agent == "oracle" and verdict.scores["commits_reproduced"] not in (1.0, None):
        found["problems"].append(f"{label}: commits reproduced {verdict.scores['commits_reproduced']}")


def grouped(episode: Any) -> bool | None:
    """Whether everything that was committed together was made by one commit; None where that is not known."""
    grouping, division = episode.reference.grouping, episode.division
    if not grouping.known:
        return None
    return all(grouping.is_pure(file, part) for file in division.offered for part in division.done(file))


def pure_by_added(episode: Any) -> bool:
    """Whether in every hunk the added lines are by one commit: pure, if nobody cared who removed a line."""
    grouping = episode.reference.grouping
    return all(
        len(makers_of_added(file, part, makers)) <= 1
        for file in episode.division.offered
        for part in file.parts
        if isinstance(part, Hunk) and (makers := grouping.makers(file, part))
    )


def makers_of_added(file: Any, hunk: Hunk, makers: Sequence[int | None]) -> set[int]:
    script = file.text.script
    pairs = zip(makers, hunk.changed, strict=True)
    return {maker for maker, at in pairs if maker is not None and script[at].mark is Mark.ADDED}


def leaked(episode: Any) -> list[str]:
    """Objects that only the real commits reach and the sandbox has; the final contents are there on purpose."""
    reference = episode.reference
    final = reference.mirror.run("ls-tree", "-r", "--format=%(objectname)", reference.chain.newest).decode().split()
    found = leaked_objects(episode.git, reference.mirror, reference.chain.commits, [episode.base])
    return [f"leaked: {oid}" for oid in found if oid not in set(final)]


def broken_promises(found: dict[str, Any]) -> Iterator[str]:
    pure = found["facts"]["hunks_pure"]
    if found["grouped"].get("published") != pure:
        yield f"hunks_pure {pure}, but grouped with the published tools: {found['grouped'].get('published')}"
    yield from found["problems"]


def try_repository(target: Target, args: argparse.Namespace) -> Tally:
    assert target.mirror is not None
    mined = mine_all(target.mirror.borrow(refs=True))
    samples = [as_sample(target.name, number, chain) for number, chain in enumerate(mined.chains)]
    tally = Tally(chains=len(samples), unfit=Counter({"lines cannot be counted": mined.chains_missing_object}))
    tally.chains += mined.chains_missing_object
    if args.sample and len(samples) > args.sample:
        samples = random.Random(args.seed).sample(samples, args.sample)
    samples = samples[: args.limit] if args.limit else samples
    scenarios, provider, store = load_scenarios(), LocalProvider(), OneRepository(target.mirror)
    started = time.process_time()
    work = (delayed(try_chain)(scenarios, sample, store, provider) for sample in samples)
    for found in Parallel(n_jobs=args.jobs, backend="threading", return_as="generator_unordered")(work):
        if args.out:
            with args.out.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"repository": target.name, **found}) + "\n")
        count(tally, found)
    tally.tried = len(samples)
    tally.seconds = time.process_time() - started + children_seconds()
    return tally


def count(tally: Tally, found: dict[str, Any]) -> None:
    if "unfit" in found:
        excuse = next((reason for words, reason in EXCUSES.items() if words in found["unfit"]), None)
        tally.unfit[excuse or found["unfit"]] += 1
        print(f"{found['sample']}: {found['unfit']}", file=sys.stderr)
        if excuse is None:
            tally.broken.append(found["unfit"])
        return
    facts = found["facts"]
    tally.exact.update(label for label, exact in found["exact"].items() if exact)
    tally.splittable += facts["splittable"]
    tally.pure += facts["hunks_pure"] is True
    tally.pure_by_added += facts["pure_by_added"]
    tally.unknown += facts["attainable"] is None
    tally.attainable.update(tools for tools, is_attainable in found["attainable"].items() if is_attainable)
    tally.many_hunks += facts["hunks"] >= facts["commits"]
    tally.visible += facts["commits_visible"] == facts["commits"]
    tally.grouped.update(tools for tools, is_grouped in found["grouped"].items() if is_grouped)
    for fault in broken_promises(found):
        print(f"{found['sample']}: {fault}", file=sys.stderr)
        tally.broken.append(fault)


def children_seconds() -> float:
    """Processor seconds of the Git processes and sandboxes that have ended."""
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--limit", type=int, default=0, help="only the first N chains of each")
    parser.add_argument("--sample", type=int, default=0, help="only N chains of each, drawn by --seed")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    version = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{version}, local sandboxes\n")
    headers = [
        "repository", "chains", "tried", "set up", *COLUMNS, "broken", "splittable", "k hunks or more",
        "all commits visible", "hunks pure", "by added lines", "pure with split_hunk", "attainable",
        "attainable with split_hunk", "seconds",
    ]  # fmt: skip
    print(f"| {' | '.join(headers)} |\n{'|---' * len(headers)}|")
    broken, before = 0, 0.0
    for target in find_targets(args.repositories):
        tally = try_repository(target, args)
        set_up = tally.tried - sum(tally.unfit.values()) + tally.unfit["lines cannot be counted"]
        exact = (tally.exact[f"{name}/{agent}/{tools}"] for name, agent, tools in TRIALS)
        shares = (
            tally.splittable,
            tally.many_hunks,
            tally.visible,
            tally.pure,
            tally.pure_by_added,
            tally.grouped["extended"],
            tally.attainable["published"],
            tally.attainable["extended"],
        )
        fields = (target.name, tally.chains, tally.tried, set_up, *exact, len(tally.broken), *shares)
        print(f"| {' | '.join(map(str, fields))} | {tally.seconds - before:.0f} |", flush=True)
        print(f"{target.name}: not set up: {dict(tally.unfit)}; grouping unknown: {tally.unknown}", file=sys.stderr)
        broken, before = broken + len(tally.broken), children_seconds()
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
