"""What only real commits carry goes; what a message says stays."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.scoring.judge.blind import blind_message

ORDINARY = (
    "Parse dates", "read UTF-8", "a SHA-256 digest", "color #fff", "background #333", "step #2", "test case #12", "C#7",
    "foo-12", "JDK-11", "x86-64", "CVE-2020", "version 1.2-3", "@Override", "a/b", "docs at https://example.org/guide",
    "the issue tracker", "fixes the parser", "closes the file", "see also", "merge requests", "A/B", "10-12 lines",
    "PEP-8", "#include", "array[0]", "f(x)", "pr", "bug", "RFC-2119", "ISO-8859-1", "& so on", "e.g. this",
    "Bug: it crashes", "Link: the page", "R=3",
)  # fmt: skip
REFERENCES = (
    "#123", "GH-123", "gh-7", "org/repo#12", "LANG-1234", "KT_X-12", "https://github.com/a/b/issues/12", "issue#12",
    "https://github.com/a/b/pull/12#issuecomment-7", "group/project!12", "https://issues.apache.org/jira/browse/LANG-12",
    "https://bugs.example.org/show_bug.cgi?id=12",
)  # fmt: skip
LINES = (
    "Signed-off-by: A <a@example.org>", "Reviewed-by: A", "Co-authored-by: A", "Change-Id: I12ab", "Cc: A", "bors r+",
    "bors merge", "@bors: r+", "Differential Revision: https://reviews.example.org/D12", "See merge request a/b!12",
    "(cherry picked from commit 0123456789abcdef)", "Link: https://lore.example.org/r/12", "Bug: 123, chromium:456",
    "TBR=someone@example.org", "/lgtm", "Reviewed-on: https://review.example.org/12", "PiperOrigin-RevId: 12",
    "Generated with [Claude Code](https://example.org)",
)  # fmt: skip
BODY = st.lists(st.sampled_from(ORDINARY), min_size=1, max_size=4).map(" and ".join)


def message_of(subject: str, body: list[str]) -> str:
    return "\n".join([subject, *([""] if body else []), *body])


@given(BODY, st.lists(BODY, max_size=3))
def test_ordinary_content_stays(subject: str, body: list[str]) -> None:
    message = message_of(f"Now {subject}", [f"so {line}" for line in body])
    assert blind_message(message) == message


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_content_alone_stays(text: str) -> None:
    assert blind_message(text) == text
    assert blind_message(f"Subject\n\n{text}.\n{text}") == f"Subject\n\n{text}.\n{text}"


PLACES = (
    "{s} ({r})\n\n{b}", "{s} (fixes {r})\n\n{b}", "{r}: {s}\n\n{b}", "[{r}] {s}\n\n{b}", "{r} - {s}\n\n{b}",
    "{s}, closes {r}\n\n{b}", "{s} [{r}]\n\n{b}", "{s}\n\n{b}\n\nFixes {r}", "{s}\n\n{b}\n\nCloses: {r}, {r}.",
    "{s}\n\n{b}\nSee also {r}", "{s}\n\n{r}\n\n{b}", "{s}\n\n{b} Fixes {r}.", "{s}\n\n{b}\n\n- {r}\n- {r}",
    "Merge pull request #12 from a/b\n\n{s}\n\n{b}", "{s} [skip ci]\n\n{b}", "{s}\n\n{b}\n\n***NO_CI***",
    "{s}\n\n{b}\n\nIssue: {r}", "Merged in x (pull request #12)\n\n{s}\n\n{b}", "{s}\n\n{b}\n\nRefs {r} and {r}",
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("reference", REFERENCES)
def test_a_reference_leaves_no_trace(place: str, reference: str) -> None:
    subject, body = "Parse dates", "They were strings."
    assert blind_message(place.format(s=subject, b=body, r=reference)) == f"{subject}\n\n{body}"


@given(st.sampled_from(ORDINARY), st.lists(st.sampled_from(LINES), min_size=1, max_size=4), st.booleans())
def test_trailers_and_marks_leave_no_trace(text: str, lines: list[str], apart: bool) -> None:
    message = message_of("Subject", [f"so {text}"])
    gap = "\n\n" if apart else "\n"
    assert blind_message(message + gap + "\n".join(lines)) == message


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Handle the error reported in {} when x", "Handle the error reported in an issue when x"),
        ("Fix {}", "Fix an issue"),
        ("Revert {}", "Revert an issue"),
        ("x\n\nThis fixes {} by reading on.", "x\n\nThis fixes an issue by reading on."),
        ("x\n\nAs issue {} says, y", "x\n\nAs an issue says, y"),
    ],
)
def test_a_sentence_keeps_its_words(before: str, after: str, reference: str) -> None:
    assert blind_message(before.format(reference)) == after


ANYTHING = (*REFERENCES, *LINES, "Parse dates", "UTF-8", "C#7", "\n", "\n\n", "Fix", "(", ")", ",", ":", "and")


@given(st.lists(st.sampled_from(ANYTHING), max_size=12))
def test_no_reference_survives_anywhere(parts: list[str]) -> None:
    shown = blind_message(" ".join(parts))
    assert not re.search(r"LANG-1234|org/repo#12|issues/12|#123\b|KT_X-12|GH-123|show_bug", shown)


def test_whitespace_is_that_of_git_commit() -> None:
    assert blind_message("\n\nSubject  \r\n\n\n\nBody\t\n  more\n\n") == "Subject\n\nBody\n  more"


@pytest.mark.parametrize(
    ("text", "blinded"),
    [
        ("As issue #12 says", "As an issue says"),
        ("Do as issue #12 says", "Do as an issue says"),
        ("Do as the issue #12 says", "Do as the issue says"),
        ("Handle bug #12 in the parser", "Handle a bug in the parser"),
        ("Issue #12 is fixed by this", "An issue is fixed by this"),
        ("PR #12 broke it", "A PR broke it"),
        ("Undo what pull request #12 did, see PR #13 for more", "Undo what a pull request did, see a PR for more"),
        ("Tests from issues #12 and #13 pass", "Tests from issues pass"),
        ("Parse dates. Issue #12 asks for it", "Parse dates. An issue asks for it"),
        ("Parse dates like MR !12 and LANG-12 do", "Parse dates like MR !12 and an issue do"),
    ],
)
def test_a_named_reference_leaves_a_sentence(text: str, blinded: str) -> None:
    assert blind_message(text) == blinded
    assert blind_message(blinded) == blinded


@pytest.mark.timeout(60)
@pytest.mark.parametrize("newline", [False, True])
def test_hostile_messages_take_no_more_than_linear_time(newline: bool) -> None:
    """With a rule that backtracks over the whole text, each of these would take many minutes."""
    for unit in (
        "a", " ", "\n", "-", "#1 ", "(#1 ", "Fix #1, ", "fix ", "A1-1_", "A_", "A-1 ", "a/a#", "a.b/", "http://", "( ",
        "co-", "a@", "a.a@a.", "1:", "Fix #1 and see #2; ", "issue ", "bors-", "bug:1,", "[skip ",
    ):  # fmt: skip
        text = (unit * 50_000)[:50_000]
        assert len(blind_message(f"s\n\n{text}" if newline else text)) <= 4 * len(text)


@pytest.mark.parametrize(
    "message",
    [
        "Signed-off-by: A U Thor <author@example.com>",
        "Co-Authored-By: Somebody",
        "git-svn-id: https://svn.example.com/trunk@12 0f1e",
        "bors r+",
        "Change-Id: I0123\nReviewed-by: B\n",
    ],
)
def test_a_message_of_nothing_but_trailers_is_empty(message: str) -> None:
    assert blind_message(message) == ""
    assert blind_message(f"{message.rstrip()}\n\nSay why\n") == "Say why"
