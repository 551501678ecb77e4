# Part 5: the same tool written twice, and a rename that meets new callers.

branch joerg/gaps from main

commit joerg/gaps joerg
  Look for gaps in tables

  A page that stuck to the next one in the scanner is half a week of no tide.
write tools/check_table.py
|"""Look for gaps in tide tables: python tools/check_table.py TABLE..."""
|
|from __future__ import annotations
|
|import sys
|from collections.abc import Iterator, Sequence
|from datetime import timedelta
|from itertools import pairwise
|from pathlib import Path
|
|from tidewater import Table, read_table
|
|LONGEST = timedelta(hours=8)
|
|
|def problems(table: Table) -> Iterator[str]:
|    """Where a water is missing."""
|    for before, after in pairwise(table.waters):
|        if after.time - before.time > LONGEST:
|            yield f"{before.time}: no water for {after.time - before.time}"
|
|
|def main(files: Sequence[str]) -> int:
|    """Print the problems of all files; 1 if there are any."""
|    found = [f"{file}: {problem}" for file in files for problem in problems(read_table(Path(file)))]
|    print("\n".join(found))
|    return 1 if found else 0
|
|
|if __name__ == "__main__":
|    sys.exit(main(sys.argv[1:]))
write tests/test_check_table.py
|"""Checking tables."""
|
|from tests.support import table
|from tools.check_table import problems
|
|
|def test_a_good_table_has_no_problems():
|    assert list(problems(table(0.2, 3.4, 0.3, 3.6))) == []
|
|
|def test_a_gap_is_found():
|    assert list(problems(table(0.2, 3.4, hours=10))) == ["2023-02-06 12:00:00: no water for 10:00:00"]

commit main mei
  Check tables for waters that are neither high nor low

  A digit typed wrong mostly shows in the up and down of the tide.
write tools/check_table.py
|#!/usr/bin/env python3
|"""Check tide tables: tools/check_table.py TABLE..."""
|
|from __future__ import annotations
|
|import sys
|from collections.abc import Iterator, Sequence
|from pathlib import Path
|
|from tidewater import Table, read_table
|from tidewater.tables import TableError
|
|
|def problems(table: Table) -> Iterator[str]:
|    """What looks wrong in a table."""
|    for before, water, after in zip(table.waters, table.waters[1:], table.waters[2:], strict=False):
|        if (water.height - before.height) * (after.height - water.height) >= 0:
|            yield f"{water.time}: neither high nor low water"
|
|
|def main(files: Sequence[str]) -> int:
|    """Print the problems of all files; 1 if there are any."""
|    found: list[str] = []
|    for file in files:
|        try:
|            found += [f"{file}: {problem}" for problem in problems(read_table(Path(file)))]
|        except (OSError, TableError) as error:
|            found.append(str(error))
|    print("\n".join(found))
|    return 1 if found else 0
|
|
|if __name__ == "__main__":
|    sys.exit(main(sys.argv[1:]))
mode 755 tools/check_table.py
write tests/test_check_table.py
|"""Checking tables."""
|
|from tests.support import table
|from tools.check_table import main, problems
|
|
|def test_a_good_table_has_no_problems():
|    assert list(problems(table(0.2, 3.4, 0.3, 3.6))) == []
|
|
|def test_a_water_between_its_neighbours_is_found():
|    assert list(problems(table(0.2, 1.8, 3.4))) == ["2023-02-06 18:00:00: neither high nor low water"]
|
|
|def test_a_file_that_is_not_there_is_a_problem(capsys):
|    assert main(["missing.txt"]) == 1
|    assert "missing.txt" in capsys.readouterr().out

# Merge 7. Add/add of an executable script and one that is not, and of its tests: no common ancestor, five regions.

merge main mei from joerg/gaps
  Merge branch 'joerg/gaps'

  We wrote the same tool twice. Both checks stay; the file stays executable.
