# Tidewater, a small library for small boats: when is there enough water?
# Part 1: tables, the curve between two waters, and the first windows.

repository mini/tidewater
language python
start 2023-02-06T09:00:00+01:00
topics tides sailing

person ada Ada Okafor <ada@tidewater.example>
person joerg Jörg Petersen <joerg@tidewater.example>
person luc Luc Béranger <luc@tidewater.example>
person mei Mei Tanaka <mei@tidewater.example>

commit main ada
  Read tables of high and low water

  A table is what the harbour office hangs up: a port, and a line for each
  high and low water. Everything else can be computed from it.
write README.md
|# tidewater
|
|When is there enough water?
|
|Tidewater reads the tide table of a port and tells the hours at which a boat
|can pass its bar. No network, no dependencies, one table per file:
|
|    port: Husum
|    2023-02-06T01:12 3.4
|    2023-02-06T07:25 0.3
|
|Times are as the table prints them; heights are metres above chart datum.
|
|Do not use it for navigation.
write pyproject.toml
|[build-system]
|requires = ["setuptools"]
|build-backend = "setuptools.build_meta"
|
|[project]
|name = "tidewater"
|version = "0.1"
|requires-python = ">=3.10"
write tidewater/__init__.py
|"""Tide tables, and what they say about a boat's day."""
|
|from tidewater.tables import Table, Water, read_table
|
|__all__ = ["Table", "Water", "read_table"]
write tidewater/tables.py
|"""Tables of high and low water, as harbour offices print them."""
|
|from __future__ import annotations
|
|from dataclasses import dataclass
|from datetime import datetime
|from pathlib import Path
|
|
|@dataclass(frozen=True, order=True)
|class Water:
|    """One high or low water; the height is in metres above chart datum."""
|
|    time: datetime
|    height: float
|
|
|@dataclass(frozen=True)
|class Table:
|    """The waters of one port."""
|
|    port: str
|    waters: tuple[Water, ...]
|
|
|def read_table(path: Path) -> Table:
|    """Read a table from a file: a line ``port: NAME``, then ``TIME HEIGHT`` on each line."""
|    port = ""
|    waters = []
|    for line in path.read_text(encoding="utf-8").splitlines():
|        if line.startswith("port:"):
|            port = line.removeprefix("port:").strip()
|        elif line.strip():
|            time, height = line.split()
|            waters.append(Water(datetime.fromisoformat(time), float(height)))
|    return Table(port, tuple(waters))
write tests/test_tables.py
|"""Reading tables.
|
|Heights
|=======
|
|All of them are metres above chart datum.
|"""
|
|from datetime import datetime
|
|import pytest
|
|from tidewater.tables import Water, read_table
|
|HUSUM = """\
|port: Husum
|2023-02-06T01:12 3.4
|2023-02-06T07:25 0.3
|2023-02-06T13:38 3.5
|"""
|
|
|@pytest.fixture
|def read(tmp_path):
|    def read(text):
|        file = tmp_path / "table.txt"
|        file.write_text(text, encoding="utf-8")
|        return read_table(file)
|
|    return read
|
|
|def test_a_table_has_a_port_and_waters(read):
|    table = read(HUSUM)
|    assert table.port == "Husum"
|    assert table.waters[0] == Water(datetime(2023, 2, 6, 1, 12), 3.4)
|    assert len(table.waters) == 3

# A chain of four on tables.py; the tests come with the last commit.

commit main ada
  Refuse a table without a port

  A forgotten first line used to give a table called "".
edit tidewater/tables.py
@@
 from pathlib import Path
 
 
+class TableError(ValueError):
+    """A table that cannot be read."""
+
+
 @dataclass(frozen=True, order=True)
@@
             waters.append(Water(datetime.fromisoformat(time), float(height)))
+    if not port:
+        raise TableError(f"{path}: there is no line 'port: NAME'")
     return Table(port, tuple(waters))

commit main ada
  Name the line that cannot be read

  "could not convert string to float" helps nobody who has just typed a
  whole month of tides.
