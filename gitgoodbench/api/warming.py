"""What takes long the first time in an environment, done ahead."""

from __future__ import annotations


def warm_up() -> None:
    """Compile the kernels of tree edit distance and start the processes that parse and score, so that no episode waits.

    The compiled code is kept on disk: in a fresh environment this takes a minute or so, later a second.
    """
    from gitgoodbench.contained.client import start
    from gitgoodbench.ted import warming

    warming.warm_up()
    start()
