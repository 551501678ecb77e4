"""The map of the rooms: modules, lines, and imports between rooms, of one checkout or of two side by side.

    python bench/rooms.py [CHECKOUT] [LATER CHECKOUT]      # by default this one

A room is a package or module right below `gitgoodbench`, or `scenarios`. Of each: its modules, their lines, the modules
over 300 lines, how many rooms it imports, and how many import it. An import counts once for each pair of modules,
those for type checkers and those inside functions too.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = "gitgoodbench"
LONG = 300
HEADERS = ("modules", "lines", "long", "imports", "imported by")


@dataclass
class Room:
    """lines: of each module. imports: pairs of a module in here and a module of another room."""

    lines: list[int] = field(default_factory=list)
    imports: set[tuple[str, str]] = field(default_factory=set)

    @property
    def long(self) -> int:
        return sum(lines > LONG for lines in self.lines)


def modules_of(checkout: Path) -> dict[str, Path]:
    """Dotted name -> file, with the scenarios where they are installed."""
    found = {}
    for folder, prefix in ((PACKAGE, ()), ("scenarios", (PACKAGE,))):
        for path in sorted((checkout / folder).rglob("*.py")):
            parts = path.relative_to(checkout).with_suffix("").parts
            found[".".join([*prefix, *(parts[:-1] if parts[-1] == "__init__" else parts)])] = path
    return found


def room_of(module: str) -> str:
    return ([*module.split("."), ""])[1]


def imported(tree: ast.AST, package: str) -> Iterator[str]:
    """Dotted names that a module of a package imports; of `from a import b` both `a` and `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (base, *(f"{base}.{alias.name}" for alias in node.names))


def rooms_of(checkout: Path) -> dict[str, Room]:
    """The rooms of a checkout by name; the package's own `__init__` is the room `""`."""
    modules = modules_of(checkout)
    rooms: dict[str, Room] = {}
    for name, path in modules.items():
        source = path.read_text(encoding="utf-8")
        room = rooms.setdefault(room_of(name), Room())
        room.lines.append(source.count("\n"))
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        targets = modules.keys() & set(imported(ast.parse(source), package))
        room.imports |= {(name, target) for target in targets if room_of(target) not in ("", room_of(name))}
    return rooms


def row(rooms: dict[str, Room], name: str) -> list[str]:
    """Modules, lines, long modules, rooms that it imports, rooms that import it; empty where there is no such room."""
    if name not in rooms:
        return [""] * len(HEADERS)
    room = rooms[name]
    outwards = {room_of(target) for _, target in room.imports}
    inwards = [other for other, found in rooms.items() if any(room_of(target) == name for _, target in found.imports)]
    return [str(figure) for figure in (len(room.lines), sum(room.lines), room.long, len(outwards), len(inwards))]


def total(rooms: dict[str, Room]) -> list[str]:
    """The same of all together: in place of the last two, pairs of rooms and pairs of modules with an import."""
    pairs = {(name, room_of(target)) for name, room in rooms.items() for _, target in room.imports}
    lines = [count for room in rooms.values() for count in room.lines]
    between = sum(len(room.imports) for room in rooms.values())
    return [
        str(figure) for figure in (len(lines), sum(lines), sum(r.long for r in rooms.values()), len(pairs), between)
    ]


def shown(figures: Sequence[str]) -> str:
    """One figure, or `before → after` where they differ; a room that was not there has `-`."""
    return " → ".join(dict.fromkeys(figure or "-" for figure in figures))


def main() -> None:
    checkouts = [rooms_of(Path(folder)) for folder in sys.argv[1:]] or [rooms_of(ROOT)]
    print(f"| room | {' | '.join(HEADERS)} |")
    print("|---" * (len(HEADERS) + 1) + "|")
    for name in sorted({name for rooms in checkouts for name in rooms} - {""}):
        figures = zip(*(row(rooms, name) for rooms in checkouts), strict=True)
        print(f"| `{name}` | {' | '.join(map(shown, figures))} |")
    print(f"| all | {' | '.join(map(shown, zip(*map(total, checkouts), strict=True)))} |")


if __name__ == "__main__":
    main()
