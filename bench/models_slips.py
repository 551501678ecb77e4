"""Slips that models make, played by a scripted model that then does what the error text says: how many still end well?

    python -m bench.models_slips [--strict-tools] [--json FILE]

Each slip (bench/slips.py) is a wrong answer, one or several tool calls, in an episode of a small repository of its own.
The scripted model reads the results: a call that was refused or not run it sends again, right this time, with the
numbers that it was told last; a call that was accepted it takes for done. It *ends well* when the commits that are left
have the trees and messages of the same episode played without a slip.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gitgoodbench.agents.loop import converse
from gitgoodbench.git.commits import read_commits
from gitgoodbench.models.answer import Answer
from gitgoodbench.models.messages import ToolCall, recorded_call
from gitgoodbench.models.meter import Budget, Meter, Tokens
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.sandbox.local import LocalProvider
from gitgoodbench.scenario import EpisodeOptions, Message, Outcome, load_scenarios
from gitgoodbench.workspace.scratch import ScratchRepository
from tests.support.chains import make_chain
from tests.support.merges import make_merge

sys.path.insert(0, str(Path(__file__).parent))

from slips import CLEAN, Play, Slip, Written, all_slips

LINES = [b"line %d\n" % number for number in range(60)]


class ScriptedModel:
    """A `Chat` that plays a script."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._asked = 0

    def answer(self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], meter: Meter) -> Answer:  # noqa: ARG002
        try:
            written = next(self._play) if not self._asked else self._play.send(results_at_the_end(messages))
        except StopIteration:
            written = []
        self._asked += 1
        calls = tuple(
            ToolCall(f"c{self._asked}-{number}", call.name, arguments_of(call)) for number, call in enumerate(written)
        )
        message: Message = {"role": "assistant", "content": None if calls else "Done."}
        if calls:
            message["tool_calls"] = [recorded_call(call) for call in calls]
        return Answer(message, calls, "stop", Tokens())


def arguments_of(call: Written) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def results_at_the_end(messages: Sequence[Message]) -> list[str]:
    results: list[str] = []
    for message in reversed(messages):
        if message["role"] != "tool":
            break
        results.insert(0, message["content"])
    return results


class Cases:
    """One repository for each scenario."""

    def __init__(self, folder: Path) -> None:
        base = b"".join(LINES)
        first = base.replace(b"line 5\n", b"first\n")
        middle = first.replace(b"line 30\n", b"middle\n")
        last = middle.replace(b"first\n", b"first, mended\n")
        self.rebase = make_chain(folder / "ir", [{b"a.py": text} for text in (base, first, middle, last)])
        final = base.replace(b"line 5\n", b"one\n").replace(b"line 30\n", b"two\n").replace(b"line 50\n", b"three\n")
        changed = base.replace(b"line 5\n", b"one\n")
        files = [
            {b"a.py": base, b"b.py": b"b\n"},
            {b"a.py": changed, b"b.py": b"b\n"},
            {b"a.py": final, b"b.py": b"B\n"},
        ]
        self.division = make_chain(folder / "icc", files)
        sides = [base.replace(b"line 5\n", word).replace(b"line 30\n", word) for word in (b"local\n", b"incoming\n")]
        self.merge = make_merge(folder / "mcr", *({b"a.py": text} for text in (base, *sides, base)))

    def of(self, scenario: str) -> Any:
        return {"ir": self.rebase, "icc": self.division, "mcr": self.merge}[scenario]


def play(
    case: Any, name: str, script: Play, provider: SandboxProvider, options: EpisodeOptions
) -> list[tuple[str, bytes]]:
    """Trees and messages of the commits that are left, oldest first."""
    scenario = load_scenarios()[name]
    with provider.open(run_id="slips", episode_id="slips") as sandbox:
        episode = scenario.prepare(case.sample, case.store, sandbox, options)
        converse(episode, ScriptedModel(script), Meter(Budget(max_turns=12)))
        outcome = episode.outcome()
    return left(case, outcome)


def left(case: Any, outcome: Outcome) -> list[tuple[str, bytes]]:
    assert outcome.head is not None
    with ScratchRepository(case.git) as scratch:
        if outcome.bundle is not None:
            scratch.import_bundle(outcome.bundle)
        listed = scratch.git.run("rev-list", "--reverse", "--first-parent", outcome.head).decode().split()
        return [(commit.tree, commit.message) for commit in read_commits(scratch.git, listed)]


def measure(options: EpisodeOptions) -> list[tuple[Slip, bool]]:
    provider = LocalProvider()
    with tempfile.TemporaryDirectory() as folder:
        cases = Cases(Path(folder))

        def ended(slip: Slip, script: Callable[[], Play]) -> list[tuple[str, bytes]]:
            return play(cases.of(slip.scenario), slip.scenario, script(), provider, options)

        wanted: dict[Callable[[], Play], list[tuple[str, bytes]]] = {}
        results = []
        for slip in all_slips():
            script = slip.clean or CLEAN[slip.scenario]
            if script not in wanted:
                wanted[script] = ended(slip, script)
            results.append((slip, ended(slip, slip.play) == wanted[script]))
        return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strict-tools", action="store_true")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    results = measure(EpisodeOptions(strict_tools=True) if args.strict_tools else EpisodeOptions())
    for slip, well in results:
        print(f"{slip.scenario:4} {'well' if well else 'LOST':5} {slip.name}{f' ({slip.why})' if slip.why else ''}")
    print(f"\n{sum(well for _, well in results)} of {len(results)} end well")
    if args.json:
        rows = [
            {"scenario": slip.scenario, "slip": slip.name, "ends_well": well, "why": slip.why} for slip, well in results
        ]
        args.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
