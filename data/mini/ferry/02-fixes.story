# Fixes on main, each in a part of its own.

commit main nell as groups
  Fares: groups of ten and more pay a tenth less
edit fares.py
@@
     total += bikes * BIKE[season]
+    if adults + children >= 10:
+        total -= total // 10
     return total

commit main tomas as midnight
  Timetable: after midnight the next boat is tomorrow's first

  Hours beyond 24 are shown as those of the next day.
edit timetable.py
@@
 FIRST, LAST = 6 * 60, 22 * 60
 
 
+def is_night(minute):
+    """Whether no boat leaves at this time of day."""
+    return not FIRST <= minute % 1440 <= LAST
+
+
 def departures(every=30):
     return list(range(FIRST, LAST + 1, every))
@@
 def after(minute, every=30):
     for departure in departures(every):
-        if minute < departure:
+        if minute % 1440 < departure:
             return departure
     return None
@@
 def show(minute):
-    return "{}:{:02}".format(*divmod(minute, 60))
+    return "{}:{:02}".format(*divmod(minute % 1440, 60))

commit main nell as nights
  Crew: a night watch
edit crew.py
@@
-WATCHES = ("early", "late")
+WATCHES = ("early", "late", "night")
@@
 def watch(hour):
-    return WATCHES[hour > 14]
+    return WATCHES[0 if 5 <= hour < 14 else 1 if 14 <= hour < 22 else 2]
+
+
+def relief(hour):
+    """The watch that comes next."""
+    return watch((hour + 8) % 24)

commit main tomas as no-telex
  The harbour office has no telex any more
delete telex.py

commit main nell as newlines
  Journal: an entry is one line
edit journal.py
@@
 from datetime import datetime
 
 
+def is_empty(text):
+    return not text.strip()
+
+
 def entry(text, now=None):
@@
     now = now or datetime.now()
-    return f"{now:%Y-%m-%d %H:%M} {text}"
+    return f"{now:%Y-%m-%d %H:%M} {' '.join(text.split())}"

commit main tomas as freight
  Cargo is called freight
rename cargo.py -> freight.py

commit main nell as weather
  Weather: the wind in metres per second
write weather.py
|"""Wind over the strait."""
|
|GALE = 17
|
|
|def wind(knots):
|    return knots * 0.514
|
|
|def is_gale(knots):
|    return wind(knots) > GALE

commit main tomas as script
  print_table is a script
edit print_table.py
@@
+#!/usr/bin/env python3
 import timetable
 
-print("Departures, 2024")
+print("Departures, 2024:")
 for minute in timetable.departures():
     print(timetable.show(minute))
+print()
+print("All times are local ones.")
mode 755 print_table.py

branch feature/refunds from main

commit feature/refunds nell
  Booking: places can be given back
edit booking.py
@@
         """Take places; how many are taken then."""
         self.taken += count
         return self.taken
+
+    def give_back(self, count):
+        self.taken -= count
+        return self.taken

commit feature/refunds nell
  Booking: nobody takes less than nothing
edit booking.py
@@
         """Take places; how many are taken then."""
+        if count < 0:
+            raise ValueError("give places back by give_back")
         self.taken += count

commit main tomas as longer
  Harbour: a third berth from May
edit harbour.py
@@
-BERTHS = ["north", "south"]
+BERTHS = ["north", "south", "east"]
@@
 def is_free(berth, boats):
     return all(boat != berth for boat in boats)
 
 
+def is_busy(boats):
+    """Whether no berth is free."""
+    return not free_berths(boats)
+
+
 def berth(number):
@@
-    return BERTHS[number % len(BERTHS)]
+    return BERTHS[(number - 1) % len(BERTHS)]
@@
 def lying_time(cars):
