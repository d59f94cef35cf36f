"""Ctrl-C: end quietly and leave no half-written file."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

STATUS = 130
MESSAGE = "kgroups: error: interrupted; no file was left unfinished"


def end_at_once(_signal: int, _frame: FrameType | None) -> NoReturn:
    """Clean up and leave; a KeyboardInterrupt would wait for threads that are still computing."""
    try:
        if "kgroups.runtime.written_whole" in sys.modules:
            sys.modules["kgroups.runtime.written_whole"].discard_unfinished()
        clear = "\r\x1b[K" if os.isatty(2) else ""
        os.write(2, f"{clear}{MESSAGE}\n".encode())  # past the stream, which may be in use
    finally:
        os._exit(STATUS)


@contextmanager
def raised_interrupt() -> Iterator[None]:
    """Turn Ctrl-C into a KeyboardInterrupt within this block, for work that must be cleaned up.

    Only the first one: a second would interrupt the cleaning up.
    """

    def once(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if not callable(before):  # the parent process set it to be ignored
        yield
        return
    signal.signal(signal.SIGINT, once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
