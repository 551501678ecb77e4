"""The kinds of odd repositories, by name (see `odd_repositories`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from tests.support.odd_histories import (
    FILE,
    FOLDER,
    YEAR_2050,
    alternates,
    branches_of_no_commits,
    damaged_object,
    damaged_pack,
    detached,
    empty_trees,
    folder,
    future_branch,
    latin_head,
    octopus,
    odd_refs,
    packed_refs,
    partial,
    replaced,
    same_parent_twice,
    shallow,
    side_shallow,
    stale_graph,
    tags,
    unrelated,
    void,
    without_folder,
)
from tests.support.odd_repositories import MERGE, THIRD, Entry, ObjectStore, Oddity, plain_date


def _all_dates(date: bytes) -> Oddity:
    return Oddity(date=lambda _: date)


def _date_of(at: int, date: bytes) -> Oddity:
    return Oddity(date=lambda number: date if number == at else plain_date(number))


def _people(author: bytes, committer: bytes) -> Oddity:
    return Oddity(people=lambda number: (author + committer).replace(b"%s", plain_date(number)))


def _messages(message: bytes) -> Oddity:
    return Oddity(message=lambda number: message.replace(b"#", b"%d" % number))


def _encoded(encoding: bytes, message: bytes) -> Oddity:
    return Oddity(message=lambda _: message, headers=lambda _: b"encoding " + encoding + b"\n")


def _files(*files: tuple[bytes, bytes, bytes]) -> Oddity:
    """Further files in the root of every tree: mode, name, content."""
    return Oddity(extra=lambda objects, _: [(mode, name, objects.blob(content)) for mode, name, content in files])


def _changing(name: bytes, mode: bytes = FILE) -> Oddity:
    """A further file that every commit changes."""
    return Oddity(extra=lambda objects, number: [(mode, name, objects.blob(b"%d\n" % number))])


def _nested(names: Iterable[bytes], mode: bytes = FOLDER) -> Oddity:
    """A file below nested folders, in every tree."""

    def extra(objects: ObjectStore, _: int) -> list[Entry]:
        *folders, last = names
        entry: Entry = (FILE, last, objects.blob(b"deep\n"))
        for name in reversed(folders):
            entry = (mode, name, objects.tree([entry]))
        return [entry]

    return Oddity(extra=extra)


def _attributes(rules: bytes, **changes: object) -> Oddity:
    return Oddity(extra=lambda objects, _: [(FILE, b".gitattributes", objects.blob(rules))], **changes)  # type: ignore[arg-type]


def _history(change: Callable[[ObjectStore, list[str]], None]) -> Oddity:
    return Oddity(history=change)


def _head(content: bytes) -> Oddity:
    return _history(lambda objects, _: void((objects.path / "HEAD").write_bytes(content)))


def _without(name: bytes) -> Oddity:
    """A file whose content is not there."""

    def remove(objects: ObjectStore, _: list[str]) -> None:
        objects.file(objects.blob(b"not there\n")).unlink()

    return Oddity(extra=lambda objects, _: [(FILE, name, objects.blob(b"not there\n"))], history=remove)


def _config(text: str) -> Oddity:
    def change(objects: ObjectStore, _: list[str]) -> None:
        with (objects.path / "config").open("a", encoding="utf-8") as file:
            file.write(text)

    return _history(change)


_AUTHOR: Final = b"author A <a@example.org> %s\n"
_COMMITTER: Final = b"committer C <c@example.org> %s\n"

_SUBMODULES: Final = b'[submodule "lib"]\n\tpath = lib\n\turl = -u./payload\n'

ODDITIES: Final[Mapping[str, Oddity]] = {
    "date-milliseconds": _date_of(THIRD, b"1600000000000 +0000"),
    "dates-milliseconds": _all_dates(b"1600000000000 +0000"),
    "dates-64-bits": _all_dates(b"18446744073709551617 +0000"),
    "date-64-bits": _date_of(MERGE, b"9223372036854775808 +0000"),
    "date-of-many-digits": _date_of(THIRD, b"9" * 5000 + b" +0000"),
    "date-negative": _date_of(MERGE, b"-1 +0000"),
    "dates-negative": _all_dates(b"-62135596800 +0000"),
    "date-year-9999": _date_of(THIRD, b"253402300800 +0000"),
    "dates-2050": _all_dates(b"%d +0000" % YEAR_2050),
    "branch-2050": _history(future_branch),
    "dates-zero": _all_dates(b"0 +0000"),
    "dates-words": _all_dates(b"yesterday"),
    "dates-empty": _all_dates(b""),
    "dates-fraction": _all_dates(b"1600000000.5 +0000"),
    "zone-long": Oddity(date=lambda number: plain_date(number)[:-5] + b"+051800"),
    "zone-absent": Oddity(date=lambda number: plain_date(number)[:-6]),
    "zone-short": Oddity(date=lambda number: plain_date(number)[:-5] + b"-7"),
    "zone-words": Oddity(date=lambda number: plain_date(number)[:-5] + b"CEST"),
    "zone-large": Oddity(date=lambda number: plain_date(number)[:-5] + b"+9999"),
    "people-absent": Oddity(people=lambda _: b""),
    "author-absent": _people(b"", _COMMITTER),
    "committer-absent": _people(_AUTHOR, b""),
    "author-without-name": _people(b"author <a@example.org> %s\n", _COMMITTER),
    "author-without-mail": _people(b"author A %s\n", _COMMITTER),
    "author-of-brackets": _people(b"author A <<a>@example.org> %s\n", b"committer C > < <c@example.org> %s\n"),
    "author-of-bytes": _people(b"author \xe9\xff\x1b[31m <a@\xe9> %s\n", b"committer \xc3\xa9 <c@\xff> %s\n"),
    "author-twice": _people(_AUTHOR.replace(b"A", b"B") + _AUTHOR.replace(b"%s", b"1 +0000"), _COMMITTER),
    "author-with-nul": _people(b"author A\0B <a@example.org> %s\n", _COMMITTER),
    "message-nul": _messages(b"Change #\0 and what no one sees\n"),
    "message-nul-first": _messages(b"\0hidden #\n"),
    "message-empty": _messages(b""),
    "message-blank": _messages(b" \n\n\t\n"),
    "message-indented": _messages(b"    indented #\n\n  * more\n"),
    "message-after-blanks": _messages(b"\n\n   Change #\n"),
    "message-crlf": _messages(b"Change #\r\n\r\nMore\r\n"),
    "message-cr": _messages(b"Change #\rMore\r"),
    "message-latin-1": _encoded(b"ISO-8859-1", b"Caf\xe9 #\n"),
    "message-latin-1-unsaid": _messages(b"Caf\xe9 #\n"),
    "message-utf-16": _encoded(b"UTF-16", "Café #\n".encode("utf-16")),
    "message-unknown-encoding": _encoded(b"klingon\xff", b"Caf\xe9 #\n"),
    "message-wrong-encoding": _encoded(b"UTF-8", b"Caf\xe9 #\n"),
    "message-undefined-codec": _encoded(b"undefined", b"Caf\xe9 #\n"),
    "message-codec-of-bytes": _encoded(b"hex", b"6162\n"),
    "message-escapes": _messages(b"\x1b]0;title\x07\x1b[31mRed #\n\n\xe2\x80\xae\n"),
    "message-comments": _messages(b"# Change #\n; too\n"),
    "message-trailers": _messages(b"Change #\n\nSigned-off-by: A <a@example.org>\n---\ndiff --git a/x b/x\n"),
    "message-long": _messages(b"Change #\n\n" + b"word " * 60_000 + b"\n"),
    "message-one-long-line": _messages(b"word" * 60_000),
    "message-bom": _messages(b"\xef\xbb\xbfChange #\n"),
    "message-surrogates": _messages(b"Change \xed\xa0\x80 #\n"),
    "message-without-newline": _messages(b"Change #"),
    "message-picked": _messages(
        b"Change #\n\n(cherry picked from commit 0000000)\n(cherry picked from commit ffffffff)\n"
    ),
    "header-signed": Oddity(
        headers=lambda _: b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n"
    ),
    "header-mergetag": Oddity(
        headers=lambda _: b"mergetag object %s\n type commit\n tag v1\n \n parent 1\n author X\n" % (b"1" * 40)
    ),
    "header-unknown": Oddity(headers=lambda _: b"HG:extra branch:\\x00\nencoding\nfoo\n"),
    "header-encoding-twice": Oddity(
        headers=lambda _: b"encoding latin-1\nencoding UTF-8\n", message=lambda _: b"Caf\xe9\n"
    ),
    "modes-100664": Oddity(mode=b"100664"),
    "modes-100600": Oddity(mode=b"100600"),
    "modes-100777": Oddity(mode=b"100777"),
    "modes-zero-padded": _nested([b"folder", b"file"], b"040000"),
    "modes-zero-padded-file": Oddity(mode=b"0100644"),
    "modes-unknown": _changing(b"odd", b"107777"),
    "modes-of-nothing": _files((b"0", b"nothing", b"")),
    "tree-twice": _files((FILE, b"twice", b"1"), (FILE, b"twice", b"2")),
    "tree-unsorted": Oddity(
        ordered=False, extra=lambda objects, _: [(FILE, b"Z", objects.blob(b"z")), (FILE, b"0", objects.blob(b"0"))]
    ),
    "tree-empty-folder": Oddity(extra=lambda objects, _: [(FOLDER, b"empty", objects.tree([]))]),
    "tree-null-id": Oddity(extra=lambda *_: [(FILE, b"null", "0" * 40)]),
    "tree-folder-of-blob": Oddity(extra=lambda objects, _: [(FOLDER, b"odd", objects.blob(b"a blob\n"))]),
    "tree-file-of-tree": Oddity(extra=lambda objects, _: [(FILE, b"odd", objects.tree([]))]),
    "name-git": _nested([b".git", b"config"]),
    "name-git-capitals": _files((FILE, b".GIT", b"x\n")),
    "name-git-tilde": _files((FILE, b"git~1", b"x\n")),
    "name-git-ignorable": _files((FILE, b".g\xe2\x80\x8cit", b"x\n")),
    "name-dot": _files((FILE, b".", b"x\n")),
    "name-dot-dot": _nested([b"..", b"x"]),
    "name-empty": _files((FILE, b"", b"x\n")),
    "name-slash": _files((FILE, b"a/b", b"x\n")),
    "name-long": _files((FILE, "\u0e01".encode() * 90 + b".md", b"x\n")),
    "name-long-changing": _changing(b"n" * 300),
    "name-long-folder": _nested([b"f" * 256, b"x"]),
    "name-of-4096-bytes": _files((FILE, b"n" * 4096, b"x\n")),
    "path-of-4200-bytes": _nested([b"d" * 200] * 21),
    "path-of-9000-bytes": _nested([b"d" * 90] * 100),
    "name-newline": _changing(b"a\nb"),
    "name-option": _changing(b"-rf"),
    "name-latin-1": _changing(b"caf\xe9.py"),
    "name-quotes": _changing(b"\"a'`$(b)\\\t"),
    "name-pathspec": _changing(b":(top)*.py"),
    "name-braces": _changing(b"{a => b}"),
    "name-blanks": _changing(b" a "),
    "name-head": _changing(b"HEAD"),
    "name-escapes": _changing(b"\x1b[31mred.py"),
    "names-case": _files((FILE, b"A.py", b"1\n"), (FILE, b"README", b"2\n"), (FILE, b"readme", b"3\n")),
    "names-normalization": _files((FILE, b"caf\xc3\xa9", b"1\n"), (FILE, b"cafe\xcc\x81", b"2\n")),
    "names-of-windows": _files(
        (FILE, b"con", b"1\n"), (FILE, b"a:b", b"2\n"), (FILE, b"a\\b", b"3\n"), (FILE, b"c.", b"4\n")
    ),
    "link": _files(
        (b"120000", b"link", b"a.py"), (b"120000", b"outside", b"/etc/passwd"), (b"120000", b"self", b"self")
    ),
    "link-empty": _files((b"120000", b"link", b"")),
    "link-long": _files((b"120000", b"link", b"x" * 5000)),
    "link-nul": _files((b"120000", b"link", b"a\0b")),
    "submodule": Oddity(
        extra=lambda objects, number: [
            (b"160000", b"lib", f"{number + 1:040x}"),
            (FILE, b".gitmodules", objects.blob(_SUBMODULES)),
        ]
    ),
    "submodule-at-a-commit-of-its-own": Oddity(
        extra=lambda objects, _: [(b"160000", b"lib", objects.blob(b"no commit\n"))]
    ),
    "attributes-eol": _attributes(b"* text eol=crlf\n"),
    "attributes-utf-16": _attributes(b"*.py working-tree-encoding=UTF-16\n"),
    "attributes-ident": _attributes(b"* ident\n", source=lambda _, content: b"# $Id$\n" + content),
    "attributes-filter": _attributes(b"* filter=evil\n"),
    "attributes-driver": _attributes(b"* merge=evil diff=evil\n"),
    "attributes-no-diff": _attributes(b"* -diff\n"),
    "attributes-binary": _attributes(b"*.py binary\n"),
    "attributes-union": _attributes(b"other.py merge=union\n"),
    "attributes-garbage": _attributes(b"\xff\xfe[attr]x\n!a -b\n\0\n" + b"x" * 5000 + b" text\n"),
    "attributes-link": _files((b"120000", b".gitattributes", b"/etc/passwd")),
    "attributes-folder": _nested([b".gitattributes", b"x"]),
    "attributes-marker-size": _attributes(b"* conflict-marker-size=100000\n"),
    "content-crlf": Oddity(source=lambda _, content: content.replace(b"\n", b"\r\n")),
    "content-cr": Oddity(source=lambda _, content: content.replace(b"\n", b"\r", 4)),
    "content-bom": Oddity(source=lambda _, content: b"\xef\xbb\xbf" + content),
    "content-latin-1": Oddity(source=lambda _, content: content + b"# caf\xe9\n"),
    "content-utf-16": Oddity(source=lambda _, content: content.decode().encode("utf-16")),
    "content-nul": Oddity(source=lambda _, content: content + b"# \0\n"),
    "content-no-newline": Oddity(source=lambda _, content: content.rstrip(b"\n")),
    "content-markers": Oddity(source=lambda _, content: content + b"<<<<<<< x\n=======\n>>>>>>> y\n"),
    "content-form-feed": Oddity(
        source=lambda _, content: content.replace(b"plain'\n", b"plain'\f\n\x1c\xe2\x80\xa8\n")
    ),
    "content-one-line": Oddity(source=lambda _, content: content + b"text = '" + b"word " * 60_000 + b"'\n"),
    "history-replaced": _history(replaced),
    "history-unrelated": _history(unrelated),
    "history-empty-trees": _history(empty_trees),
    "history-same-parent-twice": _history(same_parent_twice),
    "history-octopus": _history(octopus),
    "history-shallow": _history(shallow),
    "history-shallow-above": _history(side_shallow),
    "refs-tags": _history(tags),
    "refs-branches": _history(branches_of_no_commits),
    "refs-odd": _history(odd_refs),
    "refs-packed": _history(packed_refs),
    "head-broken": _head(b"garbage\n"),
    "head-empty": _head(b""),
    "head-absent-branch": _head(b"ref: refs/heads/absent\n"),
    "head-outside": _head(b"ref: ../../outside\n"),
    "head-detached": _history(detached),
    "head-latin-1": _history(latin_head),
    "objects-lent": _history(alternates),
    "objects-missing-blob": _without(b"gone"),
    "objects-missing-tree": Oddity(extra=folder, history=without_folder),
    "objects-damaged": Oddity(
        extra=lambda objects, _: [(FILE, b"damaged", objects.blob(b"damaged\n"))], history=damaged_object
    ),
    "objects-damaged-pack": _history(damaged_pack),
    "objects-partial": Oddity(
        extra=lambda objects, _: [(FILE, b"gone", objects.blob(b"not there\n"))], history=partial
    ),
    "objects-damaged-graph": _history(stale_graph),
    "config-driver": _config('[merge "evil"]\n\tdriver = touch evil\n[core]\n\thooksPath = /tmp\n\tfsmonitor = evil\n'),
    "config-big-files": _config("[core]\n\tbigFileThreshold = 1\n\tquotePath = true\n"),
    "config-broken": _config("[core\n"),
    "config-extension": _config("[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tfuture = true\n"),
}
