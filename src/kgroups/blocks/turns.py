"""A lock that is fair: threads get it in the order in which they asked for it."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Turns:
    """One thread at a time, first come, first served.

    With a plain lock, a thread that asks again at once often gets it before one that waits, and
    moves on by many blocks while the other one still waits for the first of them.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: deque[object] = deque()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """A block that only this thread is in."""
        me = object()
        with self._changed:
            self._waiting.append(me)
        try:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting[0] is me)
            yield
        finally:
            with self._changed:
                self._waiting.remove(me)
                self._changed.notify_all()
