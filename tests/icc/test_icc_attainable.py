"""A sample is attainable exactly where `tool-oracle` scores 1.0 against the truth in everything."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Literal

import pytest
from gitgoodbench.scenarios.icc.nearest import score_alike

from gitgoodbench.git.objects import EXECUTABLE, Entry, write_blob
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, ToolSet
from gitgoodbench.scoring import similarity_trees
from gitgoodbench.scoring.history_scores import AGAINST_THE_TRUTH
from tests.support.chains import ChainCase, Files, icc_options, make_chain, play

HunkChoice = Literal["chain-file", "all"]
MODES: list[HunkChoice] = ["chain-file", "all"]
TOOLS = [ToolSet.PUBLISHED, ToolSet.EXTENDED]
OTHER = b"".join(b"line %d of a file that only moves\n" % number for number in range(300))


def functions(*changed: int) -> bytes:
    return b"".join(b"def f%d():\n    return %d\n\n\n" % (n, n + 100 * (n in changed)) for n in range(8))


def scored(case: ChainCase, provider: SandboxProvider, options: EpisodeOptions) -> tuple[bool | None, bool]:
    """Whether the sample is attainable, and whether tool-oracle scores in full."""
    verdict, trajectory, episode, _ = play(case, provider, "tool-oracle", options)
    assert trajectory.error is None
    return episode.facts["attainable"], all(verdict.scores[name] in (1.0, None) for name in AGAINST_THE_TRUTH)


def test_a_file_that_another_one_moves_beside_is_out_of_reach_of_its_hunks(
    tmp_path: Path, local_provider: SandboxProvider
) -> None:
    versions: list[Files] = [
        {b"a.py": functions(), b"o.py": OTHER},
        {b"a.py": functions(0), b"o.py": OTHER},
        {b"a.py": functions(0, 3), b"p.py": OTHER},
        {b"a.py": functions(0, 3, 7), b"p.py": OTHER},
    ]
    case = make_chain(tmp_path / "r.git", versions)
    for tools in TOOLS:
        assert scored(case, local_provider, icc_options(tools, hunks="chain-file")) == (False, False)
        assert scored(case, local_provider, icc_options(tools, hunks="all")) == (True, True)
    _, _, episode, _ = play(case, local_provider, "tool-oracle", EpisodeOptions())
    assert episode.facts["hunks_pure"]


def test_a_change_of_another_file_that_is_undone_is_out_of_reach(
    tmp_path: Path, local_provider: SandboxProvider
) -> None:
    versions: list[Files] = [
        {b"a.py": functions(), b"b.py": b"1\n"},
        {b"a.py": functions(0), b"b.py": b"2\n"},
        {b"a.py": functions(0, 5), b"b.py": b"1\n"},
    ]
    case = make_chain(tmp_path / "r.git", versions)
    for tools in TOOLS:
        for hunks in MODES:
            assert scored(case, local_provider, icc_options(tools, hunks=hunks)) == (False, False)


def random_chain(path: Path, seed: int) -> ChainCase:
    """Two or three commits over a file in which lines repeat.

    In turn: edits far apart; edits anywhere, also of what an earlier commit wrote; the first with other files added,
    changed and moved.
    """
    random = Random(seed)
    kind = seed % 3
    lines = [b"%d\n" % random.randrange(12) for _ in range(36)]
    files: dict[bytes, bytes | tuple[str, bytes]] = {b"a.py": b"".join(lines), b"o.py": OTHER}
    versions: list[Files] = [dict(files)]
    for step in range(random.randint(2, 3)):
        at = random.randrange(14, 18) if kind == 1 else 12 * step + random.randrange(3)
        lines[at : at + random.randrange(3)] = [b"%d\n" % random.randrange(16) for _ in range(random.randint(1, 2))]
        files[b"a.py"] = b"".join(lines)
        if kind == 2:
            match random.randrange(3):
                case 0:
                    files[b"b.py"] = b"%d\n" % step
                case 1 if b"o.py" in files:
                    files[b"p.py"] = files.pop(b"o.py")
                case _:
                    files[b"x.sh"] = (EXECUTABLE, b"%d\n" % step)
        versions.append(dict(files))
    return make_chain(path, versions)


@pytest.mark.parametrize("hunks", MODES)
@pytest.mark.parametrize("tools", TOOLS)
def test_attainable_is_what_tool_oracle_attains_on_random_chains(
    tmp_path: Path, local_provider: SandboxProvider, tools: ToolSet, hunks: HunkChoice
) -> None:
    found = [
        scored(random_chain(tmp_path / f"{seed}.git", seed), local_provider, icc_options(tools, hunks=hunks))
        for seed in range(6)
    ]
    assert [attainable for attainable, _ in found] == [full for _, full in found]
    assert len(set(found)) == 2


def test_commits_too_large_to_be_compared_are_not_taken_for_the_real_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions: list[Files] = [{b"a.py": b"0\n"}, {b"a.py": b"if a:\n    p\nif b:\n    q\n"}]
    git = make_chain(tmp_path / "r.git", versions).git
    first, real, other = (
        {b"a.py": Entry("100644", write_blob(git, content))}
        for content in (b"0\n", versions[1][b"a.py"], b"if a:\n    q\nif b:\n    p\n")
        if isinstance(content, bytes)
    )
    assert score_alike(git, [first, real], [first, real], [], 40)
    assert not score_alike(git, [first, other], [first, real], [], 40)
    monkeypatch.setattr(similarity_trees, "MAX_CELLS", 0)
    assert not score_alike(git, [first, other], [first, real], [], 40)


@pytest.mark.docker
def test_a_shell_attains_everything(tmp_path: Path, docker_provider: SandboxProvider) -> None:
    for seed in range(3):
        case = random_chain(tmp_path / f"{seed}.git", seed)
        assert scored(case, docker_provider, EpisodeOptions(ToolSet.SHELL)) == (True, True)