resolve tests/test_check_table.py
@@ ours
@@ text
|def test_a_water_between_its_neighbours_is_found():
|    assert list(problems(table(0.2, 1.8, 3.4))) == ["2023-02-06 18:00:00: neither high nor low water"]
|
|
|def test_a_gap_is_found():
|    assert list(problems(table(0.2, 3.4, hours=10))) == ["2023-02-06 12:00:00: no water for 10:00:00"]
|
|
|def test_a_file_that_is_not_there_is_a_problem(capsys):
|    assert main(["missing.txt"]) == 1
|    assert "missing.txt" in capsys.readouterr().out
resolve tools/check_table.py
@@ ours
@@ text
|from datetime import timedelta
|from itertools import pairwise
|from pathlib import Path
|
|from tidewater import Table, read_table
|from tidewater.tables import TableError
|
|LONGEST = timedelta(hours=8)
|
|
|def problems(table: Table) -> Iterator[str]:
|    """What looks wrong in a table."""
|    for before, water, after in zip(table.waters, table.waters[1:], table.waters[2:], strict=False):
|        if (water.height - before.height) * (after.height - water.height) >= 0:
|            yield f"{water.time}: neither high nor low water"
|    for before, after in pairwise(table.waters):
|        if after.time - before.time > LONGEST:
|            yield f"{before.time}: no water for {after.time - before.time}"
@@ ours

branch mei/find-windows from main

commit mei/find-windows mei
  Call the function find_windows

  tidewater.windows was the module or the function, depending on who had
  imported what before.
edit tidewater/windows.py
@@
-def windows(table: Table, needed: float) -> list[Window]:
+def find_windows(table: Table, needed: float) -> list[Window]:
edit tidewater/cli.py
@@
-from tidewater.windows import Window, windows
+from tidewater.windows import Window, find_windows
@@
-    found = windows(table, needed)
+    found = find_windows(table, needed)
edit tidewater/__init__.py
@@
-from tidewater.windows import Window, windows
+from tidewater.windows import Window, find_windows
 
-__all__ = ["Table", "Water", "Window", "height_at", "read_table", "windows"]
+__all__ = ["Table", "Water", "Window", "find_windows", "height_at", "read_table"]
edit tests/test_windows.py
@@
-from tidewater.windows import Window, crossing, join, windows
+from tidewater.windows import Window, crossing, find_windows, join
@@
-    assert windows(table(0.0, 4.0, 0.0), needed=3.0) == [Window(after(4), after(8))]
+    assert find_windows(table(0.0, 4.0, 0.0), needed=3.0) == [Window(after(4), after(8))]
@@
-    assert windows(table(0.0, 4.0, 0.0), needed=4.5) == []
+    assert find_windows(table(0.0, 4.0, 0.0), needed=4.5) == []

commit mei/find-windows mei
  Leave a margin under the keel
edit tidewater/windows.py
@@
-def find_windows(table: Table, needed: float) -> list[Window]:
-    """The times with a tide of at least ``needed`` metres."""
+def find_windows(table: Table, needed: float, margin: float = 0.0) -> list[Window]:
+    """The times with a tide of at least ``needed`` metres, and ``margin`` more to stay off the ground."""
+    needed += margin
     pieces: list[Window] = []
edit tidewater/cli.py
@@
     parser.add_argument("--feet", action="store_true", help="the height is in feet")
+    parser.add_argument("--margin", type=float, default=0.0, help="metres to keep under the keel")
@@
-    found = find_windows(table, needed)
+    found = find_windows(table, needed, margin=options.margin)
edit tests/test_windows.py
@@
     assert find_windows(table(0.0, 4.0, 0.0), needed=4.5) == []
 
 
+def test_a_margin_makes_a_window_shorter():
+    assert find_windows(table(0.0, 4.0, 0.0), needed=2.5, margin=0.5) == [Window(after(4), after(8))]
+
+
 @pytest.mark.parametrize(("height", "hours"), [(1.0, 2), (2.0, 3), (3.0, 4)])

commit main joerg
  Export the windows as a calendar
edit tidewater/export.py
@@
 from tidewater.tables import Table
+from tidewater.windows import windows
@@
     return "\r\n".join(lines) + "\r\n"
 
 
