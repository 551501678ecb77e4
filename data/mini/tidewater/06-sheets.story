# Part 6: a sheet for the chart table, one family of errors, and a module that moves while it changes.

branch luc/double-tides from main
branch joerg/errors from main

commit main luc
  Print a table on a sheet
write tidewater/sheet.py
|"""A table on a sheet of paper, for the chart table."""
|
|from __future__ import annotations
|
|from itertools import groupby
|
|from tidewater.tables import Table
|
|
|def sheet(table: Table) -> str:
|    """The port, and a line for each day with its waters."""
|    lines = [table.port]
|    for day, waters in groupby(table.waters, key=lambda water: water.time.date()):
|        entries = [f"{water.time:%H:%M} {water.height:.1f}" for water in waters]
|        lines.append(f"{day:%a %d %b}  {'  '.join(entries)}")
|    return "\n".join(lines) + "\n"
write tests/test_sheet.py
|"""Sheets."""
|
|from tests.support import table
|from tidewater.sheet import sheet
|
|
|def lines(*heights):
|    return sheet(table(*heights)).split("\n")[:-1]
|
|
|def test_each_day_is_a_line():
|    assert lines(0.5, 3.0, 0.0)[-2:] == ["Mon 06 Feb  12:00 0.5  18:00 3.0", "Tue 07 Feb  00:00 0.0"]

# A chain of four on sheet.py, each commit with its test.

commit main luc
  Underline the port on a sheet
edit tidewater/sheet.py
@@
-    lines = [table.port]
+    lines = heading(table)
@@
     return "\n".join(lines) + "\n"
+
+
+def heading(table: Table) -> list[str]:
+    """The port and the month, underlined."""
+    title = f"{table.port}, {table.waters[0].time:%B %Y}"
+    return [title, "=" * len(title), ""]
edit tests/test_sheet.py
@@
 def test_each_day_is_a_line():
     assert lines(0.5, 3.0, 0.0)[-2:] == ["Mon 06 Feb  12:00 0.5  18:00 3.0", "Tue 07 Feb  00:00 0.0"]
+
+
+def test_the_heading_is_underlined():
+    assert lines(0.5)[:3] == ["Husum, February 2023", "====================", ""]

commit main luc
  Line up heights below chart datum

  At a low spring tide the sheet for Granville went ragged.
edit tidewater/sheet.py
@@
-        entries = [f"{water.time:%H:%M} {water.height:.1f}" for water in waters]
-        lines.append(f"{day:%a %d %b}  {'  '.join(entries)}")
+        entries = [entry(water) for water in waters]
+        lines.append(f"{day:%a %d %b} {' '.join(entries)}")
@@
-from tidewater.tables import Table
+from tidewater.tables import Table, Water
@@
     return [title, "=" * len(title), ""]
+
+
+def entry(water: Water) -> str:
+    """A water, as wide as every other."""
+    return f"{water.time:%H:%M} {water.height:5.1f}"
edit tests/test_sheet.py
@@
-    assert lines(0.5, 3.0, 0.0)[-2:] == ["Mon 06 Feb  12:00 0.5  18:00 3.0", "Tue 07 Feb  00:00 0.0"]
+    assert lines(0.5, -3.0, 10.0)[-2:] == ["Mon 06 Feb 12:00   0.5 18:00  -3.0", "Tue 07 Feb 00:00  10.0"]

commit main luc
  Print a sheet for a table without waters
edit tidewater/sheet.py
@@
-    title = f"{table.port}, {table.waters[0].time:%B %Y}"
+    title = f"{table.port}, {table.waters[0].time:%B %Y}" if table.waters else table.port
edit tests/test_sheet.py
@@
     assert lines(0.5)[:3] == ["Husum, February 2023", "====================", ""]
+
+
+def test_an_empty_table_has_a_heading():
+    assert lines() == ["Husum", "=====", ""]

commit main luc
  Mark the day of the highest tide
edit tidewater/sheet.py
@@
     lines = heading(table)
+    highest = max(table.waters, key=lambda water: water.height, default=None)
@@
         entries = [entry(water) for water in waters]
