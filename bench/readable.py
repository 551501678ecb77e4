"""Can everything that judge and scores look at be read through the tools? Real chains and merges, read page by page.

    PYTHONPATH=. python bench/readable.py [--chains N] [--merges N] [--seed S] [--out FILE.jsonl] owner/name=PATH ...

Of each chain, as a rebase and as a division, and of each merge the prompt is taken and every page of every view is
turned. Compared with what Git itself says of the real commits, read apart from the harness:

- rebase: each line of each commit's message and patch, targets of links, commits of submodules, modes; paths and sizes
  of binary files; and each line that the judge would be shown of the real history;
- division: each line of the patch from base to end, of the chain's file in the hunks, of other files in the rest;
- merge: each conflicted file as it lies in the working tree, each conflict in it, each file that the real merge changes
  against both sides, and the difference between the sides for all of these.

Prints how many are read in full, and how long prompts are. Exits with 1 when a byte is missing or a prompt is longer
than 100,000 characters.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import real_chains
import real_merges
from gitgoodbench.scenarios.icc.options import CommitOptions

from gitgoodbench.agents.calls import call_tool
from gitgoodbench.dataset.sample import Sample
from gitgoodbench.errors import EpisodeError
from gitgoodbench.git.conflicts import TextConflict
from gitgoodbench.git.histories import read_history
from gitgoodbench.git.process import Git
from gitgoodbench.mining.targets import Target, find_targets
from gitgoodbench.plugin.prompts import PROMPT_LIMIT
from gitgoodbench.sample_types.specs import chain_spec, merge_spec
from gitgoodbench.sandbox.local import LocalProvider
from gitgoodbench.scenario import EpisodeOptions, Scenario, ToolSet, load_scenarios
from gitgoodbench.scoring.judge.blind import blind
from tests.support.mining import mine_all
from tests.support.reading import follow, read_all, unseen

DIFF = (
    "diff-tree", "-r", "-p", "--full-index", "--no-commit-id", "--no-ext-diff", "--no-textconv", "--submodule=short",
    "--diff-algorithm=myers", "--no-indent-heuristic", "--inter-hunk-context=0",
)  # fmt: skip
KINDS = ("ir published", "icc published", "icc extended, all hunks", "mcr published")


def patch_lines(patch: bytes) -> Iterator[bytes]:
    """What must be seen of a patch of Git's: all but the ids of blobs; of binary content the paths."""
    for line in patch.removesuffix(b"\n").split(b"\n"):
        if not line.startswith((b"index ", b"Binary files ")):
            yield line


def binary_files(patch: bytes) -> list[bytes]:
    return [line for line in patch.split(b"\n") if line.startswith(b"Binary files ")]


def read_rebase(episode: Any, mirror: Git, sample: Sample) -> list[str]:
    spec = chain_spec(sample)
    count, newest = spec.times_seen_consecutively, spec.newest_commit
    ids = mirror.run("rev-list", "--reverse", "--first-parent", f"-{count}", newest).decode().split()
    history = blind(read_history(mirror, mirror.line("rev-parse", f"{ids[0]}^"), newest))
    missing: list[str] = []
    for index, commit in enumerate(ids):
        shown = read_all(episode, "show_changes_in", commit_index=index)
        patch = mirror.run(*DIFF, "--find-renames=50%", f"{commit}^", commit)
        message = mirror.run("log", "-1", "--encoding=UTF-8", "--format=%B", commit).strip(b"\n").split(b"\n")
        missing += describe(index, unseen([*patch_lines(patch), *message], shown))
        missing += [f"{index}: {line!r}" for line in binary_files(patch) if not told_with_size(line, shown)]
        told = history.commits[index]
        judged = told.patch.encode("utf-8", "surrogateescape").split(b"\n")
        if told.patch_left_out:
            judged.pop()  # cut in the middle of a line
        missing += describe(f"{index}, judge", unseen(judged, shown) if judged != [b""] else [])
    return missing


