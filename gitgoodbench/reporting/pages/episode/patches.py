"""What a patch of `details` says of each file. Patches are as `scoring.history_details.patch_of` makes them."""

from __future__ import annotations

from typing import Final

_OLD: Final = "--- "
_NEW: Final = "+++ "


def added_text(patch: str) -> dict[str, str]:
    """By the path of each file, the lines that are added to it."""
    added: dict[str, list[str]] = {}
    path = ""
    lines = patch.split("\n")
    in_hunk = False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if not in_hunk and line.startswith(_NEW):
            path = line.removeprefix(_NEW).removeprefix("b/")
        elif line.startswith("@@ "):
            in_hunk = True
        elif line.startswith(_OLD) and following.startswith(_NEW):
            in_hunk = False
        elif in_hunk and line.startswith("+"):
            added.setdefault(path, []).append(line[1:])
    return {path: "".join(f"{line}\n" for line in of_file) for path, of_file in added.items()}
