"""What npm's configuration says of registries: which one a package is from, the token for it, proxy and certificates.

Read as npm does: variables before the user's .npmrc, and that before the machine's; no npm is needed. A .npmrc of the
current folder does not count: whose folder it is, is not known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

PUBLIC_REGISTRY: Final = "https://registry.npmjs.org/"
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
        """The registry that a package is from, ending in a slash."""
        scope = package.partition("/")[0] if package.startswith("@") else ""
        registry = self.values.get(f"{scope}:registry") if scope else None
        registry = registry or self.values.get("registry") or PUBLIC_REGISTRY
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
