"""The names of the package: loaded when asked for, documented, and typed."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import gitgoodbench
from tests.support.project import ROOT


def test_importing_the_package_loads_nothing_else() -> None:
    program = "import sys, typing; before = {*sys.modules}; import gitgoodbench; print({*sys.modules} - before)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "{'gitgoodbench'}"


def test_every_public_name_is_there_and_documented() -> None:
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    for name in gitgoodbench.__all__:
        assert getattr(gitgoodbench, name).__doc__
        assert re.search(rf"\b{name}\b", page), f"docs/api.md says nothing of {name}"
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        gitgoodbench.Nothing  # noqa: B018
