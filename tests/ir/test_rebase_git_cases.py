"""The Rebase cases of what breaks in practice, each with the bytes that must come out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.errors import SetupFailed, ToolError
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, Outcome, ToolSet
from tests.support.rebases import (
    IR,
    RebaseCase,
    begin,
    call,
    chain_sample,
    left_commits,
    left_history,
    make_chain,
    play,
    score,
    update,
)
from tests.support.repositories import RepositoryBuilder

BASE = {b"a.py": b"0\n"}
HOSTILE = [
    b"#12: a subject that starts with a hash\n\n# and a line\n",
    b'it\'s "quoted" with back\\nslash \\ and %s %h %n\n',
    b"newline below\n\nexec touch PWNED\npick 1234567\nx touch PWNED\n",
    b"$(touch PWNED) `touch PWNED`; touch PWNED #\n",
    b"--amend -m x\n",
    b"emoji \xf0\x9f\x8e\x89 and \xe2\x80\xa8 and caf\xc3\xa9\n",
    b'fixup! it\'s "quoted" with back\\nslash \\ and %s %h %n\n',
]


def chain_of_messages(path: Path, messages: Sequence[bytes]) -> RebaseCase:
    """Each commit adds a file of its own, so that any order works."""
    files = dict(BASE)
    steps = []
    for number, message in enumerate(messages):
        files[b"f%d.py" % number] = b"f\n"
        steps.append((dict(files), message))
    return make_chain(path, BASE, *steps)


def finish(episode: Any) -> Outcome:
    call(episode, "execute_rebase")
    outcome: Outcome = episode.outcome()
    return outcome


# 15: messages


def test_hostile_messages_of_the_chain_come_through_a_reorder_byte_for_byte(
    tmp_path: Path, provider: SandboxProvider
) -> None:
    case = chain_of_messages(tmp_path / "r.git", HOSTILE)
    order = list(reversed(range(len(HOSTILE))))
    with begin(case, provider) as (episode, sandbox):
        update(episode, *((index, "pick") for index in order))
        outcome = finish(episode)
        assert sandbox.exec(["test", "-e", "PWNED"]).returncode == 1
    assert [commit.message for commit in left_commits(case, outcome)] == [HOSTILE[index] for index in order]
    assert all(score(case, outcome).gates.values())


def test_a_message_in_another_encoding_becomes_utf_8_when_it_is_written_anew(
    tmp_path: Path, local_provider: SandboxProvider
) -> None:
    """As by Git itself, which then drops the header that names the encoding."""
    case = chain_of_messages(tmp_path / "r.git", [b"One\n", b"Two\n"])
    git = case.git
    first = git.run("cat-file", "commit", case.commits[0]).partition(b"\n\n")[0]
    one = git.line(
        "hash-object", "-t", "commit", "-w", "--stdin", stdin=first + b"\nencoding ISO-8859-1\n\nCaf\xe9 one\n"
    )
    second = git.run("cat-file", "commit", case.commits[1]).replace(case.commits[0].encode(), one.encode())
    second = second.partition(b"\n\n")[0] + b"\n\nCaf\xe9 two\n"
    two = git.line("hash-object", "-t", "commit", "-w", "--stdin", stdin=second)
    case = RebaseCase(case.builder, case.base, (one, two))
    with begin(case, local_provider) as (episode, _):
        assert "Café one" in call(episode, "show_changes_in", commit_index=0)
        assert "Café two" in call(episode, "show_changes_in", commit_index=1)
        update(episode, (1, "pick"), (0, "pick"))
        outcome = finish(episode)
    assert [commit.message.decode() for commit in left_commits(case, outcome)] == ["Café two\n", "Café one\n"]
    assert all(score(case, outcome).gates.values())


@pytest.mark.parametrize("command", ["reword", "squash"])
def test_hostile_messages_of_the_agent_are_text_and_nothing_else(
    tmp_path: Path, local_provider: SandboxProvider, command: str
) -> None:
    case = chain_of_messages(tmp_path / "r.git", [b"Step\n"] * 2 * len(HOSTILE))
    written = [message.decode("utf-8", "surrogateescape") for message in HOSTILE]
    items = [((2 * n, "pick"), (2 * n + 1, command, text)) for n, text in enumerate(written)]
    with begin(case, local_provider) as (episode, sandbox):
        update(episode, *(item for pair in items for item in pair))
        outcome = finish(episode)
        assert sandbox.exec(["test", "-e", "PWNED"]).returncode == 1
    messages = [commit.message for commit in left_commits(case, outcome) if commit.message != b"Step\n"]
    assert messages == HOSTILE


def test_hostile_messages_are_shown_as_they_are(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = chain_of_messages(tmp_path / "r.git", HOSTILE)
    with begin(case, local_provider) as (episode, _):
        plan = call(episode, "view_rebase_todo").split("\n")
        assert plan[1:4] == [
            "     0  pick      #12: a subject that starts with a hash",
            '     1  pick      it\'s "quoted" with back\\nslash \\ and %s %h %n',
            "     2  pick      newline below",
        ]
        assert len(plan) == 1 + len(HOSTILE)
        for index, message in enumerate(HOSTILE[:5]):
            assert f"\nMessage:\n{message.decode().rstrip()}\n\nChanges:\n" in call(
                episode, "show_changes_in", commit_index=index
            )


# 16: lists that Git refuses, the same subject twice, commits that become empty


def test_fixup_first_and_dropping_everything_are_refused(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = chain_of_messages(tmp_path / "r.git", [b"One\n", b"Two\n"])
    with begin(case, local_provider) as (episode, _):
        with pytest.raises(ToolError, match="item 0: fixup melds into the commit before it"):
            update(episode, (0, "fixup"), (1, "pick"))
        with pytest.raises(ToolError, match="every commit is dropped"):
            update(episode, (0, "drop"), (1, "drop"))
        assert episode.git.line("rev-parse", "HEAD") == case.commits[-1]


def test_commits_of_the_same_subject_are_not_mixed_up(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = chain_of_messages(tmp_path / "r.git", [b"Same\n", b"Same\n", b"Same\n"])
    with begin(case, local_provider) as (episode, _):
        update(episode, (2, "pick"), (0, "pick"), (1, "fixup"))
        outcome = finish(episode)
    assert [sorted(files) for _, files in left_history(case, outcome)] == [
        [b"a.py", b"f2.py"],
        [b"a.py", b"f0.py", b"f1.py", b"f2.py"],
    ]


def test_a_commit_that_becomes_empty_is_left_out_and_said(tmp_path: Path, local_provider: SandboxProvider) -> None:
    one, two = {b"a.py": b"1\n"}, {b"a.py": b"2\n"}
    case = make_chain(tmp_path / "r.git", one, (two, b"To two\n"), (one, b"Back\n"), (two, b"To two again\n"))
    with begin(case, local_provider) as (episode, _):
        update(episode, (0, "pick"), (1, "drop"), (2, "pick"))
        answer = call(episode, "execute_rebase")
        outcome = episode.outcome()
    assert answer.endswith("- To two (from commit 0)\nLeft out, since nothing would change: commit 2.")
    assert outcome.head == case.commits[0]
    assert all(score(case, outcome).gates.values())


# 17: a reorder that conflicts is in test_rebase_tools.py


# 18: the user's own configuration


def test_the_users_configuration_has_no_say(
    tmp_path: Path, local_provider: SandboxProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks, canary = tmp_path / "hooks", tmp_path / "canary"
    hooks.mkdir()
    for name in ("pre-commit", "commit-msg", "pre-rebase", "post-rewrite", "reference-transaction", "post-checkout"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {canary}\nexit 1\n")
        (hooks / name).chmod(0o755)
    settings = (
        "[rebase]\n\tabbreviateCommands = true\n\tautosquash = true\n\tmissingCommitsCheck = error\n"
        "[commit]\n\tgpgSign = true\n\tcleanup = scissors\n\tverbose = true\n[gpg]\n\tprogram = false\n"
        f"[core]\n\thooksPath = {hooks}\n\tcommentChar = S\n\tautocrlf = true\n\teditor = false\n"
        "[user]\n\tname = Someone Else\n[merge]\n\tconflictStyle = diff3\n[i18n]\n\tcommitEncoding = latin-1\n"
    )
    (tmp_path / ".gitconfig").write_text(settings)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / ".gitconfig"))
    monkeypatch.setenv("GIT_EDITOR", "false")
    case = chain_of_messages(tmp_path / "r.git", [b"Step one\n", b"fixup! Step one\n", b"Step \xc3\xa9 three\n"])
    (case.builder.path / "config").write_text((case.builder.path / "config").read_text() + settings)
    with begin(case, local_provider) as (episode, sandbox):
        sandbox.put(".git/config", sandbox.get(".git/config", limit=10_000) + settings.encode())
        update(episode, (2, "pick"), (1, "pick"), (0, "reword", "Step one, é"))
        outcome = finish(episode)
    assert [commit.message for commit in left_commits(case, outcome)] == [
        b"Step \xc3\xa9 three\n",
        b"fixup! Step one\n",
        b"Step one, \xc3\xa9\n",
    ]
    assert not canary.exists()
    assert all(score(case, outcome).gates.values())


# 19: a chain that touches the root commit, a chain below a merge


def test_a_chain_from_the_root_commit(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_chain(
        tmp_path / "r.git", None, {b"a.py": b"1\n"}, {b"a.py": b"1\n", b"b.py": b"b\n"}, {b"a.py": b"2\n"}
    )
    assert case.base is None
    with begin(case, local_provider) as (episode, _):
        assert "commits that were made" in episode.prompt[0]["content"]
        update(episode, (1, "pick"), (0, "pick"), (2, "reword", "Last"))
        outcome = finish(episode)
    (first, _), (second, files), (third, _) = left_history(case, outcome)
    assert (first.parents, second.parents, third.parents) == ((), (first.oid,), (second.oid,))
    assert files == {b"a.py": b"1\n", b"b.py": b"b\n"}
    assert [commit.message for commit in (first, second, third)] == [b"Step 1\n", b"Step 0\n", b"Last\n"]
    assert all(score(case, outcome).gates.values())
    for agent in ("oracle", "squash-all"):
        verdict, _, commits = play(case, local_provider, agent)
        assert all(verdict.gates.values()), (agent, verdict.gates)
        assert commits[0].parents == ()


def test_a_repository_with_sha_256(tmp_path: Path, local_provider: SandboxProvider) -> None:
    case = make_chain(tmp_path / "r.git", None, {b"a.py": b"1\n"}, {b"a.py": b"2\n"}, algorithm="sha256")
    for agent in ("oracle", "squash-all"):
        verdict, _, commits = play(case, local_provider, agent)
        assert all(verdict.gates.values()), (agent, verdict.gates)
        assert len(commits[-1].oid) == 64


def test_a_chain_below_a_merge_and_above_one(tmp_path: Path, local_provider: SandboxProvider) -> None:
    """Its base is a merge, and the default branch reaches it only through another merge's second parent."""
    builder = RepositoryBuilder(tmp_path / "r.git")
    root = builder.commit(BASE)
    side = builder.commit({**BASE, b"s.py": b"s\n"}, [root])
    base = builder.commit({**BASE, b"s.py": b"s\n"}, [builder.commit(BASE, [root]), side])
    chain = [base]
    for number in range(3):
        chain.append(builder.commit({b"a.py": b"%d\n" % number}, chain[-1:], b"Step %d\n" % number))
    later = builder.commit(BASE, [base])
    builder.branch("main", builder.commit({b"a.py": b"merged\n"}, [later, chain[-1]]))
    case = RebaseCase(builder, base, tuple(chain[1:]))
    with begin(case, local_provider) as (episode, _):
        update(episode, (0, "pick"), (1, "fixup"), (2, "pick"))
        outcome = finish(episode)
    assert [commit.message for commit in left_commits(case, outcome)] == [b"Step 0\n", b"Step 2\n"]
    assert all(score(case, outcome).gates.values())


