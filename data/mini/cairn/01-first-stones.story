# cairn, chapter 1: first stones.
#
# Mara guides in the north and wants her route cards written by a machine. Joon knows about spheres, Iris about
# formats, Tomáš walks in the Tatras and owns a GPS. A waypoint, a distance, a route, and the first two quarrels
# about how long a walk is.

repository mini/cairn
language java
topics java hiking route-planning gpx
start 2024-03-04T09:00:00+01:00
person mara Mara Lindqvist <mara@cairn.example>
person joon Joon Park <joon@cairn.example>
person iris Iris Delgado <iris@cairn.example>
person tomas Tomáš Novák <tomas@cairn.example>

commit main mara
  Start with a waypoint

  cairn is to plan walks: places, the routes between them and the
  time they take on foot. It begins with a place that cannot lie
  about where it is.
write .gitignore
|target/
write README.md
|# cairn
|
|Plans walks in the hills: waypoints, routes, walking times and the route card to leave with the hut warden.
|
|Needs Java 17. Build and test with `mvn verify`. Licensed under Apache-2.0.
write pom.xml
|<?xml version="1.0" encoding="UTF-8"?>
|<project xmlns="http://maven.apache.org/POM/4.0.0">
|  <modelVersion>4.0.0</modelVersion>
|  <groupId>org.cairn</groupId>
|  <artifactId>cairn</artifactId>
|  <version>0.1.0-SNAPSHOT</version>
|  <properties>
|    <maven.compiler.release>17</maven.compiler.release>
|    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
|  </properties>
|  <dependencies>
|    <dependency>
|      <groupId>org.junit.jupiter</groupId>
|      <artifactId>junit-jupiter</artifactId>
|      <version>5.10.2</version>
|      <scope>test</scope>
|    </dependency>
|  </dependencies>
|</project>
write src/main/java/org/cairn/Waypoint.java
|package org.cairn;
|
|/** A named place: degrees north and east, metres above the sea. */
|public record Waypoint(String name, double latitude, double longitude, double elevation) {
|
|    public Waypoint {
|        if (name.isBlank()) {
|            throw new IllegalArgumentException("a waypoint needs a name");
|        }
|        if (!(Math.abs(latitude) <= 90)) {
|            throw new IllegalArgumentException("no such latitude: " + latitude);
|        }
|        if (!(Math.abs(longitude) <= 180)) {
|            throw new IllegalArgumentException("no such longitude: " + longitude);
|        }
|    }
|}
write src/test/java/org/cairn/WaypointTest.java
|package org.cairn;
|
|import static org.junit.jupiter.api.Assertions.assertThrows;
|
|import org.junit.jupiter.api.Test;
|
|class WaypointTest {
|
|    @Test
|    void refusesALatitudeThatIsNotANumber() {
|        assertThrows(IllegalArgumentException.class, () -> new Waypoint("nowhere", Double.NaN, 0, 0));
|    }
|
|    @Test
|    void refusesAnEmptyName() {
|        assertThrows(IllegalArgumentException.class, () -> new Waypoint(" ", 0, 0, 0));
|    }
|}

commit main joon
  Measure the distance between two waypoints
write src/main/java/org/cairn/GeoMath.java
|package org.cairn;
|
|/** Distances on a round earth. */
|final class GeoMath {
|
|    /** Mean radius of the earth in metres. */
|    private static final double EARTH_RADIUS = 6_371_008.8;
|
|    private GeoMath() {
|    }
|
|    /** Great-circle distance in metres, by the haversine formula. */
|    static double distance(Waypoint a, Waypoint b) {
|        double lat1 = Math.toRadians(a.latitude());
|        double lat2 = Math.toRadians(b.latitude());
|        double dLat = lat2 - lat1;
|        double dLon = Math.toRadians(b.longitude() - a.longitude());
|        double h = square(Math.sin(dLat / 2)) + Math.cos(lat1) * Math.cos(lat2) * square(Math.sin(dLon / 2));
|        return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(h));
|    }
|
|    private static double square(double x) {
|        return x * x;
|    }
|}
write src/test/java/org/cairn/GeoMathTest.java
|package org.cairn;
|
|import static org.junit.jupiter.api.Assertions.assertEquals;
|
|import org.junit.jupiter.api.Test;
|
|class GeoMathTest {
|
|    private static final Waypoint ORIGIN = new Waypoint("origin", 0, 0, 0);
|
|    @Test
|    void aDegreeOfLatitudeIsAbout111Kilometres() {
|        assertEquals(111_195, GeoMath.distance(ORIGIN, new Waypoint("north", 1, 0, 0)), 1);
|    }
|}

commit main mara
  Add Route, waypoints in walking order
