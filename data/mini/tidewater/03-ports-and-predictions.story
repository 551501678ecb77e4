# Part 3: more ports (a Latin-1 file in conflict), and predictions from harmonic constituents.

branch luc/brittany from main

commit luc/brittany luc
  Add the ports of northern Brittany
edit tidewater/ports.py
@@
 PORTS = {
+    "brehat": Port("Île-de-Bréhat", 0.4),
     "granville": Port("Granville", -1.3),
+    "lezardrieux": Port("Lézardrieux", 0.6),
+    "paimpol": Port("Paimpol", -4.9),
     "saint-malo": Port("Saint-Malo", 2.0),

commit luc/brittany luc
  Find a port without its accents

  Nobody types Île-de-Bréhat on a phone, in the rain.
edit tidewater/ports.py
@@
 from __future__ import annotations
 
+import unicodedata
 from dataclasses import dataclass
@@
-    """The port of that name, as spelt on the chart."""
+    """The port of that name; accents may be left out."""
+    wanted = plain(name)
     for port in PORTS.values():
-        if port.name == name:
+        if plain(port.name) == wanted:
             return port
     raise KeyError(f"no port is called {name}")
+
+
+def plain(name: str) -> str:
+    """A name without its accents."""
+    decomposed = unicodedata.normalize("NFD", name)
+    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
edit tests/test_ports.py
@@
     assert find_port("Granville") is PORTS["granville"]
 
 
+def test_accents_may_be_left_out():
+    assert find_port("Ile-de-Brehat") is PORTS["brehat"]
+
+
 def test_an_unknown_port_is_an_error():

commit main joerg
  Add the ports of the North Frisian coast
edit tidewater/ports.py
@@
 PORTS = {
+    "buesum": Port("Büsum", -0.8),
+    "dagebuell": Port("Dagebüll", -0.4),
     "granville": Port("Granville", -1.3),
+    "husum": Port("Husum", -1.0),
     "saint-malo": Port("Saint-Malo", 2.0),
     "saint-vaast": Port("Saint-Vaast-la-Hougue", -2.1),
+    "wyk": Port("Wyk auf Föhr", 0.6),
 }

commit main joerg
  Find a port in any case, and say which ones there are
edit tidewater/ports.py
@@
-    """The port of that name, as spelt on the chart."""
-    for port in PORTS.values():
-        if port.name == name:
-            return port
-    raise KeyError(f"no port is called {name}")
+    """The port of that name, in capitals or not."""
+    for port in PORTS.values():
+        if port.name.casefold() == name.casefold():
+            return port
+    known = ", ".join(port.name for port in PORTS.values())
+    raise KeyError(f"no port is called {name}; there are: {known}")
edit tests/test_ports.py
@@
     with pytest.raises(KeyError, match="no port is called Atlantis"):
         find_port("Atlantis")
+
+
+def test_capitals_do_not_matter():
+    assert find_port("BÜSUM") is PORTS["buesum"]

# Merge 2. The file is in Latin-1. Ports of both sides interleave by key, and neither way to compare names is enough.

merge main luc from luc/brittany
  Merge branch 'luc/brittany'

  Ports stay in order of their keys. A name is now compared without accents
  and without case, both in plain().
resolve tidewater/ports.py
@@ text
|    "brehat": Port("Île-de-Bréhat", 0.4),
|    "buesum": Port("Büsum", -0.8),
|    "dagebuell": Port("Dagebüll", -0.4),
|    "granville": Port("Granville", -1.3),
|    "husum": Port("Husum", -1.0),
|    "lezardrieux": Port("Lézardrieux", 0.6),
|    "paimpol": Port("Paimpol", -4.9),
@@ text
|    """The port of that name; case and accents do not matter."""
|    wanted = plain(name)
|    for port in PORTS.values():
|        if plain(port.name) == wanted:
|            return port
|    known = ", ".join(port.name for port in PORTS.values())
|    raise KeyError(f"no port is called {name}; there are: {known}")
|
|
|def plain(name: str) -> str:
|    """A name without its accents, in small letters."""
|    decomposed = unicodedata.normalize("NFD", name.casefold())
|    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))

# A new file and a chain of three on it, which merge cleanly.

branch mei/harmonics from main

commit mei/harmonics mei
  Predict heights from harmonic constituents

  For days that no table covers. The amplitudes and phases of a port come
  from its hydrographic office; the speeds are the same everywhere.