def told_with_size(line: bytes, shown: str) -> bool:
    text = line.decode("utf-8", "replace")
    return f"{text} (" in shown and " bytes" in shown.partition(f"{text} (")[2].partition("\n")[0]


def read_division(episode: Any, mirror: Git, sample: Sample, options: EpisodeOptions) -> list[str]:
    spec = chain_spec(sample)
    base, newest, file = episode.base, spec.newest_commit, spec.file
    shown = hunks_shown(episode)
    if options.of(CommitOptions).hunks == "all":
        patch = mirror.run(*DIFF, "--find-renames=50%", base, newest)
        lines = [line for line in changed_lines(patch) if line]
        return describe("hunks", unseen(lines, without_line_numbers(shown)))
    patch = mirror.run(*DIFF, "--no-renames", base, newest, "--", file)
    missing = describe("hunks", unseen(changed_lines(patch), shown))
    others = [path for path in changed_paths(mirror, base, newest) if path != file.encode("utf-8", "surrogateescape")]
    rest = mirror.run(*DIFF, "--find-renames=50%", base, newest, "--", *others) if others else b""
    episode.begin_answer()
    told = call_tool(episode.tools, "commit_changes_in", {"selected_hunks": "all", "commit_message": "All"})
    if rest:
        text = follow(episode, told.text, "view_remaining_changes")
        missing += describe("rest", unseen(patch_lines(rest), text))
        missing += [f"rest: {line!r}" for line in binary_files(rest) if not told_with_size(line, text)]
    return missing


def hunks_shown(episode: Any) -> str:
    """Every hunk in full: from the prompt, or by the tool where there is one."""
    if not any(tool.name == "view_hunk" for tool in episode.tools):
        return str(episode.prompt[1]["content"])
    numbers = range(1, len(episode.division.remaining) + 1)
    return "\n".join(read_all(episode, "view_hunk", hunk=number) for number in numbers)


def changed_lines(patch: bytes) -> list[bytes]:
    """Added and removed lines of text; none of headers."""
    lines, inside = [], False
    for line in patch.removesuffix(b"\n").split(b"\n"):
        if line.startswith(b"diff --git "):
            inside = False
        elif line.startswith(b"@@ "):
            inside = True
        elif inside and line.startswith((b"+", b"-")):
            lines.append(line)
    return lines


def without_line_numbers(shown: str) -> str:
    return "\n".join(
        line[5:] if line[4:5] == " " and line[:4].strip().isdigit() else line for line in shown.split("\n")
    )


def read_merge(episode: Any, mirror: Git, sample: Sample) -> list[str]:
    spec = merge_spec(sample)
    missing: list[str] = []
    model, tree = episode.resolution.model, Path(episode.git.work_tree)
    local, incoming = spec.parents
    merge = spec.merge_commit_hash
    changed = set(changed_paths(mirror, local, merge)) & set(changed_paths(mirror, incoming, merge))
    for path in dict.fromkeys([*model.files, *sorted(changed)]):
        lying = tree / path.decode("utf-8", "surrogateescape")
        name = path.decode("utf-8", "surrogateescape")
        if lying.is_file() and not lying.is_symlink():
            content = lying.read_bytes()
            text = read_all(episode, "view_file_at", relative_path_from_project_root=name)
            lines = content.split(b"\n")
            missing += describe(name, unseen(lines, text))
        patch = mirror.run("diff", "--no-ext-diff", "--no-textconv", "--no-renames", local, incoming, "--", path)
        if patch:
            text = read_all(episode, "view_diff_for", relative_path_from_project_root=name)
            missing += describe(f"{name}, sides", unseen(changed_lines(patch), text))
    for number in range(len(model.conflicts)):
        text = read_all(episode, "view_merge_conflict_at", conflict_index=number, context_window_size=0)
        conflict = model.conflicts[number]
        if isinstance(conflict, TextConflict):
            region = model.region(conflict).text.removesuffix(b"\n")
            missing += describe(f"conflict {number}", unseen(region.split(b"\n"), text))
    return missing