write src/main/java/org/cairn/Route.java
|package org.cairn;
|
|import java.util.List;
|
|/** Waypoints in walking order; there are always at least two. */
|public record Route(String name, List<Waypoint> waypoints) {
|
|    public Route {
|        waypoints = List.copyOf(waypoints);
|        if (waypoints.size() < 2) {
|            throw new IllegalArgumentException("a route needs two waypoints, not " + waypoints.size());
|        }
|    }
|
|    /** Length in metres. */
|    public double length() {
|        double sum = 0;
|        for (int i = 1; i < waypoints.size(); i++) {
|            sum += GeoMath.distance(waypoints.get(i - 1), waypoints.get(i));
|        }
|        return sum;
|    }
|}
write src/test/java/org/cairn/RouteTest.java
|package org.cairn;
|
|import static org.junit.jupiter.api.Assertions.assertEquals;
|import static org.junit.jupiter.api.Assertions.assertThrows;
|
|import java.util.List;
|import org.junit.jupiter.api.Test;
|
|class RouteTest {
|
|    private static Waypoint at(double latitude, double elevation) {
|        return new Waypoint("at " + latitude, latitude, 0, elevation);
|    }
|
|    @Test
|    void lengthAddsUpTheLegs() {
|        var route = new Route("north", List.of(at(0, 0), at(1, 0), at(3, 0)));
|        assertEquals(333_000, route.length(), 1_000);
|    }
|
|    @Test
|    void oneWaypointIsNoRoute() {
|        assertThrows(IllegalArgumentException.class, () -> new Route("stay", List.of(at(0, 0))));
|    }
|}

# A chain of four on GeoMath.java: the third commit mends the first.

commit main joon
  Compute the bearing from one waypoint to another
