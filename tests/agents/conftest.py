from __future__ import annotations

import functools
import ssl
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="package")
def _one_tls_context() -> Iterator[None]:
    """Every client loads all certificates, 40 ms each time, and no test here speaks TLS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
        yield


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The developer's own account and proxies stay out of the tests."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
