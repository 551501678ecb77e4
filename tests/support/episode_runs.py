"""A run of episodes that have all that a page of an episode can show: a merge, two histories, and one that broke.

`said` makes every text of them: as it is, or hostile.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from gitgoodbench.details import (
    CommitDetail,
    ConflictDetail,
    ConflictSides,
    Details,
    FileDetail,
    HistoriesDetail,
    LineGroup,
    PairDetail,
    Trees,
)
from gitgoodbench.errors import Status
from gitgoodbench.models.meter import Usage
from gitgoodbench.runs.manifest import write_manifest
from gitgoodbench.runs.paths import RunPaths
from gitgoodbench.runs.result import AttemptRecord, ErrorRecord, Result, Timings, UsageRecord, dump_json
from gitgoodbench.scoring.judge.record import CutRecord, JudgeRecord, OpinionRecord, QuestionRecord, RawAnswer, State
from gitgoodbench.scoring.judge.votes import Order, Preference, Vote
from tests.support.page_runs import Player, manifest_of

Said = Callable[[str], str]

BROKEN: Final = "a-broken-sample"
"""The sample of icc that could not be set up."""

DAY: Final = "2026-03-01T10:00:{:02}.000Z"
PLAYER: Final = Player("openai", "gpt-4o", 0.3, 0.04, 45.0)

BASE: Final = 'def total(rows):\n    """The sum."""\n    return sum(rows)\n'
OURS: Final = 'def total(rows, tax=0):\n    """The sum, with tax."""\n    return sum(rows) * (1 + tax)\n'
THEIRS: Final = 'def total(rows):\n    """The sum."""\n    return math.fsum(rows)\n'
TRUTH: Final = 'def total(rows, tax=0):\n    """The sum, with tax."""\n    return math.fsum(rows) * (1 + tax)\n'

LONG_LINE: Final = "x" * 2_000_000
HOSTILE: Final = (
    "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'><svg/onload=window.ran=1></textarea></script>"
    "<!-- ${window.ran=1} {{7*7}} &lt;b&gt; '\" \x1b[31mred\x1b[0m \x07 \u202egnp.exe\u2066 \ud800 \xff \u2028 "
    "__proto__"
)


def plain(text: str) -> str:
    return text


def hostile(text: str) -> str:
    return f"{HOSTILE} {text}"


def make_episode_run(folder: Path, said: Said = plain, extra: str = "") -> Path:
    """Write the run. extra: a text of any size, which is in every place where there are long texts."""
    paths = RunPaths(folder / "run")
    paths.folder.mkdir(parents=True)
    results = [_merge(said, extra), _history(said, extra, "ir"), _broken(said), _history(said, extra, "icc")]
    write_manifest(paths, manifest_of("run", PLAYER, len(results), len(results)))
    for result in results:
        files = paths.episode(*result.key)
        files.folder.mkdir(parents=True)
        files.result.write_bytes(dump_json(result.model_dump(mode="json")))
        lines = conversation(said, extra) if result.details is not None else iter(())
        lines = with_sub_agents(lines, said) if result.scenario == "ir" else lines
        files.trajectory.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        if result.attempts:
            files.trajectory.with_name("trajectory-1.jsonl").write_bytes(files.trajectory.read_bytes())
        if result.judge is not None:
            message = [{"role": "system", "content": said("Compare.")}, {"role": "user", "content": said(extra)}]
            prompts = {"prompts": "p" * 64, "agent_first": message, "real_first": message[::-1]}
            files.judge_prompts.write_bytes(dump_json(prompts))
    paths.ledger.write_bytes(b"")
    paths.log.write_bytes(b"")
    return paths.folder


def _result(said: Said, scenario: str, **fields: Any) -> Result:
    known: dict[str, Any] = {
        "format": 1, "run_id": "run", "sample_id": f"sample-{scenario}", "scenario": scenario, "epoch": 1,
        "agent": PLAYER.agent, "model": PLAYER.model, "name": "owner/project", "language": "python",
        "difficulty": "easy", "started": DAY.format(0), "ended": DAY.format(50), "status": Status.COMPLETED,
        "success": True, "solved": False, "solved_paper": False,
        "gates": {"committed": True, said("clean"): False}, "scores": {"exact_match": 0.0, said("similarity"): None},
        "usage": UsageRecord(requests=2, prompt_tokens=4000, cached_tokens=100, completion_tokens=300, cost_usd=0.04),
        "turns": 2,
        "timings": Timings(setup_s=0.8, agent_s=45, outcome_s=0.2, closing_s=0.1, scoring_s=0.9, judge_s=3, total_s=50),
    }  # fmt: skip
    return Result(**{**known, **fields})


def _merge(said: Said, extra: str) -> Result:
    sides = ConflictSides(base=said(BASE), ours=said(OURS), theirs=said(THEIRS) + extra)
    conflicts = (
        ConflictDetail(number=1, kind="text", exact=True, similarity=1.0, precision=1.0, recall=1.0, sides=sides,
                       agent_text=said(TRUTH), truth_text=said(TRUTH)),
        ConflictDetail(number=2, kind="text", exact=False, similarity=0.75, precision=0.8, recall=0.7, sides=sides,
                       agent_text=said(OURS), truth_text=said(TRUTH) + extra),
        ConflictDetail(number=3, kind=said("modify/delete"), exact=False, agent_text=None, truth_text=said("a: b\n")),
    )  # fmt: skip
    more = ConflictDetail(number=4, kind="text", exact=False, agent_text=OURS, truth_text=TRUTH)
    files = (
        FileDetail(path=said("src/total.py"), exact=False, conflicts=conflicts, out_of_reach=False),
        FileDetail(path="src/more.py", exact=False, conflicts=(more,), out_of_reach=False),
        FileDetail(path=said("docs/total.md"), exact=False, out_of_reach=True),
    )
    details = Details(
        ids={"merge": "b" * 40, "parents": ("c" * 40, said("d" * 40))}, trees=Trees(agent="1" * 40, truth="2" * 40),
        files=files, diff=said("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n") + extra, more={said("more"): said("known")},
    )  # fmt: skip
    failed = AttemptRecord(
        started=DAY.format(0), ended=DAY.format(1), status=Status.INFRASTRUCTURE_FAILED, cost_usd=None,
        error=ErrorRecord(kind=said("Gone"), message=said("the server went away")),
    )  # fmt: skip
    return _result(said, "mcr", details=details, attempts=(failed,))


def _history(said: Said, extra: str, scenario: str) -> Result:
    def commit(number: int, text: str, same_as: int | None) -> CommitDetail:
        patch = f"--- a/src/total.py\n+++ b/src/total.py\n@@ -1 +1 @@\n-{number}\n" + "".join(
            f"+{line}\n" for line in said(text).split("\n")
        )
        return CommitDetail(
            id=f"{number:040x}", message=said(f"Add part {number}\n\nAnd why.\n"), files=(said("src/total.py"),),
            added=text.count("\n") + 1, removed=1, patch=patch + extra, same_as=same_as,
        )  # fmt: skip

    agent = (commit(1, f"{OURS}{THEIRS}", None), commit(2, BASE, 3))
    truth = (commit(3, OURS, None), commit(4, THEIRS, None), commit(5, BASE, 2))
    histories = HistoriesDetail(
        agent=agent, truth=truth, agent_commits=2, truth_commits=3,
        pairs=(PairDetail(agent=1, truth=1, similarity=0.7, at_least=0.6),
               PairDetail(agent=2, truth=3, similarity=1.0, at_least=1.0)),
        groups=(LineGroup(agent=1, truth=1, lines=4), LineGroup(agent=1, truth=2, lines=3),
                LineGroup(agent=2, truth=3, lines=4)),
    )  # fmt: skip
    answer = RawAnswer(text=said('{"better": "A"}') + extra, finish_reason="stop", problem=said("no verdict in it"))
    questions = tuple(
        QuestionRecord(order=order, repeat=1, answers=(answer,), preferred=Preference.FIRST, reason=said("Clearer."),
                       vote=vote)
        for order, vote in ((Order.AGENT_FIRST, Vote.WIN), (Order.REAL_FIRST, Vote.LOSS))
    )  # fmt: skip
    opinion = OpinionRecord(
        model=said("judge-model"), verdict=Vote.TIE, agent_first=Vote.WIN, real_first=Vote.LOSS, consistent=False,
        questions=questions, usage=Usage(2, 900, 0, 60, 0.001), notes=(said("no temperature"),),
    )  # fmt: skip
    judge = JudgeRecord(
        state=State.JUDGED, verdict=Vote.TIE, prompt="q" * 64, prompts="p" * 64, judges=(opinion,),
        cut=CutRecord(limit=120000, agent=(10, 20), real=(5, 5)),
    )  # fmt: skip
    details = Details(ids={"base": "b" * 40, "newest": "c" * 40}, histories=histories, diff="")
    return _result(said, scenario, details=details, judge=judge)


def _broken(said: Said) -> Result:
    error = ErrorRecord(kind="SetupFailed", message=said("there is no such commit"))
    nothing: dict[str, Any] = {
        "solved": None,
        "solved_paper": None,
        "gates": {},
        "scores": {},
        "turns": None,
        "sample_id": BROKEN,
    }
    return _result(said, "icc", status=Status.SETUP_FAILED, success=False, error=error, usage=UsageRecord(),
                   timings=Timings(), **nothing)  # fmt: skip


def conversation(said: Said, extra: str) -> Iterator[dict[str, Any]]:
    """Two turns: a call that works, then a fault, a call that fails, one that is none, and a reminder."""
    head = {"format": 2, "sample_id": "s", "scenario": "s", "epoch": 1, "agent": "openai", "model": "gpt-4o"}
    yield {"kind": "episode", "time": DAY.format(0), **head}
    asked = {"api": "chat", "model": said("gpt-4o"), "parameters": {"temperature": 0}, "tools": [{}, {}]}
    yield {"kind": "request", "time": DAY.format(1), "number": 0, "asked": asked}
    yield _message(0, "system", said("# Task\n\nMerge.\n") + extra)
    yield _message(1, "user", said("Here are the conflicts."))
    arguments = {"path": "src/total.py", "content": said(TRUTH) + extra, "numbers": [1, 2], "why": said("both")}
    message = {"content": said("I take both."), "reasoning_content": said("Let me think.\n" * 40),
               "tool_calls": [_call("a", said("resolve"), json.dumps(arguments))]}  # fmt: skip
    yield _exchange("answer", 3) | {"number": 2, "message": {"role": "assistant", **message}}
    yield _message(3, "tool", said("resolved 1 of 2\n" * 50), tool_call_id="a")
    yield _exchange("fault", 8) | {"fate": "refused", "status": 503, "cause": said("overloaded"), "partial": said("{")}
    calls = [_call("b", "commit", '{"message": ""}'), _call("c", "commit", said("{not json")), {"id": "d"}]
    silent: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": calls}
    yield _exchange("answer", 12) | {"number": 4, "message": silent, "finish_reason": "length", "attempt": 2}
    yield _message(5, "tool", f"error: {said('a message is needed')}", tool_call_id="b")
    yield _message(6, "user", said("Call a tool, or finish."))
    yield {
        "kind": "end", "time": DAY.format(50), "messages": [[0, 6]], "status": "limit_reached", "turns": 2,
        "error": said("no turns left"), "usage": vars(Usage(2, 4000, 100, 300, 0.04)), "notes": [said("no seed")],
    }  # fmt: skip


def with_sub_agents(lines: Iterator[dict[str, Any]], said: Said) -> Iterator[dict[str, Any]]:
    """The lines, and beside them a sub-agent that works on the call `a`, and a conversation for a title."""
    for line in lines:
        if line["kind"] in ("answer", "fault"):
            line |= {"conversation": "0"}
        if line["kind"] == "end":
            for number, name in enumerate(("1", "2")):
                asked, answered = 7 + 2 * number, 8 + 2 * number
                yield _message(asked, "user", said(f"Work on {name}.")) | {"conversation": name}
                answer = {
                    "role": "assistant",
                    "content": said(f"I am {name}."),
                    "tool_calls": [_call("x", "look", "{}")],
                }
                exchange = _exchange("answer", 20) | {"conversation": name, "messages": [[0, 0], [asked, asked]]}
                yield exchange | {"number": answered, "message": answer}
            line |= {
                "conversation": "0",
                "asides": [
                    {"name": "1", "call": "a", "messages": [[0, 0], [7, 8]]},
                    {"name": "2", "call": None, "messages": [[0, 0], [9, 10]]},
                ],
            }
        yield line


def _message(number: int, role: str, content: str, **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": content, **more}
    return {"kind": "message", "time": DAY.format(2), "number": number, "message": message}


def _call(name: str, function: str, arguments: str) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": function, "arguments": arguments}}


def _exchange(kind: str, second: int) -> dict[str, Any]:
    return {
        "kind": kind, "time": DAY.format(second + 3), "conversation": None, "request": 0, "messages": [[0, 1]],
        "started": DAY.format(second), "seconds": 2.5, "attempt": 1, "tokens": {"prompt": 2000, "completion": 150},
        "cost_usd": 0.02, "response_id": "r", "model": "gpt-4o", "cached": False, "finish_reason": "tool_calls",
    }  # fmt: skip
