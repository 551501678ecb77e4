# Chapter 3: time and weather.
#
# What is at a waypoint, how long it takes to get there, and the card that is left behind with the warden. After a party
# comes in two hours late, two people make the times more careful, each in their own way.

# Merge 6, in two files. Iris gives waypoints a kind, Mara gives them a note; both grow the record and the reader in the
# same places. The truth has both, in one order.

branch kinds from main
commit kinds iris
  Know huts from summits

  Receivers send a symbol with a waypoint. A plan needs to know where
  one can sleep.
write src/main/java/org/cairn/WaypointKind.java
|package org.cairn;
|
|import java.util.Arrays;
|
|/** What there is at a waypoint. */
|public enum WaypointKind {
|    SUMMIT("Summit"),
|    PASS("Pass"),
|    HUT("Lodge"),
|    OTHER("");
|
|    private final String symbol;
|
|    WaypointKind(String symbol) {
|        this.symbol = symbol;
|    }
|
|    /** The kind that receivers show by {@code symbol}, or else {@link #OTHER}. */
|    public static WaypointKind of(String symbol) {
|        return Arrays.stream(values()).filter(kind -> kind.symbol.equalsIgnoreCase(symbol)).findFirst().orElse(OTHER);
|    }
|}
edit src/main/java/org/cairn/Waypoint.java
@@
-public record Waypoint(String name, double latitude, double longitude, double elevation) {
+public record Waypoint(String name, double latitude, double longitude, double elevation, WaypointKind kind) {
@@
             throw new IllegalArgumentException("no such longitude: " + longitude);
         }
     }
+
+    /** A waypoint of no particular kind. */
+    public Waypoint(String name, double latitude, double longitude, double elevation) {
+        this(name, latitude, longitude, elevation, WaypointKind.OTHER);
+    }
edit src/main/java/org/cairn/GpxReader.java
@@
         String name = defaultName;
+        WaypointKind kind = WaypointKind.OTHER;
@@
                     case "name" -> name = xml.getElementText();
