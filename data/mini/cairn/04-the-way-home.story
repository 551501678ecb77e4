# Chapter 4: the way home.
#
# Trails make a graph, a planner finds the quickest way over it, and a command line brings everything to people who do
# not write Java. The last merge is right only because somebody looked beyond the conflicts.

commit main joon
  Plan the quickest way over a graph of trails
write src/main/java/org/cairn/TrailGraph.java
|package org.cairn;
|
|import java.util.ArrayList;
|import java.util.HashMap;
|import java.util.List;
|import java.util.Map;
|
|/** Trails between places; all can be walked both ways. */
|public final class TrailGraph {
|
|    private final Map<Waypoint, List<Leg>> legs = new HashMap<>();
|
|    public void addTrail(Waypoint... places) {
|        for (int i = 1; i < places.length; i++) {
|            add(new Leg(places[i - 1], places[i]));
|            add(new Leg(places[i], places[i - 1]));
|        }
|    }
|
|    /** The legs that begin at a place. */
|    public List<Leg> from(Waypoint place) {
|        return legs.getOrDefault(place, List.of());
|    }
|
|    private void add(Leg leg) {
|        legs.computeIfAbsent(leg.from(), place -> new ArrayList<>()).add(leg);
|    }
|}
write src/main/java/org/cairn/Planner.java
|package org.cairn;
|
|import java.time.Duration;
|import java.util.ArrayDeque;
|import java.util.HashMap;
|import java.util.List;
|import java.util.Map;
|import java.util.Optional;
|import java.util.PriorityQueue;
|
|/** Finds ways over a graph of trails, by Dijkstra's algorithm. */
|public final class Planner {
|
|    private final TrailGraph graph;
|    private final Pace pace;
|
|    public Planner(TrailGraph graph, Pace pace) {
|        this.graph = graph;
|        this.pace = pace;
|    }
|
|    /** The quickest way, if there is any. */
|    public Optional<Route> plan(Waypoint start, Waypoint goal) {
|        var queue = new PriorityQueue<Stop>();
|        var before = new HashMap<Waypoint, Waypoint>();
|        queue.add(new Stop(start, start, Duration.ZERO));
|        while (!queue.isEmpty()) {
|            Stop stop = queue.remove();
|            if (before.putIfAbsent(stop.place(), stop.from()) != null) {
|                continue;
|            }
|            if (stop.place().equals(goal)) {
|                return Optional.of(trace(before, start, goal));
|            }
|            for (Leg leg : graph.from(stop.place())) {
|                queue.add(new Stop(leg.to(), leg.from(), stop.time().plus(pace.time(leg))));
|            }
|        }
|        return Optional.empty();
|    }
|
|    private static Route trace(Map<Waypoint, Waypoint> before, Waypoint start, Waypoint goal) {
|        var places = new ArrayDeque<Waypoint>();
|        for (Waypoint place = goal; !place.equals(start); place = before.get(place)) {
|            places.addFirst(place);
|        }
|        places.addFirst(start);
|        return new Route(start.name() + " to " + goal.name(), List.copyOf(places));
|    }
|
|    private record Stop(Waypoint place, Waypoint from, Duration time) implements Comparable<Stop> {
|
|        @Override
|        public int compareTo(Stop other) {
|            return time.compareTo(other.time);
|        }
|    }
|}
write src/test/java/org/cairn/PlannerTest.java
|package org.cairn;
|
|import static org.junit.jupiter.api.Assertions.assertEquals;
|import static org.junit.jupiter.api.Assertions.assertTrue;
|
|import java.util.List;
|import org.junit.jupiter.api.Test;
|
|class PlannerTest {
|
|    private static final Waypoint HUT = new Waypoint("Hut", 0, 0, 700);
|    private static final Waypoint PASS = new Waypoint("Pass", 0.02, 0, 1_400);
|    private static final Waypoint FORD = new Waypoint("Ford", 0.02, 0.02, 700);
|    private static final Waypoint LAKE = new Waypoint("Lake", 0.04, 0, 700);
|    private static final Waypoint ISLAND = new Waypoint("Island", 1, 1, 0);
|
|    private final TrailGraph graph = new TrailGraph();
|    private final Planner planner = new Planner(graph, Pace.naismith());
|
|    PlannerTest() {
|        graph.addTrail(HUT, PASS, LAKE);
|        graph.addTrail(HUT, FORD, LAKE);
|    }
|
|    @Test
|    void goesAroundThePassWhenThatIsQuicker() {
|        assertEquals(List.of(HUT, FORD, LAKE), planner.plan(HUT, LAKE).orElseThrow().waypoints());
|    }
|
|    @Test
|    void findsNoWayToAnIsland() {
|        assertTrue(planner.plan(HUT, ISLAND).isEmpty());
|    }
|}

