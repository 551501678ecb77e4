# lantern, chapter 3: two towns.
#
# The twin town on lake Biwa will walk on the same evening, and what people read has to be written in two languages.
# Before that, Tobias wants a cue sheet to hold in his hand.

commit main tobias
  Print a cue sheet
write src/main/kotlin/Sheet.kt
|package lantern
|
|/** The show as the stage manager reads it: a line for each cue. */
|fun Show.sheet(): String = cues.joinToString("\n") { "${it.at} ${it.lamp} ${it.colour}" }
edit README.md
@@
     }
+    println(walk.sheet())

commit main tobias
  Line up the columns of the cue sheet
edit src/main/kotlin/Sheet.kt
@@
-fun Show.sheet(): String = cues.joinToString("\n") { "${it.at} ${it.lamp} ${it.colour}" }
+fun Show.sheet(): String {
+    val width = cues.maxOfOrNull { it.lamp.length } ?: 0
+    return cues.joinToString("\n") { it.line(width) }
+}
+
+/** When, which lamp, and in which colour. */
+private fun Cue.line(width: Int): String = "$at  ${lamp.padEnd(width)}  $colour"

commit main tobias
  Write times as a clock shows them

  "1m 30s" and "45s" do not line up.
write src/main/kotlin/Clock.kt
|package lantern
|
|import kotlin.time.Duration
|
|/** Minutes and seconds, as in 04:30. */
|fun Duration.clock(): String = toComponents { minutes, seconds, _ -> "%02d:%02d".format(minutes, seconds) }
edit src/main/kotlin/Sheet.kt
@@
-/** When, which lamp, and in which colour. */
-private fun Cue.line(width: Int): String = "$at  ${lamp.padEnd(width)}  $colour"
+/** When, as on a stopwatch, which lamp, and in which colour. */
+private fun Cue.line(width: Int): String = "${at.clock()}  ${lamp.padEnd(width)}  $colour"

commit main tobias
  Head the cue sheet with title and length
edit src/main/kotlin/Sheet.kt
@@
-/** The show as the stage manager reads it: a line for each cue. */
+/** The show as the stage manager reads it: title and length, then a line for each cue. */
 fun Show.sheet(): String {
     val width = cues.maxOfOrNull { it.lamp.length } ?: 0
-    return cues.joinToString("\n") { it.line(width) }
+    val head = "$title, ${length.clock()}, ${cues.size} cues"
+    val rule = "=".repeat(head.length)
+    return (listOf(head, rule) + cues.map { it.line(width) }).joinToString("\n")
 }

# Rename/delete: Tobias renames the file for his tablet on the day on which Mira removes it, because the
# console in the tower shows the cues anyway. He will not climb the tower with a fuse in his hand: the file stays.

branch tablet from main
commit tablet tobias
  Show the fades on the cue sheet, and name the file after it
rename src/main/kotlin/Sheet.kt -> src/main/kotlin/CueSheet.kt
edit src/main/kotlin/CueSheet.kt
@@
-/** When, as on a stopwatch, which lamp, and in which colour. */
-private fun Cue.line(width: Int): String = "${at.clock()}  ${lamp.padEnd(width)}  $colour"
+/** When and for how long, as on a stopwatch, which lamp, and in which colour. */
+private fun Cue.line(width: Int): String = "${at.clock()}  ${fade.clock()}  ${lamp.padEnd(width)}  $colour"

commit main mira
  Remove the cue sheet

  The console in the tower lists the cues, and in colour.
delete src/main/kotlin/Sheet.kt
edit README.md
@@
     }
-    println(walk.sheet())

merge main mira from tablet
  Merge branch 'tablet'

  Tobias is not always in the tower. The cue sheet stays.
theirs src/main/kotlin/CueSheet.kt

# The start of the show follows the sun: a chain of three, of which the second repairs the first.

commit main noor
  Begin a show after sunset
