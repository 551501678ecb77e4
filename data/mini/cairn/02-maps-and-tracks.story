# Chapter 2: maps and tracks.
#
# Numbers that people can read, an earth that is not a ball, GPX files from receivers that all disagree, and a gazetteer
# written by somebody whose editor prefers tabs.

commit main mara
  Write quantities for people
write src/main/java/org/cairn/Units.java
|package org.cairn;
|
|import java.time.Duration;
|
|/** Quantities, written the way a walker reads them. */
|final class Units {
|
|    private Units() {
|    }
|
|    /** Such as "850 m" or "12.3 km". */
|    static String distance(double metres) {
|        if (metres < 1_000) {
|            return "%.0f m".formatted(metres);
|        }
|        return "%.1f km".formatted(metres / 1_000);
|    }
|
|    /** Hours and minutes, such as "3:05". */
|    static String duration(Duration time) {
|        return "%d:%02d".formatted(time.toHours(), time.toMinutesPart());
|    }
|}
write src/test/java/org/cairn/UnitsTest.java
|package org.cairn;
|
|import static org.junit.jupiter.api.Assertions.assertEquals;
|
|import java.time.Duration;
|import org.junit.jupiter.api.Test;
|
|class UnitsTest {
|
|    @Test
|    void shortWaysAreInMetres() {
|        assertEquals("850 m", Units.distance(850.2));
|    }
|
|    @Test
|    void minutesHaveTwoDigits() {
|        assertEquals("3:05", Units.duration(Duration.ofMinutes(185)));
|    }
|}

# Merge 3. Joon renames GeoMath and replaces its radius; Tomáš, who has been to Tibet, changes the same line under the
# old name. Both are right.

branch geodesy from main
commit geodesy joon
  Let the earth be flat at the poles

  The sphere that fits the ellipsoid best depends on the latitude.
  GeoMath was a name for anything, so it is Geodesy now.
