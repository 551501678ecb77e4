"""The scores of chains as docs/metrics.md defines them, against the harness, on real file-commit chains.

    python -m bench.score_definitions [--sample N --seed S] [--jobs N] [--syntax] REPOSITORY...

Chains are those that `gitgoodbench mine` finds; bench/chain_histories.py makes the histories of ten agents for each.
Every score but `history_similarity` and the mood of subjects is computed twice: by the harness, and from the output of
`git diff` alone (bench/chain_scores.py). Besides, `tool-oracle` must score 1.0 against the truth exactly on samples
that are attainable. Prints a Markdown table; exits with 1 where anything differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from joblib import Parallel, delayed

from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.mining.targets import find_targets
from gitgoodbench.sample_types.chains import Chain
from gitgoodbench.scoring import history_lines
from gitgoodbench.scoring.chain_gates import valid_syntax
from gitgoodbench.scoring.history_lines import LineReader, TooLarge
from gitgoodbench.scoring.history_scores import message_scores, scores_against_truth
from gitgoodbench.scoring.messages import read_messages
from gitgoodbench.workspace.scratch import ScratchRepository

sys.path.insert(0, str(Path(__file__).parent))

from chain_histories import chains_of, histories, write
from chain_scores import Differ, Scores, commits_reproduced, line_grouping, scores_of_messages, syntax_valid


@dataclass
class Tally:
    """histories: those compared; values: scores by agent; differing, promises: what is wrong."""

    chains: int = 0
    histories: int = 0
    compared: int = 0
    too_large: int = 0
    attainable: Counter[str] = field(default_factory=Counter)
    reproduced: dict[str, list[float]] = field(default_factory=dict)
    grouping: dict[str, list[float]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.chains += other.chains
        self.histories += other.histories
        self.compared += other.compared
        self.too_large += other.too_large
        self.attainable += other.attainable
        self.wrong += other.wrong
        for mine, more in ((self.reproduced, other.reproduced), (self.grouping, other.grouping)):
            for agent, values in more.items():
                mine.setdefault(agent, []).extend(values)


class Product:
    """The harness's own scores against the truth; of `history_similarity` only what others do not settle."""

    def __init__(self, git: Git, chain: Chain) -> None:
        self._git, self._chain = git, chain
        self._reader = LineReader(git)
        self._truth = self._reader.read(chain.base, chain.commits)

    def against_truth(self, commits: Sequence[str]) -> Scores:
        lines = self._reader.read(self._chain.base, commits)
        reproduced = history_lines.commits_reproduced(lines, self._truth)
        if reproduced == 1:
            return scores_against_truth(self._git, (commits, lines), (self._chain.commits, self._truth))
        grouping = history_lines.line_grouping(lines, self._truth)
        return {"commits_reproduced": reproduced, "line_grouping": None if grouping is None else max(0.0, grouping)}


def compare_one(mirror: Git, chain: Chain, *, syntax: bool) -> Tally:
    tally = Tally()
    try:
        compare(mirror, chain, tally, syntax=syntax)
    except GitError as problem:
        print(f"{chain.commits[-1]} left out: {problem}", file=sys.stderr)
    return tally


def compare(mirror: Git, chain: Chain, tally: Tally, *, syntax: bool) -> None:
    found = list(histories(mirror, chain))
    with ScratchRepository(mirror) as scratch:
        git = scratch.git
        differ = Differ(git)
        try:
            product = Product(git, chain)
        except TooLarge:
            tally.too_large += 1
            return
        truth = differ.history(chain.base, chain.commits)
        tally.chains += 1
        for made in found:
            commits = write(git, chain.base, made.history)
            agent = differ.history(chain.base, commits)
            messages = [commit.message for commit in read_commits(git, commits)]
            told = {
                "commits_reproduced": commits_reproduced(agent, truth),
                "line_grouping": line_grouping(agent, truth),
                **scores_of_messages(messages),
            }
            scores = {
                **product.against_truth(commits),
                **message_scores(read_messages(messages)),
            }
            if syntax:
                told["syntax_valid"] = syntax_valid(git, chain.base, agent, chain.commits[-1])
                scores["syntax_valid"] = sum(valid_syntax(git, chain.base, commits, chain.commits[-1])) / len(commits)
            tally.histories += 1
            where = f"{chain.path!r} {chain.commits[-1]} {made.agent}"
            for name, value in told.items():
                tally.compared += 1
                if not _same(value, scores[name]):
                    tally.wrong.append(f"{where}: {name} {scores[name]}, by definition {value}")
            tally.reproduced.setdefault(made.agent, []).append(told["commits_reproduced"] or 0.0)
            if told["line_grouping"] is not None:
                tally.grouping.setdefault(made.agent, []).append(told["line_grouping"])
            if made.attainable is not None:
                names = ("commits_reproduced", "line_grouping", "history_similarity")
                full = all(scores.get(name, 0.0) in (1.0, None) for name in names)
                tally.attainable[made.agent] += made.attainable
                if full != made.attainable:
                    told_of = {name: scores.get(name) for name in names}
                    tally.wrong.append(f"{where}: attainable {made.attainable}, scores {told_of}")


def _same(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) < 1e-9


def mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.3f}" if values else "-"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--sample", type=int, default=0, help="only N chains of each, drawn by --seed")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--syntax", action="store_true", help="compare syntax_valid, too, which takes longer")
    args = parser.parse_args()
    tally = Tally()
    for target in find_targets(args.repositories):
        assert target.mirror is not None
        mirror = target.mirror.borrow(refs=True)
        chains = chains_of(mirror, args.sample, args.seed)
        work = (delayed(compare_one)(mirror, chain, syntax=args.syntax) for chain in chains)
        for found in Parallel(n_jobs=args.jobs, backend="threading", return_as="generator_unordered")(work):
            tally.add(found)
            if not tally.chains % 20:
                print(f"{tally.chains} chains, {len(tally.wrong)} differences", file=sys.stderr, flush=True)
        print(
            f"{target.name}: {tally.chains} chains so far, {len(tally.wrong)} differences", file=sys.stderr, flush=True
        )
    for fault in tally.wrong:
        print(fault, file=sys.stderr)
    print(
        f"{tally.chains} chains, {tally.histories} histories, {tally.compared} values: {len(tally.wrong)} differences"
    )
    print("| agent | commits_reproduced | line_grouping | attainable |\n|---|---|---|---|")
    for agent, values in tally.reproduced.items():
        share = tally.attainable[agent] if agent.startswith("tool-oracle") else ""
        print(f"| {agent} | {mean(values)} | {mean(tally.grouping.get(agent, []))} | {share} |")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