+                    case "sym" -> kind = WaypointKind.of(xml.getElementText());
@@
-        return new Waypoint(name, latitude, longitude, elevation);
+        return new Waypoint(name, latitude, longitude, elevation, kind);
edit src/test/java/org/cairn/GpxReaderTest.java
@@
 class GpxReaderTest {
 
+    @Test
+    void knowsAHutByItsSymbol() throws IOException {
+        Route route = read("<gpx><wpt lat='1' lon='1'><sym>lodge</sym></wpt><wpt lat='2' lon='2'/></gpx>");
+        assertEquals(WaypointKind.HUT, route.waypoints().get(0).kind());
+        assertEquals(WaypointKind.OTHER, route.waypoints().get(1).kind());
+    }
+

commit main mara
  Keep the notes on waypoints

  "Bridge gone since the flood" is worth more than the elevation.
edit src/main/java/org/cairn/Waypoint.java
@@
-public record Waypoint(String name, double latitude, double longitude, double elevation) {
+public record Waypoint(String name, double latitude, double longitude, double elevation, String note) {
@@
             throw new IllegalArgumentException("no such longitude: " + longitude);
         }
     }
+
+    /** A waypoint about which there is nothing to say. */
+    public Waypoint(String name, double latitude, double longitude, double elevation) {
+        this(name, latitude, longitude, elevation, "");
+    }
edit src/main/java/org/cairn/GpxReader.java
@@
         String name = defaultName;
+        String note = "";
@@
                     case "name" -> name = xml.getElementText();
+                    case "desc", "cmt" -> note = xml.getElementText().strip();
@@
-        return new Waypoint(name, latitude, longitude, elevation);
+        return new Waypoint(name, latitude, longitude, elevation, note);
edit src/test/java/org/cairn/GpxReaderTest.java
@@
     @Test
+    void keepsTheNote() throws IOException {
+        Route route = read("<gpx><wpt lat='1' lon='1'><desc> No bridge </desc></wpt><wpt lat='2' lon='2'/></gpx>");
+        assertEquals("No bridge", route.waypoints().get(0).note());
+    }
+
+    @Test
     void refusesWhatIsNoXml() {

merge main iris from kinds
  Merge branch 'kinds'

  The kind comes before the note, which may be long.
resolve src/main/java/org/cairn/Waypoint.java
@@ text
|public record Waypoint(
|        String name, double latitude, double longitude, double elevation, WaypointKind kind, String note) {
@@ text
|    /** A waypoint of no particular kind, about which there is nothing to say. */
|    public Waypoint(String name, double latitude, double longitude, double elevation) {
|        this(name, latitude, longitude, elevation, WaypointKind.OTHER, "");
resolve src/main/java/org/cairn/GpxReader.java
@@ both-reversed
@@ both-reversed
@@ text
|        return new Waypoint(name, latitude, longitude, elevation, kind, note);

# Merge 7. Both lists of kinds are wanted, one after the other.

branch shelters from main
commit shelters mara
  Mark shelters and fords

  Both decide whether a route can be walked after rain.
edit src/main/java/org/cairn/WaypointKind.java
@@
     HUT("Lodge"),
+    SHELTER("Shelter"),
+    FORD("Water Crossing"),

commit main tomas
  Mark where there is water
edit src/main/java/org/cairn/WaypointKind.java
@@
     HUT("Lodge"),
+    SPRING("Drinking Water"),

merge main tomas from shelters
  Merge branch 'shelters'
resolve src/main/java/org/cairn/WaypointKind.java
@@ both

commit main mara
  Print a route card

  The warden at Singi asks every party for one.
write src/main/java/org/cairn/RouteCard.java
|package org.cairn;
|
|import java.time.Duration;
|import java.util.Locale;
|
|/** The table to leave with the warden: for each leg where to, which way, how far, how high and how long. */
|public final class RouteCard {
|
|    private final Route route;
|
|    public RouteCard(Route route) {
|        this.route = route;
|    }
|
|    /** The card as plain text, one leg a line. */
|    public String text() {
|        var card = new StringBuilder(route.name()).append('\n');
|        for (Leg leg : route.legs()) {
|            String bearing = Units.bearing(leg.bearing());
|            card.append(row(leg.to().name(), bearing, leg.length(), leg.rise(), Naismith.time(leg)));
|        }
|        card.append(row("in all", "", route.length(), route.ascent(), Naismith.time(route)));
|        return card.toString();
|    }
|
|    private static String row(String to, String bearing, double length, double rise, Duration time) {
|        return String.format(Locale.ROOT, "%-12s %-7s %8s %+6.0f m %6s\n",
|                to, bearing, Units.distance(length), rise, Units.duration(time));
|    }
|}
write src/test/java/org/cairn/RouteCardTest.java
|package org.cairn;
|
|import static org.junit.jupiter.api.Assertions.assertEquals;
|
|import java.util.List;
|import org.junit.jupiter.api.Test;
|
|class RouteCardTest {
|
|    private static final Route ROUTE = new Route("Over the pass", List.of(
|            new Waypoint("Hut", 0, 0, 700), new Waypoint("Pass", 0.03, 0, 1_300),
|            new Waypoint("Lake", 0.03, 0.03, 1_290)));
|
|    @Test
|    void textHasALineForEveryLeg() {
|        assertEquals("""
|                Over the pass
|                Pass         000° N    3.4 km   +600 m   1:40
|                Lake         090° E    3.3 km    -10 m   0:39
|                in all                 6.7 km   +600 m   2:20
|                """, new RouteCard(ROUTE).text());
|    }
|}

# Merge 8, in two files, one of them without any text to show: Joon deletes Naismith.java in favour of a Pace that can be
# chosen, Mara edits it. Pace knows her steep descents already; her rests are kept.

branch pace from main
commit pace joon
  Let walkers choose their pace

  Naismith was fit and had good weather. A Pace is a function from
  leg to time; Langmuir's, which slows down on steep descents, is
  what a card uses unless told otherwise.
write src/main/java/org/cairn/Pace.java
|package org.cairn;
|
|import java.time.Duration;
|
|/** How long somebody takes for a leg. */
|@FunctionalInterface
|public interface Pace {
|
|    Duration time(Leg leg);
|
|    default Duration time(Route route) {
|        return route.legs().stream().map(this::time).reduce(Duration.ZERO, Duration::plus);
|    }
|
|    /** Twelve minutes a kilometre, and six seconds more for each metre of climb (Naismith, 1892, in round numbers). */
|    static Pace naismith() {
|        return leg -> seconds(0.72 * leg.length() + 6 * Math.max(0, leg.rise()));
|    }
|
|    /** Naismith's, but two seconds less for each metre of gentle descent and two more where it is steep (1984). */
|    static Pace langmuir() {
|        return leg -> {
|            double slope = Math.toDegrees(Math.asin(leg.rise() / leg.length()));
|            Duration correction = seconds(2 * Math.abs(leg.rise()));
|            Duration time = naismith().time(leg);
|            if (slope < -12) {
|                return time.plus(correction);
|            }
|            return slope < -5 ? time.minus(correction) : time;
|        };
|    }
|
|    private static Duration seconds(double seconds) {
|        return Duration.ofSeconds(Math.round(seconds));
|    }
|}
delete src/main/java/org/cairn/Naismith.java
edit src/main/java/org/cairn/RouteCard.java
@@
     private final Route route;
+    private final Pace pace;
 
     public RouteCard(Route route) {
+        this(route, Pace.langmuir());
+    }
+
+    public RouteCard(Route route, Pace pace) {
         this.route = route;
+        this.pace = pace;
     }
@@
-            card.append(row(leg.to().name(), bearing, leg.length(), leg.rise(), Naismith.time(leg)));
+            card.append(row(leg.to().name(), bearing, leg.length(), leg.rise(), pace.time(leg)));
@@
-        card.append(row("in all", "", route.length(), route.ascent(), Naismith.time(route)));
+        card.append(row("in all", "", route.length(), route.ascent(), pace.time(route)));
delete src/test/java/org/cairn/NaismithTest.java
write src/test/java/org/cairn/PaceTest.java
|package org.cairn;
|
|import static org.junit.jupiter.api.Assertions.assertEquals;
|import static org.junit.jupiter.api.Assertions.assertTrue;
|
|import java.time.Duration;
|import org.junit.jupiter.api.Test;
|
|class PaceTest {
|
|    private static Leg leg(double degrees, double rise) {
|        return new Leg(new Waypoint("from", 0, 0, 1_000), new Waypoint("to", degrees, 0, 1_000 + rise));
|    }
|
|    @Test
|    void climbingStraightUpTakesClimbAndLength() {
|        assertEquals(Duration.ofMinutes(67).plusSeconds(12), Pace.naismith().time(leg(0, 600)));
|    }
|
|    @Test
|    void gentleDescentsAreQuickAndSteepOnesSlow() {
|        Leg gentle = leg(0.02, -300);
|        Leg steep = leg(0.005, -300);
|        assertTrue(Pace.langmuir().time(gentle).compareTo(Pace.naismith().time(gentle)) < 0);
|        assertTrue(Pace.langmuir().time(steep).compareTo(Pace.naismith().time(steep)) > 0);
|    }
|}

commit main mara
  Be careful with times

  A party of ours came in two hours late, and the warden had already
  called. Nobody runs down a boulder field, and everybody rests.
edit src/main/java/org/cairn/Naismith.java
@@
             hours += leg.rise() / 600;
         }
+        if (leg.rise() < -0.2 * leg.length()) {
+            hours -= leg.rise() / 1_800;
+        }
edit src/main/java/org/cairn/RouteCard.java
@@
-        card.append(row("in all", "", route.length(), route.ascent(), Naismith.time(route)));
+        card.append(row("in all", "", route.length(), route.ascent(), withRests(Naismith.time(route))));
         return card.toString();
     }
+
+    /** Ten minutes of rest after every hour. */
+    private static Duration withRests(Duration walking) {
+        return walking.plusMinutes(10 * walking.toHours());
+    }
edit src/test/java/org/cairn/RouteCardTest.java
@@
-                in all                 6.7 km   +600 m   2:20
+                in all                 6.7 km   +600 m   2:40

merge main joon from pace
  Merge branch 'pace'

  Langmuir's pace has the steep descents, so Naismith.java goes. The
  rests are for every pace.
theirs src/main/java/org/cairn/Naismith.java
resolve src/main/java/org/cairn/RouteCard.java
@@ text
|        card.append(row("in all", "", route.length(), route.ascent(), withRests(pace.time(route))));

# Merge 9, two regions in one file. A chain of three by Iris on RouteCard.java (with its tests) ends in a refactoring and
# a repair; Tomáš meanwhile makes room for long names in what she moved.

branch markdown from main
commit markdown iris
  Write the route card as Markdown as well

  For the club's notice board.
edit src/main/java/org/cairn/RouteCard.java
@@
+    /** The card as a Markdown table. */
+    public String markdown() {
+        var card = new StringBuilder("| to | bearing | length | rise | time |\n|---|---|--:|--:|--:|\n");
+        for (Leg leg : route.legs()) {
+            card.append(String.format(Locale.ROOT, "| %s | %s | %s | %+.0f m | %s |\n", leg.to().name(),
+                    Units.bearing(leg.bearing()), Units.distance(leg.length()), leg.rise(),
+                    Units.duration(pace.time(leg))));
+        }
+        return card.toString();
+    }
+
     /** Ten minutes of rest after every hour. */
edit src/test/java/org/cairn/RouteCardTest.java
@@
 class RouteCardTest {
 
+    @Test
+    void markdownHasALineForEveryLeg() {
+        assertEquals("""
+                | to | bearing | length | rise | time |
+                |---|---|--:|--:|--:|
+                | Pass | 000° N | 3.4 km | +600 m | 1:40 |
+                | Lake | 090° E | 3.3 km | -10 m | 0:39 |
+                """, new RouteCard(ROUTE).markdown());
+    }
+

commit main tomas
  Make room for long names on the route card

  Waypoints in the Tatras have long names.
edit src/main/java/org/cairn/RouteCard.java
@@
     public String text() {
+        int width = route.waypoints().stream().mapToInt(point -> point.name().length()).max().orElse(0);
@@
-            card.append(row(leg.to().name(), bearing, leg.length(), leg.rise(), pace.time(leg)));
+            card.append(row(width, leg.to().name(), bearing, leg.length(), leg.rise(), pace.time(leg)));
@@
-        card.append(row("in all", "", route.length(), route.ascent(), withRests(pace.time(route))));
+        card.append(row(width, "in all", "", route.length(), route.ascent(), withRests(pace.time(route))));
@@
-    private static String row(String to, String bearing, double length, double rise, Duration time) {
-        return String.format(Locale.ROOT, "%-12s %-7s %8s %+6.0f m %6s\n",
-                to, bearing, Units.distance(length), rise, Units.duration(time));
+    private static String row(int width, String to, String bearing, double length, double rise, Duration time) {
+        return String.format(Locale.ROOT, "%-" + Math.max(width, 12) + "s %-7s %8s %+6.0f m %6s\n",
+                to, bearing, Units.distance(length), rise, Units.duration(time));
edit src/test/java/org/cairn/RouteCardTest.java
@@
                 """, new RouteCard(ROUTE).text());
     }
+
+    @Test
+    void longNamesPushTheOtherColumnsAside() {
+        var top = new Waypoint("Východná Vysoká", 0.03, 0, 1_300);
+        var route = new Route("Up", List.of(new Waypoint("Hut", 0, 0, 700), top));
+        assertEquals("Východná Vysoká 000° N    3.4 km   +600 m   1:40", new RouteCard(route).text().split("\n")[1]);
+    }

commit markdown iris
  Share the cells between text and Markdown
edit src/main/java/org/cairn/RouteCard.java
@@
 import java.time.Duration;
+import java.util.List;
 import java.util.Locale;
@@
         for (Leg leg : route.legs()) {
-            String bearing = Units.bearing(leg.bearing());
-            card.append(row(leg.to().name(), bearing, leg.length(), leg.rise(), pace.time(leg)));
+            card.append(row(cells(leg)));
         }
-        card.append(row("in all", "", route.length(), route.ascent(), withRests(pace.time(route))));
+        card.append(row(cells("in all", "", route.length(), route.ascent(), withRests(pace.time(route)))));
@@
-            card.append(String.format(Locale.ROOT, "| %s | %s | %s | %+.0f m | %s |\n", leg.to().name(),
-                    Units.bearing(leg.bearing()), Units.distance(leg.length()), leg.rise(),
-                    Units.duration(pace.time(leg))));
+            card.append("| ").append(String.join(" | ", cells(leg))).append(" |\n");
@@
-    private static String row(String to, String bearing, double length, double rise, Duration time) {
-        return String.format(Locale.ROOT, "%-12s %-7s %8s %+6.0f m %6s\n",
-                to, bearing, Units.distance(length), rise, Units.duration(time));
+    private List<String> cells(Leg leg) {
+        return cells(leg.to().name(), Units.bearing(leg.bearing()), leg.length(), leg.rise(), pace.time(leg));
+    }
+
+    private static List<String> cells(String to, String bearing, double length, double rise, Duration time) {
+        String metres = String.format(Locale.ROOT, "%+.0f m", rise);
+        return List.of(to, bearing, Units.distance(length), metres, Units.duration(time));
+    }
+
+    private static String row(List<String> cells) {
+        return String.format("%-12s %-7s %8s %8s %6s\n", cells.toArray());
edit src/test/java/org/cairn/RouteCardTest.java
@@
+    @Test
+    void formsAgreeOnTheirCells() {
+        var card = new RouteCard(ROUTE, leg -> Duration.ofMinutes(90));
+        for (String cell : List.of("090° E", "3.3 km", "-10 m", "1:30")) {
+            assertTrue(card.text().contains(cell));
+            assertTrue(card.markdown().contains(cell));
+        }
+    }
+
     @Test
     void textHasALineForEveryLeg() {
@@
 import static org.junit.jupiter.api.Assertions.assertEquals;
+import static org.junit.jupiter.api.Assertions.assertTrue;
 
+import java.time.Duration;
 import java.util.List;

commit markdown iris
  Escape bars in Markdown

  "Col du Midi | Mittagsjoch" made a column of its own.
edit src/main/java/org/cairn/RouteCard.java
@@
         for (Leg leg : route.legs()) {
-            card.append("| ").append(String.join(" | ", cells(leg))).append(" |\n");
+            List<String> cells = cells(leg).stream().map(cell -> cell.replace("|", "\\|")).toList();
+            card.append("| ").append(String.join(" | ", cells)).append(" |\n");
edit src/test/java/org/cairn/RouteCardTest.java
@@
+    @Test
+    void markdownKeepsABarInANameInItsCell() {
+        var col = new Waypoint("Col | Joch", 0.03, 0, 1_300);
+        var route = new Route("Up", List.of(new Waypoint("Hut", 0, 0, 700), col));
+        assertTrue(new RouteCard(route).markdown().contains("| Col \\| Joch | 000° N |"));
+    }
+
     @Test
     void textHasALineForEveryLeg() {

merge main tomas from markdown
  Merge branch 'markdown'

  Only the plain text needs a width; the cells do not know of it.
resolve src/main/java/org/cairn/RouteCard.java
@@ text
|            card.append(row(width, cells(leg)));
|        }
|        card.append(row(width, cells("in all", "", route.length(), route.ascent(), withRests(pace.time(route)))));
|        return card.toString();
|    }
|
|    /** The card as a Markdown table. */
|    public String markdown() {
|        var card = new StringBuilder("| to | bearing | length | rise | time |\n|---|---|--:|--:|--:|\n");
|        for (Leg leg : route.legs()) {
|            List<String> cells = cells(leg).stream().map(cell -> cell.replace("|", "\\|")).toList();
|            card.append("| ").append(String.join(" | ", cells)).append(" |\n");
|        }
@@ text
|    private List<String> cells(Leg leg) {
|        return cells(leg.to().name(), Units.bearing(leg.bearing()), leg.length(), leg.rise(), pace.time(leg));
|    }
|
|    private static List<String> cells(String to, String bearing, double length, double rise, Duration time) {
|        String metres = String.format(Locale.ROOT, "%+.0f m", rise);
|        return List.of(to, bearing, Units.distance(length), metres, Units.duration(time));
|    }
|
|    private static String row(int width, List<String> cells) {
|        return String.format("%-" + Math.max(width, 12) + "s %-7s %8s %8s %6s\n", cells.toArray());