rename src/main/java/org/cairn/GeoMath.java -> src/main/java/org/cairn/Geodesy.java
edit src/main/java/org/cairn/Geodesy.java
@@
-/** Distances and bearings on a round earth. */
-final class GeoMath {
+/** Distances and bearings on an earth that is nearly round. */
+final class Geodesy {
 
-    /** Mean radius of the earth in metres. */
-    private static final double EARTH_RADIUS = 6_371_008.8;
+    /** Half axes of the WGS 84 ellipsoid in metres: at the equator, and to the poles. */
+    private static final double A = 6_378_137.0;
+    private static final double B = 6_356_752.3142;
@@
-    private GeoMath() {
+    private Geodesy() {
@@
-        return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(h));
+        return 2 * radius((phi1 + phi2) / 2) * Math.asin(Math.sqrt(h));
@@
+    /** Gauss's radius: the curvature at a latitude, as the mean over all directions. */
+    private static double radius(double phi) {
+        return A * A * B / (square(A * Math.cos(phi)) + square(B * Math.sin(phi)));
+    }
+
     private static double square(double x) {
edit src/main/java/org/cairn/Leg.java
@@
-        return Math.hypot(GeoMath.distance(from, to), rise());
+        return Math.hypot(Geodesy.distance(from, to), rise());
@@
-        return GeoMath.bearing(from, to);
+        return Geodesy.bearing(from, to);
edit src/test/java/org/cairn/LegTest.java
@@
-        assertEquals("W", GeoMath.compassPoint(leg.bearing()));
+        assertEquals("W", Geodesy.compassPoint(leg.bearing()));
rename src/test/java/org/cairn/GeoMathTest.java -> src/test/java/org/cairn/GeodesyTest.java
edit src/test/java/org/cairn/GeodesyTest.java
@@
-class GeoMathTest {
+class GeodesyTest {
@@
-    void aDegreeOfLatitudeIsAbout111Kilometres() {
-        assertEquals(111_195, GeoMath.distance(ORIGIN, new Waypoint("north", 1, 0, 0)), 1);
+    void degreesOfLatitudeGrowTowardsThePoles() {
+        assertEquals(110_946, Geodesy.distance(ORIGIN, new Waypoint("north", 1, 0, 0)), 1);
+        var pole = new Waypoint("pole", 90, 0, 0);
+        assertEquals(111_694, Geodesy.distance(new Waypoint("ice", 89, 0, 0), pole), 1);

commit main tomas
  Measure distances at the height of the trail

  At sea level nobody walks. On the Changtang the difference is a
  metre in every 1.3 km.
edit src/main/java/org/cairn/GeoMath.java
@@
-        return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(h));
+        double height = (a.elevation() + b.elevation()) / 2;
+        return 2 * (EARTH_RADIUS + height) * Math.asin(Math.sqrt(h));
edit src/test/java/org/cairn/LegTest.java
@@
 class LegTest {
 
+    @Test
+    void isLongerHighUp() {
+        var low = new Leg(new Waypoint("pier", 0, 0, 0), new Waypoint("beach", 0, 1, 0));
+        var high = new Leg(new Waypoint("camp", 0, 0, 4_800), new Waypoint("lake", 0, 1, 4_800));
+        assertEquals(1.00075, high.length() / low.length(), 1e-5);
+    }

merge main joon from geodesy
  Merge branch 'geodesy'

  The height goes on top of the radius at that latitude.
resolve src/main/java/org/cairn/Geodesy.java
@@ text
|        double height = (a.elevation() + b.elevation()) / 2;
|        return 2 * (radius((phi1 + phi2) / 2) + height) * Math.asin(Math.sqrt(h));

# Merge 4. A chain of three on Units.java, by Tomáš, whose editor leaves no newline at the end, against one method by
# Mara in the same place. Her method did not know yet that numbers differ by locale.

branch imperial from main
commit imperial tomas
  Write distances in feet and miles

  For the trail club in Vermont.
edit src/main/java/org/cairn/Units.java
@@
         return "%d:%02d".formatted(time.toHours(), time.toMinutesPart());
     }
+
+    /** Such as "750 ft" or "7.6 mi". */
+    static String imperialDistance(double metres) {
+        double feet = metres / 0.3048;
+        if (feet < 1_000) {
+            return "%.0f ft".formatted(feet);
+        }
+        return "%.1f mi".formatted(feet / 5_280);
+    }
style src/main/java/org/cairn/Units.java no-final-newline

commit main mara
  Write bearings with their compass point
edit src/main/java/org/cairn/Units.java
@@
         return "%d:%02d".formatted(time.toHours(), time.toMinutesPart());
     }
+
+    /** Such as "045° NE". */
+    static String bearing(double degrees) {
+        return "%03.0f° %s".formatted(degrees, Geodesy.compassPoint(degrees));
+    }
edit src/test/java/org/cairn/UnitsTest.java
@@
+    @Test
+    void bearingsHaveThreeDigits() {
+        assertEquals("045° NE", Units.bearing(45.3));
+    }
+
     @Test
     void minutesHaveTwoDigits() {

commit imperial tomas
  Write numbers the same in every locale

  A Czech computer wrote "12,3 km", and other programs read that as
  two columns.
edit src/main/java/org/cairn/Units.java
@@
 import java.time.Duration;
+import java.util.Locale;
@@
-            return "%.0f m".formatted(metres);
+            return format("%.0f m", metres);
         }
-        return "%.1f km".formatted(metres / 1_000);
+        return format("%.1f km", metres / 1_000);
@@
-        return "%d:%02d".formatted(time.toHours(), time.toMinutesPart());
+        return format("%d:%02d", time.toHours(), time.toMinutesPart());
@@
-            return "%.0f ft".formatted(feet);
+            return format("%.0f ft", feet);
         }
-        return "%.1f mi".formatted(feet / 5_280);
+        return format("%.1f mi", feet / 5_280);
     }
+
+    private static String format(String format, Object... values) {
+        return String.format(Locale.ROOT, format, values);
+    }

commit imperial tomas
  Round before choosing the unit

  999.7 m became "1000 m", and 999.7 ft "1000 ft".
edit src/main/java/org/cairn/Units.java
@@
-        if (metres < 1_000) {
+        if (Math.round(metres) < 1_000) {
@@
-        if (feet < 1_000) {
+        if (Math.round(feet) < 1_000) {

merge main mara from imperial
  Merge branch 'imperial'

  Bearings are formatted like everything else, 359.7 degrees is no
  longer 360, and the file ends in a newline again.
resolve src/main/java/org/cairn/Units.java
@@ text
|    /** Such as "045° NE". */
|    static String bearing(double degrees) {
|        return format("%03d° %s", Math.round(degrees) % 360, Geodesy.compassPoint(degrees));
|    }
|
|    /** Such as "750 ft" or "7.6 mi". */
|    static String imperialDistance(double metres) {
|        double feet = metres / 0.3048;
|        if (Math.round(feet) < 1_000) {
|            return format("%.0f ft", feet);
|        }
|        return format("%.1f mi", feet / 5_280);
|    }
|
|    private static String format(String format, Object... values) {
|        return String.format(Locale.ROOT, format, values);
|    }
|}

# A chain of five on GpxReader.java: receivers are met one by one. The third commit mends the first. It merges cleanly,
# while Tomáš begins a gazetteer (mind his tabs).

branch gpx from main
commit gpx iris
  Read the waypoints of a GPX file
write src/main/java/org/cairn/GpxReader.java
|package org.cairn;
|
|import java.io.IOException;
|import java.io.InputStream;
|import java.util.ArrayList;
|import javax.xml.stream.XMLInputFactory;
|import javax.xml.stream.XMLStreamException;
|import javax.xml.stream.XMLStreamReader;
|
|/** Reads routes from GPX, the format in which GPS receivers exchange them. */
|public final class GpxReader {
|
|    private GpxReader() {
|    }
|
|    /**
|     * The points of a GPX file, in the order in which they stand there.
|     *
|     * @throws IOException when {@code in} cannot be read or is no GPX
|     */
|    public static Route read(InputStream in) throws IOException {
|        try {
|            XMLStreamReader xml = XMLInputFactory.newFactory().createXMLStreamReader(in);
|            var points = new ArrayList<Waypoint>();
|            while (xml.hasNext()) {
|                xml.next();
|                if (xml.isStartElement() && xml.getLocalName().equals("wpt")) {
|                    points.add(point(xml));
|                }
|            }
|            return new Route("unnamed", points);
|        } catch (XMLStreamException e) {
|            throw new IOException("no GPX file", e);
|        }
|    }
|
|    private static Waypoint point(XMLStreamReader xml) throws XMLStreamException {
|        double latitude = Double.parseDouble(xml.getAttributeValue(null, "lat"));
|        double longitude = Double.parseDouble(xml.getAttributeValue(null, "lon"));
|        double elevation = 0;
|        String name = "";
|        do {
|            xml.next();
|            if (xml.isStartElement()) {
|                switch (xml.getLocalName()) {
|                    case "ele" -> elevation = Double.parseDouble(xml.getElementText());
|                    case "name" -> name = xml.getElementText();
|                    default -> { }
|                }
|            }
|        } while (!(xml.isEndElement() && xml.getLocalName().equals("wpt")));
|        return new Waypoint(name, latitude, longitude, elevation);
|    }
|}
write src/test/java/org/cairn/GpxReaderTest.java
|package org.cairn;
|
|import static org.junit.jupiter.api.Assertions.assertEquals;
|import static org.junit.jupiter.api.Assertions.assertThrows;
|
|import java.io.ByteArrayInputStream;
|import java.io.IOException;
|import java.nio.charset.StandardCharsets;
|import org.junit.jupiter.api.Test;
|
|class GpxReaderTest {
|
|    private static Route read(String gpx) throws IOException {
|        return GpxReader.read(new ByteArrayInputStream(gpx.getBytes(StandardCharsets.UTF_8)));
|    }
|
|    @Test
|    void readsWaypointsInOrder() throws IOException {
|        Route route = read("""
|                <gpx>
|                  <wpt lat="67.868" lon="18.616"><ele>690</ele><name>Station</name></wpt>
|                  <wpt lat="67.903" lon="18.515"><ele>2096.8</ele><name>North top</name></wpt>
|                </gpx>
|                """);
|        assertEquals(new Waypoint("North top", 67.903, 18.515, 2096.8), route.waypoints().get(1));
|    }
|
|    @Test
|    void refusesWhatIsNoXml() {
|        assertThrows(IOException.class, () -> read("JFIF"));
|    }
|}

commit main tomas
  Look places up in a gazetteer
write src/main/java/org/cairn/Gazetteer.java
|package org.cairn;
|
|import java.util.Map;
|import java.util.Optional;
|import java.util.TreeMap;
|
|/** Places by name, read from lines of name, latitude, longitude and elevation with tabs between them. */
|public final class Gazetteer {
|
|	/** Places to try things out with. */
|	private static final String SAMPLE = """
|		Ben Nevis	56.7969	-5.0036	1345
|		Kebnekaise	67.9033	18.5150	2097
|		""";
|
|	private final Map<String, Waypoint> places = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
|
|	public static Gazetteer sample() {
|		return parse(SAMPLE);
|	}
|
|	public static Gazetteer parse(String text) {
|		var gazetteer = new Gazetteer();
|		text.lines().forEach(gazetteer::add);
|		return gazetteer;
|	}
|
|	public Optional<Waypoint> find(String name) {
|		return Optional.ofNullable(places.get(name));
|	}
|
|	private void add(String line) {
|		String[] field = line.split("\t");
|		places.put(field[0], new Waypoint(field[0], Double.parseDouble(field[1]),
|				Double.parseDouble(field[2]), Double.parseDouble(field[3])));
|	}
|}
write src/test/java/org/cairn/GazetteerTest.java
|package org.cairn;
|
|import static org.junit.jupiter.api.Assertions.assertEquals;
|
|import org.junit.jupiter.api.Test;
|
|class GazetteerTest {
|
|	@Test
|	void findsAPlaceWhateverTheCase() {
|		assertEquals(1345, Gazetteer.sample().find("ben nevis").orElseThrow().elevation());
|	}
|}

commit gpx iris
  Read routes and tracks as well as waypoints
edit src/main/java/org/cairn/GpxReader.java
@@
 import java.util.ArrayList;
+import java.util.Set;
@@
 public final class GpxReader {
+
+    private static final Set<String> POINTS = Set.of("wpt", "rtept", "trkpt");
@@
-                if (xml.isStartElement() && xml.getLocalName().equals("wpt")) {
+                if (xml.isStartElement() && POINTS.contains(xml.getLocalName())) {

commit gpx iris
  Do not follow entities out of a GPX file

  A file from the net could have had us read /etc/passwd for it.
edit src/main/java/org/cairn/GpxReader.java
@@
-            XMLStreamReader xml = XMLInputFactory.newFactory().createXMLStreamReader(in);
+            XMLInputFactory factory = XMLInputFactory.newFactory();
+            factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
+            factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
+            XMLStreamReader xml = factory.createXMLStreamReader(in);

commit gpx iris
  Stop at the end of the point that was begun

  The first point of a track swallowed all the others: it waited for
  the end of a wpt.
edit src/main/java/org/cairn/GpxReader.java
@@
     private static Waypoint point(XMLStreamReader xml) throws XMLStreamException {
+        String element = xml.getLocalName();
@@
-        } while (!(xml.isEndElement() && xml.getLocalName().equals("wpt")));
+        } while (!(xml.isEndElement() && xml.getLocalName().equals(element)));

commit gpx mara
  Number the points that have no name

  Receivers name the waypoints, but never the points of a track.
edit src/main/java/org/cairn/GpxReader.java
@@
-                    points.add(point(xml));
+                    points.add(point(xml, "point " + (points.size() + 1)));
@@
-    private static Waypoint point(XMLStreamReader xml) throws XMLStreamException {
+    private static Waypoint point(XMLStreamReader xml, String defaultName) throws XMLStreamException {
@@
-        String name = "";
+        String name = defaultName;
edit src/test/java/org/cairn/GpxReaderTest.java
@@
+    @Test
+    void numbersThePointsOfATrack() throws IOException {
+        Route route = read("<gpx><trkpt lat='1' lon='1'/><trkpt lat='2' lon='2'/></gpx>");
+        assertEquals(new Waypoint("point 2", 2, 2, 0), route.waypoints().get(1));
+    }
+
     @Test
     void refusesWhatIsNoXml() {

commit gpx iris
  Name the route as its file does

  Outside of a point, the first name is that of the file, the route
  or the track.
edit src/main/java/org/cairn/GpxReader.java
@@
             var points = new ArrayList<Waypoint>();
+            String name = "";
             while (xml.hasNext()) {
                 xml.next();
-                if (xml.isStartElement() && POINTS.contains(xml.getLocalName())) {
+                if (!xml.isStartElement()) {
+                    continue;
+                }
+                if (POINTS.contains(xml.getLocalName())) {
                     points.add(point(xml, "point " + (points.size() + 1)));
+                } else if (xml.getLocalName().equals("name") && name.isEmpty()) {
+                    name = xml.getElementText();
                 }
             }
-            return new Route("unnamed", points);
+            return new Route(name.isEmpty() ? "unnamed" : name, points);

merge main iris from gpx
  Merge branch 'gpx'

# Merge 5. Iris reports bad lines while Tomáš allows comments; both add samples to a text block, where a stray blank or a
# tab made into blanks would change the data. Note the line of nothing but two tabs.

branch places from main
commit places tomas
  Allow comments and columns in the gazetteer

  Places can stand in groups, with more than one tab to line up what
  belongs together.
edit src/main/java/org/cairn/Gazetteer.java
@@
 		Kebnekaise	67.9033	18.5150	2097
+		
+		# Slovakia
+		Gerlachovský štít	49.1641	20.1340	2654
+		Rysy			49.1795	20.0881	2501
 		""";
@@
-		text.lines().forEach(gazetteer::add);
+		text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).forEach(gazetteer::add);
@@
-		String[] field = line.split("\t");
+		String[] field = line.split("\t+");
edit src/test/java/org/cairn/GazetteerTest.java
@@
 class GazetteerTest {
 
+	@Test
+	void columnsMayBeLinedUp() {
+		assertEquals(2501, Gazetteer.sample().find("Rysy").orElseThrow().elevation());
+	}
+

commit main iris
  Say which line of a gazetteer is wrong
edit src/main/java/org/cairn/Gazetteer.java
@@
 		Kebnekaise	67.9033	18.5150	2097
+		Pico de Orizaba	19.0305	-97.2698	5636
 		""";
@@
 	public static Gazetteer parse(String text) {
 		var gazetteer = new Gazetteer();
-		text.lines().forEach(gazetteer::add);
+		String[] lines = text.split("\n");
+		for (int i = 0; i < lines.length; i++) {
+			try {
+				gazetteer.add(lines[i]);
+			} catch (IllegalArgumentException e) {
+				throw new IllegalArgumentException("line " + (i + 1) + ": " + e.getMessage(), e);
+			}
+		}
@@
 		String[] field = line.split("\t");
+		if (field.length != 4) {
+			throw new IllegalArgumentException("4 fields expected, not " + field.length);
+		}
edit src/test/java/org/cairn/GazetteerTest.java
@@
 import static org.junit.jupiter.api.Assertions.assertEquals;
+import static org.junit.jupiter.api.Assertions.assertThrows;
@@
 		assertEquals(1345, Gazetteer.sample().find("ben nevis").orElseThrow().elevation());
 	}
+
+	@Test
+	void namesTheLineThatIsWrong() {
+		var e = assertThrows(IllegalArgumentException.class, () -> Gazetteer.parse("A\t1\t2\t3\nB\t1\t2\n"));
+		assertEquals("line 2: 4 fields expected, not 3", e.getMessage());
+	}

merge main iris from places
  Merge branch 'places'

  Comments are skipped, but they count as lines.
resolve src/main/java/org/cairn/Gazetteer.java
@@ both
@@ text
|		String[] lines = text.split("\n");
|		for (int i = 0; i < lines.length; i++) {
|			if (lines[i].isBlank() || lines[i].startsWith("#")) {
|				continue;
|			}
|			try {
|				gazetteer.add(lines[i]);
|			} catch (IllegalArgumentException e) {
|				throw new IllegalArgumentException("line " + (i + 1) + ": " + e.getMessage(), e);
|			}
|		}
@@ text
|		String[] field = line.split("\t+");
|		if (field.length != 4) {
|			throw new IllegalArgumentException("4 fields expected, not " + field.length);
|		}
