# Part 7: secondary ports, and the release.

commit main luc
  Derive the table of a secondary port

  Nobody prints a table for Paimpol: its almanac page says how it differs
  from Saint-Malo.
write tidewater/secondary.py
|"""Secondary ports, whose tables follow from that of a standard port nearby."""
|
|from __future__ import annotations
|
|from dataclasses import dataclass
|from datetime import timedelta
|
|from tidewater.tables import Table, Water
|
|
|@dataclass(frozen=True)
|class Difference:
|    """How a port's waters differ from those of its standard port."""
|
|    later: timedelta
|    factor: float = 1.0
|
|    def applied(self, water: Water) -> Water:
|        """The water at the secondary port."""
|        return Water(water.time + self.later, water.height * self.factor)
|
|
|def derive(table: Table, port: str, difference: Difference) -> Table:
|    """The table of ``port`` from that of its standard port."""
|    return Table(port, tuple(difference.applied(water) for water in table.waters))
write tests/test_secondary.py
|"""Secondary ports."""
|
|from datetime import timedelta
|
|from tests.support import NOON, table
|from tidewater.secondary import Difference, derive
|from tidewater.tables import Water
|
|QUARTER = timedelta(minutes=15)
|
|
|def test_a_difference_moves_every_water():
|    derived = derive(table(4.0, 0.0), "Paimpol", Difference(QUARTER, factor=0.5))
|    assert derived.port == "Paimpol"
|    assert derived.waters[0] == Water(NOON + QUARTER, 2.0)

# A chain of five on secondary.py.

commit main luc
  Let high and low waters differ in their own way

  In an estuary the ebb runs longer than the flood, so that low water comes
  much later and high water only a little.
edit tidewater/secondary.py
@@
-def derive(table: Table, port: str, difference: Difference) -> Table:
-    """The table of ``port`` from that of its standard port."""
-    return Table(port, tuple(difference.applied(water) for water in table.waters))
+def derive(table: Table, port: str, high: Difference, low: Difference) -> Table:
+    """The table of ``port`` from that of its standard port; ``high`` and ``low`` are for its two waters."""
+    waters: list[Water] = []
+    for index, water in enumerate(table.waters):
+        difference = high if is_high(table, index) else low
+        waters.append(difference.applied(water))
+    return Table(port, tuple(waters))
+
+
+def is_high(table: Table, index: int) -> bool:
+    """Whether that water is a high one: higher than the one before it, or after the first."""
+    neighbour = table.waters[index - 1] if index else table.waters[1]
+    return table.waters[index].height > neighbour.height
edit tests/test_secondary.py
@@
-def test_a_difference_moves_every_water():
-    derived = derive(table(4.0, 0.0), "Paimpol", Difference(QUARTER, factor=0.5))
+def test_high_and_low_waters_move_by_their_own_difference():
+    derived = derive(table(4.0, 1.0), "Paimpol", Difference(QUARTER, factor=0.5), Difference(2 * QUARTER))
     assert derived.port == "Paimpol"
     assert derived.waters[0] == Water(NOON + QUARTER, 2.0)
+    assert derived.waters[1] == Water(NOON + timedelta(hours=6) + 2 * QUARTER, 1.0)

commit main luc
  Refuse to derive from a single water

  Nothing tells whether it is a high or a low one.
edit tidewater/secondary.py
@@
+from tidewater.errors import TableError
 from tidewater.tables import Table, Water
@@
     waters: list[Water] = []
+    if len(table.waters) < 2:
+        raise TableError(f"{table.port}: a table needs two waters to tell high from low")
     for index, water in enumerate(table.waters):

commit main luc
  Add a constant to the heights of a secondary port

  Some almanacs print a factor, others a difference in metres.
edit tidewater/secondary.py
@@
     later: timedelta
     factor: float = 1.0
+    higher: float = 0.0
@@
-        return Water(water.time + self.later, water.height * self.factor)
+        return Water(water.time + self.later, water.height * self.factor + self.higher)

commit main ada
  Read a difference as almanacs print it
edit tidewater/secondary.py
@@
 from __future__ import annotations
 
+import re
 from dataclasses import dataclass
@@
 from tidewater.tables import Table, Water
 
+PRINTED = re.compile(r"([+-])(\d\d)(\d\d) ([+-]\d+\.\d)")
+
@@
         return Water(water.time + self.later, water.height * self.factor + self.higher)
+
+    @classmethod
+    def parse(cls, text: str) -> Difference:
+        """Read ``+0015 -0.4``: hours and minutes later, metres higher."""
+        match = PRINTED.fullmatch(text.strip())
+        if match is None:
+            raise TableError(f"not a difference such as '+0015 -0.4': {text!r}")
+        sign, hours, minutes, metres = match.groups()
+        later = timedelta(hours=int(hours), minutes=int(minutes))
+        return cls(-later if sign == "-" else later, higher=float(metres))
edit tests/test_secondary.py
@@
     assert derived.waters[1] == Water(NOON + timedelta(hours=6) + 2 * QUARTER, 1.0)
+
+
+def test_a_printed_difference():
+    assert Difference.parse("-0115 -0.4") == Difference(timedelta(minutes=-75), higher=-0.4)

commit main ada
  Refuse differences that turn the tide around

  A low water 90 minutes later and a high water 5 hours earlier would give a
  table that is out of order; a sign is wrong then.
edit tidewater/secondary.py
@@
         waters.append(difference.applied(water))
+    for before, after in pairwise(waters):
+        if before.time >= after.time:
+            raise TableError(f"{port}: the water of {after.time:%Y-%m-%d %H:%M} comes before the one it follows")
     return Table(port, tuple(waters))
@@
 import re
 from dataclasses import dataclass
 from datetime import timedelta
+from itertools import pairwise

commit main ada
  Release 0.2
edit pyproject.toml
@@
-version = "0.1"
+version = "0.2"
edit README.md
@@
 Times are as the table prints them; heights are metres above chart datum.
+A line `unit: ft` says that they are feet.
@@
-    Mon 06 Feb 01:12 to 04:12
-    Mon 06 Feb 10:32 to 13:38
+    Mon 06 Feb 01:12 to 04:14
+    Mon 06 Feb 10:31 to 13:38
+
+    $ tidewater husum.txt --at 2023-02-06T03:55
+    2.15 m
+
+Since 0.1: windows to the second, a margin under the keel, predictions from
+harmonic constituents, secondary ports, sheets and calendars.
