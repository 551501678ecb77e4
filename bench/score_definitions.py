"""The scores of chains as docs/metrics.md defines them, against the harness, on real file-commit chains.

    python -m bench.score_definitions [--sample N --seed S] [--jobs N] [--syntax] REPOSITORY...

Chains are those that `gitgoodbench mine` finds. For each, the histories of ten agents are made as the reference agents
make them, but without a sandbox: `squash-all` and `autosquash` (folding neighbours) of interactive rebase;
`one-commit`, `per-hunk`, `by-definition`, `oracle`, and `tool-oracle` with each tool set and choice of hunks, of
committing. Every
score but `history_similarity` and the mood of subjects is computed twice: by the harness, and here from the output of
`git diff`, with scikit-learn and tree-sitter. Besides, `tool-oracle` must score 1.0 against the truth exactly on
samples that are attainable. Prints a Markdown table; exits with 1 where anything differs.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import tree_sitter
from gitgoodbench.scenarios.icc.changes import FileContent, read_changes, with_text
from gitgoodbench.scenarios.icc.division import Division
from gitgoodbench.scenarios.icc.grouping import read_grouping
from gitgoodbench.scenarios.icc.nearest import is_attainable, mixed_hunks, pieces_by_commit
from gitgoodbench.scenarios.icc.policies import group_by_definition
from gitgoodbench.scenarios.ir.episode import Reference
from gitgoodbench.scenarios.ir.policies import adjacent_targets, fixup_targets
from joblib import Parallel, delayed
from sklearn.metrics import adjusted_rand_score

from gitgoodbench.git.commits import read_commits
from gitgoodbench.git.objects import Entry
from gitgoodbench.git.process import Git, GitError
from gitgoodbench.mining.targets import find_targets
from gitgoodbench.sample_types.chains import Chain
from gitgoodbench.scoring import history_lines
from gitgoodbench.scoring.chain_gates import valid_syntax
from gitgoodbench.scoring.history_lines import LineReader, TooLarge
from gitgoodbench.scoring.history_scores import message_scores, scores_against_truth
from gitgoodbench.scoring.messages import read_messages
from gitgoodbench.workspace.chain import CommitChain
from gitgoodbench.workspace.scratch import ScratchRepository

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.mining import mine_all

DIFF: Final = (
    "diff", "--text", "--no-renames", "--diff-algorithm=myers", "--indent-heuristic", "--unified=1000000000",
    "--raw", "-z", "--patch", "--full-index", "--no-ext-diff", "--no-textconv", "--submodule=short",
)  # fmt: skip
"""As docs/metrics.md has it, with all lines as context: so a patch is the whole file, each line marked."""

WHOLE: Final = 4 * 1024 * 1024
Scores = dict[str, float | None]
State = dict[bytes, Entry | FileContent | None]


# --- the definitions ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FileDiff:
    """A file that a commit changes: modes and ids before and after; marked lines; None if it changes as a whole."""

    old: tuple[bytes, bytes]
    new: tuple[bytes, bytes]
    lines: list[tuple[bytes, bytes]] | None


Commit = dict[bytes, FileDiff]


class Differ:
    """What `git diff` says of two commits; each pair is asked for once."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self.diff = cache(self._diff)

    def history(self, base: str, commits: Sequence[str]) -> list[Commit]:
        trees = [commit.tree for commit in read_commits(self.git, [base, *commits])]
        return [self.diff(*pair) for pair in pairwise(trees)]

    def _diff(self, before: str, after: str) -> Commit:
        raw, _, patch = self.git.run(*DIFF, before, after).partition(b"\0\0")
        patches = [_marked(patch) for patch in (b"\n" + patch).split(b"\ndiff --git ")[1:]]
        fields = iter(raw.removesuffix(b"\0").split(b"\0") if raw else ())
        files = {}
        for head in fields:
            old_mode, new_mode, old, new, status = head[1:].split(b" ")
            lines = patches.pop(0) + (patches.pop(0) if status == b"T" else [])
            large = any(sum(len(line) for mark, line in lines if mark != other) > WHOLE for other in (b"+", b"-"))
            whole = large or b"160000" in (old_mode, new_mode)
            files[next(fields)] = FileDiff((old_mode, old), (new_mode, new), None if whole else lines)
        return files


def _marked(patch: bytes) -> list[tuple[bytes, bytes]]:
    """The lines of a patch below its `@@`, each with its mark, kept ones too."""
    lines: list[tuple[bytes, bytes]] = []
    for line in patch.partition(b"\n@@ ")[2].removesuffix(b"\n").split(b"\n")[1:]:
        if line.startswith(b"\\"):  # no newline at the end of file
            lines[-1] = (lines[-1][0], lines[-1][1].removesuffix(b"\n"))
        else:
            lines.append((line[:1], line[1:] + b"\n"))
    return lines


