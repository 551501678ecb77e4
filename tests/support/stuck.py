"""Work that is busy in C, as a compiler or a parser is: no signal ends it, and its thread answers none."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time

_MOST_S = 20


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class Stuck:
    """Interrupts this process, as Ctrl-C does, and then waits in C until it is released. ended: it waits no more."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self._first = threading.Lock()
        self._libc = ctypes.CDLL(None)
        self._mutex = ctypes.create_string_buffer(64)  # zeros are an open mutex
        self._libc.pthread_mutex_lock(self._mutex)

    def work(self) -> None:
        """Be stuck. Only the first call is."""
        if not self._first.acquire(blocking=False):
            return
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            until = _Timespec(int(time.time()) + _MOST_S, 0)
            self._libc.pthread_mutex_timedlock(self._mutex, ctypes.byref(until))
        finally:
            self.ended.set()

    def release(self) -> None:
        """Let it go on."""
        self._libc.pthread_mutex_unlock(self._mutex)
        self.ended.wait(_MOST_S)
