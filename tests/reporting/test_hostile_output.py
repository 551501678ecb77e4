"""Text from anywhere reaches terminals, spreadsheets and Markdown as itself, and only through `text`."""

from __future__ import annotations

import ast
import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.progress import Progress, TextColumn

from gitgoodbench.cli.endings import ended
from gitgoodbench.cli.output import echo
from gitgoodbench.errors import UserError
from gitgoodbench.reporting.layout import make_console, make_table, print_table, say
from gitgoodbench.text import csv_cell, for_terminal, from_csv_cell, markdown_cell, on_one_line

ROOT = Path(__file__).parents[2]
HOSTILE = "\x1b]0;title\x07[red]c\x9b31m\u202e:smile:\x7f"
SHOWN = r"\x1b]0;title\x07[red]c\x9b31m\u202e:smile:\x7f"

PRINTS = {"print", "echo", "secho", "to_csv", "to_markdown", "sys.stdout.write", "sys.stderr.write"}
MAKES = {"Console", "csv.writer", "csv.DictWriter"}
ALLOWED = {
    "gitgoodbench/cli/endings.py: sys.stderr.write(f'{usage()}\\n')",  # of typer, of our own words
    "gitgoodbench/cli/showing.py: sys.stdout.write(line.encode(encoding, 'backslashreplace').decode(encoding) + '\\n')",
    "gitgoodbench/cli/feedback_reporting.py: typer.echo(_as_data(found, by, form), nl=False)",  # JSON in ASCII, or CSV
    "gitgoodbench/dataset/writers.py: csv.writer(text, lineterminator='\\r\\n')",
    "gitgoodbench/feedback/report/exports.py: csv.writer(text, lineterminator='\\n')",
    "gitgoodbench/harbor/verify.py: print(text)",  # JSON in ASCII
    "gitgoodbench/reporting/explanation.py: csv.writer(text, lineterminator='\\n')",
    "gitgoodbench/reporting/files.py: csv.writer(text, lineterminator='\\n')",
    "gitgoodbench/reporting/samples.py: safe.to_csv(text, index=False, lineterminator='\\n')",
}
"""Writers of cells, which go through `csv_cell`; lines that were cleaned when they were made."""


@pytest.mark.parametrize("terminal", [True, False])
def test_a_console_shows_text_as_itself(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    if terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.setenv("TERM", "xterm")
    console = make_console()
    table = make_table(console, ["head", f"b{HOSTILE}"])
    table.add_row(HOSTILE, "[link=http://x]y[/link]")
    print_table(console, HOSTILE, table)
    say(console, f"{HOSTILE}\nsecond line")
    console.print(HOSTILE)

    shown = capsys.readouterr().out

    assert shown.count(SHOWN) == 5
    assert "[link=http://x]y[/link]" in shown
    assert all(line.isprintable() for line in shown.split("\n")) or terminal
    assert not set(shown) & set("\x07\x9b\u202e\x7f\r")


def test_a_progress_bar_shows_text_as_itself(capsys: pytest.CaptureFixture[str]) -> None:
    console = make_console()
    with Progress(TextColumn("{task.description}", markup=False), console=console) as progress:
        progress.add_task(f"remote: {HOSTILE}", total=1)

    shown = capsys.readouterr().out
    assert r"remote: \x1b]0;title" in shown
    assert not set(shown) & set("\x1b\x07\x9b\u202e")


def test_lines_and_errors_of_commands_show_text_as_itself(capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> None:
        raise UserError(f"no such\nthing: {HOSTILE}")

    echo(f"{HOSTILE}\nnext")

    assert ended(fails) == 2
    assert capsys.readouterr() == (f"{SHOWN}\nnext\n", f"gitgoodbench: no such thing: {SHOWN}\n")


@given(st.text())
def test_a_terminal_gets_only_what_it_prints(text: str) -> None:
    assert on_one_line(text).isprintable()
    assert for_terminal(text).replace("\n", "").isprintable()
    assert for_terminal(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ('=HYPERLINK("http://x","y")', '\'=HYPERLINK("http://x","y")'),
        ("+1", "'+1"),
        ("-1+2", "'-1+2"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("'=1", "''=1"),
        ("c++", "c++"),
        ("'quoted'", "'quoted'"),
        ("", ""),
    ],
)
def test_no_cell_is_a_formula(text: str, cell: str) -> None:
    assert csv_cell(text) == cell
    assert from_csv_cell(cell) == text


def test_numbers_are_cells_as_they_are() -> None:
    assert [csv_cell(value) for value in (-1, -0.5, None)] == [-1, -0.5, None]


@given(st.text())
def test_every_text_comes_back_from_its_cell(text: str) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\r\n").writerow([csv_cell(text), "end"])
    ((cell, _),) = csv.reader(io.StringIO(written.getvalue(), newline=""))

    assert from_csv_cell(cell) == text
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a|b", r"a\|b"),
        ("<img src=x>", r"\<img src=x\>"),
        ("[x](http://y)", r"\[x\](http\://y)"),
        ("**b** `c` ~d~ $e$ &lt;", r"\*\*b\*\* \`c\` \~d\~ \$e\$ \&lt;"),
        ("_i_ my_repo", r"\_i\_ my_repo"),
        ("# title\nline", r"\# title\\nline".replace(r"\\n", r"\n")),
        ("\x1b[31m", r"\\x1b\[31m".replace(r"\\x", r"\x")),
    ],
)
def test_markdown_shows_text_as_itself(text: str, cell: str) -> None:
    assert markdown_cell(text).replace("\\\\", "\\") == cell


def unclean(path: Path) -> Iterator[str]:
    """Calls that write text which has been through no cleaner."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        called, written = ast.unparse(node.func), ast.unparse(node)
        if called in MAKES:
            yield written
        elif called in PRINTS or called.rpartition(".")[2] in PRINTS - {"print"}:
            constant = all(isinstance(argument, ast.Constant) for argument in node.args)
            by_cleaner = called == "echo" and "from gitgoodbench.cli.output import echo" in path.read_text()
            if not constant and not by_cleaner and not any(name in written for name in ("for_terminal", "on_one_line")):
                yield written


def test_nothing_is_printed_or_written_as_csv_but_through_the_cleaners() -> None:
    sources = [*ROOT.glob("gitgoodbench/**/*.py"), *ROOT.glob("scenarios/**/*.py")]

    found = {f"{path.relative_to(ROOT).as_posix()}: {call}" for path in sources for call in unclean(path)}

    assert found == ALLOWED