def commits_reproduced(agent: list[Commit], truth: list[Commit]) -> float:
    made = [changed_lines(commit) for commit in agent]
    found = 0
    for commit in map(changed_lines, truth):
        if commit in made:
            made.remove(commit)
            found += 1
    return found / len(truth)


def changed_lines(commit: Commit) -> Counter[object]:
    found: Counter[object] = Counter()
    for path, file in commit.items():
        if file.lines is None:
            found[path, file.old, file.new] += 1
        if file.old[0] != file.new[0]:
            found[path, file.old[0], file.new[0]] += 1
        found.update((path, mark, line) for mark, line in file.lines or () if mark != b" ")
    return found


def line_grouping(agent: list[Commit], truth: list[Commit]) -> float | None:
    whole = {path for commit in (*agent, *truth) for path, file in commit.items() if file.lines is None}
    first, second = owners(agent), owners(truth)
    both = [line for line in first if line in second and line[0] not in whole]
    if not both:
        return None
    index = adjusted_rand_score([first[line] for line in both], [second[line] for line in both])
    return max(0.0, float(index))


def owners(history: list[Commit]) -> dict[tuple[bytes, bytes, int], int]:
    """Lines by path, mark and number: those of the first version with the commit that removed them, those of the last
    with the commit that added them.
    """
    found: dict[tuple[bytes, bytes, int], int] = {}
    files: dict[bytes, list[tuple[bytes, int]]] = {}  # each line: where it is from, and its number or commit
    for number, commit in enumerate(history):
        for path, file in commit.items():
            marked = file.lines or []
            old = files.get(path, [(b"-", line) for line in range(sum(mark != b"+" for mark, _ in marked))])
            before, after = iter(old), []
            for mark, _ in marked:
                origin = (b"+", number) if mark == b"+" else next(before)
                if mark != b"-":
                    after.append(origin)
                elif origin[0] == b"-":
                    found[path, b"-", origin[1]] = number
            files[path] = after
    for path, lines in files.items():
        found |= {(path, b"+", line): number for line, (mark, number) in enumerate(lines) if mark == b"+"}
    return found


def syntax_valid(git: Git, base: str, history: list[Commit], newest: str) -> float:
    """Share of commits after which no changed source file has more errors than both before and after the chain."""
    ends = [_listing(git, base), _listing(git, newest)]
    good = 0
    for commit in history:
        for path, file in commit.items():
            known = [end[path] for end in ends if path in end]
            language = _language(path)
            if language is None or file.new[0] not in (b"100644", b"100755") or file.new in known:
                continue
            limits = [errors(git, oid, language) for mode, oid in known if mode in (b"100644", b"100755")]
            if errors(git, file.new[1], language) > max(limits, default=0):
                break
        else:
            good += 1
    return good / len(history)


@cache
def _listing(git: Git, commit: str) -> dict[bytes, tuple[bytes, bytes]]:
    rows = (row.partition(b"\t") for row in git.run("ls-tree", "-r", "-z", commit).split(b"\0")[:-1])
    return {path: (head.split()[0], head.split()[2]) for head, _, path in rows}


def _language(path: bytes) -> str | None:
    suffixes = {b"py": "python", b"pyi": "python", b"java": "java", b"kt": "kotlin", b"kts": "kotlin"}
    return suffixes.get(path.rpartition(b".")[2])


@cache
def errors(git: Git, oid: bytes, language: str) -> int:
    content = git.run("cat-file", "blob", oid.decode())
    try:
        content.decode()
    except UnicodeDecodeError:
        content = content.decode("latin-1").encode()
    parser = tree_sitter.Parser(tree_sitter.Language(import_module(f"tree_sitter_{language}").language()))
    waiting, found = [parser.parse(content).root_node], 0
    while waiting:
        node = waiting.pop()
        found += node.is_error or node.is_missing
        waiting += node.children if node.has_error else []
    return found


def scores_of_messages(messages: Sequence[bytes]) -> Scores:
    texts = [message.decode("utf-8", "replace").strip() for message in messages]
    subjects = [text.split("\n")[0].rstrip() for text in texts if text]
    distinct = len({text.casefold() for text in map(_without_trailing_blanks, texts) if text})
    return {
        "messages_distinct": distinct / len(texts),
        "subjects_short": sum(len(subject) <= 72 for subject in subjects) / len(subjects) if subjects else None,
    }


