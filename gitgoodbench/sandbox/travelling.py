"""Programs of the harness that travel into a sandbox as source text, so that it needs a Python >= 3.9 and nothing else.

They wait for their text on standard input (`waiting_argv`), get it (`program`), and go on with the same streams.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

_BOOTSTRAP: Final = """
import json, os, sys, types
left, text = int(sys.stdin.buffer.raw.readline()), b""
while len(text) < left:
    text += os.read(0, left - len(text)) or sys.exit(1)
sources, settings = json.loads(text)
ready = globals().get("ready", {})
for name, source in sources.items():
    module = sys.modules[name] = ready.get(source) or types.ModuleType(name)
    if source not in ready:
        exec(compile(source, name, "exec"), module.__dict__)
module.main(**settings)
"""


def waiting_argv(python: str) -> list[str]:
    """The command line that waits for a program on standard input."""
    return [python, "-I", "-S", "-X", "utf8", "-c", _BOOTSTRAP]


def sources_of(package: str, names: Sequence[str]) -> dict[str, str]:
    """The text of modules of a package, in the order of their imports."""
    return {f"{package}.{name}": (files(package) / f"{name}.py").read_text("utf-8") for name in names}


def program(sources: Mapping[str, str], settings: Mapping[str, Any]) -> bytes:
    """What is read first: a length, and so many bytes with the modules, and the arguments of the last one's `main`."""
    text = json.dumps([sources, settings]).encode("ascii")
    return b"%d\n%b" % (len(text), text)
