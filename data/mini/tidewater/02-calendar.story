# Part 2: calendars for the phone (a CRLF file in conflict), and a friendlier command.

# A chain of three on export.py, with one test.

branch joerg/reminders from main

commit joerg/reminders joerg
  Remind an hour before each water
edit tidewater/export.py
@@
             f"SUMMARY:{table.port} {water.height:.1f} m",
+            "BEGIN:VALARM",
+            "ACTION:DISPLAY",
+            "TRIGGER:-PT1H",
+            "END:VALARM",
             "END:VEVENT",

commit joerg/reminders joerg
  Let the reminder be chosen

  Not everybody needs an hour to row out, and some need no reminder.
edit tidewater/export.py
@@
-from datetime import datetime
+from datetime import datetime, timedelta
@@
-def calendar(table: Table) -> str:
-    """A calendar with an event at each high and low water."""
+def calendar(table: Table, remind: timedelta | None = timedelta(hours=1)) -> str:
+    """A calendar with an event at each high and low water, and a reminder that long before it."""
@@
-            "BEGIN:VALARM",
-            "ACTION:DISPLAY",
-            "TRIGGER:-PT1H",
-            "END:VALARM",
+            *alarm(remind),
@@
     return "\r\n".join(lines) + "\r\n"
+
+
+def alarm(before: timedelta | None) -> list[str]:
+    """The lines of a reminder."""
+    if before is None:
+        return []
+    minutes = int(before.total_seconds() // 60)
+    return ["BEGIN:VALARM", "ACTION:DISPLAY", f"TRIGGER:-PT{minutes}M", "END:VALARM"]

commit joerg/reminders joerg
  Give the calendar the name of its port
edit tidewater/export.py
@@
-    lines = ["BEGIN:VCALENDAR", "VERSION:2.0"]
+    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"X-WR-CALNAME:Tides at {table.port}"]
edit tests/test_export.py
@@
     assert "SUMMARY:Husum 4.0 m" in lines
+
+
+def test_no_reminder_when_none_is_wanted():
+    assert "BEGIN:VALARM" not in calendar(table(4.0), remind=None)

commit main ada
  Export calendars that strict clients accept

  RFC 5545 asks for PRODID, and for UID and DTSTAMP in each event. The stamp
  is the water's own time, so that the same table gives the same file.
edit tidewater/export.py
@@
-    lines = ["BEGIN:VCALENDAR", "VERSION:2.0"]
+    lines = ["BEGIN:VCALENDAR", "PRODID:-//tidewater//EN", "VERSION:2.0"]
@@
             "BEGIN:VEVENT",
+            f"UID:{stamp(water.time)}@{table.port.lower()}.tidewater",
+            f"DTSTAMP:{stamp(water.time)}",
             f"DTSTART:{stamp(water.time)}",
-            f"SUMMARY:{table.port} {water.height:.1f} m",
+            f"SUMMARY:{escape(table.port)} {water.height:.1f} m",
             "END:VEVENT",
@@
 def stamp(moment: datetime) -> str:
     """A time as iCalendar writes it, in no zone."""
     return f"{moment:%Y%m%dT%H%M00}"
+
+
+def escape(text: str) -> str:
+    """Text as iCalendar wants it."""
+    return text.replace("\\", "\\\\").replace(",", "\\,").replace(";", "\\;")

# Merge 1. Two regions, and every line of the file ends in CRLF: an answer in LF is as wrong as a bad merge. The name
# that came in on one side has to be escaped as the other side demands.

merge main ada from joerg/reminders
  Merge branch 'joerg/reminders'
resolve tidewater/export.py
@@ text
|def calendar(table: Table, remind: timedelta | None = timedelta(hours=1)) -> str:
|    """A calendar with an event at each high and low water, and a reminder that long before it."""
|    lines = [
|        "BEGIN:VCALENDAR",
|        "PRODID:-//tidewater//EN",
|        "VERSION:2.0",
|        f"X-WR-CALNAME:Tides at {escape(table.port)}",
|    ]
@@ text
|            f"SUMMARY:{escape(table.port)} {water.height:.1f} m",
|            *alarm(remind),

# A chain of four on cli.py alone.

commit main ada
  Say so when there is no window
edit tidewater/cli.py
@@
-    for window in windows(table, options.needed):
+    found = windows(table, options.needed)
+    for window in found:
         print(f"{window.start:%a %d %b %H:%M} to {window.end:%H:%M}")
-    return 0
+    if not found:
+        print(f"{table.port} never has {options.needed} m of tide in this table")
+    return 0 if found else 1

commit main ada
  Show a bad table as one line, not a traceback
edit tidewater/cli.py
@@
 import argparse
+import sys
 from collections.abc import Sequence
@@
-from tidewater.tables import read_table
+from tidewater.tables import TableError, read_table
@@
-    table = read_table(options.table)
+    try:
+        table = read_table(options.table)
+    except (OSError, TableError) as error:
+        print(f"tidewater: {error}", file=sys.stderr)
+        return 2

commit main mei
  Let the command think in feet

  The charts on my side of the water still do.
edit tidewater/cli.py
@@
 from tidewater.windows import windows
 
+METRES_PER_FOOT = 0.3048
+
@@
-    parser.add_argument("--needed", type=float, required=True, help="height of tide, in metres")
+    parser.add_argument("--needed", type=float, required=True, help="height of tide, in metres")
+    parser.add_argument("--feet", action="store_true", help="the height is in feet")
@@
-    found = windows(table, options.needed)
+    needed = options.needed * METRES_PER_FOOT if options.feet else options.needed
+    found = windows(table, needed)
@@
-        print(f"{table.port} never has {options.needed} m of tide in this table")
+        unit = "ft" if options.feet else "m"
+        print(f"{table.port} never has {options.needed} {unit} of tide in this table")

commit main ada
  Show the day of a window's end when it is another day
edit tidewater/cli.py
@@
-        print(f"{window.start:%a %d %b %H:%M} to {window.end:%H:%M}")
+        print(describe(window))
@@
     return 0 if found else 1
+
+
+def describe(window: Window) -> str:
+    """A window in one line, its end with a day only where that differs."""
+    same_day = window.start.date() == window.end.date()
+    end = f"{window.end:%H:%M}" if same_day else f"{window.end:%a %d %b %H:%M}"
+    return f"{window.start:%a %d %b %H:%M} to {end}"
@@
-from tidewater.windows import windows
+from tidewater.windows import Window, windows
