"""What can be said of a chain of commits without a model: its size, its messages, and how near the real one it is.

None of it decides whether an episode is solved. Good and bad histories can have the same figures; a table of runs whose
judge is off still says something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

from gitgoodbench.details import HistoriesDetail
from gitgoodbench.errors import GitGoodBenchError
from gitgoodbench.git.chain_walk import same_content
from gitgoodbench.git.commits import Commit, read_commits
from gitgoodbench.git.hunks import Mark
from gitgoodbench.git.objects import Entry
from gitgoodbench.git.process import Git
from gitgoodbench.jsontypes import Json
from gitgoodbench.scoring.chain_gates import valid_syntax
from gitgoodbench.scoring.history_details import Correspondence, ReadHistory, histories_detail
from gitgoodbench.scoring.history_lines import (
    ChangedFile,
    LineHistory,
    LineReader,
    adjusted_rand_index,
    line_groups,
    reproduced,
)
from gitgoodbench.scoring.messages import MessageFigures, read_messages
from gitgoodbench.scoring.similarity_history import CommitPair, compare_histories
from gitgoodbench.scoring.similarity_trees import TooMuch
from gitgoodbench.scoring.syntax import Definition, definitions, enclosing_definition, language_of

SCORES: Final = (
    "syntax_valid", "messages_distinct", "subjects_short", "subjects_imperative", "commits_reproduced", "line_grouping",
    "history_similarity",
)  # fmt: skip
AGAINST_THE_TRUTH: Final = ("commits_reproduced", "line_grouping", "history_similarity")
"""Those of the scores that compare with the real history."""


@dataclass(frozen=True)
class HistoryScores:
    """scores: every name of `SCORES`, a value in [0, 1] or None where it cannot be known; more is better.

    syntax_valid: share of commits that break no file. messages_distinct: share with a message of their own.
    subjects_short, subjects_imperative: share of the subjects. commits_reproduced: share of the real commits that are
    there as exactly the same set of changed lines. line_grouping: adjusted Rand index of the grouping of changed lines
    into commits against the real one, 0 where it is negative; None where the histories do not end alike.
    history_similarity: see `similarity_history`.

    facts: `history` and `real_history`, the figures of either (see `HistoryFigures`). `history_similarity_at_least`:
    only where the score is an upper bound, because it would take too long to compute; a lower one. `history_problem`:
    only where scores are unknown because there is too much to compare; why.

    details: both histories and how they correspond.
    """

    scores: Mapping[str, float | None]
    facts: Mapping[str, Json]
    details: HistoriesDetail

    @staticmethod
    def unknown() -> dict[str, float | None]:
        return dict.fromkeys(SCORES)


@dataclass(frozen=True)
class HistoryFigures:
    """Averages are per commit; None where they cannot be known.

    mean_lines: removed and added lines. mean_definitions: functions and classes with a changed line in them, the
    innermost ones. syntax_valid: commits that break no file, see `chain_gates.valid_syntax`.
    """

    commits: int
    mean_lines: float | None
    mean_files: float | None
    mean_definitions: float | None
    syntax_valid: int | None
    repeated_messages: int
    empty_messages: int
    long_subjects: int
    subjects_in_other_moods: int
    mean_subject_length: float | None


def history_scores(
    git: Git, base: str | None, commits: Sequence[str], real: Sequence[str], *, commits_made: int | None = None
) -> HistoryScores:
    """Score a history against the real one.

    Args:
        git: a repository on this machine that holds both.
        base: commit below both, None where they begin with a root commit.
        commits, real: first-parent lines above it, oldest first, one commit at least; `commits` may be hostile.
        commits_made: how many the agent made, where `commits` are not all of them.
    """
    reader, counter = LineReader(git), _DefinitionCounter()
    agent, truth = (_Known.of(git, reader, base, history, real[-1]) for history in (commits, real))
    found = _against_truth(git, (commits, agent.lines), (real, truth.lines))
    scores = {
        "syntax_valid": None if agent.valid is None else agent.valid / len(commits),
        **message_scores(agent.messages),
        **found.scores,
    }
    facts: dict[str, Json] = {"history": agent.figures(counter), "real_history": truth.figures(counter), **found.facts}
    if problem := agent.problem or truth.problem:
        facts["history_problem"] = problem
    details = histories_detail(
        ReadHistory(agent.commits, agent.lines, commits_made or len(commits)),
        ReadHistory(truth.commits, truth.lines, len(real)),
        found.correspondence,
    )
    return HistoryScores(scores, facts, details)


def message_scores(figures: MessageFigures) -> dict[str, float | None]:
    """The scores of a history's messages."""
    return {
        "messages_distinct": 1 - (figures.repeated + figures.empty) / figures.commits,
        "subjects_short": 1 - figures.long_subjects / figures.with_subject if figures.with_subject else None,
        "subjects_imperative": 1 - figures.other_moods / figures.with_subject if figures.with_subject else None,
    }


History = tuple[Sequence[str], LineHistory | None]
"""Commits, oldest first, and what they change; None where that cannot be read."""