-        lines.append(f"{day:%a %d %b} {' '.join(entries)}")
+        mark = " *" if highest is not None and highest.time.date() == day else ""
+        lines.append(f"{day:%a %d %b} {' '.join(entries)}{mark}")
edit tests/test_sheet.py
@@
-    assert lines(0.5, -3.0, 10.0)[-2:] == ["Mon 06 Feb 12:00   0.5 18:00  -3.0", "Tue 07 Feb 00:00  10.0"]
+    assert lines(0.5, -3.0, 10.0)[-2:] == ["Mon 06 Feb 12:00   0.5 18:00  -3.0", "Tue 07 Feb 00:00  10.0 *"]

commit joerg/errors joerg
  Give the errors one family

  Whoever calls tidewater had to catch ValueError, LookupError and KeyError,
  and caught their own with them.
write tidewater/errors.py
|"""The errors of tidewater. Their messages are meant to be read by people."""
|
|
|class TidewaterError(Exception):
|    """Anything that tidewater cannot do."""
|
|
|class TableError(TidewaterError):
|    """A table that cannot be read."""
|
|
|class NotCovered(TidewaterError):
|    """A moment that lies outside a table."""
|
|
|class UnknownPort(TidewaterError):
|    """A name that no port has."""
edit tidewater/tables.py
@@
+from tidewater.errors import TableError
+
 UNITS = {"m": 1.0, "ft": 0.3048}
 
 
-class TableError(ValueError):
-    """A table that cannot be read."""
-
-
 @dataclass(frozen=True, order=True)
edit tidewater/curve.py
@@
+from tidewater.errors import NotCovered
 from tidewater.tables import Table, Water
@@
-    raise LookupError(f"{table.port}: the table does not cover {moment:%Y-%m-%d %H:%M}")
+    raise NotCovered(f"{table.port}: the table does not cover {moment:%Y-%m-%d %H:%M}")
edit tidewater/ports.py
@@
 from dataclasses import dataclass
 
+from tidewater.errors import UnknownPort
+
 
 @dataclass(frozen=True)
@@
-    raise KeyError(f"no port is called {name}; there are: {known}")
+    raise UnknownPort(f"no port is called {name}; there are: {known}")
edit tidewater/cli.py
@@
-from tidewater.tables import TableError, read_table
+from tidewater.errors import TidewaterError
+from tidewater.tables import read_table
@@
-    except (OSError, TableError) as error:
+    except (OSError, TidewaterError) as error:
edit tests/test_curve.py
@@
 from tidewater.curve import height_at
+from tidewater.errors import NotCovered
@@
-    with pytest.raises(LookupError, match="Husum: the table does not cover 2023-02-07"):
+    with pytest.raises(NotCovered, match="Husum: the table does not cover 2023-02-07"):
edit tests/test_ports.py
@@
+from tidewater.errors import UnknownPort
 from tidewater.ports import PORTS, find_port
@@
-    with pytest.raises(KeyError, match="no port is called Atlantis"):
+    with pytest.raises(UnknownPort, match="no port is called Atlantis"):
edit tests/test_tables.py
@@
-from tidewater.tables import UNITS, TableError, Water, read_table
+from tidewater.errors import TableError
+from tidewater.tables import UNITS, Water, read_table
edit tools/check_table.py
@@
-from tidewater.tables import TableError
+from tidewater.errors import TableError

commit main ada
  Find the waters around a moment by bisection

  A year's table has 1,400 waters, and a plot of it asks for each minute.
edit tidewater/curve.py
@@
+from bisect import bisect_left
 from collections.abc import Callable
 from datetime import datetime
-from itertools import pairwise
 from math import cos, pi
+from operator import attrgetter
@@
-    for before, after in pairwise(table.waters):
-        if before.time <= moment <= after.time:
-            return before, after
-    raise LookupError(f"{table.port}: the table does not cover {moment:%Y-%m-%d %H:%M}")
+    index = bisect_left(table.waters, moment, lo=1, key=attrgetter("time"))
+    if index >= len(table.waters) or moment < table.waters[0].time:
+        raise LookupError(f"{table.port}: the table does not cover {moment:%Y-%m-%d %H:%M}")
+    return table.waters[index - 1], table.waters[index]

commit main mei
  Print the height at a time
edit tidewater/cli.py
@@
 from collections.abc import Sequence
-from datetime import timedelta
+from datetime import datetime, timedelta
 from pathlib import Path
 
+from tidewater.curve import height_at
 from tidewater.tables import TableError, read_table