def changed_paths(git: Git, old: str, new: str) -> list[bytes]:
    return git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new).split(b"\0")[:-1]


def describe(where: object, lines: list[bytes]) -> list[str]:
    return [f"{where}: {line[:100]!r}" for line in lines]


def try_sample(scenarios: Mapping[str, Scenario], kind: str, sample: Sample, store: Any, mirror: Git) -> dict[str, Any]:
    """Prompt lengths and what is missing of one episode; `unfit` where it cannot be set up."""
    name = kind.split()[0]
    extended = "extended" in kind
    options = EpisodeOptions(ToolSet.EXTENDED, own=(CommitOptions(hunks="all"),)) if extended else EpisodeOptions()
    found: dict[str, Any] = {"kind": kind, "sample": sample.model_dump(mode="json")}
    with LocalProvider().open(run_id="readable", episode_id=sample.id) as sandbox:
        try:
            episode: Any = scenarios[name].prepare(sample, store, sandbox, options)
        except EpisodeError as problem:
            return {**found, "unfit": str(problem)}
        found["prompt"] = sum(len(message["content"]) for message in episode.prompt)
        if name == "ir":
            found["missing"] = read_rebase(episode, mirror, sample)
        elif name == "icc":
            found["missing"] = read_division(episode, mirror, sample, options)
        else:
            found["missing"] = read_merge(episode, mirror, sample)
    return found


def samples_of(
    target: Target, chains: int, merges: int, seed: int, kinds: Sequence[str]
) -> Iterator[tuple[str, Sample]]:
    """Chains drawn by the seed, and the newest merges that conflict."""
    assert target.mirror is not None
    git = target.mirror.borrow(refs=True)
    if chains:
        mined = list(mine_all(git).chains)
        drawn = random.Random(seed).sample(range(len(mined)), min(chains, len(mined)))
        for number in sorted(drawn):
            sample = real_chains.as_sample(target.name, number, mined[number])
            yield from ((kind, sample) for kind in KINDS[:3] if kind in kinds)
    for number, merge in enumerate(islice(real_merges.conflicting_merges(git), merges if KINDS[3] in kinds else 0)):
        yield KINDS[3], real_merges.as_sample(target.name, number, merge)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--chains", type=int, default=40, help="of each repository")
    parser.add_argument("--merges", type=int, default=40, help="of each repository")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only these episodes")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    scenarios, lengths, unread, unfit = load_scenarios(), defaultdict(list), 0, 0
    for target in find_targets(args.repositories):
        assert target.mirror is not None
        store, mirror = real_chains.OneRepository(target.mirror), target.mirror.borrow()
        for kind, sample in samples_of(target, args.chains, args.merges, args.seed, args.kind or KINDS):
            found = try_sample(scenarios, kind, sample, store, mirror)
            if args.out:
                with args.out.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(found) + "\n")
            if "unfit" in found:
                unfit += 1
                continue
            lengths[kind].append(found["prompt"])
            for line in found["missing"][:10]:
                print(f"{kind}, {sample.id}: {line}", file=sys.stderr)
            unread += bool(found["missing"])
        print(f"{target.name} is read", file=sys.stderr)
    print("| episodes | read | prompt: median | 90 % | 99 % | longest |\n|---|---|---|---|---|---|")
    for kind, sizes in lengths.items():
        cuts = statistics.quantiles(sizes, n=100, method="inclusive") if len(sizes) > 1 else sizes * 99
        print(f"| {kind} | {len(sizes)} | {cuts[49]:,.0f} | {cuts[89]:,.0f} | {cuts[98]:,.0f} | {max(sizes):,} |")
    print(f"\n{unread} episodes in which something cannot be read; {unfit} that cannot be set up")
    return 1 if unread or any(max(sizes) > PROMPT_LIMIT for sizes in lengths.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
