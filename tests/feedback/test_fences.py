"""Code in answers: every way to write a fence that models use, and texts that nobody would write."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitgoodbench.feedback.fences import Fence, code_of
from gitgoodbench.feedback.records import Part

CODE = "def add(a, b):\n    return a + b\n"


def only(text: str) -> Fence:
    (fence,) = code_of(text)
    return fence


def contents(text: str) -> list[bytes]:
    return [part.after for fence in code_of(text) for part in fence.parts]


def test_a_plain_fence_is_language_and_code() -> None:
    assert only(f"Here:\n\n```python\n{CODE}```\n") == Fence("python", None, None, (Part(None, CODE.encode()),))


@pytest.mark.parametrize(
    ("info", "language", "path", "line"),
    [
        ("python:hello.py", "python", "hello.py", None),
        ("python hello.py", "python", "hello.py", None),
        ("python:src/hello.py:12", "python", "src/hello.py", 12),
        ("ts src/a.ts#L10-L20", "ts", "src/a.ts", 10),
        ("12:20:src/app/hello.py", None, "src/app/hello.py", 12),
        ("hello.py", None, "hello.py", None),
        ("./src/hello.py", None, "src/hello.py", None),
        ("C:\\work\\hello.py", None, "C:\\work\\hello.py", None),
        ('python title="src/hello.py"', "python", "src/hello.py", None),
        ('python title="An example"', "python", None, None),
        ("python {file=hello.py startLine=7}", "python", "hello.py", 7),
        ("{.python file='hello.py' startFrom=\"12\"}", "python", "hello.py", 12),
        ("{.java}", "java", None, None),
        ("python filename=my-file", "python", "my-file", None),
        ("js {1,4-5} showLineNumbers", "js", None, None),
        ("C++", "c++", None, None),
        ("docker:Dockerfile", "docker", "Dockerfile", None),
        ("python:12", "python", None, None),
        ("diff --git", "diff", None, None),
        ("bash https://example.invalid/x.sh", "bash", None, None),
    ],
)
def test_info_strings(info: str, language: str | None, path: str | None, line: int | None) -> None:
    text = "+x = 1\n" if language == "diff" else "x = 1\n"
    fence = only(f"```{info}\n{text}```\n")
    assert (fence.language, fence.path, fence.line) == (language, path, line)
    assert fence.parts[0].line == (None if language == "diff" else line)


@pytest.mark.parametrize(
    ("above", "path"),
    [
        ("hello.py", "hello.py"),
        ("`hello.py`", "hello.py"),
        ("`hello.py`:", "hello.py"),
        ("**hello.py**", "hello.py"),
        ("**`src/__init__.py`**", "src/__init__.py"),
        ("### hello.py", "hello.py"),
        ("#### 1. `src/hello.py`", "src/hello.py"),
        ("File: hello.py", "hello.py"),
        ("**File:** `hello.py`", "hello.py"),
        ("- `src/hello.py`:\n", "src/hello.py"),
        ("Then change `src/hello.py` like this:", "src/hello.py"),
        ("### Dockerfile", "Dockerfile"),
        ("### License", None),
        ("Use `np.array` instead:", None),
        ("Move it from `a.py` to `b.py`:", None),
        ("Here is the code and/or text:", None),
    ],
)
def test_the_line_above_names_the_file(above: str, path: str | None) -> None:
    assert only(f"Intro.\n\n{above}\n```python\n{CODE}```\n").path == path


def test_a_command_is_not_for_the_file_that_prose_names() -> None:
    assert only("Run `hello.py`:\n```bash\npython hello.py\n```\n").path is None


@pytest.mark.parametrize(
    ("first", "path", "kept"),
    [
        ("# path: src/hello.py", "src/hello.py", False),
        ("// filepath: /users/ada/a.ts", "/users/ada/a.ts", False),
        ("<!-- file: index.html -->", "index.html", False),
        ("/* style.css */", "style.css", True),
        ("# src/hello.py", "src/hello.py", True),
        ("#!/usr/bin/env python3", None, True),
        ("# see hello.py", None, True),
        ('#include "a.h"', None, True),
    ],
)
def test_a_first_comment_names_the_file_and_goes_where_it_says_nothing_else(
    first: str, path: str | None, kept: bool
) -> None:
    fence = only(f"```c\n{first}\n{CODE}```\n")
    assert fence.path == path
    assert fence.parts[0].after == (f"{first}\n" if kept else "").encode() + CODE.encode()


@pytest.mark.parametrize(
    "mark",
    [
        "# ... existing code ...",
        "    // ... rest of code ...",
        "# ...",
        "// …",
        "{/* ... existing code ... */}",
        "<!-- ... existing markup ... -->",
        "/* rest of the file remains unchanged */",
        "# Rest of the code",
        "# existing code here",
        "# (other methods unchanged)",
        "-- ... --",
        "// rest of component...",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_of_what_is_left_out_part_the_code(mark: str, end: str) -> None:
    first, second = f"a = 1{end}", f"b = 2{end}{end}c = 3{end}"
    fence = only(f"```python:a.py:5{end}{first}{mark}{end}{second}```{end}")
    assert fence.parts == (Part(None, first.encode(), 5), Part(None, second.encode()))


@pytest.mark.parametrize(
    "line",
    [
        "    ...",
        "# the previous value stays",
        "# remaining: 3",
        "# existing users pay less",
        "x = [...]",
        "print('...')",
    ],
)
def test_code_that_looks_like_a_mark_is_code(line: str) -> None:
    assert contents(f"```python\nclass A:\n{line}\n```\n") == [f"class A:\n{line}\n".encode()]


def test_dots_alone_are_a_mark_where_they_are_no_code() -> None:
    assert contents("```go\na()\n...\nb()\n```\n") == [b"a()\n", b"b()\n"]


def test_fences_in_fences() -> None:
    inner = "# Title\n```python\nx = 1\n```\nand\n```\nplain\n```\n"
    assert contents(f"````markdown\n{inner}````\nafter\n```go\ny\n```\n") == [inner.encode(), b"y\n"]
    same = "# Title\n```python\nx = 1\n```\nThe end\n"
    assert contents(f"```markdown\n{same}```\nafter\n```go\ny\n```\n") == [same.encode(), b"y\n"]
    docstring = '"""\n```python\nx\n```\n"""\ny = 1\n'
    assert contents(f"```python\n{docstring}```\n") == [docstring.encode()]
    tilde = "a\n```\nb\n"
    assert contents(f"~~~sh\n{tilde}~~~\n") == [tilde.encode()]


def test_a_fence_left_open_does_not_swallow_the_ones_before() -> None:
    assert contents("```py\na\n```\n```py\nb\n") == [b"a\n", b"b\n"]
    assert contents("```py\na\n```\n```py\nb = ") == [b"a\n", b"b = "]
    assert contents("```py\n") == []


def test_fences_in_lists_lose_their_indentation_only() -> None:
    text = "1. First:\n\n   `a.py`\n   ```python\n   if a:\n       b()\n\n   ```\n2. ```python\n   c\n   ```\n"
    first, second = code_of(text)
    assert first == Fence("python", "a.py", None, (Part(None, b"if a:\n    b()\n\n"),))
    assert second.parts == (Part(None, b"c\n"),)


def test_line_ends_stay() -> None:
    assert contents("```py\r\na\r\n\r\nb\x0c\u2028c\r\n```\r\n") == ["a\r\n\r\nb\x0c\u2028c\r\n".encode()]


def test_search_and_replace_blocks_are_before_and_after() -> None:
    text = (
        "src/a.py\n```python\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n\n"
        "<<<<<<< SEARCH\n=======\nadded\n>>>>>>> REPLACE\n```\n"
    )
    assert only(text) == Fence("python", "src/a.py", None, (Part(b"old\n", b"new\n"), Part(None, b"added\n")))
    inside = "```\nsrc/b.py\n<<<<<<< SEARCH\n:start_line:12\n-------\nold\n=======\nnew\n>>>>>>> REPLACE\n```\n"
    assert only(inside) == Fence(None, "src/b.py", None, (Part(b"old\n", b"new\n", 12),))
    cline = "```\n------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE\n```\n"
    assert only(cline).parts == (Part(b"old\n", b"new\n"),)
    assert code_of("```\n<<<<<<< SEARCH\nold\n=======\nne") == ()


def test_diffs_are_before_and_after() -> None:
    text = (
        "```diff\n--- a/src/a.py\n+++ b/src/a.py\n@@ -3,2 +4,2 @@ def f():\n keep\n-old\n+new\n@@ ... @@\n-- gone\n \n"
        "--- /dev/null\n+++ b/c.txt\n@@ -0,0 +1 @@\n+all\n\\ No newline at end of file\n```\n"
    )
    first, second = code_of(text)
    assert first == Fence(
        "diff", "src/a.py", None, (Part(b"keep\nold\n", b"keep\nnew\n", 4), Part(b"- gone\n\n", b"\n"))
    )
    assert second == Fence("diff", "c.txt", None, (Part(None, b"all\n", 1),))


def test_diffs_without_headers_and_patches_of_other_kinds() -> None:
    assert only("`a.py`\n```diff\n keep\n-old\n+new\n```\n") == Fence(
        "diff", "a.py", None, (Part(b"keep\nold\n", b"keep\nnew\n"),)
    )
    patch = (
        "```\n*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-old\n+new\n"
        "*** Add File: b.py\n+x\n*** End Patch\n```\n"
    )
    first, second = code_of(patch)
    assert (first.path, first.parts, second.path, second.parts) == (
        "a.py", (Part(b"old\n", b"new\n"),), "b.py", (Part(None, b"x\n"),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("info", "is_code"), [("console", False), ("text", False), ("text:notes.txt", True), ("py", True)]
)
def test_output_is_told_from_code(info: str, is_code: bool) -> None:
    assert only(f"```{info}\nx\n```\n").is_code is is_code


def test_inline_code_is_no_fence() -> None:
    assert code_of("Use ```x``` and `y`.\n~~~~\n") == ()


PIECES = (
    "``` ```` ~~~ ```py ~~~ts -|```py ||| x|=|1 +y -z @@|-1|+1|@@ --- --|a ++|b <<<<<<<|SEARCH ======= >>>>>>>|REPLACE"
    " #|... a.py ` { }"
)
FENCES = st.lists(
    st.sampled_from(
        [*PIECES.replace(" ", "\n").replace("|", " ").split("\n"), "\n", "\r\n", "\t", "\ud800", "é", "\x00"]
    ),
    max_size=40,
).map("".join)


@given(st.one_of(FENCES, st.text(max_size=200)))
def test_any_text_is_read(text: str) -> None:
    for fence in code_of(text):
        assert fence.parts
        assert all(part.before or part.after for part in fence.parts)


@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_characters="\n`~"), max_size=30), min_size=1, max_size=6)
        .map(lambda lines: "".join(f"q{line}\n" for line in lines)),
        min_size=1, max_size=5,
    ),
    st.sampled_from(["```", "````", "~~~"]),
)  # fmt: skip
def test_code_comes_out_as_it_was_written(pieces: list[str], mark: str) -> None:
    text = "\n".join(f"Text.\n\n{mark}python:f{at}.py\n{piece}{mark}\n" for at, piece in enumerate(pieces))
    fences = code_of(text)
    assert [fence.path for fence in fences] == [f"f{at}.py" for at in range(len(pieces))]
    assert contents(text) == [piece.encode("utf-8", "surrogatepass") for piece in pieces]


@pytest.mark.parametrize(
    "piece", ["```py\n", "```\n", "~~~a\n```b\n", "- ```a\n", "`a.py`\n", "<<<<<<< SEARCH\n", "x" * 50 + "\n"]
)
def test_work_grows_no_faster_than_the_text(piece: str) -> None:
    def seconds(count: int) -> float:
        """The least of three: the rest is what else the machine does."""
        taken = []
        for _ in range(3):
            begun = time.process_time()
            code_of("```py\n" + piece * count)
            taken.append(time.process_time() - begun)
        return min(taken)

    assert seconds(20_000) < 30 * max(seconds(2_000), 0.001)
