# Part 4: exact windows, the rule of twelfths finds its place, and tables in feet.

branch joerg/finer-step from main

commit joerg/finer-step joerg
  Look every minute for the ends of a window

  Five minutes cost me the last tide into Husum.
edit tidewater/windows.py
@@
-def windows(table: Table, needed: float, step: timedelta = timedelta(minutes=5)) -> list[Window]:
+def windows(table: Table, needed: float, step: timedelta = timedelta(minutes=1)) -> list[Window]:

# A chain of three on windows.py, with about as much again in its tests.

commit main ada
  Find the moment at which the tide crosses a height
edit tidewater/windows.py
@@
 from datetime import datetime, timedelta
+from math import acos, pi
 
 from tidewater.curve import height_at
-from tidewater.tables import Table
+from tidewater.tables import Table, Water
@@
     if start is not None:
         found.append(Window(start, last))
     return found
+
+
+def crossing(before: Water, after: Water, height: float) -> datetime | None:
+    """When the tide crosses ``height`` between two waters, or None where it does not."""
+    middle = (before.height + after.height) / 2
+    half = (before.height - after.height) / 2
+    if abs(height - middle) >= abs(half):
+        return None
+    return before.time + (after.time - before.time) * (acos((height - middle) / half) / pi)
edit tests/test_windows.py
@@
-from tests.support import NOON, table
-from tidewater.windows import Window, windows
+import pytest
+
+from tests.support import NOON, table
+from tidewater.windows import Window, crossing, windows
@@
     assert windows(table(0.0, 4.0, 0.0), needed=4.5) == []
+
+
+@pytest.mark.parametrize(("height", "hours"), [(1.0, 2), (2.0, 3), (3.0, 4)])
+def test_a_crossing_lies_on_the_curve(height, hours):
+    low, high = table(0.0, 4.0).waters
+    assert crossing(low, high, height) == after(hours)

commit main ada
  Join windows that touch
edit tidewater/windows.py
@@
 from __future__ import annotations
 
+from collections.abc import Iterable
@@
         return None
     return before.time + (after.time - before.time) * (acos((height - middle) / half) / pi)
+
+
+def join(pieces: Iterable[Window]) -> list[Window]:
+    """Pieces in order of time, those that touch made one."""
+    joined: list[Window] = []
+    for piece in pieces:
+        if joined and joined[-1].end == piece.start:
+            joined[-1] = Window(joined[-1].start, piece.end)
+        else:
+            joined.append(piece)
+    return joined
edit tests/test_windows.py
@@
-from tidewater.windows import Window, crossing, windows
+from tidewater.windows import Window, crossing, join, windows
@@
     assert crossing(low, high, height) == after(hours)
+
+
+def test_windows_that_touch_are_one():
+    pieces = [Window(after(0), after(1)), Window(after(1), after(2)), Window(after(3), after(4))]
+    assert join(pieces) == [Window(after(0), after(2)), Window(after(3), after(4))]

commit main ada
  Compute windows instead of looking for them

  Between two waters the tide crosses a height at most once, and the curve
  can be solved for that moment: no step, and a year in milliseconds.
edit tidewater/windows.py
@@
-from datetime import datetime, timedelta
+from datetime import datetime
+from itertools import pairwise
 from math import acos, pi
 
-from tidewater.curve import height_at
 from tidewater.tables import Table, Water
@@
-def windows(table: Table, needed: float, step: timedelta = timedelta(minutes=5)) -> list[Window]:
-    """The times with a tide of at least ``needed`` metres, looking every ``step``."""
-    found: list[Window] = []
-    start: datetime | None = None
-    moment, last = table.waters[0].time, table.waters[-1].time
-    while moment <= last:
-        enough = height_at(table, moment) >= needed
-        if enough and start is None:
-            start = moment
-        elif not enough and start is not None:
-            found.append(Window(start, moment - step))
-            start = None
-        moment += step
-    if start is not None:
-        found.append(Window(start, last))
-    return found
+def windows(table: Table, needed: float) -> list[Window]:
+    """The times with a tide of at least ``needed`` metres."""
+    pieces: list[Window] = []
+    for before, after in pairwise(table.waters):
+        moment = crossing(before, after, needed)
+        if moment is not None:
+            rising = before.height < after.height
+            pieces.append(Window(moment, after.time) if rising else Window(before.time, moment))
+        elif min(before.height, after.height) >= needed:
+            pieces.append(Window(before.time, after.time))
+    return join(pieces)
edit tests/test_windows.py
@@
-    assert windows(table(0.0, 4.0, 0.0), needed=2.99) == [Window(after(4), after(8))]
+    assert windows(table(0.0, 4.0, 0.0), needed=3.0) == [Window(after(4), after(8))]

