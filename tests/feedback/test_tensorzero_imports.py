"""A commit that talks to no gateway does not pay for HTTP."""

from __future__ import annotations

import subprocess
import sys


def test_the_source_and_the_sink_are_loaded_without_an_http_library() -> None:
    code = (
        "import sys, gitgoodbench.feedback.sinks.tensorzero, gitgoodbench.feedback.sources.tensorzero\n"
        "heavy = ('requests', 'urllib3', 'openai', 'docker', 'datasets', 'pandas', 'numba', 'detect_secrets')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