def _without_trailing_blanks(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


# --- histories that differ ---------------------------------------------------------------------------------------

History = list[tuple[bytes, State]]
"""Commits, oldest first: the message, and what then stands at the paths touched so far."""


@dataclass(frozen=True)
class Made:
    """An agent's history; attainable: what the harness says of the sample, for `tool-oracle`."""

    agent: str
    history: History
    attainable: bool | None = None


def histories(mirror: Git, chain: Chain) -> Iterator[Made]:
    spec = CommitChain(chain.base, chain.commits)
    commits = read_commits(mirror, chain.commits)
    real: History = [(commit.message, _between(mirror, chain.base, commit.oid)) for commit in commits]
    yield Made("oracle", real)
    yield Made("squash-all", [(b"\n".join(message for message, _ in real), real[-1][1])])
    base = read_commits(mirror, [chain.base])[0]
    folded = adjacent_targets(fixup_targets(Reference(mirror, base, tuple(commits))), len(real))
    yield Made("autosquash", [step for number, step in enumerate(real) if number + 1 not in folded])
    for hunks in ("chain-file", "all"):
        changes = read_changes(mirror, chain.base, chain.commits[-1], renames=hunks == "all")
        for tools in ("published", "extended"):
            chosen = [change for change in changes if hunks == "all" or change.new_path == chain.path]
            offered = [with_text(mirror, change, paired=tools == "extended") for change in chosen]
            rest = [change for change in changes if change not in chosen]
            grouping = read_grouping(mirror, spec, offered)
            division = Division(offered, rest)
            attainable = is_attainable(mirror, spec, division, grouping, split=tools == "extended")
            if tools == "extended":
                for number, cuts in mixed_hunks(division, grouping):
                    division.begin_answer()
                    division.split(number, cuts)
            groups = pieces_by_commit(division, grouping, len(real))
            named = [(real[number][0], pieces) for number, pieces in groups.items()]
            yield Made(f"tool-oracle {tools} {hunks}", _taken(division, named), attainable)
            if tools == "published" and hunks == "chain-file":
                division = Division(offered, rest)
                yield Made("one-commit", _taken(division, [(b"Change everything\n", division.remaining[:])]))
                division = Division(offered, rest)
                single = [(b"Change part %d\n" % number, [piece]) for number, piece in enumerate(division.remaining)]
                yield Made("per-hunk", _taken(division, single))
                division = Division(offered, rest)
                defined = [(group.message.encode(), list(group.pieces)) for group in group_by_definition(division)]
                yield Made("by-definition", _taken(division, defined))


def _taken(division: Division, groups: Sequence[tuple[bytes, Any]]) -> History:
    made: History = [(message, division.take(pieces)) for message, pieces in groups]
    if not division.rest_committed:
        made.append((b"Change the other files\n", division.take_rest()))
    return made


def _between(mirror: Git, base: str, commit: str) -> State:
    changes = read_changes(mirror, base, commit, renames=False)
    return {path: entry for change in changes for path, entry in change.at_end.items()}


def write(git: Git, base: str, history: History) -> list[str]:
    """The commits, through `git fast-import`; each begins with the base's files."""
    parent, stream = base, b""
    for number, (message, state) in enumerate(history, 1):
        stream += b"commit refs/heads/made\nmark :%d\ncommitter A <a@example.org> 1600000000 +0000\n" % number
        stream += b"data %d\n%s\nfrom %s\n" % (len(message), message, parent.encode())
        if number > 1:
            stream += b"".join(_written(path, None) for path in history[number - 2][1])
            stream += b"".join(b"M %s %s %s\n" % entry for entry in _restored(git, base, history[number - 2][1]))
        for path, entry in sorted(state.items(), key=lambda item: item[1] is not None):
            stream += _written(path, entry)
        parent = f":{number}"
    marks = Path(git.git_dir) / "marks"
    git.run(
        "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--force", f"--export-marks={marks}", stdin=stream
    )
    found = dict(line.split() for line in marks.read_text().splitlines())
    return [found[f":{number}"] for number in range(1, len(history) + 1)]


def _restored(git: Git, base: str, touched: State) -> Iterator[tuple[bytes, bytes, bytes]]:
    listing = _listing(git, base)
    yield from ((*listing[path], _quoted(path)) for path in touched if path in listing)


def _written(path: bytes, entry: Entry | FileContent | None) -> bytes:
    if entry is None:
        return b"D %s\n" % _quoted(path)
    if isinstance(entry, FileContent):
        data = b"data %d\n%s\n" % (len(entry.content), entry.content)
        return b"M %s inline %s\n%s" % (entry.mode.encode(), _quoted(path), data)
    return b"M %s %s %s\n" % (entry.mode.encode(), entry.oid.encode(), _quoted(path))


def _quoted(path: bytes) -> bytes:
    return b'"%s"' % path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")


# --- the comparison ----------------------------------------------------------------------------------------------


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


def chains_of(git: Git, sample: int, seed: int) -> list[Chain]:
    found = [chain for chain in mine_all(git).chains if chain.file_lines]
    return random.Random(seed).sample(found, sample) if sample and len(found) > sample else found


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
