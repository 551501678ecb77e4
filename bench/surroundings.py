# ruff: noqa: E501 - text of a page is not wrapped
"""Broken surroundings and bad inputs through the real command line: exit code, one line, no traceback, nothing lost.

    python bench/surroundings.py [--write docs/surroundings.md] [--only TEXT]

The cases are those of tests/support/surroundings.py: each a line of a shell in a folder that holds one finished run. What
cannot be made on this machine (a mount needs root) is left out and said so. Exits with 1 where a case does not end as it
must; no page is written then.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.surroundings import CASES, Case, Ended, prepare, row


def mount(folder: Path) -> list[Path]:
    """A full and a read-only folder; none where that is not allowed."""
    mounted = []
    for name, options in (("full", "size=64k"), ("closed", "ro")):
        (folder / name).mkdir()
        argv = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder / name)]
        if subprocess.run(argv, capture_output=True, check=False).returncode == 0:
            mounted.append(folder / name)
    return mounted


def page(rows: list[tuple[Case, Ended]]) -> str:
    """The page of the documentation."""
    head = (
        "# Broken surroundings and bad inputs\n\n"
        "```sh needs=long\npython bench/surroundings.py --write docs/surroundings.md\n```\n\n"
        f"runs {len(rows)} cases through the command line, and writes this page: the exit code, and what stands on standard "
        "error. Where a command cannot go on, that is one line; where only a result.json is damaged, it goes on, and says which. None "
        "prints a traceback. Of the run that the cases are about, nothing that agents, models and judges left is lost or changed, as "
        "hashes of its trajectories, bundles, outcomes, results and ledger say.\n\n"
        "| case | command | code | line |\n|---|---|---|---|\n"
    )
    return head + "".join(row(case, ended) for case, ended in rows)


def main() -> None:
    """Run the cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    rows: list[tuple[Case, Ended]] = []
    left_out = 0
    with tempfile.TemporaryDirectory() as name:
        surroundings = prepare(Path(name))
        mounted = mount(surroundings.folder)
        try:
            for case in CASES:
                if chosen.only not in case.what:
                    continue
                if case.mounts and len(mounted) < 2:
                    left_out += 1
                    continue
                ended = surroundings.carry_out(case)
                rows.append((case, ended))
                print(
                    f"{'WRONG ' + ended.wrong if ended.wrong else 'ok'}: {case.what}: {case.command}\n    {ended.line}",
                    flush=True,
                )
        finally:
            for path in mounted:
                subprocess.run(["umount", str(path)], check=False)
    wrong = sum(bool(ended.wrong) for _, ended in rows)
    print(f"{len(rows)} cases, {wrong} wrong, {left_out} left out: they need root")
    if chosen.write is not None and not wrong:
        chosen.write.write_text(page(rows), "utf-8")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
