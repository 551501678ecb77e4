# lantern, chapter 2: the rig.
#
# The lamps are wired. Jun thinks of them as channels, Mira as groups with names; both need a class Rig today, and
# neither knows that the other one is writing it.

branch channels from main
commit channels jun
  Add the rig: lamps on channels of their own
write src/main/kotlin/Rig.kt
|package lantern
|
|/** The lamps that hang over the way, each on channels of its own. */
|class Rig(val lamps: List<Lamp>) {
|    init {
|        val shared = lamps.groupBy { it.channel }.values.filter { it.size > 1 }
|        require(shared.isEmpty()) { "lamps on the same channel: $shared" }
|    }
|}
|
|/** Hangs the lamps: the door to the DSL of the rig. */
|fun rig(hang: RigBuilder.() -> Unit): Rig = RigBuilder().apply(hang).toRig()
|
|@ShowDsl
|class RigBuilder {
|    private val lamps = mutableListOf<Lamp>()
|
|    /** Hangs a lamp on the next free channels. */
|    fun lamp(name: String) {
|        lamps += Lamp(name, channel = 1 + 3 * lamps.size)
|    }
|
|    fun toRig(): Rig = Rig(lamps.toList())
|}
write src/test/kotlin/RigTest.kt
|package lantern
|
|import kotlin.test.Test
|import kotlin.test.assertEquals
|import kotlin.test.assertFailsWith
|
|class RigTest {
|    @Test
|    fun `lamps are hung on channels in turn`() {
|        val rig = rig { listOf("gate", "bridge", "boat").forEach { lamp(it) } }
|        assertEquals(listOf(1, 4, 7), rig.lamps.map { it.channel })
|    }
|
|    @Test
|    fun `two lamps on one channel are refused`() {
|        assertFailsWith<IllegalArgumentException> { Rig(listOf(Lamp("gate", 1), Lamp("bridge", 1))) }
|    }
|}

commit main mira
  Add the rig: groups of lamps by name
write src/main/kotlin/Rig.kt
|package lantern
|
|/** The lamps that hang over the way, and the groups that a cue may call by one name. */
|class Rig(val lamps: List<Lamp>, val groups: Map<String, List<String>> = emptyMap()) {
|    private val byName = lamps.associateBy { it.name }
|
|    operator fun contains(name: String): Boolean = name in byName || name in groups
|
|    /** The lamps that [name] stands for: one, all of a group, or none. */
|    fun resolve(name: String): List<Lamp> = (groups[name] ?: listOf(name)).mapNotNull { byName[it] }
|}
write src/test/kotlin/RigTest.kt
|package lantern
|
|import kotlin.test.Test
|import kotlin.test.assertEquals
|import kotlin.test.assertFalse
|
|class RigTest {
|    private val gate = Lamp("gate", 1)
|    private val boat = Lamp("boat", 4)
|    private val rig = Rig(listOf(gate, boat), groups = mapOf("all" to listOf("gate", "boat")))
|
|    @Test
|    fun `a group stands for its lamps`() {
|        assertEquals(listOf(gate, boat), rig.resolve("all"))
|    }
|
|    @Test
|    fun `a rig knows what it does not have`() {
|        assertFalse("moon" in rig)
|    }
|}

# Add/add, in two files: there is no common ancestor, so Git can only lay the two classes side by side.

merge main mira from channels
  Merge branch 'channels'

  One Rig for both of us: Jun's channels and builder, my groups. The
  builder learns to group.
write src/main/kotlin/Rig.kt
|package lantern
|
|/**
| * The lamps that hang over the way, each on channels of its own, and the groups that a cue may call by one name.
| */
|class Rig(val lamps: List<Lamp>, val groups: Map<String, List<String>> = emptyMap()) {
|    private val byName = lamps.associateBy { it.name }
|
|    init {
|        val shared = lamps.groupBy { it.channel }.values.filter { it.size > 1 }
|        require(shared.isEmpty()) { "lamps on the same channel: $shared" }
|    }
|
|    operator fun contains(name: String): Boolean = name in byName || name in groups
|
|    /** The lamps that [name] stands for: one, all of a group, or none. */
|    fun resolve(name: String): List<Lamp> = (groups[name] ?: listOf(name)).mapNotNull { byName[it] }
|}
|
|/** Hangs the lamps: the door to the DSL of the rig. */
|fun rig(hang: RigBuilder.() -> Unit): Rig = RigBuilder().apply(hang).toRig()
|
|@ShowDsl
|class RigBuilder {
|    private val lamps = mutableListOf<Lamp>()
|    private val groups = mutableMapOf<String, List<String>>()
|
|    /** Hangs a lamp on the next free channels. */
|    fun lamp(name: String) {
|        lamps += Lamp(name, channel = 1 + 3 * lamps.size)
|    }
|
|    /** Gives [lamps] a name in common. */
|    fun group(name: String, vararg lamps: String) {
|        groups[name] = lamps.toList()
|    }
|
|    fun toRig(): Rig = Rig(lamps.toList(), groups.toMap())
|}
write src/test/kotlin/RigTest.kt
|package lantern
|
|import kotlin.test.Test
|import kotlin.test.assertEquals
|import kotlin.test.assertFailsWith
|import kotlin.test.assertFalse
|
|class RigTest {
|    private val rig = rig {
|        listOf("gate", "bridge", "boat").forEach { lamp(it) }
|        group("river", "bridge", "boat")
|    }
|
|    @Test
|    fun `lamps are hung on channels in turn`() {
|        assertEquals(listOf(1, 4, 7), rig.lamps.map { it.channel })
|    }
|
|    @Test
|    fun `two lamps on one channel are refused`() {
|        assertFailsWith<IllegalArgumentException> { Rig(listOf(Lamp("gate", 1), Lamp("bridge", 1))) }
|    }
|
|    @Test
|    fun `a group stands for its lamps`() {
|        assertEquals(listOf("bridge", "boat"), rig.resolve("river").map { it.name })
|    }
|
|    @Test
|    fun `a rig knows what it does not have`() {
|        assertFalse("moon" in rig)
|    }
|}