# Merge 10, in two files. Mara's chain of three on Planner.java against Joon's closed trails: one line of the search, one
# line of its documentation and the same gap in TrailGraph.java.

branch closures from main
commit main mara
  Plan by way of other places

  Nobody goes past the hut where the keys are.
edit src/main/java/org/cairn/Planner.java
@@
 import java.util.ArrayDeque;
+import java.util.ArrayList;
@@
+    /** The quickest way that calls at all {@code stops} in this order, if there is any. */
+    public Optional<Route> planVia(Waypoint... stops) {
+        var places = new ArrayList<Waypoint>(List.of(stops[0]));
+        for (int i = 1; i < stops.length; i++) {
+            Optional<Route> stage = plan(stops[i - 1], stops[i]);
+            if (stage.isEmpty()) {
+                return stage;
+            }
+            stage.get().waypoints().stream().skip(1).forEach(places::add);
+        }
+        return Optional.of(new Route("by way of " + stops[1].name(), places));
+    }
+
     private static Route trace(Map<Waypoint, Waypoint> before, Waypoint start, Waypoint goal) {
edit src/test/java/org/cairn/PlannerTest.java
@@
+    @Test
+    void callsAtThePassWhenAskedTo() {
+        assertEquals(List.of(HUT, PASS, LAKE), planner.planVia(HUT, PASS, LAKE).orElseThrow().waypoints());
+    }
+
     @Test
     void findsNoWayToAnIsland() {

commit main mara
  Refuse places that no trail touches

  A misspelt hut searched all of Lapland and then found no way.
edit src/main/java/org/cairn/Planner.java
@@
-    /** The quickest way, if there is any. */
+    /**
+     * The quickest way, if there is any.
+     *
+     * @throws IllegalArgumentException when no trail touches one of the places
+     */
     public Optional<Route> plan(Waypoint start, Waypoint goal) {
+        graph.requireTrail(start);
+        graph.requireTrail(goal);
edit src/main/java/org/cairn/TrailGraph.java
@@
         return legs.getOrDefault(place, List.of());
     }
+
+    void requireTrail(Waypoint place) {
+        if (!legs.containsKey(place)) {
+            throw new IllegalArgumentException("no trail touches " + place.name());
+        }
+    }
edit src/test/java/org/cairn/PlannerTest.java
@@
-    void findsNoWayToAnIsland() {
-        assertTrue(planner.plan(HUT, ISLAND).isEmpty());
+    void refusesAnIsland() {
+        assertThrows(IllegalArgumentException.class, () -> planner.plan(HUT, ISLAND));
     }
+
+    @Test
+    void findsNoWayToAnotherRange() {
+        graph.addTrail(ISLAND, new Waypoint("Cliff", 1, 1.01, 90));
+        assertTrue(planner.plan(HUT, ISLAND).isEmpty());
+    }
@@
 import static org.junit.jupiter.api.Assertions.assertEquals;
+import static org.junit.jupiter.api.Assertions.assertThrows;

commit closures joon
  Plan around closed trails

  A closed trail stays in the graph: the map still has to draw it.
edit src/main/java/org/cairn/TrailGraph.java
@@
 import java.util.HashMap;
+import java.util.HashSet;
 import java.util.List;
 import java.util.Map;
+import java.util.Set;
@@
     private final Map<Waypoint, List<Leg>> legs = new HashMap<>();
+    private final Set<Leg> closed = new HashSet<>();
@@
         return legs.getOrDefault(place, List.of());
     }
+
+    /** Closes the trail between two neighbours, both ways. */
+    public void close(Waypoint one, Waypoint other) {
+        closed.add(new Leg(one, other));
+        closed.add(new Leg(other, one));
+    }
+
+    public boolean isOpen(Leg leg) {
+        return !closed.contains(leg);
+    }
edit src/main/java/org/cairn/Planner.java
@@
-    /** The quickest way, if there is any. */
+    /** The quickest way over open trails, if there is any. */
@@
             for (Leg leg : graph.from(stop.place())) {
-                queue.add(new Stop(leg.to(), leg.from(), stop.time().plus(pace.time(leg))));
+                if (graph.isOpen(leg)) {
+                    queue.add(new Stop(leg.to(), leg.from(), stop.time().plus(pace.time(leg))));
+                }
             }
edit src/test/java/org/cairn/PlannerTest.java
@@
     PlannerTest() {
         graph.addTrail(HUT, PASS, LAKE);
         graph.addTrail(HUT, FORD, LAKE);
     }
+
+    @Test
+    void takesThePassWhenTheFordIsClosed() {
+        graph.close(LAKE, FORD);
+        assertEquals(List.of(HUT, PASS, LAKE), planner.plan(HUT, LAKE).orElseThrow().waypoints());
+    }

commit main mara
  Do not queue places that were reached already

  Every leg was looked at from both ends.
edit src/main/java/org/cairn/Planner.java
@@
             for (Leg leg : graph.from(stop.place())) {
-                queue.add(new Stop(leg.to(), leg.from(), stop.time().plus(pace.time(leg))));
+                if (!before.containsKey(leg.to())) {
+                    queue.add(new Stop(leg.to(), leg.from(), stop.time().plus(pace.time(leg))));
+                }
             }

merge main joon from closures
  Merge branch 'closures'
resolve src/main/java/org/cairn/Planner.java
@@ text
|    /**
|     * The quickest way over open trails, if there is any.
|     *
|     * @throws IllegalArgumentException when no trail touches one of the places, be it open or closed
|     */
@@ text
|                if (graph.isOpen(leg) && !before.containsKey(leg.to())) {
resolve src/main/java/org/cairn/TrailGraph.java
@@ text
|    /** Closes the trail between two neighbours, both ways. */
|    public void close(Waypoint one, Waypoint other) {
|        closed.add(new Leg(one, other));
|        closed.add(new Leg(other, one));
|    }
|
|    public boolean isOpen(Leg leg) {
|        return !closed.contains(leg);
|    }
|
|    void requireTrail(Waypoint place) {
|        if (!legs.containsKey(place)) {
|            throw new IllegalArgumentException("no trail touches " + place.name());
|        }

# A chain of three on Pace.java; the last commit takes back the name that the first one chose.

commit main joon
  Let a party take longer than one walker
edit src/main/java/org/cairn/Pace.java
@@
+    /** The same pace with everything taking {@code factor} times as long. */
+    default Pace times(double factor) {
+        return leg -> seconds(factor * time(leg).toSeconds());
+    }
+
     /** Twelve minutes a kilometre, and six seconds more for each metre of climb (Naismith, 1892, in round numbers). */

commit main mara
  Add a pace for snow
edit src/main/java/org/cairn/Pace.java
@@
+    /** On snowshoes: twice as slow, and ways down win nothing. */
+    static Pace snow() {
+        return naismith().times(2);
+    }
+
     private static Duration seconds(double seconds) {

commit main mara
  Rename times() to slowedBy(), which cannot be misread

  A reviewer took naismith().times(2) for twice as fast. Factors that
  would be are refused now.
edit src/main/java/org/cairn/Pace.java
@@
-    /** The same pace with everything taking {@code factor} times as long. */
-    default Pace times(double factor) {
+    /** The same pace with everything taking {@code factor} times as long; at least 1. */
+    default Pace slowedBy(double factor) {
+        if (!(factor >= 1)) {
+            throw new IllegalArgumentException("a party is not faster than its walkers: " + factor);
+        }
         return leg -> seconds(factor * time(leg).toSeconds());
@@
-        return naismith().times(2);
+        return naismith().slowedBy(2);
edit src/test/java/org/cairn/PaceTest.java
@@
+    @Test
+    void snowTakesTwiceAsLong() {
+        assertEquals(Duration.ofSeconds(2 * 4_032), Pace.snow().time(leg(0, 600)));
+    }
+
     @Test
     void gentleDescentsAreQuickAndSteepOnesSlow() {

commit main tomas
  Print route cards from the command line
write src/main/java/org/cairn/Cairn.java
|package org.cairn;
|
|import java.io.IOException;
|import java.io.InputStream;
|import java.io.PrintStream;
|import java.nio.file.Files;
|import java.nio.file.Path;
|
|/** The command line. */
|public final class Cairn {
|
|    private static final String USAGE = """
|            usage: cairn COMMAND FILE.gpx
|              card      print the route card
|            """;
|
|    private Cairn() {
|    }
|
|    public static void main(String[] args) {
|        System.exit(run(args, System.out, System.err));
|    }
|
|    static int run(String[] args, PrintStream out, PrintStream err) {
|        if (args.length != 2) {
|            err.print(USAGE);
|            return 2;
|        }
|        try (InputStream in = Files.newInputStream(Path.of(args[1]))) {
|            Route route = GpxReader.read(in);
|            switch (args[0]) {
|                case "card" -> out.print(new RouteCard(route).text());
|                default -> err.print(USAGE);
|            }
|            return 0;
|        } catch (IOException e) {
|            err.println(e.getMessage());
|            return 1;
|        }
|    }
|}
write src/test/java/org/cairn/CairnTest.java
|package org.cairn;
|
|import static java.nio.charset.StandardCharsets.UTF_8;
|import static org.junit.jupiter.api.Assertions.assertEquals;
|import static org.junit.jupiter.api.Assertions.assertTrue;
|
|import java.io.ByteArrayOutputStream;
|import java.io.PrintStream;
|import org.junit.jupiter.api.Test;
|
|class CairnTest {
|
|    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
|
|    private int run(String... args) {
|        var stream = new PrintStream(printed, true, UTF_8);
|        return Cairn.run(args, stream, stream);
|    }
|
|    @Test
|    void explainsItself() {
|        assertEquals(2, run());
|        assertTrue(printed.toString(UTF_8).startsWith("usage: cairn "));
|    }
|}
edit README.md
@@
 Needs Java 17. Build and test with `mvn verify`. Licensed under Apache-2.0.
+
+    java -cp target/classes org.cairn.Cairn card kungsleden.gpx

# Merge 11, two regions in one file, and evil. A chain of three by Tomáš on Cairn.java against a new command by Iris. In
# between Mara has renamed Route.length(), which Iris's new file still calls: it merges cleanly and does not compile.

branch summary from main
commit main tomas
  Print the card as Markdown with a command of its own
edit src/main/java/org/cairn/Cairn.java
@@
               card      print the route card
+              markdown  print it as a Markdown table
             """;
@@
                 case "card" -> out.print(new RouteCard(route).text());
+                case "markdown" -> out.print(new RouteCard(route).markdown());

commit main tomas
  Say what is wrong with a file

  A missing file was reported by its name alone.
edit src/main/java/org/cairn/Cairn.java
@@
 import java.nio.file.Files;
+import java.nio.file.NoSuchFileException;
 import java.nio.file.Path;
@@
+        } catch (NoSuchFileException e) {
+            err.println("cairn: there is no file " + args[1]);
+            return 1;
         } catch (IOException e) {
-            err.println(e.getMessage());
+            err.println("cairn: " + args[1] + ": " + e.getMessage());
edit src/test/java/org/cairn/CairnTest.java
@@
     @Test
+    void namesAMissingFile() {
+        assertEquals(1, run("card", "no-such.gpx"));
+        assertEquals("cairn: there is no file no-such.gpx", printed.toString(UTF_8).strip());
+    }
+
+    @Test
     void explainsItself() {

commit summary iris
  Sum a route up, with the notes along it

  The notes were read from GPX files, but never shown.
write src/main/java/org/cairn/Summary.java
|package org.cairn;
|
|import java.util.Locale;
|
|/** A route in a few lines. */
|record Summary(Route route) {
|
|    String text() {
|        var text = new StringBuilder(String.format(Locale.ROOT, "%s: %s, %.0f m up, %.0f m down\n",
|                route.name(), Units.distance(route.length()), route.ascent(), route.descent()));
|        for (Waypoint waypoint : route.waypoints()) {
|            if (!waypoint.note().isEmpty()) {
|                text.append("  ").append(waypoint.name()).append(": ").append(waypoint.note()).append('\n');
|            }
|        }
|        return text.toString();
|    }
|}
write src/test/java/org/cairn/SummaryTest.java
|package org.cairn;
|
|import static org.junit.jupiter.api.Assertions.assertEquals;
|
|import java.util.List;
|import org.junit.jupiter.api.Test;
|
|class SummaryTest {
|
|    @Test
|    void showsTheNotes() {
|        var ford = new Waypoint("Ford", 0, 0.01, 690, WaypointKind.FORD, "bridge gone");
|        var route = new Route("Valley", List.of(new Waypoint("Hut", 0, 0, 700), ford));
|        assertEquals("Valley: 1.1 km, 0 m up, 10 m down\n  Ford: bridge gone\n", new Summary(route).text());
|    }
|}
edit src/main/java/org/cairn/Cairn.java
@@
               card      print the route card
+              summary   print length, climb and notes
             """;
@@
                 case "card" -> out.print(new RouteCard(route).text());
+                case "summary" -> out.print(new Summary(route).text());

commit main tomas
  Fail when a command is unknown

  It printed the usage, but told the shell that all was well.
edit src/main/java/org/cairn/Cairn.java
@@
-                default -> err.print(USAGE);
+                default -> {
+                    err.print(USAGE);
+                    return 2;
+                }

commit main mara
  Rename Route.length() to distance()

  Two people took the length of a route for the number of its
  waypoints, as with an array.
edit src/main/java/org/cairn/Route.java
@@
-    /** Length in metres. */
-    public double length() {
+    /** Metres to walk. */
+    public double distance() {
edit src/main/java/org/cairn/RouteCard.java
@@
-        card.append(row(width, cells("in all", "", route.length(), route.ascent(), withRests(pace.time(route)))));
+        card.append(row(width, cells("in all", "", route.distance(), route.ascent(), withRests(pace.time(route)))));
edit src/test/java/org/cairn/RouteTest.java
@@
-    void lengthAddsUpTheLegs() {
+    void distanceAddsUpTheLegs() {
@@
-        assertEquals(333_000, route.length(), 1_000);
+        assertEquals(333_000, route.distance(), 1_000);
@@
-    void lengthIsMeasuredAlongTheSlope() {
+    void distanceIsMeasuredAlongTheSlope() {
@@
-        assertEquals(157, route.length(), 1);
+        assertEquals(157, route.distance(), 1);

merge main mara from summary
  Merge branch 'summary'

  Summary is new and knows Route.length() only by its old name.
resolve src/main/java/org/cairn/Cairn.java
@@ both
@@ text
|                case "markdown" -> out.print(new RouteCard(route).markdown());
|                case "summary" -> out.print(new Summary(route).text());
|                default -> {
|                    err.print(USAGE);
|                    return 2;
|                }
edit src/main/java/org/cairn/Summary.java
@@
-                route.name(), Units.distance(route.length()), route.ascent(), route.descent()));
+                route.name(), Units.distance(route.distance()), route.ascent(), route.descent()));
