"""What npm's configuration says of registries: which one a package is from, the token for it, proxy and certificates.

Read as npm does: variables before the user's .npmrc, and that before the machine's. A .npmrc of the current folder does
not count: whose folder it is, is not known. Where none of them names a registry, npm itself is asked for its own.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

from gitgoodbench.errors import UserError

_MACHINES: Final = (Path("/usr/local/etc/npmrc"), Path("/etc/npmrc"))


@dataclass(frozen=True)
class NpmConfig:
    """Settings by npm's own names, such as `registry`, `@scope:registry`, `//host/:_authToken`, `https-proxy`."""

    values: Mapping[str, str]

    @classmethod
    def of_user(cls, environment: Mapping[str, str] | None = None) -> Self:
        """That of the user who runs this process."""
        variables = os.environ if environment is None else environment
        given = {
            name[len("npm_config_") :].lower().replace("_", "-"): value
            for name, value in variables.items()
            if name.lower().startswith("npm_config_") and value
        }
        home = Path(variables.get("HOME") or "/nonexistent")
        user = Path(given.get("userconfig") or home / ".npmrc")
        machine = [Path(given["globalconfig"])] if "globalconfig" in given else list(_MACHINES)
        values: dict[str, str] = {}
        for path in (*machine, user):
            values |= dict(_settings_in(path, variables))
        return cls(values | given)

    def registry_of(self, package: str) -> str:
        """The registry that a package is from, ending in a slash.

        Raises:
            UserError: nothing names one, and there is no npm to ask.
        """
        scope = package.partition("/")[0] if package.startswith("@") else ""
        registry = self.values.get(f"{scope}:registry") if scope else None
        registry = registry or self.values.get("registry") or ask_npm()
        return registry.rstrip("/") + "/"

    def headers_for(self, url: str) -> dict[str, str]:
        """What proves who is asking, where the configuration has that for this very server and folder."""
        parts = urlsplit(url)
        path = parts.path.rpartition("/")[0] + "/"
        while True:
            place = f"//{parts.netloc.rpartition('@')[2]}{path}"
            if token := self.values.get(f"{place}:_authToken"):
                return {"Authorization": f"Bearer {token}"}
            if basic := self.values.get(f"{place}:_auth"):
                return {"Authorization": f"Basic {basic}"}
            if path == "/":
                return {}
            path = path.rstrip("/").rpartition("/")[0] + "/"

    @property
    def proxies(self) -> dict[str, str]:
        """Proxies that it names; where it names none, the usual variables hold."""
        named = {"https": self.values.get("https-proxy"), "http": self.values.get("proxy")}
        return {scheme: proxy for scheme, proxy in named.items() if proxy and proxy != "null"}

    @property
    def certificates(self) -> str | None:
        """A file of further certificates to trust."""
        return self.values.get("cafile") or None


@functools.cache
def ask_npm() -> str:
    """The registry that npm goes to by itself.

    Raises:
        UserError: it is not there, or does not say.
    """
    try:
        asked = subprocess.run(
            ["npm", "config", "get", "registry"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        asked = None
    if asked is None or not asked.stdout.startswith("http"):
        raise UserError(
            "no npm registry is known: install npm, or name one by the variable npm_config_registry "
            "(or `registry=` in ~/.npmrc)"
        )
    return asked.stdout.strip()


def _settings_in(path: Path, variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    for line in lines:
        name, equals, value = line.partition("=")
        if equals and not line.lstrip().startswith((";", "#")):
            filled = re.sub(r"\$\{(\w+)\}", lambda found: variables.get(found[1], found[0]), value.strip())
            yield name.strip(), filled.strip("\"'")