def test_a_chain_that_holds_a_merge_is_a_wrong_row(tmp_path: Path, local_provider: SandboxProvider) -> None:
    builder = RepositoryBuilder(tmp_path / "r.git")
    base = builder.commit(BASE)
    first, side = builder.commit({b"a.py": b"1\n"}, [base]), builder.commit({b"b.py": b"b\n"}, [base])
    merge = builder.commit({b"a.py": b"1\n", b"b.py": b"b\n"}, [first, side])
    newest = builder.commit({b"a.py": b"2\n"}, [merge])
    case = RebaseCase(builder, base, (first, merge, newest))
    refused = f"the chain holds the merge {merge}, which a rebase cannot replay"
    with pytest.raises(SetupFailed, match=refused), begin(case, local_provider):
        pass


@pytest.mark.parametrize("length", [3, 4])
def test_a_chain_longer_than_its_history_is_a_wrong_row(
    tmp_path: Path, local_provider: SandboxProvider, length: int
) -> None:
    case = make_chain(tmp_path / "r.git", BASE, {b"a.py": b"1\n"})
    sample = chain_sample([case.commits[0]] * length)
    with (
        local_provider.open(run_id="test", episode_id="x") as sandbox,
        pytest.raises(SetupFailed, match="has 2 commits"),
    ):
        IR.prepare(sample, case.store, sandbox, EpisodeOptions(ToolSet.PUBLISHED))
