"""Two users: the supervisor's own, and the one that commands run as, who can do nothing to it.

A supervisor starts as root with three capabilities: to change user, group and capabilities. It keeps the first two,
gives up root, and never runs anything as its own user. Commands have no capability, not even a bounding one.

Travels into the sandbox as source text: Python >= 3.9, standard library.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:  # the sandbox's Python has no need of them, and half a megabyte
    from collections.abc import Iterator

_PR_SET_DUMPABLE, _PR_SET_KEEPCAPS, _PR_CAPBSET_DROP = 4, 8, 24
_SETGID, _SETUID = 6, 7
_LAST_CAPABILITY = 63
_CAPABILITY_VERSION = 0x20080522


class Users:
    """Numbers of both users, who are their own groups. None: commands run as whoever runs the supervisor."""

    def __init__(self, own_and_commands: list[int] | None) -> None:
        """Become the first of the two.

        Raises:
            OSError: this process may not.
        """
        self.apart = own_and_commands is not None
        if own_and_commands is None:
            return
        import ctypes  # a Python without it serves where there is one user

        self._library = ctypes.CDLL(None, use_errno=True)
        self._own, self._commands = own_and_commands
        self._call("prctl", _PR_SET_KEEPCAPS, 1, 0, 0, 0)
        for capability in range(_LAST_CAPABILITY + 1):
            with suppress(OSError):  # beyond the last that this kernel knows
                self._call("prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
        os.setgroups([])
        os.setresgid(self._own, self._own, self._own)
        os.setresuid(self._own, self._own, self._own)
        self._keep_capabilities(1 << _SETGID | 1 << _SETUID)
        self._call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)

    @contextmanager
    def as_commands(self) -> Iterator[None]:
        """Make, open and signal what the commands' user may. Commands still can neither trace nor signal this one."""
        if not self.apart:
            yield
            return
        os.setegid(self._commands)
        os.seteuid(self._commands)
        try:
            yield
        finally:
            os.seteuid(self._own)
            os.setegid(self._own)

    def become_commands(self) -> None:
        """Turn this process, a child, into one of the commands' user, for good."""
        if self.apart:
            os.setresgid(self._commands, self._commands, self._commands)
            os.setresuid(self._commands, self._commands, self._commands)
            os.nice(10)  # however many there are, the supervisor gets its turn
            self._keep_capabilities(0)
            self._call("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0)
            with open("/proc/self/oom_score_adj", "wb") as file:  # noqa: PTH123
                file.write(b"1000")  # out of memory, commands die before the supervisor

    def _keep_capabilities(self, kept: int) -> None:
        """Have these capabilities permitted and effective (those below number 32), and no other."""
        import ctypes

        header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
        data = (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0)
        self._call("capset", header, data)

    def _call(self, function: str, *arguments: object) -> None:
        import ctypes

        if getattr(self._library, function)(*arguments) != 0:
            number = ctypes.get_errno()
            raise OSError(number, f"{function}: {os.strerror(number)}")