write src/main/kotlin/Schedule.kt
|package lantern
|
|import java.time.LocalDate
|import java.time.LocalTime
|
|/** Sunset over the bridge on the first of each month, without summer time. */
|private val sunsets = listOf(
|    "16:34", "17:19", "18:06", "18:54", "19:39", "20:16",
|    "20:22", "19:52", "18:57", "17:53", "16:55", "16:26",
|).map(LocalTime::parse)
|
|/** When a show begins on [date]. */
|fun begin(date: LocalDate): LocalTime =
|    sunsets[date.monthValue - 1].plusMinutes(20)
write src/test/kotlin/ScheduleTest.kt
|package lantern
|
|import java.time.LocalDate
|import java.time.LocalTime
|import kotlin.test.Test
|import kotlin.test.assertEquals
|
|class ScheduleTest {
|    @Test
|    fun `a show begins after sunset`() {
|        assertEquals(LocalTime.of(17, 15), begin(LocalDate.of(2024, 11, 1)))
|    }
|}

commit main noor
  Let the sun glide from month to month
edit src/main/kotlin/Schedule.kt
@@
 import java.time.LocalTime
+import java.time.temporal.ChronoUnit.SECONDS
@@
 /** When a show begins on [date]. */
 fun begin(date: LocalDate): LocalTime =
-    sunsets[date.monthValue - 1].plusMinutes(20)
+    sunset(date).plusMinutes(20)
+
+private fun sunset(date: LocalDate): LocalTime {
+    val first = sunsets[date.monthValue - 1]
+    val next = sunsets[date.monthValue]
+    val days = date.dayOfMonth - 1
+    return first.plusSeconds(SECONDS.between(first, next) * days / date.lengthOfMonth())
+}
edit src/test/kotlin/ScheduleTest.kt
@@
         assertEquals(LocalTime.of(17, 15), begin(LocalDate.of(2024, 11, 1)))
     }
+
+    @Test
+    fun `it begins earlier from day to day in autumn`() {
+        assertEquals(LocalTime.of(17, 0, 30), begin(LocalDate.of(2024, 11, 16)))
+    }
 }

commit main noor
  Let January follow December

  A show in December asked for the thirteenth month.
edit src/main/kotlin/Schedule.kt
@@
-    val next = sunsets[date.monthValue]
+    val next = sunsets[date.monthValue % 12]
edit src/test/kotlin/ScheduleTest.kt
@@
         assertEquals(LocalTime.of(17, 0, 30), begin(LocalDate.of(2024, 11, 16)))
     }
+
+    @Test
+    fun `January follows December`() {
+        assertEquals(LocalTime.of(16, 46), begin(LocalDate.of(2024, 12, 1)))
+    }
 }

commit main noor
  Say beginOn, since begin begins nothing
edit src/main/kotlin/Schedule.kt
@@
-/** When a show begins on [date]. */
-fun begin(date: LocalDate): LocalTime =
+/**
+ * When a show begins on [date]: twenty minutes after sunset, when the sky is still blue
+ * and the lamps can already be seen.
+ */
+fun beginOn(date: LocalDate): LocalTime =
     sunset(date).plusMinutes(20)