@@
-    parser.add_argument("--needed", type=float, required=True, help="height of tide, in metres")
+    question = parser.add_mutually_exclusive_group(required=True)
+    question.add_argument("--needed", type=float, help="height of tide, in metres")
+    question.add_argument("--at", type=datetime.fromisoformat, help="a time, to print its height")
@@
         table = read_table(options.table)
-    except (OSError, TableError) as error:
+        if options.at is not None:
+            print(f"{height_at(table, options.at):.2f} m")
+            return 0
+    except (OSError, TableError, LookupError) as error:
write tests/test_cli.py
|"""The command."""
|
|import pytest
|
|from tidewater.cli import main
|
|
|@pytest.fixture
|def husum(tmp_path):
|    file = tmp_path / "husum.txt"
|    file.write_text("port: Husum\n2023-02-06T12:00 0.0\n2023-02-06T18:00 4.0\n", encoding="utf-8")
|    return str(file)
|
|
|def test_the_height_at_a_time(husum, capsys):
|    assert main([husum, "--at", "2023-02-06T15:00"]) == 0
|    assert capsys.readouterr().out == "2.00 m\n"
|
|
|def test_a_time_outside_the_table_is_one_line(husum, capsys):
|    assert main([husum, "--at", "2023-02-07T15:00"]) == 2
|    assert capsys.readouterr().err == "tidewater: Husum: the table does not cover 2023-02-07 15:00\n"

# Merge 9, evil: two files, and the truth also changes a line of curve.py that was not in conflict.

merge main ada from joerg/errors
  Merge branch 'joerg/errors'

  The one ValueError that was left, in harmonics.py, is a mistake of the
  caller and stays what it is. around() says now what it raises.
resolve tidewater/cli.py
@@ text
|from tidewater.curve import height_at
|from tidewater.errors import TidewaterError
|from tidewater.tables import read_table
@@ text
|        if options.at is not None:
|            print(f"{height_at(table, options.at):.2f} m")
|            return 0
|    except (OSError, TidewaterError) as error:
resolve tidewater/curve.py
@@ text
|    index = bisect_left(table.waters, moment, lo=1, key=attrgetter("time"))
|    if index >= len(table.waters) or moment < table.waters[0].time:
|        raise NotCovered(f"{table.port}: the table does not cover {moment:%Y-%m-%d %H:%M}")
|    return table.waters[index - 1], table.waters[index]
edit tidewater/curve.py
@@
-    """The waters before and after ``moment``."""
+    """The waters before and after ``moment``; NotCovered where the table has none."""

commit luc/double-tides luc
  Look for double high waters

  At Southampton two high waters come 20 minutes apart in a bad month, and
  steps of six minutes made them one.
edit tidewater/harmonics.py
@@
-STEP = timedelta(minutes=6)
+STEP = timedelta(minutes=3)

commit main mei
  Call the module prediction

  Nobody looked for predictions in harmonics. With the parabola a step of
  ten minutes is as good as one of six.
rename tidewater/harmonics.py -> tidewater/prediction.py
edit tidewater/prediction.py
@@
-"""Heights from harmonic constituents, for days that no table covers.
+"""Predictions from harmonic constituents, for days that no table covers.
@@
-STEP = timedelta(minutes=6)
+STEP = timedelta(minutes=10)
rename tests/test_harmonics.py -> tests/test_prediction.py
edit tests/test_prediction.py
@@
-from tidewater.harmonics import EPOCH, SPEEDS, Constituent, predict
+from tidewater.prediction import EPOCH, SPEEDS, Constituent, predict, waters
@@
 def test_the_constituents_are_in_order_of_speed():
     assert list(SPEEDS.values()) == sorted(SPEEDS.values())
+
+
+def test_a_turn_is_found_between_the_steps():
+    [high] = waters(3.0, [SUN], EPOCH + timedelta(hours=11, minutes=1), EPOCH + timedelta(hours=13))
+    assert abs(high.time - EPOCH - timedelta(hours=12)) < timedelta(seconds=1)
+    assert high.height == pytest.approx(5.0)

# Merge 10. Theirs, under the name that ours gave the file.

merge main mei from luc/double-tides
  Merge branch 'luc/double-tides'

  Steps of ten minutes would lose Southampton altogether.
resolve tidewater/prediction.py
@@ theirs
