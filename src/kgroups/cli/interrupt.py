"""Ctrl-C and closed pipes: ending quietly and leaving nothing half done."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from kgroups.cli.console import Console
from kgroups.cli.output import discard_unfinished

INTERRUPTED = "interrupted; no file was left unfinished"


def end_on_interrupt(console: Console, status: int) -> None:
    """Make Ctrl-C end the process at once.

    A KeyboardInterrupt would first wait for the threads that are in the midst of a start.
    """

    def end(_signal: int, _frame: FrameType | None) -> None:
        """Clean up and leave, without waiting for any thread."""
        try:
            discard_unfinished()
            console.last_words(INTERRUPTED)
        finally:
            os._exit(status)

    # A parent that has this process ignore Ctrl-C, as nohup does, is not overruled.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def hush_stdout() -> None:
    """Send what is left for a closed pipe nowhere, or Python would complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