+def window_calendar(table: Table, needed: float) -> str:
+    """A calendar with an event for each window of at least ``needed`` metres."""
+    lines = ["BEGIN:VCALENDAR", "PRODID:-//tidewater//EN", "VERSION:2.0"]
+    for window in windows(table, needed):
+        lines += [
+            "BEGIN:VEVENT",
+            f"UID:{stamp(window.start)}-window@{table.port.lower()}.tidewater",
+            f"DTSTAMP:{stamp(window.start)}",
+            f"DTSTART:{stamp(window.start)}",
+            f"DTEND:{stamp(window.end)}",
+            f"SUMMARY:{needed:.1f} m at {escape(table.port)}",
+            "END:VEVENT",
+        ]
+    lines.append("END:VCALENDAR")
+    return "\r\n".join(lines) + "\r\n"
+
+
 def alarm(before: timedelta | None) -> list[str]:
edit tests/test_export.py
@@
-from tidewater.export import calendar
+from tidewater.export import calendar, window_calendar
@@
     assert "SUMMARY:Husum 4.0 m" in lines
 
 
+def test_each_window_is_an_event():
+    lines = window_calendar(table(0.0, 4.0, 0.0), needed=3.0).split("\r\n")
+    assert lines.count("BEGIN:VEVENT") == 1
+    assert "DTSTART:20230206T160000" in lines
+    assert "DTEND:20230206T200000" in lines
+
+
 def test_no_reminder_when_none_is_wanted():

commit main ada
  Leave out windows too short to use
edit tidewater/windows.py
@@
-from datetime import datetime
+from datetime import datetime, timedelta
@@
-def windows(table: Table, needed: float) -> list[Window]:
-    """The times with a tide of at least ``needed`` metres."""
+def windows(table: Table, needed: float, shortest: timedelta = timedelta(0)) -> list[Window]:
+    """The times with a tide of at least ``needed`` metres, without those shorter than ``shortest``."""
     pieces: list[Window] = []
@@
-    return join(pieces)
+    return [window for window in join(pieces) if window.end - window.start >= shortest]
edit tidewater/cli.py
@@
 import sys
 from collections.abc import Sequence
+from datetime import timedelta
 from pathlib import Path
@@
     parser.add_argument("--feet", action="store_true", help="the height is in feet")
+    parser.add_argument("--shortest", type=int, default=0, help="minutes a window must last")
@@
-    found = windows(table, needed)
+    found = windows(table, needed, shortest=timedelta(minutes=options.shortest))
edit tests/test_windows.py
@@
     assert join(pieces) == [Window(after(0), after(2)), Window(after(3), after(4))]
+
+
+def test_a_short_window_is_left_out():
+    tide = table(0.0, 4.0, 0.0, 3.1, 0.0)
+    assert windows(tide, needed=3.0, shortest=timedelta(hours=2)) == [Window(after(4), after(8))]

# Merge 8. A rename on one side meets new callers on the other. Two files conflict; two more merge cleanly and are wrong.

merge main mei from mei/find-windows
  Merge branch 'mei/find-windows'

  export.py and a new test came in with the old name: Git saw no conflict
  there, Python did.
resolve tidewater/cli.py
@@ both
@@ text
|    found = find_windows(table, needed, margin=options.margin, shortest=timedelta(minutes=options.shortest))
resolve tidewater/windows.py
@@ text
|def find_windows(table: Table, needed: float, margin: float = 0.0, shortest: timedelta = timedelta(0)) -> list[Window]:
|    """The times with a tide of at least ``needed`` metres.
|
|    ``margin`` is added to that, to stay off the ground; windows shorter than ``shortest`` are left out.
|    """
|    needed += margin
edit tidewater/export.py
@@
-from tidewater.windows import windows
+from tidewater.windows import find_windows
@@
-    for window in windows(table, needed):
+    for window in find_windows(table, needed):
edit tests/test_windows.py
@@
-    assert windows(tide, needed=3.0, shortest=timedelta(hours=2)) == [Window(after(4), after(8))]
+    assert find_windows(tide, needed=3.0, shortest=timedelta(hours=2)) == [Window(after(4), after(8))]