@@
+/** Sunset on any [date], in a straight line between the first of its month and of the next. */
 private fun sunset(date: LocalDate): LocalTime {
edit src/test/kotlin/ScheduleTest.kt
@@
-        assertEquals(LocalTime.of(17, 15), begin(LocalDate.of(2024, 11, 1)))
+        assertEquals(LocalTime.of(17, 15), beginOn(LocalDate.of(2024, 11, 1)))
@@
-        assertEquals(LocalTime.of(17, 0, 30), begin(LocalDate.of(2024, 11, 16)))
+        assertEquals(LocalTime.of(17, 0, 30), beginOn(LocalDate.of(2024, 11, 16)))
@@
-        assertEquals(LocalTime.of(16, 46), begin(LocalDate.of(2024, 12, 1)))
+        assertEquals(LocalTime.of(16, 46), beginOn(LocalDate.of(2024, 12, 1)))

# The board at the gate, in the languages of the two towns. The file keeps the words of its readers.

commit main mira
  Write the board at the gate in both languages
write src/main/kotlin/Board.kt
|package lantern
|
|/** The languages of the two towns, each called what its speakers call it. */
|enum class Sprache(val laterne: String) {
|    Deutsch("Laterne"),
|    日本語("灯"),
|}
|
|/** What the board at the gate says, in [sprache]. */
|fun Show.aushang(sprache: Sprache): String {
|    val dauer = length.inWholeMinutes
|    return when (sprache) {
|        Sprache.Deutsch -> "$title (${sprache.laterne}): $dauer Minuten"
|        Sprache.日本語 -> "$title（${sprache.laterne}）：${dauer}分"
|    }
|}

branch otsu from main
commit otsu jun
  Count the lamps on the board: 灯 is also the word to count them with
edit src/main/kotlin/Board.kt
@@
-enum class Sprache(val laterne: String) {
-    Deutsch("Laterne"),
-    日本語("灯"),
+enum class Sprache(val laterne: String, val mehrzahl: String) {
+    Deutsch("Laterne", mehrzahl = "Laternen"),
+    日本語("灯", mehrzahl = "灯"),
 }
@@
     val dauer = length.inWholeMinutes
+    val zahl = cues.distinctBy { it.lamp }.size
+    val lampen = "$zahl${if (sprache == Sprache.Deutsch) " " else ""}${sprache.wort(zahl)}"
     return when (sprache) {
-        Sprache.Deutsch -> "$title (${sprache.laterne}): $dauer Minuten"
-        Sprache.日本語 -> "$title（${sprache.laterne}）：${dauer}分"
+        Sprache.Deutsch -> "$title ($lampen): $dauer Minuten"
+        Sprache.日本語 -> "$title（$lampen）：${dauer}分"
     }
 }
+
+private fun Sprache.wort(zahl: Int): String = if (zahl == 1) laterne else mehrzahl

commit main mira
  Greet the guests, and round minutes up

  A show of fifty seconds was announced as one of 0 minutes.
edit src/main/kotlin/Board.kt
@@
 package lantern
 
+import kotlin.math.ceil
+import kotlin.time.Duration
+import kotlin.time.Duration.Companion.minutes
+
 /** The languages of the two towns, each called what its speakers call it. */
@@
-enum class Sprache(val laterne: String) {
-    Deutsch("Laterne"),
-    日本語("灯"),
+enum class Sprache(val laterne: String, val gruß: String) {
+    Deutsch("Laterne", gruß = "Schöne Dämmerung!"),
+    日本語("灯", gruß = "良い夕暮れを！"),
 }
@@
-    val dauer = length.inWholeMinutes
+    val dauer = aufgerundet(length)
     return when (sprache) {
-        Sprache.Deutsch -> "$title (${sprache.laterne}): $dauer Minuten"
-        Sprache.日本語 -> "$title（${sprache.laterne}）：${dauer}分"
+        Sprache.Deutsch -> "$title (${sprache.laterne}): $dauer Minuten. ${sprache.gruß}"
+        Sprache.日本語 -> "$title（${sprache.laterne}）：${dauer}分。${sprache.gruß}"
     }
 }
+
+private fun aufgerundet(länge: Duration): Long = ceil(länge / 1.minutes).toLong()

merge main jun from otsu
  Merge branch 'otsu'

  Count the lamps and greet the guests.
resolve src/main/kotlin/Board.kt
@@ text
|enum class Sprache(val laterne: String, val mehrzahl: String, val gruß: String) {
|    Deutsch("Laterne", mehrzahl = "Laternen", gruß = "Schöne Dämmerung!"),
|    日本語("灯", mehrzahl = "灯", gruß = "良い夕暮れを！"),
@@ text
|    val dauer = aufgerundet(length)
|    val zahl = cues.distinctBy { it.lamp }.size
|    val lampen = "$zahl${if (sprache == Sprache.Deutsch) " " else ""}${sprache.wort(zahl)}"
|    return when (sprache) {
|        Sprache.Deutsch -> "$title ($lampen): $dauer Minuten. ${sprache.gruß}"
|        Sprache.日本語 -> "$title（$lampen）：${dauer}分。${sprache.gruß}"
|    }
|}
|
|private fun aufgerundet(länge: Duration): Long = ceil(länge / 1.minutes).toLong()
|
|private fun Sprache.wort(zahl: Int): String = if (zahl == 1) laterne else mehrzahl

# A criss-cross. Mira wants shows to begin on the quarter, Noor wants children in bed on school nights. On the same
# afternoon each merges the other's work and settles the conflict in her own way: Mira rounds first and then
# holds the limit, Noor holds the limit and then rounds. The next merge has two bases, and they conflict.

branch school-nights from main
commit main mira as QUARTER
  Begin on the quarter
edit src/main/kotlin/Schedule.kt
@@
 fun beginOn(date: LocalDate): LocalTime =
-    sunset(date).plusMinutes(20)
+    sunset(date).plusMinutes(20).toNextQuarter()
@@
     return first.plusSeconds(SECONDS.between(first, next) * days / date.lengthOfMonth())
 }