edit src/main/java/org/cairn/GeoMath.java
@@
-/** Distances on a round earth. */
+/** Distances and bearings on a round earth. */
@@
+    /** Direction in which to set out from {@code a} to reach {@code b}, in degrees. */
+    static double bearing(Waypoint a, Waypoint b) {
+        double lat1 = Math.toRadians(a.latitude());
+        double lat2 = Math.toRadians(b.latitude());
+        double dLon = Math.toRadians(b.longitude() - a.longitude());
+        double east = Math.sin(dLon) * Math.cos(lat2);
+        double north = Math.cos(lat1) * Math.sin(lat2) - Math.sin(lat1) * Math.cos(lat2) * Math.cos(dLon);
+        return Math.toDegrees(Math.atan2(east, north));
+    }
+
     private static double square(double x) {

commit main joon
  Name the compass point of a bearing
edit src/main/java/org/cairn/GeoMath.java
@@
     private static final double EARTH_RADIUS = 6_371_008.8;
+
+    private static final String[] COMPASS = {"N", "NE", "E", "SE", "S", "SW", "W", "NW"};
@@
+    /** The nearest of the eight points of the compass. */
+    static String compassPoint(double bearing) {
+        return COMPASS[(int) Math.round(bearing / 45) % 8];
+    }
+
     private static double square(double x) {

commit main mara
  Keep bearings between 0 and 360 degrees

  Due west came out as -90, which no compass shows and
  compassPoint() cannot look up.
edit src/main/java/org/cairn/GeoMath.java
@@
-    /** Direction in which to set out from {@code a} to reach {@code b}, in degrees. */
+    /** Direction in which to set out from {@code a} to reach {@code b}, in degrees clockwise from north. */
@@
-        return Math.toDegrees(Math.atan2(east, north));
+        return (Math.toDegrees(Math.atan2(east, north)) + 360) % 360;

commit main joon
  Tell radians from degrees by their names

  Greek letters are radians, as in the textbooks; latitude and
  longitude stay degrees.
edit src/main/java/org/cairn/GeoMath.java
@@
     static double distance(Waypoint a, Waypoint b) {
-        double lat1 = Math.toRadians(a.latitude());
-        double lat2 = Math.toRadians(b.latitude());
-        double dLat = lat2 - lat1;
-        double dLon = Math.toRadians(b.longitude() - a.longitude());
-        double h = square(Math.sin(dLat / 2)) + Math.cos(lat1) * Math.cos(lat2) * square(Math.sin(dLon / 2));
+        double phi1 = Math.toRadians(a.latitude());
+        double phi2 = Math.toRadians(b.latitude());
+        double lambda = Math.toRadians(b.longitude() - a.longitude());
+        double h = square(Math.sin((phi2 - phi1) / 2))
+                + Math.cos(phi1) * Math.cos(phi2) * square(Math.sin(lambda / 2));
@@
     static double bearing(Waypoint a, Waypoint b) {
-        double lat1 = Math.toRadians(a.latitude());
-        double lat2 = Math.toRadians(b.latitude());
-        double dLon = Math.toRadians(b.longitude() - a.longitude());
-        double east = Math.sin(dLon) * Math.cos(lat2);
-        double north = Math.cos(lat1) * Math.sin(lat2) - Math.sin(lat1) * Math.cos(lat2) * Math.cos(dLon);
+        double phi1 = Math.toRadians(a.latitude());
+        double phi2 = Math.toRadians(b.latitude());
+        double lambda = Math.toRadians(b.longitude() - a.longitude());
+        double east = Math.sin(lambda) * Math.cos(phi2);
+        double north = Math.cos(phi1) * Math.sin(phi2) - Math.sin(phi1) * Math.cos(phi2) * Math.cos(lambda);

# Merge 1. Tomáš and Iris both find that a walk up a slope is longer than its map. Iris's way makes his needless.

branch legs from main
commit legs iris
  Split a route into legs

  Bearing, rise and length belong to a leg; the route only adds
  them up. A leg is measured along the slope, since that is where
  one walks.
write src/main/java/org/cairn/Leg.java
|package org.cairn;
|
|/** The straight stretch from one waypoint to the next. */
|public record Leg(Waypoint from, Waypoint to) {
|
|    /** Metres gained on the way; negative when the leg goes down. */
|    public double rise() {
|        return to.elevation() - from.elevation();
|    }
|
|    /** Length in metres along the slope. */
|    public double length() {
|        return Math.hypot(GeoMath.distance(from, to), rise());
|    }
|
|    /** Direction in which to set out, in degrees clockwise from north. */
|    public double bearing() {
|        return GeoMath.bearing(from, to);
|    }
|}
edit src/main/java/org/cairn/Route.java
@@
 import java.util.List;
+import java.util.stream.IntStream;
@@
+    /** The stretches between neighbouring waypoints. */
+    public List<Leg> legs() {
+        return IntStream.range(1, waypoints.size())
+                .mapToObj(i -> new Leg(waypoints.get(i - 1), waypoints.get(i)))
+                .toList();
+    }
+
     /** Length in metres. */
     public double length() {
-        double sum = 0;
-        for (int i = 1; i < waypoints.size(); i++) {
-            sum += GeoMath.distance(waypoints.get(i - 1), waypoints.get(i));
-        }
-        return sum;
+        return legs().stream().mapToDouble(Leg::length).sum();
     }
write src/test/java/org/cairn/LegTest.java
|package org.cairn;
|
|import static org.junit.jupiter.api.Assertions.assertEquals;
|
|import org.junit.jupiter.api.Test;
|
|class LegTest {
|
|    private static final Waypoint HUT = new Waypoint("hut", 0, 0, 700);
|
|    @Test
|    void bearsWestAt270Degrees() {
|        var leg = new Leg(HUT, new Waypoint("west", 0, -0.1, 700));
|        assertEquals(270, leg.bearing(), 1e-9);
|        assertEquals("W", GeoMath.compassPoint(leg.bearing()));
|    }
|
|    @Test
|    void goesDownByANegativeRise() {
|        assertEquals(-300, new Leg(HUT, new Waypoint("lake", 0, 0.1, 400)).rise());
|    }
|}

commit main tomas
  Measure routes along the slope

  My GPS showed 14.1 km for a walk that the route said was 13.6.
edit src/main/java/org/cairn/Route.java
@@
         for (int i = 1; i < waypoints.size(); i++) {
-            sum += GeoMath.distance(waypoints.get(i - 1), waypoints.get(i));
+            Waypoint from = waypoints.get(i - 1);
+            Waypoint to = waypoints.get(i);
+            sum += Math.hypot(GeoMath.distance(from, to), to.elevation() - from.elevation());
         }
edit src/test/java/org/cairn/RouteTest.java
@@
     @Test
+    void lengthIsMeasuredAlongTheSlope() {
+        var route = new Route("steep", List.of(at(0, 0), at(0.001, 111)));
+        assertEquals(157, route.length(), 1);
+    }
+
+    @Test
     void oneWaypointIsNoRoute() {

merge main mara from legs
  Merge branch 'legs'

  A leg already measures along the slope, so the loop in
  Route.length() goes; the test for it stays.
resolve src/main/java/org/cairn/Route.java
@@ theirs

commit main mara
  Estimate walking time by Naismith's rule
write src/main/java/org/cairn/Naismith.java
|package org.cairn;
|
|import java.time.Duration;
|
|/** Naismith's rule of 1892: an hour for every five kilometres, and one more for every 600 metres of climb. */
|public final class Naismith {
|
|    private Naismith() {
|    }
|
|    /** Time for a whole route. */
|    public static Duration time(Route route) {
|        Duration sum = Duration.ZERO;
|        for (Leg leg : route.legs()) {
|            sum = sum.plus(time(leg));
|        }
|        return sum;
|    }
|
|    /** Time for one leg, to the second. */
|    public static Duration time(Leg leg) {
|        double hours = leg.length() / 5_000;
|        if (leg.rise() > 0) {
|            hours += leg.rise() / 600;
|        }
|        return Duration.ofSeconds(Math.round(hours * 3_600));
|    }
|}
edit src/main/java/org/cairn/Route.java
@@
         return legs().stream().mapToDouble(Leg::length).sum();
     }
+
+    /** Metres climbed in total. */
+    public double ascent() {
+        double sum = 0;
+        for (Leg leg : legs()) {
+            sum += Math.max(0, leg.rise());
+        }
+        return sum;
+    }
write src/test/java/org/cairn/NaismithTest.java
|package org.cairn;
|
|import static org.junit.jupiter.api.Assertions.assertEquals;
|
|import java.time.Duration;
|import org.junit.jupiter.api.Test;
|
|class NaismithTest {
|
|    @Test
|    void climbingStraightUpTakesClimbAndLength() {
|        var leg = new Leg(new Waypoint("foot", 0, 0, 0), new Waypoint("top", 0, 0, 600));
|        assertEquals(Duration.ofMinutes(67).plusSeconds(12), Naismith.time(leg));
|    }
|}

# Merge 2. Joon filters the jitter of a GPS out of ascent() while Iris turns it into a stream with a descent() beside it.
# Neither version survives: both sums need the filter, and a stream cannot look back.

branch gps-noise from main
commit gps-noise joon
  Ignore the jitter of a GPS in the ascent

  A receiver at rest wanders by a metre or two. Over a day of track
  points that added up to an Everest of climbing on flat ground. Now
  the height must change by five metres before it counts.
edit src/main/java/org/cairn/Route.java
@@
 public record Route(String name, List<Waypoint> waypoints) {
+
+    /** Metres by which the height must change before it counts as climbing. */
+    private static final double NOISE = 5;
@@
     public double ascent() {
         double sum = 0;
-        for (Leg leg : legs()) {
-            sum += Math.max(0, leg.rise());
+        double reference = waypoints.get(0).elevation();
+        for (Waypoint waypoint : waypoints) {
+            double rise = waypoint.elevation() - reference;
+            if (Math.abs(rise) >= NOISE) {
+                sum += Math.max(0, rise);
+                reference = waypoint.elevation();
+            }
         }
edit src/test/java/org/cairn/RouteTest.java
@@
     @Test
+    void jitterIsNotClimbing() {
+        var track = List.of(at(0, 700), at(0.1, 702), at(0.2, 699), at(0.3, 702), at(0.4, 709));
+        assertEquals(9, new Route("flat, then a step", track).ascent());
+    }
+
+    @Test
     void oneWaypointIsNoRoute() {

commit main iris
  Report the descent of a route as well
edit src/main/java/org/cairn/Route.java
@@
 import java.util.List;
+import java.util.stream.DoubleStream;
@@
     public double ascent() {
-        double sum = 0;
-        for (Leg leg : legs()) {
-            sum += Math.max(0, leg.rise());
-        }
-        return sum;
+        return rises().filter(rise -> rise > 0).sum();
+    }
+
+    /** Metres descended in total, as a positive number. */
+    public double descent() {
+        return -rises().filter(rise -> rise < 0).sum();
+    }
+
+    private DoubleStream rises() {
+        return legs().stream().mapToDouble(Leg::rise);
     }
edit src/test/java/org/cairn/RouteTest.java
@@
 class RouteTest {
 
+    @Test
+    void whatGoesUpComesDown() {
+        var there = new Route("there and back", List.of(at(0, 100), at(1, 900), at(0, 100)));
+        assertEquals(there.ascent(), there.descent());
+    }
+
     private static Waypoint at(double latitude, double elevation) {

merge main joon from gps-noise
  Merge branch 'gps-noise'

  Going up and going down have to agree on what is noise, so both
  are sums over the same steps now.
resolve src/main/java/org/cairn/Route.java
@@ text
|        return steps().filter(step -> step > 0).sum();
|    }
|
|    /** Metres descended in total, as a positive number. */
|    public double descent() {
|        return steps().filter(step -> step < 0).map(Math::abs).sum();
|    }
|
|    /** Changes of height, each taken once it has grown beyond noise. */
|    private DoubleStream steps() {
|        var steps = DoubleStream.builder();
|        double last = waypoints.get(0).elevation();
|        for (Waypoint waypoint : waypoints) {
|            double step = waypoint.elevation() - last;
|            if (Math.abs(step) >= NOISE) {
|                steps.add(step);
|                last = waypoint.elevation();
|            }
|        }
|        return steps.build();
