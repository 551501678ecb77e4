"""Datasets of the Hugging Face hub, through the `datasets` library.

The library answers from its cache when the hub does not, and then with whichever revision it prepared last. So the
commit that was really loaded is read back from where the library keeps it, and a pinned commit is looked for beside it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gitgoodbench.errors import UserError

SPLIT: Final = "train"
"""The one split of each published dataset."""

_COMMIT: Final = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class HubDataset:
    """A dataset repository, `org/name`; revision: a branch, a tag or a commit, None for the default branch."""

    name: str
    revision: str | None = None

    @property
    def pinned(self) -> bool:
        """Whether the revision is a commit, not a name that moves."""
        return self.revision is not None and _COMMIT.fullmatch(self.revision) is not None

    def __str__(self) -> str:
        return f"hub dataset {self.name}" + (f" at {self.revision}" if self.revision else "")


@dataclass(frozen=True)
class HubRows:
    """Raw rows in their order; revision: the commit they are of, None where it cannot be found out."""

    rows: Sequence[Mapping[str, Any]]
    revision: str | None


def load_hub_rows(dataset: HubDataset, *, offline: bool = False) -> HubRows:
    """Load the split `train`, or the only split there is.

    Raises:
        UserError: `datasets` is not installed; the hub cannot be reached; it has no such dataset or revision; what it
            has is no table; or the cache, where nothing else may be used, lacks the dataset or the revision.
    """
    try:
        import datasets  # type: ignore[import-untyped]
    except ImportError as problem:
        raise UserError(
            f"{dataset} needs the package datasets ({problem}): pip install datasets, or name a local file instead"
        ) from problem
    with _offline(offline), _quiet():
        try:
            splits = datasets.load_dataset(_load_path(dataset), revision=dataset.revision)
            table = splits[SPLIT] if SPLIT in splits else _only_split(dataset, splits)
            revision = _loaded_commit(table)
            if dataset.pinned and revision not in (None, dataset.revision):
                table, revision = _prepared_before(dataset, table), dataset.revision
            return HubRows(list(table), revision)
        except UserError:
            raise
        except Exception as problem:  # the library raises whatever its parts raise
            raise UserError(_explain(dataset, problem)) from problem


def _load_path(dataset: HubDataset) -> str:
    """What to tell the library, which prefers a folder of that name to the hub."""
    import datasets.config  # type: ignore[import-untyped]

    if dataset.revision and not dataset.pinned and datasets.config.HF_HUB_OFFLINE:
        raise UserError(f"{dataset}: offline, only a commit id names a revision")
    if Path(dataset.name).exists():
        raise UserError(f"{dataset}: {dataset.name} also exists in the current folder; go to another folder first")
    return dataset.name


def _only_split(dataset: HubDataset, splits: Mapping[str, Any]) -> Any:
    if len(splits) == 1:
        return next(iter(splits.values()))
    raise UserError(f"{dataset} has no split {SPLIT} but {', '.join(splits)}: save one of them to a file and name that")


def _loaded_commit(table: Any) -> str | None:
    """The library keeps the prepared table of a hub dataset in a folder named by the commit."""
    name = _folder(table).name
    return name if _COMMIT.fullmatch(name) else None


def _prepared_before(dataset: HubDataset, other: Any) -> Any:
    """The table of the pinned commit, where the library has prepared it beside the one that it preferred."""
    import datasets

    folder = _folder(other).with_name(str(dataset.revision))
    shards = sorted(folder.glob(f"*-{SPLIT}*.arrow"))
    if not shards:
        raise UserError(f"{dataset}: the hub did not answer, and only {_folder(other).name} is in the local cache")
    return datasets.concatenate_datasets([datasets.Dataset.from_file(str(shard)) for shard in shards])


def _folder(table: Any) -> Path:
    return Path(table.cache_files[0]["filename"]).parent


def _explain(dataset: HubDataset, problem: Exception) -> str:
    import datasets.config
    from datasets.exceptions import DatasetNotFoundError  # type: ignore[import-untyped]

    detail = " ".join(str(problem).split())[:200] or type(problem).__name__
    if isinstance(problem, DatasetNotFoundError):
        return f"{dataset}: {detail} Check the name and revision at {datasets.config.HF_ENDPOINT}/datasets"
    if isinstance(problem, ConnectionError) and datasets.config.HF_HUB_OFFLINE:
        return (
            f"{dataset} is not in the local cache, and offline was asked for: load it once online, or name a local file"
        )
    if _is_network_problem(problem):
        return f"{dataset}: the hub cannot be reached ({detail}). Try again, or name a local file of the same schema"
    return f"{dataset} cannot be read as a table of rows: {detail}"


def _is_network_problem(problem: BaseException | None) -> bool:
    """Whether a connection failed anywhere down the chain of causes; the HTTP clients' errors are no OSErrors."""
    while problem is not None:
        client = type(problem).__module__.split(".")[0]
        if client in ("httpx", "requests") or isinstance(problem, ConnectionError | TimeoutError):
            return True
        problem = problem.__cause__ or problem.__context__
    return False


@contextmanager
def _offline(wanted: bool) -> Iterator[None]:
    """Rule the network out. The library's own switch is read once, when it is imported, so its two copies are set."""
    if not wanted:
        yield
        return
    import datasets.config
    import huggingface_hub.constants

    before = datasets.config.HF_HUB_OFFLINE, huggingface_hub.constants.HF_HUB_OFFLINE
    datasets.config.HF_HUB_OFFLINE = huggingface_hub.constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        datasets.config.HF_HUB_OFFLINE, huggingface_hub.constants.HF_HUB_OFFLINE = before


@contextmanager
def _quiet() -> Iterator[None]:
    """No log lines about the cache, and progress bars only for people."""
    import datasets

    verbosity = datasets.logging.get_verbosity()
    hide_bars = not sys.stderr.isatty() and datasets.is_progress_bar_enabled()
    datasets.logging.set_verbosity_error()
    if hide_bars:
        datasets.disable_progress_bars()
    try:
        yield
    finally:
        datasets.logging.set_verbosity(verbosity)
        if hide_bars:
            datasets.enable_progress_bars()
