"""Commits as they are recorded, where they moved to, and the links of edits to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pydantic import TypeAdapter

from gitgoodbench.feedback.records import Commit, Evidence, Key, Link
from gitgoodbench.feedback.store.codec import from_text, to_text
from gitgoodbench.feedback.store.database import Store

_EVIDENCE: TypeAdapter[tuple[Evidence, ...]] = TypeAdapter(tuple[Evidence, ...])


def save_commit(store: Store, commit: Commit) -> None:
    """Record a commit, or what is known of it now. What was scored stays."""
    with store.writing() as connection:
        connection.execute(
            "INSERT INTO commits (id, record, time, patch, moved_to, copy_of) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET record = excluded.record, time = excluded.time, patch = excluded.patch, "
            "moved_to = excluded.moved_to, copy_of = excluded.copy_of",
            (commit.id, to_text(commit), commit.time, commit.patch, commit.moved_to, commit.copy_of),
        )


def commit_of(store: Store, commit: str) -> Commit | None:
    """A commit by its full id."""
    return next(_commits(store, "WHERE id = ?", (commit,)), None)


def commits(store: Store) -> Iterator[Commit]:
    """All recorded commits, the oldest first."""
    return _commits(store, "ORDER BY time, id", ())


def commits_of_patch(store: Store, patch: str) -> list[Commit]:
    """The commits that make the same change."""
    return list(_commits(store, "WHERE patch = ? ORDER BY time, id", (patch,)))


def commits_moved_to(store: Store, commit: str) -> list[Commit]:
    """The commits whose place it took."""
    return list(_commits(store, "WHERE moved_to = ? ORDER BY time, id", (commit,)))


def unscored_commits(store: Store, rule: str) -> list[Commit]:
    """Commits that count and were not scored by this rule, the oldest first."""
    wanted = "WHERE moved_to IS NULL AND copy_of IS NULL AND scored_by IS NOT ? ORDER BY time, id"
    return list(_commits(store, wanted, (rule,)))


def move_commit(store: Store, old: str, new: str) -> list[Key]:
    """Let a commit take another's place: the edits that counted for the old one count for the new one.

    Gives the edits moved. It may be told more than once.
    """
    with store.writing() as connection:
        found = commit_of(store, old)
        if found is not None:
            save_commit(store, replace(found, moved_to=new))
        keys = [link.key for link in links_of(store, old)]
        connection.execute("UPDATE links SET commit_id = ? WHERE commit_id = ?", (new, old))
        connection.execute("UPDATE commits SET scored_by = NULL WHERE id IN (?, ?)", (old, new))
        return keys


def mark_unscored(store: Store, commit: str) -> None:
    """Let a commit be scored again."""
    with store.writing() as connection:
        connection.execute("UPDATE commits SET scored_by = NULL WHERE id = ?", (commit,))


def superfluous_commits(store: Store) -> list[Commit]:
    """Commits that do not count any more, and whose results were not emptied yet."""
    wanted = "WHERE (moved_to IS NOT NULL OR copy_of IS NOT NULL) AND scored_by IS NULL ORDER BY time, id"
    return list(_commits(store, wanted, ()))


def save_links(store: Store, links: Iterable[Link]) -> None:
    """Let edits count for commits; an edit counts for one, the last that was said."""
    with store.writing() as connection:
        connection.executemany(
            "INSERT OR REPLACE INTO links VALUES (?, ?, ?, ?, ?)",
            [
                (
                    link.key.source,
                    link.key.session,
                    link.key.edit,
                    link.commit,
                    _EVIDENCE.dump_json(link.evidence).decode(),
                )
                for link in links
            ],
        )


def link_of(store: Store, key: Key) -> Link | None:
    """The commit that an edit counts for."""
    values = (key.source, key.session, key.edit)
    return next(_links(store, "WHERE source = ? AND session = ? AND edit = ?", values), None)


def links_of(store: Store, commit: str) -> list[Link]:
    """The edits that count for a commit."""
    return list(_links(store, "WHERE commit_id = ? ORDER BY source, session, edit", (commit,)))


def _commits(store: Store, rest: str, values: tuple[str, ...]) -> Iterator[Commit]:
    for (text,) in store.connection.execute(f"SELECT record FROM commits {rest}", values).fetchall():
        yield from_text(Commit, text)


def _links(store: Store, rest: str, values: tuple[str, ...]) -> Iterator[Link]:
    columns = "source, session, edit, commit_id, evidence"
    for *key, commit, evidence in store.connection.execute(f"SELECT {columns} FROM links {rest}", values).fetchall():
        yield Link(Key(*key), commit, _EVIDENCE.validate_json(evidence))