edit tidewater/tables.py
@@
-    for line in path.read_text(encoding="utf-8").splitlines():
+    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
@@
-            time, height = line.split()
-            waters.append(Water(datetime.fromisoformat(time), float(height)))
+            waters.append(parse_water(line, f"{path}:{number}"))
@@
     return Table(port, tuple(waters))
+
+
+def parse_water(line: str, where: str) -> Water:
+    """Read ``TIME HEIGHT``; ``where`` is the place to name when that fails."""
+    try:
+        time, height = line.split()
+        return Water(datetime.fromisoformat(time), float(height))
+    except ValueError as error:
+        raise TableError(f"{where}: not a time and a height: {line!r}") from error

commit main ada
  Allow comments in a table
edit tidewater/tables.py
@@
-        if line.startswith("port:"):
+        line = line.partition("#")[0].strip()
+        if line.startswith("port:"):
@@
-        elif line.strip():
+        elif line:

commit main ada
  Keep the waters in order of time

  Tables get pasted together from weekly sheets, not always in order. Two
  waters at the same minute are a sheet pasted twice.
edit tidewater/tables.py
@@
 from datetime import datetime
+from itertools import pairwise
 from pathlib import Path
@@
-    """The waters of one port."""
+    """The waters of one port, in order of time."""
@@
         raise TableError(f"{path}: there is no line 'port: NAME'")
+    waters.sort()
+    for before, after in pairwise(waters):
+        if before.time == after.time:
+            raise TableError(f"{path}: two waters at {after.time:%Y-%m-%d %H:%M}")
     return Table(port, tuple(waters))
edit tests/test_tables.py
@@
     assert len(table.waters) == 3
+
+
+def test_waters_are_put_in_order(read):
+    shuffled = "\n".join(reversed(HUSUM.splitlines()))
+    assert read(shuffled) == read(HUSUM)

commit main ada
  Compute the height between two waters

  Between high and low water the tide follows half a cosine closely enough
  for the coasts we sail.
write tidewater/curve.py
|"""The height of the tide between two waters."""
|
|from __future__ import annotations
|
|from datetime import datetime
|from itertools import pairwise
|from math import cos, pi
|
|from tidewater.tables import Table, Water
|
|
|def height_at(table: Table, moment: datetime) -> float:
|    """The height at ``moment`` in metres, on half a cosine between the waters around it."""
|    before, after = around(table, moment)
|    passed = (moment - before.time) / (after.time - before.time)
|    middle = (before.height + after.height) / 2
|    return middle + (before.height - after.height) / 2 * cos(pi * passed)
|
|
|def around(table: Table, moment: datetime) -> tuple[Water, Water]:
|    """The waters before and after ``moment``."""
|    for before, after in pairwise(table.waters):
|        if before.time <= moment <= after.time:
|            return before, after
|    raise LookupError(f"{table.port}: the table does not cover {moment:%Y-%m-%d %H:%M}")
write tests/support.py
|"""Tables for the tests."""
|
|from datetime import datetime, timedelta
|
|from tidewater.tables import Table, Water
|
|NOON = datetime(2023, 2, 6, 12, 0)
|
|
|def table(*heights, hours=6, port="Husum"):
|    """Waters of these heights, one every six hours from noon."""
|    return Table(port, tuple(Water(NOON + timedelta(hours=hours * i), h) for i, h in enumerate(heights)))
write tests/test_curve.py
|"""Heights between waters."""
|
|from datetime import timedelta
|
|import pytest
|
|from tests.support import NOON, table
|from tidewater.curve import height_at
|
|
|@pytest.mark.parametrize(("hours", "height"), [(0, 4.0), (2, 3.0), (3, 2.0), (6, 0.0), (9, 1.5)])
|def test_the_height_follows_a_cosine(hours, height):
|    moment = NOON + timedelta(hours=hours)
|    assert height_at(table(4.0, 0.0, 3.0), moment) == pytest.approx(height)
|
|
|def test_a_moment_outside_the_table_is_an_error():
|    with pytest.raises(LookupError, match="Husum: the table does not cover 2023-02-07"):
|        height_at(table(4.0, 0.0), NOON + timedelta(days=1))
write tests/__init__.py

