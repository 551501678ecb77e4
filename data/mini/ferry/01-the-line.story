repository mini/ferry
language python
start 2024-03-04T09:00:00+01:00
topics ferry timetable backports
person nell Nell Ardmore <nell@ferry.example>
person tomas Tomas Bruun <tomas@ferry.example>

# Two lines of development: main becomes 2.0, release/1 is what the boats run. Fixes are made on main and picked
# over; each pick meets code that stands differently there.

commit main nell
  The line's own tools
write fares.py
|"""What a crossing costs, in pence."""
|
|ADULT = 420
|CHILD = 210
|BIKE = 100
|
|
|def fare(adults, children=0, bikes=0):
|    total = adults * ADULT + children * CHILD
|    total += bikes * BIKE
|    return total
write timetable.py
|"""When the ferry leaves."""
|
|FIRST, LAST = 6 * 60, 22 * 60
|
|
|def departures(every=30):
|    return list(range(FIRST, LAST + 1, every))
|
|
|def after(minute, every=30):
|    for departure in departures(every):
|        if departure > minute:
|            return departure
|    return None
|
|
|def show(minute):
|    return f"{minute // 60}:{minute % 60:02}"
write crew.py
|"""Who is on watch."""
|
|WATCHES = ("early", "late")
|
|
|def watch(hour):
|    return WATCHES[hour > 14]
write telex.py
|"""Messages to the harbour office."""
|
|
|def telex(text):
|    return text.upper().replace("Ä", "AE")
write log.py
|"""The ship's log."""
|
|from datetime import datetime
|
|
|def entry(text, now=None):
|    now = now or datetime.now()
|    return f"{now:%H:%M} {text}"
|
|
|def page(entries):
|    return "\n".join(entries)
write cargo.py
|"""Weights of vehicles, in tonnes."""
|
|WEIGHTS = {"car": 1.5, "van": 3.0, "lorry": 12.0}
|
|
|def weight(vehicles):
|    return sum(WEIGHTS[vehicle] for vehicle in vehicles)
write print_table.py
|import timetable
|
|print("Departures")
|for minute in timetable.departures():
|    print(timetable.show(minute))
write booking.py
|"""Places on a crossing."""
|
|PLACES = 48
|
|
|class Booking:
|    def __init__(self):
|        self.taken = 0
|
|    def take(self, count):
|        self.taken += count
|        return self.taken
write harbour.py
|"""Berths, and how long boats lie there."""
|
|BERTHS = ("north", "south")
|
|
|def is_free(berth, boats):
|    return all(boat != berth for boat in boats)
|
|
|def berth(number):
|    return BERTHS[number % 2]
|
|
|def free_berths(boats):
|    return [berth for berth in BERTHS if is_free(berth, boats)]
|
|
|def lying_time(cars):
|    return 10 + cars // 4
write berths.py
|"""The berths on a map."""
|
|PLACES = {"north": (55.1, 9.8), "south": (55.0, 9.9)}
|
|
|def place(name):
|    return PLACES[name]
|
|
|def is_north(one, other):
|    return one[0] > other[0]
|
|
|def distance(one, other):
|    return abs(one[0] - other[0]) + abs(one[1] - other[1])
write labels.py crlf latin-1
|# Labels on board
|NAME = "Frøya"
|EXIT = "Udgang"
|LIFT = "Elevator"
write rounding.py
|"""Money."""
|
|
|def in_crowns(pence, rate):
|    return int(pence * rate)
write signals.py
|"""Horn signals."""
|
|LEAVING = "long"
|BACKWARDS = "short short short"
|
|
|def signal(name):
|    return {"leaving": LEAVING, "backwards": BACKWARDS}[name]

branch release/1 from main

commit release/1 tomas
  Release 1.1

  Only what the boats need.
edit fares.py
@@
 def fare(adults, children=0, bikes=0):
     total = adults * ADULT + children * CHILD
-    total += bikes * BIKE
+    total += max(0, bikes - adults) * BIKE  # one bike travels free with each adult
     return total
edit timetable.py
@@
 def after(minute, every=30):
     for departure in departures(every):
-        if departure > minute:
+        if departure >= minute:
             return departure
     return None
@@
 def show(minute):