# Tobias has the key to the cellar with the fuses. His editor, on Windows, saves Rig.kt with CRLF, and nobody sees
# it in the review. Meanwhile Jun makes the checks of the rig honest, in three commits on the same file.

branch fuses from main
commit main jun
  Name the number of channels of a lamp
edit src/main/kotlin/Rig.kt
@@
 package lantern
 
+/** Red, green and blue. */
+private const val CHANNELS_PER_LAMP = 3
+
 /**
@@
-        lamps += Lamp(name, channel = 1 + 3 * lamps.size)
+        lamps += Lamp(name, channel = 1 + CHANNELS_PER_LAMP * lamps.size)

commit fuses tobias
  Add up the watts of the rig

  One fuse of the bridge house carries 800 watts.
edit src/main/kotlin/Lamp.kt
@@
-/** A lamp: what the cues call it, and the first of the channels that drive it. */
-data class Lamp(val name: String, val channel: Int)
+/** A lamp: what the cues call it, the first of the channels that drive it, and what it draws in full white. */
+data class Lamp(val name: String, val channel: Int, val watts: Int = 18)
edit src/main/kotlin/Rig.kt
@@
     private val byName = lamps.associateBy { it.name }
 
+    /** What the fuses have to carry when every lamp is white. */
+    val watts: Int = lamps.sumOf { it.watts }
+
     init {
style src/main/kotlin/Rig.kt crlf

commit main jun
  See that lamps overlap, not only that they begin alike

  A lamp on channel 2 gets its red from the green of a lamp on channel 1.
edit src/main/kotlin/Rig.kt
@@
     init {
-        val shared = lamps.groupBy { it.channel }.values.filter { it.size > 1 }
-        require(shared.isEmpty()) { "lamps on the same channel: $shared" }
+        for ((one, next) in lamps.sortedBy { it.channel }.zipWithNext()) {
+            require(next.channel >= one.channel + CHANNELS_PER_LAMP) { "${one.name} and ${next.name} share channels" }
+        }
     }

commit main jun
  Stop at the end of the universe

  A DMX line has 512 channels. Lamps beyond them stay dark, without a word.
edit src/main/kotlin/Rig.kt
@@
 private const val CHANNELS_PER_LAMP = 3
 
+/** As many as one DMX line carries. */
+private const val CHANNELS_PER_UNIVERSE = 512
+
 /**
@@
     init {
+        for (lamp in lamps) {
+            val free = 1..CHANNELS_PER_UNIVERSE - CHANNELS_PER_LAMP + 1
+            require(lamp.channel in free) { "${lamp.name} is outside of the universe" }
+        }
         for ((one, next) in lamps.sortedBy { it.channel }.zipWithNext()) {

# One region, so by the count an easy merge, but it is the whole file: no line with CRLF equals its twin with LF.
# The truth goes back to LF and takes the three lines that Tobias really wrote.

merge main jun from fuses
  Merge branch 'fuses'

  Rig.kt came with CRLF; keep LF, like all our files.
ours src/main/kotlin/Rig.kt
edit src/main/kotlin/Rig.kt
@@
     private val byName = lamps.associateBy { it.name }
 
+    /** What the fuses have to carry when every lamp is white. */
+    val watts: Int = lamps.sumOf { it.watts }
+
     init {

commit main noor
  Check a show against the rig
write .editorconfig
|root = true
|
|[*]
|charset = utf-8
|end_of_line = lf
|max_line_length = 120
write src/main/kotlin/Check.kt
|package lantern
|
|/** What is wrong with this show on [rig], a sentence each; empty when it may go on. */
|fun Show.problems(rig: Rig): List<String> = rules.flatMap { rule -> rule(this, rig) }
|
|private typealias Rule = (Show, Rig) -> List<String>
|
|/** The gravest comes first: who reads the problems at six in the evening stops after the second. */
|private val rules: List<Rule> = listOf(
|    ::unknownLamps,
|)
|
|private fun unknownLamps(show: Show, rig: Rig): List<String> =
|    show.cues.map { it.lamp }.distinct().filterNot { it in rig }.map { "no lamp is called $it" }
write src/test/kotlin/CheckTest.kt
|package lantern
|
|import kotlin.test.Test
|import kotlin.test.assertEquals
|import kotlin.time.Duration.Companion.seconds
|
|class CheckTest {
|    private val rig = rig {
|        listOf("gate", "bridge", "boat").forEach { lamp(it) }
|        group("river", "bridge", "boat")
|    }
|
|    @Test
|    fun `a lamp that nobody has hung is named`() {
|        val walk = show("Walk") { at(0.seconds) { dark("gait") } }
|        assertEquals(listOf("no lamp is called gait"), walk.problems(rig))
|    }
|}

# Noor's three commits on the check come with their tests, so half of what they change is elsewhere (a hard chain).

branch burning from main
commit burning noor
  Warn of lamps that are left burning

  The fire brigade asked for it.
edit src/main/kotlin/Check.kt
@@
     ::unknownLamps,
+    ::leftBurning,
 )
 
+/** Lamps whose last cue is not black. */
+private fun leftBurning(show: Show, rig: Rig): List<String> =
+    show.cues.associate { it.lamp to it.colour }
+        .filterValues { it != palette["black"] }
+        .keys.map { "$it is left burning" }
+
 private fun unknownLamps(show: Show, rig: Rig): List<String> =
edit src/test/kotlin/CheckTest.kt
@@
         assertEquals(listOf("no lamp is called gait"), walk.problems(rig))
     }
