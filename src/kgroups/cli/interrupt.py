"""Ctrl-C and closed pipes: ending quietly and leaving nothing half done."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from kgroups.cli.console import Console
from kgroups.cli.output import discard_unfinished

INTERRUPTED = "interrupted; no file was left unfinished"

# What the command that runs says of work that stays.
_kept: list[Callable[[], str]] = []


def keeping(*tell: Callable[[], str]) -> None:
    """From now on ``tell`` knows what stays of the work after Ctrl-C; nobody does without it."""
    _kept[:] = tell


def interrupted() -> str:
    """What is said of Ctrl-C."""
    return "; ".join([INTERRUPTED, *(said for tell in _kept if (said := tell()))])


@contextmanager
def raised_interrupt() -> Iterator[None]:
    """Within this block Ctrl-C is a KeyboardInterrupt, for work whose processes must be ended.

    The first one is: another would stop the very ending.
    """

    def once(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if not callable(before):  # a parent has it ignored
        yield
        return
    signal.signal(signal.SIGINT, once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def end_on_interrupt(console: Console, status: int) -> None:
    """Make Ctrl-C end the process at once.

    A KeyboardInterrupt would first wait for the threads that are in the midst of a start.
    """

    def end(_signal: int, _frame: FrameType | None) -> None:
        """Clean up and leave, without waiting for any thread."""
        try:
            discard_unfinished()
            console.last_words(interrupted())
        finally:
            os._exit(status)

    # A parent that has this process ignore Ctrl-C, as nohup does, is not overruled.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def hush_stdout() -> None:
    """Send what is left for a closed pipe nowhere, or Python would complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
