"""Files of all languages as parts whose order means nothing, each with a file that has nothing to do with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gitgoodbench.git.hunks import Line, Mark, TextChange
from gitgoodbench.git.objects import Entry
from gitgoodbench.scoring.history_lines import ChangedFile, LineHistory
from gitgoodbench.scoring.similarity_history import history_similarity
from gitgoodbench.ted import language_of_file


@dataclass(frozen=True)
class Reordering:
    """A file: what is before its parts, the parts, what is between two of them and after the last; and another file."""

    what: str
    path: str
    before: str
    parts: tuple[str, ...]
    after: str
    unrelated: str
    between: str = "\n"

    def written(self, *parts: str) -> bytes:
        return (self.before + self.between.join(parts or self.parts) + self.after).encode()

    @property
    def moved(self) -> bytes:
        """The last part comes first."""
        return self.written(self.parts[-1], *self.parts[:-1])

    @property
    def without_last(self) -> bytes:
        return self.written(*self.parts[:-1])

    def scores(self) -> tuple[float, float, float]:
        """The similarity to the file with its last part in front, of that without it, and of the other file."""
        real = added(self.path, self.written())
        others = (self.moved, self.without_last, self.unrelated.encode())
        first, second, third = (history_similarity(added(self.path, other), real) for other in others)
        assert first is not None
        assert second is not None
        assert third is not None
        return first, second, third


def added(path: str, content: bytes) -> LineHistory:
    """A history of one commit that adds a file."""
    lines = tuple(Line(Mark.ADDED, line + b"\n") for line in content.split(b"\n"))
    entry = Entry("100644", "1" * 40)
    file = ChangedFile(path.encode(), None, entry, TextChange(lines, ()), b"", content + b"\n")
    return LineHistory(((file,),))


_JAVA: Final = (
    "    private final Map<String, Integer> counts = new HashMap<>();\n",
    "    /** Counts a word. */\n    public void add(String word) {\n        counts.merge(word, "
    "1, Integer::sum);\n    }\n",
    "    public int count(String word) {\n        Integer found = counts.get(word);\n"
    "        return found == null ? 0 : found;\n    }\n",
)
_JAVA_OTHER: Final = (
    "import java.io.*;\n\nfinal class Copy {\n    static long copy(InputStream in, "
    "OutputStream out) throws IOException {\n"
    "        byte[] buffer = new byte[8192];\n        long total = 0;\n"
    "        for (int n; (n = in.read(buffer)) > 0; total += n) {\n            out.write(buffer, 0, n);\n        }\n"
    "        return total;\n    }\n}\n"
)
_TS: Final = (
    "  private entries = new Map<string, number>();\n",
    "  set(key: string, value: number): this {\n    this.entries.set(key, value);\n    return this;\n  }\n",
    "  total(): number {\n    let sum = 0;\n    for (const value of this.entries.values()) sum += value;\n"
    "    return sum;\n  }\n",
)
_TS_OTHER: Final = (
    "export async function load(url: string, tries = 3): Promise<string> {\n  try {\n"
    "    const answer = await fetch(url);\n    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);\n"
    "    return await answer.text();\n  } catch (error) {\n    if (tries > 1) return load(url, tries - 1);\n"
    "    throw error;\n  }\n}\n"
)
_C: Final = (
    "struct point {\n    double x;\n    double y;\n};\n",
    "static double length(struct point p)\n{\n    return sqrt(p.x * p.x + p.y * p.y);\n}\n",
    "static int is_zero(struct point p)\n{\n    if (p.x != 0)\n        return 0;\n    return p.y == 0;\n}\n",
)
_C_OTHER: Final = (
    "#include <stdio.h>\n\nint main(int argc, char **argv)\n{\n    for (int i = 1; i < argc; i++) {\n"
    '        FILE *file = fopen(argv[i], "rb");\n        while (file && !feof(file))\n         '
    "   putchar(fgetc(file));\n"
    "    }\n    return 0;\n}\n"
)

REORDERINGS: Final = (
    Reordering(
        "functions", "a.py", "import re\n\n\n",
        (
            "def words(text):\n    return re.findall(r'\\w+', text.lower())\n\n",
            "def count(text):\n    found = {}\n    for word in words(text):\n"
            "        found[word] = found.get(word, 0) + 1\n    return found\n\n",
            "class Error(Exception):\n    pass\n",
        ),
        "",
        "with open('x.bin', 'rb') as file:\n    while data := file.read(4096):\n        try:\n"
        "            sys.stdout.buffer.write(data)\n        except BrokenPipeError:\n            break\n",
    ),
    Reordering(
        "methods of a class", "a.py", "@final\nclass Stack(Base):\n",
        (
            "    def push(self, item):\n        self.items.append(item)\n        return self\n",
            "    def pop(self):\n        if not self.items:\n            raise IndexError('empty')\n"
            "        return self.items.pop()\n",
            "    @property\n    def size(self):\n        return len(self.items)\n",
        ),
        "",
        "def main(argv):\n    total = sum(int(x) for x in argv[1:] if x.isdigit())\n    print(f'{total:,}')\n"
        "    return 1 if total > 10 else 0\n",
    ),
    Reordering("methods of a class", "a.java", "class Words {\n", _JAVA, "}\n", _JAVA_OTHER),
    Reordering(
        "methods of a class in a class", "a.java", "class Outer {\n  int x;\n  static class "
                                                   "Words {\n", _JAVA, "  }\n}\n",
        _JAVA_OTHER,
    ),
    Reordering(
        "constants of an enum", "a.java", "enum Size {\n",
        ('    SMALL("s", 1)', '    MEDIUM("m", 20)', '    LARGE("l", 300)'), ";\n    Size(String s, int n) { }\n}\n",
        _JAVA_OTHER, ",\n",
    ),
    Reordering(
        "methods of a class", "a.kt", "class Words(private val limit: Int) {\n",
        (
            "    private val counts = mutableMapOf<String, Int>()\n",
            "    fun add(word: String) {\n        if (word.length > limit) return\n"
            "        counts[word] = (counts[word] ?: 0) + 1\n    }\n",
            "    fun count(word: String): Int = counts.getOrDefault(word, 0)\n",
        ),
        "}\n",
        "fun main(args: Array<String>) {\n    when (args.size) {\n        0 -> println(\"none\")\n"
        "        else -> args.map { it.trim() }.filter { it.isNotEmpty() }.forEach(::println)\n    }\n}\n",
    ),
    Reordering(
        "functions of an impl", "a.rs", "impl Stack {\n",
        (
            "    pub fn push(&mut self, item: u32) {\n        self.items.push(item);\n    }\n",
            "    pub fn pop(&mut self) -> Option<u32> {\n        let last = self.items.pop()?;\n"
            "        self.sum -= last;\n        Some(last)\n    }\n",
            "    pub const EMPTY: Self = Self { items: Vec::new(), sum: 0 };\n",
        ),
        "}\n",
        "use std::io::{self, Read};\n\nfn main() -> io::Result<()> {\n    let mut text = String::new();\n"
        "    io::stdin().read_to_string(&mut text)?;\n    for line in text.lines().rev() {\n"
        "        println!(\"{line}\");\n    }\n    Ok(())\n}\n",
    ),
    Reordering("methods of a class", "a.ts", "export class Table {\n", _TS, "}\n", _TS_OTHER),
    Reordering(
        "properties of an interface", "a.tsx", "export interface Props {\n",
        ("  title: string;\n", "  onChange?: (value: number) => void;\n", "  items: ReadonlyArray<Item>;\n"), "}\n",
        _TS_OTHER, "",
    ),
    Reordering(
        "methods of a class", "a.js", "export class Table extends Base {\n",
        (
            "  #entries = new Map();\n",
            "  set(key, value) {\n    this.#entries.set(key, value);\n    return this;\n  }\n",
            "  total() {\n    let sum = 0;\n    for (const value of this.#entries.values()) sum += value;\n"
            "    return sum;\n  }\n",
        ),
        "}\n",
        "const fs = require('fs');\nfs.readFile(process.argv[2], (error, data) => {\n  if (error) throw error;\n"
        "  console.log(data.toString().split('\\n').length);\n});\n",
    ),
    Reordering(
        "fields of a struct", "a.go", "package p\n\ntype Server struct {\n",
        ("\tAddress string `json:\"address\"`", "\tHandler func(Request) (Response, error)", "\ttimeout time.Duration"),
        "\n}\n",
        "package q\n\nfunc Sum(values ...int) int {\n\ttotal := 0\n\tfor _, value := range values {\n"
        "\t\ttotal += value\n\t}\n\treturn total\n}\n",
    ),
    Reordering("declarations behind a guard", "a.h", "#ifndef A_H\n#define A_H\n", _C, "#endif\n", _C_OTHER),
    Reordering(
        "members of a class in a namespace", "a.hpp", "#pragma once\nnamespace a {\ntemplate "
                                                      "<class T> class Stack {\npublic:\n",
        (
            "    void push(T item) { items_.push_back(std::move(item)); }\n",
            "    T pop() {\n        T last = items_.back();\n        items_.pop_back();\n        return last;\n    }\n",
            "    bool empty() const { return items_.empty(); }\n",
        ),
        "};\n}\n", _C_OTHER,
    ),
    Reordering(
        "members of a class in a namespace", "a.cs", "namespace N\n{\n    public class Stack : IStack\n    {\n",
        (
            "        public int Count { get; private set; }\n",
            "        public void Push(object item)\n        {\n            items.Add(item);\n            Count++;\n"
            "        }\n",
            "        public object Peek()\n        {\n            return Count == 0 ? null : items[Count - 1];\n"
            "        }\n",
        ),
        "    }\n}\n",
        "using System;\n\nforeach (var line in Console.In.ReadToEnd().Split('\\n'))\n{\n"
        "    if (line.Length > 0) Console.WriteLine(line.Trim());\n}\n",
    ),
    Reordering(
        "methods of a class in a module", "a.rb", "module M\n  class Stack < Base\n",
        (
            "    def push(item)\n      @items << item\n      self\n    end\n",
            "    def pop\n      raise IndexError, 'empty' if @items.empty?\n      @items.pop\n    end\n",
            "    attr_reader :items, :limit\n",
        ),
        "  end\nend\n",
        "ARGF.each_line do |line|\n  next unless line =~ /^\\d+/\n  puts line.split(',').map(&:to_i).sum\nend\n",
    ),
    Reordering(
        "methods of a class", "a.php", "<?php\nfinal class Stack implements Countable {\n",
        (
            "    private array $items = [];\n",
            "    public function push(mixed $item): self {\n        $this->items[] = $item;\n        return $this;\n"
            "    }\n",
            "    public function count(): int {\n        return count($this->items);\n    }\n",
        ),
        "}\n",
        "<?php\nforeach (glob('*.txt') as $file) {\n    if (filesize($file) > 1024) {\n        "
        "echo basename($file), \"\\n\";\n"
        "    }\n}\n",
    ),
    Reordering(
        "members of a struct", "a.swift", "struct Stack: Sequence {\n",
        (
            "    private var items: [Int] = []\n",
            "    mutating func push(_ item: Int) {\n        items.append(item)\n    }\n",
            "    func peek() -> Int? {\n        guard !items.isEmpty else { return nil }\n     "
            "   return items.last\n    }\n",
        ),
        "}\n",
        "while let line = readLine() {\n    switch line.count {\n    case 0: continue\n    "
        "default: print(line.uppercased())\n"
        "    }\n}\n",
    ),
    Reordering(
        "members of an object", "a.scala", "object Words extends App {\n",
        (
            "  val limit: Int = 10\n",
            "  def words(text: String): Seq[String] = text.split(\" \").filter(_.length < limit).toSeq\n",
            "  def count(text: String): Int = {\n    val found = words(text)\n    found.distinct.size\n  }\n",
        ),
        "}\n",
        "case class Point(x: Double, y: Double)\n\ndef nearest(to: Point, all: List[Point]): "
        "Option[Point] = all match {\n"
        "  case Nil => None\n  case head :: tail => Some(tail.foldLeft(head)((a, b) => if (a.x < b.x) a else b))\n}\n",
    ),
    Reordering(
        "functions", "a.sh", "#!/bin/bash\nset -e\n",
        (
            "fail() {\n  echo \"$1\" >&2\n  exit 1\n}\n",
            "count() {\n  local n=0\n  for file in \"$@\"; do n=$((n + 1)); done\n  echo \"$n\"\n}\n",
            "is_set() {\n  [ -n \"${1:-}\" ]\n}\n",
        ),
        "",
        "while read -r line; do\n  case $line in\n    a*) echo \"${line#a}\" | tr a-z A-Z > "
        "out.txt ;;\n  esac\ndone < in.txt\n",
    ),
    Reordering(
        "columns of a table", "a.sql", "CREATE TABLE person (\n",
        ("  name varchar(20) NOT NULL", "  born date", "  id int PRIMARY KEY"), "\n);\n",
        "SELECT o.day, sum(o.amount) FROM orders o JOIN shops s ON s.id = o.shop WHERE s.open "
        "= 1 GROUP BY o.day;\n", ",\n",
    ),
    Reordering(
        "elements of an element", "a.html", "<!doctype html>\n<html><body class=\"wide\">\n",
        (
            "<h1 id=\"top\">Words</h1>",
            "<ul><li>one</li><li><a href=\"two.html\">two</a></li></ul>",
            "<p>All of <b>them</b> are here.</p>",
        ),
        "\n</body></html>\n",
        "<table><tr><th>day</th></tr><tr><td>1</td><td>2</td></tr></table>\n<form "
        "action=\"/x\"><input name=\"q\"></form>\n",
    ),
    Reordering(
        "declarations of a rule", "a.css", ".menu > a:hover {\n",
        ("  color: #fff;", "  background: url(a.png) no-repeat;", "  margin: 0 auto 1em;"), "\n}\n",
        "@media (max-width: 600px) { #side, footer p { display: none } }\n@import \"x.css\";\n",
    ),
    Reordering(
        "entries of an object", "a.json", "{\n",
        (
            '  "name": "words"',
            '  "scripts": {"test": "node --test", "lint": "eslint ."}',
            '  "files": ["src", "bin"]',
        ),
        "\n}\n",
        "[[1, 2.5, true], [null, 3, false], [4, [5, 6], -7], [8, 9, 10]]\n", ",\n",
    ),
    Reordering(
        "entries of an object in an object", "a.json", '{"version": 1, "options": {\n',
        ('    "depth": 3', '    "strict": true', '    "paths": {"@": ["./src"]}'), "\n}}\n",
        "[[1, 2.5, false], [null, 3, false], [4, [5, 6], -7], [8, 9, 10]]\n", ",\n",
    ),
    Reordering(
        "entries of a mapping", "a.yaml", "jobs:\n",
        (
            "  lint:\n    runs-on: ubuntu\n    steps:\n      - run: make lint\n",
            "  test:\n    needs: [lint]\n    strategy: {matrix: {python: [3.11, 3.12]}}\n",
            "  docs:\n    if: github.ref == 'main'\n",
        ),
        "", "- 1\n- [2, 3, [4, 5]]\n- |\n  some text\n  and more\n- 6\n", "",
    ),
    Reordering(
        "tables and their entries", "a.toml", 'title = "words"\n',
        (
            '[build]\nrequires = ["setuptools", "wheel"]\n',
            "[tool.lint]\nwidth = 120\nstrict = true\n",
            '[[people]]\nname = "A"\nborn = 1990-01-02\n',
        ),
        "", "x = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]\n",
    ),
    Reordering(
        "sections of a document", "a.md", "# Words\n\nCounts words.\n\n",
        (
            "## Install\n\nRun this:\n\n```sh\npip install words\n```\n",
            "## Use\n\n- call `count`\n- read the result\n\n### Limits\n\nAt most ten.\n",
            "## License\n\nMIT.\n",
        ),
        "", "> 1. quoted\n> 2. twice\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    ),
)  # fmt: skip


def table() -> list[str]:
    """The rows of the table in docs/similarity.md: what `history_similarity` says of each file and its changes."""
    rows = ["| language | parts | moved | one left out | another file |", "|---|---|---|---|---|"]
    for one in REORDERINGS:
        language = language_of_file(one.path)
        assert language is not None
        figures = " | ".join(f"{score:.2f}" for score in one.scores())
        rows.append(f"| {language.name} | {one.what} | {figures} |")
    return rows
