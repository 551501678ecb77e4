# lantern, chapter 4: opening night.
#
# What is written has to become light. Jun's Player knows the colour of every lamp at any time. Then it gets two new
# names at once: Mira's because the brass band are "the players", Jun's because it plays nothing.

commit main jun
  Know the colour of every lamp at any time
write src/main/kotlin/Player.kt
|package lantern
|
|import kotlin.time.Duration
|
|/** Sets this show up on [rig]. */
|fun Show.on(rig: Rig): Player = Player(this, rig)
|
|/** Knows the colour of every lamp at any time of [show]. */
|class Player(private val show: Show, private val rig: Rig) {
|    /** The colours of all lamps at [time], by name. */
|    fun frame(time: Duration): Map<String, Colour> = rig.lamps.associate { it.name to colour(it, time) }
|
|    private fun colour(lamp: Lamp, time: Duration): Colour =
|        show.cues
|            .filter { it.at <= time && lamp in rig.resolve(it.lamp) }
|            .fold(Colour(0, 0, 0)) { before, cue -> before.mixedWith(cue.colour, progress(cue, time)) }
|
|    /** How far [cue] has come at [time], from 0 to 1. */
|    private fun progress(cue: Cue, time: Duration): Double =
|        if (time >= cue.end) 1.0 else (time - cue.at) / cue.fade
|}
write src/test/kotlin/PlayerTest.kt
|package lantern
|
|import kotlin.test.Test
|import kotlin.test.assertEquals
|import kotlin.time.Duration.Companion.seconds
|
|class PlayerTest {
|    private val rig = rig {
|        listOf("gate", "bridge", "boat").forEach { lamp(it) }
|        group("river", "bridge", "boat")
|    }
|    private val walk = show("Walk") {
|        at(0.seconds) { light("gate", "white") }
|        at(10.seconds) { light("river", "white", fade = 10.seconds) }
|    }
|
|    @Test
|    fun `a fade is half way there after half of its time`() {
|        assertEquals(Colour(128, 128, 128), walk.on(rig).frame(15.seconds)["boat"])
|    }
|
|    @Test
|    fun `a lamp stays as it was told`() {
|        assertEquals(Colour(255, 255, 255), walk.on(rig).frame(60.seconds)["gate"])
|    }
|}

branch dmx from main
commit main mira
  Rename Player to Playback, and let it run at a rate

  The players are the brass band. On the plan of the evening the two were
  mistaken for each other.
