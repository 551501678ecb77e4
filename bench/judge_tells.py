"""What tells a judge which of two histories is the real one, and how much the limit cuts, on real chains.

    python bench/judge_tells.py [--sample N --seed S] [--jobs N] [--limit CHARACTERS] REPOSITORY...

Chains are those that `gitgoodbench mine` finds; the agents' histories are made as in bench/chain_histories.py, and
rendered as a judge sees them: interactive rebase with whole patches, committing with the patches of the chain's file.
Besides, `plain` commits the real trees under messages that have been through the judge's own rules before, as if an
agent had written them.

For each agent: the length of prompts, the share of sides that the limit cuts, and features of form: the share of sides
that have each, on the agent's and on the real side. `oracle` and `plain` come from the same material: both sides must
be equal to the character. Prints Markdown tables; exits with 1 where they are not.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from chain_histories import History, chains_of, histories, write
from joblib import Parallel, delayed

from gitgoodbench.git.histories import HistoryPair, read_history
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.mining.targets import find_targets
from gitgoodbench.sample_types.chains import Chain
from gitgoodbench.scoring.judge.blind import BlindHistory, blind, blind_message
from gitgoodbench.scoring.judge.cutting import cut_both
from gitgoodbench.scoring.judge.options import DEFAULT_LIMIT
from gitgoodbench.scoring.judge.prompt import make_question
from gitgoodbench.scoring.judge.votes import Order
from gitgoodbench.workspace.scratch import ScratchRepository

AGENTS: Final = {
    "ir": ("squash-all", "autosquash"),
    "icc": ("tool-oracle published chain-file", "one-commit", "per-hunk", "by-definition"),
}
SAME: Final = ("oracle", "plain")

Feature = Callable[[BlindHistory], bool]


def _in_messages(pattern: str, flags: int = 0) -> Feature:
    found = re.compile(pattern, flags)
    return lambda history: any(found.search(commit.message) for commit in history.commits)


def _in_patches(pattern: str) -> Feature:
    found = re.compile(pattern, re.MULTILINE)
    return lambda history: any(found.search(commit.patch) for commit in history.commits)


FEATURES: Final[Mapping[str, Feature]] = {
    "no message": lambda history: any(not commit.message for commit in history.commits),
    "no change": lambda history: any(not commit.patch for commit in history.commits),
    "message cut": lambda history: any(commit.message_left_out for commit in history.commits),
    "patch cut": lambda history: any(commit.patch_left_out for commit in history.commits),
    "commits left out": lambda history: history.left_out > 0,
    "blanks around a message": lambda history: any(c.message != c.message.strip() for c in history.commits),
    "newline after a patch": lambda history: any(c.patch.endswith("\n") for c in history.commits),
    "blanks at a line's end": _in_messages(r"[ \t\r]$", re.MULTILINE),
    "two empty lines": _in_messages(r"\n\n\n"),
    "`an earlier commit`": _in_messages(r"\ban earlier commit\b"),
    "`an address`": _in_messages(r"\ban address\b"),
    "`an issue`, `a branch`": _in_messages(r"\b(?:an issue|a branch)\b"),
    "number with a hash": _in_messages(r"#\d"),
    "key of a tracker": _in_messages(r"\b[A-Z][A-Z]+-\d+\b"),
    "URL": _in_messages(r"https?://"),
    "trailer": _in_messages(r"\n\n(?:.*\n)*[A-Z][a-z]+(?:-[A-Za-z]+)+: .*\Z"),
    "name with an at": _in_messages(r"(?<!\w)@\w"),
    "`Merge`": _in_messages(r"\AMerge\b"),
    "brackets left empty": _in_messages(r"\(\s*\)|\[\s*\]|[,;:]\s*\Z"),
    "object id": _in_messages(r"\b(?=\w*[0-9])(?=\w*[a-f])[0-9a-f]{7,40}\b"),
    "non-ASCII": _in_messages(r"[^\x00-\x7f]"),
    "body": _in_messages(r"\n\n"),
    "prefix `word:`": _in_messages(r"\A[\w./-]+(?:\([\w./-]+\))?!?: "),
    "starts lower-case": _in_messages(r"\A[a-z]"),
    "subject ends in a full stop": _in_messages(r"\A[^\n]*\.(?:\n|\Z)"),
    "subject over 72": _in_messages(r"\A[^\n]{73}"),
    "message repeated": lambda history: len({c.message for c in history.commits}) < len(history.commits),
    "one commit": lambda history: len(history.commits) + history.left_out == 1,
    "mode line": _in_patches(r"^(?:old mode|new mode|new file mode|deleted file mode) "),
    "rename": _in_patches(r"^rename from "),
    "binary": _in_patches(r"^(?:Binary files|GIT binary patch)"),
    "no newline at end": _in_patches(r"^\\ No newline"),
    "blob id": _in_patches(r"^index [0-9a-f]+"),
}


@dataclass
class Tally:
    """By agent. cut: sides of (agent, real) that the limit cuts. sides: lengths of (agent, real) histories, uncut."""

    pairs: Counter[str] = field(default_factory=Counter)
    prompts: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    sides: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    cut: dict[str, list[tuple[bool, bool]]] = field(default_factory=lambda: defaultdict(list))
    features: dict[str, Counter[tuple[str, bool, bool]]] = field(default_factory=lambda: defaultdict(Counter))
    unequal: list[str] = field(default_factory=list)

    def add(self, agent: str, pair: HistoryPair, where: str, limit: int) -> None:
        blinded = blind(pair.agent), blind(pair.real)
        shown = cut_both(*blinded, limit)[:2]
        self.pairs[agent] += 1
        question = make_question(pair, seed=where, limit=limit)
        self.prompts[agent].append(len(str(question.prompts[Order.AGENT_FIRST][1]["content"])))
        self.sides[agent].append((length(blinded[0]), length(blinded[1])))
        self.cut[agent].append((is_cut(shown[0]), is_cut(shown[1])))
        for name, holds in FEATURES.items():
            self.features[agent][name, holds(shown[0]), holds(shown[1])] += 1
        if agent.endswith(SAME) and not (shown[0] == shown[1] and question.identical):
            self.unequal.append(f"{where}: {agent}")


def length(history: BlindHistory) -> int:
    """Characters of messages and patches."""
    return sum(len(commit.message) + len(commit.patch) for commit in history.commits)


def is_cut(history: BlindHistory) -> bool:
    return history.left_out > 0 or any(c.message_left_out or c.patch_left_out for c in history.commits)


def compare(mirror: Git, chain: Chain) -> list[tuple[str, HistoryPair, str]]:
    """What judges are shown of the chain: agent, both histories, and where they are from."""
    found = []
    with ScratchRepository(mirror) as scratch:
        for agent, history in made_by(mirror, chain):
            tip = write(scratch.git, chain.base, history)[-1]
            for kind, path in (("ir", None), ("icc", chain.path)):
                if agent not in (*AGENTS[kind], *SAME):
                    continue
                sides = (
                    read_history(scratch.git, chain.base, end, path=path, changes_only=True)
                    for end in (tip, chain.commits[-1])
                )
                found.append((f"{kind} {agent}", HistoryPair(*sides), chain.commits[-1]))
    return found


def made_by(mirror: Git, chain: Chain) -> Iterator[tuple[str, History]]:
    for made in histories(mirror, chain):
        yield made.agent, made.history
        if made.agent == "oracle":
            yield "plain", [(_plain(message), state) for message, state in made.history]
        if made.agent == AGENTS["icc"][-1]:
            return


def _plain(message: bytes) -> bytes:
    return blind_message(message.decode("utf-8", "replace")).encode("utf-8", "replace") + b"\n"


def compare_one(mirror: Git, chain: Chain) -> list[tuple[str, HistoryPair, str]]:
    try:
        return compare(mirror, chain)
    except GitError as problem:
        print(f"{chain.commits[-1]} left out: {problem}", file=sys.stderr)
        return []


def print_lengths(tally: Tally) -> None:
    print("| agent | pairs | prompt: median | 90 % | 99 % | longest | sides cut, agent | real |")
    print("|---|---|---|---|---|---|---|---|")
    for agent, pairs in tally.pairs.items():
        sizes = tally.prompts[agent]
        cuts = [sum(side) for side in zip(*tally.cut[agent], strict=True)]
        figures = [statistics.median_low(sizes), quantile(sizes, 0.9), quantile(sizes, 0.99), max(sizes)]
        print(f"| `{agent}` | {pairs} |", *(f"{size:,} |" for size in figures), *(f"{share(n, pairs)} |" for n in cuts))
    whole = {kind: [real for _, real in tally.sides[f"{kind} oracle"]] for kind in ("ir", "icc")}
    print("\nReal histories that would be cut, by limit:\n")
    print("| limit |", *(f"{kind} |" for kind in whole))
    print("|---|---|---|")
    for choice in (4_000, 15_000, 30_000, 60_000, 90_000, 120_000, 240_000):
        cells = (share(sum(side > choice // 2 for side in sides), len(sides)) for sides in whole.values())
        print(f"| {choice:,} |", *(f"{cell} |" for cell in cells))


def print_features(tally: Tally) -> None:
    """Only what differs for anyone: `agent / real`, in percent of the sides."""
    shown = [name for name in FEATURES if any(differs(tally, agent, name) for agent in tally.pairs)]
    print("\n| feature |", *(f"`{agent}` |" for agent in tally.pairs))
    print("|---|", *("---|" for _ in tally.pairs))
    for name in shown:
        cells = []
        for agent, pairs in tally.pairs.items():
            agents, reals = (
                sum(n for (feature, *has), n in tally.features[agent].items() if feature == name and has[side])
                for side in (0, 1)
            )
            cells.append(f"{100 * agents / pairs:.0f} / {100 * reals / pairs:.0f}")
        print(f"| {name} |", *(f"{cell} |" for cell in cells))
    print(f"\nNo difference for anyone: {', '.join(name for name in FEATURES if name not in shown)}.")


def differs(tally: Tally, agent: str, name: str) -> bool:
    return any(n for (feature, a, r), n in tally.features[agent].items() if feature == name and a != r)


def quantile(values: Sequence[int], share: float) -> int:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--sample", type=int, default=0, help="only N chains of each, drawn by --seed")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=DEFAULT_LIMIT)
    args = parser.parse_args()
    tally, chains = Tally(), 0
    for target in find_targets(args.repositories):
        assert target.mirror is not None
        mirror = target.mirror.borrow(refs=True)
        work = (delayed(compare_one)(mirror, chain) for chain in chains_of(mirror, args.sample, args.seed))
        for found in Parallel(n_jobs=args.jobs, backend="threading", return_as="generator_unordered")(work):
            chains += bool(found)
            for agent, pair, where in found:
                tally.add(agent, pair, where, args.limit)
    print(f"{chains} chains.\n")
    print_lengths(tally)
    print_features(tally)
    for where in tally.unequal:
        print(f"not equal, though of the same material: {where}")
    return 1 if tally.unequal else 0


if __name__ == "__main__":
    sys.exit(main())