commit main ada
  List the windows of enough water
write tidewater/windows.py
|"""When there is enough water to pass."""
|
|from __future__ import annotations
|
|from dataclasses import dataclass
|from datetime import datetime, timedelta
|
|from tidewater.curve import height_at
|from tidewater.tables import Table
|
|
|@dataclass(frozen=True)
|class Window:
|    """A time during which the tide stays at or above a height."""
|
|    start: datetime
|    end: datetime
|
|
|def windows(table: Table, needed: float, step: timedelta = timedelta(minutes=5)) -> list[Window]:
|    """The times with a tide of at least ``needed`` metres, looking every ``step``."""
|    found: list[Window] = []
|    start: datetime | None = None
|    moment, last = table.waters[0].time, table.waters[-1].time
|    while moment <= last:
|        enough = height_at(table, moment) >= needed
|        if enough and start is None:
|            start = moment
|        elif not enough and start is not None:
|            found.append(Window(start, moment - step))
|            start = None
|        moment += step
|    if start is not None:
|        found.append(Window(start, last))
|    return found
write tests/test_windows.py
|"""Windows of enough water."""
|
|from datetime import timedelta
|
|from tests.support import NOON, table
|from tidewater.windows import Window, windows
|
|
|def after(hours, minutes=0):
|    return NOON + timedelta(hours=hours, minutes=minutes)
|
|
|def test_a_window_lies_around_high_water():
|    assert windows(table(0.0, 4.0, 0.0), needed=2.99) == [Window(after(4), after(8))]
|
|
|def test_too_high_a_need_has_no_window():
|    assert windows(table(0.0, 4.0, 0.0), needed=4.5) == []
edit tidewater/__init__.py
@@
+from tidewater.curve import height_at
 from tidewater.tables import Table, Water, read_table
+from tidewater.windows import Window, windows
 
-__all__ = ["Table", "Water", "read_table"]
+__all__ = ["Table", "Water", "Window", "height_at", "read_table", "windows"]

commit main luc
  Add the ports we sail from

  The file is in Latin-1 because my editor on the boat is.
write tidewater/ports.py latin-1
|# -*- coding: latin-1 -*-
|"""The ports we sail from, with the least depth of their approach."""
|
|from __future__ import annotations
|
|from dataclasses import dataclass
|
|
|@dataclass(frozen=True)
|class Port:
|    """A port; ``bar`` is the depth over its bar at chart datum, in metres, below zero where that dries."""
|
|    name: str
|    bar: float
|
|
|PORTS = {
|    "granville": Port("Granville", -1.3),
|    "saint-malo": Port("Saint-Malo", 2.0),
|    "saint-vaast": Port("Saint-Vaast-la-Hougue", -2.1),
|}
|
|
|def find_port(name: str) -> Port:
|    """The port of that name, as spelt on the chart."""
|    for port in PORTS.values():
|        if port.name == name:
|            return port
|    raise KeyError(f"no port is called {name}")
write tests/test_ports.py
|"""Finding ports."""
|
|import pytest
|
|from tidewater.ports import PORTS, find_port
|
|
|def test_a_port_is_found_by_its_name():
|    assert find_port("Granville") is PORTS["granville"]
|
|
|def test_an_unknown_port_is_an_error():
|    with pytest.raises(KeyError, match="no port is called Atlantis"):
|        find_port("Atlantis")
|
|
|def test_the_ports_are_in_order_of_their_keys():
|    assert list(PORTS) == sorted(PORTS)

commit main joerg
  Export a table as a calendar

  For the phone. iCalendar wants CRLF, and so does my editor.
