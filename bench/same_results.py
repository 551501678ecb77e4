"""Do two versions of the harness give the same verdicts and scores? Compare the results of two folders, field by field.

    python bench/same_results.py RESULTS_BEFORE RESULTS_AFTER [--aside FIELD ...]

Either folder holds one run or several, under the same names. Compared is all that both formats have, but for what
differs from run to run: times, and which run it is. `--aside facts.attainable` leaves a field out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

RUN_DEPENDENT = frozenset({"format", "run_id", "started", "ended", "timings", "attempts", "details", "scored_by"})
SHOWN = 5


def results(folder: Path) -> dict[str, dict[str, Any]]:
    """Each result.json below the folder, by its place in it."""
    found = sorted(folder.glob("**/samples/*/*/*/result.json"))
    return {path.relative_to(folder).as_posix(): json.loads(path.read_bytes()) for path in found}


def fields(value: object, name: str = "") -> Iterator[tuple[str, object]]:
    """Every value inside, by its dotted name."""
    if isinstance(value, Mapping) and value:
        for key, entry in value.items():
            yield from fields(entry, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def differences(before: Mapping[str, Any], after: Mapping[str, Any], aside: frozenset[str]) -> Iterator[str]:
    """Fields that are not the same, or that only one side has, as `name: before, now after`."""
    left, right = (
        {name: value for name, value in fields(result) if name.split(".")[0] not in RUN_DEPENDENT and name not in aside}
        for result in (before, after)
    )
    for name in sorted(left.keys() | right.keys()):
        if left.get(name, "absent") != right.get(name, "absent"):
            yield f"{name}: {left.get(name, 'absent')!r}, now {right.get(name, 'absent')!r}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--aside", action="append", default=[], metavar="FIELD")
    arguments = parser.parse_args()
    before, after = results(arguments.before), results(arguments.after)
    common = before.keys() & after.keys()
    found: Counter[str] = Counter()
    examples: dict[str, list[str]] = {}
    compared = 0
    for place in sorted(common):
        compared += sum(name.split(".")[0] not in RUN_DEPENDENT for name, _ in fields(before[place]))
        for line in differences(before[place], after[place], frozenset(arguments.aside)):
            name = line.partition(":")[0]
            found[name] += 1
            examples.setdefault(name, []).append(f"{place.removesuffix('/result.json')}: {line}")
    print(f"{len(common)} results in both ({len(before)} before, {len(after)} after), {compared} fields compared")
    print("by scenario:", dict(Counter(after[place]["scenario"] for place in common)))
    for name, count in found.most_common():
        print(f"{name} differs in {count}")
        print("".join(f"    {line}\n" for line in examples[name][:SHOWN]), end="")
    if not found:
        print("no difference")
    return 1 if found or not common else 0


if __name__ == "__main__":
    sys.exit(main())