+
+private fun LocalTime.toNextQuarter(): LocalTime = plusSeconds((900L - toSecondOfDay() % 900) % 900)
edit src/test/kotlin/ScheduleTest.kt
@@
-        assertEquals(LocalTime.of(17, 0, 30), beginOn(LocalDate.of(2024, 11, 16)))
+        assertEquals(LocalTime.of(17, 15), beginOn(LocalDate.of(2024, 11, 16)))
@@
-        assertEquals(LocalTime.of(16, 46), beginOn(LocalDate.of(2024, 12, 1)))
+        assertEquals(LocalTime.of(17, 0), beginOn(LocalDate.of(2024, 12, 1)))

commit school-nights noor as BEDTIME
  Begin by ten to seven on school nights
edit src/main/kotlin/Schedule.kt
@@
 package lantern
 
+import java.time.DayOfWeek.SATURDAY
+import java.time.DayOfWeek.SUNDAY
 import java.time.LocalDate
@@
 ).map(LocalTime::parse)
 
+/** The latest that a show may begin on [date]: children go to school on the day after. */
+private fun latest(date: LocalDate): LocalTime =
+    if (date.plusDays(1).dayOfWeek in SATURDAY..SUNDAY) LocalTime.of(21, 0) else LocalTime.of(18, 50)
+
 /**
@@
-    sunset(date).plusMinutes(20)
+    minOf(sunset(date).plusMinutes(20), latest(date))

merge main mira from school-nights
  Merge branch 'school-nights'
resolve src/main/kotlin/Schedule.kt
@@ text
|    minOf(sunset(date).plusMinutes(20).toNextQuarter(), latest(date))

merge school-nights noor from QUARTER
  Merge branch 'main' into school-nights
resolve src/main/kotlin/Schedule.kt
@@ text
|    minOf(sunset(date).plusMinutes(20), latest(date)).toNextQuarter()

commit school-nights noor
  Let the night before a holiday be no school night
edit src/main/kotlin/Schedule.kt
@@
 ).map(LocalTime::parse)
 
+/** Weekdays on which the school stays closed. */
+private val holidays = setOf("2024-11-20", "2024-12-25", "2024-12-26").map(LocalDate::parse)
+
 /** The latest that a show may begin on [date]: children go to school on the day after. */
-private fun latest(date: LocalDate): LocalTime =
-    if (date.plusDays(1).dayOfWeek in SATURDAY..SUNDAY) LocalTime.of(21, 0) else LocalTime.of(18, 50)
+private fun latest(date: LocalDate): LocalTime {
+    val tomorrow = date.plusDays(1)
+    val free = tomorrow in holidays || tomorrow.dayOfWeek in SATURDAY..SUNDAY
+    return if (free) LocalTime.of(21, 0) else LocalTime.of(18, 50)
+}

commit main mira
  Never begin before sunset

  In June a school night would have begun in sunshine.
edit src/main/kotlin/Schedule.kt
@@
-    if (date.plusDays(1).dayOfWeek in SATURDAY..SUNDAY) LocalTime.of(21, 0) else LocalTime.of(18, 50)
+    if (date.plusDays(1).dayOfWeek in SATURDAY..SUNDAY) LocalTime.of(21, 0)
+    else maxOf(LocalTime.of(18, 50), sunset(date))
edit src/test/kotlin/ScheduleTest.kt
@@
+    @Test
+    fun `it is dark even on a school night in June`() {
+        assertEquals(LocalTime.of(20, 17), beginOn(LocalDate.of(2024, 6, 6)))
+    }
+
     @Test
     fun `January follows December`() {

# Rounding last would carry ten to seven over to seven: Mira's order is the right one.

merge main noor from school-nights
  Merge branch 'school-nights'

  The limit comes last: rounded up, it would be none.
resolve src/main/kotlin/Schedule.kt
@@ text
|private fun latest(date: LocalDate): LocalTime {
|    val tomorrow = date.plusDays(1)
|    val free = tomorrow in holidays || tomorrow.dayOfWeek in SATURDAY..SUNDAY
|    return if (free) LocalTime.of(21, 0) else maxOf(LocalTime.of(18, 50), sunset(date))
|}
@@ ours
