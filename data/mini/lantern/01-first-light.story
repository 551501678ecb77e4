# lantern, chapter 1: first light.
#
# On the last Saturday of February a small town walks from the gate to the river with lanterns. This winter forty of
# them hang over the way and can be told their colour. Mira draws the shows and wants to write them down. Jun wires
# the lamps, Noor teaches at the school and tests what can be tested, Tobias will be the stage manager.

repository mini/lantern
language kotlin
topics kotlin dsl lighting dmx
start 2024-01-08T09:00:00+01:00
person mira Mira Sandberg <mira@lantern.example>
person jun Jun Hasegawa <jun@lantern.example>
person noor Noor Haddad <noor@lantern.example>
person tobias Tobias Brügger <tobias@lantern.example>

commit main mira
  Start lantern

  A show has been a page of my notebook and a phone call to Jun. Write it
  down in a language that both of us, and the lamps, understand.
write .gitignore
|.gradle/
|build/
write README.md
|# lantern
|
|Light shows for the lantern walk, written down in Kotlin.
|
|    val walk = show("Winter walk") {
|        at(0.seconds) { light("gate", "white", fade = 4.seconds) }
|    }
|
|Licensed under Apache-2.0.
write build.gradle.kts
|plugins {
|    kotlin("jvm") version "1.9.22"
|}
|
|repositories {
|    mavenCentral()
|}
|
|dependencies {
|    testImplementation(kotlin("test"))
|}
|
|kotlin {
|    jvmToolchain(17)
|}
write src/main/kotlin/Colour.kt
|package lantern
|
|/** A colour as a lamp mixes it: red, green and blue, each from 0 to 255. */
|data class Colour(val red: Int, val green: Int, val blue: Int) {
|    init {
|        require(listOf(red, green, blue).all { it in 0..255 }) { "not from 0 to 255: $red, $green, $blue" }
|    }
|
|    override fun toString(): String = "#%02x%02x%02x".format(red, green, blue)
|}
write src/main/kotlin/Lamp.kt
|package lantern
|
|/** A lamp: what the cues call it, and the first of the channels that drive it. */
|data class Lamp(val name: String, val channel: Int)
write src/main/kotlin/Cue.kt
|package lantern
|
|import kotlin.time.Duration
|
|/** Tells [lamp] to turn to [colour], beginning [at] this time and taking [fade] to get there. */
|data class Cue(
|    val at: Duration,
|    val lamp: String,
|    val colour: Colour,
|    val fade: Duration = Duration.ZERO,
|) {
|    /** When the lamp has reached its colour. */
|    val end: Duration
|        get() = at + fade
|}
write src/main/kotlin/Palette.kt
|package lantern
|
|/** The colours that a show may call by name, in alphabetical order. */
|val palette: Map<String, Colour> = mapOf(
|    "black" to Colour(0, 0, 0),
|    "white" to Colour(255, 255, 255),
|)
write src/main/kotlin/Show.kt
|package lantern
|
|import kotlin.time.Duration
|
|@DslMarker
|annotation class ShowDsl
|
|/** A light show: what happens, and when. */
|class Show(val title: String, val cues: List<Cue>) {
|    /** From the start until the last fade has ended. */
|    val length: Duration
|        get() = cues.maxOfOrNull { it.end } ?: Duration.ZERO
|}
|
|/** Writes a show down: the door to the DSL. */
|fun show(title: String, write: ShowBuilder.() -> Unit): Show = ShowBuilder(title).apply(write).toShow()
|
|@ShowDsl
|class ShowBuilder(private val title: String) {
|    private val cues = mutableListOf<Cue>()
|
|    /** Opens the moment at [time], counted from the start of the show. */
|    fun at(time: Duration, moment: MomentBuilder.() -> Unit) {
|        cues += MomentBuilder(time).apply(moment).cues
|    }
|
|    fun toShow(): Show = Show(title, cues.sortedBy { it.at })
|}
|
|/** Everything that begins at one [time]. */
|@ShowDsl
|class MomentBuilder(private val time: Duration) {
|    val cues = mutableListOf<Cue>()
|
|    fun light(lamp: String, colour: Colour, fade: Duration = Duration.ZERO) {
|        cues += Cue(time, lamp, colour, fade)
|    }
|
|    /** Lights [lamp] in a colour of the [palette]. */
|    fun light(lamp: String, colour: String, fade: Duration = Duration.ZERO) =
|        light(lamp, palette.getValue(colour), fade)
|}
write src/test/kotlin/ShowTest.kt
|package lantern
|
|import kotlin.test.Test
|import kotlin.test.assertEquals
|import kotlin.time.Duration.Companion.seconds
|
|class ShowTest {
|    private val amber = Colour(255, 176, 0)
|
|    @Test
|    fun `cues come out in the order of time`() {
|        val walk = show("Walk") {
|            at(9.seconds) { light("bridge", amber) }
|            at(2.seconds) { light("gate", amber) }
|        }
|        assertEquals(listOf("gate", "bridge"), walk.cues.map { it.lamp })
|    }
|
|    @Test
|    fun `a show lasts until its last fade has ended`() {
|        val walk = show("Walk") {
|            at(2.seconds) { light("gate", amber, fade = 10.seconds) }
|            at(9.seconds) { light("bridge", amber) }
|        }
|        assertEquals(12.seconds, walk.length)
|    }
|}

