"""Ctrl-C: end quietly and leave no half-written file."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from kgroups.cli.console import Console
from kgroups.runtime.written_whole import discard_unfinished

#: The message after Ctrl-C.
INTERRUPTED = "interrupted; no file was left unfinished"


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


def end_on_interrupt(console: Console, status: int) -> None:
    """Make Ctrl-C end the process at once.

    A KeyboardInterrupt would first wait for threads that are still computing.
    """

    def end(_signal: int, _frame: FrameType | None) -> None:
        """Clean up and leave, without waiting for any thread."""
        try:
            discard_unfinished()
            console.last_words(INTERRUPTED)
        finally:
            os._exit(status)

    # A parent process that had Ctrl-C ignored, as nohup does, is not overruled.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)
