"""A mined candidate as a row: what mining found, in the published columns and some more.

docs/mining.md describes every column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, SerializeAsAny, TypeAdapter

from gitgoodbench.dataset.sample import CherryPickSpec, Difficulty, FileCommitChainSpec, MergeSpec, Sample
from gitgoodbench.dataset.types import sample_type, sample_types, type_of
from gitgoodbench.git.paths import show_path
from gitgoodbench.git.process import Git
from gitgoodbench.mining.chains import Chain
from gitgoodbench.mining.cherry_picks import CherryPick
from gitgoodbench.mining.merges import ConflictingMerge
from gitgoodbench.mining.options import MiningOptions
from gitgoodbench.mining.project import Project
from gitgoodbench.mining.repository import MinedRepository

DIFFICULTY: Final = TypeAdapter[Difficulty | None](Difficulty | None)

_NOT_WORD: Final = re.compile(r"\W+", re.ASCII)


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ConflictedFile(_Frozen):
    """A file in conflict. path: as `git.paths.show_path` shows it. kinds, regions: as in `merges.MergedFile`."""

    path: str
    kinds: tuple[str, ...]
    regions: int


class Candidate(_Frozen):
    """What mining says of one merge, chain or cherry-pick.

    language: of its files; None where they are of none that is known, or of several in equal numbers.
    difficulty: as published; None for cherry-picks and for chains too impure for a name.
    committed: Unix time in seconds; of a chain, that of its newest commit.
    sketches: of hunks that say enough. content: a digest of all hunks; None without text, and in rows that were mined
        before there were digests (see `sketches`).
    attainable, files: of merges. begun (when the first of the commits was), base, commits (oldest first), file_lines,
        all_lines, sources_only: of chains.
    """

    spec: SerializeAsAny[BaseModel]
    language: str | None
    difficulty: Difficulty | None
    committed: int
    attainable: bool | None = None
    files: tuple[ConflictedFile, ...] = ()
    base: str | None = None
    commits: tuple[str, ...] = ()
    file_lines: int | None = None
    all_lines: int | None = None
    sources_only: bool | None = None
    begun: int | None = None
    sketches: tuple[str, ...] = ()
    content: str | None = None

    @property
    def sample_type(self) -> str:
        return type_of(type(self.spec))


@dataclass(frozen=True)
class MinedRow:
    """A candidate and the project it is from. id: unique in its file, until splits are made."""

    id: str
    project: Project
    candidate: Candidate

    @property
    def sample_type(self) -> str:
        return self.candidate.sample_type

    @property
    def language(self) -> str:
        """That of the candidate's files, else the project's."""
        return self.candidate.language or self.project.programming_language or "unknown"

    def sample(self, sample_id: str | None = None) -> Sample:
        """The row of a dataset.

        Raises:
            ValueError: it has no difficulty, as cherry-picks: no dataset has such rows.
        """
        project, spec = self.project, self.candidate.spec
        return Sample.model_validate(
            {
                "id": sample_id or self.id,
                "name": project.name,
                "default_branch": project.default_branch or "",
                "license": project.license or "",
                "stargazers": project.stargazers,
                "created_at": project.created_at or "",
                "topics": project.topics or "",
                "programming_language": self.language,
                "sample_type": self.sample_type,
                "project_size": project.size or "",
                "difficulty": self.candidate.difficulty,
                "spec": spec,
            }
        )


def candidates(
    mined: MinedRepository, branches: Mapping[str, str], languages: Mapping[str, bytes]
) -> Iterator[Candidate]:
    """What was mined of a repository, in its order: merges, chains, cherry-picks.

    Args:
        branches: a branch for the newest commit of each chain; "" where none is given.
        languages: names of languages and how names of their source files end.
    """
    for merge in mined.merges:
        yield _merge(merge, languages)
    for chain in mined.chains:
        yield _chain(chain, branches.get(chain.commits[-1], ""), languages)
    for pick in mined.cherry_picks:
        yield _cherry_pick(pick)


def further_candidates(repository: Git, options: MiningOptions, languages: Mapping[str, bytes]) -> Iterator[Candidate]:
    """What the miners of other sample types find, type by type.

    Raises:
        UserError: a sample type cannot be loaded.
    """
    for name in sample_types():
        for found in sample_type(name).mine(repository, options):
            if options.covers(found.committed):
                yield Candidate(
                    spec=found.spec,
                    language=language_of(found.paths, languages),
                    difficulty=DIFFICULTY.validate_python(found.difficulty),
                    committed=found.committed,
                )


def number_rows(project: Project, found: Iterable[Candidate]) -> Iterator[MinedRow]:
    """The candidates of a project as rows with ids `{slug}_{sample_type}_{index:04d}`."""
    count: Counter[str] = Counter()
    for candidate in found:
        number = count[candidate.sample_type]
        count[candidate.sample_type] += 1
        yield MinedRow(sample_id(project.name, candidate.sample_type, number), project, candidate)


def sample_id(name: str, sample_type: str, number: int) -> str:
    """As published: the name with every run of characters that no word has as one `_`."""
    return f"{_NOT_WORD.sub('_', name)}_{sample_type}_{number:04d}"


def language_of(paths: Iterable[bytes], languages: Mapping[str, bytes]) -> str | None:
    """The language that most of the paths are of."""
    count = Counter(name for path in paths for name, suffix in languages.items() if path.endswith(suffix))
    most = count.most_common(2)
    return most[0][0] if len(most) == 1 or (most and most[0][1] > most[1][1]) else None


def spec_fields(spec: BaseModel) -> dict[str, Any]:
    """The fields of a scenario as plain values, in their order."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in spec.model_dump().items()}


def _merge(merge: ConflictingMerge, languages: Mapping[str, bytes]) -> Candidate:
    return Candidate(
        spec=MergeSpec(
            merge_commit_hash=merge.oid,
            parents=merge.parents,
            number_of_files_with_merge_conflict=len(merge.files),
            total_number_of_merge_conflicts=merge.conflicts,
            files_in_merge_conflict=tuple(_text(path) for path in merge.paths),
        ),
        language=language_of(merge.paths, languages),
        difficulty=merge.difficulty,
        committed=merge.committed,
        attainable=merge.attainable,
        files=tuple(
            ConflictedFile(path=show_path(file.path), kinds=file.kinds, regions=file.regions) for file in merge.files
        ),
        sketches=merge.sketches,
        content=merge.content,
    )


def _chain(chain: Chain, branch: str, languages: Mapping[str, bytes]) -> Candidate:
    return Candidate(
        spec=FileCommitChainSpec(
            file=_text(chain.path),
            branch=branch,
            times_seen_consecutively=len(chain.commits),
            purity=chain.purity,
            newest_commit=chain.commits[-1],
            oldest_commit=chain.commits[0],
        ),
        language=language_of([chain.path], languages),
        difficulty=chain.difficulty,
        committed=chain.committed,
        base=chain.base,
        commits=chain.commits,
        file_lines=chain.file_lines,
        all_lines=chain.all_lines,
        sources_only=chain.sources_only,
        begun=chain.begun,
        sketches=chain.sketches,
        content=chain.content,
    )


def _cherry_pick(pick: CherryPick) -> Candidate:
    spec = CherryPickSpec(
        commit=pick.oid,
        source=pick.source,
        trailer=pick.trailer,
        same_patch=pick.patch_id,
        source_present=pick.source_present,
    )
    return Candidate(spec=spec, language=None, difficulty=None, committed=pick.committed)


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
