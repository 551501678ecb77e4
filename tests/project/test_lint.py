"""The linters, each as `make lint` runs it."""

from __future__ import annotations

import subprocess

import pytest

from tests.support.project import ROOT

pytestmark = [pytest.mark.project, pytest.mark.timeout(900)]


@pytest.mark.parametrize("linter", ["ruff", "types", "imports"])
def test_a_linter_has_nothing_to_say(linter: str) -> None:
    done = subprocess.run(["make", linter], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