+
+    @Test
+    fun `a lamp that is left burning is named`() {
+        val walk = show("Walk") { at(0.seconds) { light("gate", "amber") } }
+        assertEquals(listOf("gate is left burning"), walk.problems(rig))
+    }
 }

commit main mira
  Warn of two cues that fight over a lamp
edit src/main/kotlin/Check.kt
@@
     ::unknownLamps,
+    ::fights,
 )
@@
     show.cues.map { it.lamp }.distinct().filterNot { it in rig }.map { "no lamp is called $it" }
+
+private fun fights(show: Show, rig: Rig): List<String> =
+    show.cues.groupBy { it.lamp }.values
+        .flatMap { cues -> cues.zipWithNext() }
+        .filter { (one, next) -> next.at < one.end }
+        .map { (one, next) -> "${one.lamp} is still fading when it is told to change at ${next.at}" }

commit burning noor
  Put all that is left burning into one sentence

  Forty lamps made forty problems, and hid the one that mattered.
edit src/main/kotlin/Check.kt
@@
-private fun leftBurning(show: Show, rig: Rig): List<String> =
-    show.cues.associate { it.lamp to it.colour }
-        .filterValues { it != palette["black"] }
-        .keys.map { "$it is left burning" }
+private fun leftBurning(show: Show, rig: Rig): List<String> {
+    val burning = show.cues.associate { it.lamp to it.colour }.filterValues { it != palette["black"] }.keys
+    return if (burning.isEmpty()) emptyList() else listOf("left burning: ${burning.joinToString()}")
+}
edit src/test/kotlin/CheckTest.kt
@@
-        assertEquals(listOf("gate is left burning"), walk.problems(rig))
+        assertEquals(listOf("left burning: gate"), walk.problems(rig))

commit burning noor
  Look into groups for what is left burning

  "river" went dark, and the bridge was still said to burn.
edit src/main/kotlin/Check.kt
@@
-/** Lamps whose last cue is not black. */
+/** Lamps whose last cue, be it their own or that of a group, is not black. */
@@
-    val burning = show.cues.associate { it.lamp to it.colour }.filterValues { it != palette["black"] }.keys
+    val last = show.cues.flatMap { cue -> rig.resolve(cue.lamp).map { it.name to cue.colour } }.toMap()
+    val burning = last.filterValues { it != palette["black"] }.keys
     return if (burning.isEmpty()) emptyList() else listOf("left burning: ${burning.joinToString()}")
edit src/test/kotlin/CheckTest.kt
@@
         assertEquals(listOf("left burning: gate"), walk.problems(rig))
     }
+
+    @Test
+    fun `a group puts out each of its lamps`() {
+        val walk = show("Walk") {
+            at(0.seconds) { light("bridge", "amber") }
+            at(5.seconds) { dark("river") }
+        }
+        assertEquals(emptyList(), walk.problems(rig))
+    }
 }

# Both in reverse order: a burning lamp is graver than a flicker, and the gravest comes first.

merge main mira from burning
  Merge branch 'burning'

  A lamp that burns all night is graver than one that flickers.
resolve src/main/kotlin/Check.kt
@@ both-reversed
