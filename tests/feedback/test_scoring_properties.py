"""What holds of any edits and commits."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from gitgoodbench.feedback.linking import link_edits
from gitgoodbench.feedback.records import Edit, Part
from gitgoodbench.feedback.scoring import score_commit
from tests.feedback.support_scoring import COMMIT, SESSION, change, changed, edit, score, write

LINES = st.sampled_from(
    [
        b"def f(a):",
        b"    return a",
        b"x = 'q'",
        b"",
        b"}",
        b"  y = \xff",
        b'"""doc',
        b"# c",
        b"z = 1\r",
        b"class A:",
        b"\0",
    ]
)
TEXTS = st.builds(lambda rows, end: b"\n".join(rows) + end, st.lists(LINES, max_size=7), st.sampled_from([b"", b"\n"]))
PATHS = [b"a.py", b"b.yaml", b"Makefile"]
EDITS = st.builds(
    lambda path, parts, whole, kind, outcome, time: edit(
        "", *parts, path=path, whole=whole, kind=kind, outcome=outcome, time=time
    ),
    st.sampled_from(["/repo/a.py", "/repo/b.yaml", "/repo/Makefile", "a.py", "/other/a.py", None]),
    st.lists(st.builds(Part, st.none() | TEXTS, TEXTS, st.sampled_from([None, 1, 99])), max_size=2),
    st.booleans(),
    st.sampled_from(["edit", "edit", "answer", "indirect"]),
    st.sampled_from(["applied", "applied", "unknown", "denied"]),
    st.sampled_from([None, 900.0, 901.0, 1002.0]),
)


def numbered(edits: list[Edit]) -> list[Edit]:
    return [
        edit(
            str(at), *one.parts, path=one.path, whole=one.whole, kind=one.kind, outcome=one.outcome, time=one.time
        )
        for at, one in enumerate(edits)
    ]  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.none() | TEXTS, TEXTS), min_size=1, max_size=3), st.lists(EDITS, max_size=4))
def test_any_edit_has_a_state_and_only_a_scored_one_a_reward(
    files: list[tuple[bytes | None, bytes]], edits: list[Edit]
) -> None:
    known = numbered(edits)
    committed = change(*(changed(*pair, path) for pair, path in zip(files, PATHS, strict=False)))
    links = link_edits(known, [COMMIT], [SESSION], lambda _: committed, roots=["/repo"])
    for result in (score(committed, *known), score_commit(COMMIT, committed, known, [SESSION], links)):
        for one in result.edits:
            assert (one.reward is not None) == (one.state == "scored")
            if one.reward is not None and one.kept is not None and one.normalised is not None:
                assert 0 <= one.reward <= one.kept + 1e-9 <= 1 + 1e-9
                assert 0 <= one.normalised <= 1


@settings(max_examples=40, deadline=None)
@given(st.lists(TEXTS, min_size=2, max_size=4))
def test_whatever_a_conversation_wrote_and_nobody_changed_is_kept_whole(versions: list[bytes]) -> None:
    """Its net change is all of the commit's, however often it went back and forth."""
    known = [write(str(at), before, after, time=900.0 + at) for at, (before, after) in enumerate(pairwise(versions))]
    result = score(change(changed(versions[0], versions[-1])), *known)
    assert [one.reward for one in result.conversations] in ([], [1.0], [None])
    if len(known) == 1:
        assert [one.reward for one in result.edits if one.state == "scored"] in ([], [1.0])