rename src/main/kotlin/Player.kt -> src/main/kotlin/Playback.kt
edit src/main/kotlin/Playback.kt
@@
-fun Show.on(rig: Rig): Player = Player(this, rig)
+fun Show.on(rig: Rig): Playback = Playback(this, rig)
@@
-class Player(private val show: Show, private val rig: Rig) {
+class Playback(private val show: Show, private val rig: Rig) {
@@
     fun frame(time: Duration): Map<String, Colour> = rig.lamps.associate { it.name to colour(it, time) }
 
+    /** All frames of the show in turn, one for every [step]. */
+    fun frames(step: Duration): Sequence<Map<String, Colour>> =
+        generateSequence(Duration.ZERO) { it + step }.takeWhile { it <= show.length }.map(::frame)
+
     private fun colour(lamp: Lamp, time: Duration): Colour =

commit dmx jun
  Render the channels of the DMX line

  It plays nothing, the clock is elsewhere: call it Renderer.
edit src/main/kotlin/Rig.kt
@@
-private const val CHANNELS_PER_UNIVERSE = 512
+const val CHANNELS_PER_UNIVERSE = 512
rename src/main/kotlin/Player.kt -> src/main/kotlin/Renderer.kt
edit src/main/kotlin/Renderer.kt
@@
-fun Show.on(rig: Rig): Player = Player(this, rig)
+fun Show.on(rig: Rig): Renderer = Renderer(this, rig)
@@
-class Player(private val show: Show, private val rig: Rig) {
+class Renderer(private val show: Show, private val rig: Rig) {
@@
     fun frame(time: Duration): Map<String, Colour> = rig.lamps.associate { it.name to colour(it, time) }
 
+    /** What goes down the DMX line at [time]: a byte for each channel. */
+    fun universe(time: Duration): ByteArray {
+        val bytes = ByteArray(CHANNELS_PER_UNIVERSE)
+        for (lamp in rig.lamps) {
+            val (red, green, blue) = colour(lamp, time)
+            byteArrayOf(red.toByte(), green.toByte(), blue.toByte()).copyInto(bytes, lamp.channel - 1)
+        }
+        return bytes
+    }
+
     private fun colour(lamp: Lamp, time: Duration): Colour =
rename src/test/kotlin/PlayerTest.kt -> src/test/kotlin/RendererTest.kt
edit src/test/kotlin/RendererTest.kt
@@
-class PlayerTest {
+class RendererTest {
@@
         assertEquals(Colour(255, 255, 255), walk.on(rig).frame(60.seconds)["gate"])
     }
+
+    @Test
+    fun `a lamp sends its three bytes`() {
+        assertEquals(listOf<Byte>(-1, -1, -1, 0), walk.on(rig).universe(0.seconds).take(4))
+    }
 }

# Rename/rename: one file, two new names. They agree on Jun's name, and keep the work of both.

merge main jun from dmx
  Merge branch 'dmx'

  Renderer it is: Mira's frames go into it.
delete src/main/kotlin/Player.kt
delete src/main/kotlin/Playback.kt
theirs src/main/kotlin/Renderer.kt
edit src/main/kotlin/Renderer.kt
@@
     fun frame(time: Duration): Map<String, Colour> = rig.lamps.associate { it.name to colour(it, time) }
 
+    /** All frames of the show in turn, one for every [step]. */
+    fun frames(step: Duration): Sequence<Map<String, Colour>> =
+        generateSequence(Duration.ZERO) { it + step }.takeWhile { it <= show.length }.map(::frame)
+
     /** What goes down the DMX line at [time]: a byte for each channel. */

# The last branch. Mira gives fades a shape; Jun notices that what a cue calls its lamp is often a group, and
# renames it everywhere. Everywhere, but not in the rule that Mira is just writing.

branch easing from main
commit easing mira
  Look up the cues of a lamp once, not for every frame

  The rehearsal stuttered: 40 lamps, 900 cues, 25 frames a second.
edit src/main/kotlin/Renderer.kt
@@
 class Renderer(private val show: Show, private val rig: Rig) {
+    private val cuesOf: Map<Lamp, List<Cue>> =
+        rig.lamps.associateWith { lamp -> show.cues.filter { lamp in rig.resolve(it.lamp) } }
+
     /** The colours of all lamps at [time], by name. */
@@
-        show.cues
-            .filter { it.at <= time && lamp in rig.resolve(it.lamp) }
+        cuesOf.getValue(lamp)
+            .takeWhile { it.at <= time }
             .fold(Colour(0, 0, 0)) { before, cue -> before.mixedWith(cue.colour, progress(cue, time)) }

commit main jun
  Call the lamp of a cue its target

  It may as well be a group.
edit src/main/kotlin/Cue.kt
@@
-/** Tells [lamp] to turn to [colour], beginning [at] this time and taking [fade] to get there. */
+/** Tells [target], a lamp or a group, to turn to [colour], beginning [at] this time and taking [fade] to get there. */
@@
-    val lamp: String,
+    val target: String,
@@
-    /** When the lamp has reached its colour. */
+    /** When the target has reached its colour. */
edit src/main/kotlin/Show.kt
@@
-    fun light(lamp: String, colour: Colour, fade: Duration = Duration.ZERO) {
-        cues += Cue(time, lamp, colour, fade)
+    fun light(target: String, colour: Colour, fade: Duration = Duration.ZERO) {
+        cues += Cue(time, target, colour, fade)
@@
-    /** Lights [lamp] in a colour of the [palette]. */
-    fun light(lamp: String, colour: String, fade: Duration = Duration.ZERO) =
-        light(lamp, palette.getValue(colour), fade)
+    /** Lights [target] in a colour of the [palette]. */
+    fun light(target: String, colour: String, fade: Duration = Duration.ZERO) =
+        light(target, palette.getValue(colour), fade)
edit src/main/kotlin/Check.kt
@@
-    val last = show.cues.flatMap { cue -> rig.resolve(cue.lamp).map { it.name to cue.colour } }.toMap()
+    val last = show.cues.flatMap { cue -> rig.resolve(cue.target).map { it.name to cue.colour } }.toMap()
@@
-    show.cues.map { it.lamp }.distinct().filterNot { it in rig }.map { "no lamp is called $it" }
+    show.cues.map { it.target }.distinct().filterNot { it in rig }.map { "no lamp is called $it" }
@@
-    show.cues.groupBy { it.lamp }.values
+    show.cues.groupBy { it.target }.values
@@
-        .map { (one, next) -> "${one.lamp} is still fading when it is told to change at ${next.at}" }
+        .map { (one, next) -> "${one.target} is still fading when it is told to change at ${next.at}" }
edit src/main/kotlin/CueSheet.kt
@@
-    val width = cues.maxOfOrNull { it.lamp.length } ?: 0
+    val width = cues.maxOfOrNull { it.target.length } ?: 0
@@
-private fun Cue.line(width: Int): String = "${at.clock()}  ${fade.clock()}  ${lamp.padEnd(width)}  $colour"
+private fun Cue.line(width: Int): String = "${at.clock()}  ${fade.clock()}  ${target.padEnd(width)}  $colour"
edit src/main/kotlin/Board.kt
@@
-    val zahl = cues.distinctBy { it.lamp }.size
+    val zahl = cues.distinctBy { it.target }.size
edit src/main/kotlin/Renderer.kt
@@
-            .filter { it.at <= time && lamp in rig.resolve(it.lamp) }
+            .filter { it.at <= time && lamp in rig.resolve(it.target) }
edit src/test/kotlin/ShowTest.kt
@@
-        assertEquals(listOf("gate", "bridge"), walk.cues.map { it.lamp })
+        assertEquals(listOf("gate", "bridge"), walk.cues.map { it.target })

commit easing mira
  Let each cue choose its easing

  A lamp that is lit with a match is not lit gently.
write src/main/kotlin/Easing.kt
|package lantern
|
|/** The shape of a fade: turns its progress in time into its progress in colour, both from 0 to 1. */
|fun interface Easing {
|    operator fun invoke(progress: Double): Double
|}
|
|val linear = Easing { it }
|
|/** Begins and ends gently. */
|val smooth = Easing { it * it * (3 - 2 * it) }
edit src/main/kotlin/Cue.kt
@@
-/** Tells [lamp] to turn to [colour], beginning [at] this time and taking [fade] to get there. */
+/** Tells [lamp] to turn to [colour], beginning [at] this time and taking [fade], shaped by [easing], to get there. */
@@
     val fade: Duration = Duration.ZERO,
+    val easing: Easing = linear,
 ) {
edit src/main/kotlin/Show.kt
@@
-    fun light(lamp: String, colour: Colour, fade: Duration = Duration.ZERO) {
-        cues += Cue(time, lamp, colour, fade)
+    fun light(lamp: String, colour: Colour, fade: Duration = Duration.ZERO, easing: Easing = linear) {
+        cues += Cue(time, lamp, colour, fade, easing)
@@
-    fun light(lamp: String, colour: String, fade: Duration = Duration.ZERO) =
-        light(lamp, palette.getValue(colour), fade)
+    fun light(lamp: String, colour: String, fade: Duration = Duration.ZERO, easing: Easing = linear) =
+        light(lamp, palette.getValue(colour), fade, easing)
edit src/main/kotlin/Renderer.kt
@@
-        if (time >= cue.end) 1.0 else (time - cue.at) / cue.fade
+        if (time >= cue.end) 1.0 else cue.easing((time - cue.at) / cue.fade)

commit easing mira
  Begin a frame with the last fade that has ended

  What lies before it can no longer be seen.
edit src/main/kotlin/Renderer.kt
@@
-    private fun colour(lamp: Lamp, time: Duration): Colour =
-        cuesOf.getValue(lamp)
-            .takeWhile { it.at <= time }
-            .fold(Colour(0, 0, 0)) { before, cue -> before.mixedWith(cue.colour, progress(cue, time)) }
+    private fun colour(lamp: Lamp, time: Duration): Colour {
+        val begun = cuesOf.getValue(lamp).takeWhile { it.at <= time }
+        val settled = begun.lastOrNull { it.end <= time }?.colour ?: Colour(0, 0, 0)
+        return begun.takeLastWhile { it.end > time }
+            .fold(settled) { before, cue -> before.mixedWith(cue.colour, progress(cue, time)) }
+    }
@@
-    /** How far [cue] has come at [time], from 0 to 1. */
+    /** How far [cue] has come at [time], before its end, from 0 to 1. */
     private fun progress(cue: Cue, time: Duration): Double =
-        if (time >= cue.end) 1.0 else cue.easing((time - cue.at) / cue.fade)
+        cue.easing((time - cue.at) / cue.fade)

commit easing mira
  Warn of an easing that jumps
edit src/main/kotlin/Check.kt
@@
     ::fights,
+    ::jumps,
 )
@@
+private fun jumps(show: Show, rig: Rig): List<String> =
+    show.cues.filter { it.easing(0.0) != 0.0 || it.easing(1.0) != 1.0 }.map { "${it.lamp} jumps at ${it.at}" }
+
 private fun unknownLamps(show: Show, rig: Rig): List<String> =
edit src/test/kotlin/CheckTest.kt
@@
+    @Test
+    fun `an easing that does not end where it should is named`() {
+        val walk = show("Walk") { at(3.seconds) { light("gate", "black", 2.seconds, easing = { it / 2 }) } }
+        assertEquals(listOf("gate jumps at 3s"), walk.problems(rig))
+    }
+
     @Test
     fun `a group puts out each of its lamps`() {

# Three files conflict. The fourth, Check.kt, merges without a word and does not compile: its new rule asks a cue
# for its lamp. The truth changes it as well, which nobody can reach who only settles conflicts.

merge main mira from easing
  Merge branch 'easing'

  The new rule has to ask for the target, too.
resolve src/main/kotlin/Cue.kt
@@ text
|/**
| * Tells [target], a lamp or a group, to turn to [colour], beginning [at] this time and taking [fade], shaped by
| * [easing], to get there.
| */
resolve src/main/kotlin/Show.kt
@@ text
|    fun light(target: String, colour: Colour, fade: Duration = Duration.ZERO, easing: Easing = linear) {
|        cues += Cue(time, target, colour, fade, easing)
|    }
|
|    /** Lights [target] in a colour of the [palette]. */
|    fun light(target: String, colour: String, fade: Duration = Duration.ZERO, easing: Easing = linear) =
|        light(target, palette.getValue(colour), fade, easing)
resolve src/main/kotlin/Renderer.kt
@@ theirs
edit src/main/kotlin/Renderer.kt
@@
-        rig.lamps.associateWith { lamp -> show.cues.filter { lamp in rig.resolve(it.lamp) } }
+        rig.lamps.associateWith { lamp -> show.cues.filter { lamp in rig.resolve(it.target) } }
edit src/main/kotlin/Check.kt
@@
-    show.cues.filter { it.easing(0.0) != 0.0 || it.easing(1.0) != 1.0 }.map { "${it.lamp} jumps at ${it.at}" }
+    show.cues.filter { it.easing(0.0) != 0.0 || it.easing(1.0) != 1.0 }.map { "${it.target} jumps at ${it.at}" }

commit main mira
  Describe the show of the opening night
write README.md
|# lantern
|
|Light shows for the lantern walk, written down in Kotlin.
|
|    val way = rig {
|        listOf("gate", "bridge", "boat").forEach { lamp(it) }
|        group("river", "bridge", "boat")
|    }
|    val walk = show("Winter walk") {
|        at(0.seconds) { light("gate", "amber", fade = 4.seconds, easing = smooth) }
|        then(10.seconds) { light("river", "moss", fade = 20.seconds) }
|        refrain(2.seconds, times = 5, start = 40.seconds) { light("boat", "ember") }
|        at(60.seconds) { listOf("gate", "river").forEach { dark(it, fade = 5.seconds) } }
|    }
|
|    walk.problems(way).forEach(::println)           // what the fire brigade would say
|    println(walk.aushang(Sprache.日本語))            // what the guests read
|    println(walk.sheet())                           // what the stage manager reads
|    walk.on(way).universe(12.seconds)               // what the lamps get
|
|A show begins at `beginOn(date)`: after sunset, on the quarter, and early enough for school.
|
|Licensed under Apache-2.0.
write src/test/kotlin/BoardTest.kt
|package lantern
|
|import kotlin.test.Test
|import kotlin.test.assertEquals
|import kotlin.time.Duration.Companion.seconds
|
|class BoardTest {
|    private val 灯の道 = show("灯の道") { at(80.seconds) { dark("gate") } }
|
|    @Test
|    fun `der Aushang begrüßt die Gäste`() {
|        assertEquals("灯の道 (1 Laterne): 2 Minuten. Schöne Dämmerung!", 灯の道.aushang(Sprache.Deutsch))
|    }
|
|    @Test
|    fun 掲示板は灯を数える() {
|        assertEquals("灯の道（1灯）：2分。良い夕暮れを！", 灯の道.aushang(Sprache.日本語))
|    }
|}