-    return 10 + cars / 4
+    return 10 + cars / 5
edit berths.py
@@
-PLACES = {"north": (55.103, 9.807), "south": (55.041, 9.911)}
+PLACES = {"north": (55.103, 9.807), "south": (55.041, 9.911), "east": (55.062, 9.954)}
@@
 def is_north(one, other):
     return one[0] > other[0]
 
 
+def is_east(one, other):
+    """Whether the first is further to the east."""
+    return one[1] > other[1]
+
+
 def distance(one, other):
-    return sum(abs(a - b) for a, b in zip(one, other))
+    return sum((a - b) ** 2 for a, b in zip(one, other)) ** 0.5

merge main nell as refunds from feature/refunds
  Merge branch 'feature/refunds'

commit main nell as lift
  Labels: the lift is out of order in a storm
edit labels.py
@@
-EXIT = "Udgang / Exit"
-LIFT = "Elevator"
+EXIT = "Udgang / Exit"
+LIFT = "Elevator (ikke i storm på søen)"

commit main tomas as rounded
  Money is rounded, not cut
edit rounding.py
@@
 def in_crowns(pence, rate):
-    return int(pence * float(rate))
+    return round(pence * float(rate))

commit main nell as short-horn
  Signals: leaving is a prolonged blast

  As the rules of the road at sea have it.
edit signals.py
@@
-LEAVING = "long"
-BACKWARDS = "short short short"
+LEAVING = "prolonged"
+BACKWARDS = "short, short, short"

commit main tomas
  Signals: what stands in a log
edit signals.py
@@
-LEAVING = "prolonged"
+LEAVING = "prolonged (4 to 6 s)"
 BACKWARDS = "short, short, short"

commit main nell
  Weather: knots of a gale
edit weather.py
@@
 GALE = 17
+GALE_IN_KNOTS = 34

# Backports, and what is taken back.

pick release/1 tomas from groups
resolve fares.py
@@ text
|    total += max(0, bikes - adults) * BIKE  # one bike travels free with each adult
|    if adults + children >= 10:
|        total -= total // 10

pick release/1 tomas from midnight
resolve timetable.py
@@ text
|        if departure >= minute % 1440:
@@ text
|    return f"{minute // 60 % 24:>2}:{minute % 60:02}"

pick release/1 nell from nights
theirs crew.py

pick release/1 tomas from no-telex
delete telex.py

pick release/1 nell from newlines
resolve log.py
@@ text
|    return f"{now:%H.%M} {' '.join(text.split())}"

pick release/1 tomas from freight
theirs freight.py

pick release/1 nell from weather
theirs weather.py

pick release/1 tomas from script
resolve print_table.py
@@ text
|print("Departures from the north berth:")

pick release/1 nell from refunds
resolve booking.py
@@ text
|        if count < 0:
|            raise ValueError("give places back by give_back")
|        if self.taken + count > PLACES:
|            raise ValueError("the boat is full")

pick release/1 tomas from longer
  Harbour: a third berth from May, beside the quay
resolve harbour.py
@@ text
|BERTHS = ("north", "south", "quay", "east")
@@ text
|    return BERTHS[(number - 1) % 4]
@@ text
|    return 12 + cars // 5
edit harbour.py
@@
-"""Berths, and how long boats lie there."""
+"""Berths, and how long boats lie there; the quay has no ramp."""
resolve berths.py
@@ text
|PLACES = {"north": (55.1, 9.8), "south": (55.0, 9.9), "quay": (55.0, 9.8), "east": (55.062, 9.954)}
@@ text
|    return round(sum((a - b) ** 2 for a, b in zip(one, other)) ** 0.5, 3)

pick release/1 nell from lift
resolve labels.py
@@ text
|EXIT = "Udgang / Ausgang"
|LIFT = "Elevator (ikke i storm på søen)"

# Nothing is left to do: 1.1 rounds already.
pick release/1 tomas from rounded
ours rounding.py

revert main nell of short-horn
resolve signals.py
@@ text
|LEAVING = "long (4 to 6 s)"
|BACKWARDS = "short short short"