write tidewater/export.py crlf
|"""Tables as iCalendar files (RFC 5545), for the phone."""
|
|from __future__ import annotations
|
|from datetime import datetime
|
|from tidewater.tables import Table
|
|
|def calendar(table: Table) -> str:
|    """A calendar with an event at each high and low water."""
|    lines = ["BEGIN:VCALENDAR", "VERSION:2.0"]
|    for water in table.waters:
|        lines += [
|            "BEGIN:VEVENT",
|            f"DTSTART:{stamp(water.time)}",
|            f"SUMMARY:{table.port} {water.height:.1f} m",
|            "END:VEVENT",
|        ]
|    lines.append("END:VCALENDAR")
|    return "\r\n".join(lines) + "\r\n"
|
|
|def stamp(moment: datetime) -> str:
|    """A time as iCalendar writes it, in no zone."""
|    return f"{moment:%Y%m%dT%H%M00}"
write tests/test_export.py
|"""Tables as calendars."""
|
|from tests.support import table
|from tidewater.export import calendar
|
|
|def test_each_water_is_an_event():
|    lines = calendar(table(4.0, 0.25)).split("\r\n")
|    assert lines.count("BEGIN:VEVENT") == 2
|    assert "DTSTART:20230206T180000" in lines
|    assert "SUMMARY:Husum 4.0 m" in lines

commit main mei as twelfths
  Estimate by the rule of twelfths

  It is what everybody learns for the certificate, and what one checks the
  computer against.
write tidewater/twelfths.py
|"""The rule of twelfths: heights one can work out in the head."""
|
|from __future__ import annotations
|
|from datetime import datetime
|
|from tidewater.tables import Water
|
|TWELFTHS = (0, 1, 3, 6, 9, 11, 12)
|
|
|def estimate(before: Water, after: Water, moment: datetime) -> float:
|    """The height at ``moment``: the tide moves 1, 2, 3, 3, 2, 1 twelfths in the six parts of its time."""
|    sixths = 6 * (moment - before.time) / (after.time - before.time)
|    whole = int(sixths)
|    twelfths = TWELFTHS[whole] + (TWELFTHS[whole + 1] - TWELFTHS[whole]) * (sixths - whole)
|    return before.height + (after.height - before.height) * twelfths / 12
write tests/test_twelfths.py
|"""The rule of twelfths."""
|
|from datetime import timedelta
|
|import pytest
|
|from tests.support import NOON, table
|from tidewater.twelfths import estimate
|
|
|@pytest.mark.parametrize(("hours", "height"), [(0, 0.0), (1, 0.3), (2.5, 1.35), (5, 3.3)])
|def test_the_tide_moves_in_twelfths(hours, height):
|    low, high = table(0.0, 3.6).waters
|    assert estimate(low, high, NOON + timedelta(hours=hours)) == pytest.approx(height)

commit main ada as command
  Add the command tidewater
write tidewater/cli.py
|"""The command ``tidewater``."""
|
|from __future__ import annotations
|
|import argparse
|from collections.abc import Sequence
|from pathlib import Path
|
|from tidewater.tables import read_table
|from tidewater.windows import windows
|
|
|def main(arguments: Sequence[str] | None = None) -> int:
|    """Print the windows of a table."""
|    parser = argparse.ArgumentParser(prog="tidewater", description="When is there enough water?")
|    parser.add_argument("table", type=Path, help="a tide table")
|    parser.add_argument("--needed", type=float, required=True, help="height of tide, in metres")
|    options = parser.parse_args(arguments)
|    table = read_table(options.table)
|    for window in windows(table, options.needed):
|        print(f"{window.start:%a %d %b %H:%M} to {window.end:%H:%M}")
|    return 0
edit pyproject.toml
@@
 requires-python = ">=3.10"
+
+[project.scripts]
+tidewater = "tidewater.cli:main"
edit README.md
@@
 Do not use it for navigation.
+
+    $ tidewater husum.txt --needed 1.9
+    Mon 06 Feb 01:12 to 04:12
+    Mon 06 Feb 10:32 to 13:38