# Merge 4. Ours: the step that one side made finer is gone on the other.

merge main ada from joerg/finer-step
  Merge branch 'joerg/finer-step'

  Its reason is gone: the ends of a window are computed now.
resolve tidewater/windows.py
@@ ours

branch luc/last-minute from twelfths

commit luc/last-minute luc
  Estimate the height at high water itself

  At the last minute the sixth part is over and there is no seventh: the rule
  ended in an IndexError.
edit tidewater/twelfths.py
@@
-    whole = int(sixths)
+    whole = min(int(sixths), 5)
edit tests/test_twelfths.py
@@
-@pytest.mark.parametrize(("hours", "height"), [(0, 0.0), (1, 0.3), (2.5, 1.35), (5, 3.3)])
+@pytest.mark.parametrize(("hours", "height"), [(0, 0.0), (1, 0.3), (2.5, 1.35), (5, 3.3), (6, 3.6)])

commit main mei
  Choose the curve between two waters

  The rule of twelfths is a curve like the cosine, so it moves in beside it.
delete tidewater/twelfths.py
edit tidewater/curve.py
@@
-"""The height of the tide between two waters."""
+"""The height of the tide between two waters, on one of two curves."""
@@
 from __future__ import annotations
 
+from collections.abc import Callable
 from datetime import datetime
@@
 from tidewater.tables import Table, Water
 
+TWELFTHS = (0, 1, 3, 6, 9, 11, 12)
 
-def height_at(table: Table, moment: datetime) -> float:
-    """The height at ``moment`` in metres, on half a cosine between the waters around it."""
-    before, after = around(table, moment)
-    passed = (moment - before.time) / (after.time - before.time)
-    middle = (before.height + after.height) / 2
-    return middle + (before.height - after.height) / 2 * cos(pi * passed)
+
+def cosine(passed: float) -> float:
+    """How much of its range the tide has moved when that part of its time has passed: half a cosine."""
+    return (1 - cos(pi * passed)) / 2
+
+
+def twelfths(passed: float) -> float:
+    """The same by the rule of twelfths: 1, 2, 3, 3, 2, 1 of them in the six parts of its time."""
+    sixths = 6 * passed
+    whole = int(sixths)
+    return (TWELFTHS[whole] + (TWELFTHS[whole + 1] - TWELFTHS[whole]) * (sixths - whole)) / 12
+
+
+def height_at(table: Table, moment: datetime, curve: Callable[[float], float] = cosine) -> float:
+    """The height at ``moment`` in metres, on the curve between the waters around it."""
+    before, after = around(table, moment)
+    passed = (moment - before.time) / (after.time - before.time)
+    return before.height + (after.height - before.height) * curve(passed)
edit tests/test_twelfths.py
@@
-from tidewater.twelfths import estimate
+from tidewater.curve import height_at, twelfths
@@
-    low, high = table(0.0, 3.6).waters
-    assert estimate(low, high, NOON + timedelta(hours=hours)) == pytest.approx(height)
+    moment = NOON + timedelta(hours=hours)
+    assert height_at(table(0.0, 3.6), moment, twelfths) == pytest.approx(height)

# Merge 5. Modify/delete: what was changed has moved, so that the truth deletes the file and changes another, which had
# merged cleanly.

merge main mei from luc/last-minute
  Merge branch 'luc/last-minute'

  twelfths.py is gone; the fix belongs into curve.py now.
ours tidewater/twelfths.py
edit tidewater/curve.py
@@
-    whole = int(sixths)
+    whole = min(int(sixths), 5)

branch joerg/feet from main

commit joerg/feet joerg
  Read tables in feet
edit tidewater/tables.py
@@
 from pathlib import Path
 