def scores_against_truth(git: Git, agent: History, truth: History) -> dict[str, float | None]:
    """The scores of `AGAINST_THE_TRUTH`: 1.0 for the same trees commit for commit, however large these are."""
    return _against_truth(git, agent, truth).scores


@dataclass(frozen=True)
class _AgainstTruth:
    """Scores of `AGAINST_THE_TRUTH`, the fact `history_similarity_at_least` or `history_problem` where there is one
    (see `HistoryScores`), and what both rest on.
    """

    scores: dict[str, float | None]
    correspondence: Correspondence = field(default_factory=Correspondence)
    facts: Mapping[str, Json] = field(default_factory=dict)


def _against_truth(git: Git, agent: History, truth: History) -> _AgainstTruth:
    (commits, made), (real, wanted) = agent, truth
    if _trees(git, commits) == _trees(git, real):
        each = {position: position for position in range(len(real))}
        pairs = [CommitPair(position, position, 1.0, 1.0) for position in each]
        return _AgainstTruth(dict.fromkeys(AGAINST_THE_TRUTH, 1.0), Correspondence(each, pairs))
    if made is None or wanted is None:
        return _AgainstTruth(dict.fromkeys(AGAINST_THE_TRUTH))
    groups = line_groups(made, wanted) if same_content(git, commits[-1], real[-1]) else None
    grouping = None if groups is None else adjusted_rand_index(groups)
    same = reproduced(made, wanted)
    problem, similarity = None, None
    try:
        similarity = compare_histories(made, wanted)
    except TooMuch as too_much:
        problem = str(too_much)
    scores = {
        "commits_reproduced": len(same) / len(real),
        "line_grouping": None if grouping is None else max(0.0, grouping),
        "history_similarity": None if similarity is None else similarity.value,
    }
    pairing = None if similarity is None else similarity.pairing
    how = Correspondence(same, pairing, None if groups is None else Counter(groups))
    if problem is not None:
        return _AgainstTruth(scores, how, {"history_problem": problem})
    if similarity is None or similarity.is_exact:
        return _AgainstTruth(scores, how)
    return _AgainstTruth(scores, how, {"history_similarity_at_least": similarity.at_least})


def _trees(git: Git, commits: Sequence[str]) -> list[str]:
    return [commit.tree for commit in read_commits(git, commits)]


@dataclass(frozen=True)
class _Known:
    """What was read of one history; lines and valid are None where it is too large or broken."""

    commits: Sequence[Commit]
    messages: MessageFigures
    lines: LineHistory | None
    valid: int | None
    problem: str | None = None

    @classmethod
    def of(cls, git: Git, reader: LineReader, base: str | None, commits: Sequence[str], newest: str) -> _Known:
        read = read_commits(git, commits)
        messages = read_messages([commit.message for commit in read])
        try:
            lines = reader.read(base, commits)
        except GitGoodBenchError as problem:  # too large, or objects are missing
            return cls(read, messages, None, None, str(problem))
        return cls(read, messages, lines, sum(valid_syntax(git, base, commits, newest)))

    def figures(self, counter: _DefinitionCounter) -> dict[str, Json]:
        figures, count = self.messages, self.messages.commits
        files = None if self.lines is None else self.lines.commits
        found = HistoryFigures(
            commits=count,
            mean_lines=None if files is None else sum(_line_count(commit) for commit in files) / count,
            mean_files=None if files is None else sum(map(len, files)) / count,
            mean_definitions=None if files is None else sum(map(counter.count, files)) / count,
            syntax_valid=self.valid,
            repeated_messages=figures.repeated,
            empty_messages=figures.empty,
            long_subjects=figures.long_subjects,
            subjects_in_other_moods=figures.other_moods,
            mean_subject_length=figures.mean_subject,
        )
        return asdict(found)


def _line_count(files: Sequence[ChangedFile]) -> int:
    return sum(file.lines.total() for file in files)


class _DefinitionCounter:
    """Functions and classes that a commit touches: by its added lines as they stand after it, by its removed before."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], list[Definition]] = {}

    def count(self, files: Sequence[ChangedFile]) -> int:
        return sum(len(self._touched(file)) for file in files)

    def _touched(self, file: ChangedFile) -> set[str]:
        if file.text is None:
            return set()
        names: set[str] = set()
        sides = (
            (Mark.REMOVED, file.before, file.old, file.text.old_line),
            (Mark.ADDED, file.after, file.new, file.text.new_line),
        )
        for mark, entry, content, number_of in sides:
            positions = [at for at, line in enumerate(file.text.script) if line.mark is mark]
            known = self._definitions(file.path, entry, content) if positions else []
            for number in map(number_of, positions):
                around = None if number is None else enclosing_definition(known, number, number + 1)
                if around is not None:
                    names.add(around.name)
        return names

    def _definitions(self, path: bytes, entry: Entry | None, content: bytes) -> list[Definition]:
        language = language_of(path)
        if language is None or entry is None or not entry.is_file:
            return []
        key = (entry.oid, language)
        if key not in self._known:
            self._known[key] = definitions(content, language)
        return self._known[key]