# Jun's branch is a chain of four commits on one file: a function, a guard, a repair, a better name.

branch mixing from main
commit mixing jun
  Mix two colours
edit src/main/kotlin/Colour.kt
@@
     override fun toString(): String = "#%02x%02x%02x".format(red, green, blue)
+
+    /** A colour between this one and [other]. */
+    fun mix(other: Colour, share: Double): Colour {
+        fun channel(from: Int, to: Int) = (from + (to - from) * share).toInt()
+        return Colour(channel(red, other.red), channel(green, other.green), channel(blue, other.blue))
+    }
 }

commit main mira
  Read colours in hex notation

  The paint shop labels its glass with the same six digits.
edit src/main/kotlin/Colour.kt
@@
     override fun toString(): String = "#%02x%02x%02x".format(red, green, blue)
+
+    companion object {
+        private val HEX = Regex("#(..)(..)(..)")
+
+        /** Reads `#rrggbb`. */
+        fun parse(text: String): Colour {
+            val match = requireNotNull(HEX.matchEntire(text)) { "not a colour: $text" }
+            val (red, green, blue) = match.destructured.toList().map { it.toInt(radix = 16) }
+            return Colour(red, green, blue)
+        }
+    }
 }
write src/test/kotlin/ColourTest.kt
|package lantern
|
|import kotlin.test.Test
|import kotlin.test.assertEquals
|import kotlin.test.assertFailsWith
|
|class ColourTest {
|    @Test
|    fun `a colour reads what it writes`() {
|        val teal = Colour(0, 128, 119)
|        assertEquals(teal, Colour.parse(teal.toString()))
|    }
|
|    @Test
|    fun `a colour without its hash is refused`() {
|        assertFailsWith<IllegalArgumentException> { Colour.parse("008077") }
|    }
|}

commit mixing jun
  Refuse a share that is no share