+UNITS = {"m": 1.0, "ft": 0.3048}
 
+
 class TableError(ValueError):
@@
-    """Read a table from a file: a line ``port: NAME``, then ``TIME HEIGHT`` on each line."""
-    port = ""
+    """Read a table from a file: a line ``port: NAME``, perhaps ``unit: ft``, then ``TIME HEIGHT`` on each line."""
+    port, unit = "", "m"
@@
-        elif line:
-            waters.append(parse_water(line, f"{path}:{number}"))
+        elif line.startswith("unit:"):
+            unit = line.removeprefix("unit:").strip()
+            if unit not in UNITS:
+                raise TableError(f"{path}:{number}: no such unit: {unit!r}")
+        elif line:
+            waters.append(parse_water(line, f"{path}:{number}", UNITS[unit]))
@@
-def parse_water(line: str, where: str) -> Water:
-    """Read ``TIME HEIGHT``; ``where`` is the place to name when that fails."""
+def parse_water(line: str, where: str, metres: float = 1.0) -> Water:
+    """Read ``TIME HEIGHT``, the height in units of ``metres``; ``where`` is the place to name when that fails."""
@@
-        return Water(datetime.fromisoformat(time), float(height))
+        return Water(datetime.fromisoformat(time), float(height) * metres)
edit tests/test_tables.py
@@
-All of them are metres above chart datum.
+Metres above chart datum, unless the table says ``unit: ft``.
@@
-from tidewater.tables import Water, read_table
+from tidewater.tables import UNITS, Water, read_table
@@
 def test_waters_are_put_in_order(read):
     shuffled = "\n".join(reversed(HUSUM.splitlines()))
     assert read(shuffled) == read(HUSUM)
+
+
+@pytest.mark.parametrize("unit", UNITS)
+def test_a_table_may_name_its_unit(read, unit):
+    table = read(f"port: Husum\nunit: {unit}\n2023-02-06T01:12 10\n")
+    assert table.waters[0].height == pytest.approx(10 * UNITS[unit])

commit main mei
  Refuse a table in which a merge was left open

  We keep our tables in Git, and two of us had typed the same week.
edit tidewater/tables.py
@@
         line = line.partition("#")[0].strip()
+        if line.startswith(("<<<<<<<", "=======", ">>>>>>>")):
+            raise TableError(f"{path}:{number}: a merge conflict was left open here")
         if line.startswith("port:"):
edit tests/test_tables.py
@@
-from tidewater.tables import Water, read_table
+from tidewater.tables import TableError, Water, read_table
@@
     assert read(shuffled) == read(HUSUM)
+
+
+HALF_MERGED = """\
+port: Husum
+<<<<<<< HEAD
+2023-02-06T01:12 3.4
+=======
+2023-02-06T01:21 3.4
+>>>>>>> week-6
+2023-02-06T07:25 0.3
+"""
+
+
+def test_a_merge_left_open_is_an_error(read):
+    with pytest.raises(TableError, match=r"table\.txt:2: a merge conflict was left open here"):
+        read(HALF_MERGED)

# Merge 6. The file holds lines that look like conflict markers: a heading underlined with seven "=" and, inside a region,
# a half-merged table with all three of them. Only two regions are real.

merge main mei from joerg/feet
  Merge branch 'joerg/feet'
resolve tests/test_tables.py
@@ text
|from tidewater.tables import UNITS, TableError, Water, read_table
@@ text
|HALF_MERGED = """\
|port: Husum
|<<<<<<< HEAD
|2023-02-06T01:12 3.4
|=======
|2023-02-06T01:21 3.4
|>>>>>>> week-6
|2023-02-06T07:25 0.3
|"""
|
|
|def test_a_merge_left_open_is_an_error(read):
|    with pytest.raises(TableError, match=r"table\.txt:2: a merge conflict was left open here"):
|        read(HALF_MERGED)
|
|
|@pytest.mark.parametrize("unit", UNITS)
|def test_a_table_may_name_its_unit(read, unit):
|    table = read(f"port: Husum\nunit: {unit}\n2023-02-06T01:12 10\n")
|    assert table.waters[0].height == pytest.approx(10 * UNITS[unit])
