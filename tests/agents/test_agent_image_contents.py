"""What gets into an agent's image: what the recipe takes, by names that stay in its folder, with no rights too many."""

from __future__ import annotations

import io
import random
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from gitgoodbench.agents.images.contents import ContextWriter, add_tarball, add_wheel, checked
from gitgoodbench.agents.images.recipe import NpmPackage, PipPackages
from gitgoodbench.errors import UserError
from tests.support.registries import tarball, wheel


def package(files: Mapping[str, str], *skip: str) -> NpmPackage:
    return NpmPackage(name="tool", version="1", platform="linux/amd64", files=dict(files), skip=skip)


def written(buffer: io.BytesIO) -> dict[str, tarfile.TarInfo]:
    buffer.seek(0)
    with tarfile.open(fileobj=buffer) as archive:
        return {entry.name: entry for entry in archive}


def taken(tmp_path: Path, data: bytes, wanted: NpmPackage) -> dict[str, tarfile.TarInfo]:
    (tmp_path / "tool.tgz").write_bytes(data)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        add_tarball(ContextWriter(archive, "agent"), wanted, tmp_path / "tool.tgz")
    return written(buffer)


def test_files_and_folders_go_where_the_recipe_says_and_the_rest_stays_out(tmp_path: Path) -> None:
    data = tarball(
        {"package/tool": b"1", "package/lib/a.js": b"22", "package/lib/deep/b.js": b"3", "package/README": b"4"},
        programs=("package/tool",),
    )
    entries = taken(tmp_path, data, package({"package/tool": "bin/tool", "package/lib/": "lib/"}, "package/lib/deep/*"))
    assert {name: (oct(entry.mode), entry.uid, entry.size) for name, entry in entries.items()} == {
        "agent": ("0o755", 0, 0),
        "agent/bin": ("0o755", 0, 0),
        "agent/bin/tool": ("0o555", 0, 1),
        "agent/lib": ("0o755", 0, 0),
        "agent/lib/a.js": ("0o444", 0, 2),
    }


def test_a_file_goes_by_its_own_entry_before_its_folders_and_programs_can_be_run(tmp_path: Path) -> None:
    wanted = package({"package/": "lib/", "package/vendor/rg": "bin/rg", "package/vendor/": "vendor/"})
    entries = taken(tmp_path, tarball({"package/a": b"", "package/vendor/rg": b"", "package/vendor/b": b""}), wanted)
    modes = {name: oct(entry.mode) for name, entry in entries.items() if entry.isreg()}
    assert modes == {"agent/lib/a": "0o444", "agent/bin/rg": "0o555", "agent/vendor/b": "0o444"}


@pytest.mark.parametrize(
    "name", ["../x", "package/../../x", "/etc/x", "package/./x", "package//x", "a\\b", "..", "package/lib/../../../x"]
)
def test_a_name_that_leaves_its_folder_condemns_the_archive(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="is no path inside its folder, so nothing of that archive is taken"):
        taken(tmp_path, tarball({name: b"evil"}), package({"package/": "lib/"}))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_refused(tmp_path: Path, kind: bytes) -> None:
    entry = tarfile.TarInfo("package/lib/x")
    entry.type, entry.linkname = kind, "/etc/shadow"
    with pytest.raises(UserError, match="tool: package/lib/x is a link or a device"):
        taken(tmp_path, tarball({"package/lib/x": entry}), package({"package/lib/": "lib/"}))


def test_what_the_recipe_takes_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="tool has no package/bin, package/lib/, which the recipe takes"):
        taken(tmp_path, tarball({"package/x": b""}), package({"package/bin": "b", "package/lib/": "l/"}))


@pytest.mark.parametrize("cut", [0, 10, 2000])
def test_an_archive_that_is_none_is_named(tmp_path: Path, cut: int) -> None:
    data = tarball({"package/x": random.Random(1).randbytes(4000)})
    with pytest.raises(UserError, match="the tarball of tool cannot be read"):
        taken(tmp_path, data[:cut], package({"package/x": "x"}))


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    wanted = package({"package/a": "x", "package/b": "x"})
    with pytest.raises(UserError, match="two files of the agent would be agent/x"):
        taken(tmp_path, tarball({"package/a": b"", "package/b": b""}), wanted)


PIP = PipPackages(name="tool", python="3.11", platforms=("linux/amd64",), into="lib", skip=("tool/tests/*",))


def of_wheel(tmp_path: Path, data: bytes) -> set[str]:
    path = tmp_path / "tool-1-py3-none-any.whl"
    path.write_bytes(data)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        add_wheel(ContextWriter(archive, "agent"), PIP, path)
    return {name for name, entry in written(buffer).items() if entry.isreg()}


def test_modules_of_a_wheel_are_taken_and_its_scripts_are_not(tmp_path: Path) -> None:
    files = (
        "tool/__init__.py", "tool/tests/a.py", "tool-1.dist-info/METADATA", "tool-1.data/purelib/more.py",
        "tool-1.data/scripts/tool", "tool-1.data/data/share/x", "tool-1.data/headers/x.h",
    )  # fmt: skip
    assert of_wheel(tmp_path, wheel(dict.fromkeys(files, "x"))) == {
        "agent/lib/tool/__init__.py", "agent/lib/tool-1.dist-info/METADATA", "agent/lib/more.py",
    }  # fmt: skip


def test_a_wheel_with_a_link_or_a_bad_name_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("tool/x")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/shadow")
    with pytest.raises(UserError, match="tool/x is a link or a device"):
        of_wheel(tmp_path, buffer.getvalue())
    with pytest.raises(UserError, match="is no path inside its folder"):
        of_wheel(tmp_path, wheel({"tool/../../x": ""}))
    with pytest.raises(UserError, match=r"the wheel tool-1-py3-none-any\.whl cannot be read"):
        of_wheel(tmp_path, b"no zip file")


def test_a_slash_at_the_end_and_a_dot_before_are_the_same_path() -> None:
    assert (checked("./package/lib/", "x"), checked("package/lib", "x")) == ("package/lib", "package/lib")