edit src/main/kotlin/Colour.kt
@@
-    /** A colour between this one and [other]. */
+    /** A colour between this one and [other]: a [share] of 0 is all this one, a share of 1 all the other. */
     fun mix(other: Colour, share: Double): Colour {
+        require(share in 0.0..1.0) { "not a share: $share" }
         fun channel(from: Int, to: Int) = (from + (to - from) * share).toInt()

commit mixing jun
  Round mixed channels instead of cutting them off

  A fade to white ended in #fefefe, which the eye sees and the camera of
  the local paper sees even better.
edit src/main/kotlin/Colour.kt
@@
 package lantern
 
+import kotlin.math.roundToInt
+
 /** A colour as a lamp mixes it: red, green and blue, each from 0 to 255. */
@@
-        fun channel(from: Int, to: Int) = (from + (to - from) * share).toInt()
+        fun channel(from: Int, to: Int) = (from + (to - from) * share).roundToInt()

commit mixing jun
  Rename mix to mixedWith

  A colour does not change; the name should not sound as if it did.
edit src/main/kotlin/Colour.kt
@@
-    fun mix(other: Colour, share: Double): Colour {
+    fun mixedWith(other: Colour, share: Double): Colour {

# Both wrote below toString. Kotlin's conventions want the companion object last, so theirs comes first.

merge main mira from mixing
  Merge branch 'mixing'

  The companion object stays at the end of the class.
resolve src/main/kotlin/Colour.kt
@@ text
|    /** A colour between this one and [other]: a [share] of 0 is all this one, a share of 1 all the other. */
|    fun mixedWith(other: Colour, share: Double): Colour {
|        require(share in 0.0..1.0) { "not a share: $share" }
|        fun channel(from: Int, to: Int) = (from + (to - from) * share).roundToInt()
|        return Colour(channel(red, other.red), channel(green, other.green), channel(blue, other.blue))
|    }
|
|    companion object {
|        private val HEX = Regex("#(..)(..)(..)")
|
|        /** Reads `#rrggbb`. */
|        fun parse(text: String): Colour {
|            val match = requireNotNull(HEX.matchEntire(text)) { "not a colour: $text" }
|            val (red, green, blue) = match.destructured.toList().map { it.toInt(radix = 16) }
|            return Colour(red, green, blue)
|        }

# Two people need new colours in the same week. The list is kept in alphabetical order, so the truth takes
# a line of one side, a line of the other, and so on.

branch fire-bowls from main
commit fire-bowls mira
  Add the colours of the fire bowls
edit src/main/kotlin/Palette.kt
@@
 val palette: Map<String, Colour> = mapOf(
+    "amber" to Colour(255, 176, 0),
     "black" to Colour(0, 0, 0),
+    "ember" to Colour(179, 50, 10),
+    "plum" to Colour(91, 26, 74),
     "white" to Colour(255, 255, 255),

commit main noor
  Add the colours of the river bank
edit src/main/kotlin/Palette.kt
@@
     "black" to Colour(0, 0, 0),
+    "copper" to Colour(184, 115, 51),
+    "moss" to Colour(90, 107, 45),
+    "reed" to Colour(185, 164, 92),
     "white" to Colour(255, 255, 255),

merge main noor from fire-bowls
  Merge branch 'fire-bowls'
resolve src/main/kotlin/Palette.kt
@@ text
|    "copper" to Colour(184, 115, 51),
|    "ember" to Colour(179, 50, 10),
|    "moss" to Colour(90, 107, 45),
|    "plum" to Colour(91, 26, 74),
|    "reed" to Colour(185, 164, 92),

# Noor writes shows that come back to the same picture; Mira writes shows that tell a story. Each extends the
# DSL her way, in the same two places.

branch refrain from main
commit refrain noor
  Repeat a moment
edit src/main/kotlin/Show.kt
@@
         cues += MomentBuilder(time).apply(moment).cues
     }
 
+    /** Opens the same moment [times] times, [gap] apart. */
+    fun every(gap: Duration, times: Int, moment: MomentBuilder.() -> Unit) {
+        repeat(times) { at(gap * it, moment) }
+    }
+
     fun toShow(): Show = Show(title, cues.sortedBy { it.at })

commit main mira
  Open a moment after the last one

  Moving one moment meant rewriting the times of all that follow.
edit src/main/kotlin/Show.kt
@@
     private val cues = mutableListOf<Cue>()
+    private var last = Duration.ZERO
 
     /** Opens the moment at [time], counted from the start of the show. */
     fun at(time: Duration, moment: MomentBuilder.() -> Unit) {
         cues += MomentBuilder(time).apply(moment).cues
+        last = time
     }
 
+    /** Opens a moment [gap] after the one that was opened last. */
+    fun then(gap: Duration, moment: MomentBuilder.() -> Unit) = at(last + gap, moment)
+
     fun toShow(): Show = Show(title, cues.sortedBy { it.at })

commit refrain noor
  Let a repeated moment begin later
edit src/main/kotlin/Show.kt
@@
-    /** Opens the same moment [times] times, [gap] apart. */
-    fun every(gap: Duration, times: Int, moment: MomentBuilder.() -> Unit) {
-        repeat(times) { at(gap * it, moment) }
+    /** Opens the same moment [times] times, [gap] apart, the first time at [start]. */
+    fun every(gap: Duration, times: Int, start: Duration = Duration.ZERO, moment: MomentBuilder.() -> Unit) {
+        repeat(times) { at(start + gap * it, moment) }
     }

commit refrain noor
  Add dark, so that a repeated moment can blink
edit src/main/kotlin/Show.kt
@@
         light(lamp, palette.getValue(colour), fade)
+
+    /** Puts [lamp] out. */
+    fun dark(lamp: String, fade: Duration = Duration.ZERO) =
+        light(lamp, "black", fade)
 }

commit main mira
  Light several lamps with one line
edit src/main/kotlin/Show.kt
@@
         light(lamp, palette.getValue(colour), fade)
+
+    /** Lights all of [lamps] alike. */
+    fun light(lamps: Iterable<String>, colour: String, fade: Duration = Duration.ZERO) =
+        lamps.forEach { light(it, colour, fade) }
 }

commit refrain noor
  Call a repeated moment a refrain

  "every" sounds as if it never ended.
edit src/main/kotlin/Show.kt
@@
-    /** Opens the same moment [times] times, [gap] apart, the first time at [start]. */
-    fun every(gap: Duration, times: Int, start: Duration = Duration.ZERO, moment: MomentBuilder.() -> Unit) {
+    /** Opens the same moment [times] times, [gap] apart, the first one at [start]. */
+    fun refrain(gap: Duration, times: Int, start: Duration = Duration.ZERO, moment: MomentBuilder.() -> Unit) {
         repeat(times) { at(start + gap * it, moment) }
edit src/test/kotlin/ShowTest.kt
@@
         assertEquals(12.seconds, walk.length)
     }
+
+    @Test
+    fun `a refrain comes back`() {
+        val blink = show("Blink") { refrain(2.seconds, times = 3, start = 1.seconds) { light("gate", amber) } }
+        assertEquals(listOf(1, 3, 5).map { it.seconds }, blink.cues.map { it.at })
+    }
 }

commit refrain noor
  Refuse a refrain that never sounds

  A slip of the pen, and nobody notices it before the night.
edit src/main/kotlin/Show.kt
@@
-    /** Opens the same moment [times] times, [gap] apart, the first one at [start]. */
+    /** Opens the same moment [times] times, at least once, [gap] apart, the first one at [start]. */
     fun refrain(gap: Duration, times: Int, start: Duration = Duration.ZERO, moment: MomentBuilder.() -> Unit) {
+        require(times > 0) { "a refrain that never sounds" }
         repeat(times) { at(start + gap * it, moment) }

merge main noor from refrain
  Merge branch 'refrain'
resolve src/main/kotlin/Show.kt
@@ text
|    /** Opens a moment [gap] after the one that was opened last. */
|    fun then(gap: Duration, moment: MomentBuilder.() -> Unit) = at(last + gap, moment)
|
|    /** Opens the same moment [times] times, at least once, [gap] apart, the first one at [start]. */
|    fun refrain(gap: Duration, times: Int, start: Duration = Duration.ZERO, moment: MomentBuilder.() -> Unit) {
|        require(times > 0) { "a refrain that never sounds" }
|        repeat(times) { at(start + gap * it, moment) }
|    }
@@ text
|    /** Lights all of [lamps] alike. */
|    fun light(lamps: Iterable<String>, colour: String, fade: Duration = Duration.ZERO) =
|        lamps.forEach { light(it, colour, fade) }
|
|    /** Puts [lamp] out. */
|    fun dark(lamp: String, fade: Duration = Duration.ZERO) =
|        light(lamp, "black", fade)
