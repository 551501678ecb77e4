"""The calls of the published baseline, as its schema has them, through our published tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gitgoodbench.agents.calls import call_tool
from gitgoodbench.sandbox.base import SandboxProvider
from gitgoodbench.scenario import EpisodeOptions, load_scenarios
from tests.support.chains import make_chain
from tests.support.merges import make_merge

WHY = "This is why."
LINES = b"".join(b"line %d\n" % number for number in range(60))
SIDES = [LINES.replace(b"line 5\n", word).replace(b"line 30\n", word) for word in (b"local\n", b"incoming\n")]
STEPS = [LINES]
for number in range(6):  # six hunks, and six commits
    STEPS.append(STEPS[-1].replace(b"line %d\n" % (9 * number + 2), b"changed %d\n" % number))

MERGE = [
    ("view_current_merge_conflict_with", {"context_window_size": 10, "reason": WHY}),
    ("view_current_merge_conflict_with", {"reason": WHY}),
    ("view_merge_conflict_at", {"conflict_index": 1, "context_window_size": 0, "reason": WHY}),
    ("view_merge_conflict_at", {"conflict_index": 0, "reason": WHY}),
    ("view_diff_for", {"relative_path_from_project_root": "a.py", "reason": WHY}),
    ("view_file_at", {"relative_path_from_project_root": "a.py", "reason": WHY}),
    ("resolve_current_merge_conflict_with", {"content": "first\n", "reason": WHY}),
    ("resolve_current_merge_conflict_with", {"content": "second\n", "reason": WHY}),
]
PLAN = [
    {"commit_index": 0, "command": "reword", "commit_msg": "It's reworded"},
    {"commit_index": 2, "command": "squash", "commit_msg": "Two in one\n\nWith a body."},
    {"commit_index": 1, "command": "pick"},
    {"commit_index": 3, "command": "fixup"},
    {"commit_index": 4, "command": "fixup -C"},
    {"commit_index": 5, "command": "pick", "commit_msg": None},
]
REBASE = [
    ("view_rebase_todo", {"reason": WHY}),
    ("show_changes_in", {"commit_index": 5, "reason": WHY}),
    ("update_rebase_todo_list", {"rebase_todo_list_items": PLAN, "reason": WHY}),
    ("execute_rebase", {"reason": WHY}),
]
DROP = [{"commit_index": index, "command": "drop" if index == 5 else "pick"} for index in range(6)]
DROPPING = [("update_rebase_todo_list", {"rebase_todo_list_items": DROP, "reason": WHY})]
DIVISION = [
    ("commit_changes_in", {"selected_hunks": [2, 1], "commit_message": "Say one\n\nAnd two.", "reason": WHY}),
    ("commit_changes_in", {"selected_hunks": [1], "commit_message": "It's three", "reason": WHY}),
    ("commit_changes_in", {"selected_hunks": [1, 2, 3], "commit_message": "The others", "reason": WHY}),
    ("commit_remaining_changes", {"commit_message": "Adapt the rest", "reason": WHY}),
]


@pytest.mark.parametrize("strict", [False, True], ids=["lenient", "strict"])
@pytest.mark.parametrize(
    ("scenario", "calls"),
    [("mcr", MERGE), ("ir", REBASE), ("ir", DROPPING), ("icc", DIVISION)],
    ids=["merge", "rebase", "rebase with a drop", "division"],
)
def test_every_call_of_the_published_schema_is_accepted_as_it_stands(
    tmp_path: Path,
    local_provider: SandboxProvider,
    scenario: str,
    calls: Sequence[tuple[str, dict[str, Any]]],
    strict: bool,
) -> None:
    case: Any
    if scenario == "mcr":
        case = make_merge(tmp_path / "r.git", *({b"a.py": text} for text in (LINES, *SIDES, LINES)))
    else:
        versions: list[Any] = [{b"a.py": text, b"b.py": b"%d\n" % (number > 5)} for number, text in enumerate(STEPS)]
        case = make_chain(tmp_path / "r.git", versions)
    with local_provider.open(run_id="test", episode_id="case") as sandbox:
        options = EpisodeOptions(strict_tools=strict)
        episode: Any = load_scenarios()[scenario].prepare(case.sample, case.store, sandbox, options)
        for name, arguments in calls:
            assert not episode.finished
            episode.begin_answer()
            result = call_tool(episode.tools, name, arguments)
            assert not result.is_error, result.text
            assert result.readings == ()
        assert episode.finished == (calls is not DROPPING)
