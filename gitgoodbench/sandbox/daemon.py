"""The Docker daemon: finding it, what its errors mean, and removing containers for good.

The SDK takes a third of a second to import, so that happens only where Docker is used.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from gitgoodbench.errors import UserError

if TYPE_CHECKING:
    from docker.client import DockerClient
    from docker.models.containers import Container


class DockerUnavailable(UserError):
    """Docker or the image is not available."""


DEFAULT_IMAGE: Final = "gitgoodbench-sandbox:latest"

TIMEOUT_S: Final = 60
_STOPPING_S: Final = 10.0


def connect_to_docker(host: str | None = None) -> DockerClient:
    """A client of the daemon that `host`, or else DOCKER_HOST, or the current context of the `docker` command names.

    Args:
        host: as DOCKER_HOST has it: unix:///..., tcp://HOST:PORT (with TLS where DOCKER_TLS_VERIFY and DOCKER_CERT_PATH
            are set, as for the `docker` command), ssh://USER@HOST.

    Raises:
        DockerUnavailable: it does not answer.
    """
    import docker
    from docker.utils import kwargs_from_env

    try:
        if host is not None:
            settings = kwargs_from_env(environment={**os.environ, "DOCKER_HOST": host})
            with _own_certificates():
                client = docker.DockerClient(timeout=TIMEOUT_S, use_ssh_client=True, **settings)
                client.api.trust_env = False
        elif "DOCKER_HOST" in os.environ:
            return docker.from_env(timeout=TIMEOUT_S)
        else:
            client = docker.DockerClient(timeout=TIMEOUT_S, **_current_context())
        client.ping()
    except docker_errors() as problem:
        where = "" if host is None else f" at {host}"
        raise DockerUnavailable(
            f"Docker does not answer{where} ({brief(problem)}): start it, or choose --sandbox local "
            "(no shell tools there)"
        ) from problem
    return client


@contextlib.contextmanager
def _own_certificates() -> Iterator[None]:
    """Check a daemon by its own certificates: those of these variables, which are for the web, would go before them."""
    aside = {name: os.environ.pop(name) for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE") if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(aside)


def docker_errors() -> tuple[type[Exception], ...]:
    """What a call of the SDK raises when the daemon refuses or cannot be reached."""
    import docker.errors
    import requests

    return (docker.errors.DockerException, requests.RequestException, OSError)


def brief(problem: BaseException) -> str:
    """The line of an SDK error that names the cause."""
    import requests

    if isinstance(problem, requests.ConnectionError | requests.Timeout):
        return f"the Docker daemon does not answer{_reason(problem)}: is it still running?"
    explanation = getattr(problem, "explanation", None)
    text = explanation if isinstance(explanation, str) and explanation else str(problem)
    return " ".join(text.split())[:300] or type(problem).__name__


def _reason(problem: BaseException) -> str:
    """What the operating system says; the SDK wraps it in several others."""
    for part in problem.args:
        if isinstance(part, OSError) and part.strerror:
            return f" ({part.strerror})"
        if isinstance(part, BaseException) and (reason := _reason(part)):
            return reason
    return ""


def _current_context() -> dict[str, Any]:
    from docker.context import ContextAPI

    context = ContextAPI.get_current_context()
    if context is None or context.Name == "default":
        return {}
    return {"base_url": context.Host, "tls": context.TLSConfig or False}


def remove_container(container: Container) -> None:
    """Remove a container with its anonymous volumes, running or not; gone already, or about to be, is fine."""
    import docker.errors

    end = time.monotonic() + _STOPPING_S
    while True:
        try:
            container.remove(force=True, v=True)
        except docker.errors.NotFound:
            return
        except docker.errors.APIError as problem:
            if problem.status_code == 409:
                with contextlib.suppress(docker.errors.NotFound):
                    container.wait(condition="removed", timeout=30)
                return
            if "state improper" not in str(problem) or time.monotonic() > end:  # Podman's, of one that just ended
                raise
            time.sleep(0.05)
        else:
            return