write tidewater/harmonics.py
|"""Heights from harmonic constituents, for days that no table covers.
|
|The height is a mean plus, for each constituent, ``amplitude * cos(speed * hours - phase)``.
|"""
|
|from __future__ import annotations
|
|from collections.abc import Sequence
|from dataclasses import dataclass
|from datetime import datetime
|from math import cos, radians
|
|EPOCH = datetime(2000, 1, 1)
|
|SPEEDS = {  # degrees an hour, in order of speed
|    "O1": 13.9430356,
|    "K1": 15.0410686,
|    "M2": 28.9841042,
|    "S2": 30.0,
|    "M4": 57.9682084,
|}
|
|
|@dataclass(frozen=True)
|class Constituent:
|    """One wave of a port's tide: its amplitude in metres and its phase in degrees at the epoch."""
|
|    name: str
|    amplitude: float
|    phase: float
|
|    def height_at(self, moment: datetime) -> float:
|        """What it adds to the mean."""
|        hours = (moment - EPOCH).total_seconds() / 3600
|        return self.amplitude * cos(radians(SPEEDS[self.name] * hours - self.phase))
|
|
|def predict(mean: float, constituents: Sequence[Constituent], moment: datetime) -> float:
|    """The height at ``moment`` in metres above chart datum."""
|    return mean + sum(constituent.height_at(moment) for constituent in constituents)
write tests/test_harmonics.py
|"""Predictions."""
|
|from datetime import timedelta
|
|import pytest
|
|from tidewater.harmonics import EPOCH, Constituent, predict
|
|SUN = Constituent("S2", amplitude=2.0, phase=0.0)
|
|
|@pytest.mark.parametrize(("hours", "height"), [(0, 5.0), (3, 3.0), (6, 1.0), (12, 5.0)])
|def test_the_sun_alone_has_two_high_waters_a_day(hours, height):
|    assert predict(3.0, [SUN], EPOCH + timedelta(hours=hours)) == pytest.approx(height)

commit mei/harmonics mei
  Refuse a constituent that has no speed

  A misspelt name should fail where it is written, not in the middle of a
  year's predictions.
edit tidewater/harmonics.py
@@
     name: str
     amplitude: float
     phase: float
 
+    def __post_init__(self) -> None:
+        if self.name not in SPEEDS:
+            raise ValueError(f"no speed is known for the constituent {self.name!r}")
+
     def height_at(self, moment: datetime) -> float:

commit mei/harmonics mei
  Find the high and low waters of a prediction
edit tidewater/harmonics.py
@@
-from datetime import datetime
+from datetime import datetime, timedelta
 from math import cos, radians
 
+from tidewater.tables import Water
+
 EPOCH = datetime(2000, 1, 1)
+STEP = timedelta(minutes=6)
@@
     return mean + sum(constituent.height_at(moment) for constituent in constituents)
+
+
+def waters(mean: float, constituents: Sequence[Constituent], start: datetime, end: datetime) -> list[Water]:
+    """The waters from ``start`` to ``end``: the steps at which the tide turns."""
+    found: list[Water] = []
+    moment = start
+    while moment <= end:
+        before, height, after = (predict(mean, constituents, moment + shift) for shift in (-STEP, 0 * STEP, STEP))
+        if height > max(before, after) or height < min(before, after):
+            found.append(Water(moment, height))
+        moment += STEP
+    return found

commit mei/harmonics mei
  Place a water between the steps

  A parabola through three steps finds the turn to a second or so. Scanning
  that finely would take a minute for each month.
edit tidewater/harmonics.py
@@
-    """The waters from ``start`` to ``end``: the steps at which the tide turns."""
+    """The waters from ``start`` to ``end``: where the tide turns."""
@@
-        if height > max(before, after) or height < min(before, after):
-            found.append(Water(moment, height))
+        if height > max(before, after) or height < min(before, after):
+            found.append(turn(moment, before, height, after))
@@
     return found
+
+
+def turn(moment: datetime, before: float, height: float, after: float) -> Water:
+    """The top or the bottom of the parabola through three heights, a step apart, around ``moment``."""
+    slope, bend = (after - before) / 2, before - 2 * height + after
+    steps = -slope / bend
+    return Water(moment + steps * STEP, height + slope * steps / 2)

merge main mei from mei/harmonics
  Merge branch 'mei/harmonics'

branch luc/shallow-bays from main

commit luc/shallow-bays luc
  Add the constituents of shallow bays

  Without MU2 and NU2 the predictions for Saint-Malo are 20 cm off at springs.
edit tidewater/harmonics.py
@@
     "K1": 15.0410686,
+    "MU2": 27.9682084,
+    "NU2": 28.5125831,
     "M2": 28.9841042,

commit main mei
  Add the elliptic constituents of the moon
edit tidewater/harmonics.py
@@
     "K1": 15.0410686,
+    "2N2": 27.8953548,
+    "N2": 28.4397295,
     "M2": 28.9841042,
edit tests/test_harmonics.py
@@
-from tidewater.harmonics import EPOCH, Constituent, predict
+from tidewater.harmonics import EPOCH, SPEEDS, Constituent, predict
@@
     assert predict(3.0, [SUN], EPOCH + timedelta(hours=hours)) == pytest.approx(height)
+
+
+def test_the_constituents_are_in_order_of_speed():
+    assert list(SPEEDS.values()) == sorted(SPEEDS.values())

# Merge 3. One region; the list is in order of speed, so that the truth takes a line of one side, then of the other.

merge main mei from luc/shallow-bays
  Merge branch 'luc/shallow-bays'
resolve tidewater/harmonics.py
@@ text
|    "2N2": 27.8953548,
|    "MU2": 27.9682084,
|    "N2": 28.4397295,
|    "NU2": 28.5125831,
