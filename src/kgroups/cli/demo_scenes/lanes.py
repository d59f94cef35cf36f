"""Work in other processes, so that compilers run side by side; none outlives the command.

Threads would not do: only one of them compiles at a time.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from pkgutil import resolve_name
from typing import Any, Protocol

from kgroups.cli.console import OutputError


class Lane(Protocol):
    """Where functions, given as "module:name", are called one after another."""

    def begin(self, function: str, *arguments: Any) -> None:
        """Call a function; one at a time."""

    def result(self) -> Any:
        """What it returned; what it raised is raised here."""


class Here:
    """The process of the command: a function is called when its result is asked for."""

    def begin(self, function: str, *arguments: Any) -> None:
        """Take down what to call."""
        self._task = (function, arguments)

    def result(self) -> Any:
        """Call it."""
        function, arguments = self._task
        return resolve_name(function)(*arguments)


class Elsewhere:
    """A process of its own, which ends with this one, however that ends."""

    def __init__(self) -> None:
        # A pipe and no queue: a queue has semaphores, of which Python complains after a Ctrl-C.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def begin(self, function: str, *arguments: Any) -> None:
        """Call a function there."""
        self._pipe.send((function, arguments))

    def result(self) -> Any:
        """Wait for what it returned."""
        try:
            error, value = self._pipe.recv()
        except EOFError:
            self._process.join()
            raise OutputError(
                f"a process of the demo ended with exit code {self._process.exitcode}; it may have "
                "run out of memory: close other programs and try again"
            ) from None
        if error is not None:
            raise error
        return value

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self._pipe.close()


@contextmanager
def lanes(count: int, n_cores: int) -> Iterator[Sequence[Lane]]:
    """So many lanes: processes, or this one where there is one core."""
    with ExitStack() as stack:
        yield [_lane(stack, n_cores) for _ in range(count)]


def _lane(stack: ExitStack, n_cores: int) -> Lane:
    if n_cores == 1:
        return Here()
    lane = Elsewhere()
    stack.callback(lane.end)
    return lane


def _serve(pipe: Connection) -> None:
    """Call functions until the other end of the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command decides what Ctrl-C does
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            function, arguments = pipe.recv()
        except EOFError:
            return
        pipe.send(_called(function, arguments))


def _called(function: str, arguments: Any) -> tuple[Exception | None, Any]:
    try:
        return None, resolve_name(function)(*arguments)
    except Exception as error:  # it is raised where the result is asked for
        return error, None


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