-    return f"{minute // 60}:{minute % 60:02}"
+    return f"{minute // 60:>2}:{minute % 60:02}"
delete crew.py
edit telex.py
@@
 def telex(text):
-    return text.upper().replace("Ä", "AE")
+    return text.upper().replace("Ä", "AE").replace("Ø", "OE")
edit log.py
@@
     now = now or datetime.now()
-    return f"{now:%H:%M} {text}"
+    return f"{now:%H.%M} {text}"
delete cargo.py
write weather.py
|"""Wind over the strait."""
|
|
|def wind():
|    return None
edit print_table.py
@@
-print("Departures")
+print("Departures from the north berth")
 for minute in timetable.departures():
edit booking.py
@@
     def take(self, count):
+        if self.taken + count > PLACES:
+            raise ValueError("the boat is full")
         self.taken += count
         return self.taken
edit harbour.py
@@
-BERTHS = ("north", "south")
+BERTHS = ("north", "south", "quay")
@@
 def berth(number):
-    return BERTHS[number % 2]
+    return BERTHS[number % 3]
@@
 def lying_time(cars):
-    return 10 + cars // 4
+    return 12 + cars // 4
edit berths.py
@@
-PLACES = {"north": (55.1, 9.8), "south": (55.0, 9.9)}
+PLACES = {"north": (55.1, 9.8), "south": (55.0, 9.9), "quay": (55.0, 9.8)}
@@
 def distance(one, other):
-    return abs(one[0] - other[0]) + abs(one[1] - other[1])
+    return round(abs(one[0] - other[0]) + abs(one[1] - other[1]), 3)
edit labels.py
@@
-EXIT = "Udgang"
+EXIT = "Udgang / Ausgang"
edit rounding.py
@@
 def in_crowns(pence, rate):
-    return int(pence * rate)
+    return int(pence * rate + 0.5)

commit main nell
  Towards 2.0: seasons, names for hours, one journal
edit fares.py
@@
-ADULT = 420
-CHILD = 210
-BIKE = 100
+ADULT = {"summer": 420, "winter": 360}
+CHILD = {"summer": 210, "winter": 180}
+BIKE = {"summer": 100, "winter": 0}
@@
-def fare(adults, children=0, bikes=0):
-    total = adults * ADULT + children * CHILD
-    total += bikes * BIKE
+def fare(adults, children=0, bikes=0, season="summer"):
+    total = adults * ADULT[season] + children * CHILD[season]
+    total += bikes * BIKE[season]
     return total
edit timetable.py
@@
 def after(minute, every=30):
     for departure in departures(every):
-        if departure > minute:
+        if minute < departure:
             return departure
     return None
@@
 def show(minute):
-    return f"{minute // 60}:{minute % 60:02}"
+    return "{}:{:02}".format(*divmod(minute, 60))
rename log.py -> journal.py
edit journal.py
@@
     now = now or datetime.now()
-    return f"{now:%H:%M} {text}"
+    return f"{now:%Y-%m-%d %H:%M} {text}"
edit print_table.py
@@
-print("Departures")
+print("Departures, 2024")
 for minute in timetable.departures():
edit booking.py
@@
     def take(self, count):
+        """Take places; how many are taken then."""
         self.taken += count
         return self.taken
edit harbour.py
@@
-BERTHS = ("north", "south")
+BERTHS = ["north", "south"]
@@
 def berth(number):
-    return BERTHS[number % 2]
+    return BERTHS[number % len(BERTHS)]
@@
 def lying_time(cars):
-    return 10 + cars // 4
+    return 10 + cars / 4
edit berths.py
@@
-PLACES = {"north": (55.1, 9.8), "south": (55.0, 9.9)}
+PLACES = {"north": (55.103, 9.807), "south": (55.041, 9.911)}
@@
 def distance(one, other):
-    return abs(one[0] - other[0]) + abs(one[1] - other[1])
+    return sum(abs(a - b) for a, b in zip(one, other))
edit labels.py
@@
-EXIT = "Udgang"
+EXIT = "Udgang / Exit"
edit rounding.py
@@
 def in_crowns(pence, rate):
-    return int(pence * rate)
+    return int(pence * float(rate))
