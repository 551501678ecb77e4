"""What became of edits. A commit's results are replaced together, so scoring twice doubles nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gitgoodbench.feedback.records import Commit, CommitResult, ConversationResult, EditResult, Key, Survival
from gitgoodbench.feedback.store.codec import from_blob, from_text, to_blob, to_text
from gitgoodbench.feedback.store.commits import commit_of
from gitgoodbench.feedback.store.database import Store


def save_result(store: Store, result: CommitResult) -> None:
    """Replace the results of a commit."""
    commit = result.commit.id
    with store.writing() as connection:
        connection.execute("DELETE FROM results WHERE commit_id = ?", (commit,))
        connection.execute("DELETE FROM conversations WHERE commit_id = ?", (commit,))
        save_edit_results(store, result.edits)
        connection.executemany(
            "INSERT INTO conversations VALUES (?, ?, ?, ?)",
            [(one.source, one.session, commit, to_text(one)) for one in result.conversations],
        )
        connection.execute(
            "UPDATE commits SET scored_by = ?, problem = NULL, skew = ? WHERE id = ?",
            (result.rule, result.skew, commit),
        )
        connection.execute("INSERT OR IGNORE INTO untold VALUES (?)", (commit,))


def untold_results(store: Store) -> Iterator[CommitResult]:
    """Results that are new since sinks were told of them (`note_told`), by this run or one that was killed."""
    for (commit,) in store.connection.execute("SELECT commit_id FROM untold ORDER BY rowid").fetchall():
        result = result_of(store, commit)
        if result is not None:
            yield result


def note_told(store: Store, commit: str) -> None:
    """Note that what sinks are to have of a commit's results is in the outbox."""
    with store.writing() as connection:
        connection.execute("DELETE FROM untold WHERE commit_id = ?", (commit,))


def save_edit_results(store: Store, results: Iterable[EditResult]) -> None:
    """Replace the results of edits, whatever commit they were of: those not applied or pending have none."""
    with store.writing() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)",
            [(one.key.source, one.key.session, one.key.edit, one.commit, to_blob(one)) for one in results],
        )


def save_problem(store: Store, commit: str, problem: str) -> None:
    """Keep why a commit could not be scored; the next run tries it again."""
    with store.writing() as connection:
        connection.execute("UPDATE commits SET problem = ?, scored_by = NULL WHERE id = ?", (problem, commit))


def problems(store: Store) -> dict[str, str]:
    """The commits that could not be scored, with why."""
    return dict(store.connection.execute("SELECT id, problem FROM commits WHERE problem IS NOT NULL ORDER BY time, id"))


def result_of(store: Store, commit: str) -> CommitResult | None:
    """The results of a commit; None where it was not scored."""
    row = store.connection.execute("SELECT scored_by, skew FROM commits WHERE id = ?", (commit,)).fetchone()
    found = commit_of(store, commit)
    if found is None or row is None or row[0] is None:
        return None
    edits = tuple(_edit_results(store, "WHERE commit_id = ? ORDER BY source, session, edit", (commit,)))
    rows = store.connection.execute(
        "SELECT record FROM conversations WHERE commit_id = ? ORDER BY source, session", (commit,)
    )
    conversations = tuple(from_text(ConversationResult, text) for (text,) in rows.fetchall())
    return CommitResult(found, edits, conversations, rule=row[0], skew=row[1])


def edit_results(store: Store) -> Iterator[EditResult]:
    """The results of all edits, whatever their state."""
    return _edit_results(store, "ORDER BY source, session, edit", ())


def edit_result_of(store: Store, key: Key) -> EditResult | None:
    """The result of one edit."""
    values = (key.source, key.session, key.edit)
    return next(_edit_results(store, "WHERE source = ? AND session = ? AND edit = ?", values), None)


def save_survival(store: Store, survivals: Iterable[Survival]) -> None:
    """Keep what still stands on a day; the same day again replaces it."""
    with store.writing() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO survival VALUES (?, ?, ?, ?, ?)",
            [(one.key.source, one.key.session, one.key.edit, one.day, to_text(one)) for one in survivals],
        )


def survivals(store: Store) -> Iterator[Survival]:
    """All that was seen of what still stands, by edit and day."""
    query = "SELECT record FROM survival ORDER BY source, session, edit, day"
    for (text,) in store.connection.execute(query).fetchall():
        yield from_text(Survival, text)


@dataclass(frozen=True)
class Seen:
    """How old a commit was when it was last looked at, in whole days, and at which tip."""

    day: int
    tip: str | None


def seen_survival(store: Store) -> dict[str, Seen]:
    """When commits were last looked at."""
    query = "SELECT json_extract(record, '$.commit'), MAX(day), json_extract(record, '$.tip') FROM survival GROUP BY 1"
    return {commit: Seen(day, tip) for commit, day, tip in store.connection.execute(query).fetchall()}


def commits_with_results(store: Store) -> list[Commit]:
    """The scored commits for which edits count, the oldest first."""
    query = (
        "SELECT record FROM commits WHERE scored_by IS NOT NULL AND moved_to IS NULL "
        "AND id IN (SELECT commit_id FROM results) ORDER BY time, id"
    )
    return [from_text(Commit, text) for (text,) in store.connection.execute(query).fetchall()]


def _edit_results(store: Store, rest: str, values: tuple[str, ...]) -> Iterator[EditResult]:
    for (blob,) in store.connection.execute(f"SELECT record FROM results {rest}", values).fetchall():
        yield from_blob(EditResult, blob)
