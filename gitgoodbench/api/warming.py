"""What takes long the first time in an environment, done ahead."""

from __future__ import annotations


def warm_up() -> None:
    """Start the process that scores, and wait until it has compiled or loaded what scores need, so that none waits.

    The compiled code is kept on disk: in a fresh environment this takes a minute or so, later some seconds. The calling
    process loads nothing of it.

    Raises:
        InfrastructureFailed: that process does not start.
    """
    from gitgoodbench.contained.client import start_and_wait

    start_and_wait()
